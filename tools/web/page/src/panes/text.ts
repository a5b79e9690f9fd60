// A text that the translator made: IR, WGSL, GLSL, SPIR-V and others, each line linked to its
// instructions.

import type { Code } from "../code";
import type { TextView } from "../contract";
import { h } from "../dom";
import type { languages } from "../languages";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

export function textPane(context: Context, kind: string, title: string, language: keyof typeof languages): Pane {
  // Most readers open few of these: each text is made when it is first shown.
  let code: Code | undefined;
  const problems = h("ul", { class: "problems", hidden: true });
  const element = h("div", { class: "text-pane" }, problems);
  return {
    id: kind,
    title,
    element,
    async refresh() {
      const [view, { Code }] = await Promise.all([
        context.session.client.json<TextView>("view", kind),
        import("../code"),
      ]);
      list(problems, view.problems);
      if (!code) {
        code = new Code({ label: `${title} of the program`, origin: kind, language, marks: context.marks });
        element.append(code.view.dom);
      }
      code.show(view.text, view.places);
    },
  };
}
