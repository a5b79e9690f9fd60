// Uniforms by symbol: numbers, ints and bools, and three ways to fill a matrix.

import type { UniformValue } from "../contract";
import { button, field, h, number } from "../dom";
import { lookAt, type Matrix, perspective, product, rotation } from "../matrices";
import type { Context, Pane } from "./pane";

/** Reads numbers out of a text; missing ones are zero. */
const numbers = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number)
    .map((value) => (Number.isNaN(value) ? 0 : value));

/** Fields and a button that make a matrix. */
function widget(
  name: string,
  fields: [string, string][],
  make: (values: number[][]) => Matrix,
  fill: (matrix: Matrix) => void,
): HTMLElement {
  const inputs = fields.map(([label, value]) => ({
    label,
    input: h("input", { type: "text", value, size: Math.max(3, value.length) }),
  }));
  return h(
    "div",
    { class: "widget" },
    button(name, `Fill the matrix: ${name}`, () => fill(make(inputs.map(({ input }) => numbers(input.value))))),
    ...inputs.map(({ label, input }) => field(label, input)),
  );
}

const vector = (values: number[] | undefined): [number, number, number] => [
  values?.[0] ?? 0,
  values?.[1] ?? 0,
  values?.[2] ?? 0,
];

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
      await refresh();
    },
  });
  const seed = h("input", { type: "number", value: 0, min: 0 });
  const element = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Uniforms" },
    h(
      "div",
      { class: "bar" },
      field("Seed", seed),
      button(
        "Guess inputs",
        "Plausible inputs from the seed, as `transpica run --seed`",
        () => void session.input("seed", Number(seed.value) || 0, 4).then(refresh),
      ),
      button("Load state…", "A state file of `transpica run`", () => file.click()),
      file,
    ),
    body,
  );

  const set = async (uniform: UniformValue, values: number[][]) => {
    await session.input("setUniform", uniform.bank, uniform.first, JSON.stringify(values));
    say(`${uniform.name} changed.`);
  };
  const grid = (uniform: UniformValue, values: number[][]) => {
    const cells = values.map((row, at) =>
      row.map((value, column) =>
        uniform.bank === "b"
          ? check(value !== 0, `${uniform.name} ${at}`, (on) => {
              row[column] = Number(on);
              void set(uniform, values);
            })
          : h("input", {
              type: "text",
              inputmode: "decimal",
              value: number(value),
              "aria-label": `${uniform.name} row ${at}, ${"xyzw"[column]}`,
              disabled: uniform.constant,
              onchange: (event: Event) => {
                row[column] = numbers((event.target as HTMLInputElement).value)[0] ?? 0;
                void set(uniform, values);
              },
            }),
      ),
    );
    return h("div", { class: "grid" }, ...cells.map((row) => h("div", { class: "row" }, ...row)));
  };
  const one = (uniform: UniformValue) => {
    const values = uniform.values.map((row) => [...row]);
    const fill = (matrix: Matrix) => void set(uniform, matrix.slice(0, uniform.count)).then(refresh);
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
              ([eye, target]) => lookAt(vector(eye), vector(target)),
              fill,
            ),
            widget(
              "Perspective",
              [
                ["degrees", "50"],
                ["aspect", "1.667"],
                ["near", "0.1"],
                ["far", "100"],
              ],
              ([degrees, aspect, near, far]) =>
                perspective(degrees?.[0] ?? 50, aspect?.[0] ?? 1, near?.[0] ?? 0.1, far?.[0] ?? 100),
              fill,
            ),
            ...(["x", "y", "z"] as const).map((axis) =>
              widget(
                `Rotate ${axis}`,
                [["degrees", "15"]],
                ([degrees]) => product(values, rotation(axis, degrees?.[0] ?? 0)),
                fill,
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
    return h(
      "section",
      { class: "uniform" },
      h(
        "header",
        {},
        h("b", {}, uniform.name),
        h("span", { class: "muted" }, place, uniform.constant ? " constant" : ""),
      ),
      grid(uniform, values),
      widgets,
    );
  };
  const refresh = async () => {
    const uniforms = await session.client.json<UniformValue[]>("uniforms");
    const focused = document.activeElement?.getAttribute("aria-label");
    body.replaceChildren(
      ...(uniforms.length > 0 ? uniforms.map(one) : [h("p", { class: "empty" }, "The program has no uniforms.")]),
    );
    if (focused)
      [...body.querySelectorAll<HTMLElement>("input")]
        .find((input) => input.getAttribute("aria-label") === focused)
        ?.focus();
  };
  return { id: "uniforms", title: "Uniforms", element, refresh };
}

function check(isOn: boolean, label: string, change: (on: boolean) => void): HTMLInputElement {
  const box = h("input", { type: "checkbox", "aria-label": label, onchange: () => change(box.checked) });
  box.checked = isOn;
  return box;
}
