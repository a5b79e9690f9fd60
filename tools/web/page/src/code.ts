// A text with places: each line knows the instructions that it was made from. The editor and every
// text pane are one of these; they differ in their language and in who may write.

import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { gutters, setStops, stops } from "./breaks";
import type { Problem } from "./contract";
import { h } from "./dom";
import { type Ask, help } from "./help";
import { highlight, languages } from "./languages";
import { ENTRY, type Marks, type Origin } from "./marks";

const setLines = StateEffect.define<DecorationSet>();
const lines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setLines)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Programs whose changes are kept. */
const MOST_OTHERS = 40;

export interface CodeOptions {
  label: string;
  origin: Origin;
  language: keyof typeof languages;
  marks: Marks;
  /** Called at each change of a text that can be written. */
  write?: (text: string) => void;
  /** Answers about places of such a text. */
  ask?: Ask;
}

/** Extensions that every text shares, merge views included. */
export function common(
  label: string,
  language: keyof typeof languages,
  gutters: Extension = lineNumbers(),
): Extension[] {
  return [
    gutters,
    drawSelection(),
    bracketMatching(),
    syntaxHighlighting(highlight),
    languages[language],
    highlightSelectionMatches({ minSelectionLength: 2 }),
    keymap.of([...defaultKeymap, ...searchKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
  ];
}

export class Code {
  readonly view: EditorView;
  private places: readonly (readonly number[])[] = [];
  private isQuiet = false;
  private isUnderlined = false;
  /** What the lines are marked with; unknown after a change of the text. */
  private painted: string | undefined;
  /**
   * The text has changed since its places were known: breakpoints move with the lines meanwhile.
   */
  private isMoved = false;
  /** The breakpoints and places that the dots are of. */
  private dotted: { breaks?: ReadonlySet<number>; places?: readonly (readonly number[])[] } = {};
  private readonly extensions: Extension[];
  private program = "";
  /** Texts of other programs with their changes, the newest last. */
  private readonly others = new Map<string, EditorState>();

  constructor(private readonly options: CodeOptions) {
    const { label, language, write, ask, marks, origin } = options;
    const beside = gutters(
      (line) => this.pcsOfLine(line).some((pc) => pc < ENTRY),
      (line) => this.toggle(line),
    );
    const extensions: Extension[] = [...common(label, language, beside), lines, highlightActiveLineGutter()];
    if (write) extensions.push(history(), keymap.of(historyKeymap), lintGutter(), EditorView.lineWrapping);
    else extensions.push(EditorState.readOnly.of(true));
    if (ask) extensions.push(...help(ask));
    extensions.push(
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          this.painted = undefined;
          this.isMoved = true;
        }
        if (this.isQuiet) return;
        if (update.docChanged) write?.(update.state.doc.toString());
        const byReader = update.transactions.some((transaction) => transaction.isUserEvent("select"));
        if (byReader && update.selectionSet) this.selectLines();
      }),
    );
    this.extensions = extensions;
    this.view = new EditorView({ extensions, doc: "" });
    marks.listen((from, moved) => this.paint(moved && from !== origin));
    marks.listenToBreaks(() => this.paint(false));
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get isFocused(): boolean {
    return this.view.hasFocus;
  }

  /**
   * Shows the text of a program, each of which has its own changes to undo. Returns whether the
   * text of this program was another one, which undoing brings back.
   */
  open(program: string, text: string): boolean {
    if (program !== this.program) {
      this.others.set(this.program, this.view.state);
      this.view.setState(this.others.get(program) ?? EditorState.create({ doc: text, extensions: this.extensions }));
      this.others.delete(program);
      const [oldest] = this.others.keys();
      if (this.others.size > MOST_OTHERS && oldest !== undefined) this.others.delete(oldest);
      this.program = program;
      this.painted = undefined;
      this.dotted = {};
      this.isUnderlined = true;
    }
    const isOther = this.text !== text;
    this.show(text, []);
    return isOther;
  }

  /** Replaces the text as typing does. */
  type(text: string): void {
    this.view.dispatch({ changes: change(this.text, text) });
  }

  /** Replaces the text where it differs, so that the reader stays at the same place. */
  show(text: string, places: readonly (readonly number[])[]): void {
    const old = this.text;
    this.places = places;
    if (old !== text)
      this.quietly(() =>
        this.view.dispatch({ changes: change(old, text), annotations: isolateHistory.of("full") }),
      );
    this.isMoved = false;
    this.paint(false);
  }

  /**
   * Tells which instructions each line has; breakpoints take the addresses of the lines to which they moved.
   */
  setPlaces(places: readonly (readonly number[])[]): void {
    this.places = places;
    if (this.isMoved) {
      this.isMoved = false;
      this.options.marks.stopAt(stops(this.view.state).flatMap((line) => this.pcsOfLine(line)));
    }
    this.paint(false);
  }

  /** Underlines problems that have a line; returns the others. */
  diagnose(problems: readonly Problem[]): Problem[] {
    const { doc } = this.view.state;
    const hasLine = ({ line }: Problem) => line !== undefined && line >= 1 && line <= doc.lines;
    const diagnostics = problems.filter(hasLine).map((problem): Diagnostic => {
      const line = doc.line(problem.line as number);
      const from = Math.min(line.from + (problem.column ?? 1) - 1, line.to);
      const to = problem.length ? Math.min(from + problem.length, line.to) : line.to;
      const severity = problem.severity === "note" ? "info" : problem.severity;
      return { from, to, severity, message: problem.message, renderMessage: () => message(problem) };
    });
    // Each change of the view costs a layout.
    if (diagnostics.length > 0 || this.isUnderlined) {
      this.isUnderlined = diagnostics.length > 0;
      diagnostics.sort((a, b) => a.from - b.from);
      this.quietly(() => this.view.dispatch(setDiagnostics(this.view.state, diagnostics)));
    }
    return problems.filter((problem) => !hasLine(problem));
  }

  /** Moves the cursor to a line, from 1, and shows it. */
  goTo(line: number, column = 1): void {
    const { doc } = this.view.state;
    const place = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const anchor = Math.min(place.from + column - 1, place.to);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  /** Writes a word in place of what a problem is about, as typing does. */
  write({ line = 1, column = 1, length = 0 }: Problem, word: string): void {
    this.goTo(line, column);
    const from = this.view.state.selection.main.head;
    this.view.dispatch({ changes: { from, to: from + length, insert: word }, userEvent: "input" });
  }

  /** Shows the line of the cursor again, after the room for the text has changed. */
  keepInView(): void {
    const { head } = this.view.state.selection.main;
    if (this.view.hasFocus) this.quietly(() => this.view.dispatch({ effects: EditorView.scrollIntoView(head, { yMargin: 24 }) }));
  }

  private pcsOfLine(line: number): readonly number[] {
    return this.places[line - 1] ?? [];
  }

  /** Sets or removes the breakpoint of a line. */
  private toggle(line: number): void {
    const pcs = this.pcsOfLine(line);
    if (!this.isMoved) return this.options.marks.toggle(pcs);
    // Its instruction is known when the text has no errors.
    const { state } = this.view;
    const old = stops(state);
    const others = old.filter((other) => other !== line);
    const lines = others.length < old.length ? others : [...others, line];
    this.quietly(() => this.view.dispatch({ effects: setStops(state.doc, lines) }));
  }

  private selectLines(): void {
    const { doc, selection } = this.view.state;
    const first = doc.lineAt(selection.main.from).number;
    const last = Math.min(doc.lineAt(selection.main.to).number, first + 1000);
    const pcs = new Set<number>();
    for (let line = first; line <= last; line++) for (const pc of this.pcsOfLine(line)) pcs.add(pc);
    this.options.marks.select(pcs, this.options.origin);
  }

  private paint(scroll: boolean): void {
    // A hidden text is painted when its tab comes to the front.
    if (this.view.dom.closest("[hidden]")) return;
    const { doc } = this.view.state;
    const builder = new RangeSetBuilder<Decoration>();
    let first = -1;
    let painted = "";
    for (const [index, pcs] of this.places.entries()) {
      if (pcs.length === 0 || index >= doc.lines) continue;
      const classes = this.options.marks.classes(pcs);
      if (!classes) continue;
      painted += `${index} ${classes};`;
      const { from } = doc.line(index + 1);
      builder.add(from, from, Decoration.line({ class: classes }));
      if (first < 0 && classes.includes("is-selected")) first = from;
    }
    const effects: StateEffect<unknown>[] = [];
    if (painted !== this.painted) effects.push(setLines.of(builder.finish()));
    this.painted = painted;
    const { marks } = this.options;
    if (!this.isMoved && (this.dotted.breaks !== marks.breaks || this.dotted.places !== this.places)) {
      this.dotted = { breaks: marks.breaks, places: this.places };
      effects.push(setStops(doc, this.linesThatStop(doc.lines)));
    }
    if (scroll && first >= 0) effects.push(EditorView.scrollIntoView(first, { y: "nearest", yMargin: 60 }));
    if (effects.length > 0) this.quietly(() => this.view.dispatch({ effects }));
  }

  private linesThatStop(most: number): number[] {
    const { breaks } = this.options.marks;
    if (breaks.size === 0) return [];
    const isStop = (pcs: readonly number[]) => pcs.some((pc) => breaks.has(pc));
    return this.places.flatMap((pcs, index) => (index < most && isStop(pcs) ? [index + 1] : []));
  }

  private quietly(work: () => void): void {
    this.isQuiet = true;
    work();
    this.isQuiet = false;
  }
}

/** The change that makes one text of another, where they differ. */
function change(old: string, text: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === text.charCodeAt(from)) from++;
  let tail = 0;
  while (tail < shorter - from && old.charCodeAt(old.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail))
    tail++;
  return { from, to: old.length - tail, insert: text.slice(from, text.length - tail) };
}

function message({ message, hint }: Problem): HTMLElement {
  return h("div", {}, message, hint ? h("div", { class: "hint" }, hint) : null);
}
