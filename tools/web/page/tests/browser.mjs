// A server of one folder on 127.0.0.1 and a browser with software WebGPU, for tests of the page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Serves a folder; returns its address and how to end it. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = path.join(folder, path.normalize(name.endsWith("/") ? `${name}index.html` : name));
    try {
      const content = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}

const QUIET = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
  "--enable-precise-memory-info",
  "--js-flags=--expose-gc",
];
const GPU = [
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
  "--use-angle=swiftshader",
  "--use-webgpu-adapter=swiftshader",
];

/**
 * Starts Debian's browser with a new profile; `gpu: false` leaves it without WebGPU. Only with motion does the time run
 * at first sight.
 */
export async function launch({
  gpu = true,
  viewport = { width: 1440, height: 900 },
  colorScheme = "light",
  reducedMotion = "reduce",
} = {}) {
  const profile = await mkdtemp(path.join(tmpdir(), "transpica-page-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: false,
    chromiumSandbox: false,
    args: ["--headless=new", ...QUIET, ...(gpu ? GPU : ["--disable-features=WebGPU", "--disable-gpu"])],
    viewport,
    colorScheme,
    reducedMotion,
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  return { context, close };
}

/** Opens the page and waits until the first program is translated. */
export async function open(context, address) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(address);
  await page.waitForFunction(() => "started" in document.documentElement.dataset, undefined, { timeout: 20_000 });
  return { page, faults };
}
