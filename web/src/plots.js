// plots.js - columns over time: panels that share one time axis and the page's cursor, with a search for any column.
import uPlot from "uplot";
import { extent, valueAt } from "./data.js";
import { DASHES, axisUnit, button, el, look, quantity, seriesColor, tickText, unitText } from "./look.js";
import { saveMenu } from "./save.js";

const MOST_AT_FIRST = 5; // curves that a panel starts with
const MOST_PARAMETERS = 8; // that have a panel of derivatives

// What a report shows without being asked, in this order: [title, which columns].
const GROUPS = [
  ["Position", (c) => /^bodies\..*\.[xyz]$/.test(c.name)],
  ["Velocity", (c) => /^bodies\..*\.v[xyz]?$/.test(c.name)],
  ["Cable tension", (c) => /^cables\..*\.(tension_\w+|t_in|t_out)$/.test(c.name)],
  ["Drum torque", (c) => /^drums\..*\.(torque|drive)$/.test(c.name)],
  ["Drum angle", (c) => /^drums\..*\.(angle|setpoint)$/.test(c.name)],
  ["Drum speed", (c) => /^drums\..*\.rate$/.test(c.name)],
  ["Friction force", (c) => /^contacts\..*\.f$/.test(c.name)],
  ["Spring force", (c) => /^springs\..*\.force$/.test(c.name)],
];

// Some of many, spread evenly.
function pick(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}

export class Plots {
  constructor(runs, clock) {
    this.runs = runs;
    this.clock = clock;
    this.difference = false;
    this.range = null;
    this.panels = [];
    this.list = el("div", { class: "panels" });
    this.names = [...new Map(runs.flatMap((r) => r.columns.slice(1).map((c) => [c.name, c]))).values()];
    for (const [title, fits] of GROUPS) {
      const columns = this.names.filter(fits);
      const ranges = columns.map((c) => { const [a, b] = extent(c.data); return b - a; }), most = Math.max(...ranges);
      const moving = columns.filter((c, i) => ranges[i] > 0.1 * most);
      if (columns.length) this.add(title, pick(moving.length ? moving : columns, MOST_AT_FIRST).map((c) => c.name), columns.length);
    }
    this.addMeasured();
    this.addDerivatives();
    if (!this.panels.length && this.names.length) this.add("Columns", this.names.slice(0, 3).map((c) => c.name));
    const more = el("button", { type: "button", class: "plain", onclick: () => { this.add("Your plot", []).search.focus(); } }, "Add a plot");
    this.element = el("div", {}, this.list, more);
    clock.listen((t) => this.panels.forEach((p) => p.cursor(t)));
  }

  // Puts the panels from `from` on before the others.
  putFirst(from) {
    const first = this.panels.splice(from);
    this.panels.unshift(...first);
    this.list.prepend(...first.map((p) => p.element));
  }

  // What was measured, over the model: these come first.
  addMeasured() {
    const before = this.panels.length;
    for (const c of this.names.filter((n) => n.points)) this.add(`Data and model: ${c.of}`, [c.name, c.of], 0, c.of);
    this.putFirst(before);
  }

  // Derivatives: a panel for each parameter, with the columns that somebody asked for, or else positions.
  addDerivatives() {
    const parts = this.names.map((c) => [c, /^d\((.*)\)\/d\((.*)\)$/.exec(c.name)]).filter(([, m]) => m);
    const focus = new Set(this.runs.flatMap((r) => r.focus ?? [])), before = this.panels.length;
    for (const parameter of [...new Set(parts.map(([, m]) => m[2]))].slice(0, MOST_PARAMETERS)) {
      const own = parts.filter(([, m]) => m[2] === parameter);
      const first = own.filter(([, m]) => (focus.size ? focus.has(m[1]) : /^bodies\..*\.[xyz]$/.test(m[1])));
      const shown = pick(first.length ? first : own, MOST_AT_FIRST).map(([c]) => c.name);
      this.add(`Derivative by ${parameter}`, shown, own.length, "Derivative");
    }
    if (focus.size) this.putFirst(before);
  }

