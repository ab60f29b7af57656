// friction.js - stick and slip: the map over arc and time, contact force over angle, friction against velocity and displacement.
import { Chart, choice } from "./chart.js";
import { indexAt, integral, valueAt } from "./data.js";
import { marker } from "./figure.js";
import { DASHES, el, look, number, seriesColor, theme } from "./look.js";
import { csv } from "./save.js";
import { Scene } from "./scene.js";

const color = (hex) => { const v = parseInt(hex.slice(1), 16); return [v >> 16, (v >> 8) & 255, v & 255]; };

// ---------------------------------------------------------------- the map

// A picture with one row per place and one column per time; `state(column, row)` is 0, 1 (sticks) or 2 (slips).
function mapImage(columns, rows, state, name) {
  const scale = Math.max(1, Math.ceil(160 / rows)), c = look(name), stick = color(c.stick), slip = color(c.slip);
  const canvas = el("canvas", { width: columns, height: rows * scale }), g = canvas.getContext("2d"), image = g.createImageData(columns, rows * scale);
  for (let row = 0; row < rows; row++) {
    const states = Array.from({ length: columns }, (_, i) => state(i, rows - 1 - row));
    for (let j = row * scale; j < (row + 1) * scale; j++)
      for (let i = 0; i < columns; i++) {
        if (!states[i]) continue;
        // Sticking is pale and slipping strong, so that they are told apart without colour.
        const p = states[i] === 2 ? slip : stick, k = 4 * (j * columns + i);
        image.data[k] = p[0]; image.data[k + 1] = p[1]; image.data[k + 2] = p[2]; image.data[k + 3] = states[i] === 2 ? 255 : 120;
      }
  }
  g.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function legendNote() {
  return el("span", { class: "legend inline" }, el("span", { class: "key" }, el("span", { class: "mark stick" }), "sticks"), el("span", { class: "key" }, el("span", { class: "mark slip" }), "slips"));
}

function cableMap(run, cable, title) {
  const frames = run.frames, m = cable.state.points, d = cable.state.data, columns = 900;
  const t0 = frames[0], t1 = frames[frames.length - 1], when = Array.from({ length: columns }, (_, i) => indexAt(frames, t0 + ((t1 - t0) * (i + 0.5)) / columns));
  // Rows of equal height over the arc that is ever touched.
  let low = Infinity, high = -Infinity;
  for (let k = 0; k < d.length; k++) if (d[k] >= 1) { const s = cable.contactS[k % m]; low = Math.min(low, s); high = Math.max(high, s); }
  if (!(low <= high)) return null;
  const pitch = m > 1 ? (cable.contactS[m - 1] - cable.contactS[0]) / (m - 1) : 1;
  low -= pitch / 2; high += pitch / 2;
  const rows = Math.max(8, Math.min(400, Math.round((high - low) / pitch) * (m > 200 ? 1 : 4)));
  const nearest = Array.from({ length: rows }, (_, j) => {
    const s = low + ((high - low) * (j + 0.5)) / rows, i = indexAt(cable.contactS, s);
    return i + 1 < m && cable.contactS[i + 1] - s < s - cable.contactS[i] ? i + 1 : i;
  });
  const images = {};
  return new Chart(title, () => {
    const name = theme();
    images[name] ??= mapImage(columns, rows, (i, j) => d[when[i] * m + nearest[j]], name);
    return {
      theme: name, x: { label: "time", unit: "s", range: [t0, t1] }, y: { label: "arc length", unit: "m", range: [low, high] }, series: [], images: [{ href: images[name], x: [t0, t1], y: [low, high] }],
      csv: csv([{ name: "time", unit: "s", data: frames }, ...Array.from({ length: m }, (_, p) => ({ name: `s = ${number(cable.contactS[p], 6)}`, unit: "m", data: Array.from(frames, (_, k) => d[k * m + p]) }))]),
    };
  }, { overlay: timeMark, time: true, height: 260, controls: [legendNote()], alone: true });
}

function timeMark(t, l) {
  const x = l.px(t), c = look();
  return x >= l.left - 1 && x <= l.left + l.w + 1 ? `<path d="M${x} ${l.top}v${l.h}" stroke="${c.ink}" stroke-width="1.5"/>` : "";
}

function contactMap(run, title) {
  const names = run.model.contacts.map((c) => c.name), n = names.length, columns = 900, t0 = run.from, t1 = run.until;
  if (!n || !(t1 > t0)) return null;
  const images = {}, every = Math.ceil(n / 16), shown = names.map((x, i) => i).filter((i) => i % every === 0);
  return new Chart(title, () => {
    const name = theme();
    images[name] ??= mapImage(columns, n, (i, j) => (run.slipsAt(names[n - 1 - j], t0 + ((t1 - t0) * (i + 0.5)) / columns) ? 2 : 1), name);
    return {
      theme: name, x: { label: "time", unit: "s", range: [t0, t1] }, y: { label: "contact", range: [0, n], ticks: { values: shown.map((i) => n - i - 0.5), step: 1 }, names: shown.map((i) => names[i]) },
      series: [], images: [{ href: images[name], x: [t0, t1], y: [0, n] }],
      csv: csv([{ name: "time", unit: "s", data: run.times }, ...names.map((c) => ({ name: `${c} slips`, data: Array.from(run.times, (t) => (run.slipsAt(c, t) ? 1 : 0)) }))]),
    };
  }, { overlay: timeMark, time: true, height: Math.min(420, 84 + Math.max(34, 22 * Math.min(n, 15))), controls: [legendNote()], alone: true });
}

export function maps(runs) {
  const many = runs.length > 1, out = [];
  for (const run of runs) {
    for (const cable of run.cables) if (cable.state) out.push([`Stick and slip along ${cable.name}${many ? ` · ${run.label}` : ""}`, cableMap(run, cable, `Stick and slip along ${cable.name}${many ? `, ${run.label}` : ""}`)]);
    if (run.model.contacts.length) out.push([many ? `Stick and slip · ${run.label}` : null, contactMap(run, `Stick and slip${many ? `, ${run.label}` : ""}`)]);
  }
  return out.filter(([, c]) => c).map(([title, chart]) => { if (title && out.length > 1) chart.element.querySelector(".panel-head > span").replaceWith(el("h3", {}, title)); return chart; });
}

// ---------------------------------------------------------------- contact force over angle

// Angle around the drum of what touches it, in degrees, from the x axis. Along the cable it has no jumps, and the middle of what touches is
// within half a turn of `reference`, so that nothing jumps from one time to the next either.
function around(scene, cable, drum, t, reference = null) {
  const d = scene.model.drums[drum], points = scene.cablePoints(cable, t), o = scene.drumCenter(d, t), out = [];
  let last = null;
  for (const k of scene.cableContacts(cable, t, points)) {
    if (k.drum !== drum) continue;
    let a = (Math.atan2(k.at[1] - o[1], k.at[0] - o[0]) * 180) / Math.PI;
    if (last !== null) a += 360 * Math.round((last - a) / 360);
    last = a;
    out.push({ ...k, angle: a });
  }
  if (reference !== null && out.length) {
    const shift = 360 * Math.round((reference - middleOf(out)) / 360);
    for (const k of out) k.angle += shift;
  }
  return out;
}

const middleOf = (list) => 0.5 * (list[0].angle + list[list.length - 1].angle);

// The angle around which a cable touches a drum during a run: the mean direction of its middle, so that half a turn from it is never reached
// by a cable that stays where it is.
function referenceOf(scene, cable, drum, times) {
  let x = 0, y = 0;
  for (const t of times) {
    const on = around(scene, cable, drum, t);
    if (on.length) { const m = (middleOf(on) * Math.PI) / 180; x += Math.cos(m); y += Math.sin(m); }
  }
  return (Math.atan2(y, x) * 180) / Math.PI;
}

export function angles(runs) {
  const run = runs[0], out = [];
  if (!run.cables.length) return out;
  const own = runs.map((r) => new Scene(r)), scene = own[0];
  for (const cable of run.cables) {
    if (!cable.state || !cable.normal) continue;
    const drums = [...new Set(cable.drum ? Array.from(new Set(cable.drum.data)) : [0])].filter((d) => d >= 0 && run.model.drums[d]).sort((a, b) => a - b);
    for (const drum of drums) {
      const name = run.model.drums[drum].name, title = `Contact force of ${cable.name} on ${name}`;
      // The same cable on the same drum of each run that has them.
      const scenes = own.map((s) => ({ scene: s, cable: s.run.cables.find((c) => c.name === cable.name), drum: s.model.drums.findIndex((d) => d.name === name) })).filter((s) => s.cable?.normal && s.drum >= 0);
      const some = run.frames.filter((_, i) => i % Math.max(1, Math.floor(run.frames.length / 60)) === 0), reference = referenceOf(scene, cable, drum, some);
      // Fixed axes, so that the eye sees what changes.
      let most = 0, least = 0, low = Infinity, high = -Infinity;
      for (const t of some)
        for (const k of around(scene, cable, drum, t, reference)) {
          most = Math.max(most, k.n, k.f); least = Math.min(least, k.f); low = Math.min(low, k.angle); high = Math.max(high, k.angle);
        }
      if (!(low <= high)) continue;
      const room = 0.05 * (high - low) + 1;
      out.push(new Chart(title, (t) => {
        const c = look(), series = [];
        scenes.forEach((s, j) => {
          const on = around(s.scene, s.cable, s.drum, t, reference), who = runs.length > 1 ? ` · ${s.scene.run.label}` : "";
          const get = (list, what) => ({ x: list.map((k) => k.angle), y: list.map((k) => k[what]) });
          series.push({ label: `normal${who}`, ...get(on, "n"), color: seriesColor(j), kind: j ? "line" : "stems", dots: j === 0, dash: DASHES[j % DASHES.length], size: 3, width: 2 });
          if (j === 0) series.push({ label: "friction, sticks", ...get(on.filter((k) => !k.slips), "f"), color: c.stick, kind: "points" }, { label: "friction, slips", ...get(on.filter((k) => k.slips), "f"), color: c.slip, kind: "points", shape: "diamond" });
          else series.push({ label: `friction${who}`, ...get(on, "f"), color: seriesColor(j), kind: "line", dash: [2, 3] });
        });
        return { x: { label: "angle", unit: "deg", range: [low - room, high + room] }, y: { label: "force", unit: "N", range: [1.08 * least - 0.02 * most, 1.08 * most || 1] }, series, legend: true };
      }, { live: true, height: 300 }));
    }
  }
  return out;
}

// ---------------------------------------------------------------- the arc that slips and the arc that sticks

// Of each cable on each drum: a band as wide as the wrap, the part that slips below the part that sticks.
export function arcs(runs) {
  const all = runs.flatMap((run) => run.columns.map((c) => /^cables\.(.+)\.([^.]+)\.wrap$/.exec(c.name)).filter(Boolean).map(([name, cable, drum]) => {
    const get = (what) => run.data(`cables.${cable}.${drum}.${what}`)?.map((v) => (v * 180) / Math.PI), wrap = run.data(name).map((v) => (v * 180) / Math.PI);
    return { run, title: `${cable} on ${drum}${runs.length > 1 ? ` · ${run.label}` : ""}`, wrap, slip: get("slip_arc") ?? new Float64Array(wrap.length) };
  }));
  if (!all.length) return [];
  const most = (list) => Math.max(0, ...list.filter(Number.isFinite));
  let index = all.reduce((best, a, i) => (most(a.slip) > most(all[best].slip) ? i : best), 0);
  let chart = null;
  const select = choice("Cable on drum", all.map((a) => a.title), (i) => { index = i; chart.draw(); });
  select.selectedIndex = index;
  chart = new Chart("Arc that slips, arc that sticks", () => {
    const a = all[index], c = look(), zero = new Float64Array(a.wrap.length), x = a.run.times;
    return {
      x: { label: "time", unit: "s", range: a.run.until > a.run.from ? [a.run.from, a.run.until] : undefined }, y: { label: "arc", unit: "deg", range: [0, 1.06 * most(a.wrap) || 1] }, legend: true,
      series: [{ label: "slips", kind: "band", x, y: a.slip, low: zero, color: c.slip }, { label: "sticks", kind: "band", x, y: a.wrap, low: a.slip, color: c.stick, opacity: 0.5 }],
    };
  }, { overlay: timeMark, time: true, height: 230, controls: all.length > 1 ? [select] : [] });
  return [chart];
}

// ---------------------------------------------------------------- friction against velocity and displacement

// What can be looked at: the contacts of bodies, and points of cables. Each gives {t, v, x, f} of a run.
function subjects(run) {
  const out = run.model.contacts.map((c) => ({
    name: c.name,
    get: (r) => {
      const v = r.data(`contacts.${c.name}.v`), f = r.data(`contacts.${c.name}.f`);
      return v && f ? { t: r.times, v, f, x: integral(r.times, v) } : null;
    },
  }));
  for (const cable of run.cables) {
    if (!cable.slip || !cable.friction) continue;
    const m = cable.slip.points, touched = [];
    for (let i = 0; i < m; i++) for (let k = i; k < cable.state.data.length; k += m) if (cable.state.data[k] >= 1) { touched.push(i); break; }
    const some = touched.length > 60 ? touched.filter((_, i) => i % Math.ceil(touched.length / 60) === 0) : touched;
    for (const i of some)
      out.push({
        activity: slides(cable, i),
        name: `${cable.name}, s = ${number(cable.contactS[i], 4)} m`,
        get: (r) => {
          const own = r.cables.find((c) => c.name === cable.name);
          if (!own?.slip || own.slip.points !== m) return null;
          const take = (f) => Float64Array.from(r.frames, (_, k) => (own.state.data[k * m + i] >= 1 ? f.data[k * m + i] : NaN));
          const v = take(own.slip);
          return { t: r.frames, v, f: take(own.friction), x: integral(r.frames, v.map((q) => (Number.isFinite(q) ? q : 0))) };
        },
      });
  }
  return out;
}

// How far a contact point slides in all.
function slides(cable, i) {
  let sum = 0;
  for (let k = i; k < cable.slip.data.length; k += cable.slip.points) if (cable.state.data[k] >= 1) sum += Math.abs(cable.slip.data[k]);
  return sum;
}

export function hysteresis(runs) {
  const all = subjects(runs[0]);
  if (!all.length) return [];
  let index = runs[0].model.contacts.length ? 0 : all.reduce((best, s, i) => (s.activity > all[best].activity ? i : best), 0), cache = null;
  const data = () => (cache ??= runs.map((r) => all[index].get(r)));
  const figure = (axis, label, unit) => () => ({
    x: { label, unit }, y: { label: "friction force", unit: "N" }, legend: runs.length > 1,
    series: data().map((d, k) => d && { label: runs[k].label, x: d[axis], y: d.f, color: seriesColor(k), dash: DASHES[k % DASHES.length] }).filter(Boolean),
  });
  const dot = (axis) => (t, l) => data().map((d, k) => {
    if (!d) return "";
    const x = l.px(valueAt(d.t, d[axis], t)), y = l.py(valueAt(d.t, d.f, t)), c = look();
    return Number.isFinite(x) && Number.isFinite(y) ? marker("circle", x, y, 5.5, k ? seriesColor(k) : c.accent, `stroke="${c.paper}" stroke-width="2"`) : "";
  }).join("");
  const charts = [];
  const select = choice("Contact", all.map((s) => s.name), (i) => { index = i; cache = null; charts.forEach((c) => c.draw()); });
  select.selectedIndex = index;
  charts.push(new Chart("Friction against velocity", figure("v", "sliding velocity", "m/s"), { overlay: dot("v"), height: 270 }),
    new Chart("Friction against displacement", figure("x", "sliding distance", "m"), { overlay: dot("x"), height: 270 }));
  charts.select = all.length > 1 ? select : null;
  charts.single = all.length === 1 ? all[0].name : null;
  return charts;
}

