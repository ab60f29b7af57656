// study_canvas.js - drawings of many points: parallel coordinates, scatter matrix, histograms.
//
// Points are counted per cell instead of being drawn one by one, so that a hundred thousand of them can be brushed at the pace of the
// screen: what is not selected is a grey shadow, what is selected has the colour of an output. While a range of many points moves, counts
// follow it point by point, and drawings are drafts of half the resolution; when it rests, they are drawn in full.
import { el, look, number, prefixed, quantity, ramp, theme, tickText, ticks, unitText, withUnit } from "./look.js";
import { download, fileName, saveMenu } from "./save.js";
import { Bars, Cells, MANY, NONE, STEPS } from "./study_data.js";

const EXACT = 6000; // up to so many points each has a line of its own
const BINS = 80; // positions on an axis beyond that; an even number
const DRAFT = 2; // pixels of a draft, along and across
const LOGS = Float32Array.from({ length: 1024 }, (_, c) => Math.log1p(c));
const FONT = "12px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// Colours as the four bytes of a pixel in one number, without their alpha; 256 of the ramp.
const packed = (r, g, b) => (b << 16) | (g << 8) | r;
const palette = () => Int32Array.from({ length: 256 }, (_, k) => packed(...ramp(k / 255).match(/\d+/g).map(Number)));
const bytesOf = (hex) => packed(...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));

// A grid of counts and of sums, to be painted.
class Density {
  constructor(width, height) {
    Object.assign(this, { width, height, count: new Int32Array(width * height), sum: new Int32Array(width * height) });
    this.image = new ImageData(width, height);
    this.pixels = new Int32Array(this.image.data.buffer);
    this.canvas = el("canvas", { width, height });
  }

  clear() { this.count.fill(0); this.sum.fill(0); }

  // The more points, the darker: in the colour of their mean shade, or all in one. Only lines from..to, if they are given.
  paint(colors, grey, from = 0, to = this.height) {
    const { count, sum, pixels, width } = this, first = from * width, end = to * width, per = 255 / (STEPS - 1);
    let most = 1;
    for (let i = first; i < end; i++) if (count[i] > most) most = count[i];
    const scale = (colors ? 190 : 142.5) / Math.log1p(most), least = colors ? 65 : 40, alphas = Int32Array.from({ length: Math.min(most, LOGS.length - 1) + 1 }, (_, c) => Math.min(255, least + scale * LOGS[c]) << 24);
    for (let i = first; i < end; i++) {
      const c = count[i];
      if (c === 0) { pixels[i] = 0; continue; }
      pixels[i] = (c < alphas.length ? alphas[c] : Math.min(255, least + scale * Math.log1p(c)) << 24) | (colors ? colors[(per * sum[i]) / c + 0.5 | 0] : grey);
    }
    this.canvas.getContext("2d").putImageData(this.image, 0, 0, 0, from, width, to - from);
    return this.canvas;
  }
}

// The colour of every point, 0 .. STEPS - 1: where it is on the axis of an output; those without a value are 0.
function shades(study, column) {
  if (!column) return new Uint16Array(study.n).fill(STEPS / 2);
  return column.at.map((p) => (p === NONE ? 0 : p));
}

// What all of these drawings share: a canvas that follows its place and is drawn when it is in sight.
class Drawing {
  constructor(study, title, note) {
    Object.assign(this, { study, title, dirty: true, visible: false, cells: [] });
    this.canvas = el("canvas", { role: "img", "aria-label": title });
    this.holder = el("div", { class: "many" }, this.canvas);
    this.scroller = el("div", { class: "scroll", tabindex: "0" }, this.holder);
    this.tools = el("div", { class: "panel-tools" });
    this.element = el("section", { class: "panel", "data-test": "drawing", "aria-label": title },
      el("div", { class: "panel-head" }, el("h3", {}, title), this.tools), this.scroller, note ? el("p", { class: "note" }, note) : null);
    this.tools.append(saveMenu(title, null, [["PNG", () => this.canvas.toBlob((b) => download(`${fileName(title)}.png`, b))]]));
    study.listen(() => this.update());
    new ResizeObserver(() => { this.shadow = null; this.update(); }).observe(this.scroller);
    new IntersectionObserver((e) => { this.visible = e[e.length - 1].isIntersecting; if (this.visible && this.dirty) this.draw(); }).observe(this.element);
  }

