//! Upper bounds of the EMITs and triangles of an invocation.
//! In: the forward analysis, known int uniforms. Out: [`Bounds`]. Computes the heaviest path of the
//! graph, where an EMIT weighs 1.
//!
//! Cycles become single nodes first. A cycle without EMIT weighs nothing. A cycle that LOOP repeats
//! is cut at the blocks that count the loop down: it passes them at most as often as the int
//! uniform says, if nothing in it enters that loop anew. The rest between two cuts may again have
//! cycles, of another loop: there are four, so this goes four levels deep. Any other cycle with an
//! EMIT has no bound.

use super::flow::{Flow, Step};
use crate::flow::cfg::graph::{Predecessors, components, is_cycle};
use crate::flow::cfg::{Action, Block, Cfg};
use crate::program::isa::Program;
use crate::program::isa::control::Effect;
use crate::program::isa::sizes::LOOP_DEPTH;
use crate::support::entity::Handle;

/// Largest bound that relies on unknown int uniforms.
const MOST_ASSUMED: u64 = 4096;
/// Number of loop slots.
const LOOPS: u8 = LOOP_DEPTH as u8;

/// Bounds of one invocation; none where no bound is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Number of EMITs.
    pub emits: Option<u32>,
    /// Number of triangles.
    pub triangles: Option<u32>,
}

/// Computes the bounds of one invocation of a geometry program. Exact for programs without loops
/// and back jumps all of whose paths are feasible. `ints` are the known int uniforms. A loop over
/// another one runs 256 times, as long as that keeps the bound at or below 4096.
///
/// ```
/// use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
/// use transpica::geometry::{Bounds, bounds};
/// use transpica::isa::Pc;
/// use transpica::{Limits, Program, Stage};
/// // setemit 2, prim; emit; emit; end
/// let code = [0xAE80_0000, 0xA800_0000, 0xA800_0000, 0x8800_0000];
/// let program = Program::from_raw(&code[..], &[][..], Pc(0), Stage::Geometry)?;
/// let Explored::Graph(cfg) = explore(&program, &ExploreOptions::default(), &Limits::default())? else { unreachable!() };
/// assert_eq!(bounds(&program, &cfg, [None; 4]), Bounds { emits: Some(2), triangles: Some(2) });
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn bounds(program: &Program<'_>, cfg: &Cfg, ints: [Option<[u8; 3]>; 4]) -> Bounds {
    let flow = Flow::new(program, cfg);
    let predecessors = Predecessors::new(cfg);
    let most = |weigh: fn(&Flow<'_>, Block) -> u64| {
        let weights = cfg.blocks.keys().map(|block| weigh(&flow, block)).collect();
        Heaviest { flow: &flow, predecessors: &predecessors, ints, weights, assumed: false }.program()
    };
    Bounds { emits: most(emits), triangles: most(triangles) }
}

/// Counts the EMITs of a block.
fn emits(flow: &Flow<'_>, block: Block) -> u64 {
    flow.steps(block).iter().filter(|step| matches!(step, Step::Emit)).count() as u64
}

/// Counts the triangles that a block may submit.
fn triangles(flow: &Flow<'_>, block: Block) -> u64 {
    let Some(mut state) = flow.state(block) else { return 0 };
    let mut count = 0;
    for step in flow.steps(block) {
        count += u64::from(matches!(step, Step::Emit) && state.settings.may_submit());
        state.apply(step);
    }
    count
}

/// Search for the heaviest path.
struct Heaviest<'a> {
    flow: &'a Flow<'a>,
    predecessors: &'a Predecessors,
    ints: [Option<[u8; 3]>; 4],
    /// By block.
    weights: Vec<u64>,
    /// True if the bound relies on an unknown int uniform.
    assumed: bool,
}

