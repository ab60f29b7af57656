// space.js - the machine in space, with three.js: cables as tubes coloured by tension, drums that turn, contact forces. A bundle of its
// own, which a page carries only if its machine needs it. Takes the place of the plane drawing in a Machine (machine.js).
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, OctahedronGeometry, PerspectiveCamera, Quaternion, RingGeometry, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { valueAt } from "./data.js";
import { quantity, ticks } from "./look.js";
import { pick, wheelFactor } from "./pick.js";

const AROUND = 10, PARTS = 4; // vertices around a tube, pieces per element
const ARROW_SPACE = 0.06, MARK_SPACE = 0.03; // between arrows and between marks, over the radius of the drum
const ROPE_LEAST = 0.0022; // least radius of a rope, over the size of the machine
const SPOKES = 6;
const LABELS_MOST = 24;
const Z = new Vector3(0, 0, 1), Y = new Vector3(0, 1, 0);

// A tube around points that move, with a colour for each of them.
class Tube {
  constructor(n, radius) {
    this.n = n;
    this.radius = radius;
    const geometry = new BufferGeometry(), faces = [];
    for (let i = 0; i < n - 1; i++)
      for (let k = 0; k < AROUND; k++) {
        const a = i * AROUND + k, b = i * AROUND + ((k + 1) % AROUND);
        faces.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
      }
    for (const name of ["position", "normal", "color"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * n * AROUND), 3));
    geometry.setIndex(faces);
    this.mesh = new Mesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0.05, side: DoubleSide }));
    this.mesh.frustumCulled = false;
  }

  // points: Vector3[n]; colors: Color[n]. Frames are carried along without twist.
  update(points, colors) {
    const { position, normal, color } = this.mesh.geometry.attributes, tangent = new Vector3(), u = new Vector3(), v = new Vector3(), d = new Vector3();
    for (let i = 0; i < this.n; i++) {
      tangent.copy(points[Math.min(this.n - 1, i + 1)]).sub(points[Math.max(0, i - 1)]).normalize();
      if (i === 0) u.set(Math.abs(tangent.x) < 0.8 ? 1 : 0, Math.abs(tangent.x) < 0.8 ? 0 : 1, 0);
      u.addScaledVector(tangent, -u.dot(tangent)).normalize();
      v.crossVectors(tangent, u);
      for (let k = 0; k < AROUND; k++) {
        const q = (2 * Math.PI * k) / AROUND, j = i * AROUND + k;
        d.copy(u).multiplyScalar(Math.cos(q)).addScaledVector(v, Math.sin(q));
        normal.setXYZ(j, d.x, d.y, d.z);
        position.setXYZ(j, points[i].x + this.radius * d.x, points[i].y + this.radius * d.y, points[i].z + this.radius * d.z);
        color.setXYZ(j, colors[i].r, colors[i].g, colors[i].b);
      }
    }
    for (const a of [position, normal, color]) a.needsUpdate = true;
  }
}

