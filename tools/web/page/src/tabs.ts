// A list of tabs after the pattern of WAI-ARIA: arrow keys move, the tab in front is visible. Stale
// panes are refreshed when they are visible, one failure at a time.

import { CallError } from "./client";
import type { Problem } from "./contract";
import { h } from "./dom";
import type { Pane } from "./panes/pane";

interface Entry {
  pane: Pane;
  tab: HTMLButtonElement;
  panel: HTMLElement;
  notice: HTMLElement;
  isStale: boolean;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly entries: Entry[];
  private shown: Entry;

  constructor(
    label: string,
    groups: [name: string, panes: Pane[]][],
    private readonly onShow: () => void = () => {},
  ) {
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
    this.entries = groups.flatMap(([name, panes]) => {
      const group = h("div", { role: "presentation", "data-group": name || null });
      list.append(group);
      return panes.map((pane) => this.entry(pane, group));
    });
    list.addEventListener("keydown", (event) => this.move(event));
    this.element = h("div", { class: "tabbed" }, list, ...this.entries.map(({ panel }) => panel));
    this.shown = this.entries[0] as Entry;
    this.mark(this.shown);
  }

  /** Makes the tab of a pane in a group. */
  private entry(pane: Pane, group: HTMLElement): Entry {
    const tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${pane.id}`,
        "aria-controls": `panel-${pane.id}`,
        "aria-selected": "false",
        tabindex: -1,
        onclick: () => void this.show(pane.id),
      },
      pane.title,
    );
    const notice = h("div", { class: "notice", hidden: true });
    const panel = h(
      "div",
      {
        class: "panel",
        role: "tabpanel",
        id: `panel-${pane.id}`,
        "aria-labelledby": `tab-${pane.id}`,
        hidden: true,
      },
      notice,
      pane.element,
    );
    group.append(tab);
    return { pane, tab, panel, notice, isStale: true };
  }

  get active(): string {
    return this.shown.pane.id;
  }

  /** Puts a tab in front and brings its pane up to date. */
  async show(id: string): Promise<void> {
    const entry = this.entries.find(({ pane }) => pane.id === id);
    if (!entry) return;
    this.mark(entry);
    await this.update(entry);
    this.onShow();
  }

  /** Shows the tab at a position. */
  async showAt(index: number): Promise<void> {
    const entry = this.entries[index];
    if (entry) {
      entry.tab.focus();
      await this.show(entry.pane.id);
    }
  }

  /** Declares panes as stale, by default all, and refreshes the visible one. */
  async refresh(only?: readonly string[]): Promise<void> {
    for (const entry of this.entries) if (!only || only.includes(entry.pane.id)) entry.isStale = true;
    await this.update(this.shown);
  }

  /** Refreshes what a new engine does not know any more, except for what failed before. */
  async restore(ids: readonly string[]): Promise<void> {
    await this.refresh(
      this.entries.filter(({ pane, notice }) => notice.hidden && ids.includes(pane.id)).map(({ pane }) => pane.id),
    );
  }

  private mark(entry: Entry): void {
    this.shown = entry;
    for (const { tab, panel } of this.entries) {
      const isShown = tab === entry.tab;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panel.hidden = !isShown;
    }
    entry.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private async update(entry: Entry): Promise<void> {
    if (!entry.isStale) return;
    entry.isStale = false;
    try {
      await entry.pane.refresh();
      this.note(entry, undefined);
    } catch (error) {
      // Another call lost the engine: this pane is asked for again when there is a new one.
      if (error instanceof CallError && error.lost === "before") {
        entry.isStale = true;
        return;
      }
      const problem: Problem =
        error instanceof CallError ? error.problem : { severity: "error", message: String(error) };
      this.note(entry, problem);
    }
  }

  /** Shows a problem in place of the pane's content. */
  private note({ notice, pane }: Entry, problem: Problem | undefined): void {
    notice.hidden = problem === undefined;
    pane.element.hidden = problem !== undefined;
    notice.replaceChildren(...(problem ? [h("strong", {}, problem.message), problem.hint ?? ""] : []));
  }

  private move(event: KeyboardEvent): void {
    const at = this.entries.indexOf(this.shown);
    const count = this.entries.length;
    const steps: Record<string, number> = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at + count - 1) % count,
      Home: 0,
      End: count - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    void this.showAt(to);
  }
}
