// What a first visitor meets: what this is, names that explain themselves, problems next to the
// work, links and pictures to give away, options by host and by word, one pane at a time on a
// narrow screen, a pixel that leads to its vertex.

import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.mjs";
import { call, followed, openBytes, openSample, PAGE, replace, SHADERS, shot } from "./use.mjs";

/** Bytes of scripts and styles of the first view, and of the engine, of which comparisons take 170,000. */
const [MOST_SCRIPTS, MOST_ENGINE] = [490_000, 2_180_000];

let server, browser, page, faults;

before(async () => {
  server = await serve(PAGE);
  browser = await launch({ gpu: false });
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  ({ page, faults } = await open(browser.context, server.address));
});

after(async () => {
  await browser?.close();
  await server?.close();
});

const text = (of = page) => of.evaluate(() => transpica.editor.text);
const closed = async (of = page) => {
  await of.keyboard.press("Escape");
  await of.waitForSelector("dialog", { state: "detached" });
};
/** A picture is shown, and none is wanted. */
const still = (of = page) =>
  of.waitForFunction(() => document.querySelector("#watch canvas").width > 16 && !transpica.watch.isWanted && !transpica.watch.isDrawing);
/** What a button saves. */
const saved = async (of, name) => {
  const [download] = await Promise.all([of.waitForEvent("download"), of.getByRole("button", { name, exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
};
const chunksOf = (png) => {
  const found = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) found.push(png.toString("latin1", at + 4, at + 8));
  return found;
};

test("the first view says what this is, with WGSL in front and the picture next to it", async () => {
  assert.match(await page.locator(".tagline").innerText(), /Translates Nintendo 3DS shaders.*WGSL/);
  assert.equal(await page.locator("#right [role=tab]").first().innerText(), "WGSL");
  const groups = await page.locator("#right .tabs > div").evaluateAll((all) => all.map(({ dataset, children }) => [dataset.group ?? "", children.length]));
  assert.deepEqual(groups, [["Languages", 5], ["", 3], ["Program", 7]]);
  assert.match(await page.locator("#panel-wgsl .cm-content").innerText(), /transpica|fn |struct/);
  assert.equal(await page.locator("#samples option:checked").innerText(), "lamps");
  await still();
  const box = (id) => page.locator(`#${id}`).boundingBox();
  const [left, right, watch] = await Promise.all(["left", "right", "watch"].map(box));
  assert.ok(left.x < right.x && right.x < watch.x && right.y === watch.y && right.height === watch.height);
  assert.doesNotMatch(await page.locator("body").innerText(), /\d ms\b/, "times are in their tab only");
  await page.click("#tab-sizes");
  await page.locator("#panel-sizes", { hasText: "last change to all visible panes" }).waitFor();
  await page.click("#tab-wgsl");
  await shot(page, "first-view");
});

test("the first texts are plain, and one click adds the console's rules", async () => {
  const { page: own } = await open(browser.context, server.address);
  const shown = () => call(own, "view", "wgsl").then(({ text }) => text);
  const plain = own.locator("#panel-wgsl .plain");
  await plain.waitFor();
  const fast = await shown();
  assert.doesNotMatch(fast, /has_nan/);
  assert.equal(await own.evaluate(() => transpica.session.isChanged), false);
  await followed(own, () => plain.getByRole("button", { name: "Show exact" }).click());
  await plain.waitFor({ state: "hidden" });
  assert.match(await shown(), /has_nan/);
  await own.close();
});

test("the procedure and the function that begin are marked together, and stop nothing", async () => {
  await openSample(page, "lamps");
  for (const [kind, begins] of [["wgsl", /fn main\(/], ["glsl", /void main\(/], ["hlsl", / main\(/], ["msl", /main_\(/], ["spirv", /OpFunction/]]) {
    await page.click(`#tab-${kind}`);
    const line = page.locator(`#panel-${kind} .cm-line.is-selected`);
    await page.evaluate(() => transpica.marks.select([], "test"));
    await line.first().waitFor({ state: "detached" });
    const source = await text();
    await page.evaluate((line) => transpica.editor.goTo(line), source.split("\n").findIndex((text) => text.startsWith(".proc main")) + 1);
    for (const key of ["ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    await line.first().waitFor();
    assert.equal(await line.count(), 1);
    assert.match(await line.innerText(), begins, kind);
  }
  await page.keyboard.press("Alt+B");
  assert.equal(await page.evaluate(() => transpica.marks.breaks.size), 0);
  await page.click("#tab-wgsl");
});

test("at first sight the time runs, until the reader works", async () => {
  const fresh = await launch({ gpu: false, reducedMotion: "no-preference" });
  const { page: own } = await open(fresh.context, server.address);
  const look = () => own.evaluate(() => transpica.watch.look);
  await own.waitForFunction(() => transpica.watch.look.time > 0.2);
  assert.equal(await own.getByRole("button", { name: "Pause" }).count(), 1);
  await own.locator("#watch .stage").hover();
  await own.mouse.down();
  await own.mouse.up();
  const { time } = await look();
  await own.waitForFunction((time) => transpica.watch.look.time > time, time);
  await own.click("#source .cm-content");
  const { time: stopped } = await look();
  await own.waitForTimeout(150);
  assert.equal((await look()).time, stopped);
  // Who follows a link sees what the sender saw.
  const { page: other } = await open(fresh.context, `${server.address}#s=toon`);
  await other.waitForTimeout(300);
  assert.equal(await other.evaluate(() => transpica.watch.look.time), 0);
  await fresh.close();
});

test("About has the version, the manual, and the licenses of everything inside", async () => {
  await page.click("#about");
  const dialog = page.locator("#about-page");
  assert.match(await dialog.locator("h2").innerText(), /^transpica \d+\.\d+\.\d+$/);
  for (const link of await dialog.locator("a[href^=about]").all()) {
    const response = await page.request.get(new URL(await link.getAttribute("href"), server.address).href);
    assert.ok(response.ok() && (await response.text()).length > 500, await link.innerText());
  }
  // The source has a link where Cargo.toml knows its address.
  const manifest = await readFile(path.join(SHADERS, "../Cargo.toml"), "utf8");
  const repository = /^repository = "(.*)"/m.exec(manifest)?.[1];
  assert.equal(await dialog.getByRole("link", { name: "Source", exact: true }).count(), repository ? 1 : 0);
  const licenses = await (await page.request.get(`${server.address}about/licenses.txt`)).text();
  for (const name of ["serde_json", "petgraph", "@codemirror/view", "@fontsource/ibm-plex-mono"])
    assert.ok(licenses.includes(`\n${name} `), name);
  assert.match(licenses, /SIL OPEN FONT LICENSE/i);
  await closed();
});

test("every button and field says what it does without a tooltip", async () => {
  await page.click("#tab-wgsl");
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input:not([type=file])")]
      .filter((control) => control.checkVisibility())
      .map((control) => control.innerText || control.labels?.[0]?.innerText || control.getAttribute("aria-label") || ""),
  );
  assert.ok(names.length > 25);
  assert.deepEqual(
    names.filter((name) => !/\p{L}{1,}/u.test(name)),
    [],
  );
});

test("what was changed is among the recent programs, and another one keeps it", async () => {
  await openSample(page, "lights");
  await followed(page, () => replace(page, ".proc", "; kept among the recent ones\n.proc"));
  const mine = await text();
  await page.waitForFunction(() => /kept among the recent ones/.test(localStorage.getItem("recent") ?? ""));
  await openSample(page, "toon");
  assert.match(await page.locator("#status").innerText(), /Recent brings them back/);
  // A tab that is new has no history.
  const { page: other } = await open(browser.context, server.address);
  await other.click("#recent");
  await other.locator("#recents li", { hasText: "lights.v.pica" }).getByRole("button").first().click();
  await other.waitForFunction((mine) => transpica.editor.text === mine, mine);
  await other.click("#recent");
  await other.getByRole("button", { name: "Forget all" }).click();
  assert.equal(await other.evaluate(() => localStorage.getItem("recent")), null);
  await other.close();
});

test("the list of recent programs stays below its limit, the oldest ones go", async () => {
  const kept = await page.evaluate(async () => {
    for (let number = 0; number < 6; number++) {
      const text = `.out o position\n.proc main\n mov o, v0\n end\n.end\n${"; 4567\n".repeat(60_000)}`;
      await transpica.session.open(`long${number}.pica`, new TextEncoder().encode(text));
      await transpica.session.edit(`; mine ${number}\n${text}`);
      const began = Date.now();
      while (!localStorage.getItem("recent")?.includes(`mine ${number}`) && Date.now() - began < 5000)
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const text = localStorage.getItem("recent");
    return { length: text.length, names: JSON.parse(text).map(({ linked }) => linked.name) };
  });
  assert.ok(kept.length <= 2 << 20, `${kept.length} characters`);
  assert.deepEqual(kept.names, ["long5.pica", "long4.pica", "long3.pica", "long2.pica"]);
  await page.evaluate(() => localStorage.removeItem("recent"));
});

test("a question comes before an edited program is replaced that the browser does not keep", async () => {
  const { page: own } = await open(browser.context, server.address);
  await own.evaluate(() => {
    history.replaceState = () => {
      throw new DOMException("refused by a test", "QuotaExceededError");
    };
  });
  await followed(own, () => replace(own, ".proc", "; mine\n.proc"));
  const mine = await text(own);
  await own.locator("#banner", { hasText: "Not kept for a reload" }).waitFor();
  await own.selectOption("#samples", { label: "toon" });
  await own.locator("#question", { hasText: "Leave lamps.v.pica?" }).waitFor();
  await closed(own);
  assert.deepEqual([await text(own), await own.locator("#samples option:checked").innerText()], [mine, "lamps"]);
  await own.selectOption("#samples", { label: "toon" });
  await followed(own, () => own.click("#question >> role=button[name='Leave it']"));
  assert.notEqual(await text(own), mine);
  await own.close();
});

test("problems never cover the line that is typed, and what is stale says so", async () => {
  await openSample(page, "uber");
  await page.click("#source .cm-content");
  await page.keyboard.press("Control+End");
  const edge = () =>
    page.evaluate(() => {
      const { view } = transpica.editor;
      const { bottom } = view.coordsAtPos(view.state.selection.main.head);
      const below = document.querySelector("#problems");
      const end = view.scrollDOM.getBoundingClientRect().bottom;
      return { room: (below.hidden ? end : Math.min(end, below.getBoundingClientRect().top)) - bottom };
    });
  const tops = () => page.locator("#main, .tabs, .bar").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  const before = await tops();
  // The last line that is visible before the list appears.
  for (const typed of ["b", "o", "gus r0", "\n", "bogus r1", "\n", "bogus r2"]) {
    await page.keyboard.type(typed);
    await page.waitForTimeout(60);
  }
  await page.waitForSelector("#problems .error");
  await page.waitForFunction(() => document.querySelectorAll("#problems .error").length >= 1);
  assert.ok((await edge()).room >= 0, JSON.stringify(await edge()));
  for (const part of ["right", "watch", "lower"])
    assert.equal(await page.locator(`#${part} .stale`).innerText(), "Shows the last text without errors.", part);
  assert.deepEqual(await tops(), before, "nothing has moved");
  const opacity = () => page.locator("#watch canvas").evaluate((canvas) => getComputedStyle(canvas).opacity);
  assert.ok(Number(await opacity()) < 1);
  await shot(page, "stale");
  await openSample(page, "toon");
  assert.ok(!(await page.locator("#right .stale").isVisible()));
  assert.equal(Number(await opacity()), 1);
});

test("messages name the file", async () => {
  const { y: top } = await page.locator("#main").boundingBox();
  await openBytes(page, "broken.shbin", Buffer.from("DVLB\0\0\0\xff and nothing else", "latin1"));
  await page.locator("#banner", { hasText: "broken.shbin: " }).waitFor();
  assert.equal((await page.locator("#main").boundingBox()).y, top, "the message moves nothing");
  await openBytes(page, "odd.json", Buffer.from("{]"));
  await page.locator("#banner", { hasText: "odd.json: " }).waitFor();
  await openBytes(page, "odd.obj", Buffer.from("f 1 2 3"));
  await page.locator("#banner", { hasText: "odd.obj: " }).waitFor();
  assert.equal(await page.evaluate(() => transpica.session.mesh), "", "what is no mesh is not kept");
  await page.click("#banner button");
});

test("what does not look like a program asks first", async () => {
  await openSample(page, "toon");
  const toon = await text();
  for (const [name, content] of [
    ["notes.txt", "Dear diary,\ntoday nothing was assembled."],
    ["noise.bin", Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 37) & 255))],
  ]) {
    await openBytes(page, name, content);
    await page.locator("#question", { hasText: `${name} does not look like a program` }).waitFor();
    await closed();
    assert.equal(await text(), toon, name);
  }
  for (const [name, content] of [
    ["program.txt", ".out o position\n.proc main\n mov o, v0\n end\n.end\n"],
    ["words.txt", "4c000000 88000000\ndescriptors\n0000036f"],
  ])
    await followed(page, () => openBytes(page, name, content));
  await openBytes(page, "notes.txt", "Dear diary,");
  await followed(page, () => page.click("#question >> role=button[name='Open it anyway']"));
  assert.equal(await text(), "Dear diary,");
});

test("the sources of a program open together, from a choice of files or a folder", async () => {
  const names = ["cards.v.pica", "cards.g.pica", "cards.state.json", "shadow.v.pica", "shadow.g.pica"];
  const files = await Promise.all(
    names.map(async (name) => ({ name, mimeType: "text/plain", buffer: await readFile(path.join(SHADERS, name)) })),
  );
  const isBinary = async (name) => {
    await page.locator("#name", { hasText: `${name}.pica` }).waitFor();
    const bytes = await page.evaluate(async () => [...(await transpica.session.client.call("shbin"))]);
    assert.ok(Buffer.from(bytes).equals(await readFile(path.join(SHADERS, `${name}.shbin`))), name);
  };
  await openSample(page, "toon");
  await page.setInputFiles("#file", files.slice(0, 2));
  await isBinary("cards");
  assert.match(await text(), /^; file: cards\.v\.pica\n[^]*\n; file: cards\.g\.pica\n/);
  await page.selectOption("#programs", { index: 1 });
  await page.locator("#source .cm-line.is-selected", { hasText: ".proc gmain" }).waitFor();
  // Several programs: one is chosen. This browser cannot drop a folder: its answer is replaced.
  await page.evaluate((files) => {
    const found = files.map(({ name, text }) => ({ isFile: true, name, file: (done) => done(new File([text], name)) }));
    found.push({ isFile: true, name: "README.md", file: () => {} }, { isFile: false, isDirectory: true, name: "inside" });
    const createReader = () => ({ readEntries: (done) => done(found.splice(0, 3)) });
    const data = new DataTransfer();
    data.items.add(new File([], "folder"));
    const { prototype } = DataTransferItem;
    const { webkitGetAsEntry } = prototype;
    prototype.webkitGetAsEntry = () => ({ isFile: false, isDirectory: true, createReader });
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    prototype.webkitGetAsEntry = webkitGetAsEntry;
  }, files.map(({ name, buffer }) => ({ name, text: buffer.toString() })));
  const choice = page.locator("#choice");
  await choice.waitFor();
  assert.deepEqual(await choice.locator("li button").allInnerTexts(), ["cards", "shadow"]);
  await choice.getByRole("button", { name: "shadow" }).click();
  await isBinary("shadow");
  // Samples of several sources are such texts.
  for (const name of ["cards", "library"]) {
    await openSample(page, name);
    await isBinary(name);
    assert.match(await text(), /^; file: /);
  }
});

test("a link opens what the sender saw: tabs, step, trace, selection, camera, edges", async () => {
  await openSample(page, "lights");
  await page.click("#tab-ir");
  await page.getByLabel("Vertex", { exact: true }).fill("2");
  await page.getByLabel("Vertex", { exact: true }).press("Enter");
  await page.waitForFunction(() => transpica.step.seen.vertex === 2);
  for (let step = 0; step < 5; step++) await page.keyboard.press("F8");
  await page.waitForFunction(() => transpica.step.shown.number === 5);
  await page.selectOption("#panel-step select[aria-label='Output to trace']", { index: 2 });
  await page.click("#panel-step .letter >> nth=3");
  await page.check("#watch label:has-text('Edges only') input");
  await page.locator("#watch .stage").focus();
  await page.keyboard.press("ArrowRight");
  await page.evaluate(() => transpica.marks.select([7, 8], "test"));
  await page.click("#tab-uniforms");
  const seen = (of) =>
    of.evaluate(() => ({
      tab: transpica.tabs.active,
      lower: transpica.lower.active,
      stepped: transpica.step.seen,
      marked: [...transpica.marks.selected],
      ancestors: [...transpica.marks.ancestors],
      look: transpica.watch.look,
    }));
  await page.click("#tab-step");
  await still();
  await page.evaluate(() => transpica.lower.show("step"));
  const registers = await page.evaluate(() => JSON.stringify(transpica.step.shown));
  await page.click("#tab-uniforms");
  const mine = await seen(page);
  assert.deepEqual([mine.stepped.step, mine.stepped.letters, mine.marked], [5, "xyz", [7, 8]]);
  assert.ok(mine.ancestors.length > 0 && mine.look.wires);
  await page.click("#share");
  await page.locator("#sharing").waitFor();
  const { page: other } = await open(browser.context, page.url());
  await other.waitForFunction(() => transpica.step.shown?.number === 5 && transpica.marks.ancestors.size > 0 && transpica.watch.look.by);
  assert.deepEqual(await seen(other), mine);
  // Steps follow the picture once they are in front.
  await other.click("#tab-step");
  await other.waitForFunction((shown) => JSON.stringify(transpica.step.shown) === shown, registers);
  await other.close();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  await closed();
  await page.uncheck("#watch label:has-text('Edges only') input");
});

test("the link of an unchanged sample is its name, with what differs from its first view", async () => {
  const { page: own } = await open(browser.context, server.address);
  const link = async () => {
    await own.click("#share");
    const address = await own.getByLabel("Link", { exact: true }).inputValue();
    await closed(own);
    return new URL(address).hash;
  };
  for (const name of ["water", "cards", "lights"]) {
    await openSample(own, name);
    assert.equal(await link(), `#s=${name}`);
  }
  // The values of another seed, a set uniform and another mesh.
  await followed(own, () => own.evaluate(() => transpica.session.input("seed", 7, 4)));
  await followed(own, () => own.evaluate(() => transpica.session.input("setUniform", "c", 0, "[[0.5,0,0,0]]")));
  await own.selectOption("#watch label:has-text('Mesh') select", "cube");
  await own.waitForFunction(() => transpica.session.mesh === "cube");
  const hash = await link();
  assert.match(hash, /^#s=lights&p=/);
  assert.ok(hash.length < 300, hash);
  const { page: other } = await open(browser.context, `${server.address}${hash}`);
  assert.deepEqual(await call(other, "run"), await call(own, "run"));
  assert.equal(await other.evaluate(() => transpica.session.mesh), "cube");
  assert.equal(await other.locator("#samples option:checked").innerText(), "lights");
  await other.close();
  // A text of one's own is in the link.
  await followed(own, () => replace(own, ".proc", "; mine\n.proc"));
  assert.match(await link(), /^#p=/);
  await own.close();
  const { page: wrong } = await open(browser.context, `${server.address}#s=nothing`);
  assert.match(await wrong.locator("#banner").innerText(), /there is no sample nothing/);
  await wrong.close();
});

test("the picture of each sample fills its pane, and a link does not hold how", async () => {
  const shares = {};
  for (const name of ["lamps", "toon", "cards", "ribbon"]) {
    await openSample(page, name);
    await page.waitForFunction(() => transpica.watch.fitted.startsWith(transpica.session.program));
    await still();
    shares[name] = await page.evaluate(() => {
      const canvas = document.querySelector("#watch canvas");
      const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let share = 0;
      for (let at = 0; at < width * height; at++)
        if (data[4 * at + 3] > 0)
          share = Math.max(share, Math.abs((2 * (at % width) + 1) / width - 1), Math.abs((2 * Math.floor(at / width) + 1) / height - 1));
      return share;
    });
    assert.equal(await page.evaluate(() => transpica.watch.look.distance), 2.8);
  }
  assert.ok(Object.values(shares).every((share) => share > 0.8), JSON.stringify(shares));
  await shot(page, "fitted");
});

test("a sample comes with values and a mesh that show what it is for", async () => {
  await openSample(page, "water");
  await still();
  const mesh = await page.evaluate(() => transpica.session.mesh);
  const given = await call(page, "state");
  assert.equal(mesh, "hills");
  assert.deepEqual(given.uniforms.worldMatrix[1], [0, 0, 0, 0]);
  assert.deepEqual(given.attributes, { v1: [1.5, 3, 0.6, 0] });
  assert.equal(given.vertices.length, 4, "vertices to step remain");
  assert.equal(await page.evaluate(() => transpica.session.isChanged), false);
  await shot(page, "sample");
  await openSample(page, "lights");
  assert.equal(await page.evaluate(() => transpica.session.mesh), "lathe", "the mesh went with its sample");
});

test("a picture and an animation of the mesh are files", async () => {
  await openSample(page, "lamps");
  await still();
  await page.click("#share");
  const picture = await saved(page, "Save picture");
  assert.equal(picture.name, "lamps.png");
  assert.equal(chunksOf(picture.bytes)[0], "IHDR");
  const animation = await saved(page, "Save animation");
  assert.equal(animation.name, "lamps-turn.png");
  const chunks = chunksOf(animation.bytes);
  assert.equal(chunks.filter((type) => type === "fcTL").length, 36);
  assert.ok(chunks.includes("acTL") && chunks.includes("fdAT") && chunks.at(-1) === "IEND");
  // The browser decodes all of its frames.
  const frames = await page.evaluate(
    async (bytes) => {
      const decoder = new ImageDecoder({ data: Uint8Array.from(bytes), type: "image/png" });
      await decoder.tracks.ready;
      const { frameCount } = decoder.tracks.selectedTrack;
      const sums = [];
      for (const frameIndex of [0, frameCount / 4, frameCount - 1]) {
        const { image } = await decoder.decode({ frameIndex });
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        sums.push(context.getImageData(0, 0, canvas.width, canvas.height).data.reduce((sum, byte) => sum + byte, 0));
      }
      return { frameCount, sums };
    },
    [...animation.bytes],
  );
  assert.equal(frames.frameCount, 36);
  assert.equal(new Set(frames.sums).size, 3, frames.sums.join());
  await closed();
});

test("a frame of another page shows source, translation and picture, and links to all of it", async () => {
  await openSample(page, "toon");
  await followed(page, () => replace(page, ".proc", "; framed\n.proc"));
  await page.click("#share");
  const html = await page.getByLabel("HTML for a blog").inputValue();
  await closed();
  const address = /src="([^"]+)"/.exec(html)[1];
  assert.match(address, /#embed&p=/);
  const { page: frame } = await open(browser.context, address);
  assert.match(await text(frame), /; framed/);
  const visible = (selector) => frame.locator(selector).isVisible();
  for (const part of ["#source", "#right", "#watch .stage", "#whole"]) assert.ok(await visible(part), part);
  for (const part of ["#lower", "#samples", "#share", "#footer"]) assert.ok(!(await visible(part)), part);
  assert.equal(await frame.evaluate(() => history.state), null, "a frame leaves the history alone");
  const [whole] = await Promise.all([browser.context.waitForEvent("page"), frame.click("#whole")]);
  await whole.waitForFunction(() => "started" in document.documentElement.dataset);
  assert.match(await text(whole), /; framed/);
  assert.ok(await whole.locator("#lower").isVisible());
  await shot(frame, "embed");
  await whole.close();
  await frame.close();
  const { page: bare } = await open(browser.context, `${server.address}#embed`);
  assert.match(await text(bare), /lamp/);
  await bare.close();
});

test("compared programs have pictures, and their difference", async () => {
  await openSample(page, "lights");
  await page.click("#tab-compare");
  await page.selectOption("#panel-compare select", { label: "toon" });
  await page.waitForFunction(() => document.querySelectorAll("#panel-compare figure canvas").length === 3);
  const captions = await page.locator("#panel-compare figcaption").allInnerTexts();
  assert.deepEqual(captions.slice(0, 2), ["lights.v.pica", "toon.v.pica"]);
  assert.ok(Number(/Difference: ([\d,]+) pixels/.exec(captions[2])[1].replace(",", "")) > 500, captions[2]);
  await followed(page, () => page.selectOption("#panel-compare select", { label: "lights" }).then(() => replace(page, ".proc", "; same\n.proc")));
  await page.locator("#panel-compare figcaption", { hasText: "Difference: 0 pixels" }).waitFor();
  await page.locator("#panel-compare .verdict", { hasText: "equal for all inputs, proven by structure" }).waitFor();
  await followed(page, () => replace(page, "max r4.x", "min r4.x"));
  const verdict = page.locator("#panel-compare .verdict");
  await verdict.locator("text=different: color").waitFor();
  assert.match(await verdict.innerText(), /this program: 0x[0-9A-F]+: \w+/);
  await verdict.locator("button", { hasText: "Use the inputs that differ" }).click();
  await page.locator("#panel-compare", { hasText: /values differ/ }).waitFor();
  await shot(page, "compare-pictures");
  await page.click("#tab-wgsl");
});

test("options: hosts, words of the command line, a search, what differs first, limits last", async () => {
  await openSample(page, "lights");
  await page.click("#tab-options");
  await page.waitForSelector("#panel-options .option");
  const legends = () => page.locator("#panel-options legend").allInnerTexts();
  assert.equal((await legends()).at(-1), "Limits");
  const host = page.locator("#panel-options .bar select");
  const names = (await host.locator("option").allInnerTexts()).slice(1);
  assert.ok(names.includes("azahar-vulkan") && names.length >= 6, names.join());
  for (const name of names) {
    await followed(page, () => host.selectOption(name));
    assert.equal(await host.inputValue(), name);
    assert.equal((await legends())[0], "Differs from the default", name);
    assert.ok(Object.keys(await page.evaluate(() => transpica.session.options)).length > 0);
  }
  await followed(page, () => host.selectOption(""));
  assert.deepEqual(await page.evaluate(() => transpica.session.options), { "arithmetic.precision": "fast" });
  // A flag of the command line, a word of a choice, words of the help.
  for (const [typed, expected] of [
    ["--flip-y", "flip-y"],
    ["f24", "precision"],
    ["functions behind RSQ", "functions"],
  ]) {
    await page.getByLabel("Search options").fill(typed);
    const labels = await page.locator("#panel-options .option:not([hidden]) .label").allInnerTexts();
    assert.ok(labels.includes(expected) && labels.length < 6, `${typed}: ${labels}`);
  }
  await page.getByLabel("Search options").fill("");
  await followed(page, () => page.selectOption("#option-arithmetic-precision", "f24"));
  assert.equal(await page.locator("#panel-options .option .label").first().innerText(), "precision");
  assert.equal(await host.inputValue(), "changed");
  await followed(page, () => page.click("#panel-options >> role=button[name='Reset all']"));
});

test("each bool has one choice, with its name", async () => {
  await openSample(page, "lamps");
  await page.click("#tab-options");
  const group = page.getByRole("group", { name: "bools" });
  await group.waitFor();
  assert.equal(await group.locator("select").count(), 16);
  const lit = group.locator("label", { hasText: "lit" }).locator("select");
  const bit = Number((await lit.getAttribute("id")).replace(/\D+/, ""));
  for (const [way, ...fields] of [["true", "baked", "values"], ["specialized", "specialized"], ["false", "baked"], ["uniform"]]) {
    await followed(page, () => lit.selectOption({ label: way }));
    const bools = fields.map((field) => [`control.bools.${field}`, 1 << bit]);
    const expected = { "arithmetic.precision": "fast", ...Object.fromEntries(bools) };
    assert.deepEqual(await page.evaluate(() => transpica.session.options), expected, way);
    assert.equal(await lit.locator("option:checked").innerText(), way);
    const legend = page.locator("fieldset", { has: group }).locator("legend");
    assert.equal((await legend.innerText()) === "Differs from the default", way !== "uniform");
  }
  await page.getByLabel("Search options").fill("specialized");
  assert.ok(await group.isVisible());
  await page.getByLabel("Search options").fill("");
  await followed(page, () => page.click("#panel-options >> role=button[name='Reset all']"));
});

test("the version of GLSL and the precision are chosen on the pane, which copies and saves", async () => {
  await openSample(page, "lights");
  await page.click("#tab-glsl");
  const version = page.locator("#panel-glsl").getByLabel("Version");
  await version.waitFor();
  await followed(page, () => version.selectOption("300es"));
  await page.waitForFunction(() => /#version 300 es/.test(document.querySelector("#panel-glsl .cm-content").innerText));
  await page.locator("#panel-glsl").getByRole("button", { name: "Copy" }).click();
  await page.locator("#status", { hasText: "GLSL copied." }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#version 300 es/);
  await page.click("#tab-wgsl");
  const fast = (await call(page, "view", "wgsl")).text;
  await followed(page, () => page.locator("#panel-wgsl").getByLabel("Precision").selectOption("exact"));
  const exact = (await call(page, "view", "wgsl")).text;
  assert.ok(fast.length < exact.length);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("#panel-wgsl").getByRole("button", { name: "Save" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "lights.wgsl");
  assert.equal(await readFile(await download.path(), "utf8"), exact);
  await followed(page, () => page.locator("#panel-wgsl").getByLabel("Precision").selectOption("fast"));
});

test("HLSL, MSL and SPIR-V are written by an engine that is loaded when one of them is wanted", async () => {
  const { page: own } = await open(browser.context, server.address);
  const loaded = () => own.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/native.js")));
  assert.equal(await loaded(), false);
  await openSample(own, "lights");
  for (const [kind, mark] of [["hlsl", /cbuffer/], ["msl", /metal_stdlib/], ["spirv", /OpCapability/]]) {
    await own.click(`#tab-${kind}`);
    const content = own.locator(`#panel-${kind} .cm-content`, { hasText: mark });
    await content.waitFor({ timeout: 20_000 });
  }
  await own.click("#tab-msl");
  const before = await own.locator("#panel-msl .cm-content").innerText();
  await followed(own, () => own.locator("#panel-msl").getByLabel("Precision").selectOption("exact"));
  await own.waitForFunction((before) => document.querySelector("#panel-msl .cm-content").innerText !== before, before);
  assert.ok(await loaded());
  await own.close();
});

test("a large graph fits both ways, is dragged, zooms and has a map", async () => {
  await openSample(page, "uber");
  await page.click("#tab-graph");
  const canvas = page.locator(".graph-canvas");
  await page.waitForSelector(".graph-canvas svg");
  const size = () => canvas.evaluate(({ scrollWidth, scrollHeight, clientWidth, clientHeight, scrollTop, scrollLeft }) => ({ scrollWidth, scrollHeight, clientWidth, clientHeight, scrollTop, scrollLeft }));
  await page.click("#panel-graph >> role=button[name='Fit all']");
  const fitted = await size();
  assert.ok(fitted.scrollHeight <= fitted.clientHeight && fitted.scrollWidth <= fitted.clientWidth, JSON.stringify(fitted));
  assert.ok(!(await page.locator(".map").isVisible()));
  await page.click("#panel-graph >> role=button[name='100 %']");
  await page.locator(".map").waitFor();
  const { x, y, width, height } = await canvas.boundingBox();
  const selected = await page.evaluate(() => [...transpica.marks.selected]);
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 30, y + height / 2 - 60, { steps: 4 });
  await page.mouse.up();
  assert.ok((await size()).scrollTop >= 50);
  assert.deepEqual(await page.evaluate(() => [...transpica.marks.selected]), selected, "a drag selects nothing");
  const before = (await size()).scrollHeight;
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 300);
  await page.keyboard.up("Control");
  await page.waitForFunction((before) => document.querySelector(".graph-canvas").scrollHeight < before, before);
  await page.click("#panel-graph >> role=button[name='100 %']");
  await page.locator(".map").click({ position: { x: 1, y: 1 } });
  assert.equal((await size()).scrollTop, 0);
  await shot(page, "graph-map");
});

test("narrow screens show one pane at a time, registers fit, two fingers zoom", async () => {
  const { page: own } = await open(browser.context, server.address);
  await own.setViewportSize({ width: 390, height: 844 });
  const names = await own.locator("#bar button").allInnerTexts();
  assert.deepEqual(names, ["Source", "Picture", "Translation", "Run"]);
  for (const [name, id] of [["Picture", "watch"], ["Translation", "right"], ["Run", "lower"], ["Source", "left"]]) {
    await own.click(`#bar >> text=${name}`);
    const shown = await own.locator("#main > section").evaluateAll((all) => all.filter((one) => one.checkVisibility()).map(({ id }) => id));
    assert.deepEqual(shown, [id]);
    const [inner, outer] = await own.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inner <= outer, `${name}: ${inner} of ${outer}`);
  }
  await own.click("#bar >> text=Run");
  const [wide, room] = await own.locator(".banks").evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  assert.ok(wide <= room, `registers take ${wide} of ${room}`);
  await own.click("#bar >> text=Picture");
  await still(own);
  const before = await own.evaluate(() => transpica.watch.look.distance);
  await own.evaluate(() => {
    const stage = document.querySelector("#watch .stage");
    stage.setPointerCapture = () => {};
    const send = (type, pointerId, clientX) => stage.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 300, bubbles: true }));
    send("pointerdown", 1, 150);
    send("pointerdown", 2, 250);
    send("pointermove", 2, 350);
    send("pointerup", 1, 150);
    send("pointerup", 2, 350);
  });
  assert.ok(Math.abs((await own.evaluate(() => transpica.watch.look.distance)) - before / 2) < 1e-6);
  await own.close();
});

test("numbers out of range are refused", async () => {
  await openSample(page, "lights");
  await page.click("#tab-step");
  await page.selectOption("#panel-step select[aria-label='Inputs']", "state");
  await page.waitForFunction(() => document.querySelector("#panel-step input[type=number]").max === "3");
  const vertex = page.getByLabel("Vertex", { exact: true });
  await vertex.fill("0");
  await vertex.press("Enter");
  for (const typed of ["4", "-1", "1.5"]) {
    await vertex.fill(typed);
    await vertex.press("Enter");
    await page.waitForFunction((field) => field.hasAttribute("aria-invalid"), await vertex.elementHandle());
    assert.equal(await vertex.inputValue(), "0", typed);
    assert.match(await vertex.getAttribute("title"), /whole numbers from 0 to 3/);
    await vertex.fill("0");
  }
  await vertex.press("Enter");
});

test("a step shows what it reads and writes, with the uniforms, and a register shows all its values", async () => {
  await openSample(page, "lights");
  await page.click("#tab-step");
  const state = () => page.evaluate(() => transpica.step.shown);
  await page.click("#panel-step >> role=button[name='Start']");
  await page.waitForFunction(() => transpica.step.shown?.number === 0);
  let seen = await state();
  const named = (place) => place.startsWith("c") && place.split(".")[0] in seen.names;
  for (let step = 1; !seen.reads.some(named); step++) {
    await page.keyboard.press("F8");
    await page.waitForFunction((step) => transpica.step.shown.number === step, step);
    seen = await state();
  }
  const uniform = seen.reads.find(named).split(".")[0];
  assert.match(await page.locator(".flag.reads").first().innerText(), new RegExp(`${uniform}.*${seen.names[uniform].replace(/\W/g, "\\$&")}`, "s"));
  assert.equal(seen.uniforms[uniform].length, 4);
  assert.ok((await page.locator(".banks td.reads").count()) + (await page.locator(".banks td.writes").count()) > 0);
  // Every register that the steps say they changed has these steps in its values.
  const register = seen.writes[0].split(".")[0];
  const expected = [];
  const { steps } = await call(page, "record", 0, true);
  for (let step = 1; step <= steps; step++) {
    const { changed } = await call(page, "step", step);
    if (changed.some((place) => place.startsWith(`${register}.`))) expected.push(step);
  }
  await page.click(`.register[data-register=${register}]`);
  const rows = page.locator(".timeline tbody tr");
  await rows.first().waitFor();
  assert.deepEqual(await rows.evaluateAll((rows) => rows.map((row) => Number(row.dataset.step))), expected);
  await rows.last().getByRole("button").click();
  await page.waitForFunction((step) => transpica.step.shown.number === step, expected.at(-1));
  await page.locator("#source .is-ancestor").first().waitFor();
  await shot(page, "timeline");
  await page.click(`.register[data-register=${register}]`);
  await page.locator(".timeline").waitFor({ state: "hidden" });
});

test("a run stops where NaN or an infinity is written", async () => {
  const source = ".out o position\n.constf k(0.0, 1.0, 2.0, 3.0)\n.proc main\n mov r0, k\n add r1, r0, r0\n rcp r2.x, r0.x\n mov o, r0\n end\n.end\n";
  await followed(page, () => openBytes(page, "odd.pica", source));
  assert.equal(await page.locator("#panel-step .segments button").count(), 6);
  const run = async () => {
    await page.click("#panel-step .menu summary");
    await page.click("#panel-step >> role=button[name='Run to NaN or infinity']");
    assert.ok(!(await page.getByRole("button", { name: "Run to NaN or infinity" }).isVisible()), "the menu closes");
  };
  await run();
  await page.waitForFunction(() => transpica.step.shown.number === 3);
  assert.equal((await page.evaluate(() => transpica.step.shown)).r[2][0], "inf");
  await run();
  await page.locator("#status", { hasText: "No later step writes NaN" }).waitFor();
});

test("a click into the picture steps the vertices of that triangle, as the picture has them", async () => {
  await openSample(page, "lights");
  await still();
  const { width, height } = await page.locator("#watch .stage").boundingBox();
  await page.locator("#watch .stage").click({ position: { x: width / 2, y: height / 2 } });
  const buttons = page.locator("#panel-step .corners button");
  await buttons.nth(2).waitFor();
  const vertices = await buttons.allInnerTexts();
  // The clicked place is inside the triangle that the three vertices make.
  const places = [];
  for (const [at, vertex] of vertices.entries()) {
    await buttons.nth(at).click();
    await page.waitForFunction((vertex) => String(transpica.step.seen.vertex) === vertex && transpica.step.seen.ofMesh, vertex);
    const [x, y, , w] = (await call(page, "record", Number(vertex), true)).outputs.o0.map((bits) => {
      const view = new DataView(new ArrayBuffer(4));
      view.setUint32(0, Number(bits));
      return view.getFloat32(0);
    });
    places.push([((1 + x / w) / 2) * width, ((1 - y / w) / 2) * height]);
  }
  const cross = ([ax, ay], [bx, by]) => (bx - ax) * (height / 2 - ay) - (by - ay) * (width / 2 - ax);
  const sides = places.map((place, at) => Math.sign(Math.round(cross(place, places[(at + 1) % 3]))));
  assert.ok(sides.every((side) => side >= 0) || sides.every((side) => side <= 0), JSON.stringify({ places, width, height }));
  // Beside the mesh there is nothing to step, and another program has its own vertices.
  await page.locator("#watch .stage").click({ position: { x: 3, y: 3 } });
  assert.deepEqual(await buttons.allInnerTexts(), vertices);
  await openSample(page, "toon");
  assert.deepEqual([await page.evaluate(() => transpica.step.seen.vertex), await buttons.count()], [0, 0]);
});

test("what is loaded first has not grown", async () => {
  const fresh = await launch({ gpu: false });
  const { page: own } = await open(fresh.context, server.address);
  const first = await own.evaluate(() => {
    const [{ startTime: end }] = performance.getEntriesByName("started");
    return performance
      .getEntriesByType("resource")
      .filter(({ name, startTime }) => startTime < end && /\.(js|css)$/.test(name))
      .map(({ name, decodedBodySize }) => [new URL(name).pathname, decodedBodySize]);
  });
  await fresh.close();
  const scripts = first.reduce((sum, [, bytes]) => sum + bytes, 0);
  const engine = (await readdir(PAGE)).find((name) => /^engine-.*\.wasm$/.test(name));
  const { size } = await stat(path.join(PAGE, engine));
  console.log(`loaded first: the engine has ${size} bytes, scripts and styles ${scripts}`);
  assert.ok(scripts > 300_000 && scripts <= MOST_SCRIPTS, first.join(" "));
  assert.ok(size <= MOST_ENGINE, `${size} bytes`);
  assert.ok(!first.some(([name]) => /dialogs|options|compare|shader|compiler|graph|recent|png|uniforms|native/.test(name)), first.join(" "));
});

test("no script failed", () => assert.deepEqual(faults, []));