class SpaceView {
  constructor(machine, clock, look) {
    Object.assign(this, { machine, clock, look });
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.canvas = this.renderer.domElement;
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.render());
    this.scene = new Scene();
    this.sky = new HemisphereLight(0xffffff, 0x8899aa, 2.2);
    this.sun = new DirectionalLight(0xffffff, 1.6);
    this.scene.add(this.sky, this.sun);
    this.findBounds();
    this.build();
    this.fit();
  }

  get run() { return this.machine.scene.run; }

  place(b, t) {
    const at = (x) => (x ? valueAt(this.run.times, x, t) : 0);
    if (b.kind === "plane") return new Vector3(b.x ? at(b.x) : b.x0[0], b.y ? at(b.y) : b.x0[1], b.z ? at(b.z) : b.x0[2]);
    return new Vector3(...b.origin).addScaledVector(new Vector3(...b.direction), at(b.x));
  }

  drumCenter(d, t) {
    const c = new Vector3(...d.center);
    d.shift?.forEach((s, i) => { if (s) c.setComponent(i, c.getComponent(i) + valueAt(this.run.times, s, t)); });
    const carrier = this.machine.scene.bodies[d.carrier];
    if (carrier) c.add(this.place(carrier, t)).sub(this.place(carrier, this.run.from));
    ["x", "y", "z"].forEach((name, i) => { const v = this.run.at(`drums.${d.name}.${name}`, t); if (Number.isFinite(v)) c.setComponent(i, v); });
    return c;
  }

  findBounds() {
    const low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity);
    const add = (p, r = 0) => { low.min(p.clone().subScalar(r)); high.max(p.clone().addScalar(r)); };
    // All that the run fills, or the machine at its start (scene.js says which).
    const scene = this.machine.scene, start = this.machine.mode === "start";
    for (const c of this.run.cables) {
      const d = c.position.data, dim = c.position.components;
      for (let i = 0, end = start ? dim * c.s.length : d.length; i < end; i += dim) add(new Vector3(d[i], d[i + 1], dim > 2 ? d[i + 2] : 0));
    }
    for (const t of start ? scene.times.slice(0, 1) : scene.times) {
      for (const d of scene.model.drums) add(this.drumCenter(d, t), d.radius);
      for (const b of scene.bodies) add(this.place(b, t), b.radius);
    }
    this.low = low;
    this.high = high;
    if (!(low.x <= high.x)) { low.set(-1, -1, -1); high.set(1, 1, 1); }
    const up = new Vector3(...scene.model.gravity).multiplyScalar(-1);
    this.up = up.lengthSq() > 0 ? up.normalize() : Y.clone();
    this.middle = low.clone().add(high).multiplyScalar(0.5);
    this.reach = Math.max(1e-6, 0.5 * high.distanceTo(low));
  }

  material(color, options = {}) { return new MeshStandardMaterial({ color, roughness: 0.7, ...options }); }

  // Everything anew: at the start, and when the theme or the drawn result changes.
  build() {
    this.things?.removeFromParent();
    this.things = new Group();
    this.scene.add(this.things);
    const c = this.look.look(), s = this.machine.scene;
    this.thickness = Math.max(ROPE_LEAST * this.reach, ...this.run.cables.map((cable) => 0.5 * cable.diameter));
    this.addFloor(c);
    this.addAxes();
    this.tubes = this.run.cables.map((cable) => {
      const tube = new Tube((cable.s.length - 1) * PARTS + 1, Math.max(ROPE_LEAST * this.reach, 0.5 * cable.diameter));
      this.things.add(tube.mesh);
      return { cable, tube };
    });
    this.drums = s.model.drums.map((d) => this.makeDrum(d, c));
    this.bodies = s.bodies.map((b) => {
      const size = 2 * b.radius, mesh = new Mesh(new BoxGeometry(size, size, size), this.material(c.accent, { transparent: true, opacity: 0.85 }));
      this.things.add(mesh);
      return { b, mesh };
    });
    const most = this.run.cables.reduce((n, q) => n + (q.state?.points ?? 0), 0) || 1;
    const many = (geometry, color) => { const m = new InstancedMesh(geometry, new MeshBasicMaterial({ color }), most); m.frustumCulled = false; this.things.add(m); return m; };
    const r = Math.max(1.35 * this.thickness, 0.0045 * this.reach);
    this.marks = { stick: many(new SphereGeometry(r, 12, 8), c.stick), slip: many(new OctahedronGeometry(1.4 * r), c.slip) };
    this.makeLabels();
    this.shafts = { stick: many(new CylinderGeometry(0.3 * r, 0.3 * r, 1, 6), c.stick), slip: many(new CylinderGeometry(0.3 * r, 0.3 * r, 1, 6), c.slip) };
    this.heads = { stick: many(new ConeGeometry(0.9 * r, 2.6 * r, 10), c.stick), slip: many(new ConeGeometry(0.9 * r, 2.6 * r, 10), c.slip) };
    this.update();
  }

  // A grid on the floor: at the lowest point of the machine, across gravity, with a round distance between its lines.
  addFloor(c) {
    const up = this.up, a = new Vector3(Math.abs(up.x) < 0.8 ? 1 : 0, Math.abs(up.x) < 0.8 ? 0 : 1, 0), { step } = ticks(0, 2 * this.reach, 8);
    a.addScaledVector(up, -a.dot(up)).normalize();
    const b = new Vector3().crossVectors(up, a), corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(k & 1 ? this.low.x : this.high.x, k & 2 ? this.low.y : this.high.y, k & 4 ? this.low.z : this.high.z));
    const least = (v) => Math.min(...corners.map((p) => p.dot(v))), most = (v) => Math.max(...corners.map((p) => p.dot(v)));
    const floor = least(up) - 0.04 * this.reach, from = (v) => Math.floor(least(v) / step - 0.5) * step, to = (v) => Math.ceil(most(v) / step + 0.5) * step, points = [];
    const put = (x, y) => { const p = up.clone().multiplyScalar(floor).addScaledVector(a, x).addScaledVector(b, y); points.push(p.x, p.y, p.z); };
    for (let x = from(a); x <= to(a) + 1e-9 * step; x += step) { put(x, from(b)); put(x, to(b)); }
    for (let y = from(b); y <= to(b) + 1e-9 * step; y += step) { put(from(a), y); put(to(a), y); }
    const lines = new LineSegments(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points), 3)), new LineBasicMaterial({ color: c.line }));
    this.things.add(lines);
    this.gridStep = step;
    this.corner = up.clone().multiplyScalar(floor).addScaledVector(a, from(a)).addScaledVector(b, from(b));
  }

  // x, y and z at a corner of the floor.
  addAxes() {
    const length = 0.8 * this.gridStep, r = 0.02 * length, colors = ["#c0392b", "#2e8b57", "#2f6fd0"];
    this.axisEnds = [new Vector3(1, 0, 0), Y, Z].map((d, i) => {
      const shaft = new Mesh(new CylinderGeometry(r, r, length, 8), new MeshBasicMaterial({ color: colors[i] })), head = new Mesh(new ConeGeometry(3 * r, 8 * r, 12), new MeshBasicMaterial({ color: colors[i] }));
      const turn = new Quaternion().setFromUnitVectors(Y, d);
      shaft.quaternion.copy(turn);
      head.quaternion.copy(turn);
      shaft.position.copy(this.corner).addScaledVector(d, 0.5 * length);
      head.position.copy(this.corner).addScaledVector(d, length);
      this.things.add(shaft, head);
      return this.corner.clone().addScaledVector(d, 1.15 * length);
    });
  }

  // Names beside drums and bodies, letters at the axes: text over the canvas.
  makeLabels() {
    const s = this.machine.scene, box = this.machine.box;
    this.labels?.forEach((l) => l.element.remove());
    const add = (text, at, axis) => { const element = document.createElement("span"); element.className = axis ? "space-label axis" : "space-label"; element.textContent = text; element.setAttribute("aria-hidden", "true"); box.append(element); return { element, at }; };
    const shown = s.bodies.filter((b) => s.shown(b));
    this.labels = ["x", "y", "z"].map((name, i) => add(name, () => this.axisEnds[i], true));
    if (shown.length + s.model.drums.length <= LABELS_MOST)
      this.labels.push(...shown.map((b) => add(b.name, (t) => this.place(b, t).addScaledVector(this.up, -2.4 * b.radius))), ...s.model.drums.map((d) => add(d.name, (t) => this.drumCenter(d, t).addScaledVector(this.up, 1.3 * d.radius))));
    this.scaleBar ??= box.appendChild(Object.assign(document.createElement("span"), { className: "space-scale" }));
  }

  // Pixels of a place.
  project(p) {
    const v = this.projected ??= new Vector3();
    v.set(p.x ?? p[0], p.y ?? p[1], p.z ?? p[2] ?? 0).project(this.camera);
    return [(0.5 + 0.5 * v.x) * this.machine.width, (0.5 - 0.5 * v.y) * this.machine.height];
  }

  // How many pixels a length is, at a distance from the camera.
  lengthAt(p, m) {
    const at = new Vector3(p.x ?? p[0], p.y ?? p[1], p.z ?? p[2] ?? 0), distance = at.distanceTo(this.camera.position);
    return (m * this.machine.height) / (2 * distance * Math.tan((0.5 * this.camera.fov * Math.PI) / 180));
  }

  placeLabels() {
    if (!this.labels || !this.machine.width) return;
    const taken = [];
    for (const l of this.labels) {
      const [x, y] = this.project(l.at(this.clock.time)), size = [7 * l.element.textContent.length, 16];
      let top = y - 8;
      // A name that would cover another one goes below it.
      while (taken.some((q) => Math.abs(q[0] - x) < 0.5 * (q[2] + size[0]) && Math.abs(q[1] - top) < 15)) top += 5;
      taken.push([x, top, size[0]]);
      l.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(top)}px) translateX(-50%)`;
    }
    const per = this.lengthAt(this.controls.target, 1), { step } = ticks(0, 110 / per, 1.2);
    this.scaleBar.textContent = quantity(step, "m", 3);
    this.scaleBar.style.width = `${Math.max(8, step * per)}px`;
  }

  // A drum: a rim as wide as the cables that lie on it, spokes and a hub at both ends, and a mark to count turns by.
  makeDrum(d, c) {
    const group = new Group(), radius = d.radius - this.thickness;
    let low = 0, high = 0;
    const axis = new Vector3(...d.axis).normalize(), center = new Vector3(...d.center);
    for (const cable of this.run.cables) {
      const p = cable.position.data, dim = cable.position.components;
      for (let i = 0; i < p.length; i += dim) {
        const q = new Vector3(p[i], p[i + 1], dim > 2 ? p[i + 2] : 0).sub(center), along = q.dot(axis);
        if (Math.abs(along) < 20 * d.radius && q.addScaledVector(axis, -along).length() < 1.05 * d.radius) { low = Math.min(low, along); high = Math.max(high, along); }
      }
    }
    const width = Math.max(high - low + 6 * this.thickness, 0.24 * radius), shift = 0.5 * (low + high), wall = 0.07 * radius;
    const add = (geometry, color, options) => { const m = new Mesh(geometry, this.material(color, options)); group.add(m); return m; };
    const tube = (r, color, options) => { const m = add(new CylinderGeometry(r, r, width, 64, 1, true), color, { side: DoubleSide, ...options }); m.rotation.x = Math.PI / 2; m.position.z = shift; return m; };
    tube(radius, c.solid);
    tube(radius - wall, c.solid);
    tube(0.16 * radius, c.metal);
    for (const end of [-0.5, 0.5]) {
      const z = shift + end * width;
      for (const [inner, outer] of [[radius - wall, radius], [0.05 * radius, 0.16 * radius]]) add(new RingGeometry(inner, outer, 64), c.metal, { side: DoubleSide }).position.z = z;
      for (let k = 0; k < SPOKES; k++) {
        const length = radius - wall - 0.14 * radius, spoke = add(new BoxGeometry(length, 0.07 * radius, 0.05 * radius), c.metal), q = (2 * Math.PI * k) / SPOKES, r = 0.14 * radius + 0.5 * length;
        spoke.position.set(r * Math.cos(q), r * Math.sin(q), z - 0.03 * radius * Math.sign(end));
        spoke.rotation.z = q;
      }
    }
    add(new SphereGeometry(0.055 * radius, 12, 8), c.accent).position.set(0.86 * radius, 0, shift + 0.5 * width);
    this.things.add(group);
    return { d, group, face: new Quaternion().setFromUnitVectors(Z, axis) };
  }

  // Nodes with the curve between them (Catmull-Rom), and the colour of their tension.
  curve(cable, t) {
    const s = this.machine.scene, p = s.cablePoints(cable, t), P = [], [low, high] = s.tension ?? [0, 1];
    for (let i = 0; i < p.n; i++) P.push(new Vector3(p.p[i * p.dim], p.p[i * p.dim + 1], p.dim > 2 ? p.p[i * p.dim + 2] : 0));
    const points = [], colors = [];
    for (let i = 0; i < p.n; i++) {
      const parts = i < p.n - 1 ? PARTS : 1;
      for (let k = 0; k < parts; k++) {
        const w = k / PARTS, a = P[Math.max(0, i - 1)], b = P[i], c = P[Math.min(p.n - 1, i + 1)], d = P[Math.min(p.n - 1, i + 2)], w2 = w * w, w3 = w2 * w;
        points.push(new Vector3().addScaledVector(a, -0.5 * w + w2 - 0.5 * w3).addScaledVector(b, 1 - 2.5 * w2 + 1.5 * w3).addScaledVector(c, 0.5 * w + 2 * w2 - 1.5 * w3).addScaledVector(d, -0.5 * w2 + 0.5 * w3));
        const tension = p.tension ? p.tension[i] + w * (p.tension[Math.min(p.n - 1, i + 1)] - p.tension[i]) : low;
        colors.push(new Color(this.look.ramp((tension - low) / (high - low))));
      }
    }
    return { p, points, colors };
  }

  update() {
    this.keepUp();
    const t = this.clock.time, s = this.machine.scene, count = { stick: 0, slip: 0 }, m = new Matrix4(), turn = new Quaternion();
    for (const { b, mesh } of this.bodies) mesh.position.copy(this.place(b, t)).y -= b.kind === "plane" ? b.radius : 0;
    for (const { d, group, face } of this.drums) {
      group.position.copy(this.drumCenter(d, t));
      group.quaternion.copy(face).multiply(turn.setFromAxisAngle(Z, s.drumAngle(d, t)));
    }
    for (const { cable, tube } of this.tubes) {
      const { p, points, colors } = this.curve(cable, t);
      tube.update(points, colors);
      let lastMark = -Infinity, lastArrow = -Infinity;
      for (const k of s.cableContacts(cable, t, p)) {
        const d = s.model.drums[k.drum], pitch = d ? d.radius : this.reach;
        if (k.s - lastMark < MARK_SPACE * pitch) continue;
        lastMark = k.s;
        const draws = k.s - lastArrow >= ARROW_SPACE * pitch * 2;
        if (draws) lastArrow = k.s;
        const kind = k.slips ? "slip" : "stick", at = new Vector3(...k.at), i = count[kind]++;
        this.marks[kind].setMatrixAt(i, m.makeTranslation(at.x, at.y, at.z));
        const axis = new Vector3(...(d?.axis ?? [0, 0, 1])), out = at.clone().sub(d ? this.drumCenter(d, t) : at);
        out.addScaledVector(axis, -out.dot(axis)).normalize();
        const o = this.machine.options, force = out.clone().multiplyScalar(o.normal ? k.n : 0).addScaledVector(new Vector3().crossVectors(axis, out), o.friction ? k.f : 0);
        const length = draws && s.contactMost > 0 && d ? (0.45 * d.radius * force.length()) / s.contactMost : 0;
        turn.setFromUnitVectors(Y, force.lengthSq() > 0 ? force.normalize() : Y);
        const size = length > 0 ? 1 : 0;
        this.shafts[kind].setMatrixAt(i, m.compose(at.clone().addScaledVector(force, 0.5 * length), turn, new Vector3(size, length || 1e-9, size)));
        this.heads[kind].setMatrixAt(i, m.compose(at.clone().addScaledVector(force, length), turn, new Vector3(size, size, size)));
      }
    }
    for (const set of [this.marks, this.shafts, this.heads]) for (const kind of ["stick", "slip"]) { set[kind].count = count[kind]; set[kind].instanceMatrix.needsUpdate = true; }
    this.render();
  }

  // Where the camera looks from at first: along the axis of the largest drum, from a little aside and above, gravity pointing down.
  firstDirection() {
    const up = this.up, drums = this.machine.scene.model.drums;
    const axis = drums.length ? new Vector3(...drums.reduce((a, d) => (d.radius > a.radius ? d : a)).axis) : new Vector3(0.3, 0.2, 1);
    axis.addScaledVector(up, -axis.dot(up));
    // A drum that stands upright is looked at from the side.
    if (axis.lengthSq() < 0.05) { axis.set(Math.abs(up.x) < 0.8 ? 1 : 0, 0, Math.abs(up.x) < 0.8 ? 0 : 1).addScaledVector(up, -(Math.abs(up.x) < 0.8 ? up.x : up.z)); }
    axis.normalize();
    if (axis.z < -1e-9 || (Math.abs(axis.z) <= 1e-9 && axis.y > 0)) axis.negate();
    const side = new Vector3().crossVectors(up, axis);
    return axis.addScaledVector(side, 0.5).addScaledVector(up, 0.34).normalize();
  }

  fit() {
    this.camera.up.copy(this.up);
    const distance = (1.1 * this.reach) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180) / Math.min(1, this.camera.aspect);
    this.look_at(this.middle, distance, this.firstDirection());
  }

  look_at(target, distance, direction) {
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.camera.near = 0.002 * Math.max(distance, this.reach);
    this.camera.far = 20 * (distance + this.reach);
    const side = new Vector3().crossVectors(direction, this.up);
    this.sun.position.copy(this.middle).addScaledVector(direction, 2 * this.reach).addScaledVector(this.up, 3 * this.reach).addScaledVector(side, this.reach);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.render();
  }

  placeOf(target, t) { return target.kind === "drum" ? this.drumCenter(target.what, t) : this.place(target.what, t); }

  // Goes to a body or drum, and moves with it.
  follow(target) {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.followed = target;
    this.look_at(this.placeOf(target, this.clock.time), (3.2 * target.size) / Math.tan((0.5 * this.camera.fov * Math.PI) / 180) / Math.min(1, this.camera.aspect), direction);
  }

  keepUp() {
    if (!this.followed) return;
    const to = this.placeOf(this.followed, this.clock.time), by = to.clone().sub(this.controls.target);
    this.controls.target.copy(to);
    this.camera.position.add(by);
    this.controls.update();
  }

  zoomBy(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(1 / factor).add(this.controls.target);
    this.controls.update();
    this.render();
  }

  resize(width, height) {
    this.renderer.setPixelRatio(devicePixelRatio || 1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  render() {
    if (!(this.camera.aspect > 0)) return;
    this.renderer.render(this.scene, this.camera);
    this.placeLabels();
  }
}

// Puts the view in space in the place of the plane drawing: the machine keeps its tools, its legend and its gestures.
globalThis.capstanSpace = (machine, clock, look) => {
  const view = new SpaceView(machine, clock, look), plane = machine.canvas;
  view.canvas.tabIndex = 0;
  for (const name of ["role", "aria-label", "data-test"]) view.canvas.setAttribute(name, plane.getAttribute(name));
  plane.replaceWith(view.canvas);
  machine.canvas = view.canvas;
  const frame = () => { view.followed = null; view.findBounds(); view.build(); view.fit(); };
  machine.draw = () => { view.update(); machine.tell(); };
  machine.resize = () => { const r = machine.box.getBoundingClientRect(); if (r.width && r.height) { machine.width = r.width; machine.height = r.height; view.resize(r.width, r.height); } };
  machine.zoomBy = (factor) => view.zoomBy(factor);
  machine.reframe = frame;
  machine.restyle = () => { machine.makeLegend(); view.build(); };
  const follow = machine.follow.bind(machine), show = machine.show.bind(machine);
  machine.follow = (target) => { follow(target); view.follow(target); };
  machine.show = (index) => { show(index); frame(); };
  machine.find = (at) => pick(machine.scene, clock.time, at, (p) => view.project(p), (p, m) => view.lengthAt(p, m), (target, t) => view.placeOf(target, t));
  // The camera's own controls move and zoom; values and clicks are the machine's.
  let pressed = null;
  const place = (e) => { const r = view.canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  // The wheel does what it does in the plane, before the controls see it.
  machine.box.addEventListener("wheel", (e) => {
    const factor = wheelFactor(e);
    e.stopPropagation();
    if (factor === null) return;
    e.preventDefault();
    view.zoomBy(factor);
  }, { capture: true, passive: false });
  view.canvas.addEventListener("pointerdown", (e) => { pressed = place(e); machine.hover(null); });
  view.canvas.addEventListener("pointermove", (e) => { if (!e.buttons && e.pointerType !== "touch") machine.hover(place(e)); });
  view.canvas.addEventListener("pointerleave", () => machine.hover(null));
  view.canvas.addEventListener("click", (e) => { const at = place(e); machine.clicked(e, pressed ? Math.hypot(at[0] - pressed[0], at[1] - pressed[1]) : 0, at); });
  view.canvas.addEventListener("dblclick", () => { clearTimeout(machine.clicking); machine.fit(); });
  machine.dispose = () => { view.controls.dispose(); view.renderer.dispose(); view.renderer.forceContextLoss(); };
  machine.resize();
  view.fit();
  return machine;
};
