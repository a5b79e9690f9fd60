// Types of the engine's results: each call of `Engine` (tools/web/src) returns one of these as
// JSON. No method throws: a failure is {"error": Problem}. Addresses of instructions are `pc`s.

/** Whether two programs compute the same. */
export interface Verdict {
  equal: boolean;
  /** Equal for all inputs. */
  proven: boolean;
  text: string;
  /** Registers with other names or places. */
  notes: string[];
  /** State file of the smallest inputs with different results. */
  state: string | null;
  /** Addresses of the first instructions of both that differ. */
  places: [number | null, number | null];
}

export interface Problem {
  severity: "error" | "warning" | "note";
  message: string;
  hint?: string;
  line?: number;
  column?: number;
  length?: number;
  pc?: number;
} // line, column from 1
export interface ProgramHead {
  index: number;
  stage: "vertex" | "geometry";
  name: string;
  entry: number;
  instructions: number;
  end: number;
}
export interface Found {
  number: number;
  path: string;
  kind: string;
  offset: number;
  bytes: number;
  programs: number;
  key: string;
  duplicateOf?: number;
}
export interface Opened {
  name: string;
  kind: "shbin" | "container" | "source" | "words";
  found: Found[]; // for containers: what scan found; [] otherwise
  // Picasso text: the text that was given, or the disassembly (which assembles to the same code)
  source: string;
  // For each line of `source` the address (pc) of its instruction, -1 without one
  sourcePlaces: number[];
  programs: ProgramHead[];
  selected: number;
  problems: Problem[]; // assembler errors, container warnings, lint (with line and pc)
  bytes: number; // size of the .shbin
}
// A text of a pane. places[n]: addresses of the instructions that line n (from 0) was made from;
// [] where none.
export interface TextView {
  text: string;
  places: number[][];
  problems: Problem[];
}
export interface GraphView {
  svg: string;
  problems: Problem[];
} // nodes are <g class="block" data-pcs="3,4,5"> …; colors by CSS classes, no inline color
export interface TableView {
  tables: { title: string; columns: string[]; rows: { cells: string[]; pcs: number[] }[] }[];
  problems: Problem[];
}
export interface Size {
  name: string;
  value: number;
  unit: string;
  note?: string;
}
// One row for each option of the library's table (the same that drives the command line's flags).
export interface Setting {
  path: string;
  label: string; // the flag of the command line that sets it; with the field, if that sets several
  group: string;
  help: string;
  form: "switch" | "choice" | "number" | "text" | "json";
  on?: boolean; // value of the field that a switch sets, which `help` is about
  choices: { value: string; help: string }[];
  default: unknown;
  value: unknown;
  changed: boolean;
}
/** The options of a known host: what differs from the defaults. */
export interface Preset {
  name: string;
  changes: Record<string, unknown>;
}
export interface UniformValue {
  name: string;
  bank: "c" | "i" | "b";
  first: number;
  count: number;
  shape: "matrix" | "vector" | "vectors" | "int" | "bool";
  // One array a register; numbers that JSON lacks are texts, as in state files.
  values: (number | string)[][] /* of the picture */;
  steps: (number | string)[][] /* of generated inputs and runs */;
  guessed: boolean[] /* registers that are not set: the picture guesses them */;
  constant: boolean; /* set by the file */
}
export interface Recording {
  count: number; // vertices or invocations that can be recorded
  steps: number;
  emits: number[]; // steps of the EMITs
  complete: boolean;
  error?: Problem;
  outputs: Record<string, [string, string, string, string]> /* "o0": hex bits */;
  symbols: Record<string, string>;
}
export interface StepState {
  number: number;
  pc: number;
  text: string; // the instruction that runs next; pc -1 after the end
  v: number[][];
  r: number[][];
  o: number[][];
  a0: [number, number];
  aL: number;
  cmp: [boolean, boolean];
  stacks: { call: string[]; if: string[]; loop: string[] };
  changed: string[]; // "r3.xz", "cmp.x", "a0.y", "o1.w": what the instruction before changed
  reads: string[]; // the same of what the instruction reads: "v0.xyz", "c4.x", "b0", "cmp.x"
  writes: string[];
  uniforms: Record<string, (number | string | boolean)[]>; // "c4": those that it reads
  names: Record<string, string>; // "v0": "inpos", "o0": "position"
}
export interface Timeline {
  // What the step wrote
  values: { step: number; pc: number; text: string; value: (number | string)[] }[];
  more: number; // steps that are not listed
}
/**
 * What made a triangle: vertices of the mesh, and the invocation that received them and EMITted.
 */
export interface Picked {
  vertices: number[]; // [] where nothing is drawn
  invocation?: number;
  emits: number[]; // numbers of its EMITs, from 0
}
export interface Ancestry {
  steps: number[];
  pcs: number[];
  inputs: string[]; /* "v0.x", "c4.y" */
}

