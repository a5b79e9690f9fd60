//! Explores the control states of a program and merges them to basic blocks.
//! In: [`Program`], known uniforms. Out: [`Cfg`], or the news that it would be too large.
//! Knows no rule of control flow (that is [`control::step`]) and no arithmetic.
//!
//! Only states at addresses to which something may jump get a number; the words between run on in one block.

use std::cell::RefCell;

use super::live::Live;
use super::scan::{Scan, has_effect, scan};
use super::states::States;
use super::{Action, Block, BlockData, Cfg, Terminator, simplify};
use crate::entity::Arena;
use crate::error::{At, Error, Kind, Result};
use crate::isa::control::{self, Effect, Outcome, State, Test};
use crate::isa::{Flow, Inst, Pc, Program};
use crate::limits::Limits;

/// What the exploration may take for granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The bool uniforms whose value is known, b0 in bit 0.
    pub known_bools: u16,
    /// Their values; bits of unknown ones mean nothing.
    pub bools: u16,
    /// The int uniforms whose value is known. A loop with x = 0 loses its back edge.
    pub ints: [Option<[u8; 3]>; 4],
    /// Whether undefined opcodes count as NOP instead of being an error.
    pub lenient: bool,
}

impl Options {
    /// The answer to a test of a uniform, if it is known.
    pub(super) fn answer(&self, test: Test) -> Option<bool> {
        match test {
            Test::Bool { id, expected } => {
                let id = id & 15;
                (self.known_bools >> id & 1 != 0).then_some((self.bools >> id & 1 != 0) == expected)
            }
            Test::Cmp(_) | Test::LoopRepeats { .. } => None,
        }
    }
}

/// What came of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explored {
    /// The graph.
    Graph(Cfg),
    /// More nodes than the limits allow: the program must be translated without a graph.
    TooManyNodes {
        /// How many nodes were allowed.
        limit: usize,
    },
}

/// Explores a program.
///
/// # Errors
/// [`Kind::BadOpcode`] at the first undefined opcode that is reached, unless the options are lenient.
///
/// ```
/// use transpica::cfg::explore::{Explored, Options, explore};
/// use transpica::isa::{Pc, Program, Stage};
/// let limits = transpica::limits::Limits::default();
/// let end = [0x8800_0000];
/// let program = Program::new(&end[..], &[][..], Pc(0), Stage::Vertex, &limits)?;
/// let Explored::Graph(cfg) = explore(&program, &Options::default(), &limits)? else { unreachable!("one word") };
/// assert_eq!(cfg.blocks.len(), 2);
/// # Ok::<(), transpica::error::Error>(())
/// ```
pub fn explore(program: &Program<'_>, options: &Options, limits: &Limits) -> Result<Explored> {
    match straight(program, options)? {
        Some(cfg) => Ok(Explored::Graph(cfg)),
        None => Explorer::new(program, options, limits).run(),
    }
}

/// The graph of a program that never steers.
fn straight(program: &Program<'_>, options: &Options) -> Result<Option<Cfg>> {
    let mut actions = Vec::with_capacity(32);
    let mut pc = program.entry();
    while let Some(inst) = program.inst(pc) {
        match inst {
            Inst::Flow(Flow::End) => break,
            Inst::Flow(Flow::Nop) => {}
            Inst::Flow(_) => return Ok(None),
            Inst::Unassigned(opcode) => undefined(opcode, pc, options)?,
            Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } | Inst::Emit | Inst::SetEmit { .. } => {
                if has_effect(&inst, program.stage()) {
                    actions.push(Action::Run(pc));
                }
            }
        }
        pc = pc.next();
    }
    let mut blocks = Arena::new();
    let exit = Block(1);
    blocks.push(BlockData {
        actions: 0..actions.len() as u32, // Range: at most one for each word.
        terminator: Terminator::Goto(exit),
        pc: Some(program.entry()),
    });
    blocks.push(BlockData { actions: 0..0, terminator: Terminator::End, pc: None });
    Ok(Some(Cfg { blocks, actions, entry: Some(Block(0)), exit: Some(exit), regions: 0 }))
}

fn undefined(opcode: u8, pc: Pc, options: &Options) -> Result<()> {
    if options.lenient { Ok(()) } else { Err(Error::new(Kind::BadOpcode(opcode), At::Pc(pc.0))) }
}

