// about.js - what a run was: its energy, its numbers, its file.
import { Chart } from "./chart.js";
import { extent } from "./data.js";
import { DASHES, duration, el, number, quantity, seriesColor } from "./look.js";
import { csv, download, fileName } from "./save.js";

// ---------------------------------------------------------------- energy

const PARTS = [["kinetic", "kinetic"], ["elastic", "elastic"], ["gravity", "gravity"], ["friction", "lost to friction"], ["damping", "lost to damping"], ["solver", "lost by the solver"],
  ["load_work", "work of loads"], ["motion_work", "work of drives"]];

export function energyCharts(runs) {
  const present = PARTS.filter(([key]) => runs.some((r) => r.data(`energy.${key}`)?.some((v) => Math.abs(v) > 0)));
  if (!runs[0].data("energy.kinetic")) return [];
  const series = runs.flatMap((r, k) => present.map(([key, label], i) => {
    // Potential energy counts from where the run starts.
    const d = r.data(`energy.${key}`), base = key === "gravity" && d ? d[0] : 0;
    return d && { label: k ? `${label} · ${r.label}` : label, named: k === 0, x: r.times, y: d.map((v) => v - base), color: [i, k], dash: DASHES[k % DASHES.length] };
  }).filter(Boolean));
  const errors = runs.map((r, k) => ({ label: runs.length > 1 ? r.label : "closing error", x: r.times, y: r.data("energy.error"), color: [k, k], dash: DASHES[k % DASHES.length] })).filter((s) => s.y);
  const paintIt = (list) => list.map((s) => ({ ...s, color: seriesColor(s.color[0]) }));
  const cursor = (t, l) => { const x = l.px(t); return x >= l.left && x <= l.left + l.w + 1 ? `<path class="cursor" d="M${x} ${l.top}v${l.h}"/>` : ""; };
  const range = [Math.min(...runs.map((r) => r.from)), Math.max(...runs.map((r) => r.until))];
  const wide = range[1] > range[0] ? range : undefined;
  return [
    new Chart("Energy over time", () => ({ x: { label: "time", unit: "s", range: wide }, y: { label: "energy", unit: "J" }, series: paintIt(series), legend: true }), { overlay: cursor, time: true, height: 330 }),
    new Chart("Closing error", () => ({ x: { label: "time", unit: "s", range: wide }, y: { label: "energy left over", unit: "J" }, series: paintIt(errors), legend: runs.length > 1 }), { overlay: cursor, time: true, height: 200 }),
  ];
}

// In, stored, lost: what went where by the end.
export function balance(run) {
  const e = run.energy, rows = [
    ["Work put in", e.load_work + e.motion_work, "in"],
    ["Change of what is stored", e.kinetic + e.elastic + e.gravity - e.initial, "stored"],
    ["Lost to friction", e.friction, "lost"],
    ["Lost to damping", e.damping, "lost"],
    ["Lost by the solver", e.solver, "lost"],
    ["Left over", e.error, "error"],
  ].filter(([, v, kind]) => v !== 0 || kind !== "lost");
  const most = Math.max(...rows.map(([, v]) => Math.abs(v)), 1e-300);
  return el("div", { class: "balance", role: "table", "aria-label": "Energy balance at the end" }, rows.map(([label, v, kind]) => el("div", { class: `bar ${kind}`, role: "row" },
    el("span", { role: "rowheader" }, label), el("span", { class: "track", "aria-hidden": "true" }, el("i", { style: `width:${Math.max(0.3, (100 * Math.abs(v)) / most)}%` })), el("b", { role: "cell" }, quantity(v, "J")))));
}

// ---------------------------------------------------------------- numbers

const relative = (e) => (e.scale > 0 ? Math.abs(e.error) / e.scale : 0);

// "53.7", "kN"
const parts = (value, unit) => { const [n, ...rest] = quantity(value, unit).split(" "); return [n, rest.join(" ")]; };

// The four that matter most, for a machine of this kind.
export function figures(run) {
  const out = [], e = run.energy;
  const peak = (test) => {
    let best = null;
    for (const c of run.columns) {
      if (!test(c)) continue;
      const [a, b] = extent(c.data), v = Math.max(Math.abs(a), Math.abs(b));
      if (!best || v > best.v) best = { v, name: c.name };
    }
    return best;
  };
  const tension = peak((c) => /^cables\..*\.tension_max$/.test(c.name)), torque = peak((c) => /^drums\..*torque$/.test(c.name)), force = peak((c) => /^springs\..*\.force$/.test(c.name));
  const travel = run.columns.filter((c) => /^bodies\..*\.[xyz]$/.test(c.name)).reduce((a, c) => { const [l, h] = extent(c.data); return h - l > (a?.v ?? -1) ? { v: h - l, name: c.name } : a; }, null);
  if (tension) out.push(["Largest tension", ...parts(tension.v, "N"), tension.name.split(".")[1]]);
  if (torque) out.push(["Largest torque", ...parts(torque.v, "N m"), torque.name.split(".")[1]]);
  if (travel && out.length < 3) out.push(["Largest movement", ...parts(travel.v, "m"), travel.name.split(".")[1]]);
  if (force && out.length < 2) out.push(["Largest spring force", ...parts(force.v, "N"), force.name.split(".")[1]]);
  if (run.model.contacts.length || run.cables.some((c) => c.state)) out.push(["Lost to friction", ...parts(e.friction, "J"), run.events.total ? `${run.events.total} transitions` : "friction work"]);
  out.push(["Energy left over", number(100 * relative(e), 2), "%", "of the largest energy"]);
  return out.slice(0, 4);
}

