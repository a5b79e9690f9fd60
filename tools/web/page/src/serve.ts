// What the workers of the later engines share: one function each, which answers calls.

import { START } from "./opening";
import type { Reply, Request } from "./worker";

const post = (reply: Reply) => self.postMessage(reply);

/** Answers calls by a function of an engine, which starts from a file beside this script. */
export function serve(
  init: (input: { module_or_path: Promise<Response> }) => Promise<unknown>,
  file: string,
  work: (...args: never[]) => string,
): void {
  const started = init({ module_or_path: fetch(new URL(file, import.meta.url)) });
  started.then(
    () => post({ id: START, ready: true }),
    (error) => post({ id: START, fault: String(error) }),
  );
  self.onmessage = async ({ data: { id, args } }: MessageEvent<Request>) => {
    try {
      const { memory } = (await started) as { memory: WebAssembly.Memory };
      const start = performance.now();
      const value = work(...(args as never[]));
      post({ id, value, milliseconds: performance.now() - start, memory: memory.buffer.byteLength });
    } catch (error) {
      post({ id, fault: String(error) });
    }
  };
}
