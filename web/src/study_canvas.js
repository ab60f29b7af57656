// study_canvas.js - drawings of many points: parallel coordinates, scatter matrix, histograms.
//
// Points are counted per pixel instead of being drawn one by one, so that a hundred thousand of them can be brushed at the pace of the
// screen: what is not selected is a grey shadow, what is selected has the colour of an output.
import { el, look, number, prefixed, quantity, ramp, theme, tickText, ticks, unitText, withUnit } from "./look.js";
import { download, fileName, saveMenu } from "./save.js";
import { NONE, STEPS } from "./study_data.js";

const EXACT = 6000; // up to so many points each has a line of its own
const BINS = 80; // positions on an axis beyond that
const MANY = 20000; // points from which on the scatter matrix waits until a drag rests
const REST = 120; // [ms]
const LOGS = Float32Array.from({ length: 1024 }, (_, c) => Math.log1p(c));
const log1p = (c) => (c < 1024 ? LOGS[c | 0] : Math.log1p(c));
const FONT = "12px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// 256 colours of the ramp, and a grey, as bytes.
function palette() {
  const out = new Uint8Array(256 * 3);
  for (let k = 0; k < 256; k++) ramp(k / 255).match(/\d+/g).forEach((v, i) => { out[3 * k + i] = Number(v); });
  return out;
}
const bytesOf = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// A grid of counts and of sums, to be painted.
class Density {
  constructor(width, height) {
    Object.assign(this, { width, height, count: new Float32Array(width * height), sum: new Float32Array(width * height) });
    this.image = new ImageData(width, height);
    this.canvas = el("canvas", { width, height });
  }

  clear() { this.count.fill(0); this.sum.fill(0); }

  // Grey where there is anything; the more points, the darker.
  paint(colors, grey) {
    const { count, sum, image } = this, d = image.data;
    let most = 0;
    for (let i = 0; i < count.length; i++) if (count[i] > most) most = count[i];
    const scale = 190 / Math.log1p(most || 1);
    for (let i = 0, k = 0; i < count.length; i++, k += 4) {
      const c = count[i];
      if (c === 0) { d[k + 3] = 0; continue; }
      if (colors) {
        const m = 3 * Math.max(0, Math.min(255, Math.round((255 * sum[i]) / c)));
        d[k] = colors[m]; d[k + 1] = colors[m + 1]; d[k + 2] = colors[m + 2];
        d[k + 3] = Math.min(255, 65 + scale * log1p(c));
      } else {
        d[k] = grey[0]; d[k + 1] = grey[1]; d[k + 2] = grey[2];
        d[k + 3] = Math.min(255, 40 + 0.75 * scale * log1p(c));
      }
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0);
    return this.canvas;
  }
}

// The colour of every point, 0..1: where it is on the axis of an output; those without a value are 0.
function shades(study, column) {
  if (!column) return new Float32Array(study.n).fill(0.5);
  const out = new Float32Array(study.n);
  for (let i = 0; i < study.n; i++) out[i] = column.at[i] === NONE ? 0 : column.at[i] / (STEPS - 1);
  return out;
}

