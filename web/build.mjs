// build.mjs - bundles the front end into web/dist: report.js, report.css, space.js, study.js, study.css, LICENSES.
// usage: node build.mjs [--check]   (--check: build elsewhere, and fail if web/dist differs)
import { build } from "esbuild";
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), check = process.argv.includes("--check");
const out = check ? mkdtempSync(join(tmpdir(), "capstan-web-")) : join(here, "dist");
mkdirSync(out, { recursive: true });

const common = { bundle: true, minify: true, target: ["chrome100", "firefox113", "safari16.4"], charset: "utf8", legalComments: "none", absWorkingDir: here, logLevel: "warning" };
await build({ ...common, entryPoints: { report: "src/main.js" }, format: "iife", outdir: out });
await build({ ...common, entryPoints: { space: "src/space.js" }, format: "iife", outdir: out });
await build({ ...common, entryPoints: { study: "src/study.js" }, format: "iife", outdir: out });

// What is bundled, with its licence.
const parts = ["uplot", "three"].map((name) => {
  const about = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${about.name} ${about.version} (${about.license})\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENSES"), `The report of capstan contains, in web/dist, parts of these packages.\n\n${parts.join(`\n${"-".repeat(78)}\n\n`)}`);

// "</script" inside a script would end it in an HTML page.
for (const name of ["report.js", "space.js", "study.js"])
  writeFileSync(join(out, name), readFileSync(join(out, name), "utf8").replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--"));

if (check) {
  const different = ["report.js", "report.css", "space.js", "study.js", "study.css", "LICENSES"].filter((f) => !existsSync(join(here, "dist", f)) || !readFileSync(join(out, f)).equals(readFileSync(join(here, "dist", f))));
  rmSync(out, { recursive: true });
  if (different.length) {
    console.error(`web: dist/${different.join(", dist/")} is not what the sources give; run make web`);
    process.exit(1);
  }
  console.log("web: dist is what the sources give");
}
