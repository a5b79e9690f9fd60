// One vertex or invocation on the reference machine, instruction by instruction: runs to
// breakpoints, all values of a register, where an output comes from, and code without effect.

import type { Ancestry, Picked, ProgramHead, Recording, StepState, Timeline } from "../contract";
import { CallError } from "../client";
import { button, field, finite, h, number } from "../dom";
import type { Context, Pane } from "./pane";
import { bank, brief, flags, LETTERS } from "./registers";

/** The program that feeds one, or that it feeds, as pictures take them. */
function partner(programs: ProgramHead[], selected: number, stage: ProgramHead["stage"]): number | undefined {
  const others = programs.filter((one) => one.stage === stage).map(({ index }) => index);
  if (stage === "geometry") return others.find((index) => index > selected);
  return others.filter((index) => index < selected).pop() ?? others[0];
}

/** The shown step, and what is marked by it. */
export interface Stepped {
  vertex: number;
  ofMesh: boolean;
  step: number;
  output: string;
  letters: string;
  dead: boolean;
  special?: boolean;
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
  private isOfMesh = false;
  private readonly vertex = h("input", {
    type: "number",
    min: 0,
    value: 0,
    onchange: () => void this.record(),
  });
  /** What runs: a vertex, or an invocation of a geometry program. */
  private readonly unit = h("span", {}, "Vertex");
  private readonly count = h("span", { class: "muted" });
  private readonly neighbors = ([-1, 1] as const).map((by) =>
    button("", "", () => this.choose(this.vertex.valueAsNumber + by)),
  );
  private readonly whose = h(
    "select",
    { "aria-label": "Inputs", onchange: () => this.choose(0) },
    h("option", { value: "mesh" }, "of the mesh in the picture"),
    h("option", { value: "state" }, "of the generated inputs"),
  );
  /** What made the triangle that was clicked in the picture. */
  private readonly corners = h("span", { class: "corners", role: "group", "aria-label": "Clicked triangle" });
  private readonly breaks = h("span", { class: "corners", role: "group", "aria-label": "Breakpoints" });
  private readonly special = h("input", { type: "checkbox" });
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
    const [previous, next] = this.neighbors;
    const bar = h(
      "div",
      { class: "bar" },
      h("label", { class: "field" }, this.unit, this.vertex),
      this.count,
      this.whose,
      previous,
      next,
      this.corners,
      this.slider,
      this.where,
    );
    const transport = h(
      "span",
      { class: "segments", role: "group", "aria-label": "Steps and runs" },
      button("Start", "To the first instruction", () => void this.go(0)),
      button("Run back", "Back to the breakpoint before (Shift+F4)", () => void this.run(-1)),
      button("Back", "One step back (F7)", () => void this.back()),
      button("Step", "One step forward (F8)", () => void this.forward(), { class: "primary" }),
      button("Run", "To the next breakpoint, or to the end (F4)", () => void this.run(1)),
      button("End", "After the last instruction", () => void this.go(this.recording?.steps ?? 0)),
    );
    const more = h(
      "details",
      { class: "menu", onclick: (event: Event) => event.target instanceof HTMLButtonElement && (more.open = false) },
      h("summary", {}, "More"),
      h(
        "div",
        {},
        button("Run to selected line", "F9; with Shift backwards", () => void this.toLine(1)),
        button("Run to NaN or infinity", "The next step that writes one", () => void this.toSpecial()),
        button("Breakpoint at selected line", "Sets or removes it (Alt+B)", () => this.toggle()),
      ),
    );
    const runs = h(
      "div",
      { class: "bar" },
      transport,
      more,
      this.breaks,
      h("label", { class: "field" }, this.special, h("span", {}, "Stop at NaN and infinity")),
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
    context.marks.listenToBreaks(() => this.listBreaks());
    this.element = h("div", { class: "step" }, bar, runs, trace, h("div", { class: "machine" }, this.registers, this.timeline));
  }

  /** Steps another vertex or invocation. */
  private choose(number: number): void {
    this.set(number);
    void this.record();
  }

