// synthetic.mjs - a made-up result with a cable on a driven drum, for looking at and testing the report's views of cables without
// a simulation: a cable of 40 elements over a drum of radius 0.25 m, 1 m hanging on each side with 10 kg, and a spiral in space.
// usage: node synthetic.mjs OUT.html [plane|space] [elements] [warning]
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../../web/dist");
const elements = Number(process.argv[4] ?? 40), warnings = process.argv.slice(5);
const R = 0.25, HANG = 1, N = elements + 1, FRAMES = 201, T = 10, MASS = 10, G = 9.81, RHO = 0.4555, MU = 0.25, LENGTH = 2 * HANG + Math.PI * R;

// Angle of the drum: a quarter turn, there and back, with a smooth start.
const angle = (t) => (Math.PI / 2) * Math.sin((Math.PI * t) / T) ** 2;
const rate = (t) => (angle(t + 1e-4) - angle(t - 1e-4)) / 2e-4;
const acceleration = (t) => (angle(t + 1e-3) - 2 * angle(t) + angle(t - 1e-3)) / 1e-6;

// Where arc length a of the path is, a = 0 at the left load at rest; the drum's top is at a = HANG + pi R / 2.
function along(a) {
  if (a < HANG) return [-R, a - HANG];
  const q = (a - HANG) / R;
  if (q < Math.PI) return [-R * Math.cos(q), R * Math.sin(q)];
  return [R, -(a - HANG - Math.PI * R)];
}

// One frame of the cable at time t: positions, tension, contact.
function frame(t, space) {
  const shift = R * angle(t), out = { position: [], tension: [], normal: [], friction: [], slip: [], state: [], drum: [] };
  const left = (MASS + RHO * (HANG + shift)) * (G - R * acceleration(t)) + 6 * rate(t), right = (MASS + RHO * (HANG - shift)) * (G + R * acceleration(t)) - 6 * rate(t);
  const run = Math.abs(Math.log(left / right)) / MU, turning = rate(t) >= 0;
  for (let i = 0; i < N; i++) {
    const a = (LENGTH * i) / (N - 1) - shift, p = along(a), q = (a - HANG) / R;
    out.position.push(p[0], p[1]);
    if (space) out.position.push(0.12 * (a / LENGTH - 0.5));
    const touches = q > 0.02 && q < Math.PI - 0.02;
    // The slip arc lies where the cable runs off: on the left while the drum turns to the left.
    const from = turning ? q : Math.PI - q, slips = touches && from < run;
    const high = turning ? left : right, low = turning ? right : left, sign = Math.sign(Math.log(high / low)) || 1;
    const tension = q <= 0 ? left - RHO * G * Math.max(0, HANG + shift - (LENGTH * i) / (N - 1)) : q >= Math.PI ? right : slips ? high * Math.exp(-sign * MU * from) : low;
    out.tension.push(tension);
    const h = LENGTH / (N - 1), n = touches ? (tension * h) / R : 0;
    out.normal.push(n);
    out.friction.push(slips ? (turning ? -1 : 1) * sign * MU * n : 0.05 * n * Math.sin(3 * q));
    out.slip.push(slips ? 2e-4 * (run - from) * (turning ? 1 : -1) : 0);
    out.state.push(touches ? (slips ? 2 : 1) : 0);
    out.drum.push(touches ? 0 : -1);
  }
  return { ...out, left, right };
}

