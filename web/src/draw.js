// draw.js - paints a scene with a 2D context. All lengths given to it are in metres; `view` maps them to pixels.
import { Labels } from "./labels.js";
import { look, ramp, theme } from "./look.js";
import { ARROW } from "./scene.js";

const TAU = 2 * Math.PI;
const SHADES = 60;
const MARK_SPACE = 9, ARROW_SPACE = 12, ARROW_MOST = 46; // between marks and between arrows, and the longest arrow [px]
const BODY_LEAST = 7; // half the smallest body [px]
const NAMES_MOST = 40; // with more things than this only drums and bodies under the pointer have names

function line(g, points, close) {
  g.beginPath();
  points.forEach((p, i) => (i ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
  if (close) g.closePath();
}

export function arrow(g, from, to, color, width = 2) {
  const dx = to[0] - from[0], dy = to[1] - from[1], length = Math.hypot(dx, dy);
  if (!(length > 1.5)) return;
  const ux = dx / length, uy = dy / length, head = Math.min(9, 0.55 * length + 1);
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = width;
  g.lineCap = "butt";
  line(g, [from, [to[0] - ux * head * 0.8, to[1] - uy * head * 0.8]]);
  g.stroke();
  line(g, [to, [to[0] - ux * head - uy * head * 0.45, to[1] - uy * head + ux * head * 0.45], [to[0] - ux * head + uy * head * 0.45, to[1] - uy * head - ux * head * 0.45]], true);
  g.fill();
}

// A round dot sticks, a diamond slips: told apart without colour.
export function stateMark(g, p, slips, size, c) {
  g.fillStyle = slips ? c.slip : c.stick;
  g.strokeStyle = c.paper;
  g.lineWidth = 1.5;
  g.beginPath();
  if (slips) {
    const r = 1.35 * size;
    g.moveTo(p[0], p[1] - r); g.lineTo(p[0] + r, p[1]); g.lineTo(p[0], p[1] + r); g.lineTo(p[0] - r, p[1]); g.closePath();
  } else g.arc(p[0], p[1], size, 0, TAU);
  g.stroke();
  g.fill();
}

function hatch(g, a, b, side, c) {
  const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy), ux = dx / length, uy = dy / length;
  g.strokeStyle = c.metal;
  g.lineWidth = 1.6;
  line(g, [a, b]);
  g.stroke();
  g.lineWidth = 1;
  g.globalAlpha = 0.7;
  g.beginPath();
  for (let s = 4; s < length; s += 9) {
    g.moveTo(a[0] + ux * s, a[1] + uy * s);
    g.lineTo(a[0] + ux * (s - 6) + side[0] * 7, a[1] + uy * (s - 6) + side[1] * 7);
  }
  g.stroke();
  g.globalAlpha = 1;
}

function zigzag(g, a, b, amplitude, coils, c) {
  const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length;
  const lead = Math.min(12, 0.12 * length), points = [a, [a[0] + ux * lead, a[1] + uy * lead]];
  for (let i = 0; i < coils; i++) {
    const s = lead + ((i + 0.5) / coils) * (length - 2 * lead), side = (i % 2 ? -1 : 1) * amplitude;
    points.push([a[0] + ux * s - uy * side, a[1] + uy * s + ux * side]);
  }
  points.push([b[0] - ux * lead, b[1] - uy * lead], b);
  g.strokeStyle = c.metal;
  g.lineWidth = 1.8;
  g.lineJoin = "round";
  line(g, points);
  g.stroke();
}

function roundRect(g, x, y, w, h, r) {
  g.beginPath();
  g.roundRect(x, y, w, h, Math.max(0, Math.min(r, w / 2, h / 2)));
}

export function paint(g, scene, t, view, given) {
  const options = { ...given, theme: given.theme ?? theme() }, c = look(options.theme), ghost = options.ghost;
  const art = { g, scene, t, view, c, options, px: (p) => view.px(p), len: (m) => m * view.scale };
  art.labels = new Labels(g, view.width, view.height, c.paper, c.ink);
  g.globalAlpha = ghost ? 0.8 : 1;
  if (!ghost) {
    drawGround(art);
    for (const b of scene.bodies) if (scene.isBelt(b)) drawBelt(art, b);
    for (const d of scene.model.drums) drawStrap(art, d);
  }
  const carriers = new Set(scene.model.drums.map((d) => scene.carrierOf(d)));
  for (const b of carriers) if (b && scene.shown(b)) drawBody(art, b);
  if (!ghost) {
    for (const d of scene.model.drums) drawDrum(art, d);
    for (const s of scene.model.springs) drawSpring(art, s);
  }
  for (const b of scene.bodies) if (scene.shown(b) && !carriers.has(b)) drawBody(art, b);
  const contacts = [];
  for (const cable of scene.run.cables) contacts.push(drawCable(art, cable));
  if (ghost) { g.globalAlpha = 1; return; }
  for (const list of contacts) {
    for (const k of thin(list, ARROW_SPACE, (k) => Math.hypot(k.n, k.f))) drawCableForce(art, k);
    for (const k of thin(list, MARK_SPACE, (k) => (k.slips ? 1 : 0))) stateMark(g, k.px, k.slips, Math.min(4.4, Math.max(2.2, 0.018 * view.scale)), c);
  }
  if (options.loads) for (const l of scene.model.loads) drawLoad(art, l);
  for (const k of scene.model.contacts) drawContact(art, k);
  if (options.labels) art.labels.draw();
}

// Of contact points in their order along the cable, those that can be told apart: the most important of each stretch of `space` pixels.
function thin(list, space, importance) {
  const out = [];
  let from = null, best = null;
  for (const k of list) {
    if (from && Math.hypot(k.px[0] - from[0], k.px[1] - from[1]) < space && k.drum === best.drum) { if (importance(k) > importance(best)) best = k; continue; }
    if (best) out.push(best);
    best = k;
    from = k.px;
  }
  if (best) out.push(best);
  return out;
}

function drawGround(art) {
  const { g, scene, c } = art, w = scene.way(null);
  if (!w) return;
  const a = art.px(w.point(w.low, 0)), b = art.px(w.point(w.high, 0)), n = [-w.normal[0], w.normal[1]];
  hatch(g, a, b, n, c);
}

// A belt on two rollers; its marks move with it.
function drawBelt(art, belt) {
  const { g, scene, c, t } = art, w = scene.way(belt);
  if (!w) return;
  const r = 0.26 * scene.size, x = (belt.x ? scene.run.at(`surfaces.${belt.name}.x`, t) : 0), length = w.high - w.low;
  const a = w.point(w.low, -r), b = w.point(w.high, -r), pr = art.len(r);
  const A = art.px(a), B = art.px(b), angle = Math.atan2(B[1] - A[1], B[0] - A[0]);
  g.save();
  g.translate(A[0], A[1]);
  g.rotate(angle);
  const L = art.len(length);
  roundRect(g, -pr, -pr, L + 2 * pr, 2 * pr, pr);
  g.fillStyle = c.fill;
  g.fill();
  g.strokeStyle = c.metal;
  g.lineWidth = 2.4;
  g.stroke();
  for (const at of [0, L]) {
    g.beginPath();
    g.arc(at, 0, 0.62 * pr, 0, TAU);
    g.lineWidth = 1.4;
    g.stroke();
    const turn = x / r;
    for (let k = 0; k < 3; k++) {
      const q = turn + (k * TAU) / 3;
      line(g, [[at, 0], [at + 0.62 * pr * Math.cos(q), 0.62 * pr * Math.sin(q)]]);
      g.stroke();
    }
  }
  // Marks along the whole loop, at equal distances.
  const loop = 2 * L + TAU * pr, count = Math.max(4, Math.round(loop / 34)), step = loop / count;
  g.lineWidth = 2;
  for (let k = 0; k < count; k++) {
    const s = (((art.len(x) + k * step) % loop) + loop) % loop;
    let p, n;
    if (s < L) { p = [s, -pr]; n = [0, 1]; }
    else if (s < L + Math.PI * pr) { const q = (s - L) / pr - Math.PI / 2; n = [-Math.cos(q), -Math.sin(q)]; p = [L - pr * n[0], -pr * n[1]]; }
    else if (s < 2 * L + Math.PI * pr) { p = [L - (s - L - Math.PI * pr), pr]; n = [0, -1]; }
    else { const q = (s - 2 * L - Math.PI * pr) / pr + Math.PI / 2; n = [-Math.cos(q), -Math.sin(q)]; p = [-pr * n[0], -pr * n[1]]; }
    line(g, [p, [p[0] + n[0] * 4.5, p[1] + n[1] * 4.5]]);
    g.stroke();
  }
  g.restore();
}

// The cheeks that hold a drum on the body which carries it.
function drawStrap(art, d) {
  const { g, scene, c, t } = art, b = scene.carrierOf(d);
  if (!b) return;
  const p = art.px(scene.drumCenter(d, t)), q = art.px(scene.center(b, t));
  g.strokeStyle = c.metal;
  g.lineCap = "round";
  g.lineWidth = Math.max(4, Math.min(18, 0.36 * art.len(d.radius)));
  line(g, [p, q]);
  g.stroke();
  g.strokeStyle = c.metalFill;
  g.lineWidth -= 3;
  g.stroke();
}

function drawDrum(art, d) {
  const { g, scene, c, t } = art, p = art.px(scene.drumCenter(d, t)), r = art.len(d.radius), angle = scene.drumAngle(d, t);
  const room = r + 0.5 * cableWidth(art) + 3, own = [p[0] - 0.6 * r, p[1] - 0.6 * r, p[0] + 0.6 * r, p[1] + 0.6 * r];
  if (scene.model.drums.length + scene.bodies.length <= NAMES_MOST) art.labels.want(d.name, p[0], p[1], room, room, null);
  art.labels.avoidBox(own);
  const rim = Math.max(2, r - 0.5 * cableWidth(art));
  g.beginPath();
  g.arc(p[0], p[1], rim, 0, TAU);
  if (!art.options.ghost) { g.fillStyle = c.metalFill; g.fill(); }
  g.strokeStyle = c.metal;
  g.lineWidth = 2;
  g.stroke();
  g.save();
  g.translate(p[0], p[1]);
  g.rotate(-angle);
  g.lineWidth = Math.max(1.4, 0.035 * r);
  g.strokeStyle = c.solid;
  for (let k = 0; k < 5; k++) {
    g.rotate(TAU / 5);
    line(g, [[0.17 * r, 0], [0.84 * rim, 0]]);
    g.stroke();
  }
  g.beginPath();
  g.arc(0, 0, 0.84 * rim, 0, TAU);
  g.stroke();
  // One mark on the rim, to count turns by.
  g.beginPath();
  g.arc(0.92 * rim, 0, Math.max(2, 0.045 * r), 0, TAU);
  g.fillStyle = c.accent;
  g.fill();
  g.restore();
  g.beginPath();
  g.arc(p[0], p[1], 0.17 * r, 0, TAU);
  g.fillStyle = c.paper;
  g.fill();
  g.strokeStyle = c.metal;
  g.lineWidth = 1.6;
  g.stroke();
}

function drawSpring(art, s) {
  const { g, scene, t, c } = art, a = art.px(scene.springEnd(s, 0, t)), b = art.px(scene.springEnd(s, 1, t));
  if (s.along_line) trim(art, s, a, b);
  const force = scene.run.at(`springs.${s.name}.force`, t);
  if (s.tension_only) {
    const w = scene.tension ? (force - scene.tension[0]) / (scene.tension[1] - scene.tension[0]) : 0, slack = !(force > 0);
    g.strokeStyle = art.options.ghost || slack ? c.metal : ramp(w, art.options.theme);
    g.lineWidth = slack ? 1.5 : 2.6;
    g.setLineDash(slack ? [4, 4] : []);
    line(g, [a, b]);
    g.stroke();
    g.setLineDash([]);
  } else {
    const room = Math.hypot(b[0] - a[0], b[1] - a[1]), coils = Math.max(4, Math.min(14, Math.round((s.schematic ? art.len(2.2 * scene.size) : room) / 9)));
    zigzag(g, a, b, Math.min(9, Math.max(3, art.len(0.16 * scene.size))), coils, c);
  }
  s.ends.forEach((e, k) => {
    if (e.body !== -1) return;
    const p = k ? b : a;
    if (!s.along_line) {
      g.fillStyle = c.metal;
      g.beginPath();
      g.arc(p[0], p[1], 3.5, 0, TAU);
      g.fill();
      return;
    }
    const q = k ? a : b, l = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1, u = [(q[0] - p[0]) / l, (q[1] - p[1]) / l];
    const h = Math.max(10, art.len(0.42 * scene.size));
    hatch(g, [p[0] - u[1] * h, p[1] + u[0] * h], [p[0] + u[1] * h, p[1] - u[0] * h], [-u[0], -u[1]], c);
  });
}

// A spring on a line ends at the sides of its blocks, not in their middle.
function trim(art, s, a, b) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]), u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const cut = s.ends.map((e) => (e.body < 0 ? 0 : art.len(art.scene.bodies[e.body].half)));
  if (!(cut[0] + cut[1] < length)) return;
  for (const k of [0, 1]) { a[k] += u[k] * cut[0]; b[k] -= u[k] * cut[1]; }
}

