// study.mjs - opens pages of studies in chromium: no errors, no network, numbers that are right, brushing that is fluid.
// usage: BROWSER=/usr/bin/chromium CAPSTAN=... node study.mjs FOLDER   (FOLDER is made by study.sh)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), require = createRequire(join(here, "../../web/package.json"));
const { chromium } = require("playwright-core");
const folder = process.argv[2];
const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--force-color-profile=srgb", "--disable-gpu"] });

// ---------------------------------------------------------------- helpers

// A page, watched: anything it says or asks for ends up in `trouble`.
async function open(name, { width = 1400, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", acceptDownloads: true });
  const page = await context.newPage(), trouble = [];
  page.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !/willReadFrequently/i.test(m.text())) trouble.push(m.text()); });
  page.on("pageerror", (e) => trouble.push(e.stack));
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) trouble.push(`asks for ${r.url()}`); });
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  await page.waitForSelector("html[data-ready]");
  page.done = async () => { assert.deepEqual(trouble, [], `${name}: the page complains`); await context.close(); };
  return page;
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);
const picture = async (page, title) => { await settled(page); return page.locator(`section[aria-label="${title}"] canvas`).evaluate((c) => c.toDataURL()); };

async function csvOf(page, start) {
  const [file] = await Promise.all([page.waitForEvent("download"), start()]);
  const [head, ...lines] = readFileSync(await file.path(), "utf8").trim().split("\n").map((l) => l.split(","));
  return lines.map((l) => Object.fromEntries(head.map((h, i) => [h.replace(/ \[.*$/, ""), Number(l[i])])));
}

// An axis of the parallel coordinates; it is there once they are in sight.
async function axisOf(page, k) {
  await page.locator('section[aria-label="Parallel coordinates"]').scrollIntoViewIfNeeded();
  const axis = page.locator("[data-test=axis]").nth(k);
  await axis.waitFor();
  return axis;
}

async function drag(page, locator, from, to, steps = 8) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox(), x = box.x + box.width / 2;
  await page.mouse.move(x, box.y + from * box.height);
  await page.mouse.down();
  await page.mouse.move(x, box.y + to * box.height, { steps });
  await page.mouse.up();
  await settled(page);
}

// ---------------------------------------------------------------- tests

