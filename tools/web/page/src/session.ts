// One program in one engine: what was opened, its edits, options and inputs. Everything that a new
// engine needs to continue is kept here, so that a lost one can be replaced.

import { CallError, Client } from "./client";
import type { Opened, Problem, Setting } from "./contract";
import { OPTIONS, SEED, VERTICES } from "./opening";

/** Everything that a link holds of a program. */
export interface Saved {
  name: string;
  /** Picasso text; without it `shbin` has the file. */
  text?: string;
  shbin?: string;
  selected?: number;
  options?: Record<string, unknown>;
  /** Seed of the generated inputs, and the state file that was loaded over them. */
  seed?: number;
  state?: string;
  /**
   * Uniforms that were set one by one, by register: a state does not say which of its values were.
   */
  sets?: [string, Given][];
  mesh?: string;
}

/** Arguments that set one register: its bank, its number, a list of its value. */
type Given = [bank: string, register: number, json: string];

interface Origin {
  name: string;
  bytes: Uint8Array;
  found?: number;
}

/** What changed: another file or program, the text, the options, the inputs. */
export type Change = "opened" | "edited" | "options" | "state" | "restored";

/** From this length on a text is assembled when typing pauses, not at each key. */
const LONG_TEXT = 100_000;

export class Session {
  opened: Opened | undefined;
  /** Name of the program among those that were opened: the path of a sample, else a new one. */
  program = "";
  /** The text that was typed last, while it has errors. */
  typed: string | undefined;
  /** Problems of the last text, which may not have become a program. */
  problems: Problem[] = [];
  options: Record<string, unknown> = {};
  mesh = "";
  /** Called after the program, the options or the inputs have changed. */
  onChange: (what: Change) => Promise<void> = async () => {};
  onError: (problem: Problem) => void = () => {};

  private origin: Origin | undefined;
  /** The text that was there first. */
  private begun = "";
  /** Milliseconds since 1970 at which the reader opened it: its key among recent ones. */
  began = 0;
  /** The last text that became a program. */
  private goodText: string | undefined;
  private seed = SEED;
  private stateText = "";
  private sets = new Map<string, Given>();
  private wanted: string | undefined;
  private running: Promise<void> | undefined;

  constructor(readonly client: Client) {
    client.onLost = (why) => void this.restore(why);
  }

  /** Opens a file; its inputs are guessed from a seed. */
  async open(name: string, bytes: Uint8Array, program = `${name} ${Date.now()}`): Promise<boolean> {
    this.wanted = undefined;
    try {
      // The bytes are transferred to no one: they are needed again when the engine is lost.
      const opened = await this.client.json<Opened>("open", name, bytes);
      this.origin = { name, bytes };
      await this.begin(opened, program);
      return true;
    } catch (error) {
      this.report(error);
      return false;
    }
  }

  /** Opens a shader inside the container. */
  async openFound(found: number): Promise<void> {
    try {
      const opened = await this.client.json<Opened>("openFound", found);
      if (this.origin) this.origin = { ...this.origin, found };
      await this.begin(opened, `${opened.name} ${found} ${Date.now()}`);
    } catch (error) {
      this.report(error);
    }
  }

  private async begin(opened: Opened, program: string): Promise<void> {
    this.program = program;
    this.typed = undefined;
    const isConfigured = this.hasOptions(OPTIONS);
    this.goodText = opened.kind === "source" && opened.programs.length > 0 ? opened.source : undefined;
    this.options = { ...OPTIONS };
    this.generated(SEED);
    this.begun = opened.source;
    this.began = Date.now();
    this.accept(opened);
    // The worker answers in order, so no view has to wait for these.
    if (!isConfigured) void this.client.json("configure", JSON.stringify(OPTIONS));
    if (opened.programs.length > 0) void this.client.json("seed", SEED, VERTICES);
    await this.onChange("opened");
  }

  /** Returns whether these options are set, and no others. */
  hasOptions(options: Record<string, unknown>): boolean {
    const key = (all: Record<string, unknown>) => JSON.stringify(Object.entries(all).sort());
    return key(options) === key(this.options);
  }

  /** Notes that all inputs are generated. */
  private generated(seed: number): void {
    this.seed = seed;
    this.stateText = "";
    this.sets.clear();
  }

  private accept(opened: Opened): void {
    this.opened = opened;
    this.problems = opened.problems;
  }

  /** Assembles a text. While one is assembled, only the newest of the following ones waits. */
  edit(text: string): Promise<void> {
    this.wanted = text;
    this.running ??= this.assemble().finally(() => (this.running = undefined));
    return this.running;
  }

