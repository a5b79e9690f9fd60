//! Translates a program a number of times and measures nothing, for tools that count instructions
//! and allocations of the process: the difference between two numbers of rounds belongs to
//! the translations.
//! Or once more behind other memory, for tools that count cache lines.
//! In: a `.shbin` file, or the size of a program from code words. Out: the words of the module.

use std::hint::black_box;
use std::path::Path;

use transpica::{Error, Job, Options, Profile, Shbin, Translator};

use crate::evict::counted;
use crate::raw;

/// Translates a program in warm rounds after a first one.
///
/// # Errors
/// A file that cannot be read or translated.
pub fn run(program: &Path, rounds: usize, is_cold: bool) -> Result<usize, String> {
    let text = |error: Error| format!("{}: {error}", program.display());
    if let Some(instructions) = program.to_str().and_then(|size| size.parse().ok()) {
        let raw = raw::Source::new(instructions)?;
        let mut translator = raw::translator(Options::default());
        return repeat(rounds, is_cold, || raw.translate(&mut translator)).map_err(text);
    }
    let bytes = crate::read(program)?;
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translate = || {
        let file = Shbin::parse(&bytes)?;
        let code = file.program(0)?;
        let translated = translator.translate(code.program(), code.environment(), Job::Vertex)?;
        translator.spirv(&translated)
    };
    repeat(rounds, is_cold, translate).map_err(text)
}

fn repeat(
    rounds: usize,
    is_cold: bool,
    mut translate: impl FnMut() -> Result<Vec<u32>, Error>,
) -> Result<usize, Error> {
    let mut words = 0;
    for _ in 0..=rounds {
        words = black_box(translate()?).len();
    }
    if is_cold { Ok(counted(|| black_box(translate()))?.len()) } else { Ok(words) }
}
