// The frame around the panes: theme, borders that move, dropped files, keys.

import { byId, h } from "./dom";

/** Follows the system's colors until the reader chooses; the choice is kept. */
export function theme(): void {
  const button = byId("theme");
  const root = document.documentElement;
  const isDark = () =>
    (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colors`);
  };
  try {
    const kept = localStorage.getItem("theme");
    if (kept === "dark" || kept === "light") root.dataset["theme"] = kept;
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  label();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  button.addEventListener("click", () => {
    root.dataset["theme"] = isDark() ? "light" : "dark";
    label();
    try {
      localStorage.setItem("theme", root.dataset["theme"]);
    } catch {
      // As above.
    }
  });
}

/** Borders between panes, moved by mouse or arrow keys. */
export function splits(): void {
  const main = byId("main");
  const border = (id: string, variable: string, isVertical: boolean, isAtEnd: boolean) => {
    const element = byId(id);
    const [low, high] = [Number(element.ariaValueMin), Number(element.ariaValueMax)];
    const set = (value: number) => {
      const bounded = Math.round(Math.min(high, Math.max(low, value)));
      element.ariaValueNow = String(bounded);
      main.style.setProperty(variable, `${bounded}%`);
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (!element.hasPointerCapture(event.pointerId)) return;
      const { left, top, width, height } = main.getBoundingClientRect();
      const share = isVertical ? (event.clientX - left) / width : (event.clientY - top) / height;
      set(100 * (isAtEnd ? 1 - share : share));
    });
    element.addEventListener("keydown", (event) => {
      const steps: Record<string, number> = isVertical ? { ArrowLeft: -2, ArrowRight: 2 } : { ArrowUp: -2, ArrowDown: 2 };
      const step = steps[event.key];
      if (step === undefined) return;
      event.preventDefault();
      set(Number(element.ariaValueNow) + (isAtEnd ? -step : step));
    });
  };
  border("split-columns", "--left", true, false);
  border("split-picture", "--picture", true, true);
  border("split-rows", "--lower", false, true);
}

/** The bar of narrow screens, which have room for one pane. */
export function bar(): void {
  const main = byId("main");
  const names = { left: "Source", watch: "Picture", right: "Translation", lower: "Run" };
  const buttons = Object.entries(names).map(([id, name]) => {
    const show = () => {
      main.dataset["pane"] = id;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset["shows"] === id));
    };
    const pressed = String(main.dataset["pane"] === id);
    return h("button", { type: "button", "data-shows": id, "aria-pressed": pressed, onclick: show }, name);
  });
  byId("bar").append(...buttons);
}

/** Files and folders dropped anywhere. */
export function drops(open: (files: File[]) => void): void {
  const sign = byId("drop");
  let depth = 0;
  window.addEventListener("dragenter", () => (sign.hidden = ++depth === 0));
  window.addEventListener("dragleave", () => (sign.hidden = --depth <= 0));
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    sign.hidden = true;
    // The list is empty once the event has ended.
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
    const files = [...(event.dataTransfer?.files ?? [])];
    const isFolder = entries.some((entry) => entry?.isDirectory);
    if (!isFolder) return open(files);
    void import("./doubt").then(async ({ filesOf }) => {
      const found = entries.flatMap((entry) => (entry ? [filesOf(entry)] : []));
      open((await Promise.all(found)).flat());
    });
  });
}

/** Keys of the whole page, as `Alt+P` or `F8`. */
export function keys(actions: Record<string, () => void>): void {
  window.addEventListener(
    "keydown",
    (event) => {
      const parts = [
        event.ctrlKey || event.metaKey ? "Ctrl" : "",
        event.altKey ? "Alt" : "",
        event.shiftKey ? "Shift" : "",
      ];
      const name = event.key.length === 1 ? event.code.replace(/^(Key|Digit)/, "") : event.key;
      const action = actions[[...parts, name].filter(Boolean).join("+")];
      if (!action) return;
      event.preventDefault();
      action();
    },
    { capture: true },
  );
}
