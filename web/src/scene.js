// scene.js - where everything of a machine is at a time, in metres, and how large things are drawn that a scenario gives
// no size: blocks, belts, walls.
//
// Bodies on lines are often described by their displacement alone, so that all of them sit at the same place. They are then
// laid out side by side in the order in which springs connect them, and the spread is said beside the drawing.
import { extent, indexAt, integral, valueAt } from "./data.js";

const GROUND = -1;
export const ARROW = 0.6; // longest arrow of a contact force, over the drum's radius
const RUN_OFF = 2; // how much larger than the machine at its start what it fills later may be, until only the start is framed
const SAMPLES = 240; // times at which extents are looked for

export class Scene {
  constructor(run) {
    this.run = run;
    this.model = run.model;
    this.bodies = this.model.bodies.map((b) => this.describe(b));
    this.up = this.upward();
    this.times = this.sampleTimes();
    this.travel = Math.max(0, ...this.bodies.filter((b) => b.kind === "line").map((b) => span(b.x)));
    this.stack();
    this.size = 1;
    this.shifts();
    this.size = this.blockSize();
    this.widen();
    this.walls();
    this.scales();
    this.bounds = this.findBounds(this.times);
    this.startBounds = this.findBounds(this.times.slice(0, 1));
    // A machine of which something runs off is framed as it starts; any other as all that it ever fills.
    this.runsOff = reach(this.bounds) > RUN_OFF * reach(this.startBounds);
  }

  get frame() { return this.runsOff ? this.startBounds : this.bounds; }

  // What can be followed, clicked and asked for its values.
  targets() {
    return [...this.bodies.filter((b) => this.shown(b)).map((b) => ({ kind: "body", what: b, name: b.name, size: Math.max(b.half, b.radius), at: (t) => this.center(b, t) })),
      ...this.model.drums.map((d) => ({ kind: "drum", what: d, name: d.name, size: d.radius, at: (t) => this.drumCenter(d, t) }))];
  }

  // The body that carries a drum; undefined for one that stands in the frame.
  carrierOf(d) { return this.bodies[d.carrier]; }

  // A body hangs below the end of a cable, not around it.
  hangs(b) { return b.kind === "plane" && this.run.cables.some((c) => c.model.ends?.some((e) => this.bodies[e.body] === b)); }

  describe(b) {
    const kind = b.kind === "surface" ? "surfaces" : "bodies", get = (what) => this.run.data(`${kind}.${b.name}.${what}`);
    // A surface of which only the velocity was recorded has moved by its integral.
    if (kind === "surfaces" && !get("x") && get("v")) this.run.add(`surfaces.${b.name}.x`, "m", integral(this.run.times, get("v")));
    return { ...b, x: get("x"), y: get("y"), z: get("z"), shift: [0, 0], level: 0, radius: 1 };
  }

  upward() {
    const g = this.model.gravity, size = Math.hypot(g[0], g[1]);
    return size > 0 ? [-g[0] / size, -g[1] / size] : [0, 1];
  }

  sampleTimes() {
    const t = [], a = this.run.from, b = this.run.until;
    for (let i = 0; i < SAMPLES; i++) t.push(a + ((b - a) * i) / (SAMPLES - 1));
    return t;
  }

  // What presses a line body onto its line: up, made perpendicular to the line.
  normalOf(b) {
    const d = b.direction, n = [-d[1], d[0]];
    return n[0] * this.up[0] + n[1] * this.up[1] < 0 ? [-n[0], -n[1]] : n;
  }

  // The true place of a body, without what is shifted for the drawing.
  place(b, t) {
    const times = this.run.times;
    if (b.kind === "plane") return [b.x ? valueAt(times, b.x, t) : b.x0[0], b.y ? valueAt(times, b.y, t) : b.x0[1]];
    const x = b.x ? valueAt(times, b.x, t) : 0;
    return [b.origin[0] + x * b.direction[0], b.origin[1] + x * b.direction[1]];
  }

