// Bundles the page: `node build.mjs ENGINE OUT`. ENGINE is the folder that wasm-bindgen filled, with
// the notices of the crates and packages inside.
// Every address is relative, so any folder of any static host serves the result.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = import.meta.dirname;
const [engine, out] = process.argv.slice(2).map((folder) => path.resolve(folder));
const root = path.join(here, "../../..");
const shaders = path.join(root, "shaders");
const fonts = ["mono-latin-400", "mono-latin-600", "sans-latin-400", "sans-latin-600"];

await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "samples"), { recursive: true });

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);
/** Copies an engine; its name changes with its content. */
async function wasm(module, name) {
  const bytes = await readFile(path.join(engine, `${module}_bg.wasm`));
  const file = `${name}-${digest(bytes)}.wasm`;
  await writeFile(path.join(out, file), bytes);
  return file;
}
const [engineFile, nativeFile] = [await wasm("page", "engine"), await wasm("native", "native")];
const compilerFile = await wasm("compiler", "compiler");

// Samples open as their sources, with the comments; several ones are one text, as the page joins them.
const names = await readdir(shaders);
const samples = names
  .filter((name) => name.endsWith(".shbin"))
  .sort()
  .map((file) => {
    const name = file.replace(".shbin", "");
    const sources = names.filter((other) => other.startsWith(`${name}.`) && other.endsWith(".pica")).sort().reverse();
    // Values that show what the first program is for.
    const state = [`${name}.0.state.json`, `${name}.state.json`].find((state) => names.includes(state));
    const program = `samples/${sources.length === 1 ? sources[0] : `${name}.pica`}`;
    // The state of a pair of programs belongs to the geometry program, which is not the first.
    return { name, sources, path: program, state: state && sources.length === 1 ? `samples/${state}` : undefined };
  });
for (const { sources, path: program, state } of samples) {
  const texts = await Promise.all(sources.map((source) => readFile(path.join(shaders, source), "utf8")));
  const parts = texts.map((text, at) => (texts.length === 1 ? text : `; file: ${sources[at]}\n${text.trimEnd()}\n`));
  await writeFile(path.join(out, program), parts.join(""));
  if (state) await cp(path.join(shaders, path.basename(state)), path.join(out, state));
}

const family = (font) => path.join(here, `node_modules/@fontsource/ibm-plex-${font.split("-")[0]}`);
await mkdir(path.join(out, "fonts"));
for (const font of fonts)
  await cp(path.join(family(font), `files/ibm-plex-${font}-normal.woff2`), path.join(out, `fonts/${font}.woff2`));
await cp(path.join(here, "src/icon.svg"), path.join(out, "icon.svg"));

const { package: common } = /^\[workspace\.package\](?<package>[^[]*)/m.exec(await readFile(path.join(root, "Cargo.toml"), "utf8")).groups;
/** Reads a field that all crates share. */
const manifest = (name) => new RegExp(`^${name} = "(.*)"`, "m").exec(common)?.[1];
const source = (name) => path.join(here, `src/${name}.ts`);
const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: out,
  legalComments: "none",
  logLevel: "warning",
  alias: { engine: path.join(engine, "page.js"), native: path.join(engine, "native.js"), compiler: path.join(engine, "compiler.js") },
  define: {
    ENGINE_FILE: JSON.stringify(engineFile),
    NATIVE_FILE: JSON.stringify(nativeFile),
    COMPILER_FILE: JSON.stringify(compilerFile),
    RELEASE: JSON.stringify(manifest("version")),
    REPOSITORY: JSON.stringify(manifest("repository") ?? ""),
    SAMPLES: JSON.stringify(samples.map(({ sources, ...sample }) => sample)),
    FIRST_SAMPLE: JSON.stringify(samples.find(({ name }) => name === "lamps").path),
  },
  loader: { ".woff2": "copy" },
  external: ["*.woff2", "./start.js"],
};
await esbuild.build({ ...options, entryPoints: { start: source("start"), worker: source("worker"), native: source("native"), compiler: source("compiler") } });
// The editor is a file of its own, so that the page begins before it has loaded.
const { metafile } = await esbuild.build({
  ...options,
  metafile: true,
  splitting: true,
  chunkNames: "[name]-[hash]",
  entryPoints: { page: source("main") },
});
await esbuild.build({ ...options, entryPoints: [path.join(here, "src/page.css")] });
await mkdir(path.join(out, "about"));
const notices = await readFile(path.join(engine, "NOTICES"), "utf8");
for (const input of Object.keys(metafile.inputs)) {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
  if (name && !notices.includes(`\n${name} `)) throw new Error(`${name} is not among the "dependencies" of package.json`);
}
await writeFile(path.join(out, "about/licenses.txt"), notices);
await cp(path.join(engine, "NOTICES-RUST.html"), path.join(out, "about/licenses-rust.html"));
// Text, since hosts have browsers save Markdown.
const manual = { guide: "README.md", settings: "tools/cli/settings.md", samples: "shaders/README.md", page: "tools/web/README.md" };
for (const [name, file] of Object.entries(manual)) await cp(path.join(root, file), path.join(out, `about/${name}.txt`));
const html = await readFile(path.join(here, "index.html"), "utf8");
const preload = firstFiles(metafile).map((file) => `<link rel="modulepreload" href="${file}">`);
await writeFile(path.join(out, "index.html"), html.replace("%MODULES%", preload.join("\n")));

// The service worker comes last: its version covers every other file.
const files = (await readdir(out, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .sort();
const contents = await Promise.all(files.map((file) => readFile(path.join(out, file))));
const version = digest(Buffer.concat(contents));
const cached = ["./", ...files.filter((file) => !/licen/i.test(file))];
await esbuild.build({
  ...options,
  entryPoints: { sw: path.join(here, "src/sw.ts") },
  format: "iife",
  define: { FILES: JSON.stringify(cached), VERSION: JSON.stringify(version) },
});

/** Files of the page and of the editor that the first view needs, from the list of outputs. */
function firstFiles({ outputs }) {
  const found = Object.keys(outputs).filter((file) => /src\/(main|code)\.ts$/.test(outputs[file].entryPoint ?? ""));
  for (const file of found)
    for (const { path: other, kind } of outputs[file].imports)
      if (kind === "import-statement" && other in outputs && !found.includes(other)) found.push(other);
  return found.map((file) => path.relative(out, path.resolve(file)));
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1).padStart(8)} kB`;
console.log("    raw         gzip     file");
for (const [at, file] of files.entries()) {
  if (!/\.(wasm|js|css|html)$/.test(file)) continue;
  console.log(`${kilobytes(contents[at].length)} ${kilobytes(gzipSync(contents[at], { level: 9 }).length)}  ${file}`);
}
const total = contents.reduce((sum, bytes) => sum + bytes.length, 0);
console.log(`${kilobytes(total)}              all ${files.length} files, of them ${samples.length} samples`);
