// Links: the program with its options, inputs and view, deflated, after the address's #. An
// unchanged sample is there by name, with what differs from its first view. Nothing of it is sent
// to a server.

import type { Stepped } from "./panes/step";
import type { Look } from "./panes/watch";
import type { Saved } from "./session";

export interface Linked extends Saved {
  /** Name of a sample, in place of a program. */
  sample?: string;
  tab?: string;
  /** A text with errors, typed after the last good one; links leave it out. */
  typed?: string;
  look?: Look;
  /** The lower tab, the step, and the selected addresses. */
  lower?: string;
  stepped?: Stepped;
  marked?: number[];
  /** Addresses of breakpoints. */
  breaks?: number[];
  /** The program that it is compared with. */
  second?: Saved;
}

/** Bytes that a link may inflate to, and characters that it may have: browsers take two million. */
const [LIMIT, LONGEST] = [4 << 20, 1_900_000];

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>)
    .getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    total += part.value.length;
    if (total > LIMIT) throw new Error("the link holds more than 4 MiB");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Makes the fragment of a link; `first` is what an unchanged sample has when it is opened. */
export async function encode(linked: Linked, first?: Partial<Linked>): Promise<string> {
  if (!first?.sample) return `#${await deflated(linked)}`;
  const { name, text, shbin, ...seen } = linked;
  const was: Record<string, unknown> = { ...first };
  const own = Object.entries(seen).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key]));
  const rest = own.length > 0 ? `&${await deflated(Object.fromEntries(own))}` : "";
  return `#s=${encodeURIComponent(first.sample)}${rest}`;
}

async function deflated(linked: Partial<Linked>): Promise<string> {
  const content = new TextEncoder().encode(JSON.stringify(linked));
  const bytes = await through(content, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const fragment = `p=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  if (content.length > LIMIT || fragment.length > LONGEST) throw new Error("too long for a link");
  return fragment;
}

/** Reads a fragment; `undefined` for one that holds no program. */
export async function decode(fragment: string): Promise<Linked | undefined> {
  const [, sample, packed] = /^#(?:embed&)?(?:s=([^&]+)&?)?(?:p=(.*))?$/.exec(fragment) ?? [];
  const linked = packed === undefined ? undefined : await inflated(packed);
  if (sample !== undefined) return { name: "", ...linked, sample: decodeURIComponent(sample) };
  if (linked && !isLinked(linked)) throw new Error("the link holds no program");
  return linked;
}

async function inflated(packed: string): Promise<Linked> {
  const text = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(
    Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
    new DecompressionStream("deflate-raw"),
  );
  return JSON.parse(new TextDecoder().decode(bytes)) as Linked;
}

/** Returns whether a value from outside holds a program. */
export function isLinked({ name, text, shbin }: Partial<Linked>): boolean {
  return typeof name === "string" && (typeof text === "string" || typeof shbin === "string");
}
