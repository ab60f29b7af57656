// main.js - puts the page together.
import "uplot/dist/uPlot.min.css";
import "./report.css";
import { balance, dataButtons, energyCharts, eventTable, facts, figures, scenarioView } from "./about.js";
import { Clock, bestSpeed, speeds } from "./clock.js";
import { load, unpack } from "./data.js";
import { angles, arcs, hysteresis, maps } from "./friction.js";
import { differences, doubts } from "./judge.js";
import { button, duration, el, fixed, icon, number, theme, timeDecimals } from "./look.js";
import { Machine } from "./machine.js";
import { Plots, dashSample } from "./plots.js";
import { openSpace } from "./space_loader.js";

const POLL = 600; // between two looks at a run that goes on [ms]

const KEYS = [["Space", "play, pause"], ["← →", "one percent back, forward"], ["Shift ← →", "ten percent"], ["Home, End", "start, end"], ["+ −", "zoom the drawing"], ["0", "fit the drawing"], ["F", "follow the next body or drum"],
  ["[ ]", "slower, faster"], ["T", "light, dark"], ["?", "this help"]];

// ---------------------------------------------------------------- parts of the page

function header(all, restyle, help, live) {
  const run = all.runs[0], many = all.runs.length > 1;
  const others = all.runs.slice(1).map((r) => ({ label: r.label, values: new Map(figures(r).map(([label, value, unit]) => [label, `${value} ${unit}`])) }));
  const beside = (label, who) => (many ? others.map((o) => `${o.label} ${o.values.get(label) ?? "–"}`).join(", ") : who);
  const wrong = all.runs.filter((r) => r.status !== "complete" && !(live && r.status === "running"));
  const theme_ = button("Light or dark", "theme", () => { document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark"; restyle(); }, { "data-test": "theme" });
  return el("header", { class: "top" },
    el("div", { class: "brand" }, el("span", { class: "word" }, "Capstan"), el("span", { class: "tools" }, theme_, button("Keys and help", "help", help, { "data-test": "help" }))),
    el("div", { class: "head" }, el("div", {}, el("h1", {}, run.title || run.label), many ? el("p", { class: "sub runs" }, all.runs.map((r, k) => el("span", { class: "run" }, dashSample(k), r.label, el("small", {}, [`${r.run.solver}, ${duration(r.wall)}`, ...(k ? differences(run, r) : [])].join(" · ")))))
      : el("p", { class: "sub" }, `${number(run.until - run.from, 4)} s simulated in ${duration(run.wall)} with ${run.run.solver}`)),
    el("dl", { class: "figures" }, figures(run).map(([label, value, unit, who]) => el("div", {}, el("dt", {}, label), el("dd", {}, value, el("small", {}, ` ${unit}`)), el("dd", { class: "who" }, beside(label, who)))))),
    live ? liveBar(run) : null,
    ...wrong.map((r) => el("p", { class: "alert", role: "alert" }, el("b", {}, `${many ? `${r.label}: ` : ""}${r.status}. `), r.error ?? "The run has not come to its end.")),
    ...all.runs.map((r) => [r, doubts(r)]).filter(([, list]) => list.length).map(([r, list]) => el("div", { class: "alert", role: "alert", "data-test": "doubts" },
      el("b", {}, `${many ? `${r.label}: ` : ""}Do not trust this run without a second look.`), el("ul", {}, list.map((text) => el("li", {}, text))))));
}

// How far a run is that goes on, and a way to stop it.
function liveBar(run) {
  const part = (run.until - run.run.from) / (run.run.until - run.run.from || 1), running = run.status === "running";
  if (!running) return el("p", { class: "live", "data-test": "live", role: "status" }, run.status === "complete" ? "The run is complete. Its report is in its folder." : "The run has ended.");
  const stop = el("button", { type: "button", class: "plain", "data-test": "stop", onclick: async () => { stop.disabled = true; stop.textContent = "Stopping…"; await fetch("stop", { method: "POST" }); } }, "Stop the run");
  return el("p", { class: "live", "data-test": "live" }, el("progress", { max: "1", value: part.toFixed(4), "aria-label": "How far the run is" }), ` ${number(100 * part, 3)} % after ${duration(run.wall)} `, stop);
}

// Play, scrub, speed: always in reach at the foot of the window.
function transport(all, clock) {
  const span = clock.until - clock.from, decimals = timeDecimals(span), many = 1000;
  const playIcon = icon("play"), pauseIcon = icon("pause");
  const play = el("button", { type: "button", class: "play", "data-test": "play", onclick: () => clock.toggle() }, playIcon);
  const slider = el("input", { type: "range", min: "0", max: String(many), step: "1", value: "0", "aria-label": "Time", "data-test": "scrub" });
  slider.addEventListener("input", () => { clock.pause(); clock.set(clock.from + (span * slider.value) / many); });
  const now = el("output", { class: "now", "data-test": "time" });
  const list = speeds(span), start = bestSpeed(span);
  const speed = el("select", { "aria-label": "Speed", "data-test": "speed" }, list.map((s) => el("option", { value: String(s), selected: s === start }, `${number(s, 2)} ×`)));
  speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));
  clock.speed = start;
  clock.faster = (by) => {
    speed.selectedIndex = Math.max(0, Math.min(list.length - 1, speed.selectedIndex + by));
    clock.setSpeed(Number(speed.value));
  };
  const ticks = el("div", { class: "ticks", "aria-hidden": "true" });
  const events = all.runs[0].events, every = Math.ceil(events.time.length / 300) || 1;
  for (let i = 0; i < events.time.length; i += every) {
    const slips = / -> slip/.test(events.what[events.kind[i]]);
    ticks.append(el("i", { class: slips ? "slip" : "stick", style: `left:${(100 * (events.time[i] - clock.from)) / (span || 1)}%` }));
  }
  clock.listen((t) => {
    const w = span > 0 ? (t - clock.from) / span : 0;
    slider.value = String(Math.round(many * w));
    slider.style.setProperty("--done", `${100 * w}%`);
    slider.setAttribute("aria-valuetext", `${fixed(t, decimals)} seconds`);
    now.textContent = `${fixed(t, decimals)} s`;
    if (play.firstChild !== (clock.playing ? pauseIcon : playIcon)) play.replaceChildren(clock.playing ? pauseIcon : playIcon);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  });
  return el("section", { class: "transport", "aria-label": "Playback" }, play, button("To the start", "start", () => { clock.pause(); clock.set(clock.from); }, { class: "tool quiet rewind" }),
    el("div", { class: "scrub" }, ticks, slider), now, speed);
}

