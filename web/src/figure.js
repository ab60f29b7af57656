// figure.js - a chart as SVG text: what is shown of curves that are not functions of time, and what is saved of all plots.
//
//   {title, width, height, x: {label, unit, range}, y: {...}, series: [...], images: [...], legend, theme, cursor}
//   series: {label, x, y, color, kind: "line" | "points" | "stems" | "band" (from `low` to y), dash, width, shape: "circle" | "diamond"}
//   images: {href, x: [a, b], y: [a, b]} in the units of the axes
import { extent } from "./data.js";
import { axisUnit, escapeXml, look, tickText, ticks, withUnit } from "./look.js";

const LEGEND_STEP = 140; // width of an entry
const FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

function rangeOf(series, axis, given) {
  if (given) return given;
  let low = Infinity, high = -Infinity;
  for (const s of series) {
    const [a, b] = extent(s[axis]);
    if (!s[axis].length) continue;
    low = Math.min(low, a, s.kind === "stems" && axis === "y" ? 0 : a);
    high = Math.max(high, b, s.kind === "stems" && axis === "y" ? 0 : b);
  }
  if (!(low <= high)) return [0, 1];
  if (low === high) return [low - (Math.abs(low) || 1) * 0.1, high + (Math.abs(high) || 1) * 0.1];
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}

// Time stays in seconds, as the player says it.
const unitOf = (axis, range) => (axis.label === "time" ? { factor: 1, unit: axis.unit } : axisUnit(range[0], range[1], axis.unit));

// Where things are: margins, ranges, and the maps from values to pixels.
export function layout(f) {
  const width = f.width ?? 640, height = f.height ?? 260;
  const xRange = rangeOf(f.series, "x", f.x.range), yRange = rangeOf(f.series, "y", f.y.range);
  const xUnit = unitOf(f.x, xRange), yUnit = unitOf(f.y, yRange);
  const yTicks = f.y.ticks ?? ticks(yRange[0], yRange[1], Math.max(2, Math.round(height / 55)));
  const longest = Math.max(2, ...yTicks.values.map((v, i) => (f.y.names?.[i] ?? tickText(v / yUnit.factor, yTicks.step / yUnit.factor)).length));
  const left = Math.min(0.4 * width, 30 + 6.4 * longest), top = f.title ? 34 : 12, right = 14;
  const named = f.legend ? f.series.filter((s) => s.named !== false).length : 0;
  const bottom = 42 + 22 * Math.ceil(named / Math.max(1, Math.floor((width - left) / LEGEND_STEP)));
  const w = width - left - right, h = height - top - bottom;
  return {
    width, height, left, top, w, h, right, bottom, xRange, yRange, yTicks, xUnit, yUnit,
    xTicks: ticks(xRange[0], xRange[1], Math.max(2, Math.round(w / 90))),
    px: (v) => left + ((v - xRange[0]) / (xRange[1] - xRange[0])) * w,
    py: (v) => top + h - ((v - yRange[0]) / (yRange[1] - yRange[0])) * h,
  };
}

const r1 = (v) => Math.round(v * 10) / 10;

function linePath(s, l) {
  let path = "", open = false, lastX = NaN, lastY = NaN;
  for (let i = 0; i < s.x.length; i++) {
    const x = l.px(s.x[i]), y = l.py(s.y[i]);
    if (!Number.isFinite(x) || !Number.isFinite(y)) { open = false; continue; }
    if (open && Math.abs(x - lastX) < 0.25 && Math.abs(y - lastY) < 0.25 && i < s.x.length - 1) continue;
    path += `${open ? "L" : "M"}${r1(x)} ${r1(y)}`;
    open = true; lastX = x; lastY = y;
  }
  return path;
}

// What lies between `low` and `y`; values that are missing interrupt it.
function bandPath(s, l) {
  let path = "", from = 0;
  const close = (to) => {
    if (to - from < 2) return;
    const point = (i, values) => `${r1(l.px(s.x[i]))} ${r1(l.py(values[i]))}`, there = [], back = [];
    for (let i = from; i < to; i++) { there.push(point(i, s.y)); back.unshift(point(i, s.low)); }
    path += `M${there.concat(back).join("L")}Z`;
  };
  for (let i = 0; i <= s.x.length; i++) if (i === s.x.length || !Number.isFinite(s.y[i])) { close(i); from = i + 1; }
  return path;
}

export function marker(shape, x, y, size, color, extra = "") {
  if (shape === "diamond") return `<path d="M${r1(x)} ${r1(y - 1.3 * size)}L${r1(x + 1.3 * size)} ${r1(y)}L${r1(x)} ${r1(y + 1.3 * size)}L${r1(x - 1.3 * size)} ${r1(y)}Z" fill="${color}" ${extra}/>`;
  return `<circle cx="${r1(x)}" cy="${r1(y)}" r="${size}" fill="${color}" ${extra}/>`;
}

