// look.js - numbers, colours and small DOM helpers.

// Colours that people with any colour vision tell apart (after Okabe and Ito); green and vermilion are kept for
// stick and slip, which have shapes of their own as well.
const SERIES = {
  light: ["#0b6bcb", "#d98200", "#b5549a", "#2a9fb8", "#6d56c1", "#8a6a2f", "#56657a"],
  dark: ["#6db3ff", "#f0b03f", "#e38cc9", "#62d0e6", "#a996f5", "#cdae73", "#a9b6c8"],
};

const THEMES = {
  light: {
    paper: "#ffffff", ink: "#16202e", soft: "#5a6778", line: "#dfe5ec", grid: "#edf1f5", fill: "#eef2f6", solid: "#c9d3df",
    accent: "#1d63d8", stick: "#00795a", slip: "#c44a00", metal: "#8d9aab", metalFill: "#f3f6f9", ramp: [0.02, 0.86],
  },
  dark: {
    paper: "#141a23", ink: "#e8edf4", soft: "#9aa8ba", line: "#2b3543", grid: "#222b37", fill: "#1d2530", solid: "#46536a",
    accent: "#7fb0ff", stick: "#2fc79a", slip: "#ff8a4c", metal: "#7d8ca1", metalFill: "#1f2834", ramp: [0.24, 1],
  },
};

export function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const look = (name = theme()) => THEMES[name];
export const seriesColor = (i, name = theme()) => SERIES[name][i % SERIES[name].length];
export const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [1, 4]];

// Viridis (van der Walt and Smith 2015), every eighth.
const RAMP = ["440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884", "44bf70", "7ad151", "bddf26", "fde725"]
  .map((h) => [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16)));

// Colour of w in 0..1, in the part of the ramp that stands out from the paper.
export function ramp(w, name = theme()) {
  const [a, b] = THEMES[name].ramp;
  const x = Math.min(1, Math.max(0, a + (b - a) * (Number.isFinite(w) ? w : 0))) * (RAMP.length - 1);
  const i = Math.min(RAMP.length - 2, Math.floor(x)), f = x - i;
  const c = RAMP[i].map((v, k) => Math.round(v + f * (RAMP[i + 1][k] - v)));
  return `rgb(${c[0]},${c[1]},${c[2]})`;
}

// ---- numbers

const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// 12.35, 0.00124, 3.1·10⁻⁹.
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (size >= 1e6 || size < 1e-3) {
    const [m, e] = value.toExponential(Math.max(0, digits - 1)).split("e");
    text = `${m.includes(".") ? m.replace(/\.?0+$/, "") : m}·10${[...String(Number(e))].map((c) => SUPER[c]).join("")}`;
  } else {
    text = value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
    if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  }
  return text.replace("-", "−");
}

// ---- engineering prefixes: 23.6 mm rather than 0.02364 m

const PREFIXES = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9]];
const TAKES_PREFIX = /^(m|N|J|W|Pa|Hz|rad|s)(?![A-Za-z0-9^])/; // "m2" does not: a prefix would be squared with it
const ONLY_SMALLER = /^(s|rad)/; // nobody says kiloseconds

// The prefix for numbers of a size: {factor, unit}, such that value / factor is said in `unit`. `least` is the smallest number left of it.
export function prefixed(size, unit, least = 1) {
  size = Math.abs(size);
  if (!unit || !TAKES_PREFIX.test(unit) || !(size > 0) || !Number.isFinite(size)) return { factor: 1, unit };
  const [prefix, factor] = PREFIXES.find(([, f]) => size * (1 + 1e-12) >= least * f) ?? PREFIXES[PREFIXES.length - 1];
  if (size < least * factor * (1 - 1e-12) || (factor > 1 && ONLY_SMALLER.test(unit))) return { factor: 1, unit };
  return { factor, unit: prefix + unit };
}

