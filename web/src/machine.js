// machine.js - the drawing of the machine: a canvas that can be moved and zoomed, its tools and its legend.
import { paint } from "./draw.js";
import { button, el, look, number, ramp, ticks } from "./look.js";
import { download, fileName } from "./save.js";
import { Scene } from "./scene.js";

export class Machine {
  constructor(runs, clock, options) {
    this.scenes = runs.map((r) => new Scene(r));
    this.clock = clock;
    this.shown = 0;
    this.options = { forces: true, labels: true };
    this.zoom = 1;
    this.pan = [0, 0];
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": options.label, "data-test": "machine" });
    this.tools = el("div", { class: "tools" },
      button("Zoom in", "plus", () => this.zoomBy(1.3)), button("Zoom out", "minus", () => this.zoomBy(1 / 1.3)), button("Fit", "fit", () => this.fit()),
      button("Save the drawing as PNG", "save", () => this.save(options.label)));
    this.legend = el("div", { class: "legend" });
    this.box = el("div", { class: "drawing" }, this.canvas, this.tools);
    this.element = el("div", { class: "machine" }, this.box, this.legend);
    this.gestures();
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.makeLegend();
    clock.listen(() => this.request());
  }

  // Height over width of what is drawn.
  get aspect() {
    const b = this.scene.bounds;
    return (b[3] - b[2]) / Math.max(b[1] - b[0], 1e-12);
  }

  get scene() { return this.scenes[this.shown]; }

  show(index) { this.shown = index; this.makeLegend(); this.request(); }
  restyle() { this.makeLegend(); this.request(); }

  resize() {
    const r = this.box.getBoundingClientRect(), d = devicePixelRatio || 1;
    if (!r.width || !r.height) return;
    this.width = r.width;
    this.height = r.height;
    this.canvas.width = Math.round(r.width * d);
    this.canvas.height = Math.round(r.height * d);
    this.draw();
  }

  // The map from metres to pixels: everything fits, then the user's zoom and shift.
  view() {
    const b = this.scenes.reduce((a, s) => [Math.min(a[0], s.bounds[0]), Math.max(a[1], s.bounds[1]), Math.min(a[2], s.bounds[2]), Math.max(a[3], s.bounds[3])], [Infinity, -Infinity, Infinity, -Infinity]);
    const margin = Math.min(44, 0.1 * this.width, 0.14 * this.height), w = Math.max(b[1] - b[0], 1e-12), h = Math.max(b[3] - b[2], 1e-12);
    const scale = Math.min((this.width - 2 * margin) / w, (this.height - 2 * margin) / h) * this.zoom;
    const cx = 0.5 * (b[0] + b[1]), cy = 0.5 * (b[2] + b[3]), x0 = this.width / 2 + this.pan[0], y0 = this.height / 2 + this.pan[1];
    return { scale, px: (p) => [x0 + (p[0] - cx) * scale, y0 - (p[1] - cy) * scale] };
  }

  request() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    if (!this.width) return;
    const g = this.canvas.getContext("2d"), d = devicePixelRatio || 1, view = this.view();
    g.setTransform(d, 0, 0, d, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    paint(g, this.scene, this.clock.time, view, this.options);
    this.scenes.forEach((s, i) => { if (i !== this.shown) paint(g, s, this.clock.time, view, { ...this.options, ghost: true }); });
    this.drawScale(g, view);
  }

  drawScale(g, view) {
    const c = look(), { step } = ticks(0, 110 / view.scale, 1.2), width = step * view.scale, y = this.height - 18;
    g.strokeStyle = c.soft;
    g.fillStyle = c.soft;
    g.lineWidth = 1.4;
    g.lineCap = "butt";
    g.beginPath();
    g.moveTo(16, y - 4); g.lineTo(16, y); g.lineTo(16 + width, y); g.lineTo(16 + width, y - 4);
    g.stroke();
    g.font = "12px Inter, system-ui, sans-serif";
    g.textAlign = "left";
    g.textBaseline = "bottom";
    g.fillText(step >= 1 ? `${number(step)} m` : step >= 0.01 ? `${number(step * 100)} cm` : step >= 1e-3 ? `${number(step * 1e3)} mm` : `${number(step)} m`, 22, y - 4);
  }

