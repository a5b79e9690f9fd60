// The worker that owns the engine: one call after another, each answered with its time. It is killed
// from outside when a call takes too long, so it keeps nothing that the page cannot rebuild.

import init, { Engine } from "engine";
import type { DrawRequest, GpuDraw, Problem } from "./contract";

export interface Request {
  id: number;
  method: string;
  args: unknown[];
}

export type Reply =
  | { id: -1; ready: true }
  | { id: number; value: unknown; milliseconds: number; memory: number }
  | { id: number; fault: string };

/** A draw and the contents of its buffers, from one call. */
export interface GpuFrame {
  draw: GpuDraw | { error: Problem };
  contents: Uint8Array[];
}

let engine: Engine | undefined;
let memory: WebAssembly.Memory | undefined;

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

self.onmessage = async ({ data }: MessageEvent<Request | { module: WebAssembly.Module }>) => {
  if ("module" in data) {
    const exports = (await init({ module_or_path: data.module })) as { memory: WebAssembly.Memory };
    memory = exports.memory;
    engine = new Engine();
    post({ id: -1, ready: true });
    return;
  }
  const { id } = data;
  const start = performance.now();
  try {
    if (!engine) throw new Error("the engine is not there yet");
    const value = answer(engine, data);
    const milliseconds = performance.now() - start;
    post({ id, value, milliseconds, memory: memory?.buffer.byteLength ?? 0 }, buffers(value));
  } catch (error) {
    post({ id, fault: String(error) });
  }
};
