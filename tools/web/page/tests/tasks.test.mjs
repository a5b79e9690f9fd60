// Ten tasks of a first visitor, done by clicks and keys on what is to be seen, and nothing else: no
// call of the page's scripts, no element found by its id. Each ends with what the page shows. The
// number of clicks and keys of each is printed, and has a ceiling.

import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.mjs";
import { PAGE, SHADERS, shot } from "./use.mjs";

/** Most clicks of a task. */
const MOST_CLICKS = 5;

let server, browser, page, faults;
/** Rows of the table: what was done, clicks, keys. */
const done = [];
let clicks = 0;
let keys = 0;

before(async () => {
  server = await serve(PAGE);
  browser = await launch({ gpu: false });
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  ({ page, faults } = await open(browser.context, server.address));
});

after(async () => {
  const width = Math.max(...done.map(({ name }) => name.length));
  console.log(`${"task".padEnd(width)}  clicks  keys`);
  for (const { name, clicks, keys } of done)
    console.log(`${name.padEnd(width)}  ${String(clicks).padStart(6)}  ${String(keys).padStart(4)}`);
  await browser?.close();
  await server?.close();
});

/** A task on the page as it opens at first; its clicks and keys are counted. */
function task(name, steps, most = MOST_CLICKS) {
  test(name, { timeout: 120_000 }, async () => {
    await page.close();
    ({ page, faults } = await open(browser.context, server.address));
    [clicks, keys] = [0, 0];
    await steps();
    done.push({ name, clicks, keys });
    assert.deepEqual(faults, []);
    assert.ok(clicks <= most, `${clicks} clicks`);
  });
}

/** Clicks in the middle of an element that is to be seen, or at a place of it. */
async function click(target, position) {
  clicks++;
  await target.click(position ? { position } : {});
}

/** Clicks a control by its role and name, which keys reach as well. */
async function use(role, name, within = page) {
  const control = within.getByRole(role, { name, exact: typeof name === "string" }).filter({ visible: true }).first();
  // Arrow keys go to the other tabs of a list.
  const isReached = await control.evaluate((element) => element.tabIndex >= 0 || element.closest("[role=tablist]") !== null);
  assert.ok(isReached, `no key reaches ${name}`);
  await click(control);
}

async function press(...names) {
  for (const name of names) {
    keys++;
    await page.keyboard.press(name);
  }
}

async function type(text) {
  keys += text.length;
  await page.keyboard.type(text, { delay: 5 });
}

/** Chooses from a list that opens: a click, the beginning of the word, Enter. */
async function choose(name, word) {
  await use("combobox", name);
  await type(word);
  await press("Enter");
}

/** A region of the page by the name that it has for readers of screens. */
const region = (name) => page.getByRole("region", { name, exact: true });
const source = () => page.getByRole("textbox", { name: "Source of the program" });
/** A line of a text that the wheel brings into view, from the beginning of the text. */
async function line(words, within = source()) {
  const found = within.locator(".cm-line").filter({ hasText: words }).first();
  await within.hover({ position: { x: 60, y: 40 } });
  await page.mouse.wheel(0, -100_000);
  for (let turns = 0; turns < 60; turns++) {
    await page.waitForTimeout(60);
    if (await found.isVisible()) break;
    await page.mouse.wheel(0, 200);
  }
  await found.waitFor({ timeout: 1000 });
  return found;
}
/** What the tab in front shows. */
const shows = (text) => page.getByRole("tabpanel").filter({ visible: true }).filter({ hasText: text }).first().waitFor();
/** A line that the text of the tab in front has. */
const has = (language, words) => line(words, page.getByRole("textbox", { name: `${language} of the program` }));
const says = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
const picture = () => page.getByRole("application");
/** The picture as it is seen, once it has not changed for a while. */
async function seen() {
  for (let last = ""; ; ) {
    const now = (await picture().screenshot()).toString("base64");
    if (now === last) return now;
    last = now;
    await page.waitForTimeout(500);
  }
}

task("open a sample and see its picture", async () => {
  const before = await seen();
  await choose("Sample", "toon");
  await page.getByRole("heading", { name: "toon.v.pica" }).waitFor();
  assert.notEqual(await seen(), before);
});