function helpDialog() {
  const d = el("dialog", { class: "help", "aria-label": "Keys and help" },
    el("h2", {}, "Keys"), el("dl", {}, KEYS.map(([k, what]) => el("div", {}, el("dt", {}, k), el("dd", {}, what)))),
    el("h2", {}, "Pointer"), el("p", {}, "Point at a rope, drum or body for its values; click a drum or body to go there and follow it; a double click fits the machine. Drag the drawing to move it; Ctrl and wheel, or a pinch, zooms. In a plot, a click sets the time, a drag zooms all plots, a double click shows everything again."),
    el("p", {}, "This page is one file: nothing is loaded from anywhere, and nothing leaves your computer."),
    el("form", { method: "dialog" }, el("button", { class: "plain" }, "Close")));
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); });
  return d;
}

function section(id, title, lead, ...children) {
  const inside = children.flat().filter(Boolean);
  return inside.length ? el("section", { class: "chapter", id, "aria-labelledby": `${id}-h` }, el("h2", { id: `${id}-h` }, title), lead ? el("p", { class: "lead" }, lead) : null, ...inside) : null;
}

function keyboard(theClock, machine, help, toggleTheme) {
  const actions = {
    " ": () => theClock().toggle(), Home: () => theClock().set(theClock().from), End: () => theClock().set(theClock().until), "+": () => machine().zoomBy(1.3), "=": () => machine().zoomBy(1.3),
    "-": () => machine().zoomBy(1 / 1.3), 0: () => machine().fit(), f: () => machine().followNext(), "[": () => theClock().faster(-1), "]": () => theClock().faster(1), t: toggleTheme, "?": help,
  };
  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest?.("input:not([type=range]):not([type=checkbox]), select, textarea, dialog");
    if (!theClock() || typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === " " && e.target.closest?.("button, summary, input[type=checkbox]")) return;
    if (e.key === "ArrowLeft" || e.key === "ArrowRight") { theClock().nudge((e.key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 0.1 : 0.01)); e.preventDefault(); return; }
    const action = actions[e.key] ?? actions[e.key.toLowerCase()];
    if (!action) return;
    e.preventDefault();
    action();
  });
}

// The drawing leaves room for what stands above it, for its legend and for the player.
function reserve(machine, stage) {
  machine.reserve = () => machine.box.style.setProperty("--reserve", `${Math.round(stage.getBoundingClientRect().top + scrollY + machine.legend.offsetHeight + 96)}px`);
  new ResizeObserver(machine.reserve).observe(machine.legend);
  machine.reserve();
}

// ---------------------------------------------------------------- all of it

// What is on the page now. A page that follows a run is made anew with each snapshot, and goes on where the last one was.
const now = { clock: null, machine: null, restyle: () => {}, help: () => {} };