function drawBody(art, b) {
  const { g, scene, t, c, options } = art, p = art.px(scene.center(b, t)), r = Math.max(BODY_LEAST, art.len(b.radius)), half = Math.max(r, art.len(b.half));
  const hangs = scene.hangs(b), middle = [p[0], p[1] + (hangs ? 1.1 * r : 0)];
  g.lineWidth = 1.8;
  g.strokeStyle = options.ghost ? c.metal : c.accent;
  g.fillStyle = options.ghost ? "transparent" : mix(c, b.kind === "surface" ? 0.04 : 0.14);
  if (options.ghost) g.setLineDash([4, 3]);
  if (b.kind === "plane" && !scene.run.cables.length) {
    g.beginPath();
    g.arc(p[0], p[1], r, 0, TAU);
  } else {
    g.save();
    g.translate(p[0], p[1]);
    if (b.kind !== "plane") g.rotate(-Math.atan2(b.direction[1], b.direction[0]));
    roundRect(g, -half, hangs ? 0 : -r, 2 * half, hangs ? 2.2 * r : 2 * r, 0.16 * r + 1);
    g.restore();
  }
  if (!options.ghost) { const keep = g.fillStyle; g.fillStyle = c.paper; g.fill(); g.fillStyle = keep; g.fill(); }
  g.stroke();
  g.setLineDash([]);
  if (options.ghost || scene.bodies.length > NAMES_MOST) return;
  const box = [middle[0] - half, middle[1] - r, middle[0] + half, middle[1] + r];
  art.labels.avoidBox(box);
  art.labels.want(b.name, middle[0], middle[1], half, r, box);
}

