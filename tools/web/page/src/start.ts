// What takes longest begins before the code of the page has loaded: the first worker, which compiles
// the engine and opens the first sample. `index.html` loads this file of its own first.

import type { Ahead } from "./client";
import { opening } from "./opening";

const script = new URL("worker.js", import.meta.url);

function newWorker(): Worker {
  return new Worker(script, { type: "module" });
}

let first: Worker | undefined = newWorker();
/** What the first worker was asked already. */
export const ahead: Ahead = { calls: [], replies: [] };
first.onmessage = ({ data }) => ahead.replies.push(data);

// A link has its own program, and so has an entry of the history that was left. The worker reads
// the sample itself: the page's thread has no time yet.
let sample: Promise<Uint8Array<ArrayBuffer>> | undefined;
if (/^(#embed)?$/.test(location.hash) && !history.state) {
  first.postMessage({ sample: FIRST_SAMPLE });
  ahead.calls = opening(FIRST_SAMPLE);
  sample = read(FIRST_SAMPLE);
  sample.then((bytes) => (ahead.sample = bytes)).catch(() => {});
}

/** Returns a worker that nobody has. */
export function worker(): Worker {
  const worker = first ?? newWorker();
  first = undefined;
  return worker;
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Reads a file of the page. */
export function load(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return path === FIRST_SAMPLE && sample ? sample : read(path);
}
