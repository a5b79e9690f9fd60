//! One look at every word that execution might reach, before contexts are told apart.
//! In: [`Program`], known uniforms. Out: what each word is, where blocks may start, which scopes there are.
//! Knows no stacks: whatever some stack might allow counts as reachable.

use super::explore::Options;
use crate::isa::control::Test;
use crate::isa::table::{Class, Opcode};
use crate::isa::word::{Field, Format};
use crate::isa::{Flow, Inst, Mask, Move, Pc, Program, Stage};

/// The kinds of scopes, one for each stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Call,
    If,
    Loop,
}

/// What is known about one word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    flags: u8,
    /// One more than the lowest first word of the callees that end before this word, or 0.
    call_start: u16,
    /// The lowest first word of the then-parts that end before this word, or 0.
    if_start: u16,
    /// Where in [`Scan::flows`] it stands, if it steers.
    flow: u16,
}

const VISITED: u8 = 1;
const RUN: u8 = 2;
const FLOW: u8 = 4;
const UNDEFINED: u8 = 8;
const LEADER: u8 = 16;
const END: u8 = 32;

impl Word {
    /// Whether the instruction does something to registers other than the stacks.
    pub(super) fn runs(self) -> bool {
        self.flags & RUN != 0
    }
    /// Whether it steers.
    pub(super) fn steers(self) -> bool {
        self.flags & FLOW != 0
    }
    /// Whether its opcode is undefined.
    pub(super) fn undefined(self) -> bool {
        self.flags & UNDEFINED != 0
    }
    /// Whether it may be reached.
    pub(super) fn reached(self) -> bool {
        self.flags & VISITED != 0
    }
    /// Whether it may be reached and does not end the program.
    pub(super) fn goes_on(self) -> bool {
        self.flags & (VISITED | END) == VISITED
    }
    /// Whether control may come here otherwise than from the word before.
    pub(super) fn leads(self) -> bool {
        self.flags & LEADER != 0
    }
}

/// The result of the look.
pub(super) struct Scan {
    /// All words of the code and one more.
    pub(super) words: Vec<Word>,
    /// The instructions that steer, in the order in which they were met.
    pub(super) flows: Vec<(Pc, Flow)>,
    /// How many words may be reached.
    pub(super) count: usize,
    /// One past the last of them: a scope that ends beyond never does.
    end: Pc,
}

/// Looks at everything that may be reached from the entry point.
pub(super) fn scan(program: &Program<'_>, options: &Options) -> Scan {
    let words = vec![Word::default(); program.code().len() + 1];
    let mut scan = Scan { words, flows: Vec::with_capacity(16), count: 0, end: Pc(0) };
    let mut work = vec![program.entry()];
    while let Some(start) = work.pop() {
        let mut pc = start;
        while let Some(&word) = program.code().get(pc.index())
            && !scan.words[pc.index()].reached()
        {
            scan.count += 1;
            scan.end = scan.end.max(pc.next());
            let what = what(word, program);
            scan.words[pc.index()].flags |= VISITED | what.flags();
            match what {
                What::Runs | What::Nothing | What::Undefined(_) => {}
                What::Ends => break,
                What::Steers => {
                    if let Some(Inst::Flow(flow)) = program.inst(pc) {
                        scan.steer(pc, flow, options, &mut work);
                    }
                }
            }
            pc = pc.next();
        }
    }
    scan
}

/// What a word does, as far as the exploration cares.
pub(super) enum What {
    /// Changes a register.
    Runs,
    /// Has no effect.
    Nothing,
    /// Ends the program.
    Ends,
    /// Steers otherwise.
    Steers,
    /// Has this undefined opcode.
    Undefined(u8),
}

impl What {
    fn flags(&self) -> u8 {
        match self {
            Self::Runs => RUN,
            Self::Nothing => 0,
            Self::Ends => FLOW | END,
            Self::Steers => FLOW,
            Self::Undefined(_) => UNDEFINED,
        }
    }
}