/// The exit block while exploring.
const EXIT: Block = Block(0);

struct Explorer<'a> {
    program: &'a Program<'a>,
    options: &'a Options,
    scan: Scan,
    live: Live,
    states: States,
    /// The block of each state.
    block_of: Vec<Block>,
    /// Blocks that wait to be walked, with their state.
    work: Vec<(Block, usize)>,
    blocks: Arena<Block, BlockData>,
    actions: Vec<Action>,
    nodes: usize,
    limit: usize,
}

/// The tests and effects of one step, as far as given answers decide it.
struct Step {
    /// Where it ends: none at the end of the program.
    state: Option<State>,
    /// The open questions, in order.
    tests: [Option<Test>; 2],
    /// The effects before the first, between both, and after the second question.
    effects: [Effects; 3],
}

/// A few effects in order.
#[derive(Default)]
struct Effects {
    items: [Option<Effect>; 4],
    len: usize,
}

impl Effects {
    fn push(&mut self, effect: Effect) {
        self.items[self.len] = Some(effect);
        self.len += 1;
    }
    fn iter(&self) -> impl Iterator<Item = Effect> {
        self.items.into_iter().flatten()
    }
}

impl<'a> Explorer<'a> {
    fn new(program: &'a Program<'a>, options: &'a Options, limits: &Limits) -> Self {
        let scan = scan(program, options);
        let limit =
            (limits.nodes_per_instruction as usize).saturating_mul(scan.count) + limits.nodes_base as usize;
        let mut blocks = Arena::new();
        blocks.push(BlockData { actions: 0..0, terminator: Terminator::End, pc: None });
        Self {
            program,
            options,
            live: Live::default(),
            states: States::new(),
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
        let entry = self.block_at(Some(State::at(self.program.entry())));
        while let Some((block, state)) = self.work.pop() {
            self.walk(block, *self.states.get(state))?;
            if self.nodes > self.limit {
                return Ok(Explored::TooManyNodes { limit: self.limit });
            }
        }
        let raw = Cfg {
            blocks: self.blocks,
            actions: self.actions,
            entry: Some(entry),
            exit: Some(EXIT),
            regions: 0,
        };
        Ok(Explored::Graph(simplify::run(&raw)))
    }

    /// The block that starts in a state; the exit where there is none or the code ends.
    fn block_at(&mut self, state: Option<State>) -> Block {
        let Some(mut state) = state.filter(|state| state.pc.index() < self.program.code().len()) else {
            return EXIT;
        };
        self.live.canonicalise(&mut state, &self.scan, self.options);
        let (number, new) = self.states.number(&state);
        if new {
            let block = self.push_block(Some(state.pc));
            self.block_of.push(block);
            self.work.push((block, number));
        }
        self.block_of[number]
    }

    /// A block that is still to be filled.
    fn push_block(&mut self, pc: Option<Pc>) -> Block {
        self.blocks.push(BlockData { actions: 0..0, terminator: Terminator::Goto(EXIT), pc })
    }

    /// Follows a state to the next place where paths part or meet.
    fn walk(&mut self, block: Block, mut state: State) -> Result<()> {
        // Range of all action indices: bounded by the node limit.
        let start = self.actions.len() as u32;
        let terminator = loop {
            let pc = state.pc;
            let Some(&word) = self.scan.words.get(pc.index()).filter(|word| word.reached()) else {
                break self.close(block, start, |_| Terminator::Goto(EXIT));
            };
            self.nodes += 1;
            if word.runs() {
                self.actions.push(Action::Run(pc));
            } else if word.undefined()
                && let Some(Inst::Unassigned(opcode)) = self.program.inst(pc)
            {
                undefined(opcode, pc, self.options)?;
            }
            let next = pc.next();
            if word.steers() || state.ends_at(next) {
                break self.branch(block, start, &state);
            }
            state.pc = next;
            if self.scan.words[next.index()].leads() {
                break self.close(block, start, |it| Terminator::Goto(it.block_at(Some(state))));
            }
        };
        self.blocks[block].terminator = terminator;
        Ok(())
    }

    /// Ends the actions of a block, which began at `start`, before others are added, then finds its terminator.
    fn close(
        &mut self,
        block: Block,
        start: u32,
        terminator: impl FnOnce(&mut Self) -> Terminator,
    ) -> Terminator {
        self.blocks[block].actions = start..self.actions.len() as u32;
        terminator(self)
    }

    /// Executes the control part of the instruction at a state with all answers to its questions.
    fn branch(&mut self, block: Block, start: u32, state: &State) -> Terminator {
        let Some(inst) = self.program.inst(state.pc) else {
            return self.close(block, start, |_| Terminator::Goto(EXIT));
        };
        let holds = self.step(&inst, state, [true, true]);
        self.actions.extend(holds.effects[0].iter().map(Action::Loop));
        self.close(block, start, |it| {
            let Some(test) = holds.tests[0] else { return Terminator::Goto(it.block_at(holds.state)) };
            let fails = it.step(&inst, state, [false, true]);
            let otherwise = it.second_question(&inst, state, fails, false);
            let then = it.second_question(&inst, state, holds, true);
            branch_to(test, then, otherwise)
        })
    }

    /// Where a step leads once its first question is answered; `holds` is how it goes if the second is answered with true.
    fn second_question(&mut self, inst: &Inst, state: &State, holds: Step, first: bool) -> Block {
        let Some(test) = holds.tests[1] else {
            let target = self.block_at(holds.state);
            return self.helper(&holds.effects[1], Terminator::Goto(target));
        };
        let fails = self.step(inst, state, [first, false]);
        let otherwise = self.block_at(fails.state);
        let otherwise = self.helper(&fails.effects[2], Terminator::Goto(otherwise));
        let then = self.block_at(holds.state);
        let then = self.helper(&holds.effects[2], Terminator::Goto(then));
        self.helper(&holds.effects[1], branch_to(test, then, otherwise))
    }

    /// A block with these effects and this end; the target itself where nothing is to be done on the way.
    fn helper(&mut self, effects: &Effects, terminator: Terminator) -> Block {
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
        self.blocks[block] = BlockData { actions: start..end, terminator, pc: None };
        block
    }

    /// One step with given answers to its open questions.
    fn step(&self, inst: &Inst, state: &State, answers: [bool; 2]) -> Step {
        let mut after = *state;
        let log = RefCell::new(Step { state: None, tests: [None; 2], effects: Default::default() });
        let outcome = control::step(
            inst,
            &mut after,
            &mut |test| self.answer(test, inst, state).unwrap_or_else(|| log.borrow_mut().ask(test, answers)),
            &mut |effect| log.borrow_mut().effect(effect),
        );
        let mut step = log.into_inner();
        step.state = match outcome {
            Outcome::Continue => Some(after),
            Outcome::End => None,
        };
        step
    }

    /// The answer to a question of a step, if known uniforms give it.
    fn answer(&self, test: Test, inst: &Inst, before: &State) -> Option<bool> {
        match test {
            Test::Cmp(_) | Test::Bool { .. } => self.options.answer(test),
            Test::LoopRepeats { .. } => {
                let int = match inst {
                    // A loop whose body is empty ends in the very step that opens it.
                    Inst::Flow(Flow::Loop { int, .. }) => *int,
                    Inst::Flow(_)
                    | Inst::Data { .. }
                    | Inst::Mova { .. }
                    | Inst::Cmp { .. }
                    | Inst::Emit
                    | Inst::SetEmit { .. }
                    | Inst::Unassigned(_) => before.loops.top()?.int,
                };
                let [count, ..] = self.options.ints.get(usize::from(int)).copied().flatten()?;
                (count == 0).then_some(false)
            }
        }
    }
}

impl Step {
    fn asked(&self) -> usize {
        self.tests.iter().flatten().count()
    }
    fn ask(&mut self, test: Test, answers: [bool; 2]) -> bool {
        let index = self.asked();
        self.tests[index] = Some(test);
        answers[index]
    }
    fn effect(&mut self, effect: Effect) {
        let index = self.asked();
        self.effects[index].push(effect);
    }
}

fn branch_to(test: Test, then: Block, otherwise: Block) -> Terminator {
    if then == otherwise { Terminator::Goto(then) } else { Terminator::Branch { test, then, otherwise } }
}
