// One vertex on the reference machine, instruction by instruction: registers, flags, stacks, what
// the last instruction changed, where an output comes from, and code without effect.

import type { Ancestry, Recording, StepState } from "../contract";
import { button, field, finite, h, number } from "../dom";
import { VERTICES } from "../opening";
import type { Context, Pane } from "./pane";

const LETTERS = "xyzw";

/** Rows of a register bank, with changed components marked. */
function bank(
  title: string,
  prefix: string,
  values: number[][],
  state: StepState,
  keep: (name: string) => boolean,
): HTMLElement {
  const changed = new Set(
    state.changed.flatMap((place) => {
      const [register = "", letters = LETTERS] = place.split(".");
      return [...letters].map((letter) => `${register}.${letter}`);
    }),
  );
  const rows = values.flatMap((value, index) => {
    const name = `${prefix}${index}`;
    if (!keep(name)) return [];
    const cells = value.map((component, at) =>
      h(
        "td",
        { class: changed.has(`${name}.${LETTERS[at]}`) ? "changed" : component === 0 ? "zero" : null },
        number(component),
      ),
    );
    return [
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row", title: state.names[name] ?? "" },
          state.names[name] ? h("span", {}, `${name} `, h("i", {}, state.names[name] ?? "")) : name,
        ),
        ...cells,
      ),
    ];
  });
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, title),
    ...[...LETTERS].map((letter) => h("th", { scope: "col" }, letter)),
  );
  return h("table", { class: "registers" }, h("thead", {}, head), h("tbody", {}, ...rows));
}

function flags(state: StepState): HTMLElement {
  const isChanged = (name: string) => state.changed.some((place) => place === name || place === name.split(".")[0]);
  const item = (name: string, value: string) =>
    h("span", { class: isChanged(name) ? "flag changed" : "flag" }, h("b", {}, name), value);
  const stack = (name: string, entries: string[]) =>
    h("span", { class: "flag" }, h("b", {}, name), entries.join(" · ") || "–");
  return h(
    "div",
    { class: "flags" },
    item("a0.x", String(state.a0[0])),
    item("a0.y", String(state.a0[1])),
    item("aL", String(state.aL)),
    item("cmp.x", String(state.cmp[0])),
    item("cmp.y", String(state.cmp[1])),
    stack("call", state.stacks.call),
    stack("if", state.stacks.if),
    stack("loop", state.stacks.loop),
  );
}

/** Inputs in few words: `c0–c3`, `v0.xyz`. */
function brief(inputs: string[]): string {
  const registers = new Map<string, string>();
  for (const [name = "", letter = ""] of inputs.map((input) => input.split(".")))
    registers.set(name, (registers.get(name) ?? "") + letter);
  const parts: string[] = [];
  let [first, last] = ["", ""];
  const flush = () => first && parts.push(first === last ? first : `${first}–${last}`);
  for (const [name, letters] of registers) {
    if (letters.length === 4 && last && name === `${last[0]}${Number(last.slice(1)) + 1}`) {
      last = name;
      continue;
    }
    flush();
    [first, last] = letters.length === 4 ? [name, name] : ["", ""];
    if (letters.length < 4) parts.push(letters ? `${name}.${letters}` : name);
  }
  flush();
  return parts.join(", ");
}

export class StepPane implements Pane {
  readonly id = "step";
  readonly title = "Step";
  readonly element: HTMLElement;
  private recording: Recording | undefined;
  private state: StepState | undefined;
  /** The step that was asked for last; keys may be faster than answers. */
  private at = 0;
  private program = "";
  private readonly vertex = h("input", {
    type: "number",
    min: 0,
    max: VERTICES - 1,
    value: 0,
    onchange: () => void this.record(),
  });
  private readonly slider = h("input", {
    type: "range",
    min: 0,
    max: 0,
    value: 0,
    "aria-label": "Step",
    oninput: () => void this.go(Number(this.slider.value)),
  });
  private readonly where = h("output", { class: "where", "aria-live": "polite" });
  private readonly registers = h("div", {
    class: "banks scroll",
    tabindex: 0,
    role: "region",
    "aria-label": "Registers",
  });
  private readonly output = h("select", { "aria-label": "Output to trace", onchange: () => void this.trace() });
  private readonly letters = [...LETTERS].map((letter) =>
    h(
      "button",
      {
        type: "button",
        class: "letter",
        "aria-pressed": "true",
        "aria-label": `Component ${letter}`,
        onclick: (event: Event) => {
          const pressed = event.currentTarget as HTMLElement;
          pressed.setAttribute("aria-pressed", String(pressed.getAttribute("aria-pressed") !== "true"));
          void this.trace();
        },
      },
      letter,
    ),
  );
  private readonly sources = h("span", { class: "sources", "aria-live": "polite" });
  private readonly deadBox = h("input", { type: "checkbox", onchange: () => void this.dead() });

