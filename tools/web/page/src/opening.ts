// What the page and the first worker agree on: what is asked of the engine for a program that opens.

/** The number of the reply that reports the start of an engine. */
export const START = -1;
export const SEED = 0;
/** Vertices that the state holds inputs for, as `transpica run --vertices`. */
export const VERTICES = 4;

/** Returns the name of a file without its folder. */
export function fileName(path: string): string {
  return path.split("/").pop() ?? path;
}

/** Calls with their arguments, up to what the visible panes ask for. */
export function opening(path: string, bytes: Uint8Array): [string, ...unknown[]][] {
  return [
    ["open", fileName(path), bytes],
    ["seed", SEED, VERTICES],
    ["view", "tables"],
    ["record", 0],
    ["step", 0],
  ];
}
