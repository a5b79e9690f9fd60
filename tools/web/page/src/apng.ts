// Animated PNG of pictures that the browser encoded: their chunks, numbered by their frames.
// https://www.w3.org/TR/png-3/#apng-frame-based-animation

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Bytes of a signature, which a picture begins with. */
const SIGNATURE = 8;

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

/** Finds the chunks of a picture. */
function chunks(png: Uint8Array): { type: string; content: Uint8Array }[] {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const found: { type: string; content: Uint8Array }[] = [];
  for (let at = SIGNATURE; at + 12 <= png.length; ) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    found.push({ type, content: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return found;
}

function numbers(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  for (const [at, value] of values.entries()) new DataView(bytes.buffer).setUint32(4 * at, value);
  return bytes;
}

/** Builds the animation, which repeats, from pictures of one size and form. */
export function animated(pictures: Uint8Array[], milliseconds: number): Blob {
  const first = pictures[0] ?? new Uint8Array();
  const head = chunks(first).find(({ type }) => type === "IHDR")?.content ?? new Uint8Array(13);
  const parts = [first.slice(0, SIGNATURE), chunk("IHDR", head), chunk("acTL", numbers(pictures.length, 0))];
  let sequence = 0;
  for (const [at, picture] of pictures.entries()) {
    const control = new Uint8Array(26);
    // Width and height of the frame are those of the picture, at 0, 0.
    control.set([...numbers(sequence++), ...head.subarray(0, 8)]);
    new DataView(control.buffer).setUint16(20, milliseconds);
    new DataView(control.buffer).setUint16(22, 1000);
    parts.push(chunk("fcTL", control));
    for (const { type, content } of chunks(picture)) {
      if (type !== "IDAT") continue;
      const numbered = () => Uint8Array.from([...numbers(sequence++), ...content]);
      parts.push(at === 0 ? chunk("IDAT", content) : chunk("fdAT", numbered()));
    }
  }
  parts.push(chunk("IEND", new Uint8Array()));
  return new Blob(parts, { type: "image/png" });
}
