// Programs of shaders in WGSL and GLSL: the PICA200 text that the compiler makes of one, in an
// editor next to it, which follows the shader as it is typed. The text begins with its words and
// temporaries.

const COMPILED = "transpica";
const isShader = ({ uri }) => uri.scheme !== COMPILED && /\.(wgsl|glsl|vert|vs)$/i.test(uri.path);
/** First line of a text that is older than its shader. */
const STALE = "; The shader has an error; this is its last good program.\n";

/** Contents of documents with the scheme, each next to a shader. */
class Programs {
  constructor(client) {
    this.client = client;
    this.texts = new Map();
    this.problems = vscode.languages.createDiagnosticCollection("pica compiler");
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
  }

  provideTextDocumentContent(uri) {
    return this.texts.get(uri.toString());
  }

  /** Returns the URI of a shader's program. */
  uriOf({ uri }) {
    return uri.with({ scheme: COMPILED, path: `${uri.path}.v.pica` });
  }

  /** Opens the program of the shader in the editor. */
  async show() {
    const { document } = vscode.window.activeTextEditor ?? {};
    if (!document || !isShader(document)) return undefined;
    this.compile(document);
    const opened = await vscode.workspace.openTextDocument(this.uriOf(document));
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false };
    return vscode.window.showTextDocument(opened, beside);
  }

  /** Compiles a shader: its program is the text, or its error is a problem at its place. */
  compile(document) {
    const uri = this.uriOf(document);
    const name = uri.toString();
    const text = document.getText();
    const answer = this.client.call(({ compile }) => compile(document.uri.path, text));
    const failed = { error: { message: "the compiler failed on this shader", line: 1, column: 1 } };
    const made = answer ? JSON.parse(answer) : failed;
    const last = (this.texts.get(name) ?? "").replace(STALE, "");
    this.texts.set(name, made.text ?? STALE + last);
    const shown = (made.error ? [made.error] : []).map(({ message, hint, line, column }) => {
      const at = { line: line - 1, character: column - 1 };
      return diagnostic({ range: { start: at, end: at }, message: hint ? `${message}\n${hint}` : message, severity: 1, source: "transpica" });
    });
    this.problems.set(document.uri, shown);
    return this.changed.fire(uri);
  }

  /** Follows an edit when typing pauses. */
  later(document) {
    if (!isShader(document) || !this.texts.has(this.uriOf(document).toString())) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.compile(document), PAUSE);
  }

  /** Forgets a program whose editor was closed, and the problems of a shader. */
  close({ uri }) {
    if (uri.scheme === COMPILED) this.texts.delete(uri.toString());
    else this.problems.delete(uri);
  }
}