  update() { this.dirty = true; if (this.visible) this.draw(); }
  restyle() { this.shadow = null; this.update(); }
  color(column) { this.shade = shades(this.study, column); this.cells = []; this.update(); }

  // The counts of a draft or of the full drawing, up to date; those that are wanted.
  counts(fine, wanted = () => true) { return (this.cells[fine] ??= this.makeCells(fine)).filter(wanted).map((c) => c.follow()); }

  // Which part of the canvas the window shows, from top to bottom; a draft needs no more.
  inSight() {
    const { top, height } = this.canvas.getBoundingClientRect();
    return [Math.max(0, Math.min(height, -top)), Math.max(0, Math.min(height, innerHeight - top))];
  }

  // The grids of counts in full and as a draft, and the shadow of all points, which a callback paints; as long as the size stays.
  grids(w, h, shadow) {
    if (this.shadow && this.shadow.width === w && this.shadow.height === h) return;
    this.shadow = new Density(w, h);
    shadow(this.shadow);
    this.shadow.paint(null, bytesOf(look().solid));
    this.light = [new Density(w, h), new Density(Math.ceil(w / DRAFT), Math.ceil(h / DRAFT))];
    this.colors = palette();
    this.fixed = null;
  }

  // Draws something once, and then what that gave: axes and names do not change while a range moves.
  still(g, width, height, draw) {
    if (!this.fixed) {
      const { a: scale } = g.getTransform(), canvas = el("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) }), on = canvas.getContext("2d");
      on.setTransform(scale, 0, 0, scale, 0, 0);
      on.font = FONT;
      draw(on);
      this.fixed = canvas;
    }
    g.drawImage(this.fixed, 0, 0, width, height);
  }

  // Sets the size of the canvas, which forgets what was still; the context counts CSS pixels.
  begin(width, height) {
    const scale = Math.min(2, devicePixelRatio || 1);
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
      this.fixed = null;
    }
    const g = this.canvas.getContext("2d"), [from, to] = this.study.moving ? this.inSight() : [0, height];
    g.restore(); // the clip of the last draft
    g.save();
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.beginPath();
    g.rect(0, from, width, to - from);
    g.clip();
    g.clearRect(0, 0, width, height);
    g.font = FONT;
    this.dirty = false;
    return g;
  }
}

// A name that fits a width.
function fitted(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && g.measureText(`…${text.slice(text.length - n)}`).width > width) n--;
  return `…${text.slice(text.length - n)}`;
}

// What is written at a value of a column, without its unit.
export function valueText(column, value, digits = 4) {
  if (column.words) return column.words[Math.round(value)] ?? "–";
  const p = prefixed(Math.max(Math.abs(column.from), Math.abs(column.to)), column.unit, 0.2);
  return number(value / p.factor, digits);
}
export const unitOf = (column) => prefixed(Math.max(Math.abs(column.from), Math.abs(column.to)), column.unit, 0.2);
export const saidAs = (column, value) => (column.words ? valueText(column, value) : quantity(value, column.unit));

// ---------------------------------------------------------------- parallel coordinates

export class Parallel extends Drawing {
  constructor(study, axes) {
    super(study, "Parallel coordinates", "Drag along an axis to keep the points within a range; click it to let go. Lines end at the foot where a point has no value.");
    this.axes = axes;
    this.shade = shades(study, study.outputs[0]);
  }

  setAxes(axes) { Object.assign(this, { axes, shadow: null, cells: [] }); this.update(); }

  place() {
    const room = this.scroller.clientWidth, m = this.axes.length, width = Math.max(room, 104 * m), height = 360;
    Object.assign(this, { width, height, top: 52, foot: 26, side: 56 });
    this.step = m > 1 ? (width - 2 * this.side) / (m - 1) : 0;
    this.span = height - this.top - this.foot - 14;
  }

