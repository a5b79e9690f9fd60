// Sizes of what was made, times of the engine's last calls, and downloads.

import type { Size } from "../contract";
import { button, download, h } from "../dom";
import type { Context, Pane } from "./pane";

const row = (cells: string[]) =>
  h(
    "tr",
    {},
    ...cells.map((cell, index) => h("td", index > 0 && /^[\d.,]+$/.test(cell) ? { class: "figure" } : {}, cell)),
  );

export function sizesPane({ session, times, say }: Context): Pane {
  const tables = h("div", {});
  const save = async (method: "shbin" | "spirv", ending: string) => {
    const bytes = (await session.client.call(method)) as Uint8Array<ArrayBuffer>;
    if (bytes.length === 0) return say("There is nothing to save: the program has errors.");
    download(`${(session.opened?.name ?? "shader").replace(/\.\w+$/, "")}${ending}`, bytes);
    say(`Saved ${bytes.length} bytes.`);
  };
  const element = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Sizes and times" },
    h(
      "div",
      { class: "bar" },
      button("Save .shbin", "The file as the console loads it", () => void save("shbin", ".shbin")),
      button("Save .spv", "The SPIR-V module", () => void save("spirv", ".spv")),
      button("Save state", "Inputs and uniforms, as `transpica run --state` reads them", async () =>
        download("state.json", (await session.client.call("state")) as string, "application/json"),
      ),
    ),
    tables,
  );
  return {
    id: "sizes",
    title: "Sizes & times",
    element,
    async refresh() {
      const sizes = await session.client.json<Size[]>("sizes");
      const calls = [...session.client.timings].sort((a, b) => b[1].last - a[1].last);
      const head = (...names: string[]) =>
        h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
      tables.replaceChildren(
        h(
          "table",
          {},
          h("caption", {}, "Sizes"),
          head("What", "Value", "Unit", "Note"),
          h(
            "tbody",
            {},
            ...sizes.map(({ name, value, unit, note }) => row([name, value.toLocaleString("en"), unit, note ?? ""])),
          ),
        ),
        h(
          "table",
          {},
          h("caption", {}, "Times of the page and of its engine"),
          head("Call", "Last, ms", "Calls"),
          h(
            "tbody",
            {},
            ...[...times].map(([name, last]) => row([name, last.toFixed(2), ""])),
            ...calls.map(([name, { last, calls }]) => row([name, last.toFixed(2), calls.toLocaleString("en")])),
            row(["memory of the engine, MiB", (session.client.memory / 1048576).toFixed(1), ""]),
          ),
        ),
      );
    },
  };
}
