// What the reader changes: boxes mean what their help says, uniforms match the picture,
// fields refuse what is no number, and edits outlive a reload, Back and a change of the sample.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "./browser.mjs";
import { call, followed, openBytes, openSample, replace, visit } from "./use.mjs";

let server, browser, page, faults;

before(async () => ({ server, browser, page, faults } = await visit()));

after(async () => {
  await browser?.close();
  await server?.close();
});

const text = (of = page) => of.evaluate(() => transpica.editor.text);
const started = (of = page) => of.waitForFunction(() => "started" in document.documentElement.dataset);
const uniform = async (name) => (await call(page, "uniforms")).find((uniform) => uniform.name === name);
/** The cell of a component. */
const cell = (name, row, letter) => page.getByLabel(`${name} row ${row}, ${letter}`, { exact: true });
/** Types into a field, as a reader does. */
const enter = async (field, typed) => {
  await field.fill(typed);
  await field.press("Enter");
};

test("a box is checked if and only if its help describes what is set", async () => {
  await openSample(page, "lights");
  await page.click("#tab-options");
  const switches = (await call(page, "settings")).filter(({ form }) => form === "switch");
  await page.waitForSelector("#panel-options .option");
  assert.equal(await page.locator("#panel-options .option > input[type=checkbox]").count(), switches.length);
  for (const { path, label, help, on } of switches) {
    const box = page.locator(`#option-${path.replace(/\W/g, "-")}`);
    const row = page.locator("#panel-options .option").filter({ has: box });
    assert.deepEqual([await row.locator("label").innerText(), await row.locator(".help").innerText()], [label, help]);
    for (const isOn of [false, true, false]) {
      const { value } = (await call(page, "settings")).find((setting) => setting.path === path);
      assert.equal(value === on, isOn, path);
      assert.equal(await box.isChecked(), isOn, `${label}: ${help}`);
      await followed(page, () => box.click());
    }
    await followed(page, () => page.click("#panel-options >> role=button[name='Reset all']"));
  }
});

test("an option's number that is none is refused, and the old one stays", async () => {
  const field = page.locator("#option-limits-depth");
  const old = await field.inputValue();
  for (const typed of ["abc", "0x10", "1e"]) {
    await enter(field, typed);
    assert.deepEqual([await field.inputValue(), await field.getAttribute("aria-invalid")], [old, "true"], typed);
    assert.match(await field.getAttribute("title"), new RegExp(`${typed}.*not understood`));
  }
  assert.deepEqual(await page.evaluate(() => transpica.session.options), { "arithmetic.precision": "fast" });
});

test("the uniforms match the picture, and say what was guessed", async () => {
  await openSample(page, "lights");
  await page.click("#tab-uniforms");
  await page.waitForFunction(() => !transpica.watch.isWanted && !transpica.watch.isDrawing);
  const agree = () =>
    page.waitForFunction(async () => {
      const cells = [...document.querySelectorAll("#panel-uniforms .grid input:not([type=checkbox])")];
      const uniforms = await transpica.session.client.json("uniforms");
      const values = uniforms.filter(({ bank }) => bank !== "b").flatMap(({ values }) => values.flat());
      return cells.length > 20 && cells.map(({ value }) => value).join() === values.join();
    });
  await agree();
  const before = await uniform("projection");
  assert.ok(before.guessed.every(Boolean));
  assert.notDeepEqual(before.values, before.steps);
  const section = page.locator("#panel-uniforms .uniform").filter({ hasText: "projection" });
  assert.match(await section.locator("header").innerText(), /guessed/);
  assert.match(await cell("projection", 0, "x").getAttribute("title"), /Guessed; generated inputs have -?\d/);
  // The last picture had the view that a key turned.
  const view = (await call(page, "uniforms")).find(({ name }) => /view/i.test(name));
  await page.locator("#watch .stage").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    ([name, old]) =>
      transpica.session.client
        .json("uniforms")
        .then((all) => JSON.stringify(all.find((one) => one.name === name).values) !== old),
    [view.name, JSON.stringify(view.values)],
  );
  await agree();
  // What is set is a guess no more; the other registers of the matrix still are.
  await followed(page, () => enter(cell("projection", 1, "y"), "1/255"));
  const set = await uniform("projection");
  assert.deepEqual(set.guessed, [true, false, true, true]);
  assert.deepEqual(set.values[1], set.steps[1]);
  assert.match(await section.locator("header").innerText(), /partly guessed/);
  await agree();
});

