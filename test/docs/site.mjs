// site.mjs - the documentation site in a browser, opened as files: the search finds things by keyboard alone, formulas are
// drawn, nothing is loaded from a network, no page is wider than a phone, and axe finds nothing serious in light and dark.
// usage: BROWSER=chromium node site.mjs SITE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const site = pathToFileURL(resolve(process.argv[2])).href;
let failures = 0, checks = 0;
const check = (good, text) => { checks++; if (!good) { failures++; console.error(`FAILED: ${text}`); } };
const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--use-angle=swiftshader"] });

for (const [theme, width, height] of [["light", 1280, 800], ["dark", 390, 844]])
  for (const name of ["index", "theory", "scenario", "api-c", "howto/slip"]) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    const where = `${name} (${theme}, ${width})`;
    page.on("request", (r) => check(/^(file|data|blob):/.test(r.url()), `${where} asks for ${r.url()}`));
    page.on("pageerror", (e) => check(false, `${where}: ${e.message}`));
    await page.goto(`${site}/${name}.html`);
    await page.waitForTimeout(300);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} is too wide`);
    if (name === "theory") check(await page.locator(".formula .katex").count() > 50, `${where} has no formulas`);
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run(document, { preload: false }));
    for (const v of found.violations.filter((v) => ["serious", "critical"].includes(v.impact)))
      check(false, `${where}: ${v.id}, ${v.nodes.length} times, first ${v.nodes[0].target}`);
    await page.close();
  }

// The search, from the key that opens it to the page that it leads to.
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`${site}/index.html`);
await page.waitForTimeout(500);
await page.keyboard.press("/");
await page.keyboard.type("slip arc", { delay: 20 });
await page.waitForSelector(".md-search-result__item a", { timeout: 15000 }).catch(() => check(false, "the search finds nothing"));
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
await page.waitForTimeout(500);
check(!page.url().endsWith("index.html"), `the search leads nowhere but to ${page.url()}`);
await browser.close();
if (failures) { console.error(`${failures} of ${checks} checks of the site failed`); process.exit(1); }
console.log(`site: ${checks} checks in the browser passed`);
