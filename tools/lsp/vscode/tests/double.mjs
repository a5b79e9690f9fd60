// A double of VS Code for tests: what the extension uses of the module `vscode`, and a context with the
// globals that a worker has.

import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

const disposable = () => ({ dispose() {} });

class EventEmitter {
  listeners = [];
  event = (listener) => (this.listeners.push(listener), disposable());
  fire = (value) => Promise.all(this.listeners.map((listener) => listener(value)));
}

class Uri {
  constructor(text) {
    [this.scheme, this.path] = [text.split(":")[0], decodeURIComponent(text.replace(/^[a-z]+:(\/\/)?/, ""))];
  }
  static parse = (text) => new Uri(text);
  static joinPath = (uri, ...parts) => {
    const made = new Uri("file:");
    return Object.assign(made, { scheme: uri.scheme, path: path.posix.join(uri.path, ...parts) });
  };
  with(change) {
    return Object.assign(new Uri("file:"), this, change);
  }
  toString() {
    return `${this.scheme}://${this.path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

class Position {
  constructor(line, character) {
    if (!(line >= 0 && character >= 0)) throw new Error(`a position ${line}:${character}`);
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(...places) {
    const [start, end] = places.length === 2 ? places : [new Position(places[0], places[1]), new Position(places[2], places[3])];
    if (start.line > end.line) throw new Error("a range whose end is before its start");
    Object.assign(this, { start, end });
  }
}
class Selection extends Range {
  active = this.end;
}

/** A class that keeps its arguments under these names. */
const record = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, number) => (this[name] = values[number]));
    }
  };

class Items {
  map = new Map();
  get = (id) => this.map.get(id);
  add = (item) => this.map.set(item.id, item);
  delete = (id) => this.map.delete(id);
  replace = (items) => (this.map = new Map(items.map((item) => [item.id, item])));
  [Symbol.iterator] = () => this.map.entries();
}

function testItem(id, label, uri) {
  const item = { id, label, uri, children: new Items(), parent: undefined };
  const { replace } = item.children;
  item.children.replace = (items) => (items.forEach((child) => (child.parent = item)), replace(items));
  return item;
}

/** A run of tests that lists what it is told. */
function testRun(told) {
  const names = ["enqueued", "started", "passed", "failed", "errored", "skipped", "end", "addCoverage", "appendOutput"];
  return Object.fromEntries(names.map((name) => [name, (...values) => told.push([name, ...values])]));
}

/** Returns the module, and what it was told, by name. `files` are contents by URI. */
export function double(files) {
  // Each collection of problems has its own lists; the editor shows all.
  const collections = [];
  const listed = (_, uri) => {
    const lists = collections.filter((lists) => lists.has(uri)).map((lists) => lists.get(uri));
    return lists.length ? lists.flat() : undefined;
  };
  const problems = new Proxy({}, { get: listed });
  const seen = { providers: {}, commands: {}, problems, panels: [], told: [], messages: [], profiles: [], contents: {}, shown: [] };
  const events = {};
  const event = (name) => (events[name] = new EventEmitter()).event;
  const register = (name) => (...values) => ((seen.providers[name] = values), disposable());
  const kinds = ["Hover", "CompletionItem", "SignatureHelp", "Definition", "Reference", "DocumentHighlight", "Rename"];
  kinds.push("DocumentSymbol", "WorkspaceSymbol", "DocumentSemanticTokens", "FoldingRange", "InlayHints");
  kinds.push("DocumentFormattingEdit", "CodeActions");
  const collection = () => {
    const lists = new Map();
    collections.push(lists);
    const set = (uri, list) => lists.set(uri.toString(), list);
    return { set, delete: (uri) => lists.delete(uri.toString()), dispose() {} };
  };
  const languages = { createDiagnosticCollection: collection };
  for (const kind of kinds) languages[`register${kind}Provider`] = register(kind);
  const workspace = {
    textDocuments: [],
    registerTextDocumentContentProvider: (scheme, provider) => ((seen.contents[scheme] = provider), disposable()),
    openTextDocument: async (uri) => document(uri.toString(), seen.contents[uri.scheme].provideTextDocumentContent(uri)),
    asRelativePath: (uri) => uri.path.replace(/^\/s\//, ""),
    workspaceFolders: [{ uri: new Uri("file:///s/") }],
    getWorkspaceFolder: (uri) => (uri.path.startsWith("/s/") ? { uri } : undefined),
    findFiles: async () => [...files.keys()].filter((uri) => uri.startsWith("file:///s/")).map(Uri.parse),
    fs: {
      readFile: async (uri) => files.get(uri.toString()) ?? Promise.reject(new Error(`${uri} is gone`)),
      readDirectory: async (uri) =>
        [...files.keys()].filter((name) => path.posix.dirname(name) === uri.toString()).map((name) => [path.basename(name), 1]),
    },
    createFileSystemWatcher: () => ({ onDidCreate: event("created"), onDidChange: event("fileChanged"), onDidDelete: event("deleted"), dispose() {} }),
    onDidOpenTextDocument: event("opened"),
    onDidChangeTextDocument: event("changed"),
    onDidSaveTextDocument: event("saved"),
    onDidCloseTextDocument: event("closed"),
  };
  const panel = (type, title) => {
    const webview = { cspSource: "self", posted: [], asWebviewUri: String, received: new EventEmitter() };
    webview.postMessage = (message) => webview.posted.push(message);
    webview.onDidReceiveMessage = webview.received.event;
    const made = { type, title, webview, reveal() {}, onDidDispose: (work) => (made.dispose = work) };
    seen.panels.push(made);
    return made;
  };
  const window = {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    createWebviewPanel: panel,
    showTextDocument: (document, options) => seen.shown.push({ document, options }),
    showInformationMessage: (text) => seen.messages.push(text),
    showQuickPick: async (items) => items.find(({ label }) => label === seen.picks),
    onDidChangeActiveTextEditor: event("activated"),
    onDidChangeTextEditorSelection: event("selected"),
  };
  const commands = { registerCommand: (name, work) => ((seen.commands[name] = work), disposable()) };
  const controller = {
    items: new Items(),
    createTestItem: testItem,
    createRunProfile: (label, kind, run) => {
      const profile = { label, kind, run };
      seen.profiles.push(profile);
      return profile;
    },
    createTestRun: () => testRun(seen.told),
    dispose() {},
  };
  seen.items = controller.items;
  class WorkspaceEdit {
    edits = new Map();
    set = (uri, list) => this.edits.set(uri.toString(), list);
  }
  const vscode = {
    Uri, Position, Range, Selection, EventEmitter, WorkspaceEdit, languages, workspace, window, commands,
    tests: { createTestController: () => controller },
    MarkdownString: record("value"), Location: record("uri", "range"), TextEdit: record("range", "newText"),
    Diagnostic: record("range", "message", "severity"), CompletionItem: record("label", "kind"), SnippetString: record("value"),
    SignatureHelp: record(), SignatureInformation: record("label", "documentation"),
    ParameterInformation: record("label", "documentation"), Hover: record("contents", "range"),
    DocumentSymbol: record("name", "detail", "kind", "range", "selectionRange"),
    CodeAction: record("title", "kind"), InlayHint: record("position", "label"),
    FoldingRange: record("start", "end", "kind"), SemanticTokens: record("data"),
    SemanticTokensLegend: record("types", "modifiers"), DocumentHighlight: record("range"),
    SymbolInformation: record("name", "kind", "container", "location"),
    TestRunRequest: record("include", "exclude", "profile"), TestMessage: record("message"),
    StatementCoverage: record("executed", "location"),
    FileCoverage: { fromDetails: (uri, details) => ({ uri, details }) },
    CodeActionKind: { QuickFix: "quickfix" }, FoldingRangeKind: { Comment: 1 }, ViewColumn: { Beside: -2 },
    DiagnosticSeverity: { Error: 0 }, TestRunProfileKind: { Run: 1, Coverage: 3 }, TextEditorRevealType: {},
  };
  return { vscode, seen, events };
}

/** Loads the extension as a worker does: one script, `vscode` as its only module, no Node.js. */
export function load(folder, vscode) {
  const script = readFileSync(path.join(folder, "extension.js"), "utf8");
  const module = { exports: {} };
  const require = (name) => {
    if (name !== "vscode") throw new Error(`there is no module ${name}`);
    return vscode;
  };
  const globals = { TextDecoder, TextEncoder, WebAssembly, URL, console, setTimeout, clearTimeout, module, require };
  // Of this realm: buffers come from files that were read outside.
  Object.assign(globals, { Uint8Array, Uint32Array, ArrayBuffer });
  vm.runInNewContext(script, globals, { filename: "extension.js" });
  return module.exports;
}

/** An open document. */
export function document(uri, text, languageId = "pica") {
  return { uri: Uri.parse(uri), languageId, text, isDirty: false, getText: function () { return this.text; } };
}
