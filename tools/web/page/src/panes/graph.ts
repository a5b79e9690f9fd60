// The flow graph. Blocks are part of the selection; arrow keys go from block to block. Dragging
// moves it, two fingers or the wheel with Ctrl zoom, and a large one has a map.

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
    zoom = Math.min(4, Math.max(0.02, next));
    const svg = canvas.querySelector("svg");
    svg?.setAttribute("width", String(size[0] * zoom));
    svg?.setAttribute("height", String(size[1] * zoom));
    place();
  };
  const room = (): [number, number] => [canvas.clientWidth - 24, canvas.clientHeight - 24];
  const fitWidth = () => resize(Math.min(1, room()[0] / size[0]));
  const fit = () => resize(Math.min(1, room()[0] / size[0], room()[1] / size[1]));
  /** Resizes around a place of the canvas, which stays where it is. */
  const resizeAt = (next: number, x: number, y: number) => {
    const { left, top } = canvas.getBoundingClientRect();
    const [dx, dy, before] = [x - left, y - top, zoom];
    resize(next);
    canvas.scrollLeft = ((canvas.scrollLeft + dx) * zoom) / before - dx;
    canvas.scrollTop = ((canvas.scrollTop + dy) * zoom) / before - dy;
  };
  const frame = h("div", { class: "map-frame" });
  const map = h("div", { class: "map", "aria-hidden": "true", hidden: true });
  element.append(
    h(
      "div",
      { class: "bar" },
      button("Fit all", "", fit),
      button("Fit width", "", fitWidth),
      button("100 %", "", () => resize(1)),
      button("−", "", () => resize(zoom / 1.25), { "aria-label": "Smaller" }),
      button("+", "", () => resize(zoom * 1.25), { "aria-label": "Larger" }),
    ),
    h("div", { class: "graph-place" }, canvas, map),
  );

  /** Shows which part of a large drawing is visible. */
  const place = () => {
    const [width, height] = [canvas.scrollWidth, canvas.scrollHeight];
    map.hidden = width <= 2 * canvas.clientWidth && height <= 2 * canvas.clientHeight;
    const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
    frame.style.left = percent(canvas.scrollLeft, width);
    frame.style.top = percent(canvas.scrollTop, height);
    frame.style.width = percent(Math.min(width, canvas.clientWidth), width);
    frame.style.height = percent(Math.min(height, canvas.clientHeight), height);
  };
  const go = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width, height } = map.getBoundingClientRect();
    canvas.scrollLeft = ((clientX - left) / width) * canvas.scrollWidth - canvas.clientWidth / 2;
    canvas.scrollTop = ((clientY - top) / height) * canvas.scrollHeight - canvas.clientHeight / 2;
  };
  map.addEventListener("pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    go(event);
  });
  map.addEventListener("pointermove", (event) => map.hasPointerCapture(event.pointerId) && go(event));
  canvas.addEventListener("scroll", place);

  const pointers = new Map<number, PointerEvent>();
  /** A drag is no click on a block. */
  let isDragged = false;
  const spread = () => {
    const [one, two] = [...pointers.values()];
    return one && two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (pointers.size === 0) isDragged = false;
    pointers.set(event.pointerId, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const old = pointers.get(event.pointerId);
    if (!old) return;
    const before = spread();
    const [dx, dy] = [event.clientX - old.clientX, event.clientY - old.clientY];
    if (!isDragged && Math.hypot(dx, dy) < 4 && pointers.size === 1) return;
    isDragged = true;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    if (pointers.size === 1) canvas.scrollBy(-dx, -dy);
    else if (before > 0) resizeAt((zoom * spread()) / before, event.clientX, event.clientY);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      resizeAt(zoom * Math.exp(-event.deltaY * 0.002), event.clientX, event.clientY);
    },
    { passive: false },
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
    const found = isDragged ? undefined : blocks.find((block) => block.node === node);
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
      const small = svg.cloneNode(true) as SVGElement;
      for (const text of small.querySelectorAll("text")) text.remove();
      for (const block of small.querySelectorAll(".block")) block.setAttribute("class", "part");
      map.replaceChildren(small, frame);
      fitWidth();
      paint(false);
    },
  };
}
