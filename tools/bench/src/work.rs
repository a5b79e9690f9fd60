//! Translates a program a number of times and measures nothing, for tools that count instructions
//! and allocations of the process: the difference between two numbers of rounds belongs to
//! the translations.
//! In: a `.shbin` file, or the size of a program from code words. Out: the words of the module.

use std::hint::black_box;
use std::path::Path;

use transpica::{Error, Job, Options, Profile, Shbin, Translator};

use crate::raw;

/// Translates a program in warm rounds after a first one.
///
/// # Errors
/// A file that cannot be read or translated.
pub fn run(program: &Path, rounds: usize) -> Result<usize, String> {
    let text = |error: Error| format!("{}: {error}", program.display());
    if let Some(instructions) = program.to_str().and_then(|size| size.parse().ok()) {
        let raw = raw::Source::new(instructions)?;
        let mut translator = raw::translator(Options::default());
        return repeat(rounds, || raw.translate(&mut translator)).map_err(text);
    }
    let bytes = crate::read(program)?;
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translate = || {
        let file = Shbin::parse(&bytes)?;
        let code = file.program(0)?;
        let translated = translator.translate(code.program(), code.environment(), Job::Vertex)?;
        translator.spirv(&translated)
    };
    repeat(rounds, translate).map_err(text)
}

fn repeat(rounds: usize, mut translate: impl FnMut() -> Result<Vec<u32>, Error>) -> Result<usize, Error> {
    (0..=rounds).try_fold(0, |_, _| Ok(black_box(translate()?).len()))
}
