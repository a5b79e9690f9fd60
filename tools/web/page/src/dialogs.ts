// What opens over the page: keys, what this is, a question, recent programs, ways to share.

import { button, download, h } from "./dom";
import type { Recent } from "./recent";

/** Opens a dialog that is gone once it is closed. */
function open(id: string, title: string, ...children: Node[]): HTMLDialogElement {
  document.getElementById(id)?.remove();
  const close = h("form", { method: "dialog" }, h("button", {}, "Close"));
  const dialog = h(
    "dialog",
    { id, "aria-labelledby": `${id}-title`, onclose: () => dialog.remove() },
    h("h2", { id: `${id}-title` }, title),
    ...children,
    close,
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const KEYS: [keys: string, does: string][] = [
  ["F8 F7", "One step forward, one back"],
  ["F4 Shift+F4", "Run to the next breakpoint, or back to the one before"],
  ["Alt+B", "Set or remove a breakpoint at the selected line"],
  ["F9 Shift+F9", "Run to the selected line, or back to it"],
  ["Alt+1 … Alt+9", "Tabs of the translation"],
  ["Alt+E", "The source"],
  ["Alt+W", "The picture: arrow keys orbit, + and − zoom, 0 resets, Enter steps the triangle in the middle"],
  ["Alt+P", "Let the time run, or stop it"],
  ["Ctrl+O", "Open a file"],
  ["Ctrl+F", "Search in the focused text"],
  ["Esc Tab", "Leave a text"],
  ["F1", "This list"],
];

/** Shows what keys do, or closes that. */
export function keys(): void {
  const shown = document.getElementById("keys");
  if (shown instanceof HTMLDialogElement) return shown.close();
  const rows = KEYS.flatMap(([keys, does]) => [
    h("dt", {}, ...keys.split(" ").flatMap((key) => [key === "…" ? key : h("kbd", {}, key), " "])),
    h("dd", {}, does),
  ]);
  open("keys", "Keyboard", h("dl", {}, ...rows));
}

/** Says what the page is, of which version, and under which licenses. */
export function about(): void {
  const link = (address: string, text: string) => h("a", { href: address, target: "_blank", rel: "noopener" }, text);
  open(
    "about-page",
    `transpica ${RELEASE}`,
    h(
      "p",
      {},
      "The Nintendo 3DS runs vertex and geometry shaders on a unit called PICA200. transpica translates such programs, exactly or fast, to the languages of today's GPUs, for emulators and for ports of games.",
    ),
    h(
      "p",
      {},
      "This page has all of it without a server: the translation follows each key, a click on a line shows where it went, the lower panes run it step by step, and the picture is drawn by it. Your programs stay in this browser.",
    ),
    h(
      "ul",
      {},
      ...[
        link("about/guide.txt", "Manual: the library and the command line"),
        link("about/settings.txt", "Every option"),
        link("about/samples.txt", "What each sample shows"),
        link("about/page.txt", "How this page is built from its source, tools/web"),
        ...(REPOSITORY ? [link(REPOSITORY, "Source")] : []),
        link("about/licenses.txt", "Licenses: of every package inside, and of the fonts; transpica is under MIT or Apache 2.0"),
        link("about/licenses-rust.html", "Licenses of Rust's own library"),
      ].map((item) => h("li", {}, item)),
    ),
  );
}

/** Asks before something; `yes` follows if the reader agrees. */
export function ask(question: string, hint: string, agree: string, yes: () => void): void {
  const dialog = open("question", question, h("p", {}, hint));
  const press = () => {
    dialog.close();
    yes();
  };
  dialog.querySelector("form")?.prepend(button(agree, "", press, { class: "primary" }));
}

/** Lists the programs that were changed last. */
export function recent(kept: Recent[], restore: (one: Recent) => void, forget: () => void): void {
  const empty = h("p", { class: "muted" }, "Programs that you change or open are listed here, in this browser only.");
  const rows = kept.map((one) => {
    const press = () => {
      dialog.close();
      restore(one);
    };
    const when = new Date(one.time).toLocaleString();
    return h("li", {}, button(one.linked.name, "", press), h("span", { class: "muted" }, when));
  });
  const dialog = open("recents", "Recent programs", kept.length > 0 ? h("ul", {}, ...rows) : empty);
  const press = () => {
    forget();
    dialog.close();
  };
  if (kept.length > 0) dialog.querySelector("form")?.prepend(button("Forget all", "", press));
}

/** Offers names, of which one is taken. */
export function choose(title: string, names: string[], take: (name: string) => void): void {
  const rows = names.map((name) => {
    const press = () => {
      dialog.close();
      take(name);
    };
    return h("li", {}, button(name, "", press));
  });
  const dialog = open("choice", title, h("p", {}, "The files are sources of more than one program. Open:"), h("ul", {}, ...rows));
}

export interface Shared {
  name: string;
  address: string;
  isCopied: boolean;
  /** What the link lacks. */
  without: string;
  picture(): Promise<Blob>;
  animation(progress: (share: number) => void): Promise<Blob>;
}

/** Offers the link, a frame for other pages, and pictures. */
export function share({ name, address, isCopied, without, picture, animation }: Shared): void {
  const copied = isCopied ? "Link copied" : "The address bar has the link";
  const said = h("p", { role: "status" }, `${copied}: ${address.length} characters. ${without}`);
  const field = (label: string, text: string) => {
    const area = h("textarea", { rows: 3, readonly: true, "aria-label": label, spellcheck: "false" });
    area.value = text;
    const copy = async () => {
      area.select();
      await navigator.clipboard.writeText(text);
      said.textContent = `${label}: copied.`;
    };
    return h("div", {}, button(`Copy ${label === "Link" ? "link" : label}`, "", () => void copy().catch(fail)), area);
  };
  const fail = (error: Error) => void (said.textContent = error.message);
  const save = async (file: string, make: Promise<Blob>) => {
    download(file, await make, "image/png");
    said.textContent = `${file} saved.`;
  };
  const stem = name.replace(/(\.\w+)+$/, "") || "shader";
  const progress = (share: number) => void (said.textContent = `Drawing: ${Math.round(100 * share)} %`);
  const frame = `<iframe src="${address.replace("#", "#embed&")}" width="900" height="480" loading="lazy" title="${stem.replace(/[<>&"]/g, "")} in transpica"></iframe>`;
  open(
    "sharing",
    "Share",
    h("p", {}, "The link holds all of it: program, options, inputs, tab, step, breakpoints, selection, view, and the second program of a comparison in front. Nothing is stored on a server."),
    field("Link", address),
    field("HTML for a blog", frame),
    h(
      "div",
      {},
      button("Save picture", "", () => void save(`${stem}.png`, picture()).catch(fail)),
      " ",
      button("Save animation", "", () => void save(`${stem}-turn.png`, animation(progress)).catch(fail)),
    ),
    said,
  );
}
