// Starts the page: the engine, the editor, the panes, and what links them.

import { CallError, Client } from "./client";
import type { Code } from "./code";
import type { Opened, Problem } from "./contract";
import { byId, h } from "./dom";
import { type Draft, Drafts } from "./drafts";
import { decode, encode, isLinked, type Linked } from "./link";
import { ENTRY, Marks } from "./marks";
import { fileName, OPTIONS, SEED } from "./opening";
import { type Context, late } from "./panes/pane";
import type { Second } from "./panes/compare";
import { list } from "./panes/problems";
import { StepPane } from "./panes/step";
import { textPane } from "./panes/text";
import { WatchPane } from "./panes/watch";
import { type Change, Session } from "./session";
import { bar, drops, keys, splits, theme } from "./shell";
import { ahead, load, worker } from "./start.js";
import { Tabs } from "./tabs";

/** Bytes from which on a file is for the command line. */
const FILE_LIMIT = 128 << 20;
/** Milliseconds without a change after which a program joins the recent ones. */
const PAUSE = 1000;
/** Milliseconds that the status line keeps a sentence. */
const SAID = 15_000;
/** Embedded in another page: only source, translation and picture are shown. */
const isEmbedded = /^#embed(&|$)/.test(location.hash);

class Page {
  readonly marks = new Marks();
  readonly session: Session;
  /** The editor, once its code has loaded. */
  editor: Code | undefined;
  readonly tabs: Tabs;
  readonly lower: Tabs;
  /** The program that is compared with. */
  readonly second: Second;
  readonly step: StepPane;
  readonly watch: WatchPane;
  /** Milliseconds, which only one tab shows. */
  readonly times = new Map<string, number>();
  /** Milliseconds from the last change to all visible panes, the picture apart. */
  panesTime = 0;
  /** Changes whose panes are complete. */
  changes = 0;
  private changed = performance.now();
  private readonly drafts = new Drafts((problem) => this.warn(problem));
  /** The mesh that the sample in front came with. */
  private meshOfSample: string | undefined;
  /** Set while a draft is restored: one that was kept meanwhile would be incomplete. */
  private isRestoring = false;
  private moves: Promise<void> = Promise.resolve();
  private pause: ReturnType<typeof setTimeout> | undefined;
  /** The program whose source is shown. */
  private shown = "";
  /** The file that is being read, which messages name. */
  private file = "";
  private readonly editing: Promise<Code>;
  /** The view of a program that nobody has looked at. */
  private readonly home: Partial<Linked>;

