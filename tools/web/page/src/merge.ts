// Two texts side by side with their differences.

import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { common } from "./code";

/** Shows the differences of two programs in an element. */
export function merged(parent: HTMLElement, first: string, second: string): MergeView {
  const side = (label: string) => [
    ...common(label, "picasso"),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
  ];
  return new MergeView({
    a: { doc: first, extensions: side("First program") },
    b: { doc: second, extensions: side("Second program") },
    parent,
    collapseUnchanged: { margin: 3, minSize: 6 },
    diffConfig: { scanLimit: 5000, timeout: 200 },
  });
}
