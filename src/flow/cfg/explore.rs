//! Exploration of the control states of a program, which become basic blocks.
//! In: [`Program`], known uniforms. Out: [`Cfg`], or the verdict that it would be too large.
//! Knows no rule of control flow (that is [`control::step`]) and no arithmetic.
//!
//! Only states at addresses that control may jump to are interned; the words between them continue
//! a block.

use std::cell::RefCell;

pub use super::ExploreOptions;
use super::live::Live;
use super::scan::{Scan, WordKind, classify, scan};
use super::{Action, Block, BlockData, Cfg, Terminator, facts, simplify};
use crate::error::{At, Error, Kind, Result};
use crate::limits::Limits;
use crate::program::isa::control::{Effect, Outcome, State, Test};
use crate::program::isa::{Flow, Pc, Program, control};
use crate::support::entity::{Arena, Handle, Interner};

/// Result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explored {
    /// The graph.
    Graph(Cfg),
    /// More nodes than the limits allow: the program must be translated without a graph.
    TooManyNodes {
        /// Number of nodes that were allowed.
        limit: usize,
    },
}

/// Explores a program.
///
/// # Errors
/// [`Kind::BadOpcode`] at the first undefined opcode that is reached, unless the options are
/// permissive.
///
/// ```
/// use transpica::stages::cfg::explore::{Explored, ExploreOptions, explore};
/// use transpica::isa::Pc;
/// use transpica::{Program, Stage};
/// let limits = transpica::Limits::default();
/// let end = [0x8800_0000];
/// let program = Program::new(&end[..], &[][..], Pc(0), Stage::Vertex, &limits)?;
/// let Explored::Graph(cfg) = explore(&program, &ExploreOptions::default(), &limits)? else { unreachable!("one word") };
/// assert_eq!(cfg.blocks.len(), 2);
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn explore(program: &Program<'_>, options: &ExploreOptions, limits: &Limits) -> Result<Explored> {
    match straight(program, options)? {
        Some(cfg) => Ok(Explored::Graph(cfg)),
        None => Explorer::new(program, options, limits, &scan(program, options)).run(),
    }
}

/// A straight run of words: one block of the graph before simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The block.
    pub block: Block,
    /// The control state at its first word. Its rings are those at every word of the block, without
    /// dead entries.
    pub state: State,
    /// Its last word.
    pub last: Pc,
}

/// An exploration with the control states that it reached.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The graph before simplification, without the branches that earlier ones decide.
    /// Blocks without an address are helpers: parts of a step.
    pub cfg: Cfg,
    /// The reachable blocks, in the order in which they were explored.
    pub runs: Vec<Run>,
    /// True if the whole program was explored.
    pub is_complete: bool,
}

impl Exploration {
    /// Returns the simplified graph.
    pub fn graph(&self) -> Cfg {
        simplify::run(&self.cfg)
    }
}

/// Explores a program and keeps the control states. A program with too many nodes is explored
/// partly.
///
/// # Errors
/// See [`explore`].
pub fn trace(program: &Program<'_>, options: &ExploreOptions, limits: &Limits) -> Result<Exploration> {
    let scan = scan(program, options);
    let mut explorer = Explorer::new(program, options, limits, &scan);
    let mut runs = Vec::new();
    let entry = explorer.explore(&mut |run| runs.push(run))?;
    let is_complete = !explorer.is_too_large();
    let mut cfg = explorer.graph(entry);
    let reached = facts::decide(&mut cfg, program);
    runs.retain(|run: &Run| reached[run.block.index()]);
    Ok(Exploration { cfg, runs, is_complete })
}

/// The graph of a program without control-flow instructions, which needs no exploration.
fn straight(program: &Program<'_>, options: &ExploreOptions) -> Result<Option<Cfg>> {
    let mut actions = Vec::with_capacity(32);
    let mut pc = program.entry();
    while let Some(&word) = program.code().get(pc.index()) {
        match classify(word, program) {
            WordKind::Data => actions.push(Action::Run(pc)),
            WordKind::Nothing => {}
            WordKind::End => break,
            WordKind::Control => return Ok(None),
            WordKind::Undefined(opcode) => check_undefined(opcode, pc, options)?,
        }
        pc = pc.next();
    }
    let mut blocks = Arena::new();
    let exit = Block(1);
    blocks.push(BlockData {
        actions: 0..actions.len() as u32, // Range: at most one for each word.
        terminator: Terminator::Goto(exit),
        pc: Some(program.entry()),
        end: None,
    });
    blocks.push(BlockData::helper(0..0, Terminator::End));
    Ok(Some(Cfg { blocks, actions, entry: Some(Block(0)), exit: Some(exit), regions: 0 }))
}