  constructor(private readonly context: Context) {
    const bar = h(
      "div",
      { class: "bar" },
      field("Vertex", this.vertex),
      button("|◀", "To the first instruction", () => void this.go(0), { "aria-label": "To the start" }),
      button("◀", "Back one step (F7)", () => void this.back(), { "aria-label": "Back" }),
      button("▶", "Forward one step (F8)", () => void this.forward(), { "aria-label": "Forward", class: "primary" }),
      button("▶|", "To the end", () => void this.go(this.recording?.steps ?? 0), { "aria-label": "To the end" }),
      button("To line", "Run to the selected line (F9); with Shift backwards", () => void this.toLine(1)),
      this.slider,
      this.where,
    );
    const trace = h(
      "div",
      { class: "bar" },
      field("Made by", this.output),
      h("span", { class: "letters", role: "group", "aria-label": "Components" }, ...this.letters),
      this.sources,
      h("label", { class: "field end" }, this.deadBox, h("span", {}, "Dim dead code")),
    );
    this.element = h("div", { class: "step" }, bar, trace, this.registers);
  }

  async refresh(): Promise<void> {
    const { opened } = this.context.session;
    const program = `${opened?.name} ${opened?.selected}`;
    if (program !== this.program) this.at = 0;
    this.program = program;
    await this.record();
    await this.dead();
  }

  /** State of the shown step, for tests and the console. */
  get shown(): StepState | undefined {
    return this.state;
  }

  async record(): Promise<void> {
    const { session } = this.context;
    const { at } = this;
    this.recording = await session.client.json<Recording>("record", finite(this.vertex));
    const { steps, outputs, symbols, error } = this.recording;
    this.slider.max = String(steps);
    const chosen = this.output.value;
    this.output.replaceChildren(
      h("option", { value: "" }, "–"),
      ...Object.keys(outputs).map((name) =>
        h("option", { value: name }, symbols[name] ? `${name} ${symbols[name]}` : name),
      ),
    );
    if (chosen in outputs) this.output.value = chosen;
    await this.go(at, false);
    await this.trace();
    if (error) this.sources.textContent = error.message;
  }

  /** Shows a step; its instruction is selected everywhere if the reader asked for it. */
  async go(to: number, byReader = true): Promise<void> {
    if (!this.recording) return;
    const { session, marks } = this.context;
    const step = Math.max(0, Math.min(to, this.recording.steps));
    this.at = step;
    const state = await session.client.json<StepState>("step", step);
    if (this.at !== step) return;
    const isSame = JSON.stringify(state) === JSON.stringify(this.state);
    this.state = state;
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `step ${step}: ${state.text}`);
    this.where.replaceChildren(
      h("b", {}, `${step} / ${this.recording.steps}${this.recording.complete ? "" : "+"}`),
      state.pc < 0 ? " end" : ` pc 0x${state.pc.toString(16)}  `,
      h("code", {}, state.pc < 0 ? "" : state.text),
    );
    const known = (name: string) => !Object.keys(state.names).some((key) => key[0] === name[0]) || name in state.names;
    if (!isSame)
      this.registers.replaceChildren(
        flags(state),
        h(
          "div",
          { class: "columns" },
          h("div", {}, bank("in", "v", state.v, state, known), bank("out", "o", state.o, state, known)),
          bank("temp", "r", state.r, state, () => true),
        ),
      );
    marks.set({ current: state.pc });
    if (byReader && state.pc >= 0) marks.select([state.pc], "step");
  }

  forward(): Promise<void> {
    return this.go(this.at + 1);
  }

  back(): Promise<void> {
    return this.go(this.at - 1);
  }

  /** Runs until the selected line is next, forwards or backwards. */
  async toLine(direction: 1 | -1): Promise<void> {
    const { session, marks, say } = this.context;
    const from = this.at;
    // The step itself selects its line, so a line that the reader chose is any other one.
    const found = await Promise.all(
      [...marks.selected].slice(0, 64).map((pc) => session.client.call("find", pc, from, direction) as Promise<number>),
    );
    const steps = found.filter((step) => step >= 0);
    if (steps.length === 0)
      return say(direction > 0 ? "The selected line is not run again." : "The selected line was not run before.");
    await this.go(direction > 0 ? Math.min(...steps) : Math.max(...steps));
  }

  private async trace(): Promise<void> {
    const { session, marks } = this.context;
    const components = this.letters
      .filter((letter) => letter.getAttribute("aria-pressed") === "true")
      .map((letter) => letter.textContent)
      .join("");
    if (!this.output.value || !components) {
      marks.set({ ancestors: [] });
      this.sources.textContent = "";
      return;
    }
    const { pcs, inputs, steps } = await session.client.json<Ancestry>("ancestry", this.output.value, components);
    marks.set({ ancestors: pcs });
    this.sources.textContent = `${steps.length} steps, from ${brief(inputs) || "constants"}`;
  }

  private async dead(): Promise<void> {
    const { session, marks } = this.context;
    marks.set({ dead: this.deadBox.checked ? await session.client.json<number[]>("dead") : [] });
  }
}