  at(b, t) {
    const p = this.place(b, t);
    return [p[0] + b.shift[0], p[1] + b.shift[1]];
  }

  // A block on a block is drawn above it.
  stack() {
    for (let pass = 0; pass < this.bodies.length; pass++) {
      let changed = false;
      for (const c of this.model.contacts) {
        const upper = this.bodies[c.bodies[0]], lower = this.bodies[c.bodies[1]];
        if (!upper || !lower || lower.kind !== "line" || upper.level > lower.level) continue;
        upper.level = lower.level + 1;
        changed = true;
      }
      if (!changed) break;
    }
  }

  // Lays coincident bodies of one level side by side.
  shifts() {
    this.spread = 0;
    const t0 = this.run.from, lines = this.bodies.filter((b) => b.kind === "line");
    const near = 1e-3 * this.travel + 1e-12;
    for (const level of new Set(lines.map((b) => b.level))) {
      const group = lines.filter((b) => b.level === level);
      const places = group.map((b) => this.place(b, t0));
      const same = places.some((p, i) => places.some((q, j) => j < i && Math.hypot(p[0] - q[0], p[1] - q[1]) <= near));
      if (!same || group.length < 2) continue;
      this.spread = this.travel > 0 ? 1.3 * this.travel : 1;
      this.springOrder(group).forEach((b, i) => {
        b.shift = [b.direction[0] * this.spread * i, b.direction[1] * this.spread * i];
      });
    }
  }

  // Bodies in the order of the springs between them, from a free end.
  springOrder(group) {
    const neighbours = new Map(group.map((b) => [b, []]));
    for (const s of this.model.springs) {
      const a = this.bodies[s.ends[0].body], b = this.bodies[s.ends[1].body];
      if (neighbours.has(a) && neighbours.has(b)) { neighbours.get(a).push(b); neighbours.get(b).push(a); }
    }
    const order = [], seen = new Set();
    const starts = [...group].sort((a, b) => neighbours.get(a).length - neighbours.get(b).length || group.indexOf(a) - group.indexOf(b));
    for (const start of starts) {
      for (let b = start; b && !seen.has(b); b = neighbours.get(b).find((n) => !seen.has(n))) { seen.add(b); order.push(b); }
    }
    return order;
  }

  // A size for blocks that suits the rest of the machine.
  blockSize() {
    const drums = this.model.drums.map((d) => d.radius);
    let size;
    // Beside drums: like them, but not so small that it is lost in the machine.
    if (drums.length) size = Math.max(0.55 * Math.min(...drums), Math.min(0.07 * this.startReach(), 1.4 * Math.max(...drums)));
    else if (this.spread) size = 0.42 * this.spread;
    else {
      const all = this.extents();
      size = (this.bodies.length < 4 ? 0.2 : 0.09) * Math.max(all[1] - all[0], all[3] - all[2], 1e-9);
      if (size < 1e-8) size = Math.max(size, 0.3 * this.travel, 1e-6);
    }
    const masses = this.bodies.filter((b) => b.mass > 0).map((b) => b.mass);
    const most = Math.max(...masses, 1e-300);
    for (const b of this.bodies) b.radius = 0.5 * size * Math.max(0.6, Math.cbrt((b.mass || most) / most));
    return size;
  }

  // A block that carries another one is long enough for it not to fall off.
  widen() {
    for (const b of this.bodies) b.half = b.radius;
    const order = [...this.model.contacts].sort((a, b) => (this.bodies[b.bodies[0]]?.level ?? 0) - (this.bodies[a.bodies[0]]?.level ?? 0));
    for (const c of order) {
      const upper = this.bodies[c.bodies[0]], lower = this.bodies[c.bodies[1]];
      if (!upper || lower?.kind !== "line") continue;
      for (const t of this.times) {
        const p = this.at(upper, t), q = this.at(lower, t);
        lower.half = Math.max(lower.half, Math.hypot(p[0] - q[0], p[1] - q[1]) + upper.half);
      }
    }
  }

