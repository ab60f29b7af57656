// save.js - files out of the page: SVG, PNG, CSV. Nothing leaves the computer.
import { figureSvg } from "./figure.js";
import { button, el, icon } from "./look.js";

export function fileName(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "capstan"; }

export function download(name, blob) {
  const a = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

function svgToPng(svg, width, height, scale = 2) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: width * scale, height: height * scale });
      const g = canvas.getContext("2d");
      g.scale(scale, scale);
      g.drawImage(image, 0, 0, width, height);
      canvas.toBlob((b) => (b ? resolve(b) : reject(new Error("no picture"))), "image/png");
    };
    image.onerror = () => reject(new Error("no picture"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
}

// A text as a cell; what a spreadsheet would take for a formula gets an apostrophe before it, so that it stays text there.
function quoted(text) {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain;
}

// Columns [{name, unit, data}] of equal length.
export function csv(columns) {
  const rows = [columns.map((c) => quoted(c.unit ? `${c.name} [${c.unit}]` : c.name)).join(",")];
  const n = Math.max(0, ...columns.map((c) => c.data.length));
  for (let i = 0; i < n; i++) rows.push(columns.map((c) => (Number.isFinite(c.data[i]) ? Number(c.data[i].toPrecision(10)) : "")).join(","));
  return `${rows.join("\n")}\n`;
}

// A figure's series, each with its own x unless they share it.
export function figureCsv(f) {
  const columns = [];
  let last = null;
  for (const s of f.series) {
    if (s.x !== last) columns.push({ name: f.x.label, unit: f.x.unit, data: s.x });
    last = s.x;
    columns.push({ name: s.label ?? f.y.label, unit: f.y.unit, data: s.y });
  }
  return csv(columns);
}

// A menu with the formats. `figure` gives the description at the time of the click; `extra` adds entries [label, function].
export function saveMenu(title, figure, extra = []) {
  const on = { SVG: null, PNG: null, CSV: null };
  if (figure) {
    const ready = () => {
      const f = figure();
      return { width: 900, height: 420, ...f, series: f.series.map((s) => ({ ...s, named: true })), theme: "light", paper: true, legend: true, title };
    };
    on.SVG = () => download(`${fileName(title)}.svg`, new Blob([figureSvg(ready())], { type: "image/svg+xml" }));
    on.PNG = async () => { const f = ready(); download(`${fileName(title)}.png`, await svgToPng(figureSvg(f), f.width, f.height)); };
    on.CSV = () => { const f = ready(); download(`${fileName(title)}.csv`, new Blob([f.csv ?? figureCsv(f)], { type: "text/csv" })); };
  }
  const entries = [...Object.entries(on).filter(([, f]) => f), ...extra];
  const list = el("div", { class: "menu-list", role: "menu", hidden: true },
    entries.map(([label, action]) => el("button", { type: "button", role: "menuitem", onclick: () => { close(); action(); } }, `Save ${label}`)));
  const opener = button(`Save ${title}`, null, () => (list.hidden ? open() : close()), { "aria-haspopup": "menu", "aria-expanded": "false", class: "tool quiet" });
  opener.textContent = "";
  opener.append(icon("save"));
  const box = el("div", { class: "menu" }, opener, list);
  const outside = (e) => { if (!box.contains(e.target)) close(); };
  function open() {
    list.hidden = false;
    opener.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside);
    list.querySelector("button").focus();
  }
  function close() {
    list.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside);
  }
  box.addEventListener("keydown", (e) => { if (e.key === "Escape" && !list.hidden) { close(); opener.focus(); e.stopPropagation(); } });
  return box;
}