test("steps have the numbers of the picture, also after it was turned", async () => {
  await openSample(page, "lights");
  await page.click("#tab-step");
  const isSame = async () => {
    const { step, session } = transpica;
    const uniforms = await session.client.json("uniforms");
    const read = Object.entries(step.shown.uniforms).filter(([register]) => register.startsWith("c"));
    const drawn = ([register, values]) => {
      const number = Number(register.slice(1));
      const { first, values: rows } = uniforms.find((one) => one.bank === "c" && number >= one.first && number < one.first + one.count);
      return values.every((value, at) => Math.fround(value) === Math.fround(rows[number - first][at]));
    };
    return read.length > 0 && read.every(drawn);
  };
  for (let step = 1; !(await page.evaluate(() => Object.keys(transpica.step.shown.uniforms).some((name) => name === "c4"))); step++) {
    await page.keyboard.press("F8");
    await page.waitForFunction((step) => transpica.step.shown.number === step, step);
  }
  await page.waitForFunction(isSame);
  const shown = () => page.evaluate(() => JSON.stringify(transpica.step.shown));
  const before = await shown();
  await page.locator("#watch .stage").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((before) => JSON.stringify(transpica.step.shown) !== before, before);
  await page.waitForFunction(isSame);
  await page.click("#tab-uniforms");
});

test("fields take what state files take, and refuse the rest", async () => {
  await openSample(page, "lights");
  const field = cell("projection", 0, "x");
  for (const [typed, shown] of [
    ["inf", "inf"],
    ["1e40", "inf"],
    ["nan", "nan"],
    ["1/255", "0.003921569"],
    ["0x3f800000", "1"],
    ["16777217", "16777216"],
    ["-0", "-0"],
  ]) {
    await followed(page, () => enter(field, typed));
    assert.equal(await field.inputValue(), shown, typed);
    assert.equal(await field.getAttribute("aria-invalid"), null);
  }
  const run = JSON.stringify(await call(page, "run"));
  for (const typed of ["abc", "", "1,5", "0x", "1//2"]) {
    await enter(field, typed);
    await page.waitForFunction((field) => field.hasAttribute("aria-invalid"), await field.elementHandle());
    assert.equal(await field.inputValue(), "-0", typed);
    assert.match(await page.locator("#status").innerText(), /not understood/);
    assert.equal(JSON.stringify(await call(page, "run")), run);
    await field.pressSequentially("1");
    assert.equal(await field.getAttribute("aria-invalid"), null);
    await field.fill("-0");
  }
  await page.locator("#panel-uniforms summary").first().click();
  const degrees = page.locator("#panel-uniforms .widget", { hasText: "Perspective" }).first().getByLabel("degrees");
  await degrees.fill("abc");
  await page.locator("#panel-uniforms .widget >> role=button[name='Perspective']").first().click();
  await page.waitForFunction((field) => field.hasAttribute("aria-invalid"), await degrees.elementHandle());
  assert.equal(await degrees.inputValue(), "50");
  assert.equal(JSON.stringify(await call(page, "run")), run);
});

test("each program has its own changes to undo", async () => {
  await openSample(page, "lights");
  const lights = await text();
  await followed(page, () => replace(page, ".out outcol color", ".out outcol color ; mine"));
  const mine = await text();
  await openSample(page, "toon");
  const toon = await text();
  await page.locator("#source .cm-content").focus();
  await page.keyboard.press("Control+z");
  assert.equal(await text(), toon);
  await followed(page, () => replace(page, ".proc", "; other\n.proc"));
  await openSample(page, "lights");
  assert.equal(await text(), lights);
  assert.match(await page.locator("#status").innerText(), /Ctrl\+Z.*lights/);
  await page.locator("#source .cm-content").focus();
  await followed(page, () => page.keyboard.press("Control+z"));
  assert.equal(await text(), mine);
  await followed(page, () => page.keyboard.press("Control+z"));
  assert.equal(await text(), lights);
});