  add(title, names, total = 0, axis = title) {
    const p = new Panel(this, title, names, total, axis);
    this.panels.push(p);
    this.list.append(p.element);
    p.cursor(this.clock.time);
    return p;
  }

  remove(panel) {
    panel.destroy();
    this.panels = this.panels.filter((p) => p !== panel);
    panel.element.remove();
  }

  setDifference(on) { this.difference = on; this.restyle(); }
  restyle() { this.panels.forEach((p) => p.make()); }
  // Zooming one panel zooms all.
  zoom(range, from) {
    this.range = range;
    for (const p of this.panels) if (p !== from) p.setRange(range);
  }
}

class Panel {
  constructor(plots, title, names, total, axis) {
    this.plots = plots;
    this.title = title;
    this.axis = axis; // what is said beside it
    this.names = names;
    this.rest = total - names.length;
    this.holder = el("div", { class: "plot-holder" });
    this.chips = el("div", { class: "chips" });
    this.search = this.makeSearch();
    this.heading = el("h3", {}, title);
    this.element = el("section", { class: "panel", "data-test": "panel", "aria-label": title },
      el("div", { class: "panel-head" }, this.heading, el("div", { class: "panel-tools" }, this.search.parentNode, saveMenu(title, () => this.figure()),
        button(`Close ${title}`, "close", () => plots.remove(this), { class: "tool quiet" }))),
      this.holder, this.chips);
    new ResizeObserver(() => this.resize()).observe(this.holder);
    this.make();
  }

