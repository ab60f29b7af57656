// study.js - the page of a study: failures first, then worst cases, distributions, sensitivity, convergence.
import "./report.css";
import "./study.css";
import { highlighted } from "./about.js";
import { choice } from "./chart.js";
import { fromBase64 } from "./data.js";
import { button, duration, el, number, quantity, theme, unitText } from "./look.js";
import { csv, download, fileName } from "./save.js";
import { Histogram, Matrix, Parallel, rangeList, saidAs, selectionBar } from "./study_canvas.js";
import { convergence, correlations, history, morrisChart, sobolChart, sobolConvergence, surface, tornado } from "./study_charts.js";
import { STATUS, readStudy } from "./study_data.js";

const POLL = 600; // between two looks at a study that goes on [ms]
const AXES = 8, FIELDS = 6; // that are drawn at first
const KEYS = [["Tab", "from control to control"], ["T", "light, dark"], ["Esc", "all points again"], ["?", "this help"]];
const METHODS = { grid: "grid", corners: "corners", "one-at-a-time": "one at a time", random: "random points", "latin-hypercube": "Latin hypercube", sobol: "Sobol' sequence", saltelli: "Saltelli sample", morris: "Morris trajectories" };

const count = (n) => Math.round(n).toLocaleString("en").replace(/,/g, " ");

// ---------------------------------------------------------------- parts of the page

function header(study, restyle, help, live) {
  const a = study.about, [good, limit, failed] = study.counts, all = good + limit + failed, time = study.sums.seconds;
  const search = a.method === "search", figures = search ? [["Trials", count(all), "", ""]] : [["Points", count(all), "", study.n < study.points_total ? `${count(study.n)} drawn` : METHODS[a.method] ?? a.method ?? ""], ["Beyond limits", count(limit), "", all ? `${number((100 * limit) / all, 3)} %` : ""],
    ["Failed", count(failed), "", all ? `${number((100 * failed) / all, 3)} %` : ""], ["A point took", ...(time > 0 ? duration(time / all).split(" ") : ["–", ""]), time > 0 ? `${duration(time)} in all` : ""]];
  return el("header", { class: "top" },
    el("div", { class: "brand" }, el("span", { class: "word" }, "Capstan"), el("span", { class: "tools" },
      button("Light or dark", "theme", () => { document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark"; restyle(); }, { "data-test": "theme" }), button("Keys and help", "help", help, { "data-test": "help" }))),
    el("div", { class: "head" }, el("div", {}, el("h1", {}, a.title || study.label), el("p", { class: "sub" }, `A ${search ? "search over" : "study of"} ${study.parameters.length} parameters${search ? "" : ` and ${study.outputs.length} outputs`}${a.scenario ? ` of ${a.scenario.split("/").pop()}` : ""}`)),
      el("dl", { class: "figures" }, figures.map(([label, value, unit, who]) => el("div", {}, el("dt", {}, label), el("dd", {}, value, unit ? el("small", {}, ` ${unit}`) : null), el("dd", { class: "who" }, who))))),
    live ? liveBar(study) : null);
}

// How far a study is that goes on, and a way to stop it.
function liveBar(study) {
  const { status, done, wanted, wall, search } = study.live, what = search ? "search" : "study";
  if (status !== "running") return el("p", { class: "live", "data-test": "live", role: "status" }, status === "complete" ? `The ${what} is complete.` : search ? "The search was stopped." : "The study was stopped; capstan sweep --resume goes on with it.");
  const left = done > 0 ? ((wanted - done) * wall) / done : NaN;
  const stop = el("button", { type: "button", class: "plain", "data-test": "stop", onclick: async () => { stop.disabled = true; stop.textContent = "Stopping…"; await fetch("stop", { method: "POST" }); } }, `Stop the ${what}`);
  if (search) return el("p", { class: "live", "data-test": "live" }, `${count(done)} trials after ${duration(wall)} `, stop);
  return el("p", { class: "live", "data-test": "live" }, el("progress", { max: "1", value: (wanted ? done / wanted : 0).toFixed(4), "aria-label": "How far the study is" }), ` ${count(done)} of ${count(wanted)} points after ${duration(wall)}${Number.isFinite(left) ? `, ${duration(left)} left` : ""} `, stop);
}

function copyButton(text) {
  const b = el("button", { type: "button", class: "plain small", onclick: async () => { try { await navigator.clipboard.writeText(text); b.textContent = "Copied"; } catch { getSelection().selectAllChildren(b.previousSibling); } } }, "Copy");
  return b;
}

// The values of a point in words.
const valuesOf = (study, row, columns) => (row === undefined ? "" : columns.map((c) => `${c.name} ${saidAs(c, c.data[row])}`).join("\n"));

function caseTable(study, cases, extra) {
  return el("div", { class: "scroll tall", tabindex: "0" }, el("table", { class: "cases" },
    el("thead", {}, el("tr", {}, ["point", ...extra.map(([h]) => h), "parameters", "to repeat it"].map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, cases.map((c) => { const row = study.rowOf.get(c.point); return el("tr", {}, el("td", {}, String(c.point)), extra.map(([h, f]) => el("td", { class: h === "what happened" ? null : "values" }, f(c, row))), el("td", { class: "values" }, valuesOf(study, row, study.parameters)),
      el("td", {}, c.command ? el("span", { class: "command" }, el("code", {}, c.command), copyButton(c.command)) : null)); }))));
}

function failures(study) {
  const [, limit, failed] = study.counts;
  if (!study.failures.length) return study.points_total ? el("p", { class: "lead" }, "No point failed, and none is beyond its limits.") : null;
  const rest = limit + failed - study.failures.length;
  return [caseTable(study, study.failures, [["status", (c) => STATUS[c.status]], ["what happened", (c) => c.message ?? ""]]), rest > 0 ? el("p", { class: "note" }, `and ${count(rest)} more in the table`) : null];
}

function worst(study) {
  const list = study.worst.filter((w) => w.cases.length);
  if (!list.length) return null;
  const holder = el("div"), label = (w) => `${w.end} ${study.outputs[w.output].name}`;
  const show = (i) => { const w = list[i], c = study.outputs[w.output]; holder.replaceChildren(caseTable(study, w.cases, [[c.name, (_, row) => (row === undefined ? "" : saidAs(c, c.data[row]))], ["status", (k) => STATUS[k.status]]])); };
  show(0);
  return [el("p", { class: "row choices" }, choice("Which end of which output", list.map(label), show)), holder];
}

function outputTable(study) {
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ["output", "points", "mean", "deviation", "least", "5 %", "median", "95 %", "most"].map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, study.statistics.map((s) => el("tr", {}, el("th", { scope: "row" }, s.output), el("td", {}, count(s.n)), [s.mean, s.deviation, s.least, s.quantiles[1], s.quantiles[2], s.quantiles[3], s.most].map((v) => el("td", {}, quantity(v ?? NaN, s.unit))))))));
}

const FACTS = [["method", "Method"], ["seed", "Seed"], ["count", "Points of the study"], ["scenario", "Scenario"], ["scenario_hash", "Hash of the scenario"], ["study_hash", "Hash of the study"], ["version", "Capstan"]];

function facts(study) {
  const s = study.sums, rows = [...FACTS.map(([key, label]) => [label, study.about[key]]), ["Points in the table", count(study.points_total)], ["Steps", count(s.steps)], ["Iterations", count(s.iterations)], ["Steps rejected", count(s.rejected)], ["Time of all points", duration(s.seconds)]];
  const texts = [["study_text", "Study file"], ["scenario_text", "Scenario"]].filter(([key]) => study.about[key]);
  return [el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "facts" }, el("tbody", {}, rows.filter(([, v]) => v).map(([label, v]) => el("tr", {}, el("th", { scope: "row" }, label), el("td", {}, v)))))),
    ...texts.map(([key, label]) => el("details", { class: "file" }, el("summary", {}, label), highlighted(study.about[key])))];
}

