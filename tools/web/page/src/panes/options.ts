// The options as a form, one row for each row of the library's table.

import type { Problem, Setting } from "../contract";
import { button, h, refuse } from "../dom";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

/** The control of one option; `change` gets the value that the engine reads. */
function control(setting: Setting, id: string, change: (value: unknown) => void): HTMLElement {
  const { form, value, choices, on } = setting;
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
      return area;
    }
  }
}

export function optionsPane({ session, say }: Context): Pane {
  const problems = h("ul", { class: "problems", hidden: true });
  const form = h("div", { class: "options" });
  const filter = h("input", {
    type: "search",
    placeholder: "Filter",
    "aria-label": "Filter options",
    oninput: () => narrow(),
  });
  const reset = button("Reset all", "Set every option to its default", () => void apply(session.configureAll({})));
  const element = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Options of the translation" },
    h("div", { class: "bar" }, filter, reset),
    problems,
    form,
  );

  const narrow = () => {
    const wanted = filter.value.toLowerCase();
    for (const row of form.querySelectorAll<HTMLElement>(".option"))
      row.hidden = !`${row.textContent} ${row.querySelector("label")?.title}`.toLowerCase().includes(wanted);
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
  const refresh = async () => {
    const text = (await session.client.call("settings")) as string;
    if (text === shown) return;
    shown = text;
    const settings = JSON.parse(text) as Setting[];
    const focused = document.activeElement?.id;
    const groups = [...new Set(settings.map(({ group }) => group))];
    form.replaceChildren(
      ...groups.map((group) =>
        h(
          "fieldset",
          {},
          h("legend", {}, group),
          ...settings
            .filter((setting) => setting.group === group)
            .map((setting) => {
              const id = `option-${setting.path.replace(/\W/g, "-")}`;
              return h(
                "div",
                { class: setting.changed ? "option is-changed" : "option" },
                h("label", { for: id, title: setting.path }, setting.label),
                control(setting, id, (value) => void apply(session.configure(setting, value))),
                h("p", { class: "help", id: `${id}-help` }, setting.help),
              );
            }),
        ),
      ),
    );
    narrow();
    if (focused?.startsWith("option-")) document.getElementById(focused)?.focus();
  };
  return { id: "options", title: "Options", element, refresh };
}
