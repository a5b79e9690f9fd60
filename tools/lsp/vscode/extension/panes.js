// Panes of the page next to a source: text, flow graph, picture. The engine answers here; a web view
// shows it, and marks what the lines at the cursor became.

const KINDS = { text: "WGSL", graph: "Flow graph", picture: "Picture", equal: "Comparison" };
const TEXTS = ["wgsl", "glsl", "spirv", "ir", "tree", "listing", "reflection"];
/** Milliseconds without a key after which panes follow. */
const PAUSE = 200;

class Panes {
  constructor(client, extension) {
    this.client = client;
    this.extension = extension;
    this.open = new Map();
  }

  /** Shows a pane next to the editor. */
  show(kind) {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId === "pica") this.document = document;
    if (!this.document) return undefined;
    const shown = this.open.get(kind);
    if (shown) shown.panel.reveal(undefined, true);
    else this.create(kind);
    this.update();
    return this.open.get(kind).panel;
  }

  /** Asks for another program and shows whether it computes the same. */
  async compare() {
    const { document } = vscode.window.activeTextEditor ?? {};
    const own = (document?.languageId === "pica" ? document : this.document)?.uri.toString();
    const programs = [...this.client.files.keys()].filter((uri) => /\.(pica|shbin)$/.test(uri) && uri !== own);
    const items = programs.sort().map((uri) => ({ label: decodeURIComponent(uri.split("/").pop()), description: vscode.workspace.asRelativePath(vscode.Uri.parse(uri)), uri }));
    const chosen = await vscode.window.showQuickPick(items, { placeHolder: "The program to compare with" });
    if (!chosen) return undefined;
    this.other = chosen.uri;
    return this.show("equal");
  }

  create(kind) {
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [this.extension] };
    const panel = vscode.window.createWebviewPanel(`transpica.${kind}`, KINDS[kind], beside, options);
    const pane = { panel, text: "wgsl", request: {} };
    this.open.set(kind, pane);
    panel.onDidDispose(() => this.open.delete(kind));
    panel.webview.onDidReceiveMessage((message) => this.receive(kind, pane, message));
    panel.webview.html = this.html(panel.webview, kind);
  }

  html(webview, kind) {
    const file = (name) => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, name));
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src ${webview.cspSource}`;
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${KINDS[kind]}</title>
<link rel="stylesheet" href="${file("view.css")}"></head>
<body data-kind="${kind}"><div id="bar"></div><p id="note" role="status"></p><main id="main"></main>
<script src="${file("view.js")}"></script></body></html>`;
  }

  receive(kind, pane, message) {
    if (typeof message.line === "number") this.reveal(message.line);
    if (TEXTS.includes(message.text)) pane.text = message.text;
    if (message.request) pane.request = message.request;
    if (message.ready || message.text || message.request) this.refresh(kind, pane);
  }

  reveal(line) {
    const uri = this.document.uri.toString();
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri);
    if (!editor) return;
    const place = new vscode.Position(line, 0);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Follows the editor to another source. */
  follow(editor) {
    if (editor?.document.languageId !== "pica" || editor.document === this.document) return;
    this.document = editor.document;
    this.update();
  }

  /** Follows an edit when typing pauses. */
  later(document) {
    if (this.open.size === 0 || document !== this.document) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), PAUSE);
  }

  update() {
    for (const [kind, pane] of this.open) this.refresh(kind, pane);
  }

  refresh(kind, pane) {
    const name = this.document.uri.path.split("/").pop();
    pane.panel.title = `${kind === "text" ? pane.text.toUpperCase() : KINDS[kind]}: ${name}`;
    const content = this.client.call(() => this.content(kind, pane));
    pane.panel.webview.postMessage(content ?? { note: "The engine failed on this source." });
  }

  /** Links the sources and opens the program of the document. */
  link() {
    const { language, engine } = this.client;
    const uri = this.document.uri.toString();
    const linked = JSON.parse(language.link(uri));
    if (!linked) return undefined;
    const opened = JSON.parse(engine.open("shader.shbin", language.linked()));
    const number = linked.uris.indexOf(uri);
    const lines = linked.places.map(([source, line]) => (source === number ? line : -1));
    const own = opened.programs?.find(({ entry }) => lines[entry] >= 0) ?? opened.programs?.[0];
    if (own) engine.select(own.index);
    return { lines, problem: opened.error ?? (own ? undefined : { message: "The sources have no program." }) };
  }

  /** Returns what the web view shows. */
  content(kind, pane) {
    const linked = this.link();
    if (!linked) return { note: "The source has errors; this is the last good program." };
    const { lines, problem } = linked;
    if (problem) return { note: problem.message };
    const { engine } = this.client;
    if (kind === "picture") return this.picture(engine, pane);
    if (kind === "equal") return this.comparison(engine, lines);
    const view = JSON.parse(engine.view(kind === "text" ? pane.text : "graph"));
    if (view.error) return { note: view.error.message };
    return { note: view.problems.map(({ message }) => message).join("\n"), lines, ...view, texts: TEXTS, kind: pane.text };
  }

  /** The verdict about the other program; a click on the first line goes to what differs. */
  comparison(engine, lines) {
    const name = this.other.split("/").pop();
    const found = JSON.parse(engine.equal(name, this.client.files.get(this.other) ?? new Uint8Array()));
    if (found.error) return { note: found.error.message };
    const [own] = found.places;
    const text = [found.text.trimEnd(), ...found.notes, found.state ?? ""].join("\n");
    return { note: `Compared with ${name}.`, lines, text, places: [own === null ? [] : [own]], texts: [], kind: "" };
  }

  picture(engine, { request }) {
    const shows = JSON.parse(engine.shows());
    if (shows.error) return { note: shows.error.message };
    const { mesh = "lathe", ...asked } = request;
    const whole = { width: 480, height: 360, yaw: 0.6, pitch: 0.5, distance: 2.8, time: 0, by: "", wireframe: false };
    Object.assign(whole, asked);
    if (!shows.includes(whole.by)) whole.by = shows.includes("color") ? "color" : shows[0] ?? "";
    engine.setMesh(mesh);
    const pixels = engine.draw(JSON.stringify(whole));
    const problem = JSON.parse(engine.lastProblem());
    if (problem) return { note: problem.message };
    return { note: "", pixels, shows, meshes: JSON.parse(engine.meshes()), request: { ...whole, mesh } };
  }

  /** Marks what a line became. */
  select({ textEditor, selections }) {
    if (textEditor.document !== this.document) return;
    const line = selections[0].active.line;
    for (const { panel } of this.open.values()) panel.webview.postMessage({ select: line });
  }
}
