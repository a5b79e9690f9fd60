// The debugger: breakpoints in every text, runs that stop there, every vertex of a mesh, and
// the invocations of geometry programs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "./browser.mjs";
import { call, followed, openBytes, openSample, replace, shot, visit } from "./use.mjs";

let server, browser, page, faults;

before(async () => ({ server, browser, page, faults } = await visit()));

after(async () => {
  await browser?.close();
  await server?.close();
});

const press = (name, of = page) => of.click(`#panel-step >> role=button[name='${name}']`);
const breaks = (of = page) => of.evaluate(() => [...transpica.marks.breaks]);
const at = (number, of = page) => of.waitForFunction((number) => transpica.step.shown?.number === number, number);
/** Clicks in the gutter of a line, from 1, of a text that is shown. */
const clickBeside = async (pane, line, gutter = "breaks", of = page) => {
  const place = await of.evaluate(
    ([pane, line, gutter]) => {
      const root = document.querySelector(`${pane} .cm-editor`);
      const number = [...root.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].find(
        (element) => element.textContent === String(line) && element.style.visibility !== "hidden",
      );
      const { y, height } = number.getBoundingClientRect();
      const { x, width } = root.querySelector(`.cm-${gutter}`).getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    },
    [pane, line, gutter],
  );
  await of.mouse.click(place.x, place.y);
};
/** Numbers of the lines with a dot, in the next picture. */
const dots = (pane, of = page) =>
  of.evaluate(async (pane) => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const root = document.querySelector(`${pane} .cm-editor`);
    const tops = [...root.querySelectorAll(".cm-breaks .is-stop")].map((dot) => dot.getBoundingClientRect().top);
    return [...root.querySelectorAll(".cm-lineNumbers .cm-gutterElement")]
      .filter((element) => element.style.visibility !== "hidden" && tops.includes(element.getBoundingClientRect().top))
      .map((element) => Number(element.textContent));
  }, pane);

const LOOP = `.out o position
.constf k(0.0, 1.0, 2.0, 3.0)
.consti three(2, 0, 1, 0)
.proc main
 mov r0, k
 for three
  add r0, k, r0
  mul r1, r0, r0
 .end
 mov o, r1
 end
.end
`;

test("a click next to a line sets a breakpoint in every text, and runs stop there, both ways", async () => {
  await followed(page, () => openBytes(page, "loop.pica", LOOP));
  await page.click("#tab-wgsl");
  await clickBeside("#left", 8);
  assert.deepEqual(await dots("#left"), [8]);
  const [pc] = await breaks();
  const { places } = await call(page, "view", "wgsl");
  const expected = places.flatMap((pcs, line) => (pcs.includes(pc) ? [line + 1] : []));
  assert.ok(expected.length > 0);
  await page.waitForFunction(() => document.querySelector("#panel-wgsl .cm-breaks .is-stop"));
  assert.ok((await dots("#panel-wgsl")).every((line) => expected.includes(line)));
  const { steps } = await call(page, "record", 0, false);
  const hits = [];
  for (let step = 0; step <= steps; step++) if ((await call(page, "step", step)).pc === pc) hits.push(step);
  assert.equal(hits.length, 3);
  for (const hit of hits) {
    await press("Run");
    await at(hit);
  }
  await press("Run");
  await at(steps);
  await page.locator("#status", { hasText: "No breakpoint follows: this is the end." }).waitFor();
  for (const hit of hits.toReversed()) {
    await page.keyboard.press("Shift+F4");
    await at(hit);
  }
  await press("Run back");
  await at(0);
  await page.keyboard.press("F4");
  await at(hits[0]);
  await shot(page, "breakpoints");
  // A line number is as good, a line without an instruction has none, and the list removes.
  await clickBeside("#left", 8, "lineNumbers");
  assert.deepEqual([await breaks(), await dots("#left")], [[], []]);
  await clickBeside("#left", 2);
  assert.deepEqual(await breaks(), []);
  await page.click("#tab-listing");
  await page.locator("#panel-listing .cm-line", { hasText: "mul" }).click();
  await page.keyboard.press("Alt+B");
  assert.deepEqual(await breaks(), [pc]);
  await page.click(`.stop`);
  assert.deepEqual(await breaks(), []);
  await page.click("#tab-wgsl");
});

