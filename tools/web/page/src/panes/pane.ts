// A pane behind a tab. It is asked for only while it is visible, and once more when it becomes so.

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
  /** Says a sentence in the status line, which screen readers follow. */
  say(text: string): void;
}
