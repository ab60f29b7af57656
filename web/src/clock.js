// clock.js - the one time that everything on the page shows, and whether it runs.

export class Clock {
  constructor(from, until) {
    this.from = from;
    this.until = until;
    this.time = from;
    this.speed = 1;
    this.playing = false;
    this.listeners = [];
    this.last = 0;
    this.frame = (now) => this.step(now);
  }

  listen(f) { this.listeners.push(f); f(this.time, this); }
  tell() { for (const f of this.listeners) f(this.time, this); }

  set(time) {
    this.time = Math.min(this.until, Math.max(this.from, time));
    this.tell();
  }

  nudge(fraction) { this.pause(); this.set(this.time + fraction * (this.until - this.from)); }

  play() {
    if (this.playing || !(this.until > this.from)) return;
    if (this.time >= this.until) this.time = this.from;
    this.playing = true;
    this.last = 0;
    requestAnimationFrame(this.frame);
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  setSpeed(speed) { this.speed = speed; this.tell(); }

  step(now) {
    if (!this.playing) return;
    // A tab that slept must not jump ahead.
    const dt = this.last ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = now;
    this.time = Math.min(this.until, this.time + dt * this.speed);
    if (this.time >= this.until) this.playing = false;
    this.tell();
    if (this.playing) requestAnimationFrame(this.frame);
  }
}

// Speeds to choose from: real time and its fractions and multiples, such that a run lasts 3 s to 3 min.
export function speeds(span) {
  const all = [1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4];
  const fit = all.filter((s) => span / s >= 2 && span / s <= 200);
  return fit.length ? fit : [span / 20];
}

export function bestSpeed(span) {
  const list = speeds(span);
  if (list.includes(1) && span >= 4 && span <= 40) return 1;
  return list.reduce((a, b) => (Math.abs(Math.log(span / b / 12)) < Math.abs(Math.log(span / a / 12)) ? b : a));
}
