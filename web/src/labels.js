// labels.js - names beside things: each takes the first of its places where no rope, thing or other name lies.

const PAD = 2;

export class Labels {
  constructor(g, width, height, paper, ink) {
    Object.assign(this, { g, width, height, paper, ink });
    this.points = []; // of ropes [px]
    this.boxes = []; // of things, and of names that have their place: [left, top, right, bottom]
    this.wanted = [];
  }

  avoidPoint(p) { this.points.push(p); }
  avoidBox(box) { this.boxes.push(box); }
  // A name wanted around (x, y), which a thing of half width w and half height h occupies; inside it if there is room.
  want(text, x, y, w, h, inside) { this.wanted.push({ text, x, y, w, h, inside }); }

  cost(b, own) {
    let sum = 0;
    if (b[0] < 0 || b[1] < 0 || b[2] > this.width || b[3] > this.height) sum += 40;
    for (const p of this.points) if (p[0] > b[0] && p[0] < b[2] && p[1] > b[1] && p[1] < b[3]) sum += 3;
    for (const q of this.boxes) if (q !== own && q[0] < b[2] && q[2] > b[0] && q[1] < b[3] && q[3] > b[1]) sum += 10;
    return sum;
  }

  draw() {
    const { g } = this, size = 12, height = size + 2 * PAD;
    g.font = `500 ${size}px Inter, system-ui, sans-serif`;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.lineJoin = "round";
    for (const l of this.wanted) {
      if (l.x < -l.w || l.y < -l.h || l.x > this.width + l.w || l.y > this.height + l.h) continue;
      const width = g.measureText(l.text).width + 2 * PAD, box = (x, y) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
      const dx = l.w + width / 2 + 4, dy = l.h + height / 2 + 3;
      const places = [[dx, 0], [-dx, 0], [0, dy], [0, -dy], [dx, dy], [-dx, dy], [dx, -dy], [-dx, -dy]].map(([a, b]) => box(l.x + a, l.y + b));
      if (l.inside && width < 2 * l.w - 4 && height < 2 * l.h) places.unshift(box(l.x, l.y));
      let best = places[0], least = Infinity;
      // The own thing is no obstacle to the name inside it.
      const own = l.inside;
      for (const p of places) { const c = this.cost(p, own); if (c < least) { least = c; best = p; } if (c === 0) break; }
      this.boxes.push(best);
      const x = 0.5 * (best[0] + best[2]), y = 0.5 * (best[1] + best[3]);
      g.strokeStyle = this.paper;
      g.lineWidth = 4;
      g.globalAlpha = 0.85;
      g.strokeText(l.text, x, y);
      g.globalAlpha = 1;
      g.fillStyle = this.ink;
      g.fillText(l.text, x, y);
    }
  }
}
