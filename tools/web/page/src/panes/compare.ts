// A second program next to the first: pictures of both and where they differ, the outputs that
// differ for the same inputs, both texts with their differences.

import type { MergeView } from "@codemirror/merge";
import { CallError, type Client } from "../client";
import type { DrawRequest, Problem, Verdict } from "../contract";
import { button, h, number } from "../dom";
import { SEED, VERTICES } from "../opening";
import { difference, type Pixels, show, transparent } from "../pixels";
import { type Saved, Session } from "../session";
import type { Context, Pane } from "./pane";
import { type Outputs, outputs } from "./run";

export interface Second {
  newClient(): Client;
  samples: { name: string; path: string }[];
  load(path: string): Promise<Uint8Array>;
  /** View of the picture of the first program, in a size. */
  picture(width: number, height: number): DrawRequest;
  /** What is open, or what a link has and is to be opened. */
  opened?: Saved;
  /** Called after another one is open. */
  onOpen(): void;
}

/** Size of each picture. */
const [WIDTH, HEIGHT] = [320, 240];

const LETTERS = ["x", "y", "z", "w"];

/** Rows of the outputs that differ, bit by bit. */
function differences(a: Outputs[], b: Outputs[]): string[][] {
  const rows: string[][] = [];
  for (let vertex = 0; vertex < Math.max(a.length, b.length); vertex++) {
    const [left, right] = [a[vertex] ?? {}, b[vertex] ?? {}];
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      for (let at = 0; at < 4; at++) {
        const [x, y] = [left[name]?.[at], right[name]?.[at]];
        if (!Object.is(x, y))
          rows.push([
            String(vertex),
            `${name}.${LETTERS[at]}`,
            x === undefined ? "–" : number(x),
            y === undefined ? "–" : number(y),
          ]);
      }
    }
  }
  return rows;
}