fn check_undefined(opcode: u8, pc: Pc, options: &ExploreOptions) -> Result<()> {
    if options.permissive { Ok(()) } else { Err(Error::new(Kind::BadOpcode(opcode), At::Pc(pc.0))) }
}

/// The exit block during exploration.
const EXIT: Block = Block(0);

struct Explorer<'a> {
    program: &'a Program<'a>,
    options: &'a ExploreOptions,
    scan: &'a Scan,
    live: Live<'a>,
    /// Control states at which blocks start.
    states: Interner<State>,
    /// The block of each state.
    block_of: Vec<Block>,
    /// Blocks to explore, with the index of their state.
    work: Vec<(Block, usize)>,
    blocks: Arena<Block, BlockData>,
    actions: Vec<Action>,
    nodes: usize,
    limit: usize,
}

/// The circumstances in which a step jumps back.
#[derive(Clone, Copy)]
enum Guard {
    Always,
    /// The step jumps back if its first open question has this answer.
    If(bool),
}

/// Control flow of one step, as far as given answers decide it.
#[derive(Default)]
struct Step {
    /// The open questions, in order.
    tests: [Option<Test>; 2],
    /// Number of questions asked.
    asked: usize,
    /// The effects before the first question, between the two, and after the second.
    effects: [Effects; 3],
}

/// A few effects, in order.
#[derive(Default)]
struct Effects {
    items: [Option<Effect>; 4],
    len: u8,
}

impl Effects {
    fn push(&mut self, effect: Effect) {
        self.items[usize::from(self.len)] = Some(effect);
        self.len += 1;
    }
    fn iter(&self) -> impl Iterator<Item = Effect> {
        self.items[..usize::from(self.len)].iter().copied().flatten()
    }
}

impl<'a> Explorer<'a> {
    fn new(program: &'a Program<'a>, options: &'a ExploreOptions, limits: &Limits, scan: &'a Scan) -> Self {
        let limit =
            (limits.nodes_per_instruction as usize).saturating_mul(scan.count) + limits.nodes_base as usize;
        let mut blocks = Arena::new();
        // A control-flow instruction parts two blocks and often meets one more.
        blocks.reserve(4 + 3 * scan.flows.len());
        blocks.push(BlockData::helper(0..0, Terminator::End));
        Self {
            program,
            options,
            live: Live::new(scan, options),
            states: Interner::default(),
            block_of: Vec::with_capacity(16),
            work: Vec::with_capacity(16),
            blocks,
            actions: Vec::with_capacity(scan.count + 16),
            nodes: 0,
            limit,
            scan,
        }
    }

    fn run(mut self) -> Result<Explored> {
        let entry = self.explore(&mut |_| {})?;
        if self.is_too_large() {
            return Ok(Explored::TooManyNodes { limit: self.limit });
        }
        let program = self.program;
        Ok(Explored::Graph(facts::run(simplify::run(&self.graph(entry)), program)))
    }

    /// Explores until no work is left or there are too many nodes, and reports each block. Returns
    /// the entry block.
    fn explore(&mut self, show: &mut impl FnMut(Run)) -> Result<Block> {
        let entry = self.block_at(&mut State::new(self.program.entry()));
        while let Some((block, number)) = self.work.pop() {
            let Some(&state) = self.states.get(number) else { continue };
            let last = self.walk(block, state)?;
            show(Run { block, state, last });
            if self.is_too_large() {
                break;
            }
        }
        Ok(entry)
    }

    fn is_too_large(&self) -> bool {
        self.nodes > self.limit
    }

    /// Returns the graph before simplification.
    fn graph(self, entry: Block) -> Cfg {
        Cfg { blocks: self.blocks, actions: self.actions, entry: Some(entry), exit: Some(EXIT), regions: 0 }
    }