const tests = {
  async "what a spreadsheet would take for a formula is saved as text"() {
    const { csv } = await import(pathToFileURL(join(here, "../../web/src/save.js")));
    assert.equal(csv([{ name: "=1+1, @sum", unit: "m", data: [-1] }, { name: "-a", data: [2] }, { name: "x", unit: "s", data: [3] }]), `"'=1+1, @sum [m]",'-a,x [s]\n-1,2,3\n`);
  },
  async "failures come first, each with its command"() {
    const page = await open("saltelli"), first = page.locator("main > section").first();
    assert.equal(await first.locator("h2").textContent(), "Failures");
    const rows = first.locator("tbody tr");
    assert.match(await rows.nth(0).textContent(), /35failed.*Newton's method has not converged.*capstan run hoist\.yaml --set bodies\.x1=/s);
    assert.match(await rows.nth(5).textContent(), /limit.*value is above 14/s);
    assert.match(await page.locator("#worst tbody tr").first().textContent(), /16\.\d+ N/);
    await page.done();
  },

  async "indices of Ishigami's function"() {
    const page = await open("saltelli"), chart = page.locator('[aria-label="Sobol\' indices"]').first();
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("svg[role=img]").waitFor();
    await chart.locator("button[aria-haspopup=menu]").click();
    const rows = await csvOf(page, () => chart.getByRole("menuitem", { name: "Save CSV" }).click());
    assert.equal(rows.length, 3);
    assert.deepEqual(await chart.locator("svg text[text-anchor=end]").allTextContents(), ["x1", "x2", "x3"]);
    assert.match(await chart.textContent(), /511 base points; 1 more/);
    await page.done();
  },

  async "brushing an axis selects what is in the range"() {
    const page = await open("saltelli"), axis = await axisOf(page, 0), before = await picture(page, "Parallel coordinates");
    assert.equal(await page.textContent("[data-test=selection]"), "2 560 points");
    await drag(page, axis, 0.06, 0.5);
    const text = await page.textContent("[data-test=selection]");
    assert.match(text, /of 2 560 points, by x1/);
    assert.notEqual(await picture(page, "Parallel coordinates"), before);
    const rows = await csvOf(page, () => page.getByRole("button", { name: "Save them as CSV" }).click()), values = rows.map((r) => r.x1);
    assert.equal(rows.length, Number(text.split(" of ")[0].replace(/\D/g, "")));
    assert.ok(Math.min(...values) > -0.2 && Math.max(...values) > 2.8, "the upper half");
    // A click lets go.
    await drag(page, axis, 0.3, 0.3, 1);
    assert.equal(await page.textContent("[data-test=selection]"), "2 560 points");
    await page.done();
  },

  async "ranges by keyboard"() {
    const page = await open("saltelli");
    await page.locator("[data-test=ranges] summary").focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-test=range]").first().focus();
    await page.keyboard.type("0");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.match(await page.textContent("[data-test=selection]"), /of 2 560 points, by x1/);
    await page.locator("h1").click();
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal(await page.textContent("[data-test=selection]"), "2 560 points");
    await page.done();
  },

  async "a rectangle in the scatter matrix"() {
    const page = await open("grid"), canvas = page.locator('section[aria-label="Scatter matrix"] canvas');
    await canvas.scrollIntoViewIfNeeded();
    await page.waitForFunction((c) => c.height > 150, await canvas.elementHandle()); // drawn: canvases start with that height
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 60, box.y + 250);
    await page.mouse.down();
    await page.mouse.move(box.x + 130, box.y + 330, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    assert.match(await page.textContent("[data-test=selection]"), /of 1 600 points, by mu, load/);
    await page.done();
  },

  async "the scatter matrix shows every point, coloured where it is selected"() {
    const page = await open("grid"), section = page.locator('section[aria-label="Scatter matrix"]');
    await section.scrollIntoViewIfNeeded();
    await settled(page);
    // Pixels of the first field below the diagonal that have a colour, and that have any paint.
    const painted = () => section.locator("canvas").evaluate((c) => {
      const scale = c.width / c.clientWidth, size = Math.round((c.clientHeight - 40) / 3), d = c.getContext("2d").getImageData(30 * scale, (size + 6) * scale, (size - 14) * scale, (size - 14) * scale).data;
      let colour = 0, any = 0;
      for (let k = 0; k < d.length; k += 4) { any += d[k + 3] > 20; colour += d[k + 3] > 20 && Math.max(d[k], d[k + 1], d[k + 2]) - Math.min(d[k], d[k + 1], d[k + 2]) > 40; }
      return [colour / (d.length / 4), any / (d.length / 4)];
    });
    const [first] = await painted();
    assert.ok(first > 0.05, `${first} of the field has a colour`);
    await page.locator("[data-test=ranges] summary").click();
    await page.locator("[data-test=range]").nth(0).fill("0.2");
    await page.keyboard.press("Tab");
    await settled(page);
    await section.scrollIntoViewIfNeeded();
    const [colour, any] = await painted();
    assert.ok(colour > 0.01 && colour < 0.9 * first && any > 0.9 * first, `${colour} in colour, ${any} in all, ${first} before`);
    await page.done();
  },

  async "the response surface has the boundary of the capstan formula"() {
    const page = await open("grid"), chart = page.locator('section[aria-label="Response surface"]');
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("svg[role=img]").waitFor();
    await chart.locator("button[aria-haspopup=menu]").click();
    const rows = await csvOf(page, () => chart.getByRole("menuitem", { name: "Save CSV" }).click());
    assert.equal(rows.length, 1600);
    for (const r of rows) near(r['"excess"'], Math.max(0, r['"load"'] - 100 * Math.exp(2 * Math.PI * r['"mu"'])), 1e-3, "a cell");
    await chart.locator("svg[role=img]").hover();
    await page.waitForFunction(() => /mu .*load .* N/.test(document.querySelector("[data-test=surface-value]").textContent));
    await page.done();
  },

  async "Morris, tornado, convergence"() {
    let page = await open("morris");
    assert.equal(await page.locator('section[aria-label="Elementary effects (Morris)"]').count(), 1);
    assert.equal(await page.locator("#convergence").count(), 0, "trajectories do not converge as a mean does");
    await page.done();
    page = await open("saltelli");
    for (const title of ["Tornado", "Mean over the first points", "Sobol' indices over base points", "Correlation"]) assert.equal(await page.locator(`section[aria-label="${title}"]`).count(), 1, title);
    await page.done();
  },

  async "names of strangers stay names"() {
    const page = await open("hostile");
    assert.match(await page.title(), /^<\/script><script>/);
    assert.match(await page.locator("#failures").textContent(), /capstan run '''\\'''?|capstan run ''\\''; rm -rf x/);
    await page.locator('section[aria-label="Scatter matrix"]').scrollIntoViewIfNeeded();
    await settled(page);
    assert.doesNotMatch(await page.title(), /^broken/);
    await page.done();
  },

  async "a table without points"() {
    const page = await open("empty");
    assert.equal(await page.locator("[data-test=drawing]").count(), 0);
    await page.done();
  },

  async "a hundred thousand points can be brushed"() {
    const page = await open("large"), axis = await axisOf(page, 2);
    await axis.scrollIntoViewIfNeeded();
    await settled(page);
    // Processor time of the page's scripts: what else the machine does is not in it.
    const session = await page.context().newCDPSession(page), moves = 40, clock = [], work = [];
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const used = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "ScriptDuration").value;
    const box = await axis.boundingBox(), x = box.x + box.width / 2, to = async (part) => { await page.mouse.move(x, box.y + part * box.height); await settled(page); };
    const seen = () => page.evaluate(() => ["took", "work"].map((k) => Number(document.documentElement.dataset[k])));
    await to(0.1);
    await page.mouse.down();
    for (let k = 0; k < 10; k++) await to(0.15 + 0.05 * k); // until the browser has compiled it
    // The best ten moves of forty: on a machine that is busy the browser compiles late, and scripts run slowly until then.
    let each = Infinity, before = await used();
    for (let k = 0; k < moves; k++) {
      await to(0.5 + 0.35 * Math.sin(k / 7));
      const [ms, points] = await seen();
      clock.push(ms);
      work.push(points);
      if (k % 10 < 9) continue;
      const now = await used();
      each = Math.min(each, (1000 * (now - before)) / 10);
      before = now;
    }
    clock.sort((p, q) => p - q);
    // A move looks at the points between the old and the new bound: at most a twentieth of the axis here, once for the selection and once
    // for each of the counts that are in sight, of which there are fewer than 40; to count all anew would be more than two million.
    const most = Math.max(...work);
    console.log(`web: 100 000 points brushed, ${each.toFixed(1)} ms of script a move, ${clock[0]} to ${clock[clock.length - 1]} ms by the clock; up to ${most} points looked at`);
    assert.ok(each > 0 && each <= 16, `${each} ms a move`);
    assert.ok(most > 0 && most < 40 * 0.08 * 100000, `${most} points looked at in a move`);
    // One that does not move the range costs nothing.
    await page.mouse.move(x + 1, box.y + (0.5 + 0.35 * Math.sin((moves - 1) / 7)) * box.height);
    await settled(page);
    assert.ok((await seen())[1] < 1000);
    await page.mouse.up();
    assert.match(await page.textContent("[data-test=selection]"), /of 100 000 points/);
    await page.done();
  },

  async "counts that follow moves are those of a fresh count"() {
    const last = [81.5, 122.25], resting = () => page.waitForFunction(() => document.documentElement.dataset.resting === "true");
    const type = async (k, value) => { const f = page.locator("[data-test=range]").nth(k); await f.fill(value); await f.press("Tab"); await settled(page); };
    let page = await open("large");
    await axisOf(page, 0);
    await page.locator("[data-test=ranges] summary").click();
    // Ranges of two columns go to and fro, and end in the same place as in the page that opens next.
    for (const [k, values] of [[2, [60, 120, 100, last[0]]], [3, [145, 90, last[1]]], [6, [0.15, 0.3]], [7, [0.35]], [6, [0.2]]]) for (const v of values) await type(k, String(v));
    await type(6, "");
    await type(7, "");
    await resting();
    const said = await page.textContent("[data-test=selection]"), seen = [];
    for (const title of ["Parallel coordinates", "Scatter matrix"]) { await page.locator(`section[aria-label="${title}"]`).scrollIntoViewIfNeeded(); await resting(); seen.push(await picture(page, title)); }
    const rows = await csvOf(page, () => page.getByRole("button", { name: "Save them as CSV" }).click()), name = "mass";
    assert.equal(said, `${rows.length.toLocaleString("en").replace(/,/g, " ")} of 100 000 points, by ${name}`);
    assert.ok(rows.every((r) => r[name] >= last[0] && r[name] <= last[1]));
    await page.done();
    page = await open("large");
    await axisOf(page, 0);
    await page.locator("[data-test=ranges] summary").click();
    await type(2, String(last[0]));
    await type(3, String(last[1]));
    await resting();
    assert.equal(await page.textContent("[data-test=selection]"), said);
    for (const [k, title] of ["Parallel coordinates", "Scatter matrix"].entries()) { await page.locator(`section[aria-label="${title}"]`).scrollIntoViewIfNeeded(); await resting(); assert.ok((await picture(page, title)) === seen[k], `${title}: another picture`); }
    await page.done();
  },

  async "phone, light and dark: nothing is wider than the screen"() {
    for (const scheme of ["light", "dark"]) {
      const page = await open("saltelli", { width: 390, height: 844, scheme });
      const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= room, `${wide} px on ${room} px`);
      await page.done();
    }
  },

  async "axe finds nothing serious"() {
    const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    for (const [name, scheme] of [["saltelli", "light"], ["saltelli", "dark"], ["morris", "light"]]) {
      const page = await open(name, { scheme });
      await page.evaluate(source);
      const found = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join("; ")}`));
      for (const f of found) console.log(`web: axe, ${name}: ${f}`);
      assert.deepEqual(found.filter((f) => /^(serious|critical)/.test(f)), []);
      await page.done();
    }
  },

  async "a study is followed, and stopped"() {
    const child = spawn(process.env.CAPSTAN, ["sweep", join(folder, "long.yaml"), "--watch", "-o", join(folder, "long"), "--threads", "1"], { stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((done) => { child.on("exit", done); });
    try {
      let said = "";
      child.stderr.on("data", (d) => { said += d; });
      for (let k = 0; k < 200 && !/http:\S+/.test(said); k++) await new Promise((done) => { setTimeout(done, 50); });
      const address = /http:\S+/.exec(said)?.[0] ?? assert.fail(`no address: ${said}`);
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage(), trouble = [];
      page.on("pageerror", (e) => trouble.push(e.stack));
      page.on("request", (r) => { if (!r.url().startsWith(address) && !/^(data|blob):|favicon/.test(r.url())) trouble.push(`asks for ${r.url()}`); });
      await page.goto(address);
      await page.waitForSelector("html[data-ready]");
      const done = () => page.textContent("[data-test=live]").then((t) => Number(/([\d ]+) of/.exec(t)?.[1].replace(/\D/g, "")));
      const one = await done();
      await page.waitForFunction((n) => Number(/([\d ]+) of/.exec(document.querySelector("[data-test=live]").textContent)?.[1].replace(/\D/g, "")) > n, one, { timeout: 20000 });
      await page.waitForSelector("[data-test=drawing]");
      await page.click("[data-test=stop]");
      await page.waitForFunction(() => /was stopped/.test(document.querySelector("[data-test=live]").textContent), null, { timeout: 20000 });
      assert.equal(await ended, 1);
      assert.match(said, /--resume/);
      assert.deepEqual(trouble, []);
      await page.context().close();
    } finally { child.kill(); }
  },
};

let failed = 0;
const wanted = process.argv.slice(3);
for (const [name, test] of Object.entries(tests)) {
  if (wanted.length && !wanted.some((w) => name.includes(w))) continue;
  const start = Date.now();
  try {
    await test();
    console.log(`web: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (e) {
    failed++;
    console.error(`web: ${name} FAILED\n${e.message}\n${e.stack?.split("\n").filter((l) => l.includes("study.mjs")).slice(0, 2).join("\n")}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
