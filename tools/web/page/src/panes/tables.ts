// The tables of the file: rows that belong to instructions are part of the selection.

import type { TableView } from "../contract";
import { h, rove } from "../dom";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

interface Row {
  row: HTMLElement;
  pcs: number[];
}

interface Built {
  element: HTMLElement;
  rows: Row[];
}

function build({ title, columns, rows: lines }: TableView["tables"][number]): Built {
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)));
  const rows = lines.map(({ cells, pcs }) => ({
    row: h("tr", { tabindex: pcs.length === 0 ? null : -1 }, ...cells.map((cell) => h("td", {}, cell))),
    pcs,
  }));
  const body = h("tbody", {}, ...rows.map(({ row }) => row));
  return { element: h("table", {}, h("caption", {}, title), h("thead", {}, head), body), rows };
}

export function tablesPane({ session, marks }: Context): Pane {
  const problems = h("ul", { class: "problems", hidden: true });
  const content = h("div", { class: "flow" });
  const element = h(
    "div",
    { class: "scroll tables", tabindex: 0, role: "region", "aria-label": "Tables of the file" },
    problems,
    content,
  );
  let rows: Row[] = [];
  /** Tables as they are shown, by their content: most stay as they are when a text is edited. */
  let shown = new Map<string, Built>();

  const paint = (scroll: boolean) => {
    if (element.closest("[hidden]")) return;
    for (const { row, pcs } of rows) {
      const classes = marks.classes(pcs);
      if (row.className !== classes) row.className = classes;
    }
    if (scroll) rows.find(({ row }) => row.classList.contains("is-selected"))?.row.scrollIntoView({ block: "nearest" });
  };
  marks.listen((origin, moved) => paint(moved && origin !== "tables"));
  const choose = (event: Event) => {
    const row = (event.target as HTMLElement).closest("tr");
    const found = rows.find((entry) => entry.row === row);
    if (found && found.pcs.length > 0) marks.select(found.pcs, "tables");
  };
  content.addEventListener("click", choose);
  content.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose(event);
  });
  rove(content, "tr[tabindex]");

  return {
    id: "tables",
    title: "Tables",
    element,
    async refresh() {
      const view = await session.client.json<TableView>("view", "tables");
      list(problems, view.problems);
      const next = new Map<string, Built>();
      for (const table of view.tables.filter(({ rows }) => rows.length > 0)) {
        const key = JSON.stringify(table);
        next.set(key, shown.get(key) ?? build(table));
      }
      shown = next;
      rows = [...next.values()].flatMap((built) => built.rows);
      const elements = [...next.values()].map((built) => built.element);
      const old = [...content.children];
      if (elements.length !== old.length) content.replaceChildren(...elements);
      else elements.forEach((element, at) => element !== old[at] && old[at]?.replaceWith(element));
      const first = rows.find(({ pcs }) => pcs.length > 0);
      if (first && !rows.some(({ row }) => row.tabIndex === 0)) first.row.tabIndex = 0;
      paint(false);
    },
  };
}
