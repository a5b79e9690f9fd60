//! `transpica compile`: a vertex shader in WGSL, GLSL or SPIR-V as a program for the console.
//! In: a source. Out: a text for the assembler or a `.shbin` file, bindings, and a report of how
//! far its results are from the source's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use transpica::settings::Promise;
use transpica_compile::compile::Compiled;
use transpica_compile::source::interface::{Flag, Output as Varying};
use transpica_compile::source::promises::promise;
use transpica_compile::source::{Depth, Options, Role};

use super::bind::{self, BindingFiles};
use crate::arguments::Arguments;
use crate::files;
use crate::json::Schema;
use crate::languages;
use crate::report::{Common, Failure};
use crate::streams::{Output, Streams};

/// Compile a vertex shader in WGSL, GLSL or SPIR-V for the console
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:
  transpica compile hero.wgsl -o hero.v.pica
  transpica compile hero.wgsl -o hero.shbin --bind-c hero.h --host-c hero_update.h
  transpica compile hero.vert -o hero.shbin --output-as vTint=color --scaled aColor
  transpica compile hero.wgsl -o hero.shbin --entry vs_main --json
  transpica compile hero.wgsl -o hero.shbin --assume uniforms=finite,place=2^10

The subset: f32 vectors and matrices, structs, arrays in uniforms, loops whose rounds constants or uniforms decide, functions, and the built-in functions of both languages; attributes by location, outputs by name or --output-as ({}; uv is texcoord0 and none leaves an output out). What depends on uniforms only, such as inverse(model), is computed by the host: --host-c and --host-rust write that code. A loop whose rounds a uniform decides runs 256 times at most.

Every program is run against its source on 2,000 vertices, and the distance is printed. Their numbers are small unless --assume gives ranges.", Role::names()))]
pub struct Compile {
    /// The shader: .wgsl, .glsl or .vert, .spv
    pub file: PathBuf,
    /// Output file: .shbin, or .pica for a text
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Entry point [default: the only vertex entry point]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Depth that the shader writes [default: that of the language]
    #[arg(long, value_enum)]
    pub depth: Option<DepthName>,
    /// Semantic of an output, by its name or location: NAME=color, NAME=none leaves it out
    #[arg(long, value_name = "NAME=SEMANTIC", value_delimiter = ',')]
    #[arg(value_parser = role)]
    pub output_as: Vec<(String, Role)>,
    /// Attributes of bytes that stand for 0 to 1
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub scaled: Vec<String>,
    /// Promises about what the host feeds, from which the compared vertices are drawn. NAME is
    /// uniforms or attributes, for the floats of all, or the name of one; PROMISE is finite, 2^N
    /// for magnitudes below 2^N, or 2^M..2^N for 0 and magnitudes from 2^M to below 2^N; the last
    /// one counts
    #[arg(long, value_name = "NAME=PROMISE,…", value_delimiter = ',')]
    #[arg(value_parser = promised)]
    pub assume: Vec<(String, Promise)>,
    /// Write C code of what the host computes to this file
    #[arg(long, value_name = "FILE")]
    pub host_c: Option<PathBuf>,
    /// Write Rust code of what the host computes to this file
    #[arg(long, value_name = "FILE")]
    pub host_rust: Option<PathBuf>,
    #[command(flatten)]
    pub bindings: BindingFiles,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `--depth`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DepthName {
    /// 0 to w, as in WGSL and Vulkan
    #[value(name = "0..w")]
    ZeroToW,
    /// -w to w, as in OpenGL
    #[value(name = "-w..w")]
    MinusWToW,
    /// -w to 0, as on the console
    #[value(name = "console")]
    Console,
}

/// Parses NAME=SEMANTIC.
fn role(text: &str) -> Result<(String, Role), String> {
    let (name, role) = text.split_once('=').ok_or("NAME=SEMANTIC, such as vTint=color")?;
    Ok((name.to_owned(), Role::named(role)?))
}

/// Parses NAME=PROMISE.
fn promised(text: &str) -> Result<(String, Promise), String> {
    let (name, range) = text.split_once('=').ok_or("NAME=PROMISE, such as position=2^10")?;
    Ok((name.trim().to_owned(), promise(range)?))
}

impl Arguments for Compile {
    fn streams(&self) -> Streams<'_> {
        let streams =
            Streams::of_files([&self.file], Some(&self.output)).with_extensions(["shbin", "bin", "pica"]);
        let streams = streams.with_binary("use -o FILE.pica for a text");
        let streams = streams.and("--host-c", self.host_c.as_ref());
        let streams = streams.and("--host-rust", self.host_rust.as_ref());
        let mut streams = self.bindings.add_to(streams);
        streams.outputs.extend([Output::text("the report", None)]);
        streams
    }
}

/// Runs the command.
pub fn run(arguments: &Compile, common: &Common) -> Result<(), Failure> {
    let Compile { file, output, bindings, .. } = arguments;
    let bytes = files::read(file)?;
    let compiled = languages::compile(file, &bytes, |options| Options {
        entry: arguments.entry.clone(),
        depth: match arguments.depth {
            None => options.depth,
            Some(DepthName::ZeroToW) => Depth::ZeroToW,
            Some(DepthName::MinusWToW) => Depth::MinusWToW,
            Some(DepthName::Console) => Depth::Console,
        },
        outputs: arguments.output_as.clone(),
        scaled: arguments.scaled.clone(),
        assume: arguments.assume.clone(),
        ..options
    })?;
    let mut names: Vec<&str> = of_host(&compiled).into_iter().map(|(name, _)| name).collect();
    if !names.is_empty() && arguments.host_c.is_none() && arguments.host_rust.is_none() {
        // Small values share a register.
        names.dedup();
        let names = names.join(", ");
        common.note(format_args!("the host computes {names}: --host-c and --host-rust write the code"));
    }
    write(arguments, common, &compiled, output, bindings)
}