task("read the text as exact WGSL, as GLSL and as SPIR-V, copy and save it", async () => {
  await use("button", "Show exact");
  await shows("has_nan");
  await use("tab", "GLSL");
  await has("GLSL", /^void main\(/);
  await use("button", "Copy");
  await says("GLSL copied.");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^#version 450[^]*has_nan/);
  await use("tab", "SPIR-V");
  await has("SPIR-V", /OpEntryPoint Vertex/);
  const [saved] = await Promise.all([page.waitForEvent("download"), use("button", "Save")]);
  assert.equal(saved.suggestedFilename(), "lamps.spvasm");
});

task("compare with another program", async () => {
  await use("tab", "Compare");
  await choose("Second program from the samples", "lights");
  await region("Outputs that differ").getByRole("row").nth(4).waitFor();
  await shows(/Difference: [\d,]+ pixels/);
});

task("make a mistake, read where it is, mend it", async () => {
  await click(await line("mov r6, ambient"));
  await press("End", "Enter");
  await type("mvo r1, r0");
  const problems = page.getByRole("list", { name: "Problems" });
  await problems.getByText("invalid instruction: mvo").waitFor();
  await problems.getByText("did you mean `mov`?").waitFor();
  await use("button", "Write mov", problems);
  await problems.getByText("invalid instruction").waitFor({ state: "hidden" });
  assert.equal((await (await line("mov r1, r0")).innerText()).trim(), "mov r1, r0");
  await page.getByText("Shows the last text without errors.").first().waitFor({ state: "hidden" });
});

task("run to an instruction and read a register", async () => {
  await click(await line("mov r2.xyz, innrm"));
  await click(page.getByText("More", { exact: true }));
  await use("button", "Run to selected line");
  await page.getByRole("status").filter({ hasText: /mov r2\.xyz/ }).waitFor();
  const row = region("Registers").getByRole("row").filter({ has: page.getByRole("button", { name: /^r1\b/ }) });
  assert.match(await row.innerText(), /^r1\s+-?\d/);
  await use("button", /^r1\b/);
  await region("Values of a register").getByRole("row").nth(3).waitFor();
});

task("change a uniform and see the picture change", async () => {
  const before = await seen();
  await use("tab", "Uniforms");
  await use("textbox", "lampColor row 0, x");
  await press("Control+a");
  await type("9");
  await press("Enter");
  await says("lampColor changed.");
  assert.notEqual(await seen(), before);
});

task("go from a pixel to the instructions that made its color", async () => {
  const { width, height } = await picture().boundingBox();
  await click(picture(), { x: width / 2, y: height / 2 });
  await says(/Stepping vertex \d+/);
  await choose("Output to trace", "outcol");
  await page.getByText(/\d+ steps, from .*inpos/).waitFor();
  await use("tab", "Graph");
  await region("Flow graph; arrow keys select blocks").getByText(/min/).first().waitFor();
});

task("open a vertex and a geometry program together and read their tables", async () => {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), use("button", "Open file…")]);
  await chooser.setFiles(["cards.v.pica", "cards.g.pica"].map((name) => path.join(SHADERS, name)));
  await page.getByRole("heading", { name: "cards.pica" }).waitFor();
  await choose("Program", "1");
  await page.getByText(/^geometry, \d+ instructions/).waitFor();
  await use("tab", "Tables");
  await shows("geometry");
});

task("share what is open, and open the link", async () => {
  await use("tab", "GLSL");
  await click(await line("mov r6, ambient"));
  await use("button", "Share");
  await page.getByRole("dialog").getByText("Link copied").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const { page: other } = await open(browser.context, link);
  await other.getByRole("tab", { name: "GLSL", selected: true }).waitFor();
  // The line that was selected is in view, and so is what became of it.
  await other.locator(".cm-line.is-selected").filter({ hasText: "mov r6, ambient", visible: true }).waitFor();
  await other.getByRole("textbox", { name: "GLSL of the program" }).getByText("#version 450").waitFor();
  await other.close();
});

task("read what the lint says, and promise numbers to a program", async () => {
  await click(await line("mov outcol.w, incol.w"));
  await press("End", "Enter");
  await type("mov outcol.w, k.y");
  const problems = page.getByRole("list", { name: "Problems" });
  await problems.getByText("[output-written-twice]").waitFor();
  await problems.getByText(/Hardware misbehaves/).waitFor();
  await use("tab", "Options");
  await use("searchbox", "Search options");
  await type("no-nan");
  await choose("assume attributes", "no");
  await says("Options applied.");
  const changed = page.getByRole("group", { name: "Differs from the default" });
  await changed.getByRole("combobox", { name: "assume attributes" }).waitFor();
});

task("do by keys alone what the tasks above do by clicks", async () => {
  // A pixel.
  await press("Alt+w", "Enter");
  await says(/Stepping vertex \d+/);
  // An instruction.
  await press("Alt+e", "Control+End", "ArrowUp", "ArrowUp", "ArrowUp", "F9");
  await page.getByRole("status").filter({ hasText: /mad o1/ }).waitFor();
  // A language, with the list of tabs in front of it.
  await press("Alt+2", "ArrowRight", "ArrowRight", "ArrowRight");
  await page.getByRole("tab", { name: "SPIR-V", selected: true }).waitFor();
  // A mistake: what mends it is the next control but one after the text.
  await press("Alt+e", "Control+End", "ArrowUp", "ArrowUp", "ArrowUp", "End", "Enter");
  await type("mvo r1, r0");
  const mend = page.getByRole("button", { name: "Write mov" });
  await mend.waitFor();
  await press("Escape", "Tab", "Tab", "Enter");
  await mend.waitFor({ state: "hidden" });
});