    /// Returns the block that starts in a state; the exit where the code ends.
    fn block_at(&mut self, state: &mut State) -> Block {
        if state.pc.index() >= self.program.code().len() {
            return EXIT;
        }
        self.live.canonicalize(state);
        let (number, new) = self.states.intern(*state);
        if new {
            let block = self.push_block(Some(state.pc));
            self.block_of.push(block);
            self.work.push((block, number));
        }
        self.block_of[number]
    }

    /// Adds an empty block.
    fn push_block(&mut self, pc: Option<Pc>) -> Block {
        self.blocks.push(BlockData { actions: 0..0, terminator: Terminator::Goto(EXIT), pc, end: None })
    }

    /// Follows a state to the next place where paths part or meet. Returns the last word before it.
    fn walk(&mut self, block: Block, mut state: State) -> Result<Pc> {
        // Range of all action indices: bounded by the node limit.
        let start = self.actions.len() as u32;
        let mut last = state.pc;
        let terminator = loop {
            let pc = state.pc;
            let kind = self.scan.words.get(pc.index()).and_then(|word| word.kind);
            // After the last word of the code there is none, and the program ends as with END.
            if kind.is_some() {
                last = pc;
            }
            match kind {
                Some(WordKind::Data) => self.actions.push(Action::Run(pc)),
                Some(WordKind::Nothing) => {}
                Some(WordKind::Undefined(opcode)) => check_undefined(opcode, pc, self.options)?,
                Some(WordKind::Control) => {
                    self.nodes += 1;
                    self.blocks[block].end = Some(pc);
                    break self.branch(block, start, Some(&self.scan.flow_at(pc)), &state);
                }
                Some(WordKind::End) | None => {
                    self.close(block, start);
                    break Terminator::Goto(EXIT);
                }
            }
            self.nodes += 1;
            let next = pc.next();
            if state.ends_at(next) {
                break self.branch(block, start, None, &state);
            }
            state.pc = next;
            // Only leaders are interned: a state in the middle of a run cannot be met from
            // elsewhere.
            if self.scan.words[next.index()].is_leader {
                self.close(block, start);
                break Terminator::Goto(self.block_at(&mut state));
            }
        };
        self.blocks[block].terminator = terminator;
        Ok(last)
    }

    /// Ends the actions of a block, which began at `start`, before others are added.
    fn close(&mut self, block: Block, start: u32) {
        self.blocks[block].actions = start..self.actions.len() as u32;
    }

    /// Executes the control part of the instruction at a state, with every answer to its questions.
    fn branch(&mut self, block: Block, start: u32, flow: Option<&Flow>, state: &State) -> Terminator {
        let mut held = *state;
        // Both runs ask the same first question, since nothing before it depends on an answer.
        let holds = self.step(flow, &mut held, [true, true]);
        self.actions.extend(holds.effects[0].iter().map(Action::Loop));
        self.close(block, start);
        let guard = flow.filter(|_| self.options.guarded).and_then(|flow| self.jump_back(flow, state.pc));
        let Some(test) = holds.tests[0] else {
            let target = self.block_at(&mut held);
            return match guard {
                Some(Guard::Always) => self.count_jump(Terminator::Goto(target)),
                Some(Guard::If(_)) | None => Terminator::Goto(target),
            };
        };
        let mut failed = *state;
        let fails = self.step(flow, &mut failed, [false, true]);
        // The block pushed last is explored first, so that code is explored in the order of its
        // addresses.
        let otherwise = self.second_test(flow, state, &fails, &mut failed, false);
        let then = self.second_test(flow, state, &holds, &mut held, true);
        match guard {
            None => Terminator::branch(test, then, otherwise),
            Some(Guard::Always) => self.count_jump(Terminator::branch(test, then, otherwise)),
            Some(Guard::If(true)) => Terminator::branch(test, self.guard_jump(then), otherwise),
            Some(Guard::If(false)) => Terminator::branch(test, then, self.guard_jump(otherwise)),
        }
    }

