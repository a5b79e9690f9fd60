// One vertex on the reference machine, instruction by instruction: registers, flags, stacks, what
// the last instruction changed, what the next one reads and writes, all values of a register, where an
// output comes from, and code without effect.

import type { Ancestry, Recording, StepState, Timeline } from "../contract";
import { CallError } from "../client";
import { button, field, finite, h, number } from "../dom";
import { VERTICES } from "../opening";
import type { Context, Pane } from "./pane";

const LETTERS = "xyzw";

/** Components that a list of places names. */
function components(places: string[]): Set<string> {
  return new Set(
    places.flatMap((place) => {
      const [register = "", letters = LETTERS] = place.split(".");
      return [...letters].map((letter) => `${register}.${letter}`);
    }),
  );
}

/** Rows of a register bank; what changed, or what the next instruction uses, is marked. */
function bank(
  title: string,
  prefix: string,
  values: number[][],
  state: StepState,
  keep: (name: string) => boolean,
): HTMLElement {
  const marked = { changed: components(state.changed), reads: components(state.reads), writes: components(state.writes) };
  const rows = values.flatMap((value, index) => {
    const name = `${prefix}${index}`;
    if (!keep(name)) return [];
    const cells = value.map((component, at) => {
      const classes = Object.entries(marked).filter(([, places]) => places.has(`${name}.${LETTERS[at]}`));
      const zero = component === 0 ? "zero " : "";
      return h("td", { class: zero + classes.map(([name]) => name).join(" ") }, number(component));
    });
    const label = state.names[name] ? [`${name} `, h("i", {}, state.names[name] ?? "")] : [name];
    // Inputs do not change: they have no times.
    const isTimed = prefix !== "v";
    return [
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          isTimed
            ? h("button", { type: "button", class: "register", "data-register": name, title: "All values in this run" }, ...label)
            : h("span", {}, ...label),
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
    ...state.reads.filter((place) => /^[cib]/.test(place) && !place.startsWith("cmp")).map((place) => {
      const register = place.split(".")[0] ?? "";
      const values = (state.uniforms[register] ?? []).map((value) => (typeof value === "boolean" ? String(value) : number(value)));
      return h("span", { class: "flag reads" }, h("b", {}, register, " ", state.names[register] ?? ""), values.join(" "));
    }),
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

/** The shown step, and what is marked by it. */
export interface Stepped {
  vertex: number;
  ofMesh: boolean;
  step: number;
  output: string;
  letters: string;
  dead: boolean;
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
  private readonly whose = h(
    "select",
    { "aria-label": "Vertex of", onchange: () => void this.record() },
    h("option", { value: "state" }, "of the generated inputs"),
    h("option", { value: "mesh" }, "of the mesh in the picture"),
  );
  /** Vertices of the triangle that was clicked in the picture. */
  private readonly corners = h("span", { class: "corners", role: "group", "aria-label": "Vertices of the triangle" });
  /** The register whose values are listed. */
  private timed = "";
  private readonly timeline = h("div", { class: "timeline scroll", tabindex: 0, role: "region", "aria-label": "Values of a register", hidden: true });
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
      this.whose,
      this.corners,
      button("Start", "To the first instruction", () => void this.go(0)),
      button("Back", "One step back (F7)", () => void this.back()),
      button("Step", "One step forward (F8)", () => void this.forward(), { class: "primary" }),
      button("End", "Behind the last instruction", () => void this.go(this.recording?.steps ?? 0)),
      button("Run to selected line", "F9; with Shift backwards", () => void this.toLine(1)),
      button("Run to NaN or infinity", "The next step that writes one", () => void this.toSpecial()),
      this.slider,
      this.where,
    );
    const trace = h(
      "div",
      { class: "bar" },
      field("Mark what computes", this.output),
      h("span", { class: "letters", role: "group", "aria-label": "Components" }, ...this.letters),
      this.sources,
      h("label", { class: "field end" }, this.deadBox, h("span", {}, "Strike out code without effect")),
    );
    this.registers.addEventListener("click", (event) => {
      const { register } = (event.target as HTMLElement).closest<HTMLElement>(".register")?.dataset ?? {};
      if (register) void this.time(register === this.timed ? "" : register);
    });
    this.element = h("div", { class: "step" }, bar, trace, h("div", { class: "machine" }, this.registers, this.timeline));
  }

  /** Steps a vertex of a triangle of the picture. */
  async pick(vertices: number[]): Promise<void> {
    const step = (vertex: number) => {
      this.whose.value = "mesh";
      this.vertex.value = this.vertex.defaultValue = String(vertex);
      for (const one of this.corners.querySelectorAll("button"))
        one.setAttribute("aria-pressed", String(one.textContent === String(vertex)));
      return this.record();
    };
    const choices = vertices.map((vertex) => button(String(vertex), "", () => void step(vertex)));
    this.corners.replaceChildren(...(choices.length > 0 ? ["Clicked triangle: ", ...choices] : []));
    if (vertices[0] !== undefined) await step(vertices[0]);
  }

  /** Lists all values of a register in this run, and marks the instructions that wrote them. */
  private async time(register: string): Promise<void> {
    const { session, marks } = this.context;
    this.timed = register;
    this.timeline.hidden = register === "";
    for (const one of this.registers.querySelectorAll<HTMLElement>(".register"))
      one.classList.toggle("is-timed", one.dataset["register"] === register);
    if (!register) return this.trace();
    const { values, more } = await session.client.json<Timeline>("timeline", register);
    if (this.timed !== register) return;
    marks.set({ ancestors: values.map(({ pc }) => pc) });
    const rows = values.map(({ step, value }) => {
      const cells = value.map((component) => h("td", {}, number(component)));
      const go = button(String(step + 1), "To the step that follows", () => void this.go(step + 1));
      return h("tr", { "data-step": step + 1 }, h("th", { scope: "row" }, go), ...cells);
    });
    const head = ["Step", ...LETTERS].map((name) => h("th", { scope: "col" }, name));
    this.timeline.replaceChildren(
      h(
        "table",
        { class: "registers" },
        h("caption", {}, `${register} is written ${values.length + more} times`),
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...rows),
      ),
    );
    this.showNow();
  }

  /** Marks the value that the timed register has now. */
  private showNow(): void {
    if (this.timeline.hidden) return;
    const rows = [...this.timeline.querySelectorAll<HTMLElement>("tr[data-step]")];
    const now = rows.filter((row) => Number(row.dataset["step"]) <= this.at).pop();
    for (const row of rows) row.classList.toggle("changed", row === now);
    now?.scrollIntoView({ block: "nearest" });
  }

  async refresh(): Promise<void> {
    const { opened } = this.context.session;
    const program = `${opened?.name} ${opened?.selected}`;
    if (program !== this.program && this.program) this.forget();
    this.program = program;
    await this.record();
    await this.dead();
  }

  /** Goes back to the first generated vertex. */
  private forget(): void {
    this.at = 0;
    this.whose.value = "state";
    this.vertex.value = this.vertex.defaultValue = "0";
    this.vertex.max = String(VERTICES - 1);
    this.corners.replaceChildren();
  }

  /** What a link holds of it. */
  get seen(): Stepped {
    const letters = this.letters.filter((letter) => letter.getAttribute("aria-pressed") === "true");
    return {
      vertex: this.vertex.valueAsNumber,
      ofMesh: this.whose.value === "mesh",
      step: this.at,
      output: this.output.value,
      letters: letters.map((letter) => letter.textContent).join(""),
      dead: this.deadBox.checked,
    };
  }

  /** Shows what a link holds. */
  async see({ vertex, ofMesh, step, output, letters, dead }: Stepped): Promise<void> {
    this.whose.value = ofMesh ? "mesh" : "state";
    this.vertex.value = this.vertex.defaultValue = String(vertex);
    this.at = step;
    for (const letter of this.letters)
      letter.setAttribute("aria-pressed", String(letters.includes(letter.textContent ?? "")));
    this.deadBox.checked = dead;
    await this.record(output);
    await this.dead();
  }

  /** State of the shown step, for tests and the console. */
  get shown(): StepState | undefined {
    return this.state;
  }

  async record(wanted?: string): Promise<void> {
    const { client } = this.context.session;
    const isOfMesh = this.whose.value === "mesh";
    if (isOfMesh) this.vertex.removeAttribute("max");
    else this.vertex.max = String(VERTICES - 1);
    try {
      this.recording = await client.json<Recording>("record", finite(this.vertex), isOfMesh);
    } catch (error) {
      if (!isOfMesh || (error instanceof CallError && error.lost)) throw error;
      // Another mesh or program has no such vertex.
      this.forget();
      this.context.say((error as Error).message);
      this.recording = await client.json<Recording>("record", 0, false);
    }
    const { steps, outputs, symbols, error } = this.recording;
    this.slider.max = String(steps);
    const chosen = wanted ?? this.output.value;
    this.output.replaceChildren(
      h("option", { value: "" }, "–"),
      ...Object.keys(outputs).map((name) =>
        h("option", { value: name }, symbols[name] ? `${name} ${symbols[name]}` : name),
      ),
    );
    if (chosen in outputs) this.output.value = chosen;
    // Keys may have moved on meanwhile.
    await this.go(this.at, false);
    await this.time(this.timed);
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
          bank("temp", "r", state.r, state, (name) => name.length === 2 && name < "r8"),
          bank("temp", "r", state.r, state, (name) => name.length > 2 || name > "r7"),
        ),
      );
    for (const one of this.registers.querySelectorAll<HTMLElement>(".register"))
      one.classList.toggle("is-timed", one.dataset["register"] === this.timed);
    this.showNow();
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

  /** Runs until NaN or an infinity is written. */
  async toSpecial(): Promise<void> {
    const { session, say } = this.context;
    const found = (await session.client.call("findSpecial", this.at)) as number;
    if (found < 0) return say("No later step writes NaN or an infinity.");
    // Its result is in the registers after it.
    await this.go(found + 1);
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