  private set(number: number): void {
    this.vertex.value = this.vertex.defaultValue = String(number);
    this.vertex.removeAttribute("aria-invalid");
  }

  /** Steps what made a triangle of the picture: a vertex of it, or an invocation. */
  async pick(picked: Picked): Promise<void> {
    const { session } = this.context;
    const { vertices, invocation, emits } = picked;
    const isHere = (stage: ProgramHead["stage"]) => this.stage === stage;
    const step = async (stage: ProgramHead["stage"], number: number) => {
      if (!isHere(stage)) {
        const { programs = [], selected = 0 } = session.opened ?? {};
        const other = partner(programs, selected, stage);
        if (other !== undefined) await session.select(other);
        show();
      }
      this.whose.value = "mesh";
      this.set(number);
      for (const one of this.corners.querySelectorAll("button"))
        one.setAttribute("aria-pressed", String(one.dataset["number"] === `${stage} ${number}`));
      await this.record();
    };
    const choice = (text: string, stage: ProgramHead["stage"], number: number) =>
      button(text, "", () => void step(stage, number), { "data-number": `${stage} ${number}` });
    const show = () => {
      const corners = vertices.map((vertex) => choice(String(vertex), "vertex", vertex));
      const sent = emits.map((emit) =>
        button(`EMIT ${emit + 1}`, "", () => void this.go(this.recording?.emits[emit] ?? 0)),
      );
      this.corners.replaceChildren(
        "Clicked triangle: ",
        ...(invocation === undefined ? [] : [choice(`invocation ${invocation}`, "geometry", invocation)]),
        ...(isHere("geometry") ? sent : []),
        ...(invocation === undefined ? [] : ["of vertices "]),
        ...corners,
      );
    };
    show();
    if (invocation !== undefined && isHere("geometry")) await step("geometry", invocation);
    else if (vertices[0] !== undefined) await step("vertex", vertices[0]);
  }

