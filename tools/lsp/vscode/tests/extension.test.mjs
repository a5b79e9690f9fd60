// The built extension with a double of VS Code: every sample, every provider, every command, every case.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { document, double, load } from "./double.mjs";

const { EXTENSION, MODULES } = process.env;
const SAMPLES = path.resolve("../../../shaders");
const manifest = JSON.parse(readFileSync(path.join(EXTENSION, "package.json"), "utf8"));
const modules = createRequire(path.join(MODULES, "x.js"));
const names = readdirSync(SAMPLES).filter((name) => /\.(pica|shbin|toml)$/.test(name));
const sources = names.filter((name) => name.endsWith(".pica"));
const tested = names.filter((name) => name.endsWith(".test.toml")).sort();
const uriOf = (name) => `file:///s/${name}`;

/** Compares values, which the extension's realm made, with values of this one. */
const same = (found, expected, text) => assert.deepEqual(JSON.parse(JSON.stringify(found)), expected, text);

/** Activates the extension with the samples as its workspace. */
async function activate(more = {}) {
  const files = new Map(names.map((name) => [uriOf(name), readFileSync(path.join(SAMPLES, name))]));
  for (const [name, text] of Object.entries(more)) files.set(uriOf(name), new TextEncoder().encode(text));
  files.set("file:///extension/engine.wasm", readFileSync(path.join(EXTENSION, "engine.wasm")));
  const { vscode, seen, events } = double(files);
  const context = { subscriptions: [], extensionUri: vscode.Uri.parse("file:///extension") };
  const extension = await load(EXTENSION, vscode).activate(context);
  await extension.ready;
  const open = async (name, text = new TextDecoder().decode(files.get(uriOf(name)))) => {
    const opened = document(uriOf(name), text, name.endsWith(".wgsl") ? "wgsl" : undefined);
    vscode.workspace.textDocuments.push(opened);
    const editor = { document: opened, revealRange() {} };
    vscode.window.activeTextEditor = editor;
    vscode.window.visibleTextEditors = [editor];
    await events.opened.fire(opened);
    await events.activated.fire(editor);
    return opened;
  };
  return { vscode, seen, events, extension, files, open };
}

/** Replaces all of a document. */
async function type({ vscode, events }, opened, text) {
  const range = new vscode.Range(0, 0, 1e6, 0);
  Object.assign(opened, { text, isDirty: true });
  await events.changed.fire({ document: opened, contentChanges: [{ range, text }] });
}

test("every provider answers at every place of every sample", async () => {
  const state = await activate();
  const { vscode, seen, open } = state;
  const counts = {};
  const count = (name, list) => (counts[name] = (counts[name] ?? 0) + (list?.length ?? (list ? 1 : 0)));
  const of = (name) => Object.values(seen.providers[name].find((value) => Object.values(value).some((each) => typeof each === "function")));
  const call = (name, ...values) => count(name, of(name).find((work) => work.length >= values.length - 1 || work)(...values));
  for (const name of sources) {
    const opened = await open(name);
    const lines = opened.text.split("\n");
    const errors = seen.problems[uriOf(name)].filter(({ severity }) => severity === 0);
    same(errors, [], name);
    const whole = new vscode.Range(0, 0, lines.length, 0);
    for (const kind of ["DocumentSymbol", "DocumentSemanticTokens", "FoldingRange", "DocumentFormattingEdit"]) call(kind, opened);
    count("InlayHints", seen.providers.InlayHints[1].provideInlayHints(opened, whole));
    call("CodeActions", opened, whole);
    lines.forEach((line, number) => {
      for (let column = 0; column <= line.length; column += 5) {
        const place = new vscode.Position(number, column);
        for (const kind of ["Hover", "CompletionItem", "SignatureHelp", "Definition", "DocumentHighlight"]) call(kind, opened, place);
        const { provideReferences } = seen.providers.Reference[1];
        count("Reference", provideReferences(opened, place, { includeDeclaration: true }));
      }
    });
  }
  count("WorkspaceSymbol", seen.providers.WorkspaceSymbol[0].provideWorkspaceSymbols("main"));
  for (const [name, most] of Object.entries({ CodeActions: 0, DocumentFormattingEdit: 0 })) assert.ok(counts[name] >= most);
  for (const name of Object.keys(seen.providers)) {
    if (!["CodeActions", "DocumentFormattingEdit", "Rename"].includes(name)) assert.ok(counts[name] > 20, `${name}: ${counts[name]}`);
  }
  console.log(`${sources.length} sources:`, counts);
});