export function comparePane(
  { session, say }: Context,
  second: Second,
): Pane {
  let other: Session | undefined;
  /** What `other` holds. */
  let held: Saved | undefined;
  let merge: MergeView | undefined;
  const texts = h("div", { class: "merge" });
  const values = h("div", { class: "values", tabindex: 0, role: "region", "aria-label": "Outputs that differ" });
  const pictures = h("div", { class: "pictures" });
  const verdict = h("div", { class: "verdict" });
  const status = h("p", { class: "empty" }, "Open a second program to compare it with the one in the editor.");
  const file = h("input", {
    type: "file",
    class: "hidden-file",
    tabindex: -1,
    "aria-label": "Second program",
    onchange: async () => {
      const chosen = file.files?.[0];
      if (chosen) await open(chosen.name, new Uint8Array(await chosen.arrayBuffer()));
    },
  });
  const sample = h(
    "select",
    {
      "aria-label": "Second program from the samples",
      onchange: async () => {
        if (sample.value) await open(sample.value.split("/").pop() ?? "", await second.load(sample.value));
      },
    },
    h("option", { value: "" }, "Sample…"),
    ...second.samples.map(({ name, path }) => h("option", { value: path }, name)),
  );
  const element = h(
    "div",
    { class: "scroll compare", tabindex: 0, role: "region", "aria-label": "Two programs" },
    h(
      "div",
      { class: "bar" },
      button("Open second program…", "", () => file.click()),
      file,
      sample,
    ),
    status,
    verdict,
    pictures,
    values,
    texts,
  );

  /** Opens in the second engine, which begins when it is first wanted. */
  const inOther = async (name: string, work: (session: Session) => Promise<boolean>): Promise<boolean> => {
    if (!other) {
      other = new Session(second.newClient());
      other.onError = ({ message }) => (status.textContent = `${name}: ${message}`);
    }
    if (!(await work(other))) return false;
    const saved = await other.save();
    // Inputs and options come from the first program.
    const { text, shbin, selected } = saved ?? {};
    held = { name };
    if (text !== undefined) held.text = text;
    if (shbin !== undefined) held.shbin = shbin;
    if (selected) held.selected = selected;
    second.opened = held;
    return true;
  };
  const open = async (name: string, bytes: Uint8Array) => {
    if (!(await inOther(name, (session) => session.open(name, bytes)))) return;
    await pane.refresh();
    second.onOpen();
  };
  const draw = async ({ client }: Session, request: DrawRequest): Promise<Pixels | string> => {
    const { pixels, problem } = (await client.call("picture", JSON.stringify(request))) as {
      pixels: Uint8Array<ArrayBuffer>;
      problem: Problem | null;
    };
    if (pixels.length === 0) return problem?.message ?? "The program cannot be drawn.";
    return new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
  };
  const showPictures = async (one: Session, two: Session) => {
    const request = second.picture(WIDTH, HEIGHT);
    await two.setMesh(one.mesh || "lathe");
    // A state sets every uniform; the picture guesses what the reader did not set.
    await two.client.json("seed", SEED, VERTICES);
    for (const given of one.given) await two.client.json("setUniform", ...given);
    const [a, b] = await Promise.all([draw(one, request), draw(two, request)]);
    const figure = (name: string, pixels: Pixels | string) => {
      const canvas = h("canvas", { role: "img", "aria-label": `Picture: ${name}` });
      if (typeof pixels !== "string") show(canvas, transparent(pixels), WIDTH, HEIGHT);
      const text = typeof pixels === "string" ? `${name}: ${pixels}` : name;
      return h("figure", {}, typeof pixels !== "string" && canvas, h("figcaption", {}, text));
    };
    const both = typeof a !== "string" && typeof b !== "string" ? difference(a, b) : undefined;
    pictures.replaceChildren(
      figure(one.opened?.name ?? "", a),
      figure(two.opened?.name ?? "", b),
      ...(both ? [figure(`Difference: ${both.different.toLocaleString("en")} pixels`, both.picture)] : []),
    );
  };
  /** Whether both compute the same for all inputs; inputs with other results can be taken over. */
  const judge = async (one: Session, two: Session) => {
    const bytes = (await two.client.call("shbin")) as Uint8Array;
    const asked = one.client.json<Verdict>("equal", two.opened?.name ?? "", bytes);
    // Programs of two stages, or with other outputs, are not compared.
    const found = await asked.catch((error: unknown) => {
      if (error instanceof CallError) return error.problem.message;
      throw error;
    });
    if (typeof found === "string") return verdict.replaceChildren(h("p", {}, found));
    const take = () => void one.input("setState", found.state ?? "");
    verdict.replaceChildren(
      h("pre", {}, [found.text.trimEnd(), ...found.notes].join("\n")),
      ...(found.state ? [button("Use the inputs that differ", "", take)] : []),
    );
  };
  const mergeTexts = async (first: string, text: string) => {
    const { merged } = await import("../merge");
    merge?.destroy();
    merge = merged(texts, first, text);
  };
  const pane = {
    id: "compare",
    title: "Compare",
    element,
    async refresh() {
      const { opened } = session;
      const linked = second.opened;
      if (linked && linked !== held) {
        await inOther(linked.name, (session) => session.load(linked));
        // What cannot be opened is not tried again.
        if (second.opened === linked) delete second.opened;
        sample.value = "";
      }
      if (!other?.opened || !opened) return;
      await mergeTexts(opened.source, other.opened.source);
      await other.client.json("setState", await session.client.call("state"));
      const [a, b] = await Promise.all([session.client.json<unknown>("run"), other.client.json<unknown>("run")]);
      const rows = differences(outputs(a), outputs(b));
      status.textContent = `${opened.name} and ${other.opened.name}, with the same inputs: ${rows.length === 0 ? "every output is equal." : `${rows.length} values differ.`}`;
      say(status.textContent);
      await judge(session, other);
      await showPictures(session, other);
      const head = ["Vertex", "Output", opened.name, other.opened.name];
      values.replaceChildren(
        ...(rows.length === 0
          ? []
          : [
              h(
                "table",
                {},
                h("caption", {}, "Outputs that differ"),
                h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
                h(
                  "tbody",
                  {},
                  ...rows.slice(0, 400).map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, cell)))),
                ),
              ),
            ]),
      );
    },
  };
  return pane;
}
