// The tables of the file: rows that belong to instructions are part of the selection.

import type { TableView } from "../contract";
import { h, rove } from "../dom";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

export function tablesPane({ session, marks }: Context): Pane {
  const problems = h("ul", { class: "problems", hidden: true });
  const content = h("div", {});
  const element = h("div", { class: "scroll tables", tabindex: 0, role: "region", "aria-label": "Tables of the file" }, problems, content);
  let rows: { row: HTMLElement; pcs: number[] }[] = [];

  const paint = (scroll: boolean) => {
    for (const { row, pcs } of rows) row.className = marks.classes(pcs);
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
      rows = [];
      content.replaceChildren(
        ...view.tables.filter((table) => table.rows.length > 0).map(({ title, columns, rows: lines }) => {
          const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)));
          const body = lines.map(({ cells, pcs }) => {
            const isFirst = !rows.some((entry) => entry.pcs.length > 0);
            const row = h("tr", { tabindex: pcs.length === 0 ? null : isFirst ? 0 : -1 }, ...cells.map((cell) => h("td", {}, cell)));
            rows.push({ row, pcs });
            return row;
          });
          return h("table", {}, h("caption", {}, title), h("thead", {}, head), h("tbody", {}, ...body));
        }),
      );
      paint(false);
    },
  };
}