  // How far drums, bodies and cables are apart at the start.
  startReach() {
    let box = null;
    const add = (p) => { box = box ? [Math.min(box[0], p[0]), Math.max(box[1], p[0]), Math.min(box[2], p[1]), Math.max(box[3], p[1])] : [p[0], p[0], p[1], p[1]]; };
    for (const b of this.bodies) if (this.shown(b)) add(this.at(b, this.run.from));
    for (const d of this.model.drums) add(this.drumCenter(d, this.run.from));
    for (const c of this.run.cables) for (let i = 0; i < c.s.length; i++) add([c.position.data[i * c.position.components], c.position.data[i * c.position.components + 1]]);
    return box ? Math.max(box[1] - box[0], box[3] - box[2]) : 0;
  }

  extents() {
    let box = [Infinity, -Infinity, Infinity, -Infinity];
    const add = (p, r = 0) => { box = [Math.min(box[0], p[0] - r), Math.max(box[1], p[0] + r), Math.min(box[2], p[1] - r), Math.max(box[3], p[1] + r)]; };
    for (const t of this.times) for (const b of this.bodies) if (this.shown(b)) add(this.at(b, t));
    for (const s of this.model.springs) for (const e of s.ends) if (e.body === GROUND && !s.along_line) add(e.offset);
    return box[0] <= box[1] ? box : [0, 0, 0, 0];
  }

  // Surfaces under a body are drawn as belts, others as what is driven.
  isBelt(b) { return b.kind === "surface" && this.model.contacts.some((c) => this.bodies[c.bodies[1]] === b); }
  shown(b) { return b.kind !== "surface" || !this.isBelt(b); }

  // A spring on a line that starts where its body is gets a wall beside the body's way.
  walls() {
    for (const s of this.model.springs) {
      s.wall = null;
      const g = s.ends.findIndex((e) => e.body === GROUND);
      if (g < 0 || !s.along_line) continue;
      const b = this.bodies[s.ends[1 - g].body];
      if (!b || b.kind === "plane") continue;
      const p = this.place(b, this.run.from), a = s.ends[g].offset, d = b.direction;
      const reach = (p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1];
      if (Math.abs(reach) > this.travel + this.size) { s.wall = [a[0], a[1]]; continue; }
      const [low, high] = extent(b.x ?? [0]);
      const side = g === 0 ? low - 0.7 * this.size - b.half : high + 0.7 * this.size + b.half;
      s.wall = [b.origin[0] + side * d[0] + b.shift[0], b.origin[1] + side * d[1] + b.shift[1]];
      s.schematic = true;
    }
  }

  // Centre of a block, standing on its line: on the belt or the ground, or on the block below.
  center(b, t) {
    const p = this.at(b, t);
    if (b.kind !== "line") return p;
    const n = this.normalOf(b), up = this.standsOn(b) ? b.radius + b.level * this.size : 0;
    return [p[0] + n[0] * up, p[1] + n[1] * up];
  }

  standsOn(b) { return this.model.contacts.some((c) => this.bodies[c.bodies[0]] === b); }

  springEnd(s, k, t) {
    const e = s.ends[k];
    if (e.body === GROUND) {
      if (!s.wall) return [e.offset[0], e.offset[1]];
      const other = this.bodies[s.ends[1 - k].body], p = this.center(other, t), q = this.at(other, t);
      return [s.wall[0] + p[0] - q[0], s.wall[1] + p[1] - q[1]];
    }
    const b = this.bodies[e.body], p = s.along_line ? this.center(b, t) : this.at(b, t);
    return [p[0] + e.offset[0], p[1] + e.offset[1]];
  }

