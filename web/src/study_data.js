// study_data.js - the points of a study: columns, the ranges that people brush, and the points within them.
import { decode, extent } from "./data.js";

export const STEPS = 1024; // positions along an axis
export const NONE = STEPS; // of a point without a value
export const STATUS = ["ok", "limit", "failed"];

export class Study {
  constructor(raw) {
    Object.assign(this, raw);
    this.n = this.point.length;
    this.parameters = this.columns.filter((c) => c.kind === "parameter");
    this.outputs = this.columns.filter((c) => c.kind === "output");
    this.axes = [...this.parameters, ...this.outputs];
    this.axes.forEach((c, i) => this.prepare(c, i));
    this.ranges = new Map(); // column -> [low, high]
    this.selected = new Uint8Array(this.n).fill(1);
    this.count = this.n;
    this.rowOf = new Map();
    for (let i = 0; i < this.n; i++) this.rowOf.set(this.point[i], i);
    this.listeners = [];
  }

  // Range, and the position of every point along it.
  prepare(c, index) {
    c.index = index;
    let [low, high] = c.words ? [0, c.words.length - 1] : extent(c.data);
    if (!(high > low)) { const room = Math.abs(low) * 0.05 || 0.5; low -= room; high += room; }
    Object.assign(c, { from: low, to: high });
    const at = new Uint16Array(this.n), scale = (STEPS - 1) / (high - low), d = c.data;
    for (let i = 0; i < this.n; i++) at[i] = Number.isFinite(d[i]) ? Math.round((d[i] - low) * scale) : NONE;
    c.at = at;
  }

  listen(f) { this.listeners.push(f); }

  // Sets or clears the range of a column; several changes in one frame are one.
  setRange(column, range) {
    if (range) this.ranges.set(column, range); else this.ranges.delete(column);
    this.changed();
  }

  clear() { this.ranges.clear(); this.changed(); }

  changed() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      const start = performance.now();
      this.waiting = 0;
      this.select();
      this.listeners.forEach((f) => f());
      document.documentElement.dataset.took = (performance.now() - start).toFixed(1); // for the tests [ms]
    });
  }

  select() {
    const s = this.selected.fill(1), n = this.n;
    for (const [c, [low, high]] of this.ranges) {
      const d = c.data;
      for (let i = 0; i < n; i++) if (!(d[i] >= low && d[i] <= high)) s[i] = 0;
    }
    let count = 0;
    for (let i = 0; i < n; i++) count += s[i];
    this.count = count;
  }

  // Mean, deviation and extremes of a column over the points that are selected.
  summary(column) {
    const d = column.data, s = this.selected;
    let n = 0, mean = 0, squares = 0, least = Infinity, most = -Infinity;
    for (let i = 0; i < this.n; i++) {
      const v = d[i];
      if (!s[i] || !Number.isFinite(v)) continue;
      const change = v - mean;
      mean += change / ++n;
      squares += change * (v - mean);
      if (v < least) least = v;
      if (v > most) most = v;
    }
    return { n, mean: n ? mean : NaN, deviation: n > 1 ? Math.sqrt(squares / (n - 1)) : NaN, least: n ? least : NaN, most: n ? most : NaN };
  }

  // How many points fall into each of `bins` equal parts of an axis: all, and those that are selected.
  histogram(column, bins) {
    const all = new Uint32Array(bins), some = new Uint32Array(bins), at = column.at, s = this.selected;
    for (let i = 0; i < this.n; i++) {
      if (at[i] === NONE) continue;
      const k = (at[i] * bins) >> 10;
      all[k]++;
      some[k] += s[i];
    }
    return { all, some };
  }
}

export const readStudy = async (packed) => new Study(await decode(packed));
