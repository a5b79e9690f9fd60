// Problems as a list: severity, place, message, hint.

import type { Problem } from "../contract";
import { button, h } from "../dom";

/** The advice that names one word to write instead of another. */
const MEANT = /^did you mean `([^`]+)`\?$/;

/** What the buttons of a list do. */
interface Acts {
  goTo(problem: Problem): void;
  /** Writes a word where the problem is. */
  write(problem: Problem, word: string): void;
}

/** Fills a list; a problem with a place becomes a button that goes there, advice one that takes it. */
export function list(into: HTMLElement, problems: readonly Problem[], acts?: Acts): void {
  into.hidden = problems.length === 0;
  const rows = problems.slice(0, 200).map((problem) => {
    const place =
      problem.line !== undefined
        ? `${problem.line}:${problem.column ?? 1}`
        : problem.pc !== undefined
          ? `pc 0x${problem.pc.toString(16)}`
          : "";
    const at =
      acts && place
        ? h("button", { type: "button", class: "place", onclick: () => acts.goTo(problem), title: "Go there" }, place)
        : h("span", { class: "place" }, place);
    const word = MEANT.exec(problem.hint ?? "")?.[1];
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
        acts && word && problem.length ? button(`Write ${word}`, "", () => acts.write(problem, word)) : null,
      ),
    );
  });
  if (problems.length > rows.length) rows.push(h("li", {}, `and ${problems.length - rows.length} more`));
  into.replaceChildren(...rows);
}
