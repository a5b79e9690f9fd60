// The page in a browser: programs, edits, steps against the native tool, pictures, links.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.mjs";
import { call, followed, native, openBytes, openSample, PAGE, problems, replace, SHADERS, shot } from "./use.mjs";

let server, browser, page, faults;
const requests = [];

before(async () => {
  server = await serve(PAGE);
  browser = await launch();
  browser.context.on("request", (request) => requests.push(request.url()));
  ({ page, faults } = await open(browser.context, server.address));
});

after(async () => {
  await browser?.close();
  await server?.close();
});

const samples = () =>
  page
    .locator("#samples option")
    .allInnerTexts()
    .then((names) => names.filter((name) => name !== "–"));
const lines = (pane) => page.locator(`#panel-${pane} .cm-line`);

/**
 * Draws on both: pixels that differ, that each covers, and that one covers but the other does not
 * within a pixel.
 */
const compared = async () => {
  const compared = await page.evaluate(async () => {
    const [width, height] = [320, 240];
    const compared = await transpica.watch.compare(width, height);
    if (!compared) return undefined;
    const { cpu, gpu, different, covered } = compared;
    const is = (pixels, at) => [0, 1, 2].some((channel) => pixels[4 * at + channel] !== 232);
    const steps = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => y * width + x));
    let [drawn, astray] = [0, 0];
    for (let at = 0; at < width * height; at++) {
      drawn += Number(is(gpu, at));
      for (const [one, other] of [
        [cpu, gpu],
        [gpu, cpu],
      ])
        astray += Number(is(one, at) && !steps.some((step) => is(other, at + step)));
    }
    return { different, covered, drawn, astray };
  });
  assert.ok(compared, "an adapter");
  return compared;
};

/** Waits for the picture of the GPU, and checks that the CPU did not draw instead. */
const drawn = async () => {
  await page.click("#watch >> role=button[name='GPU']");
  await page.waitForFunction(() => !transpica.watch.isWanted && !transpica.watch.isDrawing);
  assert.equal(await page.locator("#watch .note").innerText(), "");
};

