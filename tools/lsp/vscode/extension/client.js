// The language server in this very thread: messages in, VS Code's objects out.
// Facts: the Language Server Protocol 3.17, whose enumerations begin at 1; VS Code's begin at 0.

const position = ({ line, character }) => new vscode.Position(line, character);
const range = ({ start, end }) => new vscode.Range(position(start), position(end));
const markdown = ({ value }) => new vscode.MarkdownString(value);
const location = (place) => new vscode.Location(vscode.Uri.parse(place.uri), range(place.range));
const edits = (list) => list.map((edit) => new vscode.TextEdit(range(edit.range), edit.newText));

function workspaceEdit({ changes }) {
  const all = new vscode.WorkspaceEdit();
  for (const [uri, list] of Object.entries(changes)) all.set(vscode.Uri.parse(uri), edits(list));
  return all;
}

function diagnostic(problem) {
  const made = new vscode.Diagnostic(range(problem.range), problem.message, problem.severity - 1);
  made.source = problem.source;
  made.code = problem.code;
  return made;
}

function completion(item) {
  const made = new vscode.CompletionItem(item.label, item.kind - 1);
  made.detail = item.detail;
  made.documentation = item.documentation && markdown(item.documentation);
  made.sortText = item.sortText;
  made.range = range(item.textEdit.range);
  const { newText } = item.textEdit;
  made.insertText = item.insertTextFormat === 2 ? new vscode.SnippetString(newText) : newText;
  return made;
}

function signatureHelp({ signatures }) {
  const help = new vscode.SignatureHelp();
  help.signatures = signatures.map(({ label, documentation, parameters }) => {
    const made = new vscode.SignatureInformation(label, markdown(documentation));
    const information = (parameter) =>
      new vscode.ParameterInformation(parameter.label, markdown(parameter.documentation));
    made.parameters = parameters.map(information);
    return made;
  });
  help.activeParameter = signatures[0].activeParameter;
  return help;
}

function documentSymbol(symbol) {
  const [whole, name] = [range(symbol.range), range(symbol.selectionRange)];
  const made = new vscode.DocumentSymbol(symbol.name, symbol.detail, symbol.kind - 1, whole, name);
  made.children = symbol.children.map(documentSymbol);
  return made;
}

function codeAction({ title, diagnostics, edit, isPreferred }) {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.diagnostics = diagnostics.map(diagnostic);
  made.edit = workspaceEdit(edit);
  made.isPreferred = isPreferred;
  return made;
}

function inlayHint(hint) {
  const made = new vscode.InlayHint(position(hint.position), hint.label);
  made.paddingLeft = hint.paddingLeft;
  return made;
}

const fold = ({ startLine, endLine, kind }) =>
  new vscode.FoldingRange(startLine, endLine, kind === "comment" ? vscode.FoldingRangeKind.Comment : undefined);

/** End of the names of test files. */
const ENDING = ".test.toml";
const SELECTOR = { language: "pica" };
/** Documents that the server has problems and completion for: sources, and tests in any language. */
const SERVED = [SELECTOR, { pattern: `**/*${ENDING}` }];
const isServed = ({ languageId, uri }) => languageId === "pica" || uri.path.endsWith(ENDING);
/** Files that the server knows without an editor. */
const FILES = "**/*.{pica,test.toml,shbin,wgsl,glsl,vert,vs}";
const MOST_FILES = 2000;

/** Returns a URI up to the first dot of its name. */
const stemOf = (uri) => uri.toString().replace(/[^/.]*(\.[^/]*)?$/, (name) => name.split(".")[0]);

/** The server, and what it is sent again after a failure. */
class Client {
  constructor(bytes) {
    this.bytes = bytes;
    this.files = new Map();
    this.problems = vscode.languages.createDiagnosticCollection("pica");
    this.counted = new vscode.EventEmitter();
  }

