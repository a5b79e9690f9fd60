// The options as a form: presets of known hosts, what differs from the default, then all the
// others, one row for each row of the library's table.

import type { Preset, Problem, Setting, UniformValue } from "../contract";
import { button, field, h, refuse } from "../dom";
import { OPTIONS } from "../opening";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

/** Options that have a bit for each bool, and the bits of each way to treat one. */
const BOOLS = ["control.bools.baked", "control.bools.values", "control.bools.specialized"];
const WAYS = { uniform: "000", false: "100", true: "110", specialized: "001" };
/** The option that has a bit for each int. */
const INTS = "control.ints.specialized";

/** Promises about numbers, by the words that the help has for them. */
const PROMISES = { any: "Nothing", "no-nan": "NotNan", finite: { Below: 128 }, "2^24": { Below: 24 }, "2^16": { Below: 16 } };
/** Options that hold a promise, or one for each attribute. */
const PROMISED = /^(assume\.(uniforms|results)|input\.promises)$/;

/** Headings of the form, in its order; the others stand between them. */
const [FIRST, LAST] = ["Differs from the default", "Limits"];

/** Controls of registers, each with its name. */
function registers(bank: string, names: Map<string, string>, label: string, controls: HTMLElement[]): HTMLElement {
  const rows = controls.map((one, at) => h("label", {}, one, `${bank}${at} `, h("i", {}, names.get(`${bank}${at}`) ?? "")));
  return h("div", { class: "mask", role: "group", "aria-label": label }, ...rows);
}

/** A box for each bit of a number. */
function boxes(bits: number, count: number, change: (value: number) => void): HTMLElement[] {
  return Array.from({ length: count }, (_, bit) => {
    const press = () => change(box.checked ? bits | (1 << bit) : bits & ~(1 << bit));
    const box = h("input", { type: "checkbox", "data-bit": bit, onchange: press });
    box.checked = ((bits >> bit) & 1) === 1;
    return box;
  });
}

/** A choice for each bool; `change` gets the numbers of all three options. */
function ways(numbers: number[], change: (numbers: number[]) => void): HTMLElement[] {
  return Array.from({ length: 16 }, (_, bit) => {
    const press = () =>
      change(numbers.map((bits, at) => (bits & ~(1 << bit)) | (Number(choose.value[at]) << bit)));
    const ways = Object.entries(WAYS).map(([name, value]) => h("option", { value }, name));
    const choose = h("select", { id: `option-bool-${bit}`, onchange: press }, ...ways);
    choose.value = numbers.map((bits) => (bits >> bit) & 1).join("");
    return choose;
  });
}

/** A choice of a promise; what is none of the words stays a choice. */
function promise({ value }: Setting, attributes: Record<string, string>, change: (value: unknown) => void): HTMLElement {
  const text = (one: unknown) => JSON.stringify(Array.isArray(value) ? value.map(() => one) : one);
  const now = JSON.stringify(value);
  const words = Object.entries(PROMISES).map(([word, one]) => [text(one), word]);
  if (!words.some(([one]) => one === now)) words.push([now, Array.isArray(value) ? "several" : now]);
  const choose = h(
    "select",
    { ...attributes, onchange: () => change(JSON.parse(choose.value)) },
    ...words.map(([value, word]) => h("option", { value }, word ?? "")),
  );
  choose.value = now;
  return choose;
}

/** Text that a search finds an option by: its names, what it means, its words and values. */
const found = ({ path, label, group, help, choices, value }: Setting) =>
  [path, `--${label}`, group, help, JSON.stringify(value), ...choices.map((one) => `${one.value} ${one.help}`)]
    .join(" ")
    .toLowerCase();

/** The control of one option; `change` gets the value that the engine reads. */
function control(setting: Setting, id: string, change: (value: unknown) => void): HTMLElement {
  const { path, form, value, choices, on } = setting;
  if (PROMISED.test(path) && !Array.isArray(value)) return promise(setting, { id, "aria-describedby": `${id}-help` }, change);
  const text = typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);
  const attributes = { id, "aria-describedby": `${id}-help` };
  switch (form) {
    case "switch": {
      const box = h("input", { type: "checkbox", ...attributes, onchange: () => change(box.checked === on) });
      box.checked = value === on;
      return box;
    }
    case "choice": {
      const choose = h(
        "select",
        { ...attributes, onchange: () => change(choose.value) },
        ...choices.map((choice) => h("option", { value: choice.value, title: choice.help }, choice.value)),
      );
      choose.value = text;
      return choose;
    }
    case "text": {
      const input = h("input", { type: "text", ...attributes, value: text, onchange: () => change(input.value) });
      return input;
    }
    case "number":
    case "json": {
      const read = () => {
        try {
          area.removeAttribute("aria-invalid");
          change(area.value.trim() === "" ? setting.default : JSON.parse(area.value));
        } catch (error) {
          if (area instanceof HTMLInputElement) return void refuse(area, text, String(error));
          area.setAttribute("aria-invalid", "true");
          area.title = String(error);
        }
      };
      const area =
        form === "number"
          ? h("input", { type: "text", inputmode: "numeric", ...attributes, onchange: read })
          : h("textarea", { rows: 2, ...attributes, spellcheck: "false", onchange: read });
      area.value = value === null || value === undefined ? "" : JSON.stringify(value);
      // A promise about all attributes is a word; one about each is text.
      return PROMISED.test(path) ? h("div", {}, promise(setting, { "aria-label": "assume attributes" }, change), area) : area;
    }
  }
}

