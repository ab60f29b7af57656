// study_data.js - the points of a study: columns, the ranges that people brush, and the points within them.
//
// A move of a range looks at the points between its old and its new bounds alone, and leaves a list of those that came or went. Counts
// (Bars, Cells) follow that list, so that a move costs what it changes, and not what the table holds.
import { decode, extent } from "./data.js";

export const STEPS = 1024; // positions along an axis
export const NONE = STEPS; // of a point without a value
export const MANY = 20000; // points from which on drawings are drafts while a range moves
const REST = 120; // without a change, and what is a draft is drawn in full [ms]
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
    this.applied = new Map(); // the ranges that `selected` has
    this.selected = new Uint8Array(this.n).fill(1);
    this.misses = new Uint16Array(this.n); // of every point, ranges that it is not in
    this.moved = new Uint32Array(this.n); // points that came or went with the last change: movedCount of them
    this.movedCount = this.version = this.work = 0;
    this.moving = false;
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
      this.waiting = this.work = 0;
      this.select();
      this.moving = this.n >= MANY;
      this.listeners.forEach((f) => f());
      clearTimeout(this.timer);
      if (this.moving) this.timer = setTimeout(() => this.rest(), REST);
      // For the tests: milliseconds, and points that were looked at, once for each count that they are in.
      Object.assign(document.documentElement.dataset, { took: (performance.now() - start).toFixed(1), work: String(this.work), resting: String(!this.moving) });
    });
  }

  // Everything in full again, one drawing after the other, so that a new move need not wait for all of them.
  rest() {
    this.moving = false;
    const left = [...this.listeners], next = () => {
      if (this.moving) return;
      left.shift()?.();
      if (left.length) this.timer = setTimeout(next); else document.documentElement.dataset.resting = "true";
    };
    next();
  }

  // Points by position along a column, and where each position starts.
  ordered(c) {
    if (c.order) return c;
    const first = new Uint32Array(STEPS + 2), order = new Uint32Array(this.n), at = c.at;
    for (let i = 0; i < this.n; i++) first[at[i] + 1]++;
    for (let k = 0; k <= STEPS; k++) first[k + 1] += first[k];
    const next = first.slice();
    for (let i = 0; i < this.n; i++) order[next[at[i]]++] = i;
    return Object.assign(c, { order, first });
  }

  // Positions whose points may change sides as a range moves, as [from, to] without overlaps.
  between(c, before, after) {
    const step = (v) => Math.max(0, Math.min(STEPS - 1, Math.round(((v - c.from) * (STEPS - 1)) / (c.to - c.from))));
    const one = before ?? after, low = step(one[0]), high = step(one[1]);
    if (!before || !after) return high > low ? [[0, low], [high, NONE]] : [[0, NONE]];
    const other = [step(after[0]), step(after[1])], a = [Math.min(low, other[0]), Math.max(low, other[0])], b = [Math.min(high, other[1]), Math.max(high, other[1])];
    return a[1] < b[0] ? [a, b] : [[a[0], Math.max(a[1], b[1])]];
  }

  // Brings `selected` to the ranges; `moved` lists the points that came or went.
  select() {
    const changed = [], { misses, selected, moved } = this;
    for (const c of new Set([...this.applied.keys(), ...this.ranges.keys()])) {
      const before = this.applied.get(c) ?? null, after = this.ranges.get(c) ?? null;
      if (before && after && before[0] === after[0] && before[1] === after[1]) continue;
      const { order, first, data: d } = this.ordered(c);
      for (const [from, to] of this.between(c, before, after)) {
        for (let k = first[from]; k < first[to + 1]; k++) {
          const i = order[k], v = d[i], was = before !== null && !(v >= before[0] && v <= before[1]), is = after !== null && !(v >= after[0] && v <= after[1]);
          if (was !== is) { misses[i] += is ? 1 : -1; changed.push(i); }
        }
        this.work += first[to + 1] - first[from];
      }
      if (after) this.applied.set(c, [...after]); else this.applied.delete(c);
    }
    this.movedCount = 0;
    for (const i of changed) {
      const is = misses[i] === 0 ? 1 : 0;
      if (selected[i] === is) continue;
      selected[i] = is;
      this.count += is ? 1 : -1;
      moved[this.movedCount++] = i;
    }
    this.version++;
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

}

// Counts of points that are selected; they follow the list of those that came and went, or count anew if they missed one.
class Follower {
  constructor(study) { Object.assign(this, { study, version: NaN }); }

  follow() {
    const { study } = this, { version, moved, movedCount, selected, n } = study;
    if (this.version === version) return this;
    if (this.version === version - 1) this.take(moved, movedCount, selected); else { this.clear(); this.take(null, n, selected); }
    study.work += this.version === version - 1 ? movedCount : n;
    this.version = version;
    return this;
  }
}

// How many points fall into each of `bins` equal parts of an axis: all, and those that are selected.
export class Bars extends Follower {
  constructor(study, column, bins) {
    super(study);
    Object.assign(this, { at: column.at, bins, all: new Uint32Array(bins), some: new Int32Array(bins + 1) });
    for (let i = 0; i < study.n; i++) if (this.at[i] !== NONE) this.all[(this.at[i] * bins) >> 10]++;
  }

  clear() { this.some.fill(0); }

  // Points of a list that came (selected) or went, or all that are selected.
  take(list, n, selected) {
    const { at, bins, some } = this;
    for (let k = 0; k < n; k++) {
      const i = list ? list[k] : k, sign = selected[i] ? 1 : -1;
      if (list || sign > 0) some[at[i] === NONE ? bins : (at[i] * bins) >> 10] += sign;
    }
  }
}

// The same for pairs of parts of two axes, with the sum of the points' shades (0 .. STEPS - 1); the last part has those without a value.
export class Cells extends Follower {
  constructor(study, a, b, bins, shade) {
    super(study);
    Object.assign(this, { a: a.at, b: b.at, bins, shade, count: new Int32Array((bins + 1) ** 2), sum: new Int32Array((bins + 1) ** 2) });
  }

  clear() { this.count.fill(0); this.sum.fill(0); }

  take(list, n, selected) {
    const { a, b, bins, shade, count, sum } = this, wide = bins + 1;
    for (let k = 0; k < n; k++) {
      const i = list ? list[k] : k, sign = selected === null || selected[i] ? 1 : -1;
      if (!list && sign < 0) continue;
      const p = a[i], q = b[i], cell = (p === NONE ? bins : (p * bins) >> 10) * wide + (q === NONE ? bins : (q * bins) >> 10);
      count[cell] += sign;
      sum[cell] += sign * shade[i];
    }
  }

  // Of all points, selected or not.
  all() {
    this.clear();
    this.take(null, this.study.n, null);
    return this;
  }
}

export const readStudy = async (packed) => new Study(await decode(packed));