  drumCenter(d, t) {
    const c = [d.center[0], d.center[1]];
    d.shift?.forEach((s, i) => { if (s && i < 2) c[i] += valueAt(this.run.times, s, t); });
    const carrier = this.bodies[d.carrier];
    if (carrier) {
      const a = this.place(carrier, this.run.from), b = this.place(carrier, t);
      c[0] += b[0] - a[0];
      c[1] += b[1] - a[1];
    }
    const x = this.run.at(`drums.${d.name}.x`, t), y = this.run.at(`drums.${d.name}.y`, t);
    return [Number.isFinite(x) ? x : c[0], Number.isFinite(y) ? y : c[1]];
  }

  drumAngle(d, t) {
    const a = this.run.at(`drums.${d.name}.angle`, t);
    return Number.isFinite(a) ? a : 0;
  }

  // Points of a cable at a time, with tension.
  cablePoints(c, t) {
    const dim = c.position.components;
    const p = this.run.fieldAt(c.position, t), tension = c.tension ? this.run.fieldAt(c.tension, t) : null;
    return { n: c.s.length, dim, p, tension };
  }

  // Contact points that touch: place, drum, forces, state.
  cableContacts(c, t, points) {
    if (!c.state || !c.contactS) return [];
    const run = this.run, out = [], dim = points.dim;
    const state = run.fieldAt(c.state, t, null, false), drum = c.drum ? run.fieldAt(c.drum, t, null, false) : null;
    const normal = run.fieldAt(c.normal, t), friction = run.fieldAt(c.friction, t), slip = c.slip ? run.fieldAt(c.slip, t) : null;
    for (let i = 0; i < state.length; i++) {
      if (!(state[i] >= 1)) continue;
      const s = c.contactS[i], k = Math.min(points.n - 2, indexAt(c.s, s)), w = (s - c.s[k]) / (c.s[k + 1] - c.s[k]);
      const at = [0, 1, 2].map((d) => (d < dim ? points.p[k * dim + d] * (1 - w) + points.p[(k + 1) * dim + d] * w : 0));
      out.push({ i, s, at, drum: drum ? drum[i] : 0, n: normal[i], f: friction[i], v: slip ? slip[i] : NaN, slips: state[i] >= 2 });
    }
    return out;
  }

  // The largest of each kind of force, so that arrows keep one scale during the run.
  scales() {
    const run = this.run, most = (values) => Math.max(0, ...extent(values ?? [0]).map(Math.abs));
    this.frictionMost = Math.max(0, ...this.model.contacts.map((c) => most(run.data(`contacts.${c.name}.f`))));
    this.loadMost = Math.max(0, ...this.model.loads.map((l) => most(l.force)));
    this.contactMost = 0;
    this.tension = null;
    for (const c of run.cables) {
      if (c.normal) {
        const sizes = Array.from(c.normal.data, (v, i) => Math.hypot(v, c.friction?.data[i] ?? 0)).sort((a, b) => a - b);
        this.contactMost = Math.max(this.contactMost, sizes[Math.floor(0.995 * (sizes.length - 1))] || 0);
      }
      if (c.tension) this.tension = merge(this.tension, most98(c.tension.data));
    }
    for (const s of this.model.springs) if (s.tension_only) this.tension = merge(this.tension, extent(run.data(`springs.${s.name}.force`) ?? [0]));
    if (this.tension && this.tension[0] === this.tension[1]) this.tension[1] = this.tension[0] + 1;
  }