  constructor(private readonly samples: Sample[]) {
    const newClient = () => new Client(worker);
    this.session = new Session(new Client(worker, ahead));
    const { session, marks, times } = this;
    const context: Context = { session, marks, times, say: (text) => this.say(text) };
    this.editing = this.edit();
    const text = (kind: string, title: string, language: "picasso" | "shading" | "module") =>
      textPane(context, kind, title, language);
    this.second = { newClient, samples, load, picture: (width, height) => this.watch.sized(width, height), onOpen: () => void this.keep() };
    const { second } = this;
    const write = async (name: string, text: string) => {
      if (session.program === name) return this.editor?.type(text);
      return this.replace(async () => void (await session.open(name, new TextEncoder().encode(text), name)));
    };
    this.tabs = new Tabs(
      "Views of the program",
      [
        [
          "Languages",
          [
            text("wgsl", "WGSL", "shading"),
            text("glsl", "GLSL", "shading"),
            text("hlsl", "HLSL", "shading"),
            text("msl", "MSL", "shading"),
            text("spirv", "SPIR-V", "module"),
          ],
        ],
        [
          "",
          [
            late("options", "Options", () => import("./panes/options").then((made) => made.optionsPane(context))),
            late("shader", "From WGSL", () => import("./panes/shader").then((made) => made.shaderPane(context, write))),
            late("compare", "Compare", () => import("./panes/compare").then((made) => made.comparePane(context, second))),
          ],
        ],
        [
          "Program",
          [
            late("graph", "Graph", () => import("./panes/graph").then(({ graphPane }) => graphPane(context))),
            late("tables", "Tables", () => import("./panes/tables").then(({ tablesPane }) => tablesPane(context))),
            text("listing", "Listing", "picasso"),
            text("tree", "Tree", "module"),
            text("ir", "IR", "module"),
            text("reflection", "Reflection", "module"),
            late("sizes", "Sizes & times", () => import("./panes/sizes").then(({ sizesPane }) => sizesPane(context))),
          ],
        ],
      ],
      () => this.marks.repaint(),
    );
    this.step = new StepPane(context);
    const uniforms = () => import("./panes/uniforms").then(({ uniformsPane }) => uniformsPane(context));
    this.lower = new Tabs("Run", [["", [this.step, late("uniforms", "Uniforms", uniforms)]]]);
    this.watch = new WatchPane(context);
    // While the time runs, steps stay with the numbers of the picture that was recorded.
    this.watch.onFrame = () => this.lower.refresh(this.watch.isPlaying ? ["uniforms"] : ["uniforms", "step"]);
    this.watch.onPick = async (picked) => {
      if (picked.vertices.length === 0) return this.say("Nothing is drawn there.");
      await this.lower.show("step");
      await this.step.pick(picked);
      this.say(`Stepping ${this.step.subject} of the clicked triangle.`);
    };
    marks.onToggle = () => void this.keep();
    this.home = this.seen;
    const parts = { right: this.tabs.element, watch: this.watch.element, lower: this.lower.element };
    for (const [id, element] of Object.entries(parts))
      byId(id).append(h("p", { class: "stale" }, "Shows the last text without errors."), element);
    this.session.onChange = (what) => this.follow(what);
    this.session.onError = (problem) => this.warn(problem, this.file);
  }

  /** Makes the editor. Its code is the largest part of the page's, and the engine need not wait. */
  private async edit(): Promise<Code> {
    const { Code } = await import("./code");
    this.editor = new Code({
      label: "Source of the program",
      origin: "editor",
      language: "picasso",
      marks: this.marks,
      write: (text) => {
        this.changed = performance.now();
        void this.session.edit(text);
      },
      ask: (method, ...place) => this.session.client.json(method, ...place),
    });
    byId("source").append(this.editor.view.dom);
    return this.editor;
  }

  /** Brings everything that is visible up to date. */
  private async follow(what: Change): Promise<void> {
    const { session } = this;
    const { opened } = session;
    if (!opened) return;
    if (what === "restored") {
      await Promise.all([this.tabs.refresh([]), this.lower.restore(["step"])]);
      return this.watch.want();
    }
    if (what !== "edited") this.changed = performance.now();
    const hasError = session.problems.some(({ severity }) => severity === "error");
    // With errors everything else stays at the last good program of the same file. The engine works
    // while the source is shown.
    const isStale = what !== "edited" || !hasError;
    if (what === "opened" || what === "edited")
      byId("main").toggleAttribute("data-stale", what === "edited" && hasError && opened.programs.length > 0);
    const upper = isStale && this.tabs.refresh(what === "state" ? ["compare", "sizes"] : undefined);
    const lower = isStale && this.lower.refresh();
    const editor = await this.editing;
    if (what === "opened") this.showSource(editor);
    if (what === "opened" || what === "edited") {
      if (!hasError) editor.setPlaces(placesOf(opened));
      editor.diagnose(session.problems);
      const below = byId("problems");
      const { childElementCount } = below;
      list(below, session.problems, {
        goTo: ({ line, column, pc }) =>
          line === undefined ? this.marks.select([pc ?? -1], "problems") : editor.goTo(line, column),
        write: (problem, word) => editor.write(problem, word),
      });
      if (below.childElementCount !== childElementCount) editor.keepInView();
      this.head();
    }
    await Promise.all([upper, lower]);
    if (isStale) this.watch.later();
    this.panesTime = performance.now() - this.changed;
    await this.keep();
    this.changes++;
    this.times.set("last change to all visible panes", this.panesTime);
  }

