// The worker of the second engine, which writes HLSL, MSL and SPIR-V as text,
// started when one of them is wanted.

import init, { translate } from "native";
import { START } from "./opening";
import type { Reply, Request } from "./worker";

const post = (reply: Reply) => self.postMessage(reply);

const started = init({ module_or_path: fetch(new URL(NATIVE_FILE, import.meta.url)) });
started.then(
  () => post({ id: START, ready: true }),
  (error) => post({ id: START, fault: String(error) }),
);

self.onmessage = async ({ data: { id, args } }: MessageEvent<Request>) => {
  try {
    const { memory } = (await started) as { memory: WebAssembly.Memory };
    const start = performance.now();
    const value = translate(...(args as Parameters<typeof translate>));
    post({ id, value, milliseconds: performance.now() - start, memory: memory.buffer.byteLength });
  } catch (error) {
    post({ id, fault: String(error) });
  }
};