async function show(all, spaceElement, live) {
  const runs = all.runs;
  const clock = new Clock(Math.min(...runs.map((r) => r.from)), Math.max(...runs.map((r) => r.until)));
  let machine = new Machine(runs, clock, { label: runs[0].title || "machine" });
  const plots = new Plots(runs, clock), mapCharts = maps(runs), angleCharts = [...arcs(runs), ...angles(runs)], loops = hysteresis(runs), energy = energyCharts(runs);
  const charts = [...mapCharts, ...angleCharts, ...loops, ...energy];
  for (const c of charts) c.onTime = (t) => { clock.pause(); clock.set(t); };
  clock.listen((t) => charts.forEach((c) => c.cursor(t)));
  const restyle = () => { machine.restyle(); plots.restyle(); charts.forEach((c) => c.draw()); };
  const dialog = helpDialog(), help = () => (dialog.open ? dialog.close() : dialog.showModal());

  const differ = runs.length > 1 ? el("label", { class: "switch" }, el("input", { type: "checkbox", "data-test": "difference", onchange: (e) => plots.setDifference(e.target.checked) }), `Differences from ${runs[0].label}`) : null;
  const events = eventTable(runs[0]);
  events?.addEventListener("click", (e) => { const row = e.target.closest("tr[data-time]"); if (row) { clock.pause(); clock.set(Number(row.dataset.time)); } });
  // A long and low machine goes above the story, any other beside it; a flat one leaves room for the map below it.
  const wide = machine.aspect < 0.24, beside = !wide && machine.aspect < 0.6 && mapCharts.length > 0;
  const chapters = [
    section("plots", "Over time", null, differ, plots.element),
    section("stick", "Stick and slip", null, ...mapCharts.slice(beside ? 1 : 0).map((c) => c.element), ...angleCharts.map((c) => c.element)),
    section("friction", "Friction", loops.single ? `Of contact ${loops.single}.` : null, loops.select ? el("p", { class: "row" }, el("label", { class: "switch" }, "Contact ", loops.select)) : null, loops.length ? el("div", { class: "pair" }, loops.map((c) => c.element)) : null),
    section("energy", "Energy", "What went in, what is stored, what was lost; what is left over is the error of the computation.", balance(runs[0]), ...energy.map((c) => c.element)),
    section("run", "The run", null, facts(runs), events ? el("details", { class: "file" }, el("summary", {}, `Transitions · ${runs[0].events.total}`), events) : null, ...runs.map(scenarioView), dataButtons(runs[0])),
  ].filter(Boolean);
  const story = el("div", { class: "story" }, el("div", {}, chapters.slice(0, 1)), el("div", {}, chapters.slice(1)));

  const which = runs.length > 1 ? el("label", { class: "switch" }, "Drawn: ", el("select", { "aria-label": "Which result is drawn", onchange: (e) => machine.show(e.target.selectedIndex) }, runs.map((r) => el("option", {}, r.label)))) : null;
  machine.box.style.setProperty("--aspect", machine.aspect.toFixed(4));
  const stage = el("section", { class: "stage", "aria-label": "The machine" }, el("h2", { class: "unseen" }, "The machine"), machine.element, which, beside ? mapCharts[0].element : null);
  now.machine?.dispose?.();
  document.body.replaceChildren(header(all, restyle, help, live), el("main", { class: wide ? "wide" : "" }, stage, story), transport(all, clock), dialog,
    el("footer", { class: "colophon" }, `Made by Capstan ${all.version}. This page needs no network.`));
  reserve(machine, stage);
  machine.resize();
  Object.assign(now, { clock, machine, restyle, help });
  if (runs[0].model.dim === 3) await openSpace(spaceElement, clock, machine, (space) => { machine = now.machine = space; });
}

// Follows a run: asks for its state, as long as there is somebody who answers.
async function follow(spaceElement) {
  let have = 0, all = null;
  for (;;) {
    let answer;
    try { answer = await fetch(`data?${have}`, { cache: "no-store" }); } catch { break; }
    if (answer.status === 200) {
      have = Number(answer.headers.get("X-Snapshot"));
      all = await unpack(new Uint8Array(await answer.arrayBuffer()));
      const kept = now.clock ? { end: now.clock.time >= now.clock.until, time: now.clock.time, place: scrollY, machine: now.machine.state() } : { end: true, place: 0 };
      await show(all, spaceElement, true);
      now.clock.set(kept.end ? now.clock.until : kept.time);
      if (kept.machine) now.machine.restore(kept.machine);
      scrollTo({ top: kept.place, behavior: "instant" });
      document.documentElement.dataset.ready = "yes";
      if (all.runs[0].status !== "running") return;
    } else if (answer.status !== 204) break;
    await new Promise((done) => { setTimeout(done, POLL); });
  }
  document.querySelector("[data-test=live]")?.replaceChildren("The run does not answer any more. What it wrote is in its folder.");
  if (!all) throw new Error("the run does not answer");
}

async function start() {
  const spaceElement = document.getElementById("space");
  keyboard(() => now.clock, () => now.machine, () => now.help(), () => document.querySelector("[data-test=theme]").click());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => now.restyle());
  addEventListener("resize", () => now.machine?.reserve());
  if ("live" in document.documentElement.dataset) await follow(spaceElement);
  else await show(await load(document.getElementById("data")), spaceElement, false);
  document.documentElement.dataset.ready = "yes";
}


// The title is painted before the work begins.
const painted = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });

painted().then(start).catch((e) => {
  document.body.append(el("p", { class: "alert", role: "alert" }, `This report cannot be shown: ${e.message}`));
  throw e;
});