test("breakpoints move with their lines, through errors too, and end with them", async () => {
  await followed(page, () => openBytes(page, "loop.pica", LOOP));
  await clickBeside("#left", 7);
  await clickBeside("#left", 8);
  const [add, mul] = await breaks();
  await followed(page, () => replace(page, " mov r0, k\n", " mov r0, k\n ; a comment\n mov r1, k\n"));
  assert.deepEqual(await breaks(), [add + 1, mul + 1]);
  assert.deepEqual(await dots("#left"), [9, 10]);
  await followed(page, () => replace(page, " mov r1, k\n", " bogus\n\n mov r1, k\n"));
  assert.deepEqual(await dots("#left"), [11, 12]);
  // Set while the text has errors, it counts as soon as that has none.
  await clickBeside("#left", 5);
  assert.deepEqual(await dots("#left"), [5, 11, 12]);
  await followed(page, () => replace(page, " bogus\n", " nop\n"));
  assert.deepEqual((await breaks()).toSorted((a, b) => a - b), [0, add + 2, mul + 2]);
  await followed(page, () => replace(page, "  mul r1, r0, r0\n", ""));
  assert.deepEqual((await breaks()).toSorted((a, b) => a - b), [0, add + 2]);
});

test("breakpoints are in the draft and in the link, and end with the program", async () => {
  await page.check("#panel-step label:has-text('Stop at NaN') input");
  const mine = await breaks();
  await page.evaluate(() => transpica.keep());
  await page.reload();
  await page.waitForFunction(() => "started" in document.documentElement.dataset);
  assert.deepEqual(await breaks(), mine);
  await page.waitForFunction(() => document.querySelectorAll("#left .cm-breaks .is-stop").length === 2);
  await page.click("#share");
  await page.locator("#sharing").waitFor();
  const { page: other } = await open(browser.context, page.url());
  assert.deepEqual(await breaks(other), mine);
  assert.equal(await other.evaluate(() => transpica.step.seen.special), true);
  await other.close();
  await page.keyboard.press("Escape");
  await openSample(page, "toon");
  assert.deepEqual(await breaks(), []);
  assert.equal(await page.locator(".is-stop, .stop").count(), 0);
});

test("runs stop where NaN or infinity was written, both ways", async () => {
  const source = ".out o position\n.constf k(0.0, 1.0, 2.0, 3.0)\n.proc main\n rcp r2.x, k.x\n mov r0, k\n rcp r3.x, k.x\n mov o, r0\n end\n.end\n";
  await followed(page, () => openBytes(page, "odd.pica", source));
  await page.check("#panel-step label:has-text('Stop at NaN') input");
  for (const [name, step] of [["Run", 1], ["Run", 3], ["Run", 5], ["Run back", 3], ["Run back", 1], ["Run back", 0]]) {
    await press(name);
    await at(step);
  }
  await page.uncheck("#panel-step label:has-text('Stop at NaN') input");
  // The sentence and the selection are about the instruction that wrote it, the values next to it.
  await page.click("#panel-step .menu summary");
  await press("Run to NaN or infinity");
  await page.locator("#status", { hasText: "Step 0 wrote NaN or an infinity: rcp r2.x" }).waitFor();
  assert.deepEqual(await page.evaluate(() => [...transpica.marks.selected]), [0]);
  await page.click(".register[data-register=r3]");
  const row = page.locator(".timeline tbody tr").first();
  await row.locator(".text", { hasText: "rcp r3.x" }).waitFor();
  await row.getByRole("button").click();
  await at(3);
  assert.deepEqual(await page.evaluate(() => [...transpica.marks.selected]), [2]);
  await page.click(".register[data-register=r3]");
});

