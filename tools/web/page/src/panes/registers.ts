// Registers, flags and stacks of a step as elements: what the last instruction changed, and what
// the next one reads and writes.

import type { StepState } from "../contract";
import { h, number } from "../dom";

export const LETTERS = "xyzw";

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
export function bank(
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

/** Flags, stacks, and the uniforms that the next instruction reads. */
export function flags(state: StepState): HTMLElement {
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

/** Inputs in few words: `projection[0]–projection[3]`, `inpos.xyz`. */
export function brief(inputs: string[]): string {
  const registers = new Map<string, string>();
  for (const [name = "", letter = ""] of inputs.map((input) => input.split(".")))
    registers.set(name, (registers.get(name) ?? "") + letter);
  const parts: string[] = [];
  let [first, last] = ["", ""];
  const next = (name: string) => name.replace(/\d+(?=\]?$)/, (number) => `${Number(number) + 1}`);
  const flush = () => first && parts.push(first === last ? first : `${first}–${last}`);
  for (const [name, letters] of registers) {
    if (letters.length === 4 && last && name === next(last)) {
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
