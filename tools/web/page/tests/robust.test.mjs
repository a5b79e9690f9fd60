// The page where something is missing or wrong: damaged files, programs without an end, long texts,
// a lost engine, no WebGPU, no network.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { call, followed, openBytes, openSample, problems, replace, SHADERS, shot, visit } from "./use.mjs";

let server, browser, page, faults;

before(async () => ({ server, browser, page, faults } = await visit()));

after(async () => {
  await browser?.close();
  await server?.close();
});

/** The page still translates. */
async function isAlive() {
  await openSample(page, "textured");
  assert.match((await call(page, "view", "wgsl")).text, /@vertex/);
  assert.equal(await page.locator("#problems .error").count(), 0);
}

const banner = () => page.locator("#banner").innerText();

test("without WebGPU the CPU draws, and the page says so", async () => {
  assert.equal(await page.evaluate(() => navigator.gpu?.requestAdapter() ?? null), null);
  assert.match(await page.locator("#watch .note").innerText(), /WebGPU.*the CPU draws/);
  const color = (of) => page.locator(of).first().evaluate((element) => getComputedStyle(element).color);
  assert.equal(await color("#watch .note"), await color(".muted"), "this is no error");
  assert.ok(await page.locator("#watch [data-mode=gpu]").isDisabled());
  const colors = await page.waitForFunction(() => {
    const canvas = document.querySelector("#watch canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set(new Uint32Array(data.buffer));
    return colors.size > 20 && colors.size;
  });
  assert.ok((await colors.jsonValue()) > 20);
  await shot(page, "no-webgpu");
});

test("damaged files are a message, and the page goes on", async () => {
  const good = await readFile(path.join(SHADERS, "uber.shbin"));
  let seed = 7;
  const random = (below) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(good.subarray(0, round % 3 === 0 ? random(good.length) : good.length));
    for (let hit = 0; hit < 1 + (round % 9); hit++) if (bytes.length > 0) bytes[random(bytes.length)] = random(256);
    await page.evaluate((bytes) => transpica.session.open("damaged.shbin", Uint8Array.from(bytes)), [...bytes]);
  }
  await openBytes(page, "noise.bin", Buffer.from(Array.from({ length: 4096 }, () => random(256))));
  await page.click("#question >> role=button[name='Open it anyway']");
  await openBytes(page, "empty.shbin", Buffer.alloc(0));
  await page.waitForFunction(
    () => !document.querySelector("#banner").hidden || document.querySelector("#problems .error"),
  );
  await shot(page, "damaged");
  await isAlive();
});

test("a program without an end stops at the limit of steps", async () => {
  await openSample(page, "textured");
  const text =
    ".out outpos position\n.in inpos v0\n.proc main\nagain:\n  mov r0, inpos\n  mov outpos, r0\n  jmpu b0, again\n  jmpc cmp.x, again\n  end\n.end\n".replace(
      "  jmpu b0, again\n  jmpc cmp.x, again\n",
      "  cmp r0.x, eq, eq, r0.x\n  jmpc cmp.x, again\n",
    );
  await openBytes(page, "endless.pica", text);
  await page.waitForFunction(() => transpica.session.opened?.name === "endless.pica");
  assert.deepEqual(
    (await problems(page)).filter((line) => line.startsWith("error")),
    [],
  );
  const recording = await call(page, "record", 0);
  assert.equal(recording.complete, false);
  assert.ok(recording.steps <= 100_000 && recording.steps > 1000);
  await shot(page, "endless");
  await isAlive();
});

test("1 MB of text is assembled or refused in time, and the editor stays usable", async () => {
  const source = await readFile(path.join(SHADERS, "textured.v.pica"), "utf8");
  const long = `${source}\n${"; a comment of a line that goes on and on\n".repeat(24_000)}`;
  assert.ok(long.length > 1_000_000);
  await followed(page, () => openBytes(page, "long.pica", long), 30_000);
  assert.equal(await page.evaluate(() => transpica.editor.text.length), long.length);
  await followed(page, () => replace(page, "; a comment", "; another comment"), 30_000);
  const wrong = "bogus r0, r1\n".repeat(80_000);
  await openBytes(page, "wrong.pica", wrong);
  await page.waitForFunction(
    () => document.querySelector("#problems .error") || !document.querySelector("#banner").hidden,
    undefined,
    { timeout: 30_000 },
  );
  await isAlive();
});

test("a call over its time limit is stopped, said, and the program is restored", async () => {
  await openSample(page, "uber");
  await followed(page, () => replace(page, ".fvec projection[4]", ".fvec projection[4] ; kept"));
  const words = await page.evaluate(async () => (await transpica.session.client.call("spirv")).length);
  await page.waitForFunction(() => {
    const { client } = transpica.session;
    // The clock of a call starts when it is the first.
    if (client.waiting.size > 0) return false;
    const look = { yaw: 0, pitch: 0, distance: 1, time: 0, by: "", wireframe: false };
    client.limit = 1;
    void client.call("draw", JSON.stringify({ width: 1024, height: 1024, ...look })).catch(() => {});
    client.limit = 4000;
    return true;
  });
  await page.waitForFunction(() => !document.querySelector("#banner").hidden);
  assert.match(await banner(), /took longer than .*started again/);
  await shot(page, "time-out");
  const again = await page.evaluate(async () => (await transpica.session.client.call("spirv")).length);
  assert.equal(again, words);
  assert.match(await page.evaluate(() => transpica.editor.text), /; kept/);
  await isAlive();
});

test("a damaged link is a message", async () => {
  const { page: other } = await open(browser.context, `${server.address}#p=AAAA`);
  assert.match(await other.locator("#banner").innerText(), /link is damaged/);
  assert.ok(await other.evaluate(() => transpica.session.opened.programs.length > 0), "the first sample is open");
  await other.close();
});

test("an engine that cannot be loaded is a message", async () => {
  // A browser of its own: the service worker has the good engine in this one.
  const fresh = await launch({ gpu: false });
  const other = await fresh.context.newPage();
  // As for a browser without some kind of instructions: a section that is none.
  const body = Buffer.from("\0asm\x01\0\0\0\x7F\0", "latin1");
  await other.route(/engine-.*\.wasm$/, (route) => route.fulfill({ contentType: "application/wasm", body }));
  await other.goto(server.address);
  await other.waitForFunction(() => !document.querySelector("#banner").hidden);
  assert.match(await other.locator("#banner").innerText(), /cannot be loaded: .*CompileError.*SIMD/s);
  await fresh.close();
});

test("after the first load the page works without a network", async () => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length === 1);
  await browser.context.setOffline(true);
  await server.close();
  const { page: other, faults } = await open(browser.context, server.address);
  await openSample(other, "uber");
  assert.match((await call(other, "view", "wgsl")).text, /@vertex/);
  assert.deepEqual(faults, []);
  await other.close();
  await browser.context.setOffline(false);
});

test("no script failed", () => assert.deepEqual(faults, []));