/// A subgraph in which each strongly connected component is one node.
struct Condensed {
    /// The blocks, ascending; tables by block are in this order.
    blocks: Vec<Block>,
    /// The node of each block.
    node: Vec<usize>,
    /// The weight of the heaviest stay in its node that ends with each block.
    weights: Vec<u64>,
    /// The blocks of each node. A node comes before those that it leads to.
    nodes: Vec<Vec<Block>>,
}

impl Heaviest<'_> {
    fn cfg(&self) -> &Cfg {
        self.flow.cfg
    }

    /// The heaviest path of the program.
    fn program(mut self) -> Option<u32> {
        let Some(entry) = self.cfg().entry else { return Some(0) };
        let reached = self.cfg().blocks.keys().filter(|&block| self.flow.state(block).is_some()).collect();
        let all = self.condense(reached, LOOPS)?;
        let most = all.paths(self.cfg(), &[entry]).into_iter().flatten().max().unwrap_or(0);
        if self.assumed && most > MOST_ASSUMED {
            return None;
        }
        u32::try_from(most).ok()
    }

    /// Condenses each cycle of a subgraph to one node. Returns `None` if a cycle has no bound.
    /// Loops may nest `levels` deep.
    fn condense(&mut self, blocks: Vec<Block>, levels: u8) -> Option<Condensed> {
        let cfg = self.flow.cfg;
        let targets = |block: Block| cfg.blocks[block].terminator.targets();
        let nodes = components(&blocks, targets);
        let mut node = vec![0; blocks.len()];
        let mut weights: Vec<u64> = blocks.iter().map(|block| self.weights[block.index()]).collect();
        for (number, members) in nodes.iter().enumerate() {
            let stays = if is_cycle(members, targets) { Some(self.cycle(members, levels)?) } else { None };
            for (index, block) in members.iter().enumerate() {
                let Ok(place) = blocks.binary_search(block) else { continue };
                node[place] = number;
                if let Some(stays) = &stays {
                    weights[place] = stays[index];
                }
            }
        }
        Some(Condensed { blocks, node, weights, nodes })
    }

    /// The heaviest stay in a cycle that ends with each of its blocks.
    fn cycle(&mut self, cycle: &[Block], levels: u8) -> Option<Vec<u64>> {
        if cycle.iter().all(|block| self.weights[block.index()] == 0) {
            return Some(vec![0; cycle.len()]);
        }
        let levels = levels.checked_sub(1)?;
        // If two loops count it, any may be taken first: the other one counts in the rest.
        let cut = (0..LOOPS).find_map(|slot| Some((slot, self.cut(cycle, slot)?)));
        let (slot, cut) = cut?;
        self.counted_cycle(cycle, slot, &cut, levels)
    }

    /// Returns the blocks of a cycle that count down the loop in a slot, or `None` if no block does
    /// or the cycle enters that loop.
    fn cut(&self, cycle: &[Block], slot: u8) -> Option<Vec<Block>> {
        let effects = |block: Block| {
            let effect = |action: &Action| match *action {
                Action::Loop(effect) => Some(effect),
                Action::Run(_) | Action::SetDispatch { .. } => None,
            };
            self.cfg().actions_of(block).iter().filter_map(effect)
        };
        if cycle.iter().any(|&block| effects(block).any(|effect| starts_anew(effect, slot))) {
            return None;
        }
        let counts = |block: &Block| effects(*block).any(|effect| effect == Effect::RepeatLoop { slot });
        let cut: Vec<Block> = cycle.iter().copied().filter(counts).collect();
        (!cut.is_empty()).then_some(cut)
    }

    /// The heaviest stay in a cycle that the loop in a slot counts, in the blocks of `cut`.
    fn counted_cycle(&mut self, cycle: &[Block], slot: u8, cut: &[Block], levels: u8) -> Option<Vec<u64>> {
        let is_cut = |block: &Block| cut.binary_search(block).is_ok();
        let rest = cycle.iter().copied().filter(|block| !is_cut(block)).collect();
        let passes = self.repeats(cut, slot);
        let inside = self.condense(rest, levels)?;
        let weight = cut.iter().map(|block| self.weights[block.index()]).max().unwrap_or(0);
        let cfg = self.cfg();
        let is_entry = |block: &&Block| {
            let from = self.predecessors.get(**block);
            cfg.entry == Some(**block) || from.iter().any(|from| cycle.binary_search(from).is_err())
        };
        let entries: Vec<Block> = cycle.iter().filter(is_entry).copied().collect();
        let heads: Vec<Block> =
            cut.iter().flat_map(|&block| cfg.blocks[block].terminator.targets()).collect();
        let first = inside.paths(cfg, &entries);
        let later = inside.paths(cfg, &heads);
        // Weight up to the last pass, inclusive.
        let passed = (passes.checked_sub(1)).map(|between| {
            inside
                .heaviest_before(cfg, &first, is_cut)
                .saturating_add(weight.saturating_mul(passes))
                .saturating_add(inside.heaviest_before(cfg, &later, is_cut).saturating_mul(between))
        });
        let stay = |block: &Block| match inside.blocks.binary_search(block) {
            Ok(place) => {
                let later = passed.zip(later[place]).map(|(passed, later)| passed.saturating_add(later));
                first[place].max(later).unwrap_or(0)
            }
            Err(_) => passed.unwrap_or(0),
        };
        Some(cycle.iter().map(stay).collect())
    }

    /// The largest count of the loop in a slot.
    fn repeats(&mut self, cut: &[Block], slot: u8) -> u64 {
        let mut most = 0;
        for &block in cut {
            // Nothing in the cycle enters the loop, so its count is the same in the whole block.
            let Some(state) = self.flow.state(block) else { continue };
            for int in state.counts(slot) {
                let known = self.ints.get(int).copied().flatten();
                self.assumed |= known.is_none();
                most = most.max(known.map_or(255, |[count, ..]| u64::from(count)));
            }
        }
        most
    }
}

