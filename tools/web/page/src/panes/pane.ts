// A pane under a tab. It is asked for only while it is visible, and once more when it becomes so.

import type { Marks } from "../marks";
import type { Session } from "../session";

export interface Pane {
  id: string;
  title: string;
  element: HTMLElement;
  /** Asks the engine and shows the answer. A thrown error is shown in place of the content. */
  refresh(): Promise<void>;
}

export interface Context {
  session: Session;
  marks: Marks;
  /** Milliseconds of the page's own work, by what it was. */
  times: Map<string, number>;
  /** Says a sentence in the status line, which screen readers follow. */
  say(text: string): void;
}

/** A pane whose code is loaded when it is first shown. */
export function late(id: string, title: string, make: () => Promise<Pane>): Pane {
  let made: Pane | undefined;
  const pane: Pane = {
    id,
    title,
    element: document.createElement("div"),
    async refresh() {
      if (!made) {
        const found = await make();
        made ??= found;
        pane.element.replaceWith(made.element);
        pane.element = made.element;
      }
      await made.refresh();
    },
  };
  return pane;
}
