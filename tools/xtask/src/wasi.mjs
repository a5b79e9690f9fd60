// Runs a program for wasm32-wasip1 with arguments; it sees the folder it is started in.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [path, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...rest], preopens: { ".": process.cwd() } });
const module = await WebAssembly.compile(await readFile(path));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
