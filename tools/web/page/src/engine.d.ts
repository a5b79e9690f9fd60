// The glue that wasm-bindgen makes; the bundler replaces the name by its path.

declare module "engine" {
  export default function init(input: { module_or_path: Promise<Response> }): Promise<unknown>;
  export class Engine {
    constructor();
    draw(json: string): Uint8Array;
    lastProblem(): string;
    gpuDraw(json: string): string;
    gpuBytes(number: number): Uint8Array;
  }
}

/** Replaced at build time: the name of the engine's file. */
declare const ENGINE_FILE: string;

interface Sample {
  name: string;
  path: string;
}

/** Replaced at build time: the samples that were copied beside the page. */
declare const SAMPLES: Sample[];

/** Path of the sample that the page opens with. */
declare const FIRST_SAMPLE: string;