  private showSource(editor: Code): void {
    const { opened } = this.session;
    if (!opened) return;
    byId("banner").hidden = true;
    this.marks.select([], "editor");
    this.marks.set({ current: -1, ancestors: [], dead: [] });
    const { program } = this.session;
    if (this.shown !== program) this.marks.stopAt([]);
    this.shown = program;
    if (editor.open(program, opened.source)) this.say(`Undoing (Ctrl+Z) brings back your text of ${opened.name}.`);
    const samples = byId<HTMLSelectElement>("samples");
    samples.value = this.samples.some(({ path }) => path === program) ? program : "";
    const programs = byId<HTMLSelectElement>("programs");
    programs.replaceChildren(
      ...opened.programs.map(({ index, stage, name }) => h("option", { value: index }, `${index} · ${stage} ${name}`)),
    );
    programs.value = String(opened.selected);
    byId("program-field").hidden = opened.programs.length < 2;
    const found = byId("found");
    found.hidden = opened.found.length === 0;
    found.replaceChildren(
      h("p", {}, `${opened.found.length} shaders in ${opened.name}`),
      h(
        "ul",
        {},
        ...opened.found
          .slice(0, 2000)
          .map(({ number, path, kind, bytes, duplicateOf }) =>
            h(
              "li",
              {},
              h(
                "button",
                { type: "button", onclick: () => void this.session.openFound(number) },
                path || `${kind} ${number}`,
              ),
              h(
                "span",
                { class: "muted" },
                `${bytes} bytes${duplicateOf === undefined ? "" : `, same as ${duplicateOf}`}`,
              ),
            ),
          ),
      ),
    );
  }

  private head(): void {
    const { opened } = this.session;
    if (!opened) return;
    const program = opened.programs.find(({ index }) => index === opened.selected) ?? opened.programs[0];
    byId("name").textContent = opened.name;
    byId("head").textContent = program
      ? `${program.stage}, ${program.instructions} instructions, ${opened.bytes} bytes`
      : "";
    document.title = `${opened.name} – transpica`;
  }

  say(text: string): void {
    byId("status").textContent = text;
    clearTimeout(this.said);
    // What is said is about what the reader did last.
    this.said = setTimeout(() => (byId("status").textContent = ""), SAID);
  }

  private said: ReturnType<typeof setTimeout> | undefined;

  warn({ message, hint }: Problem, file = ""): void {
    const banner = byId("banner");
    banner.hidden = false;
    banner.replaceChildren(
      h("span", {}, file && !message.includes(file) ? `${file}: ` : "", message, hint ? ` – ${hint}` : ""),
      h("button", { type: "button", "aria-label": "Close the message", onclick: () => (banner.hidden = true) }, "✕"),
    );
  }

  /** State file of a sample, and the mesh that it names. */
  private async inputs(path: string): Promise<{ state: string; mesh?: string }> {
    const file = this.samples.find((sample) => sample.path === path)?.state;
    const state = file ? new TextDecoder().decode(await load(file)) : "";
    const { mesh } = JSON.parse(state || "{}") as { mesh?: string };
    return { state, ...(mesh ? { mesh } : {}) };
  }

  async openSample(path: string): Promise<void> {
    await this.reading(fileName(path), async () => {
      const { session } = this;
      const { state, mesh } = await this.inputs(path);
      // The mesh of a sample goes with it; one that the reader chose stays.
      const next = mesh ?? (session.mesh === this.meshOfSample ? "lathe" : undefined);
      this.meshOfSample = mesh;
      if (next) await session.setMesh(next);
      await session.open(fileName(path), await load(path), path);
      if (state) await session.input("setState", state);
    });
  }

