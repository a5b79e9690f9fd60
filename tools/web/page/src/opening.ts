// What the page and the first worker agree on: what is asked of the engine for a program that
// opens.

import type { Request } from "./worker";

/** The number of the reply that reports the start of an engine. */
export const START = -1;
export const SEED = 0;
/** Vertices that the state holds inputs for, as `transpica run --vertices`. */
export const VERTICES = 4;

/** Options of a program that is opened: texts that are easy to read. */
export const OPTIONS: Record<string, unknown> = { "arithmetic.precision": "fast" };

/** Returns the name of a file without its folder. */
export function fileName(path: string): string {
  return path.split("/").pop() ?? path;
}

/** Calls for a program, up to what the visible panes ask for; the first one lacks the bytes. */
export function opening(path: string): Request[] {
  const calls: [string, ...unknown[]][] = [
    ["open", fileName(path)],
    ["configure", JSON.stringify(OPTIONS)],
    ["seed", SEED, VERTICES],
    ["view", "wgsl"],
    ["record", 0, true],
    ["step", 0],
  ];
  return calls.map(([method, ...args], at) => ({ id: START - 1 - at, method, args }));
}