export interface Place {
  line: number; // from 0
  character: number; // from 0, in UTF-16
}
export interface Span {
  start: Place;
  end: Place;
}
export interface Hover {
  contents: { value: string /* Markdown */ };
  range: Span;
}
export interface Candidate {
  label: string;
  detail?: string;
  documentation?: { value: string };
  sortText: string;
  textEdit: { range: Span; newText: string };
}

export interface Engine {
  // → Opened. .shbin, .pica text, containers of `transpica scan`, raw code words (little-endian;
  // operand descriptors after a line `descriptors`)
  open(name: string, bytes: Uint8Array): string;
  openFound(number: number): string; // → Opened: a shader inside the container
  // → Opened: assembles; on errors everything else stays at the last good program
  edit(text: string): string;
  // → Hover or null, of a place of a text
  hover(source: string, line: number, character: number): string;
  // → Candidate[]: what can stand there
  complete(source: string, line: number, character: number): string;
  select(program: number): string; // → Opened
  settings(): string; // → Setting[]
  presets(): string; // → Preset[]
  // {"path": value, …}: all changes from the default → {problems: Problem[]}
  configure(json: string): string;
  // "listing" | "tree" | "ir" | "wgsl" | "glsl" | "reflection" → TextView; "graph" → GraphView;
  // "tables" → TableView
  view(kind: string): string;
  spirv(): Uint8Array;
  shbin(): Uint8Array; // the module and the file, for downloads; empty on failure
  sizes(): string; // → Size[] (no clock in here: the page measures times)
  state(): string; // state file as of `transpica run --save-state`
  setState(json: string): string; // → {problems}
  // Plausible inputs, the same as `transpica run --seed S --vertices N` → {problems}
  seed(seed: number, vertices: number): string;
  uniforms(): string; // → UniformValue[], as the last picture had them
  numbers(list: string): string; // → (number | string)[], spelled as in state files
  // A list of registers as state files have them → {problems}
  setUniform(bank: string, first: number, json: string): string;
  run(): string; // the document of `transpica run --json` for all vertices
  // → Recording; at most 100,000 steps; of the mesh as the last picture had it
  record(vertex: number, ofMesh: boolean): string;
  step(number: number): string; // → StepState of the recording, number in 0..=steps
  // Next step at that address, or the one before; -1 if none
  find(pc: number, from: number, direction: number): number;
  // First step, from there on, that wrote NaN or an infinity, or the last before it; -1 if none.
  findSpecial(from: number, direction: number): number;
  timeline(register: string): string; // "r3" → Timeline of the recording
  // DrawRequest and a pixel → Picked: the triangle in front
  pick(json: string, x: number, y: number): string;
  ancestry(output: string, components: string): string; // ("o0", "xy") of the recording → Ancestry
  dead(): string; // → number[]: addresses of instructions that no output depends on, on any path
  equal(name: string, bytes: Uint8Array): string; // → Verdict about the program of another file
  meshes(): string; // → string[] built-in meshes
  setMesh(nameOrObj: string): string; // a built-in name, or the text of an .obj file → {problems}
  shows(): string; // → string[]: what a picture can be colored by
  // DrawRequest → RGBA8 rows from the top; empty on failure, then `lastProblem()`
  draw(json: string): Uint8Array;
  lastProblem(): string; // → Problem | null
  gpuDraw(json: string): string; // DrawRequest → GpuDraw
  gpuBytes(number: number): Uint8Array; // contents of buffer `number` of the last GpuDraw
}
export interface DrawRequest {
  width: number;
  height: number;
  yaw: number;
  pitch: number;
  distance: number;
  time: number;
  by: string; // one of `shows`, also a register "o0" to "o15"; "" for the first output
  wireframe: boolean;
}
// Everything that WebGPU needs. A vertex program: the page makes one render pipeline. A geometry
// program: compute passes in order, then an indirect draw. Edges are a list of lines with indices.
export interface GpuDraw {
  wgsl: string[]; // modules
  buffers: {
    bytes: number;
    usage: ("vertex" | "index" | "uniform" | "storage" | "indirect")[];
    content: number; /* for gpuBytes, -1: zero */
  }[];
  passes: {
    module: number;
    entry: string;
    bindings: { group: number; binding: number; buffer: number; dynamicOffset?: number; size?: number }[];
    workgroups: [number, number, number] | { indirect: number; offset: number };
  }[];
  draw: {
    vertexModule: number;
    vertexEntry: string;
    fragmentModule: number;
    fragmentEntry: string;
    vertexBuffers: {
      buffer: number;
      stride: number;
      step: "vertex" | "instance";
      attributes: { location: number; format: string; offset: number }[];
    }[];
    bindings: { group: number; binding: number; buffer: number }[];
    index?: { buffer: number; format: "uint16" | "uint32"; count: number };
    vertices?: number;
    // Arguments of a draw; with `index` of an indexed one
    indirect?: { buffer: number; offset: number };
    topology: "triangle-list" | "line-list";
    depth: boolean;
  };
}