function mix(c, alpha) {
  const v = parseInt(c.accent.slice(1), 16);
  return `rgba(${v >> 16},${(v >> 8) & 255},${v & 255},${alpha})`;
}

const NODE_LEAST = 1.5; // pixels between nodes that are drawn; the error of the chord is far below a pixel

// As thick as it is, but never too thin to show its colour.
const cableWidth = (art) => Math.min(0.1 * art.view.height, Math.max(3.2, 1.02 * art.len(Math.max(0, ...art.scene.run.cables.map((c) => c.diameter)))));

// A smooth curve through the nodes (Catmull-Rom), coloured by tension. Gives back what touches.
function drawCable(art, cable) {
  const { g, scene, t, c, options, view } = art, points = scene.cablePoints(cable, t), dim = points.dim;
  // Nodes that cannot be told apart on the screen are one: what strokes cost is their number.
  const P = [], T = points.tension ? [] : null;
  for (let i = 0; i < points.n; i++) {
    const q = view.px([points.p[i * dim], points.p[i * dim + 1]]), before = P[P.length - 1];
    if (i && i < points.n - 1 && Math.hypot(q[0] - before[0], q[1] - before[1]) < NODE_LEAST) continue;
    P.push(q);
    T?.push(points.tension[i]);
  }
  const n = P.length;
  const parts = n > 600 ? 1 : n > 150 ? 2 : 5, width = cableWidth(art);
  const curve = (i, w) => {
    const a = P[Math.max(0, i - 1)], b = P[i], d = P[i + 1], e = P[Math.min(n - 1, i + 2)], w2 = w * w, w3 = w2 * w;
    return [0, 1].map((k) => 0.5 * (2 * b[k] + (d[k] - a[k]) * w + (2 * a[k] - 5 * b[k] + 4 * d[k] - e[k]) * w2 + (3 * b[k] - a[k] - 3 * d[k] + e[k]) * w3));
  };
  g.lineCap = "round";
  g.lineJoin = "round";
  const whole = () => { g.beginPath(); g.moveTo(P[0][0], P[0][1]); for (let i = 0; i < n - 1; i++) for (let k = 1; k <= parts; k++) { const q = curve(i, k / parts); g.lineTo(q[0], q[1]); } };
  if (options.ghost) {
    whole();
    g.setLineDash([5, 5]);
    g.strokeStyle = c.ink;
    g.lineWidth = 1.5;
    g.stroke();
    g.setLineDash([]);
    return [];
  }
  let last = null;
  for (const p of P) if (!last || Math.hypot(p[0] - last[0], p[1] - last[1]) > 6) { if (last) fill(art.labels, last, p); last = p; }
  whole();
  g.strokeStyle = c.paper;
  g.lineWidth = width + 3;
  g.stroke();
  g.lineWidth = width;
  g.lineCap = "butt";
  const [low, high] = scene.tension ?? [0, 1];
  // Neighbours of the same shade are one stroke, so that no seams show.
  let shade = null, stroke = [P[0]];
  const finish = () => { if (shade !== null) { g.strokeStyle = T ? ramp(shade / SHADES, options.theme) : c.metal; line(g, stroke); g.stroke(); } };
  for (let i = 0; i < n - 1; i++) {
    for (let k = 0; k < parts; k++) {
      const w = (k + 0.5) / parts, own = T ? Math.round((SHADES * (T[i] * (1 - w) + T[i + 1] * w - low)) / (high - low)) : 0;
      if (own !== shade) { finish(); stroke = stroke.slice(-1); shade = own; }
      stroke.push(curve(i, (k + 1) / parts));
    }
  }
  finish();
  cable.model.ends?.forEach((e, k) => { if (e.kind === "pinned" || e.kind === "clamped") drawHold(art, P[k ? n - 1 : 0]); });
  const contacts = scene.cableContacts(cable, t, points);
  for (const k of contacts) k.px = view.px(k.at);
  return contacts;
}

