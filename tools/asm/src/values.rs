//! Definitions and uses of register components: which instructions wrote what an instruction reads,
//! and which read what it writes.
//! In: a program. Out: [`Values`], addresses. Knows no arithmetic and no text.
//!
//! Paths are those of the exploration that [`lint`](crate::lint) has: calls and loops return where
//! they do on hardware. A very large state space is explored partly, and so are the answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::cfg::explore::{Exploration, ExploreOptions, trace};
use crate::cfg::{Block, Terminator};
use crate::entity::Handle;
use transpica::isa::access::{ADDRESS, Access, FLAGS, tested_flags};
use transpica::isa::control::Test;
use transpica::isa::{Mask, Pc};
use transpica::{Limits, Program, Result};

/// Registers whose components have definitions and uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// r0 to r15.
    Temp(u8),
    /// a0.
    Address,
    /// The flags, `cmp`.
    Flags,
}

/// Set of components: r0 to r15 in the low bits, the registers of [`Access`] above them.
type Lanes = u128;

impl Tracked {
    fn lanes(self, mask: Mask) -> Lanes {
        match self {
            Self::Temp(number) => Lanes::from(mask.0 & 15) << (4 * (number & 15)),
            Self::Address => Lanes::from(u16::from(mask.0 & 3) * ADDRESS) << 64,
            Self::Flags => Lanes::from(u16::from(mask.0 & 3) * FLAGS) << 64,
        }
    }
}

/// Accesses of a word.
#[derive(Clone, Copy, Default)]
struct Step {
    reads: Lanes,
    writes: Lanes,
}

/// Definitions and uses in a program.
///
/// ```
/// use transpica::isa::{Mask, Pc};
/// use transpica_asm::values::{Tracked, Values};
/// use transpica_asm::{SourceText, assemble};
/// let text = ".out p position\n.proc main\nmov r0, v0\nmul r1, r0, r0\nmov p, r1\nend\n.end";
/// let file = assemble(&[SourceText { name: "a", text }])?;
/// let file = transpica::Shbin::parse(&file.bytes).expect("well formed");
/// let values = Values::new(file.program(0).expect("one").program(), &Default::default()).expect("small");
/// assert_eq!(values.writers(Pc(1), Tracked::Temp(0), Mask::XYZW), [Pc(0)]);
/// assert_eq!(values.readers(Pc(1), Tracked::Temp(1), Mask::XYZW), [Pc(2)]);
/// # Ok::<(), transpica_asm::Report>(())
/// ```
pub struct Values {
    steps: Vec<Step>,
    /// First and last word of each block with code.
    words: BTreeMap<usize, (u16, u16)>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// Flags that the end of a block tests.
    tested: Vec<Lanes>,
}

/// Direction of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Writers,
    Readers,
}

impl Values {
    /// Explores a program.
    ///
    /// # Errors
    /// Limits of the exploration.
    pub fn new(program: &Program<'_>, limits: &Limits) -> Result<Self> {
        let options = ExploreOptions { permissive: true, ..ExploreOptions::default() };
        let Exploration { cfg, runs, .. } = trace(program, &options, limits)?;
        let step = |pc| {
            let access = program.inst(pc).map(|inst| Access::new(&inst)).unwrap_or_default();
            let lanes = |temps: u64, rest: u16| Lanes::from(temps) | Lanes::from(rest) << 64;
            Step {
                reads: lanes(access.temps_read, access.rest_read),
                writes: lanes(access.temps_written, access.rest_written),
            }
        };
        let steps = (0..=u16::MAX).take(program.code().len()).map(|pc| step(Pc(pc))).collect();
        let words = runs.iter().map(|run| (run.block.index(), (run.state.pc.0, run.last.0))).collect();
        let targets = |block: Block| cfg.blocks[block].terminator.targets().map(Handle::index).collect();
        let successors: Vec<Vec<usize>> = cfg.blocks.keys().map(targets).collect();
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (block, targets) in successors.iter().enumerate() {
            targets.iter().for_each(|&target| predecessors[target].push(block));
        }
        let tested = |block: Block| match cfg.blocks[block].terminator {
            Terminator::Branch { test: Test::Cmp(condition), .. } => {
                Lanes::from(tested_flags(condition)) << 64
            }
            _ => 0,
        };
        let tested = cfg.blocks.keys().map(tested).collect();
        Ok(Self { steps, words, successors, predecessors, tested })
    }

    /// Returns the words that may have written the components that `pc` sees.
    pub fn writers(&self, pc: Pc, register: Tracked, mask: Mask) -> Vec<Pc> {
        self.search(pc, register.lanes(mask), Search::Writers)
    }

    /// Returns the words that may read the components that `pc` leaves.
    pub fn readers(&self, pc: Pc, register: Tracked, mask: Mask) -> Vec<Pc> {
        self.search(pc, register.lanes(mask), Search::Readers)
    }

    /// Searches all paths from a word, in either direction.
    fn search(&self, pc: Pc, wanted: Lanes, search: Search) -> Vec<Pc> {
        let mut found = BTreeSet::new();
        let mut seen: Vec<Lanes> = vec![0; self.successors.len()];
        // A block, the components that are still sought, and whether the search begins there.
        let holds = |&(_, &(first, last)): &(&usize, &(u16, u16))| (first..=last).contains(&pc.0);
        let mut work: Vec<(usize, Lanes, bool)> =
            self.words.iter().filter(holds).map(|(&block, _)| (block, wanted, true)).collect();
        while let Some((block, lanes, begins)) = work.pop() {
            let mut lanes = lanes;
            if !begins {
                lanes &= !seen[block];
                seen[block] |= lanes;
            }
            if let Some(&(first, last)) = self.words.get(&block) {
                lanes = match (search, begins) {
                    (Search::Writers, true) => self.scan((first..pc.0).rev(), lanes, search, &mut found),
                    (Search::Writers, false) => self.scan((first..=last).rev(), lanes, search, &mut found),
                    (Search::Readers, true) => self.scan(pc.0 + 1..=last, lanes, search, &mut found),
                    (Search::Readers, false) => self.scan(first..=last, lanes, search, &mut found),
                };
                if search == Search::Readers && self.tested[block] & lanes != 0 {
                    found.insert(Pc(last));
                }
            }
            let next = match search {
                Search::Writers => &self.predecessors[block],
                Search::Readers => &self.successors[block],
            };
            if lanes != 0 {
                work.extend(next.iter().map(|&block| (block, lanes, false)));
            }
        }
        found.into_iter().collect()
    }

    /// Visits words in order; returns the components that are still sought after them.
    fn scan(
        &self,
        words: impl Iterator<Item = u16>,
        wanted: Lanes,
        search: Search,
        found: &mut BTreeSet<Pc>,
    ) -> Lanes {
        let mut lanes = wanted;
        for pc in words.map(Pc) {
            let Step { reads, writes } = self.steps.get(pc.index()).copied().unwrap_or_default();
            let hit = if search == Search::Writers { writes } else { reads };
            if hit & lanes != 0 {
                found.insert(pc);
            }
            lanes &= !writes;
            if lanes == 0 {
                break;
            }
        }
        lanes
    }
}
