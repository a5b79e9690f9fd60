// Compiles WGSL with Tint, Chromium's compiler, without a GPU: `node tint.mjs FOLDER...`.
// Prints every diagnostic; fails if one is an error.
import { create, globals } from 'webgpu';
import fs from 'node:fs';
import path from 'node:path';

Object.assign(globalThis, globals);
// Keep a reference: the process aborts when this object is collected.
globalThis.gpu = create(['backend=null']);
const device = await (await globalThis.gpu.requestAdapter()).requestDevice();
globalThis.device = device;

let files = 0;
const counts = { error: 0, warning: 0, info: 0 };
for (const folder of process.argv.slice(2)) {
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.wgsl')).sort()) {
    files += 1;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: fs.readFileSync(path.join(folder, name), 'utf8') });
    const { messages } = await module.getCompilationInfo();
    const refused = await device.popErrorScope();
    for (const { type, lineNum, linePos, message } of messages) {
      counts[type] += 1;
      console.log(`${name}:${lineNum}:${linePos}: ${type}: ${message}`);
    }
    if (refused && !messages.some(({ type }) => type === 'error')) {
      counts.error += 1;
      console.log(`${name}: error: ${refused.message}`);
    }
  }
}
console.log(`Tint read ${files} files: ${counts.error} errors, ${counts.warning} warnings, ${counts.info} notes`);
process.exit(files > 0 && counts.error === 0 ? 0 : 1);
