// space.js - the machine in space, with three.js: cables as tubes coloured by tension, drums that turn, contact forces. A bundle of its
// own, which a page carries only if its machine needs it. Takes the place of the plane drawing in a Machine (machine.js).
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, OctahedronGeometry, PerspectiveCamera, Quaternion, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { valueAt } from "./data.js";

const AROUND = 10, PARTS = 4; // vertices around a tube, pieces per element
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
    for (const c of this.run.cables) {
      const d = c.position.data, dim = c.position.components;
      for (let i = 0; i < d.length; i += dim) add(new Vector3(d[i], d[i + 1], dim > 2 ? d[i + 2] : 0));
    }
    for (const d of this.machine.scene.model.drums) add(this.drumCenter(d, this.run.from), d.radius);
    for (const b of this.machine.scene.bodies) for (const t of this.machine.scene.times) add(this.place(b, t), b.radius);
    if (!(low.x <= high.x)) { low.set(-1, -1, -1); high.set(1, 1, 1); }
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
    this.thickness = 0.006 * this.reach;
    this.tubes = this.run.cables.map((cable) => {
      const tube = new Tube((cable.s.length - 1) * PARTS + 1, this.thickness);
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
    const r = 1.5 * this.thickness;
    this.marks = { stick: many(new SphereGeometry(r, 12, 8), c.stick), slip: many(new OctahedronGeometry(1.4 * r), c.slip) };
    this.shafts = { stick: many(new CylinderGeometry(0.3 * r, 0.3 * r, 1, 6), c.stick), slip: many(new CylinderGeometry(0.3 * r, 0.3 * r, 1, 6), c.slip) };
    this.heads = { stick: many(new ConeGeometry(0.9 * r, 2.6 * r, 10), c.stick), slip: many(new ConeGeometry(0.9 * r, 2.6 * r, 10), c.slip) };
    this.update();
  }

  makeDrum(d, c) {
    const group = new Group(), radius = d.radius - this.thickness;
    // As wide as the cables that lie on it.
    let low = 0, high = 0;
    const axis = new Vector3(...d.axis), center = new Vector3(...d.center);
    for (const cable of this.run.cables) {
      const p = cable.position.data, dim = cable.position.components;
      for (let i = 0; i < p.length; i += dim) {
        const q = new Vector3(p[i], p[i + 1], dim > 2 ? p[i + 2] : 0).sub(center), along = q.dot(axis);
        if (q.addScaledVector(axis, -along).length() < 1.05 * d.radius) { low = Math.min(low, along); high = Math.max(high, along); }
      }
    }
    const width = high - low + 8 * this.thickness, shift = 0.5 * (low + high);
    const drum = new Mesh(new CylinderGeometry(radius, radius, width, 64, 1, true), this.material(c.solid, { side: DoubleSide, transparent: true, opacity: 0.55 }));
    drum.rotation.x = Math.PI / 2;
    drum.position.z = shift;
    group.add(drum);
    for (const end of [-0.5, 0.5]) {
      for (let k = 0; k < 5; k++) {
        const spoke = new Mesh(new BoxGeometry(radius, 0.045 * radius, 0.03 * radius), this.material(c.metal)), q = (2 * Math.PI * k) / 5;
        spoke.position.set(0.5 * radius * Math.cos(q), 0.5 * radius * Math.sin(q), shift + end * width);
        spoke.rotation.z = q;
        group.add(spoke);
      }
    }
    const mark = new Mesh(new SphereGeometry(0.05 * radius, 12, 8), this.material(c.accent));
    mark.position.set(0.92 * radius, 0, shift + 0.5 * width);
    group.add(mark);
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
    const t = this.clock.time, s = this.machine.scene, count = { stick: 0, slip: 0 }, m = new Matrix4(), turn = new Quaternion();
    for (const { b, mesh } of this.bodies) mesh.position.copy(this.place(b, t)).y -= b.kind === "plane" ? b.radius : 0;
    for (const { d, group, face } of this.drums) {
      group.position.copy(this.drumCenter(d, t));
      group.quaternion.copy(face).multiply(turn.setFromAxisAngle(Z, s.drumAngle(d, t)));
    }
    for (const { cable, tube } of this.tubes) {
      const { p, points, colors } = this.curve(cable, t);
      tube.update(points, colors);
      for (const k of s.cableContacts(cable, t, p)) {
        const kind = k.slips ? "slip" : "stick", at = new Vector3(...k.at), i = count[kind]++;
        this.marks[kind].setMatrixAt(i, m.makeTranslation(at.x, at.y, at.z));
        const d = s.model.drums[k.drum], axis = new Vector3(...(d?.axis ?? [0, 0, 1])), out = at.clone().sub(d ? this.drumCenter(d, t) : at);
        out.addScaledVector(axis, -out.dot(axis)).normalize();
        const force = out.clone().multiplyScalar(k.n).addScaledVector(new Vector3().crossVectors(axis, out), k.f);
        const length = this.machine.options.forces && s.contactMost > 0 && d ? (0.6 * d.radius * force.length()) / s.contactMost : 0;
        turn.setFromUnitVectors(Y, force.lengthSq() > 0 ? force.normalize() : Y);
        const size = length > 0 ? 1 : 0;
        this.shafts[kind].setMatrixAt(i, m.compose(at.clone().addScaledVector(force, 0.5 * length), turn, new Vector3(size, length || 1e-9, size)));
        this.heads[kind].setMatrixAt(i, m.compose(at.clone().addScaledVector(force, length), turn, new Vector3(size, size, size)));
      }
    }
    for (const set of [this.marks, this.shafts, this.heads]) for (const kind of ["stick", "slip"]) { set[kind].count = count[kind]; set[kind].instanceMatrix.needsUpdate = true; }
    this.render();
  }

  // From the side of the viewer, a little from above, all in sight.
  fit() {
    const up = new Vector3(...this.machine.scene.model.gravity).multiplyScalar(-1);
    this.camera.up.copy(up.lengthSq() > 0 ? up.normalize() : Y);
    const distance = (1.05 * this.reach) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).add(new Vector3(0.55, 0.32, 1).normalize().multiplyScalar(distance));
    this.camera.near = 0.01 * distance;
    this.camera.far = 20 * distance;
    this.sun.position.copy(this.middle).add(new Vector3(1, 2, 2).multiplyScalar(distance));
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.render();
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

  render() { if (this.camera.aspect > 0) this.renderer.render(this.scene, this.camera); }
}

globalThis.capstanSpace = (machine, clock, look) => {
  const view = new SpaceView(machine, clock, look), plane = machine.canvas;
  view.canvas.tabIndex = 0;
  for (const name of ["role", "aria-label", "data-test"]) view.canvas.setAttribute(name, plane.getAttribute(name));
  plane.replaceWith(view.canvas);
  machine.canvas = view.canvas;
  machine.draw = () => view.update();
  machine.resize = () => { const r = machine.box.getBoundingClientRect(); if (r.width && r.height) { machine.width = r.width; machine.height = r.height; view.resize(r.width, r.height); } };
  machine.zoomBy = (factor) => view.zoomBy(factor);
  machine.fit = () => view.fit();
  machine.restyle = () => { machine.makeLegend(); view.build(); };
  machine.show = (index) => { machine.shown = index; machine.makeLegend(); view.build(); };
  machine.resize();
  view.fit();
  return machine;
};