  // ---- legend

  makeLegend() {
    const s = this.scene, items = [];
    if (s.tension) {
      const stops = [0, 0.25, 0.5, 0.75, 1].map((w) => ramp(w)).join(",");
      items.push(el("span", { class: "key" }, "Tension ", el("span", { class: "ramp-end" }, number(s.tension[0], 3)),
        el("span", { class: "ramp", style: `background:linear-gradient(90deg,${stops})` }), el("span", { class: "ramp-end" }, `${number(s.tension[1], 3)} N`)));
    }
    if (s.model.contacts.length || s.run.cables.some((c) => c.state)) {
      items.push(el("span", { class: "key" }, el("span", { class: "mark stick" }), "sticks"), el("span", { class: "key" }, el("span", { class: "mark slip" }), "slips"));
      const most = s.contactMost || s.frictionMost;
      if (most) {
        const box = el("input", { type: "checkbox", checked: this.options.forces, onchange: (e) => { this.options.forces = e.target.checked; this.request(); } });
        items.push(el("label", { class: "key" }, box, `Forces, longest ${number(most, 2)} N`));
      }
    }
    if (s.spread) items.push(el("span", { class: "key note" }, "Bodies are drawn side by side; their movement is to scale."));
    else if (s.model.springs.some((k) => k.schematic)) items.push(el("span", { class: "key note" }, "Movement is to scale; blocks and walls have no given size."));
    this.legend.replaceChildren(...items);
  }

  // ---- moving and zooming

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(400, Math.max(0.2, this.zoom * factor)), k = zoom / this.zoom;
    this.pan = [x - this.width / 2 - k * (x - this.width / 2 - this.pan[0]), y - this.height / 2 - k * (y - this.height / 2 - this.pan[1])];
    this.zoom = zoom;
    this.request();
  }

  fit() { this.zoom = 1; this.pan = [0, 0]; this.request(); }

  gestures() {
    const pointers = new Map(), c = this.canvas;
    const place = (e) => { const r = c.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    c.addEventListener("pointerdown", (e) => { pointers.set(e.pointerId, place(e)); c.setPointerCapture(e.pointerId); });
    c.addEventListener("pointermove", (e) => {
      if (!pointers.has(e.pointerId)) return;
      const before = [...pointers.values()], from = pointers.get(e.pointerId), to = place(e);
      pointers.set(e.pointerId, to);
      if (pointers.size === 1) this.pan = [this.pan[0] + to[0] - from[0], this.pan[1] + to[1] - from[1]];
      else if (pointers.size === 2) {
        const after = [...pointers.values()], d = (p) => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]);
        this.zoomBy(d(after) / (d(before) || 1), 0.5 * (after[0][0] + after[1][0]), 0.5 * (after[0][1] + after[1][1]));
      }
      this.request();
    });
    for (const end of ["pointerup", "pointercancel"]) c.addEventListener(end, (e) => pointers.delete(e.pointerId));
    c.addEventListener("dblclick", () => this.fit());
    // The plain wheel scrolls the page; with Ctrl (which a pinch on a touchpad sends) it zooms.
    c.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.zoomBy(Math.exp(-0.01 * e.deltaY), ...place(e));
    }, { passive: false });
  }

  save(title) {
    const out = el("canvas", { width: this.canvas.width, height: this.canvas.height }), g = out.getContext("2d");
    g.fillStyle = look().paper;
    g.fillRect(0, 0, out.width, out.height);
    g.drawImage(this.canvas, 0, 0);
    out.toBlob((b) => b && download(`${fileName(title)}.png`, b));
  }
}
