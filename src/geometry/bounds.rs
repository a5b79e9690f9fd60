//! How many vertices and triangles an invocation emits at most.
//! In: what is known everywhere, known int uniforms. Out: [`Bounds`]. The heaviest path of the graph, where an EMIT weighs
//! 1.
//!
//! Cycles become single nodes first. One that has no EMIT weighs nothing. One that LOOP repeats is cut at the blocks that
//! count the loop down: it passes them as often as the int uniform says at most, if nothing in it starts that loop anew.
//! What is left between two cuts may again have cycles, of another loop: there are four, so this goes four levels deep.
//! Whatever else has an EMIT in it has no bound.

use super::flow::{Flow, Step};
use crate::cfg::graph::{Predecessors, components, is_cycle};
use crate::cfg::{Action, Block, Cfg};
use crate::entity::Handle;
use crate::isa::Program;
use crate::isa::control::Effect;
use crate::isa::limits::LOOP_DEPTH;

/// With int uniforms that are not known, no bound above this is given.
const MOST_ASSUMED: u64 = 4096;
/// Slots of loops.
const LOOPS: u8 = LOOP_DEPTH as u8;

/// How much one invocation emits at most; nothing where no bound is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// EMITs.
    pub emits: Option<u32>,
    /// Triangles.
    pub triangles: Option<u32>,
}

/// How much one invocation of a geometry program emits at most. Exact for programs without loops and jumps back whose paths
/// can all be taken. `ints` are the int uniforms whose value is known; a loop over another runs 256 times, as long as that
/// keeps the bound at or below 4096.
///
/// ```
/// use transpica::stages::cfg::explore::{Explored, Options, explore};
/// use transpica::stages::geometry::{Bounds, bounds};
/// use transpica::stages::isa::Pc;
/// use transpica::{Limits, Program, Stage};
/// // setemit 2, prim; emit; emit; end
/// let code = [0xAE80_0000, 0xA800_0000, 0xA800_0000, 0x8800_0000];
/// let program = Program::from_raw(&code[..], &[][..], Pc(0), Stage::Geometry)?;
/// let Explored::Graph(cfg) = explore(&program, &Options::default(), &Limits::default())? else { unreachable!() };
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

/// EMITs of a block.
fn emits(flow: &Flow<'_>, block: Block) -> u64 {
    flow.steps(block).iter().filter(|step| matches!(step, Step::Emit)).count() as u64
}

/// Triangles that a block may submit.
fn triangles(flow: &Flow<'_>, block: Block) -> u64 {
    let Some(mut state) = flow.state(block) else { return 0 };
    let mut count = 0;
    for step in flow.steps(block) {
        count += u64::from(matches!(step, Step::Emit) && state.settings.may_submit());
        state.apply(step);
    }
    count
}

/// Looks for the heaviest path.
struct Heaviest<'a> {
    flow: &'a Flow<'a>,
    predecessors: &'a Predecessors,
    ints: [Option<[u8; 3]>; 4],
    /// Of each block.
    weights: Vec<u64>,
    /// Whether an int uniform that is not known counts.
    assumed: bool,
}

/// Some blocks without their cycles: what is a cycle among them is one node.
struct Condensed {
    /// The blocks, ascending. Tables by block are in this order.
    blocks: Vec<Block>,
    /// The node of each of them.
    node: Vec<usize>,
    /// The weight of a stay in its node that ends with it.
    weights: Vec<u64>,
    /// The blocks of each node. A node stands before those that it leads to.
    nodes: Vec<Vec<Block>>,
}

impl Heaviest<'_> {
    fn cfg(&self) -> &Cfg {
        self.flow.cfg
    }

    /// Of the whole program.
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

    /// Makes each cycle among some blocks one node; nothing if one has no bound. `levels` tells how deep loops may still
    /// nest.
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

    /// What a stay in a cycle weighs at most that ends with each of its blocks.
    fn cycle(&mut self, cycle: &[Block], levels: u8) -> Option<Vec<u64>> {
        if cycle.iter().all(|block| self.weights[block.index()] == 0) {
            return Some(vec![0; cycle.len()]);
        }
        let levels = levels.checked_sub(1)?;
        // If two loops could count it, whichever is taken first: what the other counts is left among the rest.
        let cut = (0..LOOPS).find_map(|slot| Some((slot, self.cut(cycle, slot)?)));
        let (slot, cut) = cut?;
        self.counted(cycle, slot, &cut, levels)
    }

    /// The blocks of a cycle that count down the loop in a slot; nothing if there are none or that loop may start anew.
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

    /// The same if the loop in a slot counts it, in some of its blocks.
    fn counted(&mut self, cycle: &[Block], slot: u8, cut: &[Block], levels: u8) -> Option<Vec<u64>> {
        let is_cut = |block: &Block| cut.binary_search(block).is_ok();
        let rest = cycle.iter().copied().filter(|block| !is_cut(block)).collect();
        let passes = self.repeats(cut, slot);
        let inside = self.condense(rest, levels)?;
        let weight = cut.iter().map(|block| self.weights[block.index()]).max().unwrap_or(0);
        let cfg = self.cfg();
        let is_entry = |block: &&Block| {
            let from = self.predecessors.of(**block);
            cfg.entry == Some(**block) || from.iter().any(|from| cycle.binary_search(from).is_err())
        };
        let entries: Vec<Block> = cycle.iter().filter(is_entry).copied().collect();
        let heads: Vec<Block> =
            cut.iter().flat_map(|&block| cfg.blocks[block].terminator.targets()).collect();
        let first = inside.paths(cfg, &entries);
        let later = inside.paths(cfg, &heads);
        // Up to and with the last of all passes that there may be.
        let passed = (passes.checked_sub(1)).map(|between| {
            inside
                .most_before(cfg, &first, is_cut)
                .saturating_add(weight.saturating_mul(passes))
                .saturating_add(inside.most_before(cfg, &later, is_cut).saturating_mul(between))
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

    /// How often the loop in a slot repeats at most.
    fn repeats(&mut self, cut: &[Block], slot: u8) -> u64 {
        let mut most = 0;
        for &block in cut {
            // Nothing in the cycle starts the loop: what counts it is the same in the whole block.
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

/// Whether an effect changes how often the loop in a slot repeats, other than by counting down.
fn starts_anew(effect: Effect, slot: u8) -> bool {
    match effect {
        Effect::ShiftLoops => true,
        Effect::EnterLoop { slot: entered, .. } => entered == slot,
        Effect::StepLoop { .. }
        | Effect::RepeatLoop { .. }
        | Effect::RestoreCounter { .. }
        | Effect::CountJump => false,
    }
}

impl Condensed {
    /// The heaviest path from any of some blocks up to and with each block; nothing where none leads.
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

    /// The heaviest of some paths up to a block from which an edge leads to a block that is asked for.
    fn most_before(&self, cfg: &Cfg, paths: &[Option<u64>], is_asked: impl Fn(&Block) -> bool) -> u64 {
        let leads = |block: Block| cfg.blocks[block].terminator.targets().any(|target| is_asked(&target));
        let before = self.blocks.iter().zip(paths).filter(|(block, _)| leads(**block));
        before.filter_map(|(_, path)| *path).max().unwrap_or(0)
    }
}