// Names keep off the rope between two of its points, too.
function fill(labels, a, b) {
  const n = Math.min(40, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 6));
  for (let i = 0; i <= n; i++) labels.avoidPoint([a[0] + ((b[0] - a[0]) * i) / n, a[1] + ((b[1] - a[1]) * i) / n]);
}

function drawHold(art, p) {
  const { g, c } = art;
  g.fillStyle = c.metalFill;
  g.strokeStyle = c.metal;
  g.lineWidth = 1.6;
  line(g, [p, [p[0] - 7, p[1] + 12], [p[0] + 7, p[1] + 12]], true);
  g.fill();
  g.stroke();
}

// The force of a drum on a cable: normal outwards, friction along the drum's tangent; what is switched off is left out.
function drawCableForce(art, k) {
  const { g, scene, t, c, options } = art, d = scene.model.drums[k.drum] ?? scene.model.drums[0];
  if (!d || !(scene.contactMost > 0)) return;
  const o = scene.drumCenter(d, t), r = Math.hypot(k.at[0] - o[0], k.at[1] - o[1]) || 1, n = [(k.at[0] - o[0]) / r, (k.at[1] - o[1]) / r];
  const per = Math.min(ARROW * art.len(d.radius), ARROW_MOST) / scene.contactMost, N = options.normal ? k.n : 0, F = options.friction ? k.f : 0;
  g.globalAlpha = 0.9;
  arrow(g, k.px, [k.px[0] + per * (N * n[0] - F * n[1]), k.px[1] - per * (N * n[1] + F * n[0])], k.slips ? c.slip : c.stick, 1.7);
  g.globalAlpha = 1;
}