  x(k) { return this.side + k * this.step; }
  y(column, value) { return this.top + this.span * (1 - (value - column.from) / (column.to - column.from)); }
  value(column, y) { return column.from + (1 - (y - this.top) / this.span) * (column.to - column.from); }

  // Draws a line between axes k and k + 1, from height a to b, for n points and the sum s of their shades.
  lines(density, fine) {
    const { width: w, count: c, sum: t } = density, by = 1 / fine, xs = Int32Array.from(this.axes, (_, k) => Math.round(this.x(k) * by));
    return (k, a, b, n, s) => {
      const x0 = xs[k], x1 = xs[k + 1], slope = ((b - a) * by) / (x1 - x0);
      for (let x = x0, y = a * by + 0.5; x < x1; x++, y += slope) { const p = (y | 0) * w + x; c[p] += n; t[p] += s; }
    };
  }

  // Every point that is selected has a line of its own.
  single(density, selected) {
    const { study, axes, shade, span } = this, line = this.lines(density, 1), foot = density.height - 1, place = (v) => (v === NONE ? foot : span * (1 - v / (STEPS - 1)));
    density.clear();
    for (let k = 0; k + 1 < axes.length; k++) {
      const left = axes[k].at, right = axes[k + 1].at;
      for (let i = 0; i < study.n; i++) if (!selected || selected[i]) line(k, place(left[i]), place(right[i]), 1, shade[i]);
    }
    study.work += study.n;
  }

  // Points between the same parts of two axes share a line. A draft has half as many parts.
  shared(density, pairs, fine) {
    const line = this.lines(density, fine), foot = (density.height - 1) * fine, bins = BINS / fine, place = (v) => (v === bins ? foot : this.span * (1 - (v + 0.5) / bins));
    density.clear();
    pairs.forEach(({ count, sum }, k) => {
      for (let a = 0, p = 0; a <= bins; a++) for (let b = 0; b <= bins; b++, p++) if (count[p] > 0) line(k, place(a), place(b), count[p], sum[p]);
    });
  }

  makeCells(fine) { return this.axes.slice(1).map((c, k) => new Cells(this.study, this.axes[k], c, BINS / fine, this.shade)); }

  draw() {
    if (!this.scroller.clientWidth) return;
    this.place();
    const { study, width, height } = this, c = look(), g = this.begin(width, height), fine = study.moving ? DRAFT : 1;
    const w = Math.ceil(width), h = Math.ceil(this.span + 14) + 1;
    this.grids(w, h, (density) => { if (study.n <= EXACT) this.single(density, null); else this.shared(density, this.makeCells(1).map((p) => p.all()), 1); });
    if (study.ranges.size) g.drawImage(this.shadow.canvas, 0, this.top, w, h);
    const light = this.light[fine - 1];
    if (study.count <= EXACT && !study.moving) this.single(light, study.selected);
    else this.shared(light, this.counts(fine), fine);
    g.drawImage(light.paint(this.colors), 0, this.top, light.width * fine, light.height * fine);
    this.still(g, width, height, (on) => this.axes.forEach((column, k) => this.drawAxis(on, column, k, c)));
    this.axes.forEach((column, k) => this.drawRange(g, column, k, c));
    this.placeHandles();
  }

  drawAxis(g, column, k, c) {
    const x = Math.round(this.x(k)) + 0.5, unit = unitOf(column);
    g.strokeStyle = c.soft;
    g.lineWidth = 1;
    g.beginPath(); g.moveTo(x, this.top); g.lineTo(x, this.top + this.span); g.stroke();
    g.fillStyle = c.ink;
    g.textAlign = "center";
    g.font = `600 ${FONT}`;
    g.fillText(fitted(g, column.name, Math.max(60, this.step - 8 || 200)), x, 16);
    g.font = FONT;
    g.fillStyle = c.soft;
    if (!column.words && unitText(unit.unit)) g.fillText(`[${unitText(unit.unit)}]`, x, 32);
    const marks = column.words ? column.words.map((_, i) => i) : ticks(column.from, column.to, 4).values;
    g.textAlign = "left";
    for (const v of marks) {
      const y = this.y(column, v), text = column.words ? fitted(g, column.words[v], this.step - 12) : tickText(v / unit.factor, ticks(column.from, column.to, 4).step / unit.factor);
      g.fillRect(x - 3, Math.round(y), 6, 1);
      g.strokeStyle = c.paper;
      g.lineWidth = 3;
      g.strokeText(text, x + 6, y + 4);
      g.fillText(text, x + 6, y + 4);
    }
  }

