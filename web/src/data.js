// data.js - what the page carries: one gzip stream, base64, in <script id="data">.
//
// The stream is [u32 length of header][JSON header][arrays]. An array in the header is an object:
//   {n, c}                            n times the constant c
//   {n, at, f64: 1}                   n doubles, little-endian
//   {n, at, min, step, order, stride} codes: 0 is NaN, k > 0 is min + (k - 1) step; differenced `order` times over
//                                     `stride`, zigzagged, and stored as four byte planes
// `at` counts bytes from the end of the header. cli/report_data.c writes it.

const ROPE_DENSITY = 5000; // of a steel wire rope with its voids [kg/m3]: how thick a cable is drawn whose diameter is not given

const FROM64 = new Uint8Array(128);
for (let i = 0; i < 64; i++) FROM64["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i;

export function fromBase64(text) {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 61) length--;
  const out = new Uint8Array((length * 3) >> 2);
  let k = 0;
  for (let i = 0; i < length; i += 4) {
    const bits = (FROM64[text.charCodeAt(i)] << 18) | (FROM64[text.charCodeAt(i + 1)] << 12) |
      (i + 2 < length ? FROM64[text.charCodeAt(i + 2)] << 6 : 0) | (i + 3 < length ? FROM64[text.charCodeAt(i + 3)] : 0);
    if (k < out.length) out[k++] = bits >> 16;
    if (k < out.length) out[k++] = bits >> 8;
    if (k < out.length) out[k++] = bits;
  }
  return out;
}

export async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function decodeArray(a, bytes) {
  const out = new Float64Array(a.n);
  if (a.c !== undefined) return out.fill(a.c === null ? NaN : a.c);
  if (a.f64) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + a.at, 8 * a.n);
    for (let i = 0; i < a.n; i++) out[i] = view.getFloat64(8 * i, true);
    return out;
  }
  const n = a.n, codes = new Uint32Array(n);
  for (let i = 0, p = a.at; i < n; i++, p++) {
    const z = (bytes[p] | (bytes[p + n] << 8) | (bytes[p + 2 * n] << 16) | (bytes[p + 3 * n] << 24)) >>> 0;
    codes[i] = a.order > 0 ? (z >>> 1) ^ -(z & 1) : z;
  }
  for (let pass = 0; pass < a.order; pass++) for (let i = a.stride; i < n; i++) codes[i] += codes[i - a.stride];
  for (let i = 0; i < n; i++) out[i] = codes[i] === 0 ? NaN : a.min + (codes[i] - 1) * a.step;
  return out;
}

// Puts decoded arrays in the place of their descriptions.
function resolve(value, bytes) {
  if (value === null || typeof value !== "object") return value;
  if (value.n !== undefined && (value.at !== undefined || value.c !== undefined)) return decodeArray(value, bytes);
  for (const key of Object.keys(value)) value[key] = resolve(value[key], bytes);
  return value;
}

export const load = async (element) => unpack(fromBase64(element.textContent.trim()));

// What a gzip stream holds: the header, with its arrays in place.
export async function decode(packed) {
  const bytes = await gunzip(packed);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return resolve(header, bytes.subarray(4 + length));
}

// The runs in it.
export async function unpack(packed) {
  const all = await decode(packed);
  all.runs = all.runs.map((r, i) => new Run(r, i));
  return all;
}

const ropeDiameter = (model) => model.diameter || Math.sqrt((4 * (model.mass_per_length ?? 0)) / (Math.PI * ROPE_DENSITY));

// A field of nodes that move along the cable, at part w of the way from frame i to the next: at the nodes of frame i, which are in
// along.now after it.
function alongAt(field, i, w, out) {
  const n = field.points, m = field.components, d = field.data, { all, now } = field.along;
  const here = i * n, next = here + n;
  for (let k = 0; k < n; k++) now[k] = all[here + k];
  for (let k = 0; k < n * m; k++) out[k] = d[here * m + k];
  for (let k = 0, j = 0; w > 0 && k < n; k++) {
    while (j < n - 2 && all[next + j + 1] < now[k]) j++;
    const a = all[next + j], b = all[next + j + 1], u = Math.min(1, Math.max(0, (now[k] - a) / (b - a)));
    for (let c = 0; c < m; c++) {
      const from = d[(next + j) * m + c], to = d[(next + j + 1) * m + c];
      out[k * m + c] += w * (from + u * (to - from) - out[k * m + c]);
    }
  }
  return out;
}