  findBounds(times) {
    let box = null;
    const add = (p, r = 0) => {
      if (!Number.isFinite(p[0]) || !Number.isFinite(p[1])) return;
      if (!box) box = [p[0] - r, p[0] + r, p[1] - r, p[1] + r];
      box = [Math.min(box[0], p[0] - r), Math.max(box[1], p[0] + r), Math.min(box[2], p[1] - r), Math.max(box[3], p[1] + r)];
    };
    for (const t of times) {
      for (const b of this.bodies) if (this.shown(b)) { const p = this.center(b, t), d = b.kind === "plane" ? [0, 0] : b.direction; for (const k of [-1, 1]) add([p[0] + k * d[0] * (b.half - b.radius), p[1] + k * d[1] * (b.half - b.radius)], (this.run.cables.length ? 2.2 : 1.1) * b.radius); }
      for (const d of this.model.drums) add(this.drumCenter(d, t), d.radius);
      for (const s of this.model.springs) for (const k of [0, 1]) if (s.ends[k].body === GROUND) add(this.springEnd(s, k, t), 0.3 * this.size);
    }
    for (const c of this.run.cables) {
      const dim = c.position.components, d = c.position.data;
      for (let i = 0, end = times.length > 1 ? d.length : dim * c.s.length; i < end; i += dim) add([d[i], d[i + 1]]);
      for (let i = 0; i < times.length; i += 12)
        for (const k of this.cableContacts(c, times[i], this.cablePoints(c, times[i]))) {
          const drum = this.model.drums[k.drum], o = drum && this.drumCenter(drum, times[i]);
          if (o) add([o[0] + (1 + ARROW) * (k.at[0] - o[0]), o[1] + (1 + ARROW) * (k.at[1] - o[1])]);
        }
    }
    for (const belt of this.bodies.filter((b) => this.isBelt(b))) {
      const w = times.length > 1 ? this.way(belt) : null;
      if (w) for (const x of [w.low, w.high]) add(w.point(x, -this.size), 0.3 * this.size);
    }
    if (!box) return [-1, 1, -1, 1];
    if (!(box[1] - box[0] > 0) && !(box[3] - box[2] > 0)) return [box[0] - 1, box[1] + 1, box[2] - 1, box[3] + 1];
    return box;
  }

  // The stretch of line that the bodies on a surface (or on the ground) use, with room beside it.
  way(surface) {
    const on = this.model.contacts.filter((c) => (this.bodies[c.bodies[1]] ?? null) === surface).map((c) => this.bodies[c.bodies[0]]).filter((b) => b?.kind === "line");
    if (!on.length) return null;
    const b0 = on[0], d = b0.direction, n = this.normalOf(b0);
    let low = Infinity, high = -Infinity, base = 0;
    for (const b of on) {
      const own = b.shift[0] * d[0] + b.shift[1] * d[1] + (b.origin[0] - b0.origin[0]) * d[0] + (b.origin[1] - b0.origin[1]) * d[1];
      const [x0, x1] = extent(b.x ?? [0]);
      low = Math.min(low, own + x0 - b.half - 0.5 * b.radius);
      high = Math.max(high, own + x1 + b.half + 0.5 * b.radius);
      base = Math.max(base, b.radius);
    }
    return {
      low, high, direction: d, normal: n, radius: base,
      point: (x, up) => [b0.origin[0] + x * d[0] + up * n[0], b0.origin[1] + x * d[1] + up * n[1]],
    };
  }
}

// How large a box is.
const reach = (b) => Math.max(b[1] - b[0], b[3] - b[2]);

// Whether two results are of one machine, so that they can be laid over one another.
export function sameMachine(a, b) {
  const names = (s) => JSON.stringify([s.model.dim, ...["bodies", "drums", "cables"].map((k) => s.model[k].map((x) => x.name))]);
  return names(a) === names(b);
}

function span(x) {
  if (!x) return 0;
  const [a, b] = extent(x);
  return b - a;
}

// The range without the rarest one percent at each end, which would leave one colour for all the rest.
function most98(values) {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort(), n = sorted.length - 1;
  return n < 0 ? [0, 1] : [sorted[Math.floor(0.01 * n)], sorted[Math.ceil(0.99 * n)]];
}

function merge(a, b) { return a ? [Math.min(a[0], b[0]), Math.max(a[1], b[1])] : [...b]; }
