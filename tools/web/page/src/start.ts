// What takes longest begins before the code of the page is there: the engine is compiled, once for
// all workers, and the first worker starts. `index.html` loads this file of its own first.

const script = new URL("worker.js", import.meta.url);

/** Compiles the engine. */
async function compile(): Promise<WebAssembly.Module> {
  if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly");
  return WebAssembly.compileStreaming(fetch(ENGINE_FILE));
}

export const engine = compile();
// The page says what is wrong, once it is there.
engine.catch(() => {});

let first: Worker | undefined = newWorker();

function newWorker(): Worker {
  return new Worker(script, { type: "module" });
}

/** Returns a worker that nobody has. */
export function worker(): Worker {
  const worker = first ?? newWorker();
  first = undefined;
  return worker;
}