export function synthetic({ space = false, label = "pulley.results", scale = 1 } = {}) {
  const arrays = [];
  let at = 0;
  const put = (values) => {
    const data = Float64Array.from(values), a = { n: data.length, at, f64: 1 };
    arrays.push(Buffer.from(data.buffer));
    at += data.byteLength;
    return a;
  };
  const times = Array.from({ length: FRAMES }, (_, k) => (T * k) / (FRAMES - 1)), frames = times.map((t) => frame(t, space));
  const all = (key) => put(frames.flatMap((f) => f[key]));
  const s = Array.from({ length: N }, (_, i) => (LENGTH * i) / (N - 1));
  const field = (name, unit, data, components = 1, constant = false) => ({ name: `cables.rope.${name}`, unit, points: N, components, constant, data });
  const drumTorque = frames.map((f) => R * (f.left - f.right)), x = (f, i) => f.position[(space ? 3 : 2) * i + 1];
  const friction = times.map((t, k) => 0.02 * k * scale), work = times.map((t, k) => drumTorque.slice(0, k + 1).reduce((sum, m, j) => sum + m * rate(times[j]) * (T / (FRAMES - 1)), 0));
  const column = (name, unit, values) => ({ name, unit, data: put(values) });
  const header = {
    format: 1, version: "0.2.0",
    runs: [{
      label, title: space ? "Cable on a drum, in space" : "Motorised pulley", status: "complete", error: null, version: "0.2.0", file: "pulley.yaml", hash: "0".repeat(64), wall: 0.24, settings: [], warnings,
      scenario: "capstan: 1\ntitle: Motorised pulley # made up\ndrums:\n  pulley: {radius: 250 mm}\n",
      run: { solver: "alpha", from: 0, until: T, reached: T, tolerance: 1e-6, absolute_tolerance: 1e-9 },
      energy: { initial: 0, kinetic: 0, elastic: 1, gravity: 3.9, load_work: 0, motion_work: 9, friction: 4, damping: 0.1, solver: 0, error: 1e-5, scale: 9 },
      counters: { steps: 1000, rejected: 3, evaluations: 2500, newton: 2500, factorisations: 2500, events: 0 }, rows_total: FRAMES,
      columns: [column("time", "s", times), column("bodies.left.x", "m", times.map(() => -R)), column("bodies.left.y", "m", frames.map((f) => x(f, 0) * scale)), column("bodies.right.x", "m", times.map(() => R)),
        column("bodies.right.y", "m", frames.map((f) => x(f, N - 1))), column("bodies.left.vy", "m/s", times.map((t) => -R * rate(t))), column("bodies.right.vy", "m/s", times.map((t) => R * rate(t))),
        column("drums.pulley.angle", "rad", times.map(angle)), column("drums.pulley.rate", "rad/s", times.map(rate)), column("drums.pulley.torque", "N m", drumTorque),
        column("energy.kinetic", "J", times.map((t) => 0.5 * 2 * MASS * (R * rate(t)) ** 2)), column("energy.elastic", "J", times.map(() => 0.02)), column("energy.gravity", "J", times.map(() => 0)),
        column("energy.friction", "J", friction), column("energy.damping", "J", times.map(() => 0)), column("energy.load_work", "J", times.map(() => 0)), column("energy.motion_work", "J", work), column("energy.error", "J", times.map((t) => 1e-6 * Math.sin(5 * t)))],
      events: { total: 0, time: put([]), contact: put([]), kind: put([]), what: [] },
      fields: {
        total: FRAMES, times: put(times),
        list: [field("s", "m", put(s), 1, true), field("position", "m", all("position"), space ? 3 : 2), field("tension", "N", all("tension")), field("contact.s", "m", put(s), 1, true), field("contact.normal", "N", all("normal")),
          field("contact.friction", "N", all("friction")), field("contact.slip", "m/s", all("slip")), field("contact.state", "1", all("state")), field("contact.drum", "1", all("drum"))],
      },
      model: {
        dim: space ? 3 : 2, gravity: [0, -G, 0], springs: [], contacts: [], loads: [],
        bodies: ["left", "right"].map((name, k) => ({ name, kind: "plane", mass: MASS, origin: [0, 0, 0], direction: [1, 0, 0], x0: [k ? R : -R, -HANG, 0] })),
        drums: [{ name: "pulley", radius: R, center: [0, 0, 0], axis: [0, 0, 1], carrier: -1, shift: [null, null, null] }],
        cables: [{ name: "rope", closed: false, law: "cdq", ends: [{ kind: "body", body: 0 }, { kind: "body", body: 1 }] }],
      },
    }],
  };
  const json = Buffer.from(JSON.stringify(header)), size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  return Buffer.concat([size, json, ...arrays]);
}

export function page(payload, space) {
  const read = (name) => readFileSync(join(dist, name), "utf8"), packed = (data) => gzipSync(data).toString("base64");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Synthetic</title><style>${read("report.css")}</style></head>
<body><script type="text/plain" id="data">${packed(payload)}</script>${space ? `<script type="text/plain" id="space">${packed(Buffer.from(read("space.js")))}</script>` : ""}
<script>${read("report.js")}</script></body></html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const space = process.argv[3] === "space";
  writeFileSync(process.argv[2], page(synthetic({ space }), space));
}
