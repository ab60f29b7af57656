// machine.js - the drawing of the machine: a canvas that can be moved, zoomed and asked, its tools and its legend.
//
// What is framed is a box: the machine at its start or all that it ever fills, or a body or drum that is followed. The user's zoom and shift
// come on top.
import { paint } from "./draw.js";
import { button, el, look, quantity, ramp, ticks } from "./look.js";
import { describe, pick, wheelFactor } from "./pick.js";
import { download, fileName } from "./save.js";
import { Scene, sameMachine } from "./scene.js";

const FOLLOWED = 4.4; // size of the view over that of what is followed
const IN_SPACE = 0.8; // height over width of a view in space
const TOOLS_HEIGHT = 58; // that the tools at the top of the drawing take [px]
const DRAGGED = 4; // a press that moves further than this is no click [px]

// Kinds of forces, each with its switch.
const KINDS = [
  ["normal", "Normal force", (s) => s.contactMost],
  ["friction", "Friction", (s) => s.contactMost || s.frictionMost],
  ["loads", "Loads", (s) => s.loadMost],
];

export class Machine {
  constructor(runs, clock, options) {
    this.scenes = runs.map((r) => new Scene(r));
    this.clock = clock;
    this.shown = 0;
    this.options = { normal: true, friction: true, loads: true, labels: true };
    this.zoom = 1;
    this.pan = [0, 0];
    this.followed = null;
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": options.label, "data-test": "machine" });
    this.framing = el("select", { class: "framing", "aria-label": "What is in the frame", "data-test": "framing", onchange: () => this.frameChosen() });
    this.tools = el("div", { class: "tools" }, this.framing,
      button("Zoom in", "plus", () => this.zoomBy(1.3)), button("Zoom out", "minus", () => this.zoomBy(1 / 1.3)), button("Fit", "fit", () => this.fit()),
      button("Save the drawing as PNG", "save", () => this.save(options.label)));
    this.legend = el("div", { class: "legend" });
    this.tip = el("div", { class: "tip", hidden: true, "data-test": "tip" });
    this.box = el("div", { class: "drawing" }, this.canvas, this.tools, this.tip);
    this.element = el("div", { class: "machine" }, this.box, this.legend);
    this.gestures(this.canvas);
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.makeLegend();
    this.makeFraming();
    clock.listen(() => this.request());
  }

  // Height over width of what is drawn.
  get aspect() {
    const b = this.scene.frame;
    if (this.scene.model.dim === 3) return IN_SPACE;
    return (b[3] - b[2]) / Math.max(b[1] - b[0], 1e-12);
  }

  get scene() { return this.scenes[this.shown]; }
  // The results that are laid over the one that is drawn: those of the same machine.
  get others() { return this.scenes.filter((s) => s !== this.scene && sameMachine(s, this.scene)); }

  show(index) { this.shown = index; this.followed = null; this.makeLegend(); this.makeFraming(); this.fit(); }
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

  // What the user has made of the view, for a later drawing of the same machine.
  state() { return { mode: this.mode, followed: this.followed && [this.followed.kind, this.followed.name], zoom: this.zoom, pan: this.pan, options: this.options, chosen: this.chosen }; }
  restore(s) {
    Object.assign(this.options, s.options);
    this.makeLegend();
    const target = s.followed && this.scene.targets().find((t) => t.kind === s.followed[0] && t.name === s.followed[1]);
    if (target) this.follow(target); else if (s.chosen) this.frameOn(s.mode);
    this.zoom = s.zoom;
    this.pan = s.pan;
    this.request();
  }

  // ---- what is framed

  makeFraming() {
    const s = this.scene, targets = s.targets();
    const choices = [["start", "Machine at the start"], ["run", "Whole run"], ...targets.slice(0, 60).map((t, i) => [`${i}`, `Follow ${t.name}`])];
    this.framing.replaceChildren(...choices.map(([value, text]) => el("option", { value }, text)));
    this.mode = s.runsOff ? "start" : "run";
    this.framing.value = this.mode;
  }

  frameChosen() {
    const target = this.scene.targets()[this.framing.value];
    if (target) this.follow(target); else { this.chosen = true; this.frameOn(this.framing.value); }
  }

