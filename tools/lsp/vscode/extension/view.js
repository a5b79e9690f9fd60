// A pane in its web view: shows what the extension sends, and marks parts by their lines.

const host = acquireVsCodeApi();
const [bar, note, main] = ["bar", "note", "main"].map((id) => document.getElementById(id));
let lines = [];
let selected = -1;
let camera;

const element = (tag, properties) => Object.assign(document.createElement(tag), properties);

/** Marks what the selected line became; scrolls to the first part. */
function mark(isScrolled) {
  let first;
  for (const part of main.querySelectorAll("[data-pcs]")) {
    const isSelected = linesOf(part).includes(selected);
    part.classList.toggle("selected", isSelected);
    if (isSelected) first ??= part;
  }
  if (isScrolled) first?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const linesOf = (part) => part.dataset.pcs.split(",").filter(Boolean).map((pc) => lines[pc]).filter((line) => line >= 0);

/** Fills a list of choices. */
function choices(id, label, all, value, choose) {
  let list = document.getElementById(id);
  if (!list) {
    list = element("select", { id, onchange: () => choose(list.value) });
    list.setAttribute("aria-label", label);
    bar.append(list);
  }
  if (list.children.length !== all.length) list.replaceChildren(...all.map((text) => element("option", { textContent: text })));
  list.value = value;
}

function showText({ text, places, texts, kind }) {
  if (texts.length) choices("text", "Language", texts, kind, (text) => host.postMessage({ text }));
  const line = (textContent, number) => {
    const made = element("div", { textContent: textContent || " ", className: "line" });
    made.dataset.pcs = places[number]?.join(",") ?? "";
    return made;
  };
  main.replaceChildren(...text.split("\n").map(line));
}

function showGraph({ svg }) {
  const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  main.replaceChildren(document.importNode(drawing, true));
}

function showPicture({ pixels, request, shows, meshes }) {
  const ask = (changes) => host.postMessage({ request: { ...camera, ...changes } });
  const isNew = !camera;
  camera = request;
  choices("by", "Output", shows, request.by, (by) => ask({ by }));
  choices("mesh", "Mesh", meshes, request.mesh, (mesh) => ask({ mesh }));
  if (isNew) turn(ask);
  const { width, height } = request;
  const canvas = main.querySelector("canvas");
  Object.assign(canvas, { width, height });
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
}

/** Turns the mesh by dragging and by arrow keys, and moves it by the wheel. */
function turn(ask) {
  const canvas = element("canvas", { tabIndex: 0 });
  canvas.setAttribute("aria-label", "Picture of the mesh. Arrow keys orbit, plus and minus zoom.");
  main.replaceChildren(canvas);
  const orbit = (x, y) => ask({ yaw: camera.yaw + x, pitch: Math.min(1.5, Math.max(-1.5, camera.pitch + y)) });
  const zoom = (factor) => ask({ distance: Math.min(20, Math.max(1.2, camera.distance * factor)) });
  canvas.onpointermove = (event) => event.buttons & 1 && orbit(event.movementX / 100, event.movementY / 100);
  canvas.onwheel = (event) => zoom(event.deltaY > 0 ? 1.1 : 1 / 1.1);
  const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
  canvas.onkeydown = ({ key }) => {
    if (keys[key]) orbit(...keys[key]);
    if (key === "+" || key === "-") zoom(key === "-" ? 1.1 : 1 / 1.1);
  };
}

main.addEventListener("click", (event) => {
  const part = event.target.closest("[data-pcs]");
  const [line] = part ? linesOf(part) : [];
  if (line === undefined) return;
  selected = line;
  mark(false);
  host.postMessage({ line });
});

window.addEventListener("message", ({ data }) => {
  if ("select" in data) {
    selected = data.select;
    return mark(true);
  }
  note.textContent = data.note;
  lines = data.lines ?? lines;
  if (data.text !== undefined) showText(data);
  if (data.svg !== undefined) showGraph(data);
  if (data.pixels) showPicture(data);
  return mark(false);
});

host.postMessage({ ready: true });
