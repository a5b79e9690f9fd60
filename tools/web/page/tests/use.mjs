// What the tests do with a page: wait for its panes, type, open files, look at registers.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { launch, open, serve } from "./browser.mjs";

export const PAGE = process.env.PAGE ?? path.resolve(import.meta.dirname, "../../../../target/page");
export const NATIVE = process.env.TRANSPICA ?? path.resolve(import.meta.dirname, "../../../../target/debug/transpica");
export const SHADERS = path.resolve(import.meta.dirname, "../../../../shaders");
const SHOTS = process.env.SHOTS ?? path.resolve(import.meta.dirname, "../../../../target/web-shots");
mkdirSync(SHOTS, { recursive: true });

/** Saves a picture of the page, to be looked at. */
export const shot = (page, name) => page.screenshot({ path: path.join(SHOTS, `${name}.png`) });

/** Runs the native tool; returns its document. */
export function native(...parts) {
  return JSON.parse(execFileSync(NATIVE, parts, { encoding: "utf8", maxBuffer: 1 << 26 }));
}

/** Opens the page for the tests of a file, without a GPU. */
export async function visit() {
  const server = await serve(PAGE);
  const browser = await launch({ gpu: false });
  return { server, browser, ...(await open(browser.context, server.address)) };
}

/** Does something and waits until the panes have followed. */
export async function followed(page, action, timeout = 15_000) {
  const before = await page.evaluate(() => transpica.changes);
  await action();
  await page.waitForFunction((changes) => transpica.changes > changes, before, { timeout });
}

/** Opens a sample from the menu, with its values: panes may still follow what was open before. */
export const openSample = (page, name) =>
  followed(page, async () => {
    const path = await page.locator("#samples option", { hasText: new RegExp(`^${name}$`) }).getAttribute("value");
    await page.selectOption("#samples", { label: name });
    await page.waitForFunction((path) => transpica.session.program === path && transpica.file === "", path);
  });

/** Opens bytes as a file of the reader. */
export const openBytes = (page, name, bytes) =>
  page.setInputFiles("#file", { name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });

/** Replaces the first occurrence of a text in the source, as typing does. */
export const replace = (page, from, to) =>
  page.evaluate(
    ([from, to]) => {
      const { view } = transpica.editor;
      const at = view.state.doc.toString().indexOf(from);
      view.dispatch({ changes: { from: at, to: at + from.length, insert: to }, userEvent: "input.type" });
    },
    [from, to],
  );

/** Problems of the list below the source, as text. */
export const problems = (page) => page.locator("#problems li").allInnerTexts();

/** Calls the engine of the page. */
export const call = (page, ...parts) => page.evaluate((parts) => transpica.session.client.json(...parts), parts);

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