  follow(target) {
    this.followed = target;
    this.zoom = 1;
    this.pan = [0, 0];
    this.framing.value = String(this.scene.targets().findIndex((t) => t.kind === target.kind && t.name === target.name));
    this.request();
  }

  followNext() {
    const targets = this.scene.targets(), now = this.followed ? targets.findIndex((t) => t.name === this.followed.name && t.kind === this.followed.kind) : -1;
    if (now + 1 < targets.length) this.follow(targets[now + 1]); else this.fit();
  }

  fit() { this.frameOn(this.scene.runsOff ? "start" : "run"); }

  frameOn(mode) {
    this.followed = null;
    this.mode = this.framing.value = mode;
    this.zoom = 1;
    this.pan = [0, 0];
    this.reframe();
    this.request();
  }

  reframe() {} // the view in space has a camera to move

  // The box that is framed at a time.
  frame(t) {
    if (this.followed) {
      const p = this.followed.at(t), r = 0.5 * FOLLOWED * this.followed.size;
      return [p[0] - r, p[0] + r, p[1] - r, p[1] + r];
    }
    const boxes = [this.scene, ...this.others].map((s) => (this.mode === "start" ? s.startBounds : s.bounds));
    return boxes.reduce((a, b) => [Math.min(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.max(a[3], b[3])]);
  }

  // The map from metres to pixels: what is framed fits, then the user's zoom and shift.
  view() {
    const b = this.frame(this.clock.time);
    const margin = Math.min(44, 0.1 * this.width, 0.14 * this.height), top = Math.max(margin, Math.min(TOOLS_HEIGHT, 0.2 * this.height)), w = Math.max(b[1] - b[0], 1e-12), h = Math.max(b[3] - b[2], 1e-12);
    const scale = Math.min((this.width - 2 * margin) / w, (this.height - top - margin) / h) * this.zoom;
    const cx = 0.5 * (b[0] + b[1]), cy = 0.5 * (b[2] + b[3]), x0 = this.width / 2 + this.pan[0], y0 = (this.height + top - margin) / 2 + this.pan[1];
    return { scale, width: this.width, height: this.height, px: (p) => [x0 + (p[0] - cx) * scale, y0 - (p[1] - cy) * scale] };
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
    for (const s of this.others) paint(g, s, this.clock.time, view, { ...this.options, ghost: true });
    this.drawScale(g, view);
    this.canvas.dataset.scale = view.scale.toPrecision(6); // pixels per metre
    this.tell();
  }

  drawScale(g, view) {
    const c = look(), { step } = ticks(0, 110 / view.scale, 1.2), width = step * view.scale, y = this.height - 18, text = quantity(step, "m", 3);
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
    g.fillText(text, 22, y - 4);
  }

  // ---- legend

  makeLegend() {
    const s = this.scene, items = [];
    if (s.tension) {
      const stops = [0, 0.25, 0.5, 0.75, 1].map((w) => ramp(w)).join(","), most = Math.max(...s.tension.map(Math.abs));
      items.push(el("span", { class: "key" }, "Tension ", el("span", { class: "ramp-end" }, quantity(s.tension[0], "N", 3, most)),
        el("span", { class: "ramp", style: `background:linear-gradient(90deg,${stops})` }), el("span", { class: "ramp-end" }, quantity(s.tension[1], "N", 3, most))));
    }
    if (s.model.contacts.length || s.run.cables.some((c) => c.state))
      items.push(el("span", { class: "key" }, el("span", { class: "mark stick" }), "sticks"), el("span", { class: "key" }, el("span", { class: "mark slip" }), "slips"));
    for (const [key, label, most] of KINDS) {
      if (!(most(s) > 0) || (key === "normal" && !s.run.cables.some((c) => c.normal))) continue;
      const box = el("input", { type: "checkbox", checked: this.options[key], "data-test": `show-${key}`, onchange: (e) => { this.options[key] = e.target.checked; this.request(); } });
      items.push(el("label", { class: "key", title: `the longest arrow is ${quantity(most(s), "N", 2)}` }, box, label));
    }
    if (s.spread) items.push(el("span", { class: "key note" }, "Bodies are drawn side by side; their movement is to scale."));
    else if (s.model.springs.some((k) => k.schematic)) items.push(el("span", { class: "key note" }, "Movement is to scale; blocks and walls have no given size."));
    this.legend.replaceChildren(...items);
  }

  // ---- moving and zooming

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(4000, Math.max(0.02, this.zoom * factor)), k = zoom / this.zoom;
    this.pan = [x - this.width / 2 - k * (x - this.width / 2 - this.pan[0]), y - this.height / 2 - k * (y - this.height / 2 - this.pan[1])];
    this.zoom = zoom;
    this.request();
  }

