//! A context-insensitive scan of all words that execution may reach.
//! In: [`Program`], known uniforms. Out: the kind of each word, where blocks may start, the scopes.
//! Knows no rings: a word counts as reachable if some content of the rings leads to it.

use super::ExploreOptions;
use crate::program::isa::control::{ScopeKind, Test};
use crate::program::isa::table::{Class, Shape};
use crate::program::isa::word::{Field, Format};
use crate::program::isa::{Flow, Inst, Mask, Move, Pc, Program, Stage};

/// The kind of a word, as far as the exploration distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// Changes a register other than the rings.
    Data,
    /// Has no effect.
    Nothing,
    /// Ends the program.
    End,
    /// Any other control-flow instruction.
    Control,
    /// Has this undefined opcode.
    Undefined(u8),
}

/// Facts about one word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    /// Its kind, if it may be reached.
    pub(super) kind: Option<WordKind>,
    /// True if control may come here otherwise than from the word before.
    pub(super) is_leader: bool,
    /// One more than the lowest first word of the callees, and of the then-parts, that end before
    /// this word, or 0.
    starts: [u16; 2],
    /// Index in [`Scan::flows`] of a control-flow instruction.
    flow: u16,
}

impl Word {
    /// Returns whether the next word always follows, unless a scope ends before it.
    pub(super) fn always_falls_through(self) -> bool {
        matches!(self.kind, Some(WordKind::Data | WordKind::Nothing | WordKind::Undefined(_)))
    }
}

/// The result of the scan.
pub(super) struct Scan {
    /// The words of the code, and one more.
    pub(super) words: Vec<Word>,
    /// The control-flow instructions but END and NOP, in the order in which they were met.
    pub(super) flows: Vec<(Pc, Flow)>,
    /// Number of words that may be reached.
    pub(super) count: usize,
    /// One past the last of them: a scope that ends beyond never does.
    end: Pc,
}

/// Scans everything that may be reached from the entry point.
pub(super) fn scan(program: &Program<'_>, options: &ExploreOptions) -> Scan {
    let words = vec![Word::default(); program.code().len() + 1];
    let mut scan = Scan { words, flows: Vec::with_capacity(16), count: 0, end: Pc(0) };
    let mut work = vec![program.entry()];
    while let Some(start) = work.pop() {
        let mut pc = start;
        while let Some(&word) = program.code().get(pc.index())
            && scan.words[pc.index()].kind.is_none()
        {
            scan.count += 1;
            scan.end = scan.end.max(pc.next());
            let kind = classify(word, program);
            scan.words[pc.index()].kind = Some(kind);
            match kind {
                WordKind::Data | WordKind::Nothing | WordKind::Undefined(_) => {}
                WordKind::End => break,
                WordKind::Control => {
                    if let Some(Inst::Flow(flow)) = program.inst(pc) {
                        scan.flow(pc, flow, options, &mut work);
                    }
                }
            }
            pc = pc.next();
        }
    }
    scan
}

/// Classifies a word. Decoding it completely would take several times as long, and only
/// control-flow instructions need it.
pub(super) fn classify(word: u32, program: &Program<'_>) -> WordKind {
    let effect = |is: bool| if is { WordKind::Data } else { WordKind::Nothing };
    // Range: six bits.
    let Some(Shape { class, format, .. }) = Shape::of_word(word) else {
        return WordKind::Undefined((word >> 26) as u8);
    };
    match class {
        Class::Data(op) => effect(!mask(format, word, program).is_empty() || op.writes_flags()),
        Class::Address => effect(mask(format, word, program).0 & 3 != 0),
        Class::Compare => WordKind::Data,
        Class::Emit | Class::SetEmit => effect(program.stage() == Stage::Geometry),
        Class::Control(op) => match op.moves() {
            Move::Next => WordKind::Nothing,
            Move::End => WordKind::End,
            Move::Break | Move::Call | Move::If | Move::Loop | Move::Jump => WordKind::Control,
        },
    }
}

/// The components that an instruction writes.
fn mask(format: Format, word: u32, program: &Program<'_>) -> Mask {
    let index = format.field(Field::Descriptor, word) as usize;
    Mask::from_descriptor(program.descriptors().get(index).copied().unwrap_or(0))
}

/// The possible answers to a test of the program's own state: (holds, fails).
pub(super) fn answers(test: Option<Test>, options: &ExploreOptions) -> (bool, bool) {
    match test.map(|test| options.answer(test)) {
        None | Some(Some(true)) => (true, false),
        Some(Some(false)) => (false, true),
        Some(None) => (true, true),
    }
}

impl Scan {
    /// Notes where an instruction may lead and the scope that it opens.
    fn flow(&mut self, pc: Pc, flow: Flow, options: &ExploreOptions, work: &mut Vec<Pc>) {
        // Range: at most one for each word.
        self.words[pc.index()].flow = self.flows.len() as u16;
        self.flows.push((pc, flow));
        self.lead(pc.next());
        let (holds, fails) = answers(flow.test(), options);
        if holds {
            self.visit(pc, flow.target_if_true(pc), work);
            if let Some(scope) = flow.scope(pc) {
                self.lead(scope.end);
                self.visit(pc, scope.exit, work);
                let word = self.words.get_mut(scope.end.index());
                // Several scopes may end at one address; the lowest start is the safe one.
                if let Some(start) = word.and_then(|word| word.starts.get_mut(scope.kind as usize)) {
                    let new = scope.start.0 + 1;
                    *start = if *start == 0 { new } else { new.min(*start) };
                }
            }
        }
        if fails {
            self.visit(pc, flow.target_if_false(pc), work);
        }
    }

    /// Notes that control may go from `pc` to a target.
    fn visit(&mut self, pc: Pc, target: Pc, work: &mut Vec<Pc>) {
        // The scan itself continues at the next word, which is a leader already.
        if target != pc.next() {
            self.lead(target);
            work.push(target);
        }
    }

    /// The control-flow instruction at a word of that kind.
    pub(super) fn flow_at(&self, pc: Pc) -> Flow {
        self.flows[usize::from(self.words[pc.index()].flow)].1
    }

    /// Returns whether a word may leave a loop.
    pub(super) fn is_break(&self, pc: Pc) -> bool {
        let kind = self.words.get(pc.index()).and_then(|word| word.kind);
        kind == Some(WordKind::Control) && matches!(self.flow_at(pc), Flow::Break | Flow::BreakC(_))
    }

    /// Returns whether an address may be reached and does not end the program.
    pub(super) fn continues(&self, pc: Pc) -> bool {
        let kind = self.words.get(pc.index()).and_then(|word| word.kind);
        kind.is_some_and(|kind| kind != WordKind::End)
    }

    fn lead(&mut self, pc: Pc) {
        if let Some(word) = self.words.get_mut(pc.index()) {
            word.is_leader = true;
        }
    }

    /// The first word of the CALLs or IFs that end at `end` (of the lowest, if there are several).
    pub(super) fn scope_start(&self, kind: ScopeKind, end: Pc) -> Option<Pc> {
        // What ends beyond the last reachable word never ends.
        let word = self.words.get(end.index()).filter(|_| end <= self.end)?;
        word.starts.get(kind as usize)?.checked_sub(1).map(Pc)
    }
}
