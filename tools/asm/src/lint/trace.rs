//! Checks of control flow in every control state of a program.
//! In: a program and its exploration. Out: findings, and the executed words. Explores nothing
//! itself.

use super::{Findings, Rule};
use crate::cfg::Cfg;
use crate::cfg::explore::{Exploration, Run};
use transpica::isa::control::State;
use transpica::isa::sizes::VERTEX_WORDS;
use transpica::isa::{Flow, Inst, Opcode, Pc};
use transpica::{Program, Stage};

/// Checks every word of an exploration; returns which are executed. `end` is the address after the
/// entry procedure.
pub(super) fn run(
    program: &Program<'_>,
    end: u32,
    trace: &Exploration,
    findings: &mut Findings,
) -> Vec<bool> {
    let mut reached = vec![false; program.code().len()];
    // An END there is as good as one in the procedure.
    let end = u16::try_from(end).ok().map(Pc).filter(|end| {
        *end > program.entry() && !matches!(program.inst(*end), None | Some(Inst::Flow(Flow::End)))
    });
    let mut checks = Checks { program, end, cfg: &trace.cfg, findings };
    let mut ends = !trace.is_complete;
    for run in &trace.runs {
        reached[run.state.pc.index()..=run.last.index()].fill(true);
        checks.words(run);
        ends |= checks.successors(run);
    }
    if !ends {
        checks.findings.add_without_place(Rule::NoEnd, "no END is ever reached");
    }
    let beyond = VERTEX_WORDS as usize;
    if program.stage() == Stage::Vertex
        && let Some(word) = (beyond..reached.len()).find(|&word| reached[word])
    {
        let message = "execution runs past the 512 words of the vertex unit";
        // Range: the code of a program is that short.
        checks.findings.add(Pc(word as u16), Rule::BeyondUnit, message);
    }
    reached
}

struct Checks<'a> {
    program: &'a Program<'a>,
    /// Address after the entry procedure, if it has more code.
    end: Option<Pc>,
    cfg: &'a Cfg,
    findings: &'a mut Findings,
}

