// pick.js - what lies under the pointer, and what there is to say about it.
import { fixed, quantity } from "./look.js";

const NOTCH = 0.22; // most that one event of the wheel zooms, as a logarithm: a notch is a quarter
const NEAR = 14; // how near a rope the pointer must be [px]

// By how much an event of the wheel zooms; null without Ctrl (which a pinch on a touchpad sends), for then the page scrolls.
export function wheelFactor(e) {
  if (!e.ctrlKey && !e.metaKey) return null;
  const lines = e.deltaMode === 1 ? 30 : 1;
  return Math.exp(Math.min(NOTCH, Math.max(-NOTCH, -0.01 * lines * e.deltaY)));
}

// The thing under a place on the screen; null if there is none. `project(p)` gives the pixels of a place of the machine, `lengthAt(p, m)` how
// many pixels m metres are there, `placeOf(target, t)` where a body or drum is.
export function pick(scene, t, at, project, lengthAt, placeOf = (target) => [...target.at(t), 0]) {
  let best = null;
  const offer = (distance, what) => { if (!best || distance < best.distance) best = { distance, ...what }; };
  for (const cable of scene.run.cables) {
    const p = scene.cablePoints(cable, t);
    for (let i = 0; i < p.n; i++) {
      const place = [0, 1, 2].map((k) => (k < p.dim ? p.p[i * p.dim + k] : 0)), q = project(place), distance = Math.hypot(q[0] - at[0], q[1] - at[1]);
      if (distance < NEAR) offer(distance, { kind: "cable", cable, index: i, place, name: cable.name });
    }
    // Between the nodes of a coarse cable: the nearest point of each straight piece.
    for (let i = 0; i + 1 < p.n && !best; i++) {
      const [a, b] = [i, i + 1].map((j) => project([0, 1, 2].map((k) => (k < p.dim ? p.p[j * p.dim + k] : 0))));
      const u = [b[0] - a[0], b[1] - a[1]], l = u[0] * u[0] + u[1] * u[1], w = l > 0 ? Math.min(1, Math.max(0, ((at[0] - a[0]) * u[0] + (at[1] - a[1]) * u[1]) / l)) : 0;
      const distance = Math.hypot(a[0] + w * u[0] - at[0], a[1] + w * u[1] - at[1]);
      if (distance < NEAR) offer(distance, { kind: "cable", cable, index: w < 0.5 ? i : i + 1, name: cable.name });
    }
  }
  if (best) return best;
  for (const target of scene.targets()) {
    const place = placeOf(target, t), q = project(place), r = Math.max(10, lengthAt(place, target.size)), down = target.kind === "body" && scene.hangs(target.what) ? r : 0;
    const distance = Math.hypot(q[0] - at[0], q[1] + down - at[1]);
    if (distance < 1.15 * r) offer(distance / r, { kind: target.kind, target, name: target.name });
  }
  return best;
}

// Lines about it: [label, value].
export function describe(scene, t, found) {
  const run = scene.run, column = (name, label) => { const c = run.column(name); return c ? [[label, quantity(run.at(name, t), c.unit, 4)]] : []; };
  if (found.kind === "cable") {
    const { cable, index } = found, s = cable.s[index], rows = [["at", quantity(s, "m", 4)]];
    if (cable.tension) rows.push(["tension", quantity(run.fieldAt(cable.tension, t)[index], "N", 4)]);
    if (cable.contactS && cable.state) {
      const near = scene.cableContacts(cable, t, scene.cablePoints(cable, t)).reduce((a, k) => (!a || Math.abs(k.s - s) < Math.abs(a.s - s) ? k : a), null);
      const pitch = cable.contactS.length > 1 ? cable.contactS[1] - cable.contactS[0] : Infinity;
      if (near && Math.abs(near.s - s) <= 0.75 * Math.max(pitch, cable.s[1] - cable.s[0]))
        rows.push(["on", scene.model.drums[near.drum]?.name ?? "drum"], ["normal", quantity(near.n, "N", 4)], ["friction", quantity(near.f, "N", 4)],
          ["", near.slips ? "slips" : "sticks"], ...(Number.isFinite(near.v) ? [["slip speed", quantity(near.v, "m/s", 3)]] : []));
    }
    return rows;
  }
  if (found.kind === "drum") {
    const name = `drums.${found.name}`;
    return [["radius", quantity(found.target.what.radius, "m", 4)], ...column(`${name}.angle`, "angle"), ...column(`${name}.rate`, "rate"), ...column(`${name}.torque`, "torque"), ...column(`${name}.drive`, "drive"),
      ...run.cables.flatMap((c) => { const wrap = run.at(`cables.${c.name}.${found.name}.wrap`, t); return Number.isFinite(wrap) ? [[`wrap of ${c.name}`, `${fixed((wrap * 180) / Math.PI, 1)}°`]] : []; })];
  }
  const b = found.target.what, name = `${b.kind === "surface" ? "surfaces" : "bodies"}.${found.name}`;
  return [...(b.mass > 0 ? [["mass", `${quantity(b.mass, "kg", 4)}`]] : []), ...["x", "y", "z"].flatMap((k) => column(`${name}.${k}`, k)), ...["v", "vx", "vy", "vz"].flatMap((k) => column(`${name}.${k}`, k)),
    ...scene.model.contacts.filter((c) => scene.bodies[c.bodies[0]] === b).flatMap((c) => [...column(`contacts.${c.name}.f`, `friction, ${c.name}`), ["", run.slipsAt(c.name, t) ? "slips" : "sticks"]])];
}
