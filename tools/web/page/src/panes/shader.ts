// A vertex shader in WGSL or GLSL: while it is typed, the source of the program is what it becomes,
// whose first line has the words and temporaries.

import { CallError, Client } from "../client";
import { Code } from "../code";
import type { Problem } from "../contract";
import { button, field, h } from "../dom";
import type { Context, Pane } from "./pane";
import { list } from "./problems";

/** The program, among those that were opened. */
const PROGRAM = "shader.v.pica";

const WGSL = `// A model under one light. Paste your own vertex shader here.
struct Scene { projection: mat4x4f, view: mat4x4f, model: mat4x4f }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> light: vec3f;

struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex
fn main(@location(0) place: vec3f, @location(1) normal: vec3f) -> Result {
    let turned = normalize((scene.model * vec4f(normal, 0.0)).xyz);
    var result: Result;
    result.position = scene.projection * scene.view * scene.model * vec4f(place, 1.0);
    result.color = vec4f(vec3f(max(dot(turned, light), 0.2)), 1.0);
    return result;
}
`;

const GLSL = `// A model under one light. Paste your own vertex shader here.
#version 450
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Scene { mat4 projection; mat4 view; mat4 model; vec3 light; };
layout(location = 0) out vec4 color;

void main() {
    vec3 turned = normalize((model * vec4(normal, 0.0)).xyz);
    gl_Position = projection * view * model * vec4(place, 1.0);
    color = vec4(vec3(max(dot(turned, light), 0.2)), 1.0);
}
`;

/** Languages by the extensions of files: their names, and shaders to begin with. */
const LANGUAGES: Record<string, [name: string, text: string]> = { wgsl: ["WGSL", WGSL], vert: ["GLSL", GLSL] };

/** `write` opens the text of a program, or replaces the one that is open. */
export function shaderPane({ marks }: Context, write: (name: string, text: string) => Promise<void>): Pane {
  let compiler: Client | undefined;
  let wanted: string | undefined;
  let isRunning = false;
  /** Texts of the languages that are not shown. */
  const texts = new Map(Object.entries(LANGUAGES).map(([extension, [, text]]) => [extension, text]));
  const problems = h("ul", { class: "problems", hidden: true });
  const status = h("span", { class: "muted" }, "The program replaces the source.");
  const names = Object.entries(LANGUAGES).map(([value, [name]]) => h("option", { value }, name));
  const choose = h("select", { onchange: () => change() }, ...names);
  let extension = "wgsl";
  const code = new Code({ label: "Shader", origin: "shader", language: "shading", marks, write: (text) => compile(text) });
  const compileNow = button("Compile", "", () => compile(code.text));
  const bar = h("div", { class: "bar" }, field("Language", choose), compileNow, status);
  const element = h("div", { class: "text-pane" }, bar, problems, code.view.dom);
  code.show(WGSL, []);

  const change = () => {
    texts.set(extension, code.text);
    extension = choose.value;
    code.show(texts.get(extension) ?? "", []);
    compile(code.text);
  };
  /** Compiles a text. While one is compiled, only the newest of the following ones waits. */
  const compile = (text: string) => {
    wanted = text;
    if (!isRunning) void run();
  };
  const run = async () => {
    isRunning = true;
    while (wanted !== undefined) {
      const text = wanted;
      wanted = undefined;
      await make(text);
    }
    isRunning = false;
  };
  const make = async (text: string) => {
    compiler ??= new Client(() => new Worker(new URL("compiler.js", import.meta.url), { type: "module" }));
    try {
      const made = await compiler.json<{ text: string }>("compile", `shader.${extension}`, text);
      status.textContent = /: (.*)\.\n/.exec(made.text)?.[1] ?? "";
      report([]);
      await write(PROGRAM, made.text);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      status.textContent = "The source is the last good program.";
      report([error.problem]);
    }
  };
  const report = (found: Problem[]) => {
    code.diagnose(found);
    list(problems, found, {
      goTo: ({ line, column }) => code.goTo(line ?? 1, column),
      write: (problem, word) => code.write(problem, word),
    });
  };
  return { id: "shader", title: "From WGSL", element, async refresh() {} };
}
