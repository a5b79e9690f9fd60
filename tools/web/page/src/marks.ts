// What is marked in every pane: the selected addresses, the instruction of the step, the ancestors
// of an output, and dead code.

export type Origin = "editor" | "graph" | "tables" | "step" | "listing" | (string & {});

/** Stands for the beginning of a program, beside the addresses of its instructions. */
export const ENTRY = 0x1000;

const isSame = (a: ReadonlySet<number>, b: ReadonlySet<number>) => a.size === b.size && [...a].every((pc) => b.has(pc));

export class Marks {
  selected: ReadonlySet<number> = new Set();
  current = -1;
  ancestors: ReadonlySet<number> = new Set();
  dead: ReadonlySet<number> = new Set();
  /** Addresses in front of which runs stop. */
  breaks: ReadonlySet<number> = new Set();
  /** Called after the reader has set or removed a breakpoint. */
  onToggle: () => void = () => {};

  private readonly listeners: ((origin: Origin, moved: boolean) => void)[] = [];
  private readonly breakListeners: (() => void)[] = [];
  /** What the next picture shows; a step changes several marks. */
  private next: { origin: Origin; moved: boolean } | undefined;

  /**
   * `origin` is the pane that made the change: it does not scroll. Called once for each picture.
   */
  listen(listener: (origin: Origin, moved: boolean) => void): void {
    this.listeners.push(listener);
  }

  /** Called at once: the next key may move a line before there is a picture. */
  listenToBreaks(listener: () => void): void {
    this.breakListeners.push(listener);
  }

  select(pcs: Iterable<number>, origin: Origin): void {
    const selected = new Set(pcs);
    if (isSame(selected, this.selected)) return;
    this.selected = selected;
    this.notify(origin, true);
  }

  /** Replaces the breakpoints. */
  stopAt(pcs: Iterable<number>): void {
    const breaks = new Set([...pcs].filter((pc) => pc < ENTRY));
    if (isSame(breaks, this.breaks)) return;
    this.breaks = breaks;
    for (const listener of this.breakListeners) listener();
  }

  /** Removes the breakpoints of these instructions, or sets one at the first. */
  toggle(pcs: readonly number[]): void {
    const first = Math.min(...pcs);
    if (first >= ENTRY) return;
    const others = [...this.breaks].filter((pc) => !pcs.includes(pc));
    this.stopAt(others.length < this.breaks.size ? others : [...others, first]);
    this.onToggle();
  }

  set(change: { current?: number; ancestors?: Iterable<number>; dead?: Iterable<number> }): void {
    const { current, ancestors, dead } = this;
    if (change.current !== undefined) this.current = change.current;
    if (change.ancestors) this.ancestors = new Set(change.ancestors);
    if (change.dead) this.dead = new Set(change.dead);
    if (current !== this.current || !isSame(ancestors, this.ancestors) || !isSame(dead, this.dead))
      this.notify("step", false);
  }

  /** Paints a pane that was hidden, and shows what is selected in it. */
  repaint(): void {
    this.notify("tabs", true);
  }

  /** Classes of something that was made from these instructions. */
  classes(pcs: readonly number[]): string {
    if (pcs.length === 0) return "";
    const classes: string[] = [];
    if (pcs.some((pc) => this.selected.has(pc))) classes.push("is-selected");
    if (pcs.includes(this.current)) classes.push("is-current");
    if (pcs.some((pc) => this.ancestors.has(pc))) classes.push("is-ancestor");
    if (pcs.every((pc) => this.dead.has(pc))) classes.push("is-dead");
    return classes.join(" ");
  }

  /** Has panes painted with the next picture: each change of a text costs a layout of the page. */
  private notify(origin: Origin, moved: boolean): void {
    if (!this.next) requestAnimationFrame(() => this.paint());
    if (!this.next || moved) this.next = { origin, moved };
  }

  private paint(): void {
    const { next } = this;
    this.next = undefined;
    if (next) for (const listener of this.listeners) listener(next.origin, next.moved);
  }
}