// A number with its unit: "23.6 mm", "53.7 kN". `scale` is the size that chooses the prefix, for read-outs that change.
export function quantity(value, unit, digits = 4, scale = value) {
  if (!Number.isFinite(value)) return number(value);
  // Rounding may reach the next prefix: 999.96 is 1 k.
  const p = prefixed(scale === value ? Number(value.toPrecision(digits)) : scale, unit), text = unitText(p.unit);
  return `${number(value / p.factor, digits)}${text ? ` ${text}` : ""}`;
}

// The unit of an axis over a range.
export const axisUnit = (low, high, unit) => prefixed(Math.max(Math.abs(low), Math.abs(high)), unit, 0.2);

// Always the same number of decimals, for read-outs that change.
export function fixed(value, decimals) {
  return Number.isFinite(value) ? value.toFixed(decimals).replace("-", "−") : "–";
}

export function timeDecimals(span) { return Math.min(6, Math.max(0, Math.ceil(3 - Math.log10(span || 1)))); }

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 1e-3) return `${number(seconds * 1e6, 2)} µs`;
  if (seconds < 1) return `${number(seconds * 1e3, 2)} ms`;
  if (seconds < 60) return `${number(seconds, 2)} s`;
  const s = Math.round(seconds);
  return s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

// "N m s2" as people write it.
export function unitText(unit) {
  if (!unit || unit === "1") return "";
  return unit.replace(/([A-Za-z])(-?\d)/g, (all, a, d) => a + [...d].map((c) => SUPER[c]).join("")).replace(/\^(-?\d+)/g, (all, d) =>
    [...d].map((c) => SUPER[c]).join("")).replace(/ /g, " ");
}

export const withUnit = (text, unit) => (unitText(unit) ? `${text} [${unitText(unit)}]` : text);

// Round numbers between low and high, about `count` of them.
export function ticks(low, high, count = 5) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return { values: [low], step: 1 };
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
  const step = (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power;
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) values.push(k * step);
  return { values, step };
}

// Decimals that a step such as 0.25 needs.
function decimalsOf(step) {
  for (let d = 0; d < 8; d++) if (Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6 * step * 10 ** d) return d;
  return 8;
}

export function tickText(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || size < 1e-3) return number(value, Math.max(1, Math.min(6, Math.ceil(Math.log10(Math.abs(value) / step) + 1.01))));
  return value.toFixed(decimalsOf(step)).replace("-", "−");
}

// ---- DOM

export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "text") e.textContent = value;
    else if (key === "style") e.style.cssText = value; // the page's policy refuses an attribute
    else e.setAttribute(key, value === true ? "" : value);
  }
  for (const c of children.flat()) if (c !== null && c !== undefined && c !== false) e.append(c);
  return e;
}

const ICONS = {
  play: "M7 4.5v15l12.5-7.5z", pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z", start: "M6 5h2.4v14H6zM19 5v14L9.5 12z",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5", plus: "M12 5v14M5 12h14", minus: "M5 12h14", save: "M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14",
  theme: "M12 3a9 9 0 1 0 0 18z M12 3a9 9 0 1 1 0 18", help: "M9.2 9a2.9 2.9 0 1 1 4 2.7c-.8.4-1.2 1-1.2 1.9v.4M12 17.2v.1", close: "M6 6l12 12M18 6L6 18",
};

export function icon(name) {
  const filled = ["play", "pause", "start"].includes(name);
  const span = document.createElement("span");
  span.className = "icon";
  span.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true" fill="${filled ? "currentColor" : "none"}" ${filled ? "" :
    'stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"'}>${name === "theme" ?
    '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" stroke="none"/>' : `<path d="${ICONS[name]}"/>`}</svg>`;
  return span;
}

export function button(label, iconName, onclick, extra = {}) {
  return el("button", { type: "button", "aria-label": label, title: label, class: "tool", onclick, ...extra }, iconName ? icon(iconName) : label);
}

export function escapeXml(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}
