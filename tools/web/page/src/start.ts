// What takes longest begins before the code of the page is there: the first worker, which compiles the
// engine and opens the first sample. `index.html` loads this file of its own first.

import type { Ahead } from "./client";
import { opening } from "./opening";

const script = new URL("worker.js", import.meta.url);

function newWorker(): Worker {
  return new Worker(script, { type: "module" });
}

let first: Worker | undefined = newWorker();
/** What the first worker was asked already. */
export const ahead: Ahead = { calls: [], replies: [], isTaken: false };
first.onmessage = ({ data }) => ahead.replies.push(data);

/** Returns a worker that nobody has. */
export function worker(): Worker {
  const worker = first ?? newWorker();
  first = undefined;
  return worker;
}

// A link has its own program.
const sample = location.hash === "" ? read(FIRST_SAMPLE) : undefined;
sample?.then(begin).catch(() => {});

function begin(bytes: Uint8Array): void {
  // Once another program was opened it is too late.
  if (!first || ahead.isTaken) return;
  for (const [at, [method, ...args]] of opening(FIRST_SAMPLE, bytes).entries()) {
    const call = { id: -2 - at, method, args };
    ahead.calls.push(call);
    first.postMessage(call);
  }
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