  /** Instantiates the engine: anew after a trap, which leaves its memory in no known state. */
  start() {
    const engine = loadEngine();
    engine.initSync({ module: this.bytes });
    this.language = new engine.Language();
    this.engine = new engine.Engine();
    this.compile = engine.compile;
    for (const [uri, bytes] of this.files) this.language.file(uri, bytes);
    const folders = vscode.workspace.workspaceFolders ?? [];
    const workspaceFolders = folders.map(({ uri }) => ({ uri: uri.toString() }));
    const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
    this.legend = this.request("initialize", { workspaceFolders, capabilities }).capabilities.semanticTokensProvider.legend;
    for (const document of vscode.workspace.textDocuments) this.open(document);
  }

  /** Calls the engine. */
  call(work) {
    try {
      return work(this);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      console.error(`transpica: ${error}`);
      this.start();
      return undefined;
    }
  }

  /** Sets a file's content; without bytes, removes the file. */
  file(uri, bytes) {
    const name = uri.toString();
    if (bytes) this.files.set(name, bytes);
    else this.files.delete(name);
    this.call(() => this.language?.file(name, bytes));
  }

  notify(method, params) {
    const list = this.call(() => this.language.handle(JSON.stringify({ jsonrpc: "2.0", method, params }))) ?? "[]";
    for (const message of JSON.parse(list)) {
      if (message.method !== "textDocument/publishDiagnostics") continue;
      const { uri, diagnostics } = message.params;
      this.problems.set(vscode.Uri.parse(uri), diagnostics.map(diagnostic));
    }
  }

