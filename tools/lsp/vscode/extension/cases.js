// Cases of test files in VS Code's list of tests: results at the lines of cases, and at the
// instruction that made a wrong component.

class Cases {
  constructor(client) {
    this.client = client;
    this.controller = vscode.tests.createTestController("transpica", "PICA200 shaders");
    this.problems = vscode.languages.createDiagnosticCollection("pica tests");
    this.controller.refreshHandler = () => this.findAll();
    const { Run, Coverage } = vscode.TestRunProfileKind;
    const run = (isCounted) => (request, token) => this.run(request, token, isCounted);
    this.profile = this.controller.createRunProfile("Run", Run, run(false), true);
    const coverage = this.controller.createRunProfile("Run with coverage", Coverage, run(true), true);
    coverage.loadDetailedCoverage = async (_, file) => this.details.get(file.uri.toString()) ?? [];
    this.details = new Map();
  }

  findAll() {
    for (const uri of this.client.files.keys()) this.find(vscode.Uri.parse(uri));
  }

  /** Lists the cases of a file; returns its item. */
  find(uri) {
    const id = uri.toString();
    if (!id.endsWith(ENDING)) return undefined;
    this.problems.delete(uri);
    if (!this.client.files.has(id)) {
      this.controller.items.delete(id);
      return undefined;
    }
    const item = this.controller.items.get(id) ?? this.controller.createTestItem(id, uri.path.split("/").pop(), uri);
    this.controller.items.add(item);
    const answer = JSON.parse(this.client.call(({ language }) => language.cases(id)) ?? '{"cases":[]}');
    item.error = answer.problem;
    // An open document has its problems from the server.
    const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === id);
    if (answer.problem && !isOpen) {
      const part = new vscode.Range(answer.line - 1, answer.column - 1, answer.line - 1, answer.column);
      this.problems.set(uri, [new vscode.Diagnostic(part, answer.problem, vscode.DiagnosticSeverity.Error)]);
    }
    const child = ({ name, line }) => {
      const made = this.controller.createTestItem(name, name, uri);
      made.range = new vscode.Range(line - 1, 0, line - 1, 0);
      return made;
    };
    item.children.replace((answer.cases ?? []).map(child));
    return item;
  }

  /** Finds the tests of a source. */
  findBeside(uri) {
    const slash = uri.path.lastIndexOf("/");
    const stem = uri.path.slice(slash + 1).split(".")[0];
    return this.find(vscode.Uri.joinPath(uri, "..", `${stem}${ENDING}`));
  }

  /** Runs cases, or all of files. */
  async run({ include, exclude, profile }, token, isCounted) {
    for (const document of vscode.workspace.textDocuments) {
      if (document.isDirty && this.client.files.has(document.uri.toString())) this.client.save(document);
    }
    const request = new vscode.TestRunRequest(include, exclude, profile);
    const run = this.controller.createTestRun(request);
    const all = (items) => [...items].flatMap(([, item]) => (item.uri && !item.parent ? this.leaves(item) : [item]));
    const chosen = include ? include.flatMap((item) => this.leaves(item)) : all(this.controller.items);
    const wanted = chosen.filter((item) => !exclude?.includes(item) && !exclude?.includes(item.parent));
    wanted.forEach((item) => run.enqueued(item));
    const counts = new Map();
    for (const item of wanted) {
      if (token?.isCancellationRequested) run.skipped(item);
      else this.runCase(run, item, counts);
      // Keys and the picture of the list have their turn.
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (isCounted) this.cover(run, counts);
    run.end();
  }

  leaves(item) {
    if (item.parent) return [item];
    const children = [...(this.find(item.uri)?.children ?? [])].map(([, child]) => child);
    return children.length > 0 ? children : [item];
  }

  runCase(run, item, counts) {
    const start = Date.now();
    run.started(item);
    const id = item.uri.toString();
    if (item.error) return run.errored(item, new vscode.TestMessage(item.error), 0);
    const text = this.client.call(({ language }) => language.test(id, item.id)) ?? "null";
    const result = JSON.parse(text);
    if (!result) return run.errored(item, new vscode.TestMessage("the case is gone, or the engine failed"), 0);
    for (const [uri, lines] of Object.entries(result.lines)) {
      const all = counts.get(uri) ?? new Map();
      for (const [line, count] of Object.entries(lines)) all.set(line, (all.get(line) ?? 0) + count);
      counts.set(uri, all);
    }
    if (result.failure === null) return run.passed(item, Date.now() - start);
    const shown = result.failure.replaceAll(id.slice(0, id.lastIndexOf("/") + 1), "");
    run.appendOutput(`${shown.replaceAll("\n", "\r\n")}\r\n`, undefined, item);
    return run.failed(item, messages(item, result.failure, shown), Date.now() - start);
  }

  /** Reports how often each line ran. */
  cover(run, counts) {
    this.details.clear();
    for (const [uri, lines] of counts) {
      const statement = ([line, count]) => new vscode.StatementCoverage(count, new vscode.Position(line - 1, 0));
      const details = [...lines].map(statement);
      this.details.set(uri, details);
      run.addCoverage(vscode.FileCoverage.fromDetails(vscode.Uri.parse(uri), details));
    }
  }
}

/** Returns a failure at its case, and at the last instruction that made the wrong component. */
function messages(item, failure, shown) {
  const made = [new vscode.TestMessage(shown)];
  made[0].location = new vscode.Location(item.uri, item.range);
  const last = [...failure.matchAll(/^> (\S+):(\d+) /gm)].pop();
  if (last) {
    const message = new vscode.TestMessage(`${item.label}: ${shown.split("\n")[1]}`);
    message.location = new vscode.Location(vscode.Uri.parse(last[1]), new vscode.Position(last[2] - 1, 0));
    made.push(message);
  }
  return made;
}