  // A text field with the columns that match what is typed.
  makeSearch() {
    const list = el("div", { class: "found", role: "listbox", hidden: true });
    const input = el("input", { type: "search", placeholder: "Add a curve…", "aria-label": `Add a curve to ${this.title}`, autocomplete: "off", spellcheck: "false" });
    let active = 0, found = [];
    const choose = (name) => {
      if (!this.names.includes(name)) this.names.push(name);
      input.value = "";
      list.hidden = true;
      this.make();
    };
    const update = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = this.plots.names.filter((c) => !this.names.includes(c.name) && words.every((w) => c.name.toLowerCase().includes(w))).slice(0, 40);
      active = Math.min(active, Math.max(0, found.length - 1));
      list.hidden = document.activeElement !== input;
      list.replaceChildren(...(found.length ? found.map((c, i) => el("div", { role: "option", "aria-selected": i === active ? "true" : "false", onpointerdown: (e) => { e.preventDefault(); choose(c.name); } },
        c.name, el("small", {}, unitText(c.unit)))) : [el("div", { class: "none" }, "Nothing matches")]));
    };
    input.addEventListener("focus", update);
    input.addEventListener("input", () => { active = 0; update(); });
    input.addEventListener("blur", () => { list.hidden = true; });
    input.addEventListener("keydown", (e) => {
      if (e.key === "ArrowDown" || e.key === "ArrowUp") {
        active = Math.max(0, Math.min(found.length - 1, active + (e.key === "ArrowDown" ? 1 : -1)));
        update();
        list.children[active]?.scrollIntoView({ block: "nearest" });
        e.preventDefault();
      } else if (e.key === "Enter" && found[active]) choose(found[active].name);
      else if (e.key === "Escape") input.blur();
      e.stopPropagation();
    });
    el("div", { class: "search" }, input, list);
    return input;
  }

  // The curves: every column of every run; or the differences from the first run.
  curves() {
    const { runs, difference } = this.plots, out = [], many = runs.length > 1;
    this.names.forEach((name, i) => {
      const first = runs[0].column(name), base = first && (first.x ?? runs[0].times);
      runs.forEach((r, k) => {
        const c = r.column(name);
        if (!c || (difference && (k === 0 || !first))) return;
        const x = c.x ?? r.times;
        const curve = { name, unit: c.unit, run: k, label: many && !c.points ? `${name} · ${r.label}` : name, colorIndex: i, dash: DASHES[k % DASHES.length], points: c.points };
        if (difference) {
          // At the times of the first run, as far as the other one goes.
          curve.x = base;
          curve.y = Float64Array.from(base, (t, j) => (t < x[0] || t > x[x.length - 1] ? NaN : valueAt(x, c.data, t) - first.data[j]));
          curve.label = `${name} · ${r.label} − ${runs[0].label}`;
        } else { curve.x = x; curve.y = c.data; }
        out.push(curve);
      });
    });
    return out;
  }

  make() {
    this.destroy();
    this.all = this.curves();
    const units = [...new Set(this.all.map((c) => c.unit))], c = look();
    const width = this.holder.clientWidth || 600, height = this.height();
    const tables = this.all.map((s) => [Array.from(s.x), Array.from(s.y, (v) => (Number.isFinite(v) ? v : null))]);
    const shared = this.all.every((s) => s.x === this.all[0].x);
    const data = tables.length ? (shared ? [tables[0][0], ...tables.map((t) => t[1])] : uPlot.join(tables)) : [[this.plots.clock.from, this.plots.clock.until], [null, null]];
    const font = "11.5px Inter, system-ui, sans-serif";
    const values = (u, splits) => { const step = splits.length > 1 ? splits[1] - splits[0] : 1; return splits.map((v) => tickText(v, step)); };
    // The prefix of an axis suits its largest curve.
    const inUnit = units.map((unit) => axisUnit(...this.all.filter((s) => s.unit === unit).map((s) => extent(s.y)).reduce((a, b) => [Math.min(a[0], b[0]), Math.max(a[1], b[1])], [0, 0]), unit));
    const scaled = (k) => (u, splits) => values(u, splits.map((v) => v / (inUnit[k]?.factor ?? 1)));
    // At most two units, one scale each; a third shares the first.
    const scaleOf = (unit) => (units.indexOf(unit) === 1 ? "y2" : "y");
    const options = {
      width, height, legend: { show: false }, padding: [8, 8, 0, 0],
      cursor: { sync: { key: "time" }, points: { size: 7 }, drag: { x: true, y: false, dist: 6 } },
      scales: { x: { time: false, range: (u, a, b) => this.plots.range ?? [this.plots.clock.from, this.plots.clock.until > this.plots.clock.from ? this.plots.clock.until : a + 1] } },
      axes: [
        { stroke: c.soft, font, grid: { stroke: c.grid, width: 1 }, ticks: { show: false }, values, label: "time [s]", labelFont: font, labelSize: 18, size: 26, space: 70 },
        { stroke: c.soft, font, grid: { stroke: c.grid, width: 1 }, ticks: { show: false }, values: scaled(0), size: (u, v) => Math.max(52, 16 + 6.6 * Math.max(3, ...(v ?? []).map((s) => s.length))), label: this.axisLabel(inUnit[0]?.unit), labelFont: font, labelSize: 18, space: 34 },
        ...(units.length > 1 ? [{ scale: "y2", side: 1, stroke: c.soft, font, grid: { show: false }, ticks: { show: false }, values: scaled(1), size: (u, v) => Math.max(52, 16 + 6.6 * Math.max(3, ...(v ?? []).map((s) => s.length))), label: this.axisLabel(inUnit[1]?.unit), labelFont: font, labelSize: 18, space: 34 }] : []),
      ],
      series: [{}, ...(this.all.length ? this.all : [{ name: "", dash: [], colorIndex: 0 }]).map((s) => ({
        stroke: seriesColor(s.colorIndex), width: 1.7, dash: s.dash?.length ? s.dash : undefined, scale: scaleOf(s.unit), points: { show: false }, spanGaps: true,
        ...(s.points ? { width: 0, points: { show: true, size: 4, fill: seriesColor(s.colorIndex) } } : {}),
      }))],
      hooks: {
        setCursor: [(u) => this.readOut(u)],
        setSelect: [(u) => {
          if (u.select.width < 6) return;
          const range = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
          this.plots.zoom(range, this);
          u.setSelect({ left: 0, width: 0 }, false);
          this.setRange(range);
        }],
        ready: [(u) => {
          this.line = el("div", { class: "time-line" });
          u.over.append(this.line);
          // A click sets the time; a double click shows all of it again.
          u.over.addEventListener("click", () => { if (u.cursor.left >= 0 && !u.select.width) this.plots.clock.set(u.posToVal(u.cursor.left, "x")); });
          u.over.addEventListener("dblclick", () => { this.plots.zoom(null, null); });
        }],
        draw: [() => this.place()],
      },
    };
    this.u = new uPlot(options, data, this.holder);
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", `${this.title} over time: ${this.names.join(", ")}`);
    this.makeChips();
  }

  height() { return innerWidth < 700 ? 190 : 210; }
  axisLabel(unit) { return `${this.plots.difference ? "Difference" : this.axis}${unit && unitText(unit) ? ` [${unitText(unit)}]` : ""}`; }

  makeChips() {
    this.values = [];
    const chips = this.names.map((name, i) => {
      const value = el("b", {}), curve = this.all.find((c) => c.name === name);
      this.values.push({ name, value, curve, most: curve ? Math.max(...extent(curve.y).map(Math.abs)) : 0 });
      return el("span", { class: "chip" }, el("i", { style: `background:${seriesColor(i)}` }), name, value,
        el("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => { this.names = this.names.filter((n) => n !== name); this.make(); } }, "×"));
    });
    const runs = this.plots.runs.length > 1 && !this.plots.difference ? this.plots.runs.map((r, k) => el("span", { class: "chip run" }, dashSample(k), r.label)) : [];
    const rest = this.rest > 0 ? [el("span", { class: "chip note" }, `${this.rest} more by search`)] : [];
    this.chips.replaceChildren(...chips, ...runs, ...rest);
    this.cursor(this.plots.clock.time);
  }

  resize() {
    const width = this.holder.clientWidth;
    if (this.u && width && Math.abs(width - this.u.width) > 1) this.u.setSize({ width, height: this.height() });
  }

  setRange(range) {
    if (!this.u) return;
    this.u.setScale("x", { min: (range ?? [this.plots.clock.from])[0], max: (range ?? [0, this.plots.clock.until])[1] });
  }

  cursor(t) {
    this.time = t;
    this.place();
    if (!this.hovering) this.show(t);
  }

  show(t) { for (const v of this.values ?? []) if (v.curve) v.value.textContent = quantity(valueAt(v.curve.x, v.curve.y, t), v.curve.unit, 4, v.most); }

  readOut(u) {
    this.hovering = u.cursor.left >= 0;
    this.show(this.hovering ? u.posToVal(u.cursor.left, "x") : this.time);
  }

  place() {
    if (!this.u || !this.line || this.time === undefined) return;
    const x = this.u.valToPos(this.time, "x");
    this.line.style.transform = `translateX(${x}px)`;
    this.line.hidden = !(x >= 0 && x <= this.u.over.clientWidth + 1);
  }

  figure() {
    return {
      x: { label: "time", unit: "s", range: this.plots.range ?? undefined }, y: { label: this.plots.difference ? "Difference" : this.title, unit: this.all[0]?.unit },
      series: this.all.map((c) => ({ label: c.label, x: c.x, y: c.y, color: seriesColor(c.colorIndex, "light"), dash: c.dash, kind: c.points ? "points" : "line" })),
    };
  }

  destroy() { this.u?.destroy(); this.u = null; this.line = null; }
}

export function dashSample(k) {
  const s = el("span", { class: "dash" });
  s.innerHTML = `<svg width="26" height="8" aria-hidden="true"><path d="M1 4h24" stroke="currentColor" stroke-width="2" stroke-dasharray="${DASHES[k % DASHES.length].join(" ")}"/></svg>`;
  return s;
}