  /** What is stepped, as a sentence has it. */
  get subject(): string {
    return `${this.unit.textContent?.toLowerCase()} ${this.vertex.value}`;
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
    const total = values.length + more;
    marks.set({ ancestors: values.map(({ pc }) => pc) });
    const rows = values.map(({ step, pc, text, value }) => {
      const cells = value.map((component) => h("td", {}, number(component)));
      const go = button(String(step), "To the state after it", () => void this.after(step, pc));
      return h("tr", { "data-step": step + 1 }, h("th", { scope: "row" }, go), ...cells, h("td", { class: "text" }, text));
    });
    const head = ["Step", ...LETTERS, "Written by"].map((name) => h("th", { scope: "col" }, name));
    this.timeline.replaceChildren(
      h(
        "table",
        { class: "registers" },
        h("caption", {}, `${register} is written ${total === 1 ? "once" : `${total} times`}`),
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

  /** Goes back to the first vertex of the picture. */
  private forget(): void {
    this.at = 0;
    this.whose.value = "mesh";
    this.set(0);
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
      special: this.special.checked,
    };
  }

  /** Shows what a link holds. */
  async see({ vertex, ofMesh, step, output, letters, dead, special }: Stepped): Promise<void> {
    this.whose.value = ofMesh ? "mesh" : "state";
    // How many there are is known when it is recorded.
    this.vertex.removeAttribute("max");
    this.set(vertex);
    this.at = step;
    for (const letter of this.letters)
      letter.setAttribute("aria-pressed", String(letters.includes(letter.textContent ?? "")));
    this.deadBox.checked = dead;
    this.special.checked = special === true;
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
    if (this.isOfMesh !== isOfMesh) this.vertex.removeAttribute("max");
    this.isOfMesh = isOfMesh;
    const ask = (number: number, ofMesh: boolean) => client.json<Recording>("record", number, ofMesh);
    try {
      this.recording = await ask(finite(this.vertex), isOfMesh);
    } catch (error) {
      if (!isOfMesh || (error instanceof CallError && error.lost)) throw error;
      // Another mesh or program has no such vertex, and not every program can be drawn.
      this.set(0);
      this.context.say((error as Error).message);
      this.recording = await ask(0, true).catch(() => {
        this.whose.value = "state";
        return ask(0, false);
      });
    }
    const { count, steps, outputs, symbols, error } = this.recording;
    this.name(count);
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

  /** Stage of the selected program. */
  private get stage(): ProgramHead["stage"] | undefined {
    const { opened } = this.context.session;
    return opened?.programs.find(({ index }) => index === opened.selected)?.stage;
  }

  /** Names what runs, and how many of it there are. */
  private name(count: number): void {
    const isGeometry = this.stage === "geometry";
    const name = isGeometry ? "invocation" : "vertex";
    this.unit.textContent = isGeometry ? "Invocation" : "Vertex";
    this.vertex.max = String(count - 1);
    this.count.textContent = `of ${count}`;
    const [previous, next] = this.neighbors;
    for (const [one, word] of [[previous, "Previous"], [next, "Next"]] as const)
      if (one) one.textContent = `${word} ${name}`;
    const at = this.vertex.valueAsNumber;
    if (previous) previous.disabled = at <= 0;
    if (next) next.disabled = at >= count - 1;
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
      h("span", {}, state.pc < 0 ? "end" : `at 0x${state.pc.toString(16)}`),
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

  /** Runs to the next breakpoint, or to the end; backwards to the one before, or to the start. */
  async run(direction: 1 | -1): Promise<void> {
    const { session, marks, say } = this.context;
    const { client } = session;
    const from = this.at;
    const found = await Promise.all(
      [...marks.breaks].slice(0, 64).map((pc) => client.call("find", pc, from, direction) as Promise<number>),
    );
    let special = -1;
    if (this.special.checked) {
      // The step that follows shows the result.
      const start = direction > 0 ? from : Math.max(0, from - 1);
      special = (await client.call("findSpecial", start, direction)) as number;
      if (special >= 0) found.push(special + 1);
    }
    const steps = found.filter((step) => step >= 0);
    const to = direction > 0 ? Math.min(...steps) : Math.max(...steps);
    if (steps.length > 0) return to === special + 1 && special >= 0 ? this.wrote(special) : this.go(to);
    const hint = marks.breaks.size > 0 || this.special.checked ? "" : " A click next to a line sets a breakpoint.";
    say(`No breakpoint ${direction > 0 ? "follows: this is the end." : "comes before: this is the start."}${hint}`);
    await this.go(direction > 0 ? (this.recording?.steps ?? 0) : 0);
  }

  /** Sets or removes a breakpoint at what is selected. */
  toggle(): void {
    const { marks, say } = this.context;
    if (marks.selected.size === 0) return say("Select a line of the source or of the translation first.");
    marks.toggle([...marks.selected]);
    say(marks.breaks.size === 1 ? "One breakpoint." : `${marks.breaks.size} breakpoints.`);
  }

  private listBreaks(): void {
    const { marks } = this.context;
    const chips = [...marks.breaks].sort((a, b) => a - b).map((pc) => {
      const place = `0x${pc.toString(16)}`;
      return button(`${place} ✕`, `Remove the breakpoint at ${place}`, () => marks.toggle([pc]), { class: "stop" });
    });
    this.breaks.replaceChildren(...(chips.length > 0 ? ["Breakpoints: ", ...chips] : []));
  }

  /** Shows the state after a step, and its instruction in every pane. */
  private async after(step: number, pc: number): Promise<void> {
    await this.go(step + 1, false);
    this.context.marks.select([pc], "run");
  }

  /** Shows what a step wrote that is not finite, and says which instruction it was. */
  private async wrote(step: number): Promise<void> {
    const { session, say } = this.context;
    const { pc, text } = await session.client.json<StepState>("step", step);
    await this.after(step, pc);
    say(`Step ${step} wrote NaN or an infinity: ${text.trim()}`);
  }

  /** Runs until NaN or an infinity is written. */
  async toSpecial(): Promise<void> {
    const { session, say } = this.context;
    const found = (await session.client.call("findSpecial", this.at, 1)) as number;
    if (found < 0) return say("No later step writes NaN or an infinity.");
    await this.wrote(found);
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