  request(method, params) {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const [answer] = JSON.parse(this.call(() => this.language.handle(text)) ?? "[{}]");
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  /** Asks about a document. */
  ask(method, { uri }, params, make) {
    const textDocument = { uri: uri.toString() };
    const answer = this.request(`textDocument/${method}`, { textDocument, ...params });
    if (!answer) return undefined;
    return Array.isArray(answer) ? answer.map((each) => make(each)) : make(answer);
  }

  open(document) {
    if (!isServed(document)) return;
    const textDocument = { uri: document.uri.toString(), text: document.getText() };
    this.notify("textDocument/didOpen", { textDocument });
    this.counted.fire();
  }

  change({ document, contentChanges }) {
    if (!isServed(document) || contentChanges.length === 0) return;
    const textDocument = { uri: document.uri.toString() };
    this.notify("textDocument/didChange", { textDocument, contentChanges });
  }

  /** Takes the text of a document for its file; the tests run again. */
  save(document) {
    this.file(document.uri, new TextEncoder().encode(document.getText()));
    if (document.languageId !== "pica") return;
    this.notify("textDocument/didSave", { textDocument: { uri: document.uri.toString() } });
    this.counted.fire();
  }

  /** Takes sources that changed outside of editors; where tests or containers did, tests run again. */
  changed(uris) {
    const changes = uris.map((uri) => ({ uri: uri.toString() })).filter(({ uri }) => uri.endsWith(".pica"));
    this.notify("workspace/didChangeWatchedFiles", { changes });
    const stems = new Set(uris.map(stemOf));
    for (const { languageId, uri } of vscode.workspace.textDocuments) {
      if (languageId !== "pica" || !stems.has(stemOf(uri))) continue;
      this.notify("textDocument/didSave", { textDocument: { uri: uri.toString() } });
    }
    this.counted.fire();
  }

  close({ uri }) {
    this.notify("textDocument/didClose", { textDocument: { uri: uri.toString() } });
  }
}

/** Reads the files of the workspace. */
async function readFiles(client) {
  const found = await vscode.workspace.findFiles(FILES, "**/{node_modules,target}/**", MOST_FILES);
  await Promise.all(found.map((uri) => readFile(client, uri)));
  client.changed(found);
}

/** Reads the files that belong to a document, which may be outside of the workspace. */
async function readBeside(client, document) {
  const { uri } = document;
  if (!isServed(document) || uri.scheme === "untitled") return;
  const folder = vscode.Uri.joinPath(uri, "..");
  const stem = uri.path.split("/").pop().split(".")[0];
  const entries = await vscode.workspace.fs.readDirectory(folder).then((list) => list, () => []);
  const isOne = (name) => name.startsWith(`${stem}.`) && /\.(pica|test\.toml|shbin|wgsl|glsl|vert|vs)$/.test(name);
  const uris = entries.filter(([name]) => isOne(name)).map(([name]) => vscode.Uri.joinPath(folder, name));
  await Promise.all(uris.map((uri) => readFile(client, uri)));
}

async function readFile(client, uri) {
  client.file(uri, await vscode.workspace.fs.readFile(uri).then((bytes) => bytes, () => undefined));
}

/** Registers a provider for each question that the server answers. */
function provide(client) {
  const { languages } = vscode;
  const at = (method, make, more) => (document, position) => client.ask(method, document, { position, ...more }, make);
  const of = (method, make) => (document) => client.ask(method, document, {}, make);
  const within = (method, make) => (document, range) => client.ask(method, document, { range }, make);
  const references = (document, position, context) => client.ask("references", document, { position, context }, location);
  const rename = (document, position, newName) =>
    client.ask("rename", document, { position, newName }, workspaceEdit);
  const prepareRename = (document, position) => {
    const part = client.ask("prepareRename", document, { position }, range);
    if (!part) throw new Error("no name of this source stands here");
    return part;
  };
  const tokens = ({ data }) => new vscode.SemanticTokens(new Uint32Array(data));
  const legend = new vscode.SemanticTokensLegend(client.legend.tokenTypes, client.legend.tokenModifiers);
  const hover = ({ contents, range: part }) => new vscode.Hover(markdown(contents), range(part));
  const highlight = ({ range: part }) => new vscode.DocumentHighlight(range(part));
  const workspaceSymbol = ({ name, kind, location: place }) =>
    new vscode.SymbolInformation(name, kind - 1, "", location(place));
  const found = (query) => client.request("workspace/symbol", { query }).map(workspaceSymbol);
  const help = { provideSignatureHelp: at("signatureHelp", signatureHelp) };
  const hints = { onDidChangeInlayHints: client.counted.event, provideInlayHints: within("inlayHint", inlayHint) };
  const quick = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  const places = { provideDocumentHighlights: at("documentHighlight", highlight) };
  return [
    languages.registerHoverProvider(SELECTOR, { provideHover: at("hover", hover) }),
    languages.registerCompletionItemProvider(
      SERVED, { provideCompletionItems: at("completion", completion) }, ".", " ", "\t", ",", "["),
    languages.registerSignatureHelpProvider(SELECTOR, help, " ", "\t", ","),
    languages.registerDefinitionProvider(SELECTOR, { provideDefinition: at("definition", location) }),
    languages.registerReferenceProvider(SELECTOR, { provideReferences: references }),
    languages.registerDocumentHighlightProvider(SELECTOR, places),
    languages.registerRenameProvider(SELECTOR, { provideRenameEdits: rename, prepareRename }),
    languages.registerDocumentSymbolProvider(
      SELECTOR, { provideDocumentSymbols: of("documentSymbol", documentSymbol) }),
    languages.registerWorkspaceSymbolProvider({ provideWorkspaceSymbols: found }),
    languages.registerDocumentSemanticTokensProvider(
      SELECTOR, { provideDocumentSemanticTokens: of("semanticTokens/full", tokens) }, legend),
    languages.registerFoldingRangeProvider(SELECTOR, { provideFoldingRanges: of("foldingRange", fold) }),
    languages.registerInlayHintsProvider(SELECTOR, hints),
    languages.registerDocumentFormattingEditProvider(SELECTOR, {
      provideDocumentFormattingEdits: of("formatting", (edit) => edits([edit])[0]),
    }),
    languages.registerCodeActionsProvider(
      SELECTOR, { provideCodeActions: within("codeAction", codeAction) }, quick),
  ];
}