// Contact of a cable whose points move along it, at places that stay: each shows the nearest point, if that is near.
const PLACES = 1000;
function stayingContacts(get, frames) {
  const s = get("contact.s"), state = get("contact.state");
  if (!s || !state) return {};
  const m = s.points;
  let low = Infinity, high = -Infinity, pitch = Infinity;
  for (let k = 0; k < state.data.length; k++)
    if (state.data[k] >= 1) {
      low = Math.min(low, s.data[k]);
      high = Math.max(high, s.data[k]);
      if (k % m > 0 && s.data[k] > s.data[k - 1]) pitch = Math.min(pitch, s.data[k] - s.data[k - 1]);
    }
  if (!(low <= high)) return {};
  const n = Math.max(2, Math.min(PLACES, Math.ceil((high - low) / Math.min(pitch, high - low || 1)) + 1));
  const contactS = Float64Array.from({ length: n }, (_, k) => low + ((high - low) * k) / (n - 1)), reach = Math.max(pitch, (high - low) / (n - 1));
  const nearest = new Int32Array(n * frames);
  for (let f = 0; f < frames; f++)
    for (let k = 0, j = 0; k < n; k++) {
      while (j < m - 1 && Math.abs(s.data[f * m + j + 1] - contactS[k]) <= Math.abs(s.data[f * m + j] - contactS[k])) j++;
      nearest[f * n + k] = Math.abs(s.data[f * m + j] - contactS[k]) <= reach ? f * m + j : -1;
    }
  const out = { contactS };
  for (const what of ["normal", "friction", "slip", "state", "drum"]) {
    const field = get(`contact.${what}`), away = what === "drum" ? -1 : 0;
    if (field) out[what] = { ...field, points: n, data: Float64Array.from(nearest, (k) => (k < 0 ? away : field.data[k])) };
  }
  return out;
}

// The last index with x[i] <= value, at least 0.
export function indexAt(x, value) {
  let low = 0, high = x.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x[middle] <= value) low = middle; else high = middle - 1;
  }
  return low;
}

export function valueAt(x, y, value) {
  const n = x.length;
  if (n === 0) return NaN;
  if (value <= x[0]) return y[0];
  if (value >= x[n - 1]) return y[n - 1];
  const i = indexAt(x, value), w = (value - x[i]) / (x[i + 1] - x[i]);
  return w === 0 || !(x[i + 1] > x[i]) ? y[i] : y[i] + w * (y[i + 1] - y[i]);
}

export function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

export function integral(x, y) {
  const out = new Float64Array(x.length);
  for (let i = 1; i < x.length; i++) out[i] = out[i - 1] + 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1]);
  return out;
}

// One result.
export class Run {
  constructor(raw, index) {
    Object.assign(this, raw);
    this.index = index;
    this.columns.forEach((c) => { c.key = c.name; });
    this.times = this.columns[0].data;
    this.byName = new Map(this.columns.map((c) => [c.name, c]));
    this.frames = this.fields.times;
    this.field = new Map(this.fields.list.map((f) => [f.name, f]));
    this.cables = this.model.cables.map((c) => this.cable(c)).filter(Boolean);
    this.deriveColumns();
    for (const m of this.measured ?? []) this.add(`measured ${m.name}`, m.unit, m.data, m.x, { points: true, of: m.name });
  }

  get from() { return this.times.length ? this.times[0] : this.run.from; }
  get until() {
    const t = this.times.length ? this.times[this.times.length - 1] : this.run.from;
    if (!this.frames.length) return t;
    // Of a run that goes on, as far as both rows and frames go.
    return (this.status === "running" ? Math.min : Math.max)(t, this.frames[this.frames.length - 1]);
  }

  column(name) { return this.byName.get(name); }
  data(name) { return this.byName.get(name)?.data; }
  at(name, t) {
    const c = this.byName.get(name);
    return c ? valueAt(c.x ?? this.times, c.data, t) : NaN;
  }

  // Fields of a cable in one object; null if none was recorded.
  cable(model) {
    const get = (what) => this.field.get(`cables.${model.name}.${what}`);
    const position = get("position"), s = get("s");
    if (!position || !s || !this.frames.length) return null;
    if (s.data.length > s.points) return this.movingCable(model, get, position, s);
    return {
      model, name: model.name, diameter: ropeDiameter(model), s: s.data, position, tension: get("tension"),
      contactS: get("contact.s")?.data, normal: get("contact.normal"), friction: get("contact.friction"),
      slip: get("contact.slip"), state: get("contact.state"), drum: get("contact.drum"),
    };
  }