function drawLoad(art, l) {
  const { g, scene, t, c } = art, b = scene.bodies[l.body];
  if (!b || !l.force || !(scene.loadMost > 0)) return;
  const value = scene.run.loadAt(l, t), p = art.px(scene.center(b, t)), size = Math.max(26, art.len(0.9 * scene.size)) * (value / scene.loadMost);
  const d = [l.direction[0], -l.direction[1]], r = Math.max(BODY_LEAST, art.len(b.radius)) + 4, side = value < 0 ? -1 : 1;
  const from = [p[0] + side * d[0] * r, p[1] + side * d[1] * r];
  arrow(g, from, [from[0] + d[0] * size, from[1] + d[1] * size], c.accent, 2.4);
}

// Friction on a block, at the surface that it slides on.
function drawContact(art, k) {
  const { g, scene, t, c, options } = art, b = scene.bodies[k.bodies[0]];
  if (!b) return;
  const f = scene.run.at(`contacts.${k.name}.f`, t), slips = scene.run.slipsAt(k.name, t), n = scene.normalOf(b), m = scene.center(b, t);
  const foot = [m[0] - n[0] * b.radius, m[1] - n[1] * b.radius], p = art.px(foot), d = [b.direction[0], -b.direction[1]];
  if (options.friction && scene.frictionMost > 0) {
    const size = Math.max(30, art.len(1.5 * scene.size)) * (f / scene.frictionMost);
    arrow(g, p, [p[0] + d[0] * size, p[1] + d[1] * size], slips ? c.slip : c.stick, 2.6);
  }
  stateMark(g, p, slips, Math.min(5.5, Math.max(2.4, art.len(0.11 * scene.size))), c);
}