test("edits outlive a reload and Back: text, inputs, options, and a text with errors", async () => {
  const { page: own } = await open(browser.context, server.address);
  await openSample(own, "lights");
  await followed(own, () => replace(own, ".out outcol color", ".out outcol color ; mine"));
  await followed(own, () => own.evaluate(() => transpica.session.input("setUniform", "c", 0, "[[0.5,0,0,0]]")));
  await followed(own, () => own.evaluate(() => transpica.session.configureAll({ "arithmetic.precision": "Fast" })));
  const [mine, run] = [await text(own), await call(own, "run")];
  const same = async () => {
    await started(own);
    await own.waitForFunction((mine) => transpica.editor?.text === mine, mine);
    await own.waitForFunction(() => !transpica.isRestoring);
    assert.deepEqual((await call(own, "run")).vertices, run.vertices);
    assert.deepEqual(await own.evaluate(() => transpica.session.options), { "arithmetic.precision": "Fast" });
    assert.equal(await own.locator("#samples option:checked").innerText(), "lights");
    const [first] = await call(own, "uniforms");
    assert.deepEqual([first.values[0], first.guessed[0]], [[0.5, 0, 0, 0], false]);
  };
  await own.reload();
  await same();
  // Back from another program, from another page, and forward again.
  await openSample(own, "toon");
  const toon = await text(own);
  await own.goBack();
  await same();
  await own.goForward();
  await own.waitForFunction((toon) => transpica.editor.text === toon, toon);
  await own.goBack();
  await same();
  await own.goto("about:blank");
  await own.goBack();
  await same();
  // A text with errors is kept along with the last good one.
  await followed(own, () => replace(own, "rsq r3.x", "rsqq r3.x"));
  await own.reload();
  await started(own);
  await own.waitForFunction(() => transpica.editor?.text.includes("rsqq r3.x") && transpica.session.typed);
  assert.ok((await call(own, "run")).vertices.length > 0, "the last good program runs");
  await own.close();
});

test("a link in the address gives way to what was changed after it", async () => {
  const { page: own } = await open(browser.context, server.address);
  await own.click("#share");
  await own.waitForFunction(() => location.hash === "#s=lamps");
  const { page: other } = await open(browser.context, own.url());
  // The second one follows before browsers take another write.
  for (const when of ["right", "soon"])
    await followed(other, () => replace(other, ".proc", `; ${when} after the link\n.proc`));
  await other.reload();
  await started(other);
  assert.match(await text(other), /; right after the link\n; soon after the link/);
  await openSample(other, "toon");
  assert.equal(new URL(other.url()).hash, "");
  await other.close();
  await own.close();
});

test("the page says when the browser keeps no edits, or they are too long", async () => {
  const { page: own } = await open(browser.context, server.address);
  await own.evaluate(() => {
    history.replaceState = () => {
      throw new DOMException("refused by a test", "QuotaExceededError");
    };
  });
  await followed(own, () => replace(own, ".proc", "; mine\n.proc"));
  await own.waitForFunction(() => /Not kept for a reload: refused by a test/.test(document.body.innerText));
  await own.reload();
  await started(own);
  const long = `${await text(own)}\n${"; 456789\n".repeat(110_000)}`;
  await openBytes(own, "long.pica", long);
  await own.waitForFunction(() => /Not kept for a reload: \d+ characters/.test(document.body.innerText));
  await own.close();
});

test("Enter after a completed swizzle breaks the line, and after a part of a name completes it", async () => {
  await followed(page, () => openBytes(page, "enter.pica", ".fvec tint\n.out o position\n.proc main\n mov o, v0\n end\n.end\n"));
  await page.click("#source .cm-line >> nth=3");
  await page.keyboard.press("End");
  const typed = async (text, choice) => {
    await page.keyboard.type(text);
    await page.locator(".cm-tooltip-autocomplete [aria-selected]").getByText(choice, { exact: true }).waitFor();
    // The list takes no key at once.
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
  };
  await typed("\nmov r9, r2.x", "x");
  await typed("mov r8, ti", "tint");
  await page.keyboard.press("Enter");
  await page.keyboard.type("nop");
  assert.match(await text(), /\n mov r9, r2\.x\n mov r8, tint\n nop\n end/);
});

