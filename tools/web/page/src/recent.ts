// Programs that the reader changed or opened, in the storage of this browser: the newest ones, up
// to a limit. The copy in the history does not outlive its tab.

import type { Draft } from "./drafts";
import { isLinked } from "./link";

export interface Recent extends Draft {
  /** Milliseconds since 1970. */
  time: number;
}

const KEY = "recent";
/** Programs that are kept. */
const MOST = 20;
/** Characters of all of them: browsers give a page about 5 MiB. */
const LIMIT = 2 << 20;

/** Reads the list, the newest first. */
export function recents(): Recent[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]") as Recent[];
    return kept.filter(({ linked }) => isLinked(linked));
  } catch {
    return [];
  }
}

/** Puts a program in front of the list, and drops the oldest ones over the limits. */
export function remember(draft: Draft): void {
  const others = recents().filter(({ began }) => began !== draft.began);
  const kept: Recent[] = [{ ...draft, time: Date.now() }, ...others].slice(0, MOST);
  while (kept.length > 0) {
    const text = JSON.stringify(kept);
    try {
      if (text.length <= LIMIT) return localStorage.setItem(KEY, text);
    } catch {
      // Other pages of this host may have filled the storage.
    }
    kept.pop();
  }
}

/** Empties the list. */
export function forget(): void {
  localStorage.removeItem(KEY);
}
