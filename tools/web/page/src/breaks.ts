// Breakpoints in the gutter of a text: a dot on each line whose instruction stops runs. In a text
// that can be edited, they move with their lines.

import { type EditorState, type Extension, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { type BlockInfo, type EditorView, GutterMarker, gutter, lineNumbers } from "@codemirror/view";

/** A line that is marked; it is gone when nothing of it is left. */
interface Span {
  from: number;
  to: number;
}

class Mark extends GutterMarker {
  constructor(override readonly elementClass: string) {
    super();
  }
}

const [STOP, FREE] = [new Mark("is-stop"), new Mark("can-stop")];

const setSpans = StateEffect.define<Span[]>();
const marked = StateField.define<{ spans: Span[]; set: RangeSet<GutterMarker> }>({
  create: () => ({ spans: [], set: RangeSet.empty }),
  update(value, { changes, docChanged, effects, newDoc }) {
    let { spans } = value;
    if (docChanged)
      spans = spans
        .map(({ from, to }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }))
        .filter(({ from, to }) => from < to);
    for (const effect of effects) if (effect.is(setSpans)) spans = effect.value;
    if (spans === value.spans) return value;
    const starts = [...new Set(spans.map(({ from }) => newDoc.lineAt(from).from))].sort((a, b) => a - b);
    return { spans, set: RangeSet.of(starts.map((start) => STOP.range(start))) };
  },
});

/** Numbers of the marked lines, from 1. */
export const stops = (state: EditorState): number[] => [
  ...new Set(state.field(marked).spans.map(({ from }) => state.doc.lineAt(from).number)),
];

/** Marks these lines, and no others. */
export const setStops = (doc: Text, lines: readonly number[]): StateEffect<unknown> =>
  setSpans.of(
    lines.map((line) => {
      const { from, to } = doc.line(line);
      return { from, to };
    }),
  );

/** The gutters of dots and numbers: a click on either sets or removes a breakpoint. */
export function gutters(canStop: (line: number) => boolean, press: (line: number) => void): Extension[] {
  const line = (view: EditorView, { from }: BlockInfo) => view.state.doc.lineAt(from).number;
  const mousedown = (view: EditorView, block: BlockInfo, event: Event) => {
    if ((event as MouseEvent).button !== 0) return false;
    event.preventDefault();
    press(line(view, block));
    return true;
  };
  const dots = gutter({
    class: "cm-breaks",
    markers: ({ state }) => state.field(marked).set,
    lineMarker: (view, block) => (canStop(line(view, block)) ? FREE : null),
    // Lines may have got other instructions.
    lineMarkerChange: ({ transactions }) =>
      transactions.some(({ effects }) => effects.some((effect) => effect.is(setSpans))),
    domEventHandlers: { mousedown },
  });
  return [marked, dots, lineNumbers({ domEventHandlers: { mousedown } })];
}