  drawRange(g, column, k, c) {
    const range = this.study.ranges.get(column), x = Math.round(this.x(k)) + 0.5;
    if (!range) return;
    const a = this.y(column, Math.min(range[1], column.to)), b = this.y(column, Math.max(range[0], column.from));
    g.globalAlpha = 0.25;
    g.fillStyle = c.accent;
    g.fillRect(x - 8, a, 16, Math.max(2, b - a));
    g.globalAlpha = 1;
    g.strokeStyle = c.accent;
    g.lineWidth = 1.5;
    g.strokeRect(x - 8, a, 16, Math.max(2, b - a));
  }

  // A strip over each axis takes the pointer, so that a finger elsewhere scrolls the page.
  placeHandles() {
    if (this.handles?.length !== this.axes.length) {
      this.handles?.forEach((h) => h.remove());
      this.handles = this.axes.map((_, k) => { const h = el("div", { class: "axis-handle", "data-test": "axis", "aria-hidden": "true" }); this.drag(h, k); this.holder.append(h); return h; });
    }
    this.handles.forEach((h, k) => Object.assign(h.style, { left: `${this.x(k) - 15}px`, top: `${this.top - 6}px`, height: `${this.span + 12}px` }));
  }

  drag(handle, k) {
    let start = null, moved = null;
    const at = (e) => { const y = e.clientY - this.canvas.getBoundingClientRect().top, column = this.axes[k]; return Math.min(column.to, Math.max(column.from, this.value(column, y))); };
    handle.addEventListener("pointerdown", (e) => {
      handle.setPointerCapture(e.pointerId);
      const column = this.axes[k], range = this.study.ranges.get(column), v = at(e);
      start = v;
      moved = range && v > range[0] && v < range[1] ? range : null; // inside a range: it moves
      this.travel = 0;
      e.preventDefault();
    });
    handle.addEventListener("pointermove", (e) => {
      if (start === null) return;
      const column = this.axes[k], v = at(e);
      this.travel = Math.max(this.travel, Math.abs(v - start) / (column.to - column.from));
      if (this.travel < 0.008) return;
      this.study.setRange(column, moved ? moved.map((m) => m + v - start) : [Math.min(start, v), Math.max(start, v)]);
    });
    const end = () => { if (start !== null && this.travel < 0.008) this.study.setRange(this.axes[k], null); start = null; };
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", () => { start = null; });
  }
}

// ---------------------------------------------------------------- scatter matrix

export class Matrix extends Drawing {
  constructor(study, axes) {
    super(study, "Scatter matrix", "Each field has the column's variable along, the row's upwards. Drag a rectangle in a field to keep what is in it; click to let go.");
    this.axes = axes;
    this.shade = shades(study, study.outputs[0]);
    this.brush();
  }

  setAxes(axes) { Object.assign(this, { axes, shadow: null, cells: [] }); this.update(); }

  place() {
    const m = this.axes.length, room = this.scroller.clientWidth, gap = 6, left = 26, foot = 40;
    const size = Math.max(78, Math.min(210, Math.floor((room - left - gap * m) / m)));
    Object.assign(this, { size, gap, left, foot, width: Math.max(room, left + m * (size + gap)), height: m * (size + gap) + foot });
  }

  corner(row, column) { return [this.left + column * (this.size + this.gap), row * (this.size + this.gap)]; }

  // Counts of all fields below the diagonal.
  makeCells(fine) {
    const { axes, size } = this, out = [];
    for (let row = 1; row < axes.length; row++) for (let k = 0; k < row; k++) out.push(Object.assign(new Cells(this.study, axes[k], axes[row], Math.floor((size - 6) / fine), this.shade), { corner: this.corner(row, k) }));
    return out;
  }

