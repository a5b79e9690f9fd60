// A second program beside the first: both texts with their differences, and the outputs that differ
// for the same inputs.

import type { MergeView } from "@codemirror/merge";
import { Client } from "../client";
import { h, button, number } from "../dom";
import { Session } from "../session";
import type { Context, Pane } from "./pane";
import { type Outputs, outputs } from "./run";

export interface Second {
  newClient(): Client;
  samples: { name: string; path: string }[];
  load(path: string): Promise<Uint8Array>;
}

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
): Pane & { open(name: string, bytes: Uint8Array): Promise<void> } {
  let other: Session | undefined;
  let merge: MergeView | undefined;
  const texts = h("div", { class: "merge" });
  const values = h("div", { class: "values", tabindex: 0, role: "region", "aria-label": "Outputs that differ" });
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
      button("Open second…", "A second program", () => file.click()),
      file,
      sample,
    ),
    status,
    values,
    texts,
  );

  const open = async (name: string, bytes: Uint8Array) => {
    if (!other) {
      other = new Session(second.newClient());
      other.onError = ({ message }) => (status.textContent = message);
    }
    if (await other.open(name, bytes)) await pane.refresh();
  };
  const show = async (first: string, text: string) => {
    const { merged } = await import("../merge");
    merge?.destroy();
    merge = merged(texts, first, text);
  };
  const pane = {
    id: "compare",
    title: "Compare",
    element,
    open,
    async refresh() {
      const { opened } = session;
      if (!other?.opened || !opened) return;
      await show(opened.source, other.opened.source);
      await other.client.json("setState", await session.client.call("state"));
      const [a, b] = await Promise.all([session.client.json<unknown>("run"), other.client.json<unknown>("run")]);
      const rows = differences(outputs(a), outputs(b));
      status.textContent = `${opened.name} and ${other.opened.name}, with the same inputs: ${rows.length === 0 ? "every output is equal." : `${rows.length} values differ.`}`;
      say(status.textContent);
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
