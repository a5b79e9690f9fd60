// Calls of the engine from the page. Requests wait in the worker's queue; the first one has a time
// limit. A worker that misses it, or whose engine traps, is replaced, and every waiting call fails.

import type { Problem } from "./contract";
import type { Reply } from "./worker";

/** Failure of a call: the engine was lost, or its answer was an error. */
export class CallError extends Error {
  constructor(
    readonly problem: Problem,
    /** The engine was lost: by this call, or by one before it. */
    readonly lost: "by this" | "before" | undefined,
  ) {
    super(problem.message);
  }
}

interface Waiting {
  method: string;
  resolve(value: unknown): void;
  reject(error: CallError): void;
}

/** Time of the last call of a method, and how many there were. */
export interface Timing {
  calls: number;
  last: number;
}

const START_LIMIT = 20_000;

export class Client {
  /** Milliseconds that one call may take. */
  limit = 4000;
  /** Bytes of the engine's memory after the last call. */
  memory = 0;
  readonly timings = new Map<string, Timing>();
  /** Called with a sentence when the engine was replaced. */
  onLost: (why: string) => void = () => {};

  private worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReady = false;

  constructor(
    private readonly module: Promise<WebAssembly.Module>,
    private readonly newWorker: () => Worker,
  ) {
    this.worker = this.start();
  }

  /** Calls a method whose answer is JSON. */
  async json<T>(method: string, ...args: unknown[]): Promise<T> {
    const value = JSON.parse((await this.call(method, ...args)) as string) as T | { error: Problem };
    // A recording may have an error beside its steps: only an error alone is a failure.
    if (typeof value === "object" && value !== null && "error" in value && Object.keys(value).length === 1) {
      throw new CallError(value.error as Problem, undefined);
    }
    return value as T;
  }

  /** Calls a method and returns its answer as it is. */
  call(method: string, ...args: unknown[]): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { method, resolve, reject });
      if (this.waiting.size === 1) this.watch();
      if (this.isReady) this.worker.postMessage({ id, method, args });
      else this.early.push({ id, method, args });
    });
  }

  /** Ends the worker for good. */
  close(): void {
    clearTimeout(this.timer);
    this.worker.terminate();
  }

  private early: { id: number; method: string; args: unknown[] }[] = [];

  private start(): Worker {
    const worker = this.newWorker();
    this.isReady = false;
    this.early = [];
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
    worker.onerror = (event) => this.lose(`the engine does not start: ${event.message ?? "unknown error"}`, false);
    this.module.then(
      (module) => worker.postMessage({ module }),
      (error) => this.failAll(`the engine cannot be loaded: ${error}`),
    );
    return worker;
  }

  private receive(reply: Reply): void {
    if ("ready" in reply) {
      this.isReady = true;
      for (const request of this.early) this.worker.postMessage(request);
      this.early = [];
      this.watch();
      return;
    }
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    if ("fault" in reply) {
      this.lose(`the engine stopped in ${waiting.method}: ${reply.fault}`, true);
      return;
    }
    this.waiting.delete(reply.id);
    const timing = this.timings.get(waiting.method) ?? { calls: 0, last: 0 };
    this.timings.set(waiting.method, { calls: timing.calls + 1, last: reply.milliseconds });
    this.memory = reply.memory;
    this.watch();
    waiting.resolve(reply.value);
  }

  /** Starts the clock of the call in front. */
  private watch(): void {
    clearTimeout(this.timer);
    const [first] = this.waiting.values();
    if (!first) return;
    const limit = this.isReady ? this.limit : START_LIMIT;
    const seconds = (limit / 1000).toLocaleString("en");
    const why = `${first.method} took longer than ${seconds} s and was stopped`;
    this.timer = setTimeout(() => this.lose(why, true), limit);
  }

  private lose(why: string, again: boolean): void {
    clearTimeout(this.timer);
    this.worker.terminate();
    if (again) this.worker = this.start();
    this.failAll(why);
    if (again) this.onLost(why);
  }

  private failAll(why: string): void {
    clearTimeout(this.timer);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const [at, { reject }] of waiting.entries()) {
      reject(new CallError({ severity: "error", message: why }, at === 0 ? "by this" : "before"));
    }
  }
}
