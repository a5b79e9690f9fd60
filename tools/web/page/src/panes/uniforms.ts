// Uniforms by symbol: numbers, ints and bools, and three ways to fill a matrix.

import type { UniformValue } from "../contract";
import { button, field, finite, h, refuse } from "../dom";
import { lookAt, type Matrix, perspective, product, rotation } from "../matrices";
import type { Context, Pane } from "./pane";

/** Reads the numbers of fields, as state files have them; one that is not understood is marked. */
type Read = (inputs: HTMLInputElement[]) => Promise<number[][] | undefined>;

/** Fields and a button that make a matrix. */
function widget(
  name: string,
  fields: [string, string][],
  read: Read,
  fill: (values: number[][]) => void,
): HTMLElement {
  const inputs = fields.map(([label, value]) => ({
    label,
    input: h("input", { type: "text", value, size: Math.max(3, value.length) }),
  }));
  const press = async () => {
    const values = await read(inputs.map(({ input }) => input));
    if (values) fill(values);
  };
  return h(
    "div",
    { class: "widget" },
    button(name, `Fill the matrix: ${name}`, () => void press()),
    ...inputs.map(({ label, input }) => field(label, input)),
  );
}

const vector = (values: number[] | undefined): [number, number, number] => [
  values?.[0] ?? 0,
  values?.[1] ?? 0,
  values?.[2] ?? 0,
];

/** A value with all of its digits. */
const exact = (value: number | string | undefined) => (Object.is(value, -0) ? "-0" : String(value));