  /** Reads a file; messages name it meanwhile. */
  private async reading(name: string, work: () => Promise<void>): Promise<void> {
    this.file = name;
    try {
      await work();
    } catch (error) {
      this.warn({ severity: "error", message: error instanceof Error ? error.message : String(error) }, name);
    } finally {
      this.file = "";
    }
  }

  /** Opens files, several sources of a program as one text. */
  private async openFiles(files: File[]): Promise<void> {
    const { openFiles } = await import("./doubt");
    await openFiles(files, (file) => this.openFile(file));
  }

  async openFile(file: File): Promise<void> {
    const { name, size } = file;
    if (size > FILE_LIMIT) {
      const message = `${name} has ${(size / 1048576).toFixed(0)} MiB, the page takes 128`;
      return this.warn({ severity: "error", message, hint: "`transpica scan` takes files of any size." });
    }
    await this.reading(name, async () => {
      const { session } = this;
      if (name.endsWith(".json")) return void (await session.input("setState", await file.text()));
      if (name.endsWith(".obj")) return session.setMesh(await file.text()).then(() => this.watch.want());
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { doubt } = await import("./doubt");
      const why = doubt(name, bytes);
      const open = () => this.replace(() => this.reading(name, async () => void (await session.open(name, bytes))));
      if (!why) return open();
      const { ask } = await import("./dialogs");
      ask(`${name} does not look like a program`, why, "Open it anyway", () => void open());
    });
  }

  /** Opens what the browser's history or the address holds, else the first sample. */
  async start(): Promise<void> {
    this.header();
    const found = await this.enter();
    if (found !== true) {
      await this.openSample(FIRST_SAMPLE);
      this.animate();
    }
    if (typeof found !== "boolean") this.warn(found);
    // One move after another: each opens a program in several steps.
    const move = async () => {
      const found = await this.enter();
      if (typeof found !== "boolean") this.warn(found);
    };
    window.addEventListener("popstate", () => (this.moves = this.moves.then(move)));
  }