/// Returns whether an effect changes the count of the loop in a slot, other than by counting down.
fn starts_anew(effect: Effect, slot: u8) -> bool {
    match effect {
        Effect::ShiftLoops => true,
        Effect::EnterLoop { slot: entered, .. } => entered == slot,
        _other_effects => false,
    }
}

impl Condensed {
    /// The heaviest path from any of the starts up to each block, inclusive; nothing where none
    /// leads.
    fn paths(&self, cfg: &Cfg, starts: &[Block]) -> Vec<Option<u64>> {
        let place = |block: Block| self.blocks.binary_search(&block).ok();
        let mut before = vec![None; self.nodes.len()];
        for place in starts.iter().filter_map(|&block| place(block)) {
            before[self.node[place]] = Some(0);
        }
        let mut paths = vec![None; self.blocks.len()];
        for (number, members) in self.nodes.iter().enumerate() {
            // Nothing leads back to an earlier node, so this weight is final.
            let Some(so_far) = before[number] else { continue };
            for (&block, here) in members.iter().filter_map(|block| Some((block, place(*block)?))) {
                let path = self.weights[here].saturating_add(so_far);
                paths[here] = Some(path);
                for target in cfg.blocks[block].terminator.targets().filter_map(place) {
                    let before = &mut before[self.node[target]];
                    *before = (*before).max(Some(path));
                }
            }
        }
        paths
    }

    /// The heaviest of some paths up to a block with an edge to a block that `is_asked` accepts.
    fn heaviest_before(&self, cfg: &Cfg, paths: &[Option<u64>], is_asked: impl Fn(&Block) -> bool) -> u64 {
        let leads = |block: Block| cfg.blocks[block].terminator.targets().any(|target| is_asked(&target));
        let before = self.blocks.iter().zip(paths).filter(|(block, _)| leads(**block));
        before.filter_map(|(_, path)| *path).max().unwrap_or(0)
    }
}
