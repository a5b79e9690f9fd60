//! Translates a program a number of times and measures nothing, for tools that count instructions
//! and allocations of the process: the difference between two numbers of rounds belongs to
//! the translations.
//! In: a `.shbin` file, or the size of a program from code words; with `spirv:`, `wgsl:` or `glsl:`
//! before a file, only its module is written again and again; with `compile:`, a shader is
//! compiled. Once more behind other memory, for tools that count cache lines. Out: the sum of the
//! lengths.

use std::hint::black_box;
use std::path::Path;

use transpica::{Error, GlslVersion, Job, Options, Profile, Shbin, Translator};
use transpica_compile::compile::compile_file;

use crate::evict::counted;
use crate::raw;

/// Translates a program in warm rounds after a first one.
///
/// # Errors
/// A file that cannot be read or translated.
pub fn run(program: &Path, rounds: usize, is_cold: bool) -> Result<usize, String> {
    let text = |error: Error| format!("{}: {error}", program.display());
    if let Some(shader) = program.to_str().and_then(|name| name.strip_prefix("compile:")) {
        return compile(Path::new(shader), rounds, is_cold);
    }
    if let Some((writer, file)) = program.to_str().and_then(|name| name.split_once(':')) {
        return write(writer, &crate::read(Path::new(file))?, rounds, is_cold).map_err(text);
    }
    if let Some(instructions) = program.to_str().and_then(|size| size.parse().ok()) {
        let raw = raw::Source::new(instructions)?;
        let mut translator = raw::translator(Options::default());
        return repeat(rounds, is_cold, || Ok(black_box(raw.translate(&mut translator)?).len()))
            .map_err(text);
    }
    let bytes = crate::read(program)?;
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translate = || {
        let file = Shbin::parse(&bytes)?;
        let code = file.program(0)?;
        let translated = translator.translate(code.program(), code.environment(), Job::Vertex)?;
        Ok(black_box(translator.spirv(&translated)?).len())
    };
    repeat(rounds, is_cold, translate).map_err(text)
}

/// Compiles a shader.
fn compile(shader: &Path, rounds: usize, is_cold: bool) -> Result<usize, String> {
    let bytes = crate::read(shader)?;
    let work = || match compile_file(shader, &bytes, |options| options) {
        Some(Ok(compiled)) => Ok(black_box(compiled).words),
        Some(Err(error)) => Err(format!("{}: {error}", shader.display())),
        None => Err(format!("{}: no shader", shader.display())),
    };
    repeat(rounds, is_cold, work)
}

/// Writes the module of a file in a language.
fn write(writer: &str, bytes: &[u8], rounds: usize, is_cold: bool) -> Result<usize, Error> {
    let mut translator = Translator::new(Options::default(), Profile::default());
    let file = Shbin::parse(bytes)?;
    let code = file.program(0)?;
    let translated = translator.translate(code.program(), code.environment(), Job::Vertex)?;
    repeat(rounds, is_cold, || match writer {
        "wgsl" => Ok(black_box(translated.wgsl()?).len()),
        "glsl" => Ok(black_box(translated.glsl(GlslVersion::Vulkan450)?).len()),
        _spirv => Ok(black_box(translator.spirv(&translated)?).len()),
    })
}

fn repeat<E>(rounds: usize, is_cold: bool, mut work: impl FnMut() -> Result<usize, E>) -> Result<usize, E> {
    let sum = (0..=rounds).try_fold(0, |sum, _| Ok::<_, E>(sum + work()?))?;
    Ok(sum + if is_cold { counted(work)? } else { 0 })
}