// Which columns a drawing has.
function columnPicker(study, first, drawing, name) {
  const chosen = new Set(first);
  const box = (c) => el("label", { class: "switch" }, el("input", { type: "checkbox", checked: chosen.has(c), onchange: (e) => { if (e.target.checked) chosen.add(c); else chosen.delete(c); drawing.setAxes(study.axes.filter((a) => chosen.has(a))); } }), c.name);
  return el("details", { class: "file" }, el("summary", {}, `Columns of the ${name}`), el("p", { class: "row columns" }, study.axes.map(box)));
}

function helpDialog() {
  const d = el("dialog", { class: "help", "aria-label": "Keys and help" },
    el("h2", {}, "Keys"), el("dl", {}, KEYS.map(([k, what]) => el("div", {}, el("dt", {}, k), el("dd", {}, what)))),
    el("h2", {}, "Pointer"), el("p", {}, "Drag along an axis of the parallel coordinates, or a rectangle in the scatter matrix: all drawings then show the points within it in colour, and the others as a shadow. Without a pointer, open Ranges as numbers."),
    el("p", {}, "This page is one file: nothing is loaded from anywhere, and nothing leaves your computer."),
    el("form", { method: "dialog" }, el("button", { class: "plain" }, "Close")));
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); });
  return d;
}

function section(id, title, lead, ...children) {
  const inside = children.flat(2).filter(Boolean);
  return inside.length ? el("section", { class: "chapter", id, "aria-labelledby": `${id}-h` }, el("h2", { id: `${id}-h` }, title), lead ? el("p", { class: "lead" }, lead) : null, ...inside) : null;
}

function saveSelected(study) {
  const rows = [];
  for (let i = 0; i < study.n; i++) if (study.selected[i]) rows.push(i);
  const columns = [{ name: "point", data: rows.map((i) => study.point[i]) }, ...study.axes.map((c) => ({ name: c.name, unit: unitText(c.unit) ? c.unit : "", data: rows.map((i) => c.data[i]) })), { name: "status", data: rows.map((i) => study.status[i]) }];
  download(`${fileName(study.about.title || study.label)}.csv`, new Blob([csv(columns)], { type: "text/csv" }));
}