    /// Returns whether an instruction jumps back, and for which answer to the first open question
    /// of its step.
    fn jump_back(&self, flow: &Flow, pc: Pc) -> Option<Guard> {
        let back = flow.goes_back(pc)?;
        match flow.test().map(|test| self.options.answer(test)) {
            None => Some(Guard::Always),
            Some(Some(known)) => (known == back).then_some(Guard::Always),
            Some(None) => Some(Guard::If(back)),
        }
    }

    /// The terminator that counts a back jump and continues as `terminator`, or ends the program.
    fn count_jump(&mut self, terminator: Terminator) -> Terminator {
        let mut effects = Effects::default();
        effects.push(Effect::CountJump);
        let then = self.helper(&effects, terminator);
        Terminator::Branch { test: Test::JumpsLeft, then, otherwise: EXIT }
    }

    /// A block that counts a back jump and goes to `target`, or ends the program.
    fn guard_jump(&mut self, target: Block) -> Block {
        let terminator = self.count_jump(Terminator::Goto(target));
        self.helper(&Effects::default(), terminator)
    }

    /// Returns where a step leads once its first question is answered. `holds` and `held` are the
    /// step and its state if the second answer is true.
    fn second_test(
        &mut self,
        flow: Option<&Flow>,
        state: &State,
        holds: &Step,
        held: &mut State,
        first: bool,
    ) -> Block {
        let Some(test) = holds.tests[1] else {
            let target = self.block_at(held);
            return self.helper(&holds.effects[1], Terminator::Goto(target));
        };
        let mut failed = *state;
        let fails = self.step(flow, &mut failed, [first, false]);
        let otherwise = self.block_at(&mut failed);
        let otherwise = self.helper(&fails.effects[2], Terminator::Goto(otherwise));
        let then = self.block_at(held);
        let then = self.helper(&holds.effects[2], Terminator::Goto(then));
        self.helper(&holds.effects[1], Terminator::branch(test, then, otherwise))
    }

    /// A block with these effects and this terminator; the target itself if there is no effect.
    fn helper(&mut self, effects: &Effects, terminator: Terminator) -> Block {
        // Most steps have no effect between two questions, and need no block.
        if let Terminator::Goto(target) = terminator
            && effects.len == 0
        {
            return target;
        }
        let start = self.actions.len() as u32;
        let block = self.push_block(None);
        self.nodes += 1;
        self.actions.extend(effects.iter().map(Action::Loop));
        let end = self.actions.len() as u32;
        self.blocks[block] = BlockData::helper(start..end, terminator);
        block
    }

    /// Executes one step with given answers to its open questions; `flow` is its control-flow
    /// instruction.
    fn step(&self, flow: Option<&Flow>, state: &mut State, answers: [bool; 2]) -> Step {
        // A loop with an empty body ends in the very step that opens it.
        let int = match flow {
            Some(Flow::Loop { int, .. }) => Some(*int),
            Some(_) | None => state.loops.top().map(|entry| entry.int),
        };
        // Both closures write the log, but never at the same time.
        let log = RefCell::new(Step::default());
        let mut decide = |test| self.answer(test, int).unwrap_or_else(|| log.borrow_mut().ask(test, answers));
        let mut effect = |effect| log.borrow_mut().effect(effect);
        match flow {
            Some(flow) => {
                // END was handled before.
                let _: Outcome = control::step_flow(flow, state, &mut decide, &mut effect);
            }
            None => control::step_data(state, &mut decide, &mut effect),
        }
        log.into_inner()
    }

    /// Answers a question of a step from known uniforms; `int` counts the loop that may end.
    fn answer(&self, test: Test, int: Option<u8>) -> Option<bool> {
        match test {
            Test::Cmp(_) | Test::Bool { .. } | Test::JumpsLeft => self.options.answer(test),
            Test::LoopRepeats { .. } => {
                let [count, ..] = self.options.ints.get(usize::from(int?)).copied().flatten()?;
                (count == 0).then_some(false)
            }
        }
    }
}

impl Step {
    fn ask(&mut self, test: Test, answers: [bool; 2]) -> bool {
        self.tests[self.asked] = Some(test);
        self.asked += 1;
        answers[self.asked - 1]
    }
    fn effect(&mut self, effect: Effect) {
        self.effects[self.asked].push(effect);
    }
}
