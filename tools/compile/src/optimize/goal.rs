//! The better of two programs: words, executed instructions, order of sums.
//! In: a program of a file, new code. Out: its costs, or the reason why the old code is better.
//! Instructions are counted on the ways of `paths.rs`.

use transpica::container::{Model, ShaderType, write};
use transpica::isa::sizes::{GEOMETRY_WORDS, VERTEX_WORDS};
use transpica::{Limits, Program, Shbin};

use crate::emit::{Emitted, Rank};
use crate::equal::Opened;
use crate::paths;

use super::{Reason, Source, Written, rewrite, section};

/// Changes that an optimization makes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal {
    /// Costs that it lowers.
    pub objective: Objective,
    /// Sums may be in another order, if results change at most by this part of the largest
    /// component of their vector. `None` keeps all bits.
    pub rounding: Option<f32>,
}

/// Costs of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Words. On no way are more instructions executed.
    #[default]
    Size,
    /// Executed instructions: fewer on some way, and more on none. Words may become more.
    Speed,
}

/// The rank of code that is worse than the old one.
pub(super) const LAST: Rank = [f64::INFINITY; 3];

impl Objective {
    /// The costs of a file.
    pub(super) fn rank(self, words: usize, executed: f64) -> Rank {
        // Range: a file has at most 65,535 words.
        let words = words as f64;
        match self {
            Self::Size => [words, executed, 0.0],
            Self::Speed => [executed, words, 0.0],
        }
    }

    /// The number of words from which on code is too long for programs.
    pub(super) fn words(self, programs: &[&Program<'_>]) -> usize {
        match self {
            Self::Size => section::reached(programs).len(),
            Self::Speed => usize::MAX,
        }
    }

    /// The number of words from which on no code has a lower rank.
    pub(super) fn most_words(self, [words, ..]: Rank) -> usize {
        match self {
            // Of as many words, the first code stays.
            Self::Size => words as usize,
            Self::Speed => usize::MAX,
        }
    }

    /// Most words of a file with new code.
    pub(super) fn most(self, model: &Model) -> usize {
        let has_vertices = model
            .executables
            .iter()
            .any(|executable| executable.header.shader_type() == Some(ShaderType::Vertex));
        let unit = if has_vertices { VERTEX_WORDS } else { GEOMETRY_WORDS } as usize;
        match self {
            Self::Size => model.code.len().saturating_sub(1),
            Self::Speed => unit.max(model.code.len()),
        }
    }
}

impl Source<'_> {
    /// Instructions that the program executes on each way.
    pub(super) fn ways(&self, model: &Model) -> transpica::Result<Vec<f64>> {
        self.executed(&self.alone(model))
    }

    /// A file of the program alone.
    fn alone(&self, model: &Model) -> Model {
        Model { executables: vec![model.executables[self.index].clone()], ..model.clone() }
    }

    /// Instructions that the program of a file executes on each way through the old one.
    fn executed(&self, model: &Model) -> transpica::Result<Vec<f64>> {
        let bytes = write(model);
        let opened = Opened::new(&Shbin::parse(&bytes)?, 0, &Limits::default())?;
        let control = &self.known.control;
        let bools = paths::combinations(paths::tested(self.program.program()) & !control.bools.baked);
        let ways = paths::executed(&opened, control, &bools)?;
        Ok(ways.into_iter().map(|way| way.instructions).collect())
    }

    /// Instructions that new code executes on each way; none if it has too many descriptors.
    fn new_ways(&self, written: &Written, model: &Model) -> transpica::Result<Vec<f64>> {
        let after = rewrite(&self.alone(model), std::slice::from_ref(self), &[Some(written)]);
        after.map_or(Ok(Vec::new()), |after| self.executed(&after))
    }

    /// Returns whether new code executes more instructions than the old one on some way.
    pub(super) fn is_slower(
        &self,
        written: &Written,
        model: &Model,
        before: &[f64],
    ) -> transpica::Result<bool> {
        let now = self.new_ways(written, model)?;
        Ok(now.len() != before.len() || before.iter().zip(&now).any(|(before, now)| now > before))
    }

    /// The costs of new code: of its words, or of the instructions of the longest way, of all ways,
    /// and of its words.
    pub(super) fn rank(&self, emitted: &Emitted, model: &Model, before: &[f64]) -> Rank {
        let words = emitted.words();
        if self.goal.objective == Objective::Size {
            return self.goal.objective.rank(words, 0.0);
        }
        let Ok(written) = Written::new(emitted.clone()) else { return LAST };
        match self.new_ways(&written, model) {
            Ok(now) if now.len() == before.len() && before.iter().zip(&now).all(|(old, new)| new <= old) => {
                [now.iter().copied().fold(0.0, f64::max), now.iter().sum(), words as f64]
            }
            _slower => LAST,
        }
    }

    /// Counts what new code saves, or returns the reason why it does not stand for the old code.
    pub(super) fn better(
        &self,
        mut written: Written,
        model: &Model,
    ) -> transpica::Result<Result<Written, Reason>> {
        let (before, now) = (self.ways(model)?, self.new_ways(&written, model)?);
        if now.len() != before.len() {
            return Ok(Err(Reason::Descriptors));
        }
        if before.iter().zip(&now).any(|(before, now)| now > before) {
            let (new, old) = (written.code.len(), self.goal.objective.words(&[self.program.program()]));
            return Ok(Err(if new < old { Reason::Slower } else { Reason::NotShorter { new, old } }));
        }
        written.saved = before.iter().sum::<f64>() - now.iter().sum::<f64>();
        let is_useless = self.goal.objective == Objective::Speed && written.saved <= 0.0;
        Ok(if is_useless { Err(Reason::NotFaster) } else { Ok(written) })
    }
}