  // Puts them side by side into one grid.
  gather(density, fields, fine) {
    const { width: w, count: c, sum: t } = density;
    density.clear();
    for (const { count, sum, bins, corner } of fields) {
      const [x0, y0] = corner.map((v) => Math.round((v + 3) / fine));
      for (let a = 0; a < bins; a++) for (let b = 0, p = a * (bins + 1), q = (y0 + bins) * w + x0 + a; b < bins; b++, p++, q -= w) { c[q] = count[p]; t[q] = sum[p]; }
    }
  }

  // Few points are dots of two pixels or more.
  thicken(density) {
    if (this.study.n > MANY) return;
    const { width: w, height: h, count, sum } = density, was = count.slice(), wasSum = sum.slice(), reach = this.study.n > 3000 ? 1 : 2;
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
      const p = y * w + x;
      if (was[p] === 0) continue;
      for (let dy = 0; dy <= reach; dy++) for (let dx = 0; dx <= reach; dx++) {
        const q = p + dy * w + dx;
        if ((dx || dy) && x + dx < w && q < count.length && was[q] === 0) { count[q] += was[p]; sum[q] += wasSum[p]; }
      }
    }
  }

  draw() {
    if (!this.scroller.clientWidth || this.axes.length < 2) return;
    this.place();
    const { study, width, height, size, axes } = this, c = look(), g = this.begin(width, height), w = Math.ceil(width), h = Math.ceil(height), fine = study.moving ? DRAFT : 1;
    this.grids(w, h, (density) => {
      this.cells = [];
      this.gather(density, this.makeCells(1).map((f) => f.all()), 1);
      this.thicken(density);
      this.bars = axes.map((column) => new Bars(study, column, 24));
    });
    if (study.ranges.size) g.drawImage(this.shadow.canvas, 0, 0, w, h);
    const light = this.light[fine - 1], [from, to] = fine > 1 ? this.inSight() : [0, h];
    this.gather(light, this.counts(fine, (f) => f.corner[1] < to && f.corner[1] + size > from), fine);
    if (fine === 1) this.thicken(light);
    g.drawImage(light.paint(this.colors, 0, Math.floor(from / fine), Math.min(light.height, Math.ceil(to / fine))), 0, 0, light.width * fine, light.height * fine);
    this.still(g, width, height, (on) => {
      on.strokeStyle = c.line;
      for (let row = 0; row < axes.length; row++) for (let k = 0; k <= row; k++) { const [x, y] = this.corner(row, k); on.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1); }
      this.bars.forEach((bars, k) => { this.drawBars(on, k, bars.all, bars.all, c.solid); this.drawNames(on, axes[k], k, c); });
    });
    this.bars.forEach((bars, k) => this.drawBars(g, k, bars.follow().some, bars.all, c.accent));
    this.drawRanges(g, c);
  }

  drawBars(g, k, counts, all, color) {
    const [x, y] = this.corner(k, k), { size } = this, most = Math.max(1, ...all), wide = (size - 8) / all.length, tall = size - 26;
    g.fillStyle = color;
    for (let b = 0; b < all.length; b++) g.fillRect(x + 4 + b * wide, y + size - 4 - (tall * counts[b]) / most, Math.max(1, wide - 1), (tall * counts[b]) / most);
  }

  drawNames(g, column, k, c) {
    const [x, y] = this.corner(k, k), { size } = this;
    g.fillStyle = c.ink;
    g.textAlign = "left";
    g.font = `600 ${FONT}`;
    g.fillText(fitted(g, column.name, size - 10), x + 6, y + 15);
    g.font = "10.5px Inter, system-ui, sans-serif";
    g.fillStyle = c.soft;
    const foot = this.corner(this.axes.length - 1, k)[1] + size + 14, unit = unitOf(column);
    g.fillText(valueText(column, column.from, 3), x + 2, foot);
    g.textAlign = "right";
    g.fillText(valueText(column, column.to, 3), x + size - 2, foot);
    g.textAlign = "center";
    if (unitText(unit.unit)) g.fillText(unitText(unit.unit), x + size / 2, foot + 13);
    g.font = FONT;
  }

  drawRanges(g, c) {
    g.strokeStyle = c.accent;
    g.lineWidth = 1.2;
    for (let row = 1; row < this.axes.length; row++) for (let k = 0; k < row; k++) {
      const a = this.study.ranges.get(this.axes[k]), b = this.study.ranges.get(this.axes[row]);
      if (!a || !b) continue;
      const [x, y] = this.corner(row, k), part = (column, v) => Math.max(0, Math.min(1, (v - column.from) / (column.to - column.from))), inner = this.size - 6;
      const x0 = x + 3 + inner * part(this.axes[k], a[0]), x1 = x + 3 + inner * part(this.axes[k], a[1]), y0 = y + 3 + inner * (1 - part(this.axes[row], b[1])), y1 = y + 3 + inner * (1 - part(this.axes[row], b[0]));
      g.strokeRect(x0, y0, Math.max(2, x1 - x0), Math.max(2, y1 - y0));
    }
    g.lineWidth = 1;
  }

  brush() {
    let start = null;
    const find = (e) => {
      const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top, pitch = this.size + this.gap;
      return { k: Math.floor((x - this.left) / pitch), row: Math.floor(y / pitch), x, y };
    };
    const value = (column, part) => column.from + Math.max(0, Math.min(1, part)) * (column.to - column.from);
    const both = (e) => {
      const box = this.canvas.getBoundingClientRect(), [x0, y0] = this.corner(start.row, start.k), inner = this.size - 6;
      return [value(this.axes[start.k], (e.clientX - box.left - x0 - 3) / inner), value(this.axes[start.row], 1 - (e.clientY - box.top - y0 - 3) / inner)];
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (e.pointerType === "touch") return; // a finger scrolls; ranges are in parallel coordinates and in the list
      const f = find(e);
      if (f.k < 0 || f.k >= f.row || f.row >= this.axes.length) return;
      start = f;
      start.values = both(e);
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!start) return;
      start.far ||= Math.hypot(find(e).x - start.x, find(e).y - start.y) > 3;
      if (!start.far) return;
      const now = both(e);
      [this.axes[start.k], this.axes[start.row]].forEach((column, i) => this.study.setRange(column, [Math.min(start.values[i], now[i]), Math.max(start.values[i], now[i])]));
    });
    this.canvas.addEventListener("pointerup", () => {
      if (start && !start.far) { this.study.setRange(this.axes[start.k], null); this.study.setRange(this.axes[start.row], null); }
      start = null;
    });
  }
}

