// chart.js - a figure in the page: an SVG that follows the width of its place, the theme and the cursor.
import { figureSvg, layout } from "./figure.js";
import { el } from "./look.js";
import { saveMenu } from "./save.js";

let count = 0;

export class Chart {
  // `figure(time)` gives the description (figure.js); `overlay(time, layout)` gives SVG text that changes with the cursor.
  constructor(title, figure, { overlay = null, height = 260, live = false, controls = [], note = null, extra = [], alone = false, time = false } = {}) {
    Object.assign(this, { title, describe: figure, overlay, height, live });
    this.id = `clip${count++}`;
    this.holder = el("div", { class: "chart-holder" });
    this.element = el("section", { class: "panel", "data-test": "chart", "aria-label": title },
      el("div", { class: "panel-head" }, alone ? el("span") : el("h3", {}, title), el("div", { class: "panel-tools" }, ...controls, saveMenu(title, () => this.describe(this.time), extra))),
      this.holder, note ? el("p", { class: "note" }, note) : null);
    // Where the axis is time, a click sets it.
    if (time) {
      this.holder.classList.add("clickable");
      this.holder.addEventListener("click", (e) => {
        const l = this.layout, x = e.clientX - this.holder.getBoundingClientRect().left;
        if (l && x >= l.left && x <= l.left + l.w) this.onTime?.(l.xRange[0] + ((x - l.left) / l.w) * (l.xRange[1] - l.xRange[0]));
      });
    }
    this.visible = false;
    new ResizeObserver(() => this.draw()).observe(this.holder);
    // What is not in sight is not drawn.
    new IntersectionObserver((e) => { this.visible = e[e.length - 1].isIntersecting; if (this.visible) this.cursor(this.time); }).observe(this.element);
  }

  draw() {
    const width = Math.round(this.holder.clientWidth);
    if (!width) return;
    const f = { ...this.describe(this.time), width, height: this.height, id: this.id };
    this.layout = layout(f);
    this.holder.innerHTML = figureSvg(f);
    if (this.overlay) {
      this.group = document.createElementNS("http://www.w3.org/2000/svg", "g");
      this.holder.firstElementChild.append(this.group);
    }
    this.mark();
  }

  mark() { if (this.overlay && this.group) this.group.innerHTML = this.overlay(this.time, this.layout) ?? ""; }

  cursor(t) {
    this.time = t;
    if (!this.live) this.mark(); else if (this.visible) this.draw();
  }
}

// A choice between named things; calls back with the index.
export function choice(label, names, onchange) {
  const s = el("select", { "aria-label": label, onchange: () => onchange(s.selectedIndex) }, names.map((n) => el("option", {}, n)));
  return s;
}
