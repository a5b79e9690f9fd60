// Accessibility, and figures: time to the first translation, from a key to all panes, memory.
// Bounds of time leave room for a machine that does other things; the printed medians are the
// figures.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.mjs";
import { followed, median, openSample, PAGE, replace, shot } from "./use.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server, browser;

before(async () => {
  server = await serve(PAGE);
  browser = await launch({ reducedMotion: "reduce" });
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** Violations that axe finds, as lines. */
async function violations(page) {
  const found = await page.evaluate(
    async () => (await globalThis.axe.run(document, { resultTypes: ["violations"] })).violations,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

test("axe finds nothing, in both themes, wide and narrow, in every tab", async () => {
  for (const [name, width, height] of [
    ["wide", 1440, 900],
    ["narrow", 390, 844],
  ]) {
    for (const theme of ["light", "dark"]) {
      const { page } = await open(browser.context, server.address);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate(axe);
      /** Puts a pane in front where there is room for one. */
      const show = (pane) => name === "narrow" && page.click(`#bar [data-shows=${pane}]`);
      await show("right");
      const tabs = await page.locator("#right [role=tab]").evaluateAll((tabs) => tabs.map(({ id }) => id));
      const few = ["tab-graph", "tab-wgsl", "tab-options"];
      for (const tab of theme === "light" && name === "wide" ? tabs : few) {
        await page.click(`#${tab}`);
        if (tab === "tab-compare") await page.selectOption("#panel-compare select", { label: "toon" });
        await page.waitForTimeout(60);
        assert.deepEqual(await violations(page), [], `${tab}, ${name}, ${theme}`);
        await shot(page, `${name}-${theme}-${tab.replace("tab-", "")}`);
      }
      await show("watch");
      assert.deepEqual(await violations(page), [], `picture, ${name}, ${theme}`);
      await shot(page, `${name}-${theme}-picture`);
      await show("lower");
      assert.deepEqual(await violations(page), [], `step, ${name}, ${theme}`);
      await shot(page, `${name}-${theme}-step`);
      await page.click("#tab-uniforms");
      await page.waitForSelector("#panel-uniforms .uniform");
      await shot(page, `${name}-${theme}-uniforms`);
      assert.deepEqual(await violations(page), [], `uniforms, ${name}, ${theme}`);
      for (const dialog of ["help", "about", "recent", "share"]) {
        await page.click(`#${dialog}`);
        await page.waitForSelector("dialog[open]");
        assert.deepEqual(await violations(page), [], `${dialog}, ${name}, ${theme}`);
        await shot(page, `${name}-${theme}-${dialog}`);
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { state: "detached" });
      }
      await page.close();
    }
  }
});

test("a narrow page has no sideways scroll", async () => {
  const { page } = await open(browser.context, server.address);
  await page.setViewportSize({ width: 390, height: 844 });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `${inner} of ${outer}`);
  await page.close();
});

test("the keyboard reaches every part, in the order of the page", async () => {
  const { page } = await open(browser.context, server.address);
  const reached = [];
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press("Tab");
    reached.push(
      await page.evaluate(() => {
        const { activeElement: element } = document;
        return element.closest("header, #left, #right, #watch, #lower")?.id ?? element.id;
      }),
    );
  }
  const parts = ["header", "left", "right", "watch", "lower"];
  assert.deepEqual(
    [...new Set(reached)].filter((id) => parts.includes(id)),
    parts,
  );
  await page.locator("#right [role=tab][aria-selected=true]").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-glsl");
  await page.close();
});

test("from opening to the first translation", async () => {
  const times = [];
  for (let round = 0; round < 7; round++) {
    const { page } = await open(browser.context, server.address);
    times.push(await page.evaluate(() => performance.getEntriesByName("started")[0].startTime));
    await page.close();
  }
  console.log(
    `load and first translation: median ${median(times).toFixed(0)} ms of ${times.map((time) => time.toFixed(0)).join(", ")}`,
  );
  assert.ok(median(times) < 6 * 300, `${median(times)} ms`);
});

test("from a key to all visible panes, for the largest sample", async () => {
  const { page } = await open(browser.context, server.address);
  await openSample(page, "uber");
  const medians = {};
  for (const tab of ["wgsl", "glsl", "spirv", "ir", "listing", "graph", "tables", "reflection"]) {
    await page.click(`#tab-${tab}`);
    const times = [];
    for (let round = 0; round < 8; round++) {
      await followed(page, () =>
        replace(page, round % 2 === 0 ? "0.00001" : "0.00002", round % 2 === 0 ? "0.00002" : "0.00001"),
      );
      times.push(await page.evaluate(() => transpica.panesTime));
    }
    medians[tab] = median(times);
  }
  console.log(
    `uber, from a key to the panes: ${Object.entries(medians)
      .map(([tab, time]) => `${tab} ${time.toFixed(0)} ms`)
      .join(", ")}`,
  );
  for (const [tab, time] of Object.entries(medians)) assert.ok(time < 8 * 50, `${tab}: ${time} ms`);
  await page.close();
});

test("memory stays bounded over 1,000 edits", async () => {
  const { page } = await open(browser.context, server.address);
  await openSample(page, "textured");
  await page.click("#tab-wgsl");
  const edits = (count) =>
    page.evaluate(async (count) => {
      const { editor, session } = transpica;
      for (let round = 0; round < count; round++) {
        editor.view.dispatch({ changes: { from: 0, insert: round % 2 === 0 ? ";" : "", to: round % 2 === 0 ? 0 : 1 } });
        await session.edit(editor.text);
      }
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [performance.memory.usedJSHeapSize, session.client.memory];
    }, count);
  const [heap, engine] = await edits(100);
  const [heapAfter, engineAfter] = await edits(1000);
  console.log(
    `heap ${(heap / 1e6).toFixed(1)} MB, after 1,000 edits ${(heapAfter / 1e6).toFixed(1)} MB; engine ${(engine / 1e6).toFixed(1)} MB, then ${(engineAfter / 1e6).toFixed(1)} MB`,
  );
  assert.ok(heapAfter - heap < 8e6, `heap grew by ${heapAfter - heap}`);
  assert.ok(engineAfter - engine < 4e6, `the engine grew by ${engineAfter - engine}`);
  await page.close();
});
