// study_charts.js - what a study says about its parameters: response surface, Sobol' indices, Morris, tornado, correlation, convergence.
import { Chart, choice } from "./chart.js";
import { el, look, number, prefixed, quantity, ramp, seriesColor, unitText } from "./look.js";
import { saidAs } from "./study_canvas.js";

const GRID_MOST = 120; // different values of a parameter up to which they are the cells of a surface

// ---------------------------------------------------------------- response surface

// Edges of the cells along a parameter: around its values if they are few and evenly spaced, or equal parts.
function cellsOf(study, column) {
  if (column.words) return { low: -0.5, high: column.words.length - 0.5, n: column.words.length };
  const different = [...new Set(column.data)].filter(Number.isFinite).sort((a, b) => a - b);
  if (different.length > 1 && different.length <= GRID_MOST) {
    const step = (different[different.length - 1] - different[0]) / (different.length - 1);
    if (different.every((v, i) => Math.abs(v - different[0] - i * step) < 0.02 * step)) return { low: different[0] - step / 2, high: different[different.length - 1] + step / 2, n: different.length };
  }
  return { low: column.from, high: column.to, n: Math.max(4, Math.min(64, Math.floor(Math.sqrt(study.n / 4)))) };
}

// Means of a quantity over the cells of two parameters, of the points that are selected.
function surfaceOf(study, x, y, value) {
  const a = (x.cells ??= cellsOf(study, x)), b = (y.cells ??= cellsOf(study, y)), sum = new Float64Array(a.n * b.n), count = new Uint32Array(a.n * b.n);
  for (let i = 0; i < study.n; i++) {
    const v = value(i);
    if (!study.selected[i] || !Number.isFinite(v)) continue;
    const k = Math.min(a.n - 1, Math.floor((a.n * (x.data[i] - a.low)) / (a.high - a.low))), m = Math.min(b.n - 1, Math.floor((b.n * (y.data[i] - b.low)) / (b.high - b.low)));
    if (k < 0 || m < 0) continue;
    sum[m * a.n + k] += v;
    count[m * a.n + k]++;
  }
  let low = Infinity, high = -Infinity;
  const mean = sum.map((s, i) => { const v = count[i] ? s / count[i] : NaN; if (v < low) low = v; if (v > high) high = v; return v; });
  return { a, b, mean, count, low, high };
}

function surfaceImage(s) {
  const canvas = el("canvas", { width: s.a.n, height: s.b.n }), g = canvas.getContext("2d");
  for (let m = 0; m < s.b.n; m++) for (let k = 0; k < s.a.n; k++) {
    const v = s.mean[m * s.a.n + k];
    if (!Number.isFinite(v)) continue;
    g.fillStyle = ramp(s.high > s.low ? (v - s.low) / (s.high - s.low) : 0.5);
    g.fillRect(k, s.b.n - 1 - m, 1, 1);
  }
  return canvas.toDataURL();
}

const axisOf = (column, cells) => ({ label: column.name, unit: column.words ? "" : column.unit, range: [cells.low, cells.high],
  ...(column.words ? { ticks: { values: column.words.map((_, i) => i), step: 1 }, names: column.words } : {}) });