  /** Lets the time run until the reader begins to work, for whom nothing may change by itself. */
  private animate(): void {
    if (isEmbedded || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.watch.toggle();
    const end = ({ target }: Event) => {
      if (byId("watch").contains(target as Node)) return;
      for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, end, true);
      if (this.watch.isPlaying) this.watch.toggle();
    };
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, end, true);
  }

  /**
   * Opens what the entry of the history in front holds; returns whether it did, or why it cannot.
   */
  private async enter(): Promise<boolean | Problem> {
    const draft = this.drafts.enter();
    if (draft && draft.program !== this.session.program) return this.restore(draft.linked, draft);
    try {
      const linked = draft ? undefined : await decode(location.hash);
      if (linked) return await this.restore(linked);
    } catch (error) {
      return { severity: "error", message: `The link is damaged: ${error instanceof Error ? error.message : error}` };
    }
    // A place in the same program.
    await this.keep();
    return draft !== undefined;
  }

  private async restore(linked: Linked, draft?: Draft): Promise<boolean> {
    this.isRestoring = true;
    try {
      if (linked.sample !== undefined) await this.adopt(linked);
      else if (!(await this.session.load(linked, draft?.program))) return false;
      if (draft?.began) this.session.began = draft.began;
      if (linked.breaks) this.marks.stopAt(linked.breaks);
      if (linked.typed !== undefined) (await this.editing).type(linked.typed);
      if (linked.second && isLinked(linked.second)) this.second.opened = linked.second;
      if (linked.tab) await this.tabs.show(linked.tab);
      if (linked.lower) await this.lower.show(linked.lower);
      if (linked.stepped) await this.step.see(linked.stepped);
      if (linked.marked) this.marks.select(linked.marked, "link");
      if (linked.look) this.watch.look = linked.look;
    } finally {
      this.isRestoring = false;
    }
    await this.keep();
    return true;
  }

  /** The view of a program, as links hold it. */
  private get seen() {
    const { tabs, lower, step, watch, marks } = this;
    // A text may be selected as a whole.
    const marked = [...marks.selected].slice(0, 64);
    return { tab: tabs.active, lower: lower.active, stepped: step.seen, marked, look: watch.look };
  }

  /** Opens the sample of a link, and what the link changes of it. */
  private async adopt(linked: Linked): Promise<void> {
    const found = this.samples.find(({ name }) => name === linked.sample);
    if (!found) throw new Error(`there is no sample ${linked.sample}`);
    await this.openSample(found.path);
    await this.session.adopt(linked);
  }

  /** What a link of the sample in front need not hold; nothing if its text was changed. */
  private async first({ text }: Linked): Promise<Partial<Linked>> {
    const sample = this.samples.find(({ path }) => path === this.session.program);
    if (!sample || (text !== undefined && text !== new TextDecoder().decode(await load(sample.path)))) return {};
    const inputs = { seed: SEED, mesh: "lathe", ...(await this.inputs(sample.path)) };
    return { ...this.home, ...inputs, sample: sample.name, selected: 0, options: OPTIONS };
  }

  /** Everything that a link holds. */
  private async linked(): Promise<Linked | undefined> {
    const saved = await this.session.save();
    const { tabs, marks } = this;
    if (!saved) return undefined;
    const linked: Linked = { ...saved, ...this.seen };
    if (marks.breaks.size > 0) linked.breaks = [...marks.breaks];
    // Who shares another tab does not share what was compared before.
    if (tabs.active === "compare" && this.second.opened) linked.second = this.second.opened;
    return linked;
  }

  /** Lets a reload and Back find what is open. */
  private async keep(): Promise<void> {
    if (this.isRestoring || isEmbedded) return;
    const { program, began, typed, isChanged } = this.session;
    // A lost engine says so itself.
    const linked = await this.linked().catch(() => undefined);
    if (!linked || program !== this.session.program) return;
    const draft = { program, began, linked: typed === undefined ? linked : { ...linked, typed } };
    this.drafts.keep(draft);
    if (!isChanged) return;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => void import("./recent").then(({ remember }) => remember(draft)), PAUSE);
  }

  /** Lists the programs that were changed last. */
  private async recent(): Promise<void> {
    const [{ recent }, { forget, recents }] = await Promise.all([import("./dialogs"), import("./recent")]);
    recent(recents(), (one) => void this.restore(one.linked, one), forget);
  }

  /** Opens another program, if the one before is kept or the reader lets it go. */
  private async replace(open: () => Promise<void>): Promise<void> {
    const { isChanged, opened } = this.session;
    if (!isChanged || !this.drafts.isRefused) {
      if (isChanged) this.say(`Your changes of ${opened?.name} are kept: Back or Recent brings them back.`);
      return open();
    }
    byId<HTMLSelectElement>("samples").value = this.session.program;
    const { ask } = await import("./dialogs");
    ask(`Leave ${opened?.name}?`, "This browser does not keep what you changed in it.", "Leave it", () => void open());
  }

  private async share(): Promise<void> {
    const linked = await this.linked();
    if (!linked) return this.say("There is nothing to share.");
    let fragment: string;
    let without = "";
    try {
      fragment = await encode(linked, await this.first(linked));
    } catch {
      // Of what is in a link, only the second program can be left out.
      const { second, ...first } = linked;
      fragment = await encode(first);
      without = second ? "Without the second program: both are too long for a link." : "";
    }
    history.replaceState(history.state, "", fragment);
    const address = location.href;
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error("no clipboard"));
    const isCopied = await copied.then(
      () => true,
      () => false,
    );
    const { share } = await import("./dialogs");
    const { watch } = this;
    const animation = (progress: (share: number) => void) => watch.animation(progress);
    share({ name: linked.name, address, isCopied, without, picture: () => watch.png(), animation });
  }

  private header(): void {
    const file = byId<HTMLInputElement>("file");
    const help = () => void import("./dialogs").then(({ keys }) => keys());
    byId("open").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      const chosen = [...(file.files ?? [])];
      file.value = "";
      void this.openFiles(chosen);
    });
    const samples = byId<HTMLSelectElement>("samples");
    samples.replaceChildren(
      h("option", { value: "" }, "–"),
      ...this.samples.map(({ name, path }) => h("option", { value: path }, name)),
    );
    samples.addEventListener("change", () => {
      const { value } = samples;
      if (value) void this.replace(() => this.openSample(value));
    });
    const programs = byId<HTMLSelectElement>("programs");
    const select = async () => {
      await this.session.select(Number(programs.value));
      this.marks.select([ENTRY], "programs");
    };
    programs.addEventListener("change", () => void select());
    byId("share").addEventListener("click", () => void this.share());
    byId("recent").addEventListener("click", () => void this.recent());
    byId("help").addEventListener("click", help);
    byId("about").addEventListener("click", () => void import("./dialogs").then(({ about }) => about()));
    drops((dropped) => void this.openFiles(dropped));
    if (isEmbedded) this.embed();
    const steps = {
      F8: () => this.step.forward(),
      F7: () => this.step.back(),
      F9: () => this.step.toLine(1),
      "Shift+F9": () => this.step.toLine(-1),
      F4: () => this.step.run(1),
      "Shift+F4": () => this.step.run(-1),
    };
    const run = (work: () => Promise<void>) => () => void work().catch((error: Error) => this.say(error.message));
    keys({
      ...Object.fromEntries(Object.entries(steps).map(([key, work]) => [key, run(work)])),
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => [`Alt+${digit}`, () => void this.tabs.showAt(digit - 1)]),
      ),
      "Alt+B": () => this.step.toggle(),
      "Alt+E": () => this.editor?.view.focus(),
      "Alt+W": () => byId("watch").querySelector<HTMLElement>(".stage")?.focus(),
      "Alt+P": () => this.watch.toggle(),
      "Ctrl+O": () => file.click(),
      F1: help,
    });
  }

  /** Leaves what a frame of another page has no room for, and links to all of it. */
  private embed(): void {
    document.documentElement.dataset["embed"] = "";
    const whole = byId<HTMLAnchorElement>("whole");
    whole.hidden = false;
    whole.addEventListener("pointerdown", () => void this.linked().then(async (linked) => {
      if (linked) whole.href = location.pathname + (await encode(linked, await this.first(linked)));
    }));
    whole.href = location.pathname + location.hash.replace(/^#embed&?/, "#");
  }
}

