// shoot.mjs - takes pictures of a report, or of the page of a study.
// usage: BROWSER=chromium node shoot.mjs REPORT.html OUT.png [size=1280x800] [theme=light|dark] [at=0.4] [to=SECTION] [scale=1]
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, out, ...rest] = process.argv.slice(2), o = { size: "1280x800", theme: "light", at: "0", to: "", scale: "1", ...Object.fromEntries(rest.map((r) => r.split("="))) };
const [width, height] = o.size.split("x").map(Number);
const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"] });
const page = await browser.newPage({ viewport: { width, height }, colorScheme: o.theme, deviceScaleFactor: Number(o.scale), reducedMotion: "reduce" });
await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html[data-ready]");
await page.evaluate(([at, to]) => {
  const s = document.querySelector("[data-test=scrub]");
  if (s) {
    s.value = 1000 * at;
    s.dispatchEvent(new Event("input"));
  }
  document.getElementById(to)?.scrollIntoView();
}, [Number(o.at), o.to]);
await page.waitForTimeout(600); // fonts and plots
await page.screenshot({ path: out });
await browser.close();
