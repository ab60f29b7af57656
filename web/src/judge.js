// judge.js - whether a run is to be trusted, and what tells two of them apart.
import { number, quantity } from "./look.js";

const ENERGY_DOUBT = 0.02; // share of the largest energy that may be left over
const REJECTED_DOUBT = 0.5; // rejected steps over accepted ones
const STEPS_LEAST = 50; // fewer say nothing
const NAMED_MOST = 3; // differences that are named, each

// Reasons to doubt a run: what it said itself, and what its numbers say.
export function doubts(run) {
  const out = (run.warnings ?? []).map((w) => (typeof w === "string" ? w : w.text ?? w.message ?? JSON.stringify(w))), e = run.energy, n = run.counters;
  const said = (word) => out.some((t) => t.toLowerCase().includes(word));
  if (e.scale > 0 && Math.abs(e.error) > ENERGY_DOUBT * e.scale && !said("energy"))
    out.push(`${quantity(e.error, "J", 2)} of energy are left over at the end, ${number((100 * Math.abs(e.error)) / e.scale, 2)} % of the largest energy. A smaller tolerance or step, or a finer mesh, should reduce that.`);
  if (n.steps >= STEPS_LEAST && n.rejected > REJECTED_DOUBT * n.steps && !said("reject"))
    out.push(`${n.rejected} steps were rejected beside ${n.steps} that were accepted: something in the machine changes faster than the step size control expects.`);
  const broken = run.columns.filter((c) => c.data.some((v) => v === Infinity || v === -Infinity));
  if (broken.length) out.push(`${broken[0].name} is not finite.`);
  return out;
}

// What of the second run is not as in the first, in a few words each.
export function differences(a, b) {
  const out = [];
  if (a.model.dim !== b.model.dim) out.push(b.model.dim === 3 ? "in space" : "in the plane");
  for (const kind of ["bodies", "springs", "contacts", "loads", "drums", "cables"]) {
    const names = (r) => new Set(r.model[kind].map((x) => x.name)), first = names(a), second = names(b);
    const extra = [...second].filter((n) => !first.has(n)), missing = [...first].filter((n) => !second.has(n));
    if (extra.length) out.push(`more ${kind}: ${some(extra)}`);
    if (missing.length) out.push(`without ${kind}: ${some(missing)}`);
    if (kind !== "cables" && kind !== "contacts") continue;
    for (const x of b.model[kind]) {
      const other = a.model[kind].find((y) => y.name === x.name);
      if (other && other.law !== x.law) out.push(`${x.name}: ${x.law ?? "no friction"} instead of ${other.law ?? "none"}`);
    }
  }
  const settings = [...b.settings.filter((s) => !a.settings.includes(s)), ...a.settings.filter((s) => !b.settings.includes(s) && !b.settings.some((t) => t.split("=")[0] === s.split("=")[0])).map((s) => `without ${s}`)];
  if (settings.length) out.push(some(settings));
  const lines = (r) => new Set(r.scenario.split("\n").map((l) => l.replace(/\s+#.*$|^\s*#.*$/, "").trim()).filter(Boolean)), mine = lines(a), theirs = lines(b);
  const changed = [...theirs].filter((l) => !mine.has(l)).length;
  if (changed && !out.length) out.push(`${changed} line${changed > 1 ? "s" : ""} of the scenario differ${changed > 1 ? "" : "s"}`);
  const common = b.columns.filter((c) => a.column(c.name) && c.name !== "time").length;
  if (common < 0.5 * Math.min(a.columns.length, b.columns.length)) out.push(`${common} columns in common`);
  return out;
}

const some = (list) => (list.length > NAMED_MOST ? `${list.slice(0, NAMED_MOST).join(", ")} and ${list.length - NAMED_MOST} more` : list.join(", "));