/** Addresses of each line of the source; the line of the procedure that begins has that of the entry. */
function placesOf({ source, sourcePlaces, programs, selected }: Opened): number[][] {
  const places = sourcePlaces.map((pc) => (pc < 0 ? [] : [pc]));
  const entry = programs.find(({ index }) => index === selected)?.entry;
  const end = entry === undefined ? 0 : sourcePlaces.indexOf(entry);
  const lines = source.split("\n", Math.max(0, end));
  const line = lines.map((text) => /^\s*\.proc\b/i.test(text)).lastIndexOf(true);
  if (line >= 0) places[line] = [ENTRY];
  return places;
}

async function main(): Promise<void> {
  theme();
  splits();
  bar();
  const page = new Page(SAMPLES);
  // A lost engine says so itself.
  window.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    if (!(event.reason instanceof CallError && event.reason.lost))
      page.warn({ severity: "error", message: String(event.reason?.message ?? event.reason) });
  });
  Object.assign(globalThis, { transpica: page });
  await page.start();
  performance.mark("started");
  // The adapter comes after the first texts: drivers take their time.
  void page.watch.open();
  document.documentElement.dataset["started"] = "";
  if ("serviceWorker" in navigator)
    await navigator.serviceWorker
      .register("sw.js")
      .catch((error: Error) => page.say(`Not kept for offline use: ${error.message}`));
}

void main();