// ---------------------------------------------------------------- histograms

export class Histogram extends Drawing {
  constructor(study, column, facts) {
    super(study, column.name);
    Object.assign(this, { column, facts });
    this.caption = el("p", { class: "note" });
    this.element.append(this.caption);
  }

  draw() {
    const { study, column } = this, width = this.scroller.clientWidth, height = 170;
    if (!width) return;
    const g = this.begin(width, height), c = look(), left = 34, foot = 34, top = 8, w = width - left - 8, h = height - top - foot;
    const bins = column.words ? column.words.length : Math.max(8, Math.min(64, Math.round(Math.sqrt(study.n)), Math.floor(w / 6)));
    if (this.bars?.bins !== bins) this.bars = new Bars(study, column, bins);
    const { all, some } = this.bars.follow(), most = Math.max(1, ...all), wide = w / bins;
    const scale = ticks(0, most, 3), unit = unitOf(column), x = (v) => left + (w * (v - column.from)) / (column.to - column.from);
    g.fillStyle = c.soft;
    g.strokeStyle = c.grid;
    g.textAlign = "right";
    for (const v of scale.values) {
      const y = Math.round(top + h - (h * v) / most) + 0.5;
      g.beginPath(); g.moveTo(left, y); g.lineTo(left + w, y); g.stroke();
      g.fillText(v >= 1000 ? `${number(v / 1000, 3)} k` : tickText(v, scale.step), left - 5, y + 4);
    }
    for (let b = 0; b < bins; b++) {
      g.fillStyle = c.solid;
      g.fillRect(left + b * wide + 0.5, top + h - (h * all[b]) / most, Math.max(1, wide - 1), (h * all[b]) / most);
      g.fillStyle = c.accent;
      g.fillRect(left + b * wide + 0.5, top + h - (h * some[b]) / most, Math.max(1, wide - 1), (h * some[b]) / most);
    }
    for (const limit of [column.low, column.high]) {
      if (!Number.isFinite(limit) || column.kind !== "output" || limit < column.from || limit > column.to) continue;
      g.fillStyle = c.slip;
      g.fillRect(Math.round(x(limit)) - 1, top, 2, h);
    }
    g.fillStyle = c.soft;
    g.textAlign = "center";
    const marks = column.words ? { values: column.words.map((_, i) => i) } : ticks(column.from, column.to, Math.max(2, Math.round(w / 90)));
    for (const v of marks.values) g.fillText(column.words ? fitted(g, column.words[v], wide) : tickText(v / unit.factor, marks.step / unit.factor), column.words ? left + (v + 0.5) * wide : x(v), top + h + 15);
    g.fillText(withUnit(column.words ? "variant" : "value", unit.unit), left + w / 2, top + h + 30);
    if (study.moving) return;
    const s = study.summary(column);
    this.caption.textContent = column.words ? `${s.n} points` : `mean ${quantity(s.mean, column.unit)}, deviation ${quantity(s.deviation, column.unit, 3)}, ${quantity(s.least, column.unit)} to ${quantity(s.most, column.unit)}`;
  }
}