function drawSeries(s, l) {
  const width = s.width ?? 1.7, dash = s.dash?.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
  if (!s.kind || s.kind === "line")
    return `<path d="${linePath(s, l)}" fill="none" stroke="${s.color}" stroke-width="${width}" stroke-linejoin="round" stroke-linecap="round"${dash}/>`;
  if (s.kind === "band") return `<path d="${bandPath(s, l)}" fill="${s.color}" fill-opacity="${s.opacity ?? 1}"/>`;
  let out = "";
  for (let i = 0; i < s.x.length; i++) {
    const x = l.px(s.x[i]), y = l.py(s.y[i]);
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    if (s.kind === "stems") out += `<path d="M${r1(x)} ${r1(l.py(0))}V${r1(y)}" stroke="${s.color}" stroke-width="${width}" stroke-linecap="round"/>`;
    if (s.kind === "points" || s.dots) out += marker(s.shape, x, y, s.size ?? 3.2, s.color);
  }
  return out;
}

function drawLegend(f, l, c) {
  const per = Math.max(1, Math.floor((l.width - l.left) / LEGEND_STEP));
  return f.series.filter((s) => s.named !== false).map((s, i) => {
    const x = l.left + (i % per) * LEGEND_STEP, y = l.top + l.h + 52 + 22 * Math.floor(i / per);
    const sign = s.kind === "band" ? `<rect x="${x}" y="${y - 5}" width="18" height="10" rx="2" fill="${s.color}" fill-opacity="${s.opacity ?? 1}"/>` : s.kind === "points" || s.kind === "stems" ? marker(s.shape, x + 9, y, 3.4, s.color)
      : `<path d="M${x} ${y}h18" stroke="${s.color}" stroke-width="2"${s.dash?.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : ""}/>`;
    return `${sign}<text x="${x + 25}" y="${y + 4}" fill="${c.ink}">${escapeXml(s.label ?? "")}</text>`;
  }).join("");
}

export function figureSvg(f) {
  const c = look(f.theme), l = layout(f), out = [];
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${l.width} ${l.height}" width="${l.width}" height="${l.height}" font-family="${FONT}" font-size="11.5" role="img" aria-label="${escapeXml(f.title ?? `${f.y.label} over ${f.x.label}`)}">`);
  if (f.paper) out.push(`<rect width="${l.width}" height="${l.height}" fill="${c.paper}"/>`);
  if (f.title) out.push(`<text x="${l.left}" y="21" font-size="14" font-weight="600" fill="${c.ink}">${escapeXml(f.title)}</text>`);
  for (const i of f.images ?? []) {
    const x = l.px(i.x[0]), y = l.py(i.y[1]);
    out.push(`<image href="${i.href}" x="${r1(x)}" y="${r1(y)}" width="${r1(l.px(i.x[1]) - x)}" height="${r1(l.py(i.y[0]) - y)}" preserveAspectRatio="none" image-rendering="pixelated"/>`);
  }
  for (const v of l.xTicks.values) {
    const x = r1(l.px(v));
    if (!f.images) out.push(`<path d="M${x} ${l.top}v${l.h}" stroke="${c.grid}"/>`);
    out.push(`<text x="${x}" y="${l.top + l.h + 16}" text-anchor="middle" fill="${c.soft}">${tickText(v / l.xUnit.factor, l.xTicks.step / l.xUnit.factor)}</text>`);
  }
  l.yTicks.values.forEach((v, i) => {
    const y = r1(l.py(v));
    if (!f.images) out.push(`<path d="M${l.left} ${y}h${l.w}" stroke="${c.grid}"/>`);
    out.push(`<text x="${l.left - 7}" y="${y + 4}" text-anchor="end" fill="${c.soft}">${escapeXml(f.y.names?.[i] ?? tickText(v / l.yUnit.factor, l.yTicks.step / l.yUnit.factor))}</text>`);
  });
  for (const axis of ["x", "y"]) {
    const range = l[`${axis}Range`], zero = axis === "x" ? l.px(0) : l.py(0);
    if (f.images || range[0] >= 0 || range[1] <= 0) continue;
    out.push(axis === "x" ? `<path d="M${r1(zero)} ${l.top}v${l.h}" stroke="${c.solid}"/>` : `<path d="M${l.left} ${r1(zero)}h${l.w}" stroke="${c.solid}"/>`);
  }
  out.push(`<text x="${l.left + l.w / 2}" y="${l.top + l.h + 34}" text-anchor="middle" fill="${c.soft}">${escapeXml(withUnit(f.x.label, l.xUnit.unit))}</text>`);
  out.push(`<text transform="translate(13 ${l.top + l.h / 2}) rotate(-90)" text-anchor="middle" fill="${c.soft}">${escapeXml(withUnit(f.y.label, l.yUnit.unit))}</text>`);
  out.push(`<clipPath id="${f.id ?? "c"}"><rect x="${l.left}" y="${l.top - 4}" width="${l.w}" height="${l.h + 8}"/></clipPath><g clip-path="url(#${f.id ?? "c"})">`);
  for (const s of f.series) out.push(drawSeries(s, l));
  if (f.cursor !== undefined) out.push(`<path d="M${r1(l.px(f.cursor))} ${l.top}v${l.h}" stroke="${c.accent}" stroke-width="1.5"/>`);
  out.push("</g>");
  if (f.images) out.push(`<rect x="${l.left}" y="${l.top}" width="${l.w}" height="${l.h}" fill="none" stroke="${c.line}"/>`);
  if (f.legend) out.push(drawLegend(f, l, c));
  out.push("</svg>");
  return out.join("");
}

