//! The open program and another one: whether they compute the same.
//! In: both programs, the options. Out: the verdict as text, with the state that shows a
//! difference.

use serde::Serialize;
use transpica::isa::Pc;
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::report::{Names, text};
use transpica_compile::equal::{Comparison, Effort, Opened, Verdict, compare, same_stage};
use transpica_inspect::saved;
use transpica_inspect::state::{State, bits};

use super::engine::Open;
use super::problem::Problem;
use super::settings::Settings;

/// The answer about two programs.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Set if a proof or vertices show them equal.
    equal: bool,
    /// Set if they are equal for all inputs.
    proven: bool,
    text: String,
    /// Registers with other names or places.
    notes: Vec<String>,
    /// State file of the smallest inputs with different results.
    state: Option<String>,
    /// Addresses of the first instructions of both that differ.
    places: [Option<u16>; 2],
}

/// Compares the program with another one under the bools, ints and promises of the settings.
///
/// # Errors
/// Programs of different stages, or outputs that only one has.
pub fn equal(open: &Open<'_>, other: &Open<'_>, settings: &Settings) -> Result<Compared, Problem> {
    let options = settings.values.options;
    let opened = |open: &Open<'_>| Opened::new(open.file, open.index, &options.limits);
    let (first, second) = (opened(open)?, opened(other)?);
    same_stage([&first, &second])?;
    let matching = Matching::new([&first.symbols, &second.symbols], &[]).map_err(Problem::error)?;
    // Less than on the command line: a pane follows edits.
    let effort = Effort { vertices: 1 << 14, budget: 1 << 14, ..Effort::default() };
    let comparison = Comparison { effort, ..Comparison::new([&first, &second], &matching, options) };
    let verdict = compare(&comparison)?;
    let listings = [open.listing()?, other.listing()?];
    let names = ["this program", "the other one"];
    let instruction = |side: usize, pc: Pc| {
        format!("{}: {pc}: {}", names[side], listings[side].line(pc).unwrap_or_default())
    };
    let (mut state, mut places) = (None, [None; 2]);
    if let Verdict::Different(found) = &verdict {
        let values = State::new(found.values.uniforms.clone(), vec![bits(&found.values.inputs)]);
        state = Some(saved::to_text(&values, &Default::default(), &open.symbols));
        places = found.instructions.map(|pc| pc.map(|pc| pc.0));
    }
    Ok(Compared {
        equal: verdict.is_equal(),
        proven: matches!(verdict, Verdict::Proven { .. }),
        text: text(&verdict, &Names { programs: names, instruction: &instruction }),
        notes: matching.notes.clone(),
        state,
        places,
    })
}
