// PNG of one picture, animated where there are several.
// https://www.w3.org/TR/png-3/
//
// Not by a canvas: browsers encode its pictures when they are idle, up to a second later, and an
// animation has dozens.

import type { Pixels } from "./pixels";

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Bits of a channel and the color type, which is red, green, blue, alpha. */
const FORM = [8, 6, 0, 0, 0];

/** The filter of each row: differences to the row above. */
const UP = 2;

/** Builds a chunk: length, type, content, checksum. */
function chunk(type: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(content, 8);
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(4, -4)) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 255] ?? 0);
  view.setUint32(content.length + 8, ~crc);
  return bytes;
}

function numbers(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  for (const [at, value] of values.entries()) new DataView(bytes.buffer).setUint32(4 * at, value);
  return bytes;
}

/** Compresses the rows of a picture. */
async function compressed(pixels: Pixels, width: number): Promise<Uint8Array> {
  const stride = 4 * width;
  const rows = new Uint8Array(pixels.length + pixels.length / stride);
  for (let from = 0, to = 0; from < pixels.length; from += stride) {
    rows[to++] = UP;
    for (let at = from; at < from + stride; at++) rows[to++] = (pixels[at] ?? 0) - (pixels[at - stride] ?? 0);
  }
  const stream = new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Encodes a picture, or an animation of several, which repeats, of one size. */
export async function png(pictures: Pixels[], width: number, height: number, milliseconds = 0): Promise<Blob> {
  const size = numbers(width, height);
  const parts = [SIGNATURE, chunk("IHDR", Uint8Array.from([...size, ...FORM]))];
  const isAnimated = pictures.length > 1;
  if (isAnimated) parts.push(chunk("acTL", numbers(pictures.length, 0)));
  let sequence = 0;
  for (const [at, picture] of pictures.entries()) {
    if (isAnimated) {
      const control = new Uint8Array(26);
      // The frame covers the whole picture: its width and height, at 0, 0.
      control.set([...numbers(sequence++), ...size]);
      new DataView(control.buffer).setUint16(20, milliseconds);
      new DataView(control.buffer).setUint16(22, 1000);
      parts.push(chunk("fcTL", control));
    }
    const content = await compressed(picture, width);
    const numbered = () => Uint8Array.from([...numbers(sequence++), ...content]);
    parts.push(at === 0 ? chunk("IDAT", content) : chunk("fdAT", numbered()));
  }
  parts.push(chunk("IEND", new Uint8Array()));
  return new Blob(parts, { type: "image/png" });
}
