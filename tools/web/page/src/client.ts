// Calls of the engine from the page. Requests wait in the worker's queue; the first one has a time
// limit. A worker that misses it, or whose engine traps, is replaced, and every waiting call fails.

import type { Problem } from "./contract";
import { START } from "./opening";
import type { Reply, Request } from "./worker";

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

/** Calls of a worker from before there was a client, in the order in which the page makes them. */
export interface Ahead {
  calls: Request[];
  replies: Reply[];
  /** The bytes that were opened. */
  sample?: Uint8Array;
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
  /** Why there is no engine. */
  private missing: Problem | undefined;
  private ahead: Request[] = [];
  private readonly sample: () => Uint8Array | undefined;
  /** Replies to calls that the page has not made yet. */
  private readonly early = new Map<number, Reply>();

  constructor(
    private readonly newWorker: () => Worker,
    ahead?: Ahead,
  ) {
    this.worker = this.start();
    this.sample = () => ahead?.sample;
    if (!ahead) return;
    this.ahead = ahead.calls;
    for (const reply of ahead.replies) this.receive(reply);
  }

  /** Calls a method whose answer is JSON. */
  async json<T>(method: string, ...args: unknown[]): Promise<T> {
    const value = JSON.parse((await this.call(method, ...args)) as string) as T | { error: Problem };
    // A recording may have an error as well as steps: only an error alone is a failure.
    if (typeof value === "object" && value !== null && "error" in value && Object.keys(value).length === 1) {
      throw new CallError(value.error as Problem, undefined);
    }
    return value as T;
  }

  /** Calls a method and returns its answer as it is. */
  call(method: string, ...args: unknown[]): Promise<unknown> {
    const [ahead] = this.ahead;
    // The bytes of a file come last.
    const isAhead =
      ahead?.method === method &&
      args.every((arg, at) => arg === (at < ahead.args.length ? ahead.args[at] : this.sample()));
    if (isAhead) this.ahead.shift();
    else this.ahead.length = 0;
    const id = isAhead ? ahead.id : this.next++;
    return new Promise((resolve, reject) => {
      if (this.missing) return reject(new CallError(this.missing, undefined));
      this.waiting.set(id, { method, resolve, reject });
      if (this.waiting.size === 1) this.watch();
      if (!isAhead) this.worker.postMessage({ id, method, args });
      const reply = this.early.get(id);
      if (reply) this.receive(reply);
    });
  }

  /** Ends the worker for good. */
  close(): void {
    clearTimeout(this.timer);
    this.worker.terminate();
  }

  private start(): Worker {
    const worker = this.newWorker();
    this.isReady = false;
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
    worker.onerror = (event) => this.lose(`the engine does not start: ${event.message ?? "unknown error"}`, false);
    return worker;
  }

  private receive(reply: Reply): void {
    if ("ready" in reply) {
      this.isReady = true;
      this.watch();
      return;
    }
    if (reply.id === START && "fault" in reply) return this.miss(reply.fault);
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return void this.early.set(reply.id, reply);
    this.early.delete(reply.id);
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
    this.ahead = [];
    this.early.clear();
    if (again) this.worker = this.start();
    this.failAll(why);
    if (again) this.onLost(why);
  }

  private failAll(why: string): void {
    for (const [at, { reject }] of this.noLongerWaiting().entries()) {
      reject(new CallError({ severity: "error", message: why }, at === 0 ? "by this" : "before"));
    }
  }

  private miss(why: string): void {
    const hint = "It needs WebAssembly with SIMD.";
    this.missing = { severity: "error", message: `The engine cannot be loaded: ${why}`, hint };
    for (const { reject } of this.noLongerWaiting()) reject(new CallError(this.missing, undefined));
  }

  private noLongerWaiting(): Waiting[] {
    clearTimeout(this.timer);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    return waiting;
  }
}