impl Checks<'_> {
    fn is_mova(&self, pc: Pc) -> bool {
        matches!(self.program.inst(pc), Some(Inst::Mova { .. }))
    }

    /// Checks each word of a block.
    fn words(&mut self, run: &Run) {
        for pc in (run.state.pc.0..=run.last.0).map(Pc) {
            if pc != run.last {
                self.mova_pair(pc, pc.next());
                self.leaves_entry(run, pc, pc.next());
            }
            match self.program.inst(pc) {
                Some(Inst::Unassigned(opcode)) => {
                    self.findings.add(pc, Rule::Unassigned, format!("opcode {opcode:#04x} does not exist"));
                }
                Some(Inst::Flow(flow)) => self.flow(pc, &flow, &run.state),
                _computes => {}
            }
        }
    }

    /// Checks the successors of a block; returns whether the program may end there.
    fn successors(&mut self, run: &Run) -> bool {
        if matches!(self.program.inst(run.last), Some(Inst::Flow(Flow::End))) {
            return true;
        }
        let mut ends = false;
        let mut work = vec![run.block];
        while let Some(block) = work.pop() {
            for target in self.cfg.blocks[block].terminator.targets() {
                match self.cfg.blocks[target].pc {
                    Some(first) => {
                        self.mova_pair(run.last, first);
                        self.leaves_entry(run, run.last, first);
                    }
                    None if self.cfg.exit == Some(target) => {
                        let message = "execution runs past the end of the code";
                        self.findings.add(run.last, Rule::NoEnd, message);
                        ends = true;
                    }
                    // A helper: the step continues there. Each belongs to one step, so this ends.
                    None => work.push(target),
                }
            }
        }
        ends
    }

    fn mova_pair(&mut self, first: Pc, second: Pc) {
        if self.is_mova(first) && self.is_mova(second) {
            self.findings.add(second, Rule::MovaPair, "MOVA right after MOVA");
        }
    }

    /// Checks that the entry procedure does not go on into what stands after it.
    fn leaves_entry(&mut self, run: &Run, pc: Pc, next: Pc) {
        let is_behind = self.end == Some(next) && pc.next() == next;
        if is_behind && pc >= self.program.entry() && run.state.calls.is_empty() {
            let message = "execution runs past the end of the entry procedure";
            self.findings.add(pc, Rule::NoEnd, message);
        }
    }

    /// Checks a control-flow instruction in the state before it.
    fn flow(&mut self, pc: Pc, flow: &Flow, state: &State) {
        let next = pc.next();
        let opcode = self.program.code().get(pc.index()).and_then(|&word| Opcode::of_word(word));
        let name = opcode.map_or("", Opcode::mnemonic).to_uppercase();
        let ends_loop = state.loops.top().is_some_and(|entry| entry.end == next);
        match *flow {
            Flow::Nop | Flow::End => {}
            Flow::Break | Flow::BreakC(_) => {
                if state.loops.is_empty() && state.hidden_loops == 0 {
                    self.findings.add(pc, Rule::BreakOutside, format!("{name} while no loop runs"));
                } else if ends_loop {
                    self.findings.add(pc, Rule::MissingNop, format!("{name} is the last word of a loop"));
                }
                self.leaves_if(pc, state);
            }
            Flow::JmpC { .. } | Flow::JmpU { .. } => self.ends_block(pc, &name, state),
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. } => {
                self.ends_block(pc, &name, state);
                self.full(pc, state.calls.len(), state.calls.capacity(), "calls");
                self.shared(pc, target.plus(length), state.calls.entries().iter().map(|entry| entry.end));
            }
            Flow::IfU { target, .. } | Flow::IfC { target, .. } => {
                self.full(pc, state.ifs.len(), state.ifs.capacity(), "IFs");
                if target == next {
                    self.findings.add(
                        pc,
                        Rule::MissingNop,
                        format!("the first part of this {name} is empty"),
                    );
                }
                self.shared(pc, target, ends(state));
            }
            Flow::Loop { last, .. } => {
                let open = usize::from(state.hidden_loops) + state.loops.len();
                self.full(pc, open, state.loops.capacity(), "LOOPs");
                if last <= pc {
                    self.findings.add(pc, Rule::MissingNop, "this LOOP is empty");
                }
                self.shared(pc, last.next(), ends(state));
            }
        }
    }

    /// Checks that a BREAK does not leave an IF on its ring above one with an else part, which then
    /// does not end where its first part does.
    fn leaves_if(&mut self, pc: Pc, state: &State) {
        let Some(innermost) = state.loops.top() else { return };
        let is_left = |end: Pc| innermost.start < end && end <= innermost.end && pc < end;
        let ifs = state.ifs.entries();
        let outer = ifs.iter().rposition(|entry| !is_left(entry.end)).map_or(0, |last| last + 1);
        let with_else = ifs[..outer].iter().rev().find(|entry| entry.join != entry.end);
        if let (true, Some(entry)) = (outer < ifs.len(), with_else) {
            let message = format!(
                "this leaves an IF open, so that the else part at word {:#x} runs after the first part",
                entry.end.0
            );
            self.findings.add(pc, Rule::BreakInIf, message);
        }
    }

    fn ends_block(&mut self, pc: Pc, name: &str, state: &State) {
        if state.ends_at(pc.next()) {
            self.findings.add(pc, Rule::MissingNop, format!("{name} is the last word of a block"));
        }
    }

    fn full(&mut self, pc: Pc, open: usize, most: usize, what: &str) {
        if open >= most {
            self.findings.add(pc, Rule::Nesting, format!("more than {most} nested {what}"));
        }
    }

    fn shared(&mut self, pc: Pc, end: Pc, mut others: impl Iterator<Item = Pc>) {
        if others.any(|other| other == end) {
            let message =
                format!("what begins here ends at word {:#x}, where an enclosing block ends", end.0);
            self.findings.add(pc, Rule::MissingNop, message);
        }
    }
}

/// The ends of the open scopes of all kinds.
fn ends(state: &State) -> impl Iterator<Item = Pc> {
    let calls = state.calls.entries().iter().map(|entry| entry.end);
    let ifs = state.ifs.entries().iter().map(|entry| entry.end);
    calls.chain(ifs).chain(state.loops.entries().iter().map(|entry| entry.end))
}
