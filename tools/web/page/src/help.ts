// Help while a text is written: what stands under the pointer, and what can stand at the cursor.

import {
  autocompletion,
  closeCompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  selectedCompletion,
} from "@codemirror/autocomplete";
import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { type EditorView, hoverTooltip, keymap } from "@codemirror/view";
import type { Candidate, Hover } from "./contract";
import { h } from "./dom";

/** Asks the engine about a place of a text. */
export type Ask = <T>(method: "hover" | "complete", text: string, line: number, character: number) => Promise<T>;

function ask<T>(engine: Ask, method: "hover" | "complete", state: EditorState, place: number): Promise<T> {
  const line = state.doc.lineAt(place);
  return engine<T>(method, state.doc.toString(), line.number - 1, place - line.from);
}

/** Builds a page of help: paragraphs and blocks, with code in backquotes. */
function page(markdown: string): HTMLElement {
  const pieces = markdown.split("```").map((piece, number) => {
    if (number % 2 === 1) return [h("pre", {}, piece.replace(/^\w*\n/, "").trimEnd())];
    const paragraphs = piece.split(/\n{2,}/).filter((text) => text.trim());
    return paragraphs.map((text) => h("p", {}, ...inline(text.trim())));
  });
  return h("div", { class: "help-page" }, ...pieces.flat());
}

function inline(text: string): (Node | string)[] {
  return text.split("`").map((piece, number) => (number % 2 === 1 ? h("code", {}, piece) : piece.replaceAll("**", "")));
}

async function complete(engine: Ask, context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit) return null;
  const found = await ask<Candidate[]>(engine, "complete", context.state, context.pos);
  const [first] = found;
  if (context.aborted || !first) return null;
  const options = found.map(({ label, detail, documentation, sortText }) => ({
    label,
    sortText,
    ...(detail ? { detail } : {}),
    ...(documentation ? { info: () => page(documentation.value) } : {}),
  }));
  const from = context.state.doc.lineAt(context.pos).from + first.textEdit.range.start.character;
  return { from, options };
}

/** Closes the list if its choice stands there already, so that Enter breaks the line. */
function leave(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const { head } = selection.main;
  const label = selectedCompletion(view.state)?.label;
  if (label !== undefined && doc.sliceString(head - label.length, head) === label) closeCompletion(view);
  return false;
}

/** Returns the help of a text that can be written. */
export function help(engine: Ask): Extension[] {
  const over = hoverTooltip(async (view, place) => {
    const found = await ask<Hover | null>(engine, "hover", view.state, place);
    if (!found?.range) return null;
    const { from } = view.state.doc.lineAt(place);
    const [start, end] = [from + found.range.start.character, from + found.range.end.character];
    return { pos: start, end, above: true, create: () => ({ dom: page(found.contents.value) }) };
  });
  const completion = autocompletion({ override: [(context) => complete(engine, context)], defaultKeymap: false });
  // Bindings of a key are tried in this order until one handles it.
  return [over, completion, Prec.highest(keymap.of([{ key: "Enter", run: leave }, ...completionKeymap]))];
}
