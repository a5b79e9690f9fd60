// The worker that owns the engine: one call after another, each answered with its time. It is
// killed from outside when a call takes too long, so it keeps nothing that the page cannot rebuild.

import init, { Engine } from "engine";
import { opening, START } from "./opening";
import type { DrawRequest, GpuDraw, Problem } from "./contract";

export interface Request {
  id: number;
  method: string;
  args: unknown[];
}

export type Reply =
  | { id: typeof START; ready: true }
  | { id: number; value: unknown; milliseconds: number; memory: number }
  | { id: number; fault: string };

/** A draw and the contents of its buffers, from one call. */
export interface GpuFrame {
  draw: GpuDraw | { error: Problem };
  contents: Uint8Array[];
}

const post = (reply: Reply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer });

/** Describes a draw and reads all of its buffers. */
function gpuFrame(engine: Engine, request: string): GpuFrame {
  const draw = JSON.parse(engine.gpuDraw(request)) as GpuDraw | { error: Problem };
  if ("error" in draw) return { draw, contents: [] };
  const numbers = draw.buffers.map((buffer) => buffer.content).filter((content) => content >= 0);
  const contents: Uint8Array[] = [];
  for (const number of numbers) contents[number] = engine.gpuBytes(number);
  return { draw, contents };
}

/** Draws on the CPU; an empty picture has a problem instead. */
function picture(engine: Engine, request: string): { pixels: Uint8Array; problem: Problem | null } {
  const { width, height } = JSON.parse(request) as DrawRequest;
  const pixels = engine.draw(request);
  const complete = pixels.length === width * height * 4;
  return { pixels, problem: complete ? null : (JSON.parse(engine.lastProblem()) as Problem | null) };
}

function answer(engine: Engine, { method, args }: Request): unknown {
  if (method === "gpuFrame") return gpuFrame(engine, args[0] as string);
  if (method === "picture") return picture(engine, args[0] as string);
  const call = (engine as unknown as Record<string, (...args: unknown[]) => unknown>)[method];
  if (typeof call !== "function")
    return JSON.stringify({ error: { severity: "error", message: `the engine has no ${method}` } });
  return call.apply(engine, args);
}

function buffers(value: unknown): Transferable[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
  if (typeof value !== "object" || value === null) return [];
  if ("pixels" in value) return buffers(value.pixels);
  return "contents" in value ? (value.contents as Uint8Array[]).flatMap(buffers) : [];
}

async function start(): Promise<{ engine: Engine; memory: WebAssembly.Memory }> {
  const module = await init({ module_or_path: fetch(new URL(ENGINE_FILE, import.meta.url)) });
  return { engine: new Engine(), memory: (module as { memory: WebAssembly.Memory }).memory };
}

/** The engine, compiled here so that the page's thread is free. Calls wait for it. */
const started = start();
started.then(
  () => post({ id: START, ready: true }),
  (error) => post({ id: START, fault: String(error) }),
);

/** Calls wait for those that the first sample needs. */
let begun: Promise<void> | undefined;

/** Opens a sample, so that the answers are ready when the page asks. */
async function openAhead(path: string): Promise<void> {
  const [open, ...others] = opening(path);
  if (!open) return;
  try {
    const response = await fetch(new URL(path, import.meta.url));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    for (const call of [{ ...open, args: [...open.args, bytes] }, ...others]) await reply(call);
  } catch (error) {
    const value = JSON.stringify({ error: { severity: "error", message: String(error) } });
    post({ id: open.id, value, milliseconds: 0, memory: 0 });
  }
}

self.onmessage = async ({ data }: MessageEvent<Request | { sample: string }>) => {
  if ("sample" in data) {
    begun = openAhead(data.sample);
    return;
  }
  await begun;
  await reply(data);
};

async function reply(data: Request): Promise<void> {
  const { id } = data;
  try {
    const { engine, memory } = await started;
    const start = performance.now();
    const value = answer(engine, data);
    const milliseconds = performance.now() - start;
    post({ id, value, milliseconds, memory: memory.buffer.byteLength }, buffers(value));
  } catch (error) {
    post({ id, fault: String(error) });
  }
}
