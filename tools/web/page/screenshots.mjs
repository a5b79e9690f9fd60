// Pictures of the first view: `node screenshots.mjs PAGE OUT` writes page-light.png and
// page-dark.png.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { launch, open, serve } from "./tests/browser.mjs";

const viewport = { width: 1280, height: 800 };
/** Bytes that a picture in a document may have. */
const MOST = 200_000;

/** Levels of a channel that are one: no eye sees it, and the file is a fifth smaller. */
const STEP = 2;

/** A picture of the page as rows of RGB, each after the number of its filter, which is none. */
async function rows(page) {
  const bytes = await page.screenshot();
  const text = await page.evaluate(async (bytes) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    let text = "";
    for (const byte of data) text += String.fromCharCode(byte);
    return btoa(text);
  }, [...bytes]);
  const pixels = Buffer.from(text, "base64");
  const { width, height } = viewport;
  return Buffer.concat(
    Array.from({ length: height }, (_, row) => {
      const line = pixels.subarray(4 * width * row, 4 * width * (row + 1)).filter((_, at) => at % 4 < 3);
      return Buffer.from([0, ...line.map((level) => Math.min(255, Math.round(level / STEP) * STEP))]);
    }),
  );
}

/** Builds a chunk of a PNG. */
function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function encoded(rows) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(viewport.width);
  head.writeUInt32BE(viewport.height, 4);
  // Eight bits each of red, green and blue.
  head.set([8, 2], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const content = deflateSync(rows, { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", content), chunk("IEND", Buffer.alloc(0))]);
}

const [folder, out] = process.argv.slice(2).map((name) => path.resolve(name));
await mkdir(out, { recursive: true });
const server = await serve(folder);
for (const colorScheme of ["light", "dark"]) {
  const browser = await launch({ viewport, colorScheme });
  const { page } = await open(browser.context, server.address);
  // Some steps into the program, so that it shows where an instruction went.
  await page.evaluate(() => transpica.step.go(12));
  const isStill = () => {
    const { watch } = transpica;
    return document.querySelector("#watch canvas").width > 16 && !watch.isWanted && !watch.isDrawing;
  };
  await page.waitForFunction(isStill);
  await page.waitForTimeout(1000);
  await page.waitForFunction(isStill);
  const file = path.join(out, `page-${colorScheme}.png`);
  const png = encoded(await rows(page));
  await browser.close();
  if (png.length > MOST) throw new Error(`${file} would have ${png.length} bytes, more than ${MOST}`);
  await writeFile(file, png);
  console.log(`${file}: ${png.length} bytes`);
}
await server.close();