/// What a word does. Decoding it whole would take several times as long, and only words that steer need it.
pub(super) fn what(word: u32, program: &Program<'_>) -> What {
    let effect = |is: bool| if is { What::Runs } else { What::Nothing };
    // Range: six bits.
    let Some(opcode) = Opcode::of_word(word) else { return What::Undefined((word >> 26) as u8) };
    let info = opcode.info();
    match info.class {
        Class::Data(_) => effect(info.writes_flags || !mask(info.format, word, program).is_empty()),
        Class::Address => effect(mask(info.format, word, program).0 & 3 != 0),
        Class::Compare => What::Runs,
        Class::Emit | Class::SetEmit => effect(program.stage() == Stage::Geometry),
        Class::Control(op) => match op.moves() {
            Move::Next => What::Nothing,
            Move::End => What::Ends,
            Move::Break | Move::Call | Move::If | Move::Loop | Move::Jump => What::Steers,
        },
    }
}

/// The components that an instruction writes.
fn mask(format: Format, word: u32, program: &Program<'_>) -> Mask {
    let index = format.field(Field::Descriptor, word) as usize;
    Mask::from_descriptor(program.descriptors().get(index).copied().unwrap_or(0))
}

/// Which answers a test of the program's own state may get: (holds, fails).
pub(super) fn answers(test: Option<Test>, options: &Options) -> (bool, bool) {
    match test.map(|test| (test, options.answer(test))) {
        None | Some((_, Some(true))) => (true, false),
        Some((_, Some(false))) => (false, true),
        Some((_, None)) => (true, true),
    }
}

impl Scan {
    /// Notes where an instruction may lead and which scope it opens.
    fn steer(&mut self, pc: Pc, flow: Flow, options: &Options, work: &mut Vec<Pc>) {
        // Range: at most one for each word.
        self.words[pc.index()].flow = self.flows.len() as u16;
        self.flows.push((pc, flow));
        self.lead(pc.next());
        let (holds, fails) = answers(flow.test(), options);
        match flow {
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. } => {
                if holds {
                    let end = target.plus(length);
                    self.lead(target);
                    self.lead(end);
                    work.push(target);
                    if let Some(word) = self.words.get_mut(end.index()) {
                        word.call_start = at_most(word.call_start, target.0 + 1);
                    }
                }
            }
            Flow::IfU { target, length, .. } | Flow::IfC { target, length, .. } => {
                self.lead(target);
                if fails {
                    work.push(target);
                }
                if holds {
                    let join = target.plus(length);
                    self.lead(join);
                    work.push(join);
                    if let Some(word) = self.words.get_mut(target.index()) {
                        word.if_start = at_most(word.if_start, pc.next().0);
                    }
                }
            }
            Flow::Loop { last, .. } => {
                self.lead(last.next());
                work.push(last.next());
            }
            Flow::JmpC { target, .. } | Flow::JmpU { target, .. } => {
                if holds {
                    self.lead(target);
                    work.push(target);
                }
            }
            Flow::Nop | Flow::End | Flow::Break | Flow::BreakC(_) => {}
        }
    }

    /// The instruction at a word that steers and does not end the program.
    pub(super) fn flow(&self, word: Word) -> Flow {
        self.flows[usize::from(word.flow)].1
    }

    fn lead(&mut self, pc: Pc) {
        if let Some(word) = self.words.get_mut(pc.index()) {
            word.flags |= LEADER;
        }
    }

    /// The first word of the scopes of this kind that end at `end` (of the lowest, if there are several).
    pub(super) fn scope_start(&self, kind: Kind, end: Pc) -> Option<Pc> {
        if end > self.end {
            return None;
        }
        let word = self.words.get(end.index())?;
        match kind {
            Kind::Call => word.call_start.checked_sub(1).map(Pc),
            Kind::If => (word.if_start != 0).then_some(Pc(word.if_start)),
            Kind::Loop => None,
        }
    }
}

/// The lower of two starts, where 0 stands for none.
fn at_most(old: u16, new: u16) -> u16 {
    if old == 0 { new } else { old.min(new) }
}
