// Problems as a list: severity, place, message, hint.

import type { Problem } from "../contract";
import { h } from "../dom";

/** Fills a list; a problem with a place becomes a button that goes there. */
export function list(into: HTMLElement, problems: readonly Problem[], goTo?: (problem: Problem) => void): void {
  into.hidden = problems.length === 0;
  const rows = problems.slice(0, 200).map((problem) => {
    const place =
      problem.line !== undefined
        ? `${problem.line}:${problem.column ?? 1}`
        : problem.pc !== undefined
          ? `pc 0x${problem.pc.toString(16)}`
          : "";
    const at =
      goTo && place
        ? h("button", { type: "button", class: "place", onclick: () => goTo(problem), title: "Go there" }, place)
        : h("span", { class: "place" }, place);
    return h(
      "li",
      { class: `problem ${problem.severity}` },
      h("span", { class: "severity" }, problem.severity),
      at,
      h(
        "span",
        { class: "message" },
        problem.message,
        problem.hint ? h("span", { class: "hint" }, problem.hint) : null,
      ),
    );
  });
  if (problems.length > rows.length) rows.push(h("li", {}, `and ${problems.length - rows.length} more`));
  into.replaceChildren(...rows);
}
