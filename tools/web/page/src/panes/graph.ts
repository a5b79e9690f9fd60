// The flow graph. Blocks are part of the selection; arrow keys go from block to block.

import type { GraphView } from "../contract";
import { button, h } from "../dom";
import type { Context, Pane } from "./pane";

/** Reads the drawing as a document and leaves out everything that could run. */
function drawing(svg: string): SVGElement | undefined {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (root.localName !== "svg") return undefined;
  for (const element of [...root.querySelectorAll("script, foreignObject")]) element.remove();
  for (const element of root.querySelectorAll("*")) {
    for (const { name } of [...element.attributes])
      if (name.startsWith("on") || name.endsWith("href")) element.removeAttribute(name);
  }
  return document.importNode(root, true) as unknown as SVGElement;
}

export function graphPane({ session, marks }: Context): Pane {
  const canvas = h("div", {
    class: "scroll graph-canvas",
    tabindex: 0,
    role: "region",
    "aria-label": "Flow graph; arrow keys select blocks",
  });
  const element = h("div", { class: "graph" });
  let blocks: { node: SVGGElement; pcs: number[] }[] = [];
  let shown = "";
  let zoom = 1;
  let size: [number, number] = [1, 1];

  const resize = (next: number) => {
    zoom = Math.min(4, Math.max(0.1, next));
    const svg = canvas.querySelector("svg");
    svg?.setAttribute("width", String(size[0] * zoom));
    svg?.setAttribute("height", String(size[1] * zoom));
  };
  const fit = () => resize(Math.min(1, (canvas.clientWidth - 24) / size[0]));
  element.append(
    h(
      "div",
      { class: "bar" },
      button("Fit", "Fit the width", fit),
      button("100 %", "Natural size", () => resize(1)),
      button("−", "Smaller", () => resize(zoom / 1.25), { "aria-label": "Smaller" }),
      button("+", "Larger", () => resize(zoom * 1.25), { "aria-label": "Larger" }),
    ),
    canvas,
  );

  const paint = (scroll: boolean) => {
    if (element.closest("[hidden]")) return;
    for (const { node, pcs } of blocks) node.setAttribute("class", `block ${marks.classes(pcs)}`);
    if (!scroll) return;
    blocks
      .find(({ node }) => node.classList.contains("is-selected"))
      ?.node.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  marks.listen((origin, moved) => paint(moved && origin !== "graph"));
  canvas.addEventListener("click", (event) => {
    const node = (event.target as Element).closest("g.block");
    const found = blocks.find((block) => block.node === node);
    if (found) marks.select(found.pcs, "graph");
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined || blocks.length === 0) return;
    event.preventDefault();
    const at = blocks.findIndex(({ node }) => node.classList.contains("is-selected"));
    const next = blocks[at < 0 ? 0 : (at + step + blocks.length) % blocks.length];
    marks.select(next?.pcs ?? [], "graph");
    next?.node.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  return {
    id: "graph",
    title: "Graph",
    element,
    async refresh() {
      const view = await session.client.json<GraphView>("view", "graph");
      // Most edits change no block: what is shown stays, and so does its scroll position.
      if (view.svg === shown && blocks.length > 0) return paint(false);
      shown = view.svg;
      const svg = drawing(view.svg);
      canvas.replaceChildren(...(svg ? [svg] : [h("p", { class: "empty" }, view.problems[0]?.message ?? "No graph.")]));
      blocks = [];
      if (!svg) return;
      const [, , width, height] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
      size = [
        width || parseFloat(svg.getAttribute("width") ?? "1"),
        height || parseFloat(svg.getAttribute("height") ?? "1"),
      ];
      if (!svg.hasAttribute("viewBox")) svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
      svg.setAttribute("aria-hidden", "true");
      blocks = [...svg.querySelectorAll<SVGGElement>("g.block")].map((node) => ({
        node,
        pcs: (node.dataset["pcs"] ?? "").split(",").filter(Boolean).map(Number),
      }));
      fit();
      paint(false);
    },
  };
}