const COUNTERS = [["steps", "Steps"], ["rejected", "Steps rejected"], ["evaluations", "Evaluations"], ["newton", "Newton iterations"], ["factorisations", "Factorisations"], ["events", "Events"]];

export function facts(runs) {
  const rows = [["Status", (r) => r.status], ["Solver", (r) => r.run.solver], ["Simulated", (r) => `${number(r.run.from, 6)} to ${number(r.run.reached ?? r.until, 6)} s`],
    ["Computed in", (r) => duration(r.wall)], ["Against real time", (r) => (r.wall > 0 ? `${number((r.until - r.from) / r.wall, 3)} ×` : "–")],
    ...COUNTERS.map(([key, label]) => [label, (r) => (r.counters[key] ?? 0).toLocaleString("en").replace(/,/g, " ")]),
    ["Mean step", (r) => (r.counters.steps ? quantity((r.until - r.from) / r.counters.steps, "s", 3) : "–")],
    ["Tolerance", (r) => (r.run.tolerance ? `${number(r.run.tolerance, 3)}, absolute ${number(r.run.absolute_tolerance, 3)}` : "–")],
    ["Energy left over", (r) => `${quantity(r.energy.error, "J", 3)}, ${number(relative(r.energy), 2)} of the largest`],
    ["Rows", (r) => `${r.rows_total.toLocaleString("en").replace(/,/g, " ")}${r.rows_total > r.times.length ? `, ${r.times.length} of them in this page` : ""}`],
    ["Frames along cables", (r) => (r.fields.total ? `${r.fields.total}${r.fields.total > r.frames.length ? `, ${r.frames.length} of them in this page` : ""}` : "–")],
    ["Settings", (r) => (r.settings.length ? r.settings.join("\n") : "–")], ["File", (r) => r.file || "–"], ["Hash of the scenario", (r) => r.hash?.slice(0, 16) ?? "–"], ["Capstan", (r) => r.version]];
  const kept = rows.filter(([, f]) => runs.some((r) => !["–", "0"].includes(f(r))));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "facts" },
    runs.length > 1 ? el("thead", {}, el("tr", {}, el("td"), runs.map((r) => el("th", { scope: "col" }, r.label)))) : null,
    el("tbody", {}, kept.map(([label, f]) => el("tr", {}, el("th", { scope: "row" }, label), runs.map((r) => el("td", {}, f(r))))))));
}

export function eventTable(run) {
  const n = Math.min(200, run.events.time.length);
  if (!n) return null;
  const rows = Array.from({ length: n }, (_, i) => el("tr", { "data-time": run.events.time[i] }, el("td", {}, number(run.events.time[i], 8)), el("td", {}, run.model.contacts[run.events.contact[i]]?.name ?? String(run.events.contact[i])), el("td", {}, run.events.what[run.events.kind[i]].replace("->", "→"))));
  return el("div", { class: "scroll tall", tabindex: "0" }, el("table", { class: "events" }, el("thead", {}, el("tr", {}, ["time [s]", "contact", "what"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, rows)),
    run.events.total > n ? el("p", { class: "note" }, `and ${run.events.total - n} more in the result`) : null);
}

// ---------------------------------------------------------------- the file

export function highlighted(text) {
  const pre = el("pre", { class: "yaml", tabindex: "0" });
  text.replace(/\n$/, "").split("\n").forEach((lineText, i) => {
    const row = el("span", { class: "row" }), [, code, comment] = /^((?:[^#"']|"[^"]*"|'[^']*'|(?<=\S)#)*)(#.*)?$/.exec(lineText) ?? [null, lineText, ""];
    row.append(el("span", { class: "no", "aria-hidden": "true" }, String(i + 1)));
    let rest = code ?? "";
    const key = /(^\s*(?:- )?|[{,]\s*)([A-Za-z_<"][\w<."{}+-]*)(:)(?=\s|$)/g;
    let at = 0, m;
    while ((m = key.exec(rest))) {
      row.append(rest.slice(at, m.index) + m[1], el("span", { class: "key" }, m[2]), m[3]);
      at = m.index + m[0].length;
    }
    row.append(rest.slice(at));
    if (comment) row.append(el("span", { class: "comment" }, comment));
    row.append("\n");
    pre.append(row);
  });
  return pre;
}

export function scenarioView(run) {
  return el("details", { class: "file" }, el("summary", {}, `Scenario${run.file ? ` · ${run.file.split("/").pop()}` : ""}`), highlighted(run.scenario));
}

export function dataButtons(run) {
  const rows = () => csv(run.columns.filter((c) => !c.x).map((c) => ({ name: c.name, unit: c.unit, data: c.data })));
  return el("p", { class: "buttons" },
    el("button", { type: "button", class: "plain", onclick: () => download(`${fileName(run.label)}.csv`, new Blob([rows()], { type: "text/csv" })) }, "Save all columns as CSV"),
    el("button", { type: "button", class: "plain", onclick: () => download("scenario.yaml", new Blob([run.scenario], { type: "text/plain" })) }, "Save the scenario"));
}