  private async assemble(): Promise<void> {
    while (this.wanted !== undefined) {
      const text = this.wanted;
      if (text.length > LONG_TEXT) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        if (this.wanted !== text) continue;
      }
      this.wanted = undefined;
      try {
        const opened = await this.client.json<Opened>("edit", text);
        const hasError = opened.problems.some(({ severity }) => severity === "error");
        this.typed = hasError ? text : undefined;
        if (!hasError) this.goodText = text;
        this.accept(opened);
        if (this.wanted === undefined) await this.onChange("edited");
      } catch (error) {
        this.report(error);
      }
    }
  }

  async select(program: number): Promise<void> {
    await this.attempt(async () => {
      this.accept(await this.client.json<Opened>("select", program));
      await this.client.json("seed", SEED, VERTICES);
      this.generated(SEED);
      await this.onChange("opened");
    });
  }

  /** Sets one option; a value that equals the default is left out. */
  async configure(setting: Setting, value: unknown): Promise<Problem[]> {
    const options = { ...this.options };
    if (JSON.stringify(value) === JSON.stringify(setting.default)) delete options[setting.path];
    else options[setting.path] = value;
    return this.configureAll(options);
  }

  async configureAll(options: Record<string, unknown>): Promise<Problem[]> {
    let problems: Problem[] = [];
    await this.attempt(async () => {
      ({ problems } = await this.client.json<{ problems: Problem[] }>("configure", JSON.stringify(options)));
      if (!problems.some(({ severity }) => severity === "error")) this.options = options;
      await this.onChange("options");
    });
    return problems;
  }

  /**
   * Changes inputs by one call of the engine; returns why it did not, which leaves the old ones.
   */
  async input(method: "seed" | "setState" | "setUniform", ...args: unknown[]): Promise<Problem[]> {
    let problems: Problem[] = [];
    await this.attempt(async () => {
      ({ problems } = await this.client.json<{ problems: Problem[] }>(method, ...args));
      // The field says what is wrong with its value.
      if (method !== "setUniform") problems.forEach((problem) => this.onError(problem));
      if (problems.length > 0) return;
      if (method === "setUniform") this.note(...(args as Given));
      else if (method === "seed") this.generated(args[0] as number);
      else {
        this.stateText = args[0] as string;
        this.sets.clear();
      }
      await this.onChange("state");
    });
    return problems;
  }

  private note(bank: string, first: number, json: string): void {
    for (const [at, row] of (JSON.parse(json) as unknown[]).entries())
      this.sets.set(`${bank}${first + at}`, [bank, first + at, JSON.stringify([row])]);
  }

  /** Gives an engine the inputs that are kept. */
  private async replay(): Promise<void> {
    const calls: [string, ...unknown[]][] = [["seed", this.seed, VERTICES]];
    if (this.stateText) calls.push(["setState", this.stateText]);
    for (const args of this.sets.values()) calls.push(["setUniform", ...args]);
    for (const [method, ...args] of calls) {
      const { problems } = await this.client.json<{ problems: Problem[] }>(method, ...args);
      problems.forEach((problem) => this.onError(problem));
    }
  }

  async setMesh(mesh: string): Promise<void> {
    await this.attempt(async () => {
      const { problems } = await this.client.json<{ problems: Problem[] }>("setMesh", mesh);
      problems.forEach((problem) => this.onError(problem));
      // What is no mesh leaves the one before.
      if (problems.length === 0) this.mesh = mesh;
    });
  }

  /** Whether anything of the program is the reader's own. */
  get isChanged(): boolean {
    const { typed, goodText, begun, sets } = this;
    const isOther = goodText !== undefined && goodText !== begun;
    return typed !== undefined || isOther || !this.hasOptions(OPTIONS) || sets.size > 0;
  }

  /** Uniforms that the reader set, as arguments of `setUniform`. */
  get given(): Given[] {
    return [...this.sets.values()];
  }

  /**
   * Everything that a link holds. A text that was typed or opened is kept as text, with its
   * comments.
   */
  async save(): Promise<Saved | undefined> {
    const { opened } = this;
    if (!opened) return undefined;
    const { options, seed, stateText: state } = this;
    const saved: Saved = { name: opened.name, selected: opened.selected, options, seed, state };
    if (this.sets.size > 0) saved.sets = [...this.sets];
    if (this.mesh) saved.mesh = this.mesh;
    // A text that never was a program is kept as it is.
    const text = this.goodText ?? (opened.kind === "source" ? opened.source : undefined);
    if (text !== undefined) return { ...saved, text };
    const bytes = (await this.client.call("shbin")) as Uint8Array;
    return { ...saved, shbin: btoa(String.fromCharCode(...bytes)) };
  }

  /** Opens what a link holds. */
  async load(saved: Saved, program?: string): Promise<boolean> {
    const bytes =
      saved.text !== undefined
        ? new TextEncoder().encode(saved.text)
        : Uint8Array.from(atob(saved.shbin ?? ""), (letter) => letter.charCodeAt(0));
    if (!(await this.open(saved.name, bytes, program))) return false;
    await this.adopt(saved);
    return true;
  }

  /** Takes over what a link holds besides the file. */
  async adopt({ selected, seed, state, sets, mesh, options }: Partial<Saved>): Promise<void> {
    if (selected) await this.select(selected);
    if (seed !== undefined || state !== undefined || sets) {
      await this.attempt(async () => {
        this.seed = seed ?? this.seed;
        this.stateText = state ?? this.stateText;
        this.sets = new Map(sets);
        await this.replay();
        await this.onChange("state");
      });
    }
    if (mesh) await this.setMesh(mesh);
    if (options && !this.hasOptions(options)) await this.configureAll(options);
  }

  /** Brings a new engine to where the lost one was. */
  private async restore(why: string): Promise<void> {
    this.onError({ severity: "error", message: why, hint: "The engine was started again with the last good program." });
    if (!this.origin) return;
    const { client, origin, opened } = this;
    try {
      this.accept(await client.json<Opened>("open", origin.name, origin.bytes));
      if (origin.found !== undefined) this.accept(await client.json<Opened>("openFound", origin.found));
      if (this.goodText !== undefined && this.goodText !== this.opened?.source)
        this.accept(await client.json<Opened>("edit", this.goodText));
      if (opened?.selected) this.accept(await client.json<Opened>("select", opened.selected));
      await client.json("configure", JSON.stringify(this.options));
      await this.replay();
      if (this.mesh) await client.json("setMesh", this.mesh);
      await this.onChange("restored");
    } catch (error) {
      // A program that cannot even be opened again is given up, so that no loop of restarts begins.
      this.origin = undefined;
      this.report(error);
    }
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    // A lost engine is reported once, by `restore`.
    if (error instanceof CallError && error.lost) return;
    this.onError(error instanceof CallError ? error.problem : { severity: "error", message: String(error) });
  }
}