  panBy(dx, dy) { this.pan = [this.pan[0] + dx, this.pan[1] + dy]; }

  // What is under a place on the canvas.
  find(at) { const view = this.view(); return pick(this.scene, this.clock.time, at, view.px, (p, m) => m * view.scale); }

  gestures(c) {
    const pointers = new Map();
    let moved = 0;
    const place = (e) => { const r = c.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    c.addEventListener("pointerdown", (e) => { pointers.set(e.pointerId, place(e)); c.setPointerCapture(e.pointerId); moved = 0; this.hover(null); });
    c.addEventListener("pointermove", (e) => {
      if (!pointers.has(e.pointerId)) { if (e.pointerType !== "touch") this.hover(place(e)); return; }
      const before = [...pointers.values()], from = pointers.get(e.pointerId), to = place(e);
      pointers.set(e.pointerId, to);
      moved += Math.hypot(to[0] - from[0], to[1] - from[1]);
      if (pointers.size === 1 && moved > DRAGGED) this.panBy(to[0] - from[0], to[1] - from[1]);
      else if (pointers.size === 2) {
        const after = [...pointers.values()], d = (p) => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]);
        this.zoomBy(d(after) / (d(before) || 1), 0.5 * (after[0][0] + after[1][0]), 0.5 * (after[0][1] + after[1][1]));
      }
      this.request();
    });
    c.addEventListener("pointerleave", () => this.hover(null));
    for (const end of ["pointerup", "pointercancel"]) c.addEventListener(end, (e) => pointers.delete(e.pointerId));
    c.addEventListener("click", (e) => this.clicked(e, moved, place(e)));
    c.addEventListener("dblclick", () => { clearTimeout(this.clicking); this.fit(); });
    c.addEventListener("wheel", (e) => {
      const factor = wheelFactor(e);
      if (factor === null) return;
      e.preventDefault();
      this.zoomBy(factor, ...place(e));
    }, { passive: false });
  }

  // A click on a drum or body goes there, unless a second one follows, which fits. A touch asks for values.
  clicked(e, moved, at) {
    clearTimeout(this.clicking);
    if (moved > DRAGGED || e.detail > 1) return;
    if (e.pointerType === "touch") this.hover(at);
    const found = this.find(at);
    if (found?.target) this.clicking = setTimeout(() => this.follow(found.target), 260);
  }

  // ---- values at the pointer

  hover(at) { this.pointer = at; this.request(); }

  tell() {
    // Without a pointer the values of what is followed are shown.
    const found = this.pointer ? this.find(this.pointer) : this.followed && { kind: this.followed.kind, target: this.followed, name: this.followed.name };
    this.tip.hidden = !found;
    this.canvas.style.cursor = this.pointer && found?.target ? "zoom-in" : "";
    if (!found) return;
    this.tip.replaceChildren(el("b", {}, found.name), ...describe(this.scene, this.clock.time, found).map(([label, value]) => el("span", {}, label ? `${label} ` : "", el("i", {}, value))));
    const w = this.tip.offsetWidth, h = this.tip.offsetHeight, [x, y] = this.pointer ?? [-4, 0];
    this.tip.style.left = `${Math.max(4, x + 16 + w > this.width ? x - w - 12 : x + 16)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(this.height - h - 4, y + 12))}px`;
  }

  save(title) {
    const out = el("canvas", { width: this.canvas.width, height: this.canvas.height }), g = out.getContext("2d");
    g.fillStyle = look().paper;
    g.fillRect(0, 0, out.width, out.height);
    g.drawImage(this.canvas, 0, 0);
    out.toBlob((b) => b && download(`${fileName(title)}.png`, b));
  }
}