// What all of these drawings share: a canvas that follows its place and is drawn when it is in sight.
class Drawing {
  constructor(study, title, note) {
    Object.assign(this, { study, title, dirty: true, visible: false });
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
  color(column) { this.colored = column; this.shade = shades(this.study, column); this.update(); }

  // Sets the size of the canvas; the context counts CSS pixels.
  begin(width, height) {
    const scale = Math.min(2, devicePixelRatio || 1);
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const g = this.canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
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

  setAxes(axes) { this.axes = axes; this.shadow = null; this.update(); }

  place() {
    const room = this.scroller.clientWidth, m = this.axes.length, width = Math.max(room, 104 * m), height = 360;
    Object.assign(this, { width, height, top: 52, foot: 26, side: 56 });
    this.step = m > 1 ? (width - 2 * this.side) / (m - 1) : 0;
    this.span = height - this.top - this.foot - 14;
  }

  x(k) { return this.side + k * this.step; }
  y(column, value) { return this.top + this.span * (1 - (value - column.from) / (column.to - column.from)); }
  value(column, y) { return column.from + (1 - (y - this.top) / this.span) * (column.to - column.from); }

  // Counts the lines of the points for which `of` holds.
  count(density, of, count) {
    const { study, axes } = this, w = density.width, h = density.height, shade = this.shade, last = h - 1;
    const exact = count <= EXACT, bins = exact ? 0 : BINS, cells = exact ? null : new Float32Array((bins + 1) * (bins + 1)), sums = exact ? null : new Float32Array((bins + 1) * (bins + 1));
    const foot = last, span = this.span;
    density.clear();
    const line = (x0, x1, a, b, n, s) => {
      const slope = (b - a) / (x1 - x0), c = density.count, t = density.sum;
      for (let x = x0, y = a + 0.5; x < x1; x++, y += slope) { const p = (y | 0) * w + x; c[p] += n; t[p] += s; }
    };
    for (let k = 0; k + 1 < axes.length; k++) {
      const left = axes[k].at, right = axes[k + 1].at, x0 = Math.round(this.x(k)), x1 = Math.round(this.x(k + 1));
      if (exact) {
        const place = (v) => (v === NONE ? foot : span * (1 - v / (STEPS - 1)));
        for (let i = 0; i < study.n; i++) if (of[i]) line(x0, x1, place(left[i]), place(right[i]), 1, shade[i]);
        continue;
      }
      cells.fill(0);
      sums.fill(0);
      for (let i = 0; i < study.n; i++) {
        if (!of[i]) continue;
        const a = left[i] === NONE ? bins : (left[i] * bins) >> 10, b = right[i] === NONE ? bins : (right[i] * bins) >> 10, p = a * (bins + 1) + b;
        cells[p]++;
        sums[p] += shade[i];
      }
      const place = (v) => (v === bins ? foot : span * (1 - (v + 0.5) / bins));
      for (let a = 0, p = 0; a <= bins; a++) for (let b = 0; b <= bins; b++, p++) if (cells[p] > 0) line(x0, x1, place(a), place(b), cells[p], sums[p]);
    }
  }

  draw() {
    if (!this.scroller.clientWidth) return;
    this.place();
    const { study, width, height } = this, c = look(), g = this.begin(width, height);
    const w = Math.ceil(width), h = Math.ceil(this.span + 14) + 1;
    if (!this.shadow || this.shadow.width !== w) {
      this.shadow = new Density(w, h);
      this.count(this.shadow, new Uint8Array(study.n).fill(1), study.n);
      this.shadow.paint(null, bytesOf(c.solid));
      this.light = new Density(w, h);
      this.colors = palette();
    }
    if (study.ranges.size) g.drawImage(this.shadow.canvas, 0, this.top, w, h);
    this.count(this.light, study.selected, study.count);
    g.drawImage(this.light.paint(this.colors), 0, this.top, w, h);
    this.axes.forEach((column, k) => this.drawAxis(g, column, k, c));
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
    const range = this.study.ranges.get(column);
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

  setAxes(axes) { this.axes = axes; this.shadow = null; this.update(); }

  update() {
    if (this.study.n < MANY) { super.update(); return; }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => super.update(), REST);
  }

  place() {
    const m = this.axes.length, room = this.scroller.clientWidth, gap = 6, left = 26, foot = 40;
    const size = Math.max(78, Math.min(210, Math.floor((room - left - gap * m) / m)));
    Object.assign(this, { size, gap, left, foot, width: Math.max(room, left + m * (size + gap)), height: m * (size + gap) + foot });
  }

  corner(row, column) { return [this.left + column * (this.size + this.gap), row * (this.size + this.gap)]; }

  // All fields below the diagonal, side by side in one grid of counts.
  count(density, of) {
    const { study, axes, size } = this, w = density.width, n = study.n, c = density.count, t = density.sum, shade = this.shade;
    density.clear();
    for (let row = 1; row < axes.length; row++) for (let k = 0; k < row; k++) {
      const x = axes[k].at, y = axes[row].at, [x0, y0] = this.corner(row, k), inner = size - 6;
      for (let i = 0; i < n; i++) {
        if (!of[i] || x[i] === NONE || y[i] === NONE) continue;
        const p = (y0 + 3 + inner - ((y[i] * inner) >> 10)) * w + x0 + 3 + ((x[i] * inner) >> 10);
        c[p]++;
        t[p] += shade[i];
      }
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
    const { study, width, height, size, axes } = this, c = look(), g = this.begin(width, height), w = Math.ceil(width), h = Math.ceil(height);
    if (!this.shadow || this.shadow.width !== w || this.shadow.height !== h) {
      this.shadow = new Density(w, h);
      this.count(this.shadow, new Uint8Array(study.n).fill(1));
      this.thicken(this.shadow);
      this.shadow.paint(null, bytesOf(c.solid));
      this.light = new Density(w, h);
      this.colors = palette();
    }
    g.strokeStyle = c.line;
    for (let row = 0; row < axes.length; row++) for (let k = 0; k <= row; k++) { const [x, y] = this.corner(row, k); g.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1); }
    if (study.ranges.size) g.drawImage(this.shadow.canvas, 0, 0, w, h);
    this.count(this.light, study.selected);
    this.thicken(this.light);
    g.drawImage(this.light.paint(this.colors), 0, 0, w, h);
    axes.forEach((column, k) => this.drawDiagonal(g, column, k, c));
    this.drawRanges(g, c);
  }

  drawDiagonal(g, column, k, c) {
    const [x, y] = this.corner(k, k), { size } = this, bins = 24, { all, some } = this.study.histogram(column, bins), most = Math.max(1, ...all), wide = (size - 8) / bins, tall = size - 26;
    for (let b = 0; b < bins; b++) {
      g.fillStyle = c.solid;
      g.fillRect(x + 4 + b * wide, y + size - 4 - (tall * all[b]) / most, Math.max(1, wide - 1), (tall * all[b]) / most);
      g.fillStyle = c.accent;
      g.fillRect(x + 4 + b * wide, y + size - 4 - (tall * some[b]) / most, Math.max(1, wide - 1), (tall * some[b]) / most);
    }
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
    const bins = column.words ? column.words.length : Math.max(8, Math.min(64, Math.round(Math.sqrt(study.n)), Math.floor(w / 6))), { all, some } = study.histogram(column, bins), most = Math.max(1, ...all), wide = w / bins;
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
    const s = study.summary(column);
    this.caption.textContent = column.words ? `${s.n} points` : `mean ${quantity(s.mean, column.unit)}, deviation ${quantity(s.deviation, column.unit, 3)}, ${quantity(s.least, column.unit)} to ${quantity(s.most, column.unit)}`;
  }
}

// ---------------------------------------------------------------- ranges as numbers

// For those who brush with the keyboard or with a finger.
export function rangeList(study) {
  const rows = study.axes.map((column) => {
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
    study.listen(() => {
      const range = study.ranges.get(column);
      fields.forEach((f, end) => { if (document.activeElement !== f) f.value = range ? String(Number(range[end].toPrecision(6))) : ""; });
    });
    return el("tr", {}, el("th", { scope: "row" }, column.name), el("td", {}, fields[0]), el("td", {}, fields[1]), el("td", {}, column.words ? column.words.map((w, i) => `${i} ${w}`).join(", ") : unitText(column.unit)));
  });
  return el("details", { class: "file", "data-test": "ranges" }, el("summary", {}, "Ranges as numbers"),
    el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "ranges" }, el("thead", {}, el("tr", {}, ["", "at least", "at most", "unit"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, rows))));
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

