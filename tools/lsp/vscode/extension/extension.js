// Entry point, behind the other files: `cargo xtask vscode` joins them into one, because workers
// load no second one.

async function activate(context) {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "engine.wasm"));
  const client = new Client(bytes);
  await Promise.all(vscode.workspace.textDocuments.map((document) => readBeside(client, document)));
  client.start();
  const [panes, cases, programs] = [new Panes(client, context.extensionUri), new Cases(client), new Programs(client)];
  // The search may take long, and a folder without search has none: nothing waits for it.
  const ready = readFiles(client).then(() => cases.findAll());
  for (const { uri, languageId } of vscode.workspace.textDocuments) {
    if (languageId === "pica") cases.findBeside(uri);
  }
  watch(context, client, cases);
  const { workspace, window, commands } = vscode;
  const subscribe = (...all) => context.subscriptions.push(...all);
  subscribe(client.problems, cases.problems, cases.controller, programs.problems, ...provide(client));
  subscribe(
    workspace.onDidOpenTextDocument(async (document) => {
      await readBeside(client, document);
      client.open(document);
      if (document.languageId === "pica") cases.findBeside(document.uri);
      else cases.find(document.uri);
    }),
    workspace.onDidChangeTextDocument((event) => {
      client.change(event);
      panes.later(event.document);
      programs.later(event.document);
    }),
    workspace.onDidSaveTextDocument((document) => {
      if (client.files.has(document.uri.toString()) || document.languageId === "pica") client.save(document);
      cases.find(document.uri);
    }),
    workspace.registerTextDocumentContentProvider(COMPILED, programs),
    workspace.onDidCloseTextDocument((document) => {
      programs.close(document);
      if (!isServed(document)) return;
      client.close(document);
      cases.find(document.uri);
    }),
    window.onDidChangeActiveTextEditor((editor) => panes.follow(editor)),
    window.onDidChangeTextEditorSelection((event) => panes.select(event)),
    commands.registerCommand("transpica.showText", () => panes.show("text")),
    commands.registerCommand("transpica.showGraph", () => panes.show("graph")),
    commands.registerCommand("transpica.showPicture", () => panes.show("picture")),
    commands.registerCommand("transpica.compare", () => panes.compare()),
    commands.registerCommand("transpica.showProgram", () => programs.show()),
    commands.registerCommand("transpica.runTests", () => runTests(cases)),
  );
  return { client, panes, cases, programs, ready };
}

/** Reads files again that change outside of editors. */
function watch(context, client, cases) {
  const watcher = vscode.workspace.createFileSystemWatcher(FILES);
  const changed = async (uri) => {
    await readFile(client, uri);
    client.changed([uri]);
    cases.find(uri);
  };
  context.subscriptions.push(
    watcher,
    watcher.onDidCreate(changed),
    watcher.onDidChange(changed),
    watcher.onDidDelete(changed),
  );
}

async function runTests(cases) {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const item = uri && cases.findBeside(uri);
  if (item) return cases.run({ include: [item], profile: cases.profile });
  return vscode.window.showInformationMessage(`There is no file of tests, NAME${ENDING}, next to this source.`);
}

module.exports = { activate, deactivate() {} };
