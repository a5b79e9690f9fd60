// Starts the page: the engine, the editor, the panes, and what links them.

import { CallError, Client } from "./client";
import type { Code } from "./code";
import type { Problem } from "./contract";
import { byId, h } from "./dom";
import { Drafts } from "./drafts";
import { decode, encode, type Linked } from "./link";
import { Marks } from "./marks";
import { fileName } from "./opening";
import { comparePane } from "./panes/compare";
import { graphPane } from "./panes/graph";
import { optionsPane } from "./panes/options";
import type { Context } from "./panes/pane";
import { list } from "./panes/problems";
import { sizesPane } from "./panes/sizes";
import { StepPane } from "./panes/step";
import { tablesPane } from "./panes/tables";
import { textPane } from "./panes/text";
import { uniformsPane } from "./panes/uniforms";
import { WatchPane } from "./panes/watch";
import { type Change, Session } from "./session";
import { drops, keys, splits, theme } from "./shell";
import { ahead, load, worker } from "./start.js";
import { Tabs } from "./tabs";

/** Bytes from which on a file is for the command line. */
const FILE_LIMIT = 128 << 20;

class Page {
  readonly marks = new Marks();
  readonly session: Session;
  /** The editor, once its code is there. */
  editor: Code | undefined;
  readonly tabs: Tabs;
  readonly lower: Tabs;
  readonly step: StepPane;
  readonly watch: WatchPane;
  readonly compare: ReturnType<typeof comparePane>;
  /** Milliseconds from the last change to all visible panes, the picture apart. */
  panesTime = 0;
  /** Changes whose panes are complete. */
  changes = 0;
  private changed = performance.now();
  private readonly drafts = new Drafts((problem) => this.warn(problem));
  /** A draft is not complete before all of it is there again. */
  private isRestoring = false;
  private moves: Promise<void> = Promise.resolve();
  private readonly editing: Promise<Code>;

  constructor(private readonly samples: Sample[]) {
    const newClient = () => new Client(worker);
    this.session = new Session(new Client(worker, ahead));
    const context: Context = { session: this.session, marks: this.marks, say: (text) => this.say(text) };
    this.editing = this.edit();
    this.compare = comparePane(context, { newClient, samples, load });
    const text = (kind: string, title: string, language: "picasso" | "shading" | "module") =>
      textPane(context, kind, title, language);
    this.tabs = new Tabs(
      "Views of the program",
      [
        tablesPane(context),
        text("listing", "Listing", "picasso"),
        graphPane(context),
        text("tree", "Tree", "module"),
        text("ir", "IR", "module"),
        text("wgsl", "WGSL", "shading"),
        text("glsl", "GLSL", "shading"),
        text("spirv", "SPIR-V", "module"),
        text("reflection", "Reflection", "module"),
        sizesPane(context),
        optionsPane(context),
        this.compare,
      ],
      () => this.marks.repaint(),
    );
    byId("right").append(this.tabs.element);
    this.step = new StepPane(context);
    this.lower = new Tabs("Run", [this.step, uniformsPane(context)]);
    byId("steps").append(this.lower.element);
    this.watch = new WatchPane(context);
    this.watch.onFrame = () => this.lower.refresh(["uniforms"]);
    byId("watch").append(this.watch.element);
    this.session.onChange = (what) => this.follow(what);
    this.session.onError = (problem) => this.warn(problem);
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
    const upper = isStale && this.tabs.refresh(what === "state" ? ["compare", "sizes"] : undefined);
    const lower = isStale && this.lower.refresh();
    const editor = await this.editing;
    if (what === "opened") this.showSource(editor);
    if (what === "opened" || what === "edited") {
      if (!hasError) editor.setPlaces(opened.sourcePlaces.map((pc) => (pc < 0 ? [] : [pc])));
      editor.diagnose(session.problems);
      list(byId("problems"), session.problems, ({ line, column, pc }) =>
        line === undefined ? this.marks.select([pc ?? -1], "problems") : editor.goTo(line, column),
      );
      this.head();
    }
    await Promise.all([upper, lower]);
    if (isStale) this.watch.later();
    this.panesTime = performance.now() - this.changed;
    await this.keep();
    this.changes++;
    byId("times").textContent = `panes ${this.panesTime.toFixed(0)} ms`;
  }

  private showSource(editor: Code): void {
    const { opened } = this.session;
    if (!opened) return;
    byId("banner").hidden = true;
    this.marks.select([], "editor");
    this.marks.set({ current: -1, ancestors: [], dead: [] });
    const { program } = this.session;
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
  }

  warn({ message, hint }: Problem): void {
    const banner = byId("banner");
    banner.hidden = false;
    banner.replaceChildren(
      h("span", {}, message, hint ? ` – ${hint}` : ""),
      h("button", { type: "button", "aria-label": "Close the message", onclick: () => (banner.hidden = true) }, "✕"),
    );
  }

