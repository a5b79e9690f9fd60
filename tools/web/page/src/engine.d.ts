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

declare module "native" {
  export default function init(input: { module_or_path: Promise<Response> }): Promise<unknown>;
  export function translate(file: Uint8Array, program: number, name: string, options: string, language: string): string;
}

declare module "compiler" {
  export default function init(input: { module_or_path: Promise<Response> }): Promise<unknown>;
  export function compile(name: string, text: string): string;
}

/** Replaced at build time: the names of the files of the engines. */
declare const ENGINE_FILE: string;
declare const NATIVE_FILE: string;
declare const COMPILER_FILE: string;

interface Sample {
  name: string;
  path: string;
  /** A state file that shows what the program is for. */
  state?: string;
}

/** Replaced at build time: the version of transpica. */
declare const RELEASE: string;

/** Replaced at build time: the address of the source; empty without one. */
declare const REPOSITORY: string;

/** Replaced at build time: the samples that were copied along with the page. */
declare const SAMPLES: Sample[];

/** Path of the sample that the page opens with. */
declare const FIRST_SAMPLE: string;
