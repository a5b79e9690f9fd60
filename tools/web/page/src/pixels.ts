// Pixels of pictures: the page's background through them, and where two differ.

import { BACKGROUND } from "./gpu";

export type Pixels = Uint8ClampedArray<ArrayBuffer>;

/** A channel may be this far off before a pixel counts as different. */
const TOLERANCE = 2;

function isBackground(pixels: Pixels, at: number): boolean {
  return pixels[at] === BACKGROUND && pixels[at + 1] === BACKGROUND && pixels[at + 2] === BACKGROUND;
}

/** Lets the page's own background through. */
export function transparent(pixels: Pixels): Pixels {
  for (let at = 0; at < pixels.length; at += 4) if (isBackground(pixels, at)) pixels[at + 3] = 0;
  return pixels;
}

/** Returns how far a picture on a clear background reaches from the middle: 1 is up to a border. */
export function reach(pixels: Pixels, width: number): number {
  const height = pixels.length / 4 / width;
  let share = 0;
  for (let at = 0; at < width * height; at++) {
    if (pixels[4 * at + 3] === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    share = Math.max(share, Math.abs((2 * x + 1) / width - 1), Math.abs((2 * y + 1) / height - 1));
  }
  return share;
}

/** Shows where two pictures differ: in red what does, in gray what both have. */
export function difference(a: Pixels, b: Pixels): { picture: Pixels; different: number; covered: number } {
  const picture = new Uint8ClampedArray(a.length);
  let [different, covered] = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    let far = 0;
    for (let channel = 0; channel < 4; channel++)
      far = Math.max(far, Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0)));
    const gray = 96 + ((a[at] ?? 0) + (a[at + 1] ?? 0) + (a[at + 2] ?? 0)) / 8;
    const isDifferent = far > TOLERANCE;
    different += Number(isDifferent);
    const isCovered = !isBackground(a, at);
    covered += Number(isCovered);
    picture.set(isDifferent ? [220, 38, 38, 255] : [gray, gray, gray, isCovered ? 255 : 0], at);
  }
  return { picture, different, covered };
}

/** Puts pixels into a canvas, which gets their size. */
export function show(canvas: HTMLCanvasElement, pixels: Pixels, width: number, height: number): void {
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
}