test("typing has problems, mends, completion and renames", async () => {
  const state = await activate();
  const { vscode, seen, events, open } = state;
  const opened = await open("new.v.pica", ".out - position o0\n.proc main\n\tmvo o0, v0\n\tend\n.end\n");
  const [problem] = seen.problems[uriOf("new.v.pica")];
  assert.match(problem.message, /did you mean `mov`/);
  const [action] = seen.providers.CodeActions[1].provideCodeActions(opened, problem.range);
  const [edit] = action.edit.edits.get(uriOf("new.v.pica"));
  assert.deepEqual([edit.newText, edit.range.start.line, action.diagnostics.length], ["mov", 2, 1]);
  await type(state, opened, opened.text.replace("mvo", "mov"));
  same(seen.problems[uriOf("new.v.pica")], []);
  const rename = seen.providers.Rename[1];
  const place = new vscode.Position(1, 7);
  assert.equal(rename.prepareRename(opened, place).start.character, 6);
  assert.throws(() => rename.provideRenameEdits(opened, place, "1"), /main/);
  await events.closed.fire(opened);
  same(seen.problems[uriOf("new.v.pica")], []);
});

test("panes show every sample and follow edits", async () => {
  const state = await activate();
  const { seen, events, open } = state;
  const figures = { wgsl: 0, svg: 0, pixels: 0, marked: 0 };
  for (const name of sources) {
    const opened = await open(name);
    if (seen.panels.length === 0) for (const kind of ["Text", "Graph", "Picture"]) seen.commands[`transpica.show${kind}`]();
    const [text, graph, picture] = seen.panels.map(({ webview }) => webview.posted.at(-1));
    assert.match(text.text, /fn \w+\(/, name);
    assert.match(graph.svg, /^<svg/, name);
    figures.wgsl += text.text.split("\n").length;
    figures.svg += graph.svg.match(/class="block"/g).length;
    figures.pixels += picture.pixels?.length > 0;
    figures.marked += text.places.flat().filter((pc) => text.lines[pc] >= 0).length;
    const last = text.places.flat().map((pc) => text.lines[pc]).filter((line) => line >= 0).at(-1);
    if (last !== undefined) assert.match(opened.text.split("\n")[last], /\S/, name);
  }
  console.log("panes:", figures);
  assert.ok(figures.pixels > 25 && figures.marked > 1000, JSON.stringify(figures));
  const [text, , picture] = seen.panels;
  for (const kind of text.webview.posted.at(-1).texts) {
    await text.webview.received.fire({ text: kind });
    assert.ok(text.webview.posted.at(-1).text?.length > 100, kind);
  }
  await text.webview.received.fire({ text: "glsl" });
  assert.match(text.webview.posted.at(-1).text, /#version/);
  await picture.webview.received.fire({ request: { by: "nothing", yaw: 1, mesh: "quad", width: 64, height: 64 } });
  assert.equal(picture.webview.posted.at(-1).pixels.length, 64 * 64 * 4);
  await picture.webview.received.fire({ request: { width: 0 } });
  assert.match(picture.webview.posted.at(-1).note, /1 to/);
  const opened = await open("fog.v.pica");
  await type(state, opened, "mov");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.match(text.webview.posted.at(-1).note, /errors/);
  await events.selected.fire({ textEditor: { document: opened }, selections: [{ active: { line: 3 } }] });
  same(text.webview.posted.at(-1), { select: 3 });
  assert.match(text.webview.html, /Content-Security-Policy/);
});

test("a program is compared with another one", async () => {
  const text = readFileSync(path.join(SAMPLES, "fog.v.pica"), "utf8");
  const wrong = text.replace(/^(\s*)dp4 /m, "$1dp3 ");
  const state = await activate({ "other.v.pica": wrong });
  const { seen, open } = state;
  const opened = await open("fog.v.pica");
  seen.picks = "none of them";
  await seen.commands["transpica.compare"]();
  assert.equal(seen.panels.length, 0);
  const compare = async (name) => {
    seen.picks = name;
    await seen.commands["transpica.compare"]();
    return seen.panels[0].webview.posted.at(-1);
  };
  assert.match((await compare("fog.shbin")).text, /^equal for all inputs, proven/);
  const different = await compare("other.v.pica");
  assert.match(different.text, /^different: /);
  assert.match(different.text, /"uniforms"/);
  const [[pc]] = different.places;
  assert.match(opened.text.split("\n")[different.lines[pc]], /dp4/);
  // The pane follows edits.
  await type(state, opened, wrong);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.match(seen.panels[0].webview.posted.at(-1).text, /^equal for all inputs, proven/);
});

test("cases of every file pass, with counts of lines", async () => {
  const { seen } = await activate();
  const [run, coverage] = seen.profiles;
  assert.deepEqual([...seen.items].map(([id]) => id.split("/").pop()).sort(), tested);
  await coverage.run({}, undefined);
  const of = (kind) => seen.told.filter(([name]) => name === kind);
  assert.deepEqual([of("failed"), of("errored"), of("end").length], [[], [], 1]);
  assert.equal(of("passed").length, of("started").length);
  assert.equal(of("passed").length, [...seen.items].reduce((sum, [, item]) => sum + [...item.children].length, 0));
  const files = of("addCoverage").map(([, { uri }]) => uri);
  const lights = (await coverage.loadDetailedCoverage(run, { uri: files.find((uri) => /lights/.test(uri)) }));
  assert.ok(files.length >= 4 && lights.some(({ executed }) => executed > 1));
  console.log(`${of("passed").length} cases, ${files.length} sources with counts`);
});

test("failures stand at their case and at their instruction", async () => {
  const text = readFileSync(path.join(SAMPLES, "lights.test.toml"), "utf8");
  const state = await activate({ "lights.test.toml": text.replace("color = [0.625,", "color = [0.5,"), "fog.test.toml": "[[case]]" });
  const { seen, open, vscode, files, events } = state;
  await open("lights.v.pica");
  await seen.commands["transpica.runTests"]();
  const failed = seen.told.filter(([name]) => name === "failed");
  assert.equal(failed.length, 1);
  const [, item, [atCase, atCode]] = failed[0];
  assert.equal(text.split("\n")[item.range.start.line], `name = "${item.id}"`);
  assert.deepEqual([atCase.location.uri.path, atCase.location.range], ["/s/lights.test.toml", item.range]);
  assert.equal(atCode.location.uri.path, "/s/lights.v.pica");
  const line = readFileSync(path.join(SAMPLES, "lights.v.pica"), "utf8").split("\n")[atCode.location.range.line];
  assert.match(line, /^\tmin outcol/);
  assert.doesNotMatch(atCase.message, /file:/);
  // A file of tests with an error says where.
  const [problem] = seen.problems[uriOf("fog.test.toml")];
  assert.match(problem.message, /the case has no/);
  files.delete(uriOf("fog.test.toml"));
  await events.deleted.fire(vscode.Uri.parse(uriOf("fog.test.toml")));
  assert.equal(seen.problems[uriOf("fog.test.toml")], undefined);
  await open("fog.v.pica");
  await seen.commands["transpica.runTests"]();
  assert.match(seen.messages.at(-1), /no file of tests/);
});

test("test files have problems and completion as they are typed", async () => {
  const state = await activate();
  const { vscode, seen, open, events } = state;
  const name = "textured.test.toml";
  const opened = await open(name);
  opened.languageId = "toml";
  same(seen.problems[uriOf(name)], []);
  await type(state, opened, "[[case]]\nname = \"a\"\nuniforms = { tex");
  assert.equal(seen.problems[uriOf(name)].length, 1);
  const [, { provideCompletionItems }] = seen.providers.CompletionItem;
  const labels = provideCompletionItems(opened, new vscode.Position(2, 16)).map(({ label }) => label);
  assert.ok(labels.includes("texScale"), labels.join());
  vscode.workspace.textDocuments.pop();
  await events.closed.fire(opened);
  // The file on disk is right.
  assert.ok(!seen.problems[uriOf(name)]?.length);
});

test("files that change outside of editors are read again", async () => {
  const { vscode, seen, files, events, open } = await activate();
  const opened = await open("lights.v.pica");
  const hints = () => {
    const whole = new vscode.Range(0, 0, 99, 0);
    return seen.providers.InlayHints[1].provideInlayHints(opened, whole).filter(({ label }) => /×/.test(label)).length;
  };
  assert.ok(hints() > 20);
  const tests = uriOf("lights.test.toml");
  files.delete(tests);
  await events.deleted.fire(vscode.Uri.parse(tests));
  assert.equal([...seen.items].length, tested.length - 1);
  const library = seen.providers.WorkspaceSymbol[0].provideWorkspaceSymbols("").length;
  files.set(uriOf("other.v.pica"), new TextEncoder().encode(".proc added\nend\n.end"));
  await events.created.fire(vscode.Uri.parse(uriOf("other.v.pica")));
  await events.fileChanged.fire(vscode.Uri.parse(uriOf("lights.shbin")));
  assert.equal(seen.providers.WorkspaceSymbol[0].provideWorkspaceSymbols("added").length, 1);
  assert.ok(seen.providers.WorkspaceSymbol[0].provideWorkspaceSymbols("").length >= library);
});

test("a failure of the engine starts it anew", async () => {
  const { extension, seen, open } = await activate();
  await open("fog.v.pica");
  const { client } = extension;
  client.language.handle = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  console.error = () => {};
  const opened = await open("lights.v.pica");
  same(seen.problems[uriOf("lights.v.pica")], []);
  assert.ok(client.ask("hover", opened, { position: { line: 60, character: 6 } }, () => true) !== null);
});

const SHADER = `struct Scene { view: mat4x4f, turn: mat4x4f }
@group(0) @binding(0) var<uniform> scene: Scene;
@vertex fn main(@location(0) place: vec4f) -> @builtin(position) vec4f {
    return scene.view * scene.turn * place;
}
`;
const SHADER_TESTS = `uniforms = { view = { translate = [1, 2, 3] }, turn = { scale = [2, 2, 2] } }
[[case]]
name = "turned"
attributes.place = [1, 0, 0]
expect.position = [3, 2, 2, 1]
`;

test("the program of a shader is next to it, and follows what is typed", async () => {
  const state = await activate({ "hero.wgsl": SHADER, "hero.test.toml": SHADER_TESTS });
  const { vscode, seen, events, extension, open } = state;
  const opened = await open("hero.wgsl");
  await seen.commands["transpica.showProgram"]();
  const [{ document: shown, options }] = seen.shown;
  same(options, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
  assert.match(shown.uri.path, /\/hero\.wgsl\.v\.pica$/);
  const content = () => seen.contents.transpica.provideTextDocumentContent(shown.uri);
  const first = content();
  assert.equal(shown.text, first);
  assert.match(first, /^; Compiled from main: \d+ words, \d+ temporaries\.\n[^]*dp4[^]*scene|view/);
  const changes = [];
  extension.programs.onDidChange((uri) => changes.push(uri.toString()));
  const typed = async (text) => {
    const count = changes.length;
    await type(state, opened, text);
    for (let turn = 0; changes.length === count; turn++) {
      assert.ok(turn < 200, "no change");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await typed(SHADER.replace("* place", "* (place + place.wzyx)"));
  const longer = content();
  const words = (text) => Number(/: (\d+) words/.exec(text)[1]);
  assert.ok(words(longer) > words(first), longer);
  same(changes[0], shown.uri.toString());
  same(seen.problems[opened.uri.toString()] ?? [], []);
  // Errors are at their places, and the last good program stays.
  await typed(SHADER.replace("place;", "palce;"));
  assert.match(content(), /^; The shader has an error[^\n]*\n; Compiled from/);
  assert.ok(content().endsWith(longer));
  const [problem] = seen.problems[opened.uri.toString()];
  same([problem.range.start.line, problem.range.start.character, problem.severity], [3, 37, 0]);
  await typed(SHADER);
  same(seen.problems[opened.uri.toString()], []);
  assert.equal(content(), first);
  // Its tests set what it declares.
  seen.told.length = 0;
  const cases = extension.cases.findBeside(opened.uri);
  await extension.cases.run({ include: [cases], profile: extension.cases.profile });
  same(seen.told.filter(([name]) => ["passed", "failed", "errored"].includes(name)).map(([name, item]) => [name, item.id]), [["passed", "turned"]]);
  // Closed, it follows no more.
  await events.closed.fire(shown);
  await type(state, opened, SHADER.replace("* place", "* (place + place.wzyx)"));
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(content(), undefined);
  // Other files have no program.
  await open("lights.v.pica");
  await seen.commands["transpica.showProgram"]();
  assert.equal(seen.shown.length, 1);
});

test("the manifest names files and commands that exist", async () => {
  const { contributes } = manifest;
  const { seen } = await activate();
  assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), Object.keys(seen.commands).sort());
  const present = readdirSync(EXTENSION);
  const named = [manifest.main, manifest.browser, contributes.languages[0].configuration, contributes.grammars[0].path];
  for (const file of named) assert.ok(present.includes(path.basename(file)), file);
});

test("the grammar colors every line of every sample", async () => {
  const oniguruma = modules("vscode-oniguruma");
  const { Registry, INITIAL, parseRawGrammar } = modules("vscode-textmate");
  await oniguruma.loadWASM(readFileSync(modules.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
  const onigLib = {
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  };
  const file = path.join(EXTENSION, "pica.tmLanguage.json");
  const loadGrammar = async () => parseRawGrammar(readFileSync(file, "utf8"), file);
  const grammar = await new Registry({ onigLib: Promise.resolve(onigLib), loadGrammar }).loadGrammar("source.pica");
  const scopes = (line) => grammar.tokenizeLine(line, INITIAL).tokens.filter((token) => token.scopes.length > 1);
  const scope = (line, word) => {
    const at = line.indexOf(word);
    return scopes(line).find(({ startIndex, endIndex }) => startIndex <= at && at < endIndex)?.scopes.at(-1);
  };
  const line = "here: mad r0.xy, -c4[a0.x].zw, 1.5e3, name ; mov";
  const expected = { here: "entity.name.label", mad: "keyword.operator.mnemonic", r0: "variable.language.register" };
  Object.assign(expected, { xy: "variable.other.member", "1.5e3": "constant.numeric", "; mov": "comment.line" });
  for (const [word, name] of Object.entries(expected)) assert.equal(scope(line, word), `${name}.pica`, word);
  assert.equal(scope(line, "name"), undefined);
  assert.equal(scope(".out - texcoord0 o1", "texcoord0"), "support.type.pica");
  assert.equal(scope("\t.alias end r1", ".alias"), "keyword.control.directive.pica");
  for (const name of sources) {
    for (const text of readFileSync(path.join(SAMPLES, name), "utf8").split("\n")) {
      if (/^\s*[.a-z]/.test(text)) assert.ok(scopes(text).length > 0, `${name}: ${text}`);
    }
  }
});