// ---------------------------------------------------------------- ranges as numbers

// For those who brush with the keyboard or with a finger.
export function rangeList(study) {
  let list = null;
  const shows = [], rows = study.axes.map((column) => {
    const field = (end) => {
      const input = el("input", { type: "number", step: "any", "aria-label": `${column.name}, ${end ? "at most" : "at least"}`, "data-test": "range", placeholder: String(Number((end ? column.to : column.from).toPrecision(6))) });
      input.addEventListener("change", () => {
        const now = study.ranges.get(column) ?? [column.from, column.to], value = input.value === "" ? (end ? column.to : column.from) : Number(input.value);
        const next = end ? [now[0], value] : [value, now[1]];
        study.setRange(column, next[0] <= column.from && next[1] >= column.to ? null : next);
      });
      return input;
    };
    const fields = [field(0), field(1)];
    const show = () => {
      if (!list?.open) return;
      const range = study.ranges.get(column);
      fields.forEach((f, end) => { if (document.activeElement !== f) f.value = range ? String(Number(range[end].toPrecision(6))) : ""; });
    };
    study.listen(show);
    shows.push(show);
    return el("tr", {}, el("th", { scope: "row" }, column.name), el("td", {}, fields[0]), el("td", {}, fields[1]), el("td", {}, column.words ? column.words.map((w, i) => `${i} ${w}`).join(", ") : unitText(column.unit)));
  });
  list = el("details", { class: "file", "data-test": "ranges", ontoggle: () => shows.forEach((show) => show()) }, el("summary", {}, "Ranges as numbers"),
    el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "ranges" }, el("thead", {}, el("tr", {}, ["", "at least", "at most", "unit"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, rows))));
  return list;
}

// How many points are selected, and what to do with them.
export function selectionBar(study, save) {
  const text = el("span", { role: "status", "data-test": "selection" });
  const clear = el("button", { type: "button", class: "plain", "data-test": "clear", onclick: () => study.clear() }, "All points");
  const show = () => {
    const names = [...study.ranges.keys()].map((c) => c.name);
    text.textContent = study.ranges.size ? `${study.count.toLocaleString("en").replace(/,/g, " ")} of ${study.n.toLocaleString("en").replace(/,/g, " ")} points, by ${names.join(", ")}` : `${study.n.toLocaleString("en").replace(/,/g, " ")} points`;
    clear.hidden = study.ranges.size === 0;
  };
  study.listen(show);
  show();
  return el("p", { class: "selection" }, text, clear, el("button", { type: "button", class: "plain", onclick: save }, "Save them as CSV"));
}

