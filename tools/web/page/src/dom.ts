// Elements in one expression, and the few helpers that every pane needs.

type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** Builds an element. `on…` are listeners; true and false set or leave out an attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(
    ...children.filter((child): child is Node | string => typeof child === "string" || child instanceof Node),
  );
  return element;
}

/** Finds an element of the page by its id. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page lacks #${id}`);
  return element as T;
}

/** A button with a text, and a tooltip where that says more. */
export function button(
  text: string,
  title: string,
  press: () => void,
  attributes: Record<string, Value> = {},
): HTMLButtonElement {
  return h("button", { type: "button", title, onclick: press, ...attributes }, text);
}

/** A label in front of a field. */
export function field(label: string, control: HTMLElement): HTMLLabelElement {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

/** Saves bytes or a text as a file of the reader. */
export function download(name: string, content: BlobPart, type = "application/octet-stream"): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Lets arrow keys move between the items of a list, of which one takes part in the tab order. */
export function rove(container: HTMLElement, selector: string): void {
  const items = () => [...container.querySelectorAll<HTMLElement>(selector)];
  container.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf((event.target as HTMLElement).closest(selector) as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const next = all[steps[event.key] ?? -1];
    if (at < 0 || !next) return;
    event.preventDefault();
    for (const item of all) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  });
}

/**
 * Puts the old value back and marks what was typed as not understood; returns a sentence about it.
 */
export function refuse(input: HTMLInputElement, old: string, why: string): string {
  input.title = `“${input.value}” is not understood, ${old} stays: ${why}`;
  input.value = old;
  input.setAttribute("aria-invalid", "true");
  const forgive = () => {
    input.removeAttribute("aria-invalid");
    input.title = "";
  };
  input.addEventListener("input", forgive, { once: true });
  return input.title;
}

/** Reads a field of type `number`; without a number in range it gets the old one back. */
export function finite(input: HTMLInputElement, old = input.defaultValue): number {
  const { rangeUnderflow, rangeOverflow, stepMismatch } = input.validity;
  const isWhole = input.step === "";
  if (!Number.isFinite(input.valueAsNumber)) refuse(input, old, "a number is wanted");
  else if (rangeUnderflow || rangeOverflow || (isWhole && stepMismatch))
    refuse(input, old, `${isWhole ? "whole numbers" : "numbers"} from ${input.min || "…"} to ${input.max || "…"} are possible`);
  else input.defaultValue = input.value;
  return Number(input.value);
}

/**
 * A number as people read it: seven digits, no noise after the point. JSON has no infinities: they
 * are texts.
 */
export function number(value: number | string): string {
  if (typeof value === "string") return value;
  if (Object.is(value, -0)) return "-0";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : String(Number(value.toPrecision(7)));
}