test("every vertex of the mesh is stepped, one after the other", async () => {
  await openSample(page, "lights");
  await page.selectOption("#panel-step select[aria-label='Inputs']", "mesh");
  const field = page.getByLabel("Vertex", { exact: true });
  await page.waitForFunction(() => Number(document.querySelector("#panel-step input[type=number]").max) > 100);
  const last = Number(await field.getAttribute("max"));
  await page.locator("#panel-step", { hasText: `of ${last + 1}` }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Previous vertex" }).isDisabled());
  await field.fill("100");
  await field.press("Enter");
  const seen = new Set();
  for (let vertex = 101; vertex < 105; vertex++) {
    await press("Next vertex");
    assert.equal(await field.inputValue(), String(vertex));
    await call(page, "record", vertex, true);
    const inputs = JSON.stringify((await call(page, "step", 0)).v);
    await page.waitForFunction((inputs) => JSON.stringify(transpica.step.shown.v) === inputs, inputs);
    seen.add(inputs);
  }
  assert.equal(seen.size, 4);
  await field.fill(String(last));
  await field.press("Enter");
  await page.waitForFunction(() => document.querySelector("#panel-step .bar button:nth-of-type(2)").disabled);
  await field.fill(String(last + 1));
  await field.press("Enter");
  assert.equal(await field.inputValue(), String(last));
  await page.selectOption("#panel-step select[aria-label='Inputs']", "state");
  await page.waitForFunction(() => document.querySelector("#panel-step input[type=number]").max === "3");
});

test("a pixel of a geometry program leads to its invocation, its EMITs, and the vertices that fed it", async () => {
  await openSample(page, "silhouette");
  await page.evaluate(() => transpica.session.select(1));
  await page.waitForFunction(() => transpica.session.opened.selected === 1);
  await page.waitForFunction(() => !transpica.watch.isWanted && !transpica.watch.isDrawing);
  // The first place, row by row, where something is drawn.
  const { width, height } = await page.locator("#watch .stage").boundingBox();
  const corners = page.locator("#panel-step .corners >> nth=0");
  let hit = false;
  for (let row = 1; row < 12 && !hit; row++)
    for (let column = 1; column < 16 && !hit; column++) {
      const place = [(width * column) / 16, (height * row) / 12];
      const request = await page.evaluate(() => JSON.stringify(transpica.watch.request()));
      const { width: wide, height: high } = JSON.parse(request);
      const picked = await call(page, "pick", request, (place[0] / width) * wide, (place[1] / height) * high);
      if (picked.emits.length < 3) continue;
      hit = true;
      await page.locator("#watch .stage").click({ position: { x: place[0], y: place[1] } });
      await corners.getByRole("button", { name: `invocation ${picked.invocation}` }).waitFor();
      await page.locator("#status", { hasText: `Stepping invocation ${picked.invocation} of` }).waitFor();
      for (const emit of picked.emits) {
        await corners.getByRole("button", { name: `EMIT ${emit + 1}`, exact: true }).click();
        await page.waitForFunction(() => /emit/.test(transpica.step.shown.text));
      }
      await shot(page, "invocation");
      // The vertices are the other program's.
      const vertex = String(picked.vertices[1]);
      await corners.getByRole("button", { name: vertex, exact: true }).first().click();
      await page.waitForFunction(() => transpica.session.opened.selected === 0);
      await page.waitForFunction((vertex) => transpica.step.seen.vertex === Number(vertex) && transpica.step.seen.ofMesh, vertex);
      await corners.getByRole("button", { name: `invocation ${picked.invocation}` }).click();
      await page.waitForFunction(() => transpica.session.opened.selected === 1);
    }
  assert.ok(hit, "a triangle");
});

test("a link has the second program of a comparison in front, and only then", async () => {
  await openSample(page, "lights");
  await page.click("#tab-compare");
  await page.selectOption("#panel-compare select", { label: "toon" });
  const captions = (of) => of.locator("#panel-compare figcaption").allInnerTexts();
  await page.waitForFunction(() => document.querySelectorAll("#panel-compare figure canvas").length === 3);
  const mine = await captions(page);
  const link = async () => {
    await page.click("#share");
    const address = await page.getByLabel("Link", { exact: true }).inputValue();
    await page.keyboard.press("Escape");
    return address;
  };
  const compared = await link();
  const { page: other } = await open(browser.context, compared);
  await other.waitForFunction(() => document.querySelectorAll("#panel-compare figure canvas").length === 3);
  assert.deepEqual(await captions(other), mine);
  assert.match(await other.locator("#panel-compare .merge").innerText(), /toon|Cel shading/);
  // A reload has it, too.
  await other.reload();
  await other.waitForFunction(() => document.querySelectorAll("#panel-compare figure canvas").length === 3);
  await other.close();
  // Another link replaces what was compared before.
  await page.selectOption("#panel-compare select", { label: "fog" });
  await page.locator("#panel-compare figcaption", { hasText: "fog.v.pica" }).waitFor();
  const fog = await link();
  await page.goto(compared);
  await page.reload();
  await page.locator("#panel-compare figcaption", { hasText: "toon.v.pica" }).waitFor();
  await page.click("#tab-wgsl");
  const alone = await link();
  assert.ok(alone.length < fog.length && alone.length < compared.length);
  // One that is too long leaves the second program out, and says so.
  await page.click("#tab-compare");
  const long = `${"; 0123456789\n".repeat(60_000)}.out o position\n.proc main\n mov o, v0\n end\n.end\n`;
  await page.evaluate((long) => {
    const noise = Array.from({ length: 1 << 20 }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join("");
    transpica.second.opened = { name: "long.pica", text: `; ${noise}${noise}\n${long}` };
  }, long);
  await page.click("#share");
  await page.locator("#sharing", { hasText: "Without the second program" }).waitFor();
  await page.keyboard.press("Escape");
});

test("no script failed", () => assert.deepEqual(faults, []));