test("every sample opens without an error, and every view of it has content", async () => {
  const names = await samples();
  assert.ok(names.length > 20, `${names.length} samples`);
  for (const name of names) {
    await openSample(page, name);
    const problems = await page.evaluate(() =>
      transpica.session.problems.filter(({ severity }) => severity === "error"),
    );
    assert.deepEqual(problems, [], name);
    for (const kind of ["listing", "tree", "ir", "wgsl", "glsl", "reflection"]) {
      const view = await call(page, "view", kind);
      assert.ok(view.text.length > 50, `${kind} of ${name}`);
      assert.ok(view.places.length <= view.text.split("\n").length, `places of ${kind} of ${name}`);
    }
    assert.match((await call(page, "view", "graph")).svg, /class="block/, name);
    assert.ok((await call(page, "view", "tables")).tables.length > 0, name);
  }
});

test("outputs of every sample and program equal the native tool's, bit by bit", async () => {
  let vertices = 0;
  for (const name of await samples()) {
    const file = path.join(SHADERS, `${name}.shbin`);
    await followed(page, async () => openBytes(page, `${name}.shbin`, await readFile(file)));
    const { length } = await page.evaluate(() => transpica.session.opened.programs);
    for (let program = 0; program < length; program++) {
      if (program > 0)
        await followed(page, () => page.evaluate((program) => transpica.session.select(program), program));
      const ours = await call(page, "run");
      const theirs = native("run", file, "--dvle", String(program), "--json");
      assert.deepEqual(ours.vertices, theirs.vertices, `${name}, program ${program}`);
      vertices += ours.vertices.length;
    }
  }
  assert.ok(vertices > 100, `${vertices} vertices`);
});

test("an error shows its place and a hint, everything else stays, and it goes when it is mended", async () => {
  await openSample(page, "lights");
  await page.click("#tab-wgsl");
  const text = await lines("wgsl").first().innerText();
  const count = await page.evaluate(() => transpica.session.opened.programs[0].instructions);
  await replace(page, "rsq r3.x", "rsqq r3.x");
  await page.waitForFunction(() => document.querySelector("#problems .error"));
  const [problem] = await problems(page);
  assert.match(problem, /rsqq/);
  assert.match(await page.locator("#problems .error .hint").first().innerText(), /rsq/);
  await page.locator("#source .cm-lintRange-error").first().waitFor();
  assert.equal(await lines("wgsl").first().innerText(), text);
  await shot(page, "error");
  await followed(page, () => replace(page, "rsqq r3.x", "rsq r3.x"));
  assert.equal(await page.locator("#problems .error").count(), 0);
  assert.equal(await page.evaluate(() => transpica.session.opened.programs[0].instructions), count);
});

test("typing a key changes the translation", async () => {
  await openSample(page, "lights");
  await page.click("#tab-spirv");
  const before = await page.evaluate(async () => (await transpica.session.client.call("spirv")).length);
  await page.click("#source .cm-line >> nth=16");
  await page.keyboard.press("End");
  await followed(page, () => page.keyboard.type("\nmul r3.x, r3.x, r3.x"));
  await page.waitForFunction(
    (before) => transpica.session.client.call("spirv").then(({ length }) => length !== before),
    before,
  );
  assert.deepEqual(
    (await problems(page)).filter((text) => text.startsWith("error")),
    [],
  );
});

test("one selection goes through all panes", async () => {
  await openSample(page, "lights");
  const line = await page.evaluate(() => transpica.session.opened.sourcePlaces.findIndex((pc) => pc >= 10));
  await page.evaluate((line) => transpica.editor.goTo(line + 1), line);
  await page.locator("#source .cm-activeLine, #source .cm-line").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const selected = await page.evaluate(() => [...transpica.marks.selected]);
  assert.equal(selected.length, 1);
  await page.locator("#source .is-selected").first().waitFor();
  // Not every instruction has a line of its own in every language.
  const linked = [];
  for (const kind of ["listing", "tree", "ir", "wgsl", "glsl"]) {
    await page.click(`#tab-${kind}`);
    const { places } = await call(page, "view", kind);
    if (!places.some((pcs) => pcs.includes(selected[0]))) continue;
    await page.waitForFunction((kind) => document.querySelector(`#panel-${kind} .is-selected`), kind, {
      timeout: 3000,
    });
    linked.push(kind);
  }
  // The second engine writes this one.
  await page.click("#tab-spirv");
  await page.waitForSelector("#panel-spirv .is-selected");
  console.log(`the selection is in the source and in ${linked.join(", ")}`);
  assert.ok(linked.includes("listing"));
  await page.click("#tab-graph");
  await page.locator("#panel-graph .block.is-selected").first().waitFor();
  await page.locator("#panel-graph .block[data-pcs*=',']").last().click();
  const block = await page.evaluate(() => [...transpica.marks.selected]);
  assert.notDeepEqual(block, selected);
  await page.waitForSelector("#source .is-selected");
  await shot(page, "graph");
});

test("steps go forward, back and to a line; the last one has the native outputs", async () => {
  await openSample(page, "lights");
  await page.click("#tab-step");
  await page.selectOption("#panel-step select[aria-label='Inputs']", "state");
  await page.waitForFunction(() => document.querySelector("#panel-step input[type=number]").max === "3");
  const shown = () => page.evaluate(() => transpica.step.shown);
  const first = await shown();
  assert.equal(first.number, 0);
  for (const key of ["F8", "F8", "F8"]) await page.keyboard.press(key);
  await page.waitForFunction(() => transpica.step.shown.number === 3);
  await page.locator("#panel-step .changed").first().waitFor();
  const third = await shown();
  await page.keyboard.press("F7");
  await page.waitForFunction(() => transpica.step.shown.number === 2);
  await page.locator("#source .is-current").first().waitFor();
  await page.keyboard.press("F8");
  await page.waitForFunction(() => transpica.step.shown.number === 3);
  assert.deepEqual(await shown(), third);
  const recording = await call(page, "record", 0);
  const late = (await call(page, "step", recording.steps - 2)).pc;
  await page.evaluate((pc) => transpica.marks.select([pc], "test"), late);
  await page.keyboard.press("F9");
  await page.waitForFunction((pc) => transpica.step.shown.pc === pc && transpica.step.shown.number > 3, late);
  await page.click("#panel-step >> role=button[name='End']");
  await page.waitForFunction(() => transpica.step.shown.pc === -1);
  const theirs = native("run", path.join(SHADERS, "lights.shbin"), "--json", "--all").vertices[0].outputs;
  assert.deepEqual(recording.outputs, theirs);
  const bits = new DataView(new ArrayBuffer(4));
  const hex = (value) => (bits.setFloat32(0, value), `0x${bits.getUint32(0).toString(16).padStart(8, "0")}`);
  const last = await shown();
  assert.deepEqual(last.o[0].map(hex), theirs.o0);
  await shot(page, "step");
});

test("the ancestry of an output is highlighted, and dead code is dimmed", async () => {
  await openSample(page, "lights");
  await page.selectOption("#panel-step select[aria-label='Output to trace']", { index: 1 });
  await page.waitForFunction(() => transpica.marks.ancestors.size > 0);
  await page.locator("#source .is-ancestor").first().waitFor();
  assert.match(await page.locator("#panel-step .sources").innerText(), /\d+ steps, from .*inpos/);
  await followed(page, () => replace(page, "rsq r3.x, r3.x", "rsq r3.x, r3.x\n    mov r15, r2"));
  await page.check("#panel-step label:has-text('Strike out') input");
  await page.evaluate(() => transpica.editor.goTo(19));
  await page.waitForFunction(() => document.querySelector("#source .is-dead"));
  await shot(page, "ancestry");
  await page.uncheck("#panel-step label:has-text('Strike out') input");
});

test("a uniform changes outputs and picture; a widget fills a matrix", async () => {
  await openSample(page, "lights");
  await page.click("#tab-uniforms");
  const outputs = async () => JSON.stringify((await call(page, "run")).vertices);
  const before = await outputs();
  const first = page.locator("#panel-uniforms .grid input").first();
  await followed(page, async () => {
    await first.fill("0.25");
    await first.press("Enter");
  });
  assert.notEqual(await outputs(), before);
  await page.locator("#panel-uniforms summary").first().click();
  await followed(page, () =>
    page.locator("#panel-uniforms .widget >> role=button[name='Perspective']").first().click(),
  );
  const [uniform] = (await call(page, "uniforms")).filter(({ shape }) => shape === "matrix");
  assert.equal(uniform.values[3][2], -1);
  await shot(page, "uniforms");
});

test("an option from the table changes the text and can be reset", async () => {
  await openSample(page, "lights");
  await page.click("#tab-options");
  await page.waitForSelector("#panel-options .option");
  const settings = await call(page, "settings");
  await page.waitForFunction((n) => document.querySelectorAll("#panel-options .option").length === n, settings.length - 2);
  const choice = settings.find(({ path }) => path === "arithmetic.precision");
  const before = (await call(page, "view", "wgsl")).text;
  await followed(page, () => page.selectOption(`#option-${choice.path.replace(/\W/g, "-")}`, "f24"));
  assert.notEqual((await call(page, "view", "wgsl")).text, before);
  await page.waitForSelector("#panel-options .is-changed");
  await shot(page, "options");
  await followed(page, () => page.click("#panel-options >> role=button[name='Reset all']"));
  assert.equal((await call(page, "view", "wgsl")).text, before);
});

test("WebGPU draws what the engine's CPU draws", async () => {
  const bounds = [];
  for (const name of ["textured", "lights", "uber", "toon", "cards", "subdivision"]) {
    await openSample(page, name);
    await page.waitForFunction(() => transpica.watch.look.by === "color");
    const { different, covered } = await compared();
    assert.ok(covered > 500, `${name} covers ${covered} pixels`);
    bounds.push({ name, share: different / covered, different, covered });
  }
  console.log(
    bounds.map(({ name, different, covered }) => `${name}: ${different} of ${covered} pixels differ`).join("; "),
  );
  for (const { name, share } of bounds)
    assert.ok(share < 0.02, `${name}: ${(share * 100).toFixed(2)} % of its pixels differ`);
  await page.click("#watch >> role=button[name='Difference']");
  await page.waitForFunction(() => /differ/.test(document.querySelector("#watch .figures").textContent));
  await shot(page, "difference");
  await page.click("#watch >> role=button[name='GPU']");
});

test("what is chosen while a picture is drawn is drawn after it", async () => {
  await page.evaluate(async () => {
    const watch = transpica.watch;
    const draw = watch.pixels;
    let go;
    const gate = new Promise((resolve) => (go = resolve));
    let begun;
    const drawing = new Promise((resolve) => (begun = resolve));
    watch.pixels = async function (request) {
      delete watch.pixels;
      begun();
      await gate;
      return draw.call(watch, request);
    };
    watch.want();
    await drawing;
    document.querySelector("#watch [data-mode=difference]").click();
    while (watch.isWanted) await new Promise(requestAnimationFrame);
    go();
  });
  await page.waitForFunction(() => /differ/.test(document.querySelector("#watch .figures").textContent));
  await page.click("#watch >> role=button[name='GPU']");
});

test("WebGPU shows every register, also of a geometry program", async () => {
  for (const name of ["uber", "cards", "subdivision"]) {
    await openSample(page, name);
    const shows = await call(page, "shows");
    const registers = Array.from({ length: 16 }, (_, register) => `o${register}`);
    assert.deepEqual(
      shows.filter((by) => registers.includes(by)),
      registers,
    );
    for (const by of ["position", "o5", "o0", "o1"]) {
      await page.selectOption("#watch label:has-text('Color') select", by);
      const { different, covered } = await compared();
      console.log(`${name} by ${by}: ${different} of ${covered} pixels differ`);
      assert.ok(covered > 500 && different < covered / 50, `${name} by ${by}: ${different} of ${covered} pixels`);
    }
    await drawn();
    if (name === "subdivision") await shot(page, "register");
  }
  await page.selectOption("#watch label:has-text('Color') select", "color");
});

test("WebGPU draws the edges of triangles, also of a geometry program", async () => {
  await page.selectOption("#watch label:has-text('Mesh') select", "cube");
  for (const name of ["lights", "fireworks", "silhouette", "subdivision"]) {
    await openSample(page, name);
    await page.evaluate(() => (transpica.watch.look = { ...transpica.watch.look, time: 1.5 }));
    const filled = await compared();
    await page.check("#watch label:has-text('Edges only') input");
    const wires = await compared();
    console.log(`${name}: edges ${wires.drawn} of ${filled.drawn} pixels, ${wires.astray} astray`);
    assert.ok(wires.drawn > 500 && wires.drawn < 0.8 * filled.drawn, `${name}: ${wires.drawn} of ${filled.drawn}`);
    assert.ok(wires.astray < wires.drawn / 100, `${name}: ${wires.astray} of ${wires.drawn}`);
    await drawn();
    await shot(page, `edges-${name}`);
    await page.uncheck("#watch label:has-text('Edges only') input");
  }
  await page.selectOption("#watch label:has-text('Mesh') select", "lathe");
});

test("keys orbit, and the time runs and stops", async () => {
  await openSample(page, "lights");
  await page.keyboard.press("Alt+KeyW");
  const look = () => page.evaluate(() => transpica.watch.look);
  const before = await look();
  for (const key of ["ArrowRight", "ArrowUp", "+"]) await page.keyboard.press(key);
  const moved = await look();
  assert.ok(moved.yaw > before.yaw && moved.pitch < before.pitch && moved.distance < before.distance);
  await page.keyboard.press("Alt+KeyP");
  await page.waitForFunction(() => transpica.watch.look.time > 0.2);
  await page.keyboard.press("Alt+KeyP");
  const stopped = (await look()).time;
  await page.waitForTimeout(150);
  assert.equal((await look()).time, stopped);
});

test("a link holds program, options, inputs and view", async () => {
  await openSample(page, "lights");
  await followed(page, () => replace(page, ".out outcol color", ".out outcol color ; linked"));
  await page.click("#tab-glsl");
  const settings = await call(page, "settings");
  const choice = settings.find(({ path }) => path === "arithmetic.precision");
  await followed(page, () => page.evaluate((path) => transpica.session.configureAll({ [path]: "Fast" }), choice.path));
  await followed(page, () => page.evaluate(() => transpica.session.input("setUniform", "c", 0, "[[0.5,0,0,0]]")));
  const [run, glsl] = [await call(page, "run"), await call(page, "view", "glsl")];
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#p="));
  const { page: other, faults } = await open(browser.context, page.url());
  assert.match(await other.evaluate(() => transpica.editor.text), /; linked/);
  assert.equal(await other.locator("#tab-glsl").getAttribute("aria-selected"), "true");
  assert.deepEqual((await call(other, "run")).vertices, run.vertices);
  assert.equal((await call(other, "view", "glsl")).text, glsl.text);
  assert.deepEqual(faults, []);
  await other.close();
  await page.keyboard.press("Escape");
  await page.evaluate(() => history.replaceState(null, "", location.pathname));
});

test("shaders inside a file are listed, and each opens", async () => {
  const inside = await Promise.all(["lights", "uber"].map((name) => readFile(path.join(SHADERS, `${name}.shbin`))));
  const container = Buffer.concat([Buffer.alloc(256, 1), inside[0], Buffer.alloc(512, 2), inside[1], Buffer.alloc(64)]);
  await followed(page, () => openBytes(page, "data.bin", container));
  await page.waitForSelector("#found li");
  await page.waitForFunction(() => document.querySelectorAll("#found li").length === 2);
  await followed(page, () => page.locator("#found button").nth(1).click());
  assert.equal(await page.evaluate(() => transpica.session.opened.bytes), inside[1].length);
  assert.match((await call(page, "view", "wgsl")).text, /@vertex/);
  await shot(page, "container");
});

test("two programs side by side: their texts and the outputs that differ", async () => {
  await openSample(page, "lights");
  await page.click("#tab-compare");
  const text = await readFile(path.join(SHADERS, "lights.v.pica"), "utf8");
  const changed = text.replace("mov r7, ambient", "mov r7, material");
  assert.notEqual(changed, text);
  await page.setInputFiles("#panel-compare input[type=file]", {
    name: "second.pica",
    mimeType: "text/plain",
    buffer: Buffer.from(changed),
  });
  await page.waitForSelector("#panel-compare .values tbody tr");
  await page.waitForFunction(() => document.querySelectorAll("#panel-compare .cm-changedLine").length >= 2);
  assert.match(await page.locator("#panel-compare .values tbody").innerText(), /o1\.x/);
  await shot(page, "compare");
});

test("every request stayed on the own origin, and no script failed", () => {
  assert.ok(requests.length > 20, `${requests.length} requests`);
  const others = requests.filter(
    (url) => !url.startsWith(server.address) && !url.startsWith("blob:") && !url.startsWith("data:"),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(faults, []);
});

test("the code map names every file", async () => {
  const map = await readFile(path.join(import.meta.dirname, "../../README.md"), "utf8");
  const folder = path.join(import.meta.dirname, "..");
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources = files.filter(
    (file) => file.isFile() && !file.parentPath.includes("node_modules") && /\.(ts|mjs|css|html|svg)$/.test(file.name),
  );
  assert.ok(sources.length > 20);
  assert.deepEqual(
    sources.filter(({ name }) => !map.includes(`${name}\``)).map(({ name }) => name),
    [],
  );
});