export function optionsPane({ session, say }: Context): Pane {
  const problems = h("ul", { class: "problems", hidden: true });
  const form = h("div", { class: "options" });
  const filter = h("input", {
    type: "search",
    placeholder: "Search by name, word or value",
    "aria-label": "Search options",
    oninput: () => narrow(),
  });
  const reset = button("Reset all", "Set every option as a new program has it", () => void apply(session.configureAll({ ...OPTIONS })));
  let presets: Preset[] = [];
  const preset = h("select", {
    onchange: () => {
      const chosen = presets.find(({ name }) => name === preset.value);
      if (chosen || preset.value === "") void apply(session.configureAll({ ...(chosen?.changes ?? OPTIONS) }));
    },
  });
  const element = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Options of the translation" },
    h("div", { class: "bar" }, field("Host", preset), filter, reset),
    problems,
    form,
  );

  const narrow = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/);
    for (const row of form.querySelectorAll<HTMLElement>(".option"))
      row.hidden = !wanted.every((word) => row.dataset["found"]?.includes(word));
    for (const group of form.querySelectorAll<HTMLElement>("fieldset"))
      group.hidden = !group.querySelector(".option:not([hidden])");
  };
  const apply = async (result: Promise<Problem[]>) => {
    const found = await result;
    shown = "";
    list(problems, found);
    say(found[0]?.message ?? "Options applied.");
    await refresh();
  };
  let shown = "";
  const row = (setting: Setting, names: Map<string, string>) => {
    const id = `option-${setting.path.replace(/\W/g, "-")}`;
    const change = (value: unknown) => void apply(session.configure(setting, value));
    const isMask = setting.path === INTS;
    const boxesOfInts = () => registers("i", names, setting.label, boxes(Number(setting.value), 4, change));
    return h(
      "div",
      { class: setting.changed ? "option is-changed" : "option", "data-found": found(setting), id: isMask ? id : null },
      h(isMask ? "span" : "label", { class: "label", for: isMask ? null : id, title: setting.path }, setting.label),
      isMask ? boxesOfInts() : control(setting, id, change),
      h("p", { class: "help", id: `${id}-help` }, setting.help),
    );
  };
  /** One row in place of three options, of which most combinations mean nothing. */
  const bools = (settings: Setting[], names: Map<string, string>) => {
    const change = (numbers: number[]) => {
      const changes = numbers.map((bits, at): [string, number] => [BOOLS[at] ?? "", bits]);
      const others = Object.entries(session.options).filter(([path]) => !BOOLS.includes(path));
      void apply(session.configureAll(Object.fromEntries([...others, ...changes.filter(([, bits]) => bits !== 0)])));
    };
    const [baked = 0, values = 0, specialized = 0] = settings.map(({ value }) => Number(value));
    const choices = ways([baked, values & baked, specialized], change);
    const isChanged = settings.some(({ changed }) => changed);
    return h(
      "div",
      { class: isChanged ? "option is-changed" : "option", "data-found": `--bools ${settings.map(found).join(" ")}`, id: "option-control-bools" },
      h("span", { class: "label", title: "control.bools" }, "bools"),
      registers("b", names, "bools", choices),
      h("p", { class: "help" }, "Each bool is read as a uniform, is a constant, or is specialized when a pipeline is created."),
    );
  };
  const choosePreset = () => {
    // Renderers of a host may have the same options.
    const alike = presets.filter(({ changes }) => session.hasOptions(changes)).map(({ name }) => name);
    const is = alike.includes(preset.value) ? preset.value : alike[0];
    const other = session.hasOptions(OPTIONS) ? "" : "changed";
    const names = ["", ...presets.map(({ name }) => name), ...(is === undefined && other ? [other] : [])];
    preset.replaceChildren(...names.map((name) => h("option", { value: name }, name || "any")));
    preset.value = is ?? other;
  };
  const refresh = async () => {
    const text = (await session.client.call("settings")) as string;
    if (presets.length === 0) presets = await session.client.json<Preset[]>("presets");
    choosePreset();
    const all = JSON.parse(text) as Setting[];
    const three = BOOLS.flatMap((path) => all.filter((setting) => setting.path === path));
    const isChanged = three.some(({ changed }) => changed);
    const settings = all
      .filter((setting) => !three.slice(1).includes(setting))
      .map((setting) => (setting === three[0] ? { ...setting, changed: isChanged } : setting));
    const uniforms = await session.client.json<UniformValue[]>("uniforms").catch(() => []);
    const names = new Map(
      uniforms.flatMap(({ name, bank, first, count }) =>
        Array.from({ length: count }, (_, at): [string, string] => [`${bank}${first + at}`, name]),
      ),
    );
    const key = text + JSON.stringify([...names]);
    if (key === shown) return;
    shown = key;
    const focused = document.activeElement?.id;
    const heading = ({ changed, group }: Setting) => (changed ? FIRST : group);
    const order = (group: string) => (group === FIRST ? -1 : group === LAST ? 1 : 0);
    const groups = [...new Set(settings.map(heading))].sort((a, b) => order(a) - order(b));
    form.replaceChildren(
      ...groups.map((group) =>
        h(
          "fieldset",
          {},
          h("legend", {}, group),
          ...settings
            .filter((setting) => heading(setting) === group)
            .map((setting) => (setting.path === BOOLS[0] ? bools(three, names) : row(setting, names))),
        ),
      ),
    );
    narrow();
    if (focused?.startsWith("option-")) document.getElementById(focused)?.focus();
  };
  return { id: "options", title: "Options", element, refresh };
}
