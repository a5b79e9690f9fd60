// Edits that a reload and Back find again: an entry of the browser's history holds the program that
// was open, with all that a link would hold of it. Nothing is written elsewhere.

import type { Problem } from "./contract";
import { isLinked, type Linked } from "./link";

/** A program, and what the reader made of it. */
export interface Draft {
  program: string;
  /** When it was opened. */
  began?: number;
  linked: Linked;
}

/** Characters that an entry may have: each browser has a bound of its own. */
const LIMIT = 1 << 20;
/** Milliseconds from one write to the next: browsers drop them when there are too many. */
const PAUSE = 250;

export class Drafts {
  /** The program of the entry in front; unknown for one that has no draft yet. */
  private program: string | undefined;
  /** Drafts that no entry has yet, by program. */
  private readonly waiting = new Map<string, Draft>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The last draft was not kept. */
  isRefused = false;
  /**
   * Another entry is in front than the one that was entered last: nothing may be written into it.
   */
  private isMoving = false;

  constructor(private readonly warn: (problem: Problem) => void) {
    // When the page is hidden, it is too late.
    addEventListener("beforeunload", () => this.flush());
    addEventListener("popstate", () => (this.isMoving = true));
  }

  /** Takes over the entry that is in front now, and returns its draft. */
  enter(): Draft | undefined {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isMoving = false;
    const { draft } = (history.state ?? {}) as { draft?: Draft };
    this.program = draft?.program;
    if (!draft || !isLinked(draft.linked)) return undefined;
    return this.waiting.get(draft.program) ?? draft;
  }

  /** Keeps a draft: another program's draft gets an entry of its own. */
  keep(draft: Draft): void {
    if (this.isMoving) return;
    const isOther = this.program !== undefined && this.program !== draft.program;
    if (isOther) this.flush();
    this.program = draft.program;
    this.waiting.set(draft.program, draft);
    if (isOther) this.write(draft, "pushState");
    else if (!this.timer) this.flush();
  }

  private flush(): void {
    const draft = this.isMoving ? undefined : this.waiting.get(this.program ?? "");
    if (draft) this.write(draft, "replaceState");
  }

  private write(draft: Draft, how: "pushState" | "replaceState"): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush();
    }, PAUSE);
    this.waiting.delete(draft.program);
    try {
      const { length } = JSON.stringify(draft);
      const isTooLong = length > LIMIT;
      // A link in the address stays with the entry that it was opened in.
      const address = how === "pushState" ? location.pathname + location.search : undefined;
      if (how === "pushState" || !isTooLong) history[how](isTooLong ? {} : { draft }, "", address);
      if (isTooLong) throw new Error(`${length} characters, and at most ${LIMIT} are kept`);
      this.isRefused = false;
    } catch (error) {
      if (this.isRefused) return;
      this.isRefused = true;
      const message = `Not kept for a reload: ${error instanceof Error ? error.message : error}`;
      this.warn({ severity: "warning", message, hint: "A link or a copy of the text keeps what you changed." });
    }
  }
}