const SHADER = `struct Scene { view: mat4x4f }
@group(0) @binding(0) var<uniform> scene: Scene;
@vertex fn main(@location(0) place: vec4f) -> @builtin(position) vec4f {
    return scene.view * place;
}
`;

test("a shader becomes the source while it is typed, with its words and temporaries", async () => {
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/compiler.js")));
  await openSample(page, "lights");
  await page.click("#tab-shader");
  const pane = page.locator("#panel-shader");
  await pane.locator(".cm-content", { hasText: "fn main" }).waitFor();
  assert.equal(await loaded(), false);
  const compile = () => pane.getByRole("button", { name: "Compile" }).click();
  const becomes = (part) =>
    page.waitForFunction((part) => transpica.session.program === "shader.v.pica" && transpica.editor.text.includes(part), part, { timeout: 20_000 });
  const write = async (text) => {
    await pane.locator(".cm-content").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  await compile();
  await becomes(".fvec light");
  assert.ok(await loaded());
  const status = pane.locator(".bar .muted");
  assert.match(await text(), /^; Compiled from main: \d+ words, \d+ temporaries\.\n/);
  assert.match(await status.innerText(), /^\d+ words, \d+ temporaries$/);
  // What is typed is compiled, assembled and translated.
  await followed(page, () => write(SHADER));
  await becomes(".fvec view[4]");
  const good = await text();
  assert.doesNotMatch(good, /light/);
  assert.equal(await page.locator("#problems li").count(), 0);
  await write(SHADER.replace("* place", "* (place + place.wzyx)"));
  await becomes("add r0, place, place.wzyx");
  const words = (text) => Number(/: (\d+) words/.exec(text)[1]);
  assert.ok(words(await text()) > words(good), await text());
  // An error is at its place, and the last good program stays.
  const last = await text();
  await write(SHADER.replace("* place", "* palce"));
  await pane.locator(".problems li", { hasText: "palce" }).waitFor();
  assert.match(await pane.locator(".problems .place").innerText(), /^4:25$/);
  assert.equal(await text(), last);
  await write(SHADER);
  await pane.locator(".problems").waitFor({ state: "hidden" });
  await page.waitForFunction((good) => transpica.editor.text === good, good);
  // Another program stays until the shader is compiled again.
  await openSample(page, "lights");
  assert.match(await text(), /lightDir/);
  await compile();
  await becomes(".fvec view[4]");
  await pane.getByLabel("Language").selectOption("vert");
  await becomes(".fvec light");
  assert.match(await pane.locator(".cm-content").innerText(), /#version 450/);
  await pane.getByLabel("Language").selectOption("wgsl");
  await page.waitForFunction((good) => transpica.editor.text === good, good);
  await page.click("#tab-wgsl");
});

test("no script failed", () => assert.deepEqual(faults, []));

test("the editor helps with what stands there and with what can stand there", async () => {
  await openSample(page, "lights");
  const source = await text();
  const at = source.split("\n").findIndex((line) => /^\s*dp4 /.test(line));
  const hover = await call(page, "hover", source, at, source.split("\n")[at].indexOf("dp4") + 1);
  assert.match(hover.contents.value, /dp4/);
  // Only registers and names that the slot takes.
  await replace(page, source, `${source}\n.proc added\n\tmov r0, \n\tend\n.end\n`);
  const lines = (await text()).split("\n");
  const line = lines.findIndex((line) => line === "\tmov r0, ");
  const labels = (await call(page, "complete", await text(), line, lines[line].length)).map(({ label }) => label);
  assert.ok(labels.includes("projection") && labels.includes("r3") && !labels.includes("o0"), labels.join(" "));
  await page.evaluate((line) => {
    const { view } = transpica.editor;
    const { to } = view.state.doc.line(line + 1);
    view.dispatch({ selection: { anchor: to }, scrollIntoView: true });
    view.focus();
  }, line);
  await page.keyboard.press("Control+Space");
  await page.getByRole("option", { name: /^projection/ }).first().waitFor();
  await page.keyboard.press("Escape");
  const word = page.locator("#source .cm-line").filter({ hasText: /^\s*mov r0, / }).first();
  await word.hover({ position: { x: 40, y: 6 } });
  await page.locator(".help-page").first().waitFor();
});