// An output over two parameters; over one, where only one varies.
export function surface(study) {
  const p = study.parameters, state = { x: 0, y: Math.min(1, p.length - 1), of: 0 };
  if (!p.length || study.n < 2) return null;
  const shown = [...study.outputs.map((c) => ({ name: c.name, unit: c.unit, value: (i) => c.data[i] })),
    ...(study.counts[2] ? [{ name: "share that failed", unit: "1", value: (i) => Number(study.status[i] === 2) }] : []),
    ...(study.counts[1] ? [{ name: "share beyond limits", unit: "1", value: (i) => Number(study.status[i] === 1) }] : [])];
  if (!shown.length) return null;
  const legend = el("span", { class: "legend inline", "data-test": "surface-legend" }), read = el("p", { class: "note", "data-test": "surface-value" });
  let now = null;
  const describe = () => {
    const x = p[state.x], y = p[state.y], of = shown[state.of];
    if (p.length < 2) return curve(study, x, of);
    now = surfaceOf(study, x, y, of.value);
    const unit = prefixed(Math.max(Math.abs(now.low), Math.abs(now.high)), of.unit, 0.2), bar = el("span", { class: "ramp" });
    bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((w) => ramp(w)).join(", ")})`;
    legend.replaceChildren(number(now.low / unit.factor, 3), bar, `${number(now.high / unit.factor, 3)} ${unitText(unit.unit)}`);
    return { x: axisOf(x, now.a), y: axisOf(y, now.b), series: [], images: [{ href: surfaceImage(now), x: [now.a.low, now.a.high], y: [now.b.low, now.b.high] }], csv: surfaceCsv(x, y, of, now) };
  };
  const redraw = () => chart.draw();
  const pick = (label, names, key, at) => { const s = choice(label, names, (i) => { state[key] = i; redraw(); }); s.selectedIndex = at; return s; };
  const names = p.map((c) => c.name), controls = [pick("Output of the surface", shown.map((s) => s.name), "of", 0)];
  if (p.length > 1) controls.push(pick("Parameter along", names, "x", 0), pick("Parameter upwards", names, "y", 1));
  const chart = new Chart("Response surface", describe, { height: 420, live: true, note: p.length > 1 ? "Colour is the mean over the points of a cell; cells without points stay empty." : null });
  chart.element.querySelector(".panel-head").after(el("p", { class: "row choices" }, ...controls, p.length > 1 ? legend : null));
  chart.element.append(read);
  chart.holder.addEventListener("pointermove", (e) => {
    if (!now || !chart.layout) return;
    const l = chart.layout, box = chart.holder.getBoundingClientRect(), x = l.xRange[0] + ((e.clientX - box.left - l.left) / l.w) * (l.xRange[1] - l.xRange[0]), y = l.yRange[0] + (1 - (e.clientY - box.top - l.top) / l.h) * (l.yRange[1] - l.yRange[0]);
    const k = Math.floor((now.a.n * (x - now.a.low)) / (now.a.high - now.a.low)), m = Math.floor((now.b.n * (y - now.b.low)) / (now.b.high - now.b.low));
    const inside = k >= 0 && m >= 0 && k < now.a.n && m < now.b.n, v = inside ? now.mean[m * now.a.n + k] : NaN;
    read.textContent = Number.isFinite(v) ? `${p[state.x].name} ${saidAs(p[state.x], x)}, ${p[state.y].name} ${saidAs(p[state.y], y)}: ${quantity(v, shown[state.of].unit)}, ${now.count[m * now.a.n + k]} points` : "";
  });
  study.listen(() => { if (chart.visible && !study.moving) redraw(); }); // out of sight it is drawn when it comes into it
  return chart;
}

function surfaceCsv(x, y, of, s) {
  const rows = [`${JSON.stringify(x.name)},${JSON.stringify(y.name)},${JSON.stringify(of.name)},points`];
  for (let m = 0; m < s.b.n; m++) for (let k = 0; k < s.a.n; k++)
    if (s.count[m * s.a.n + k]) rows.push([s.a.low + ((k + 0.5) * (s.a.high - s.a.low)) / s.a.n, s.b.low + ((m + 0.5) * (s.b.high - s.b.low)) / s.b.n, s.mean[m * s.a.n + k], s.count[m * s.a.n + k]].join(","));
  return `${rows.join("\n")}\n`;
}

// One parameter: points, at most some thousand of them.
function curve(study, x, of) {
  const every = Math.ceil(study.count / 3000) || 1, rows = [];
  for (let i = 0, k = 0; i < study.n; i++) if (study.selected[i] && k++ % every === 0) rows.push(i);
  return { x: axisOf(x, { low: x.from - 0.02 * (x.to - x.from), high: x.to + 0.02 * (x.to - x.from) }), y: { label: of.name, unit: of.unit }, series: [{ label: of.name, kind: "points", size: 2.2, x: rows.map((i) => x.data[i]), y: rows.map((i) => of.value(i)), color: seriesColor(0) }] };
}

// ---------------------------------------------------------------- sensitivity

// A chart with a choice between outputs.
function perOutput(study, title, figure, more = {}) {
  let at = 0;
  const chart = new Chart(title, () => figure(study.statistics[at], study.outputs[at]), more);
  if (study.statistics.length > 1) chart.element.querySelector(".panel-head").after(el("p", { class: "row choices" }, choice(`Output of ${title}`, study.statistics.map((s) => s.output), (i) => { at = i; chart.draw(); })));
  return chart;
}

// Rows with names upwards: ticks at 0, 1, 2 from the top.
const nameAxis = (names) => ({ label: "", unit: "", range: [-0.7, names.length - 0.3], ticks: { values: names.map((_, i) => names.length - 1 - i), step: 1 }, names });
const rowHeight = (n) => Math.max(150, 34 * n + 110);

function intervals(values, up, color, label, shape) {
  const n = values.length, place = (i) => n - 1 - i + up;
  return [...values.map(([, low, high], i) => ({ x: [low, high], y: [place(i), place(i)], color, width: 2.5, named: false })),
    { label, kind: "points", shape, size: 4.2, x: values.map((v) => v[0]), y: values.map((_, i) => place(i)), color }];
}

export function sobolChart(study) {
  const list = study.statistics;
  if (!list.some((s) => s.sobol)) return null;
  const names = study.dimensions, first = list.find((s) => s.sobol).sobol;
  return perOutput(study, "Sobol' indices", (s) => {
    const all = s.sobol ? [...s.sobol.first, ...s.sobol.total].flat().filter(Number.isFinite) : [];
    return { x: { label: "share of the variance", unit: "1", range: [Math.min(0, ...all) - 0.02, Math.max(1, ...all) + 0.02] }, y: nameAxis(names), legend: true,
      series: s.sobol ? [...intervals(s.sobol.total, -0.13, seriesColor(1), "total", "diamond"), ...intervals(s.sobol.first, 0.13, seriesColor(0), "first order")] : [] };
  }, { height: rowHeight(names.length), note: `Lines are intervals of 95 % from ${first.resamples} bootstrap resamples of ${first.used} base points${first.used < first.base ? `; ${first.base - first.used} more have points that failed or are missing` : ""}. First order: what a parameter does alone; total: with all it does together with others.` });
}

export function sobolConvergence(study) {
  if (!study.statistics.some((s) => s.sobol?.convergence.length > 1)) return null;
  const names = study.dimensions;
  return perOutput(study, "Sobol' indices over base points", (s) => ({ x: { label: "base points (log2)", unit: "1" }, y: { label: "total index", unit: "1" }, legend: true,
    series: (s.sobol ? names : []).map((name, i) => ({ label: name, x: s.sobol.convergence.map((c) => Math.log2(c.base)), y: s.sobol.convergence.map((c) => c.total[i]), color: seriesColor(i) })) }), { height: 260 });
}

export function morrisChart(study) {
  if (!study.statistics.some((s) => s.morris)) return null;
  return perOutput(study, "Elementary effects (Morris)", (s, output) => {
    const m = s.morris ?? [], most = Math.max(...m.map((e) => e.mu_star[2] ?? e.mu_star[0]), ...m.map((e) => e.sigma), 0) * 1.08 || 1;
    return { x: { label: "mean size μ*", unit: output.unit, range: [0, most] }, y: { label: "deviation σ", unit: output.unit, range: [0, most] }, legend: true,
      series: [...m.map((e, i) => ({ x: [e.mu_star[1], e.mu_star[2]], y: [e.sigma, e.sigma], color: seriesColor(i), width: 2, named: false })),
        { x: [0, most], y: [0, most], color: look().solid, dash: [4, 4], width: 1, named: false },
        ...m.map((e, i) => ({ label: study.dimensions[i], kind: "points", size: 5, shape: i % 2 ? "diamond" : "circle", x: [e.mu_star[0]], y: [e.sigma], color: seriesColor(i) }))] };
  }, { height: 340, note: "How far the output moves when a parameter goes through its range. Far to the right: it matters. Near or above the dashed line: its effect depends on other parameters, or is not linear." });
}

// Gradients times ranges, the largest on top.
export function tornado(study) {
  if (!study.statistics.some((s) => s.swings)) return null;
  return perOutput(study, "Tornado", (s, output) => {
    const order = (s.swings ?? []).map((w, i) => [w, study.parameters[i]]).filter(([w]) => w.n > 0).sort((a, b) => b[0].mean_size - a[0].mean_size), n = order.length;
    return { x: { label: `change of ${output.name}`, unit: output.unit }, y: nameAxis(order.map(([, c]) => c.name)), legend: true,
      series: [...order.map(([w], i) => ({ x: [0, w.mean], y: [n - 1 - i, n - 1 - i], color: seriesColor(0), width: 14, named: false })), ...order.map(([w], i) => ({ x: [w.low, w.high], y: [n - 1 - i, n - 1 - i], color: look().ink, width: 1.5, named: false })),
        { label: "mean", kind: "points", size: 4, x: order.map(([w]) => w.mean), y: order.map((_, i) => n - 1 - i), color: seriesColor(0) }] };
  }, { height: rowHeight(study.parameters.length), note: "The gradient at the points times the range of the parameter: to first order, how far the output moves. Bar: mean; line: 5 % to 95 % of the points." });
}

// Correlations as a table whose cells are tinted.
export function correlations(study) {
  const names = study.parameters.map((c) => c.name);
  if (!names.length || !study.statistics.length || study.n < 3) return null;
  const cell = (v) => el("td", { class: "tint", style: Number.isFinite(v) ? `--tint:${Math.round(34 * Math.abs(v))}%;--hue:var(${v < 0 ? "--slip" : "--accent"})` : null }, number(v, 2));
  const table = (key) => el("table", { class: "correlation" }, el("thead", {}, el("tr", {}, el("td"), names.map((n) => el("th", { scope: "col" }, n)))),
    el("tbody", {}, study.statistics.map((s) => el("tr", {}, el("th", { scope: "row" }, s.output), s[key].map((v) => cell(v ?? NaN))))));
  const holder = el("div", { class: "scroll", tabindex: "0" }, table("rank_correlation"));
  const kind = choice("Kind of correlation", ["of ranks (Spearman)", "of values (Pearson)"], (i) => holder.replaceChildren(table(i ? "correlation" : "rank_correlation")));
  return el("section", { class: "panel", "aria-label": "Correlation" }, el("div", { class: "panel-head" }, el("h3", {}, "Correlation"), el("div", { class: "panel-tools" }, kind)), holder);
}

// Outputs of a search over its trials.
export function history(study) {
  if (study.about.method !== "search" || !study.n) return null;
  return perOutput(study, "Over the trials", (s, output) => ({ x: { label: "trial", unit: "1" }, y: { label: output.name, unit: output.unit }, series: [{ label: output.name, x: study.point, y: output.data, color: seriesColor(0) }, { label: "trial", named: false, kind: "points", size: 2.4, x: study.point, y: output.data, color: seriesColor(0) }] }), { height: 300 });
}

export function convergence(study) {
  if (!study.statistics.some((s) => s.convergence)) return null;
  return perOutput(study, "Mean over the first points", (s, output) => {
    const c = s.convergence ?? { points: [], mean: [], error: [], deviation: [] }, x = c.points.map(Math.log10), band = (sign) => c.mean.map((m, i) => m + sign * 1.96 * (c.error[i] ?? NaN));
    return { x: { label: "points (log10)", unit: "1" }, y: { label: output.name, unit: output.unit }, legend: true,
      series: [{ label: "95 % of the mean", kind: "band", x, y: band(1), low: band(-1), color: seriesColor(0), opacity: 0.18 }, { label: "mean", x, y: c.mean, color: seriesColor(0) }] };
  }, { height: 280 });
}