  async openSample(path: string): Promise<void> {
    try {
      await this.session.open(fileName(path), await load(path), path);
    } catch (error) {
      this.warn({ severity: "error", message: String(error) });
    }
  }

  async openFile(file: File): Promise<void> {
    if (file.size > FILE_LIMIT) {
      return this.warn({
        severity: "error",
        message: `${file.name} has ${(file.size / 1048576).toFixed(0)} MiB, the page takes 128`,
        hint: "`transpica scan` takes files of any size.",
      });
    }
    if (file.name.endsWith(".json")) return void (await this.session.input("setState", await file.text()));
    if (file.name.endsWith(".obj")) return this.session.setMesh(await file.text()).then(() => this.watch.want());
    await this.session.open(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  /** Opens what the browser's history or the address holds, else the first sample. */
  async start(): Promise<void> {
    this.header();
    const found = await this.enter();
    if (found !== true) await this.openSample(FIRST_SAMPLE);
    if (typeof found !== "boolean") this.warn(found);
    // One move after another: each opens a program in several steps.
    const move = async () => {
      const found = await this.enter();
      if (typeof found !== "boolean") this.warn(found);
    };
    window.addEventListener("popstate", () => (this.moves = this.moves.then(move)));
  }

  /** Opens what the entry of the history in front holds; returns whether it did, or why it cannot. */
  private async enter(): Promise<boolean | Problem> {
    const draft = this.drafts.enter();
    if (draft && draft.program !== this.session.program) return this.restore(draft.linked, draft.program);
    try {
      const linked = draft ? undefined : await decode(location.hash);
      if (linked) return this.restore(linked);
    } catch (error) {
      return { severity: "error", message: `The link is damaged: ${error instanceof Error ? error.message : error}` };
    }
    // A place in the same program.
    await this.keep();
    return draft !== undefined;
  }

  private async restore(linked: Linked, program?: string): Promise<boolean> {
    this.isRestoring = true;
    try {
      if (!(await this.session.load(linked, program))) return false;
      if (linked.typed !== undefined) (await this.editing).type(linked.typed);
      if (linked.tab) await this.tabs.show(linked.tab);
      if (linked.look) this.watch.look = linked.look;
    } finally {
      this.isRestoring = false;
    }
    await this.keep();
    return true;
  }

  /** Everything that a link holds. */
  private async linked(): Promise<Linked | undefined> {
    const saved = await this.session.save();
    return saved && { ...saved, tab: this.tabs.active, look: this.watch.look };
  }

  /** Lets a reload and Back find what is open. */
  private async keep(): Promise<void> {
    if (this.isRestoring) return;
    const { program, typed } = this.session;
    // A lost engine says so itself.
    const linked = await this.linked().catch(() => undefined);
    if (linked && program === this.session.program)
      this.drafts.keep({ program, linked: typed === undefined ? linked : { ...linked, typed } });
  }

  private async share(): Promise<void> {
    const linked = await this.linked();
    if (!linked) return this.say("There is nothing to share.");
    history.replaceState(history.state, "", await encode(linked));
    const address = location.href;
    try {
      await navigator.clipboard.writeText(address);
      this.say(`Link copied, ${address.length} characters.`);
    } catch {
      this.say(`The address bar has the link, ${address.length} characters.`);
    }
  }

  private header(): void {
    const file = byId<HTMLInputElement>("file");
    const dialog = byId<HTMLDialogElement>("keys");
    byId("open").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      for (const chosen of file.files ?? []) void this.openFile(chosen);
      file.value = "";
    });
    const samples = byId<HTMLSelectElement>("samples");
    samples.replaceChildren(
      h("option", { value: "" }, "–"),
      ...this.samples.map(({ name, path }) => h("option", { value: path }, name)),
    );
    samples.addEventListener("change", () => samples.value && void this.openSample(samples.value));
    const programs = byId<HTMLSelectElement>("programs");
    programs.addEventListener("change", () => void this.session.select(Number(programs.value)));
    byId("share").addEventListener("click", () => void this.share());
    byId("help").addEventListener("click", () => dialog.showModal());
    drops((dropped) => void this.openFile(dropped));
    const steps = {
      F8: () => this.step.forward(),
      F7: () => this.step.back(),
      F9: () => this.step.toLine(1),
      "Shift+F9": () => this.step.toLine(-1),
    };
    const run = (work: () => Promise<void>) => () => void work().catch((error: Error) => this.say(error.message));
    keys({
      ...Object.fromEntries(Object.entries(steps).map(([key, work]) => [key, run(work)])),
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => [`Alt+${digit}`, () => void this.tabs.showAt(digit - 1)]),
      ),
      "Alt+E": () => this.editor?.view.focus(),
      "Alt+W": () => byId("watch").querySelector<HTMLElement>(".stage")?.focus(),
      "Alt+P": () => this.watch.toggle(),
      "Ctrl+O": () => file.click(),
      F1: () => (dialog.open ? dialog.close() : dialog.showModal()),
    });
  }
}

async function main(): Promise<void> {
  theme();
  splits();
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
