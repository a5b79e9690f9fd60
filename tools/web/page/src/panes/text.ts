// A text that the translator made: IR, WGSL, GLSL, SPIR-V and others, each line linked to its
// instructions, with the options that most change it.

import { Client } from "../client";
import type { Code } from "../code";
import type { Setting, TextView } from "../contract";
import { button, download, field, h } from "../dom";
import type { languages } from "../languages";
import { ENTRY } from "../marks";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

/** Endings of the files; the others are text of this tool's own. */
const ENDINGS: Record<string, string> = {
  wgsl: "wgsl",
  glsl: "glsl",
  hlsl: "hlsl",
  msl: "metal",
  spirv: "spvasm",
  listing: "pica",
};

/** Languages that the second engine writes. */
const NATIVE = ["hlsl", "msl", "spirv"];
/** The second engine, once it is wanted. */
let native: Client | undefined;

async function ask({ session }: Context, kind: string): Promise<TextView> {
  const { client, opened, options } = session;
  if (!NATIVE.includes(kind)) return client.json<TextView>("view", kind);
  native ??= new Client(() => new Worker(new URL("native.js", import.meta.url), { type: "module" }));
  const [file, destinations] = await Promise.all([client.call("shbin"), client.call("destinations")]);
  return native.json("translate", file, opened?.selected ?? 0, opened?.name ?? "", JSON.stringify(options), destinations, kind);
}

/** Options that stand above a text, by its kind. */
const PRECISION = "arithmetic.precision";
const CHOICES: Record<string, Record<string, string>> = {
  wgsl: { [PRECISION]: "Precision" },
  glsl: { "view.glsl_version": "Version", [PRECISION]: "Precision" },
  hlsl: { [PRECISION]: "Precision" },
  msl: { [PRECISION]: "Precision" },
  spirv: { [PRECISION]: "Precision" },
};

/** Returns the number of the line, from 0, on which the program begins in such a text; -1 without one. */
function beginning(text: string): number {
  const [, id] = /OpEntryPoint \w+ (%\w+)/.exec(text) ?? [];
  const isThere = (line: string) => (id ? line.includes(`${id} = OpFunction `) : /^[^/]*\bmain_?\(/.test(line));
  return text.split("\n").findIndex(isThere);
}

/** What can read a text, where its name does not say. */
const READERS: Record<string, string> = { hlsl: "Shader model 5.1 or later", msl: "Metal 2.1 or later" };

export function textPane(context: Context, kind: string, title: string, language: keyof typeof languages): Pane {
  // Most readers open few of these: each text is made when it is first shown.
  let code: Code | undefined;
  const problems = h("ul", { class: "problems", hidden: true });
  const { session, say } = context;
  const copy = () =>
    navigator.clipboard.writeText(code?.text ?? "").then(
      () => say(`${title} copied.`),
      (error: Error) => say(`Not copied: ${error.message}`),
    );
  const save = () => {
    const stem = (session.opened?.name ?? "shader").replace(/(\.\w+)+$/, "");
    download(`${stem}.${ENDINGS[kind] ?? `${kind}.txt`}`, code?.text ?? "", "text/plain");
  };
  const bar = h("div", { class: "bar" }, button("Copy", "", () => void copy()), button("Save", "", save));
  if (READERS[kind]) bar.append(h("span", { class: "muted" }, READERS[kind]));
  const plain = h("p", { class: "plain", hidden: true });
  const element = h("div", { class: "text-pane" }, bar, plain, problems);
  /** Selects of the options above the text, made when the first text arrives. */
  let choices: { setting: Setting; choose: HTMLSelectElement }[] | undefined;
  const choose = async () => {
    const wanted = CHOICES[kind];
    if (wanted && !choices) {
      choices = [];
      const settings = await session.client.json<Setting[]>("settings");
      choices = settings.filter(({ path }) => path in wanted).map((setting) => {
        const words = setting.choices.map(({ value, help }) => h("option", { value }, `${value}: ${help}`));
        const choose = h("select", { onchange: () => void session.configure(setting, choose.value) }, ...words);
        bar.prepend(field(wanted[setting.path] ?? "", choose));
        return { setting, choose };
      });
    }
    for (const { setting, choose } of choices ?? []) {
      choose.value = String(session.options[setting.path] ?? setting.default).toLowerCase();
      if (setting.path !== PRECISION) continue;
      plain.hidden = choose.value !== "fast";
      const exact = button("Show exact", "", () => void session.configure(setting, "exact"));
      if (!plain.hasChildNodes()) plain.append("Plain arithmetic. ", exact, " adds the console's 0 · ∞ = 0.");
    }
  };
  return {
    id: kind,
    title,
    element,
    async refresh() {
      const [view, { Code }] = await Promise.all([ask(context, kind), import("../code")]);
      list(problems, view.problems);
      if (!code) {
        code = new Code({ label: `${title} of the program`, origin: kind, language, marks: context.marks });
        element.append(code.view.dom);
      }
      const places = [...view.places];
      const line = kind in CHOICES ? beginning(view.text) : -1;
      if (line >= 0) places[line] = [...(places[line] ?? []), ENTRY];
      code.show(view.text, places);
      void choose().catch(() => (choices = undefined));
    },
  };
}