export function uniformsPane({ session, say }: Context): Pane {
  const body = h("div", { class: "uniforms" });
  const file = h("input", {
    type: "file",
    accept: ".json",
    class: "hidden-file",
    tabindex: -1,
    "aria-label": "State file",
    onchange: async () => {
      const chosen = file.files?.[0];
      if (chosen) await session.input("setState", await chosen.text());
    },
  });
  const seed = h("input", { type: "number", value: 0, min: 0 });
  const element = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Uniforms" },
    h(
      "div",
      { class: "bar" },
      field("Seed of generated inputs", seed),
      button(
        "Generate",
        "As `transpica run --seed`",
        () => void session.input("seed", finite(seed), 4),
      ),
      button("Load state file…", "A state file of `transpica run`", () => file.click()),
      file,
    ),
    h(
      "p",
      { class: "note" },
      "The picture and the steps of its mesh use these values. What is not set is guessed from names and from the view; generated inputs take it from the seed.",
    ),
    body,
  );

  /** What is shown, and what brings it up to date. */
  let shown: UniformValue[] = [];
  let updates: (() => void)[] = [];
  /** One change after another, so that each sees the values that the one before left. */
  let changes = Promise.resolve();

  /** Sets registers; returns why the engine did not. */
  const set = async ({ name, bank }: UniformValue, first: number, rows: unknown[][]): Promise<string | undefined> => {
    const [problem] = await session.input("setUniform", bank, first, JSON.stringify(rows));
    if (!problem) say(`${name} changed.`);
    return problem?.message;
  };
  const cell = (at: number, row: number, column: number) => {
    const { name, bank, first, constant } = shown[at] as UniformValue;
    const value = () => shown[at]?.values[row]?.[column];
    let text = "";
    let isBusy = false;
    const put = () => {
      text = exact(value());
      input.value = text;
      input.checked = text === "1";
    };
    const input = h("input", {
      ...(bank === "b" ? { type: "checkbox" } : { type: "text", inputmode: "decimal" }),
      "aria-label": bank === "b" ? `${name} ${row}` : `${name} row ${row}, ${"xyzw"[column]}`,
      disabled: constant,
      onchange: () => {
        isBusy = true;
        changes = changes.then(async () => {
          const values: unknown[] = [...(shown[at]?.values[row] ?? [])];
          values[column] = bank === "b" ? input.checked : input.value;
          const why = await set(shown[at] as UniformValue, first + row, [values]);
          isBusy = false;
          if (why) say(refuse(input, text, why));
          else put();
        });
      },
    });
    updates.push(() => {
      const isGuessed = shown[at]?.guessed[row] ?? false;
      input.classList.toggle("is-guessed", isGuessed);
      if (!input.hasAttribute("aria-invalid"))
        input.title = isGuessed ? `Guessed; generated inputs have ${exact(shown[at]?.steps[row]?.[column])}` : "";
      // What is being typed stays.
      if (!isBusy && (input !== document.activeElement || input.value === text)) put();
    });
    return input;
  };
  const one = (uniform: UniformValue, at: number) => {
    const now = () => shown[at] as UniformValue;
    const read: Read = async (inputs) => {
      const values: number[][] = [];
      for (const input of inputs) {
        try {
          values.push((await session.client.json<(number | string)[]>("numbers", input.value)).map(Number));
          input.defaultValue = input.value;
        } catch (error) {
          say(refuse(input, input.defaultValue, (error as Error).message));
          return undefined;
        }
      }
      return values;
    };
    const fill = (matrix: Matrix) =>
      void set(now(), uniform.first, matrix.slice(0, uniform.count)).then((why) => why && say(why));
    const widgets =
      uniform.shape === "matrix" && !uniform.constant
        ? h(
            "details",
            {},
            h("summary", {}, "Fill"),
            widget(
              "Look at",
              [
                ["eye", "0 1 4"],
                ["target", "0 0 0"],
              ],
              read,
              ([eye, target]) => fill(lookAt(vector(eye), vector(target))),
            ),
            widget(
              "Perspective",
              [
                ["degrees", "50"],
                ["aspect", "1.667"],
                ["near", "0.1"],
                ["far", "100"],
              ],
              read,
              ([degrees, aspect, near, far]) =>
                fill(perspective(degrees?.[0] ?? 50, aspect?.[0] ?? 1, near?.[0] ?? 0.1, far?.[0] ?? 100)),
            ),
            ...(["x", "y", "z"] as const).map((axis) =>
              widget(`Rotate ${axis}`, [["degrees", "15"]], read, ([degrees]) =>
                fill(
                  product(
                    now().values.map((row) => row.map(Number)),
                    rotation(axis, degrees?.[0] ?? 0),
                  ),
                ),
              ),
            ),
          )
        : null;
    const register = `${uniform.bank}${uniform.first}`;
    const place =
      uniform.name === register
        ? ""
        : uniform.count > 1
          ? `${uniform.bank}${uniform.first}–${uniform.first + uniform.count - 1}`
          : register;
    const mark = h("span", { class: "muted" });
    updates.push(() => {
      const { guessed } = now();
      const share = guessed.every(Boolean) ? "guessed" : guessed.some(Boolean) ? "partly guessed" : "";
      mark.textContent = uniform.constant ? "constant" : share;
    });
    const rows = uniform.values.map((row, index) =>
      h("div", { class: "row" }, ...row.map((_, column) => cell(at, index, column))),
    );
    return h(
      "section",
      { class: "uniform" },
      h("header", {}, h("b", {}, uniform.name), h("span", { class: "muted" }, place), mark),
      h("div", { class: "grid" }, ...rows),
      widgets,
    );
  };
  const refresh = async () => {
    const uniforms = await session.client.json<UniformValue[]>("uniforms");
    const form = (all: UniformValue[]) =>
      JSON.stringify(all.map(({ values, steps, guessed, ...form }) => ({ ...form, rows: values.length })));
    const isSame = body.childElementCount > 0 && form(uniforms) === form(shown);
    shown = uniforms;
    if (!isSame) {
      updates = [];
      const empty = h("p", { class: "empty" }, "The program has no uniforms.");
      body.replaceChildren(...(uniforms.length > 0 ? uniforms.map(one) : [empty]));
    }
    for (const update of updates) update();
  };
  return { id: "uniforms", title: "Uniforms", element, refresh };
}