/// Writes the program, its bindings and the report.
fn write(
    arguments: &Compile,
    common: &Common,
    compiled: &Compiled,
    output: &Path,
    bindings: &BindingFiles,
) -> Result<(), Failure> {
    let is_text = output.extension().is_some_and(|extension| extension == "pica");
    let program = if is_text { compiled.text.as_bytes() } else { &compiled.bytes[..] };
    let stem = files::name(&arguments.file);
    let stem = stem.split('.').next().unwrap_or_default();
    let host = [
        (arguments.host_c.as_deref(), compiled.host_c(stem)),
        (arguments.host_rust.as_deref(), compiled.host_rust()),
    ];
    let mut written = vec![(Some(output), program)];
    written.extend(host.iter().filter_map(|(path, text)| Some((Some((*path)?), text.as_bytes()))));
    let mut texts = Vec::new();
    if *bindings != BindingFiles::default() {
        let made: Vec<&Path> = written.iter().filter_map(|(path, _)| *path).collect();
        let read = [arguments.file.clone()];
        let bound = bind::texts(bindings, (&compiled.bytes, &[]), output, &read, &made);
        texts = bound.map_err(|error| Failure::new(format!("the compiled program: {error}")))?;
    }
    written.extend(texts.iter().map(|(path, text)| (Some(*path), text.as_bytes())));
    let report = if arguments.json { Schema::COMPILE.text(document(compiled)) } else { describe(compiled) };
    if arguments.json || !common.quiet {
        written.push((None, report.as_bytes()));
    }
    files::write_all(&written)
}

/// The report as text.
fn describe(compiled: &Compiled) -> String {
    let interface = &compiled.interface;
    let mut text = format!("{} words, {} of 96 float uniforms\n", compiled.words, interface.free);
    for (output, distance) in interface.outputs.iter().zip(&compiled.distances) {
        let (name, semantic) = (&output.name, semantic(output));
        let semantic = if semantic == name { String::new() } else { format!(" ({semantic})") };
        let _ = writeln!(text, "  {name}{semantic}: {distance}");
    }
    for (name, line) in of_host(compiled) {
        let line = line.and_then(|line| Some((line, compiled.line(line)?)));
        let place = line.map_or(String::new(), |(line, source)| format!(", line {line}: {source}"));
        let _ = writeln!(text, "  {name}: computed by the host{place}");
    }
    for count in interface.counts.iter().filter(|count| interface.host.constant(count.node).is_none()) {
        let place = count.line.map_or(String::new(), |line| format!(" of the loop in line {line}"));
        let name = compiled.name('i', count.register).unwrap_or(&count.name);
        let _ = writeln!(text, "  {name}: rounds{place}, at most 256: more are not run");
    }
    text
}

/// Values that the host computes, by the names of the text, and tests that are not the declared
/// number itself, with the lines of the source.
fn of_host(compiled: &Compiled) -> Vec<(&str, Option<usize>)> {
    let (derived, flags) = (&compiled.interface.derived, &compiled.interface.flags);
    let uniforms = &compiled.interface.uniforms;
    let is_declared = |flag: &&Flag| uniforms.iter().any(|uniform| uniform.name == flag.name);
    let flags = flags.iter().filter(|flag| !is_declared(flag));
    let flags = flags.map(|flag| {
        let name = compiled.name('b', flag.register).unwrap_or(&flag.name);
        (name, flag.line.map(|line| line as usize))
    });
    let values = derived
        .iter()
        .map(|derived| (compiled.name('c', derived.register).unwrap_or(&derived.name), derived.line));
    values.chain(flags).collect()
}

/// The semantic of an output.
fn semantic(output: &Varying) -> &'static str {
    Role::Semantic(output.semantic).name()
}

/// The report as JSON.
fn document(compiled: &Compiled) -> Value {
    let interface = &compiled.interface;
    let outputs = interface.outputs.iter().zip(&compiled.distances);
    let outputs = outputs.map(|(output, distance)| {
        let (ulp, vertices) = (distance.ulp, distance.vertices);
        json!({
            "name": output.name,
            "semantic": semantic(output),
            "ulp": ulp,
            "relative": distance.relative,
            "vertices": vertices,
        })
    });
    let uniforms = interface.uniforms.iter().enumerate().map(|(index, uniform)| {
        let name = uniform.register.and_then(|register| compiled.name('c', register));
        let name = name.unwrap_or(&uniform.name);
        let registers = uniform.layout.registers();
        let decides = interface.decided_by(index);
        json!({ "name": name, "register": uniform.register, "registers": registers, "decides": decides })
    });
    let attributes = interface.attributes.iter().map(|attribute| {
        let name = compiled.name('v', attribute.register).unwrap_or(&attribute.name);
        json!({ "name": name, "register": attribute.register, "type": attribute.shape.name() })
    });
    let host = of_host(compiled).into_iter().map(|(name, _)| name);
    json!({
        "words": compiled.words,
        "attributes": attributes.collect::<Vec<_>>(),
        "uniforms": uniforms.collect::<Vec<_>>(),
        "host": host.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}