  // The same of a cable whose nodes move along it: `s` is that of the last place that was asked for, and what touches is put onto
  // places that stay.
  movingCable(model, get, position, s) {
    const along = { all: s.data, now: s.data.slice(0, s.points) }, tension = get("tension");
    position.along = along;
    if (tension) tension.along = along;
    const contacts = stayingContacts(get, this.frames.length);
    return { model, name: model.name, diameter: ropeDiameter(model), s: along.now, position, tension, ...contacts };
  }

  // Values of a field at a time, between frames: out[points * components]. States are not interpolated.
  fieldAt(field, t, out, smooth = true) {
    const n = field.points * field.components, d = field.data, f = this.frames;
    if (!out || out.length !== n) out = new Float64Array(n);
    const i = indexAt(f, t), last = i >= f.length - 1 || t <= f[0];
    const w = last || !smooth ? 0 : (t - f[i]) / (f[i + 1] - f[i]);
    if (field.along) return alongAt(field, i, w, out);
    for (let k = 0, a = i * n; k < n; k++, a++) out[k] = w > 0 ? d[a] + w * (d[a + n] - d[a]) : d[a];
    return out;
  }

  loadAt(load, t) { return load.force ? valueAt(this.times, load.force, t) : 0; }

  // Times at which a contact changes between stick and slip: {start: slips at the beginning, times: [...]}. Events are exact;
  // without them the recorded rows have to do.
  switches(name) {
    this.switchCache ??= new Map();
    if (this.switchCache.has(name)) return this.switchCache.get(name);
    const slips = this.data(`contacts.${name}.slips`), index = this.model.contacts.findIndex((c) => c.name === name);
    const out = { start: slips?.[0] > 0.5, times: [] }, e = this.events;
    let now = out.start;
    const change = (time, to) => { if (to !== now) { out.times.push(time); now = to; } };
    const own = [];
    for (let i = 0; i < e.time.length; i++) if (e.contact[i] === index) own.push(i);
    if (own.length && e.total === e.time.length) {
      out.start = now = /^slip/.test(e.what[e.kind[own[0]]]);
      for (const i of own) change(e.time[i], / -> slip/.test(e.what[e.kind[i]]));
    } else if (slips) for (let i = 0; i < slips.length; i++) change(this.times[i], slips[i] > 0.5);
    else this.switchesByVelocity(name, out, change);
    this.switchCache.set(name, out);
    return out;
  }

  // Where nothing else is recorded: what moves visibly slips.
  switchesByVelocity(name, out, change) {
    const v = this.data(`contacts.${name}.v`);
    if (!v) return;
    const least = 1e-4 * Math.max(...extent(v).map(Math.abs));
    for (let i = 0; i < v.length; i++) change(this.times[i], Math.abs(v[i]) > least);
  }

  slipsAt(name, t) {
    const s = this.switches(name);
    let n = 0;
    if (s.times.length && t >= s.times[0]) n = indexAt(s.times, t) + 1;
    return n % 2 ? !s.start : s.start;
  }

  add(name, unit, data, x, more) {
    if (this.byName.has(name)) return;
    const c = { name, unit, data, x, ...more };
    this.columns.push(c);
    this.byName.set(name, c);
  }

  // Columns over frame times that follow from the fields: largest and end tensions, share that slips, wrap.
  deriveColumns() {
    const add = (name, unit, data) => this.add(name, unit, data, this.frames);
    const frames = this.frames.length;
    for (const c of this.cables) {
      const n = c.s.length;
      if (c.tension && !this.byName.has(`cables.${c.name}.tension_max`)) {
        const first = new Float64Array(frames), last = new Float64Array(frames), most = new Float64Array(frames);
        for (let k = 0; k < frames; k++) {
          first[k] = c.tension.data[k * n];
          last[k] = c.tension.data[k * n + n - 1];
          most[k] = -Infinity;
          for (let i = 0; i < n; i++) most[k] = Math.max(most[k], c.tension.data[k * n + i]);
        }
        add(`cables.${c.name}.tension_start`, "N", first);
        add(`cables.${c.name}.tension_end`, "N", last);
        add(`cables.${c.name}.tension_max`, "N", most);
      }
      if (c.state) {
        const m = c.state.points, touching = new Float64Array(frames), slipping = new Float64Array(frames);
        for (let k = 0; k < frames; k++)
          for (let i = 0; i < m; i++) {
            const s = c.state.data[k * m + i];
            if (s >= 1) touching[k]++;
            if (s >= 2) slipping[k]++;
          }
        add(`cables.${c.name}.contact.touching`, "1", touching);
        add(`cables.${c.name}.contact.slipping`, "1", slipping);
      }
    }
  }
}