// ---------------------------------------------------------------- all of it

const now = { study: null, restyle: () => {}, help: () => {} };

function show(study, live) {
  // Outputs come first: a study with many parameters still shows what they do.
  const few = (most) => { const outputs = study.outputs.slice(0, Math.max(1, Math.floor(most / 2))), rest = study.parameters.slice(0, most - outputs.length); return study.axes.filter((c) => rest.includes(c) || outputs.includes(c)); };
  const drawn = study.n > 0 && study.axes.length > 1;
  const parallel = drawn ? new Parallel(study, few(AXES)) : null, matrix = drawn ? new Matrix(study, few(FIELDS)) : null;
  const histograms = study.n > 0 ? [...study.outputs, ...study.parameters].map((c) => new Histogram(study, c)) : [];
  const charts = [surface(study), sobolChart(study), morrisChart(study), tornado(study), sobolConvergence(study), convergence(study), history(study)];
  const [responses, sobol, morris, swings, settled, means, trials] = charts.map((c) => c?.element);
  const restyle = () => { [parallel, matrix, ...histograms].forEach((d) => d?.restyle()); charts.forEach((c) => c?.draw()); };
  const dialog = helpDialog(), help = () => (dialog.open ? dialog.close() : dialog.showModal());
  const color = study.outputs.length > 1 ? el("label", { class: "switch" }, "Colour: ", choice("Output that gives the colour", study.outputs.map((c) => c.name), (i) => [parallel, matrix].forEach((d) => d.color(study.outputs[i])))) : null;

  const chapters = [
    section("trials", "The search", null, trials),
    section("failures", "Failures", null, study.about.method === "search" ? null : failures(study)),
    section("worst", study.about.method === "search" ? "Largest and smallest" : "Worst cases", null, worst(study)),
    section("outputs", "Outputs", null, study.statistics.length && study.n ? outputTable(study) : null),
    drawn ? section("points", "Points", null, selectionBar(study, () => saveSelected(study)), color, parallel.element, rangeList(study), columnPicker(study, parallel.axes, parallel, "parallel coordinates"), matrix.element, columnPicker(study, matrix.axes, matrix, "scatter matrix")) : null,
    section("histograms", "Histograms", null, histograms.length ? el("div", { class: "pair" }, histograms.map((h) => h.element)) : null),
    section("surface", "Response", null, responses),
    section("sensitivity", "Sensitivity", null, sobol, morris, swings, study.n ? correlations(study) : null),
    section("convergence", "Convergence", "Whether there are enough points: what still moves at the right has not settled.", means, settled),
    section("study", "The study", null, facts(study)),
  ].filter(Boolean);
  document.body.replaceChildren(header(study, restyle, help, live), el("main", { class: "study" }, chapters), dialog, el("footer", { class: "colophon" }, `Made by Capstan ${study.version}. This page needs no network.`));
  Object.assign(now, { study, restyle, help, parallel });
}

// Follows a study: asks for its state, as long as there is somebody who answers.
async function follow() {
  let have = 0, study = null;
  for (;;) {
    let answer;
    try { answer = await fetch(`data?${have}`, { cache: "no-store" }); } catch { break; }
    if (answer.status === 200) {
      have = Number(answer.headers.get("X-Snapshot"));
      const ranges = now.study ? [...now.study.ranges].map(([c, range]) => [c.name, range]) : [], place = scrollY;
      study = await readStudy(new Uint8Array(await answer.arrayBuffer()));
      show(study, true);
      for (const [name, range] of ranges) { const c = study.axes.find((a) => a.name === name); if (c) study.setRange(c, range); }
      scrollTo({ top: place, behavior: "instant" });
      document.documentElement.dataset.ready = "yes";
      if (study.live.status !== "running") return;
    } else if (answer.status !== 204) break;
    await new Promise((done) => { setTimeout(done, POLL); });
  }
  document.querySelector("[data-test=live]")?.replaceChildren("The study does not answer any more. What it wrote is in its table.");
  if (!study) throw new Error("the study does not answer");
}

function keyboard() {
  const actions = { t: () => document.querySelector("[data-test=theme]").click(), "?": () => now.help(), Escape: () => now.study?.clear() };
  document.addEventListener("keydown", (e) => {
    if (!now.study || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input:not([type=checkbox]), select, textarea, dialog")) return;
    const action = actions[e.key] ?? actions[e.key.toLowerCase()];
    if (action) action();
  });
}

async function start() {
  keyboard();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => now.restyle());
  if ("live" in document.documentElement.dataset) await follow();
  else show(await readStudy(fromBase64(document.getElementById("data").textContent.trim())), false);
  document.documentElement.dataset.ready = "yes";
}

// The title is painted before the work begins.
const painted = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });

painted().then(start).catch((e) => {
  document.body.append(el("p", { class: "alert", role: "alert" }, `This study cannot be shown: ${e.message}`));
  throw e;
});
