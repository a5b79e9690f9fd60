//! Runs the control-flow model with every answer and reports what hardware does not tolerate on the way.
//! In: a program. Out: findings, and which words are executed. A bool uniform keeps the answer it gave last, so that
//! `jmpu b15, there; jmpu !b15, there` is the plain jump it is meant as.

use std::collections::HashSet;

use super::{Findings, Rule};
use crate::isa::control::{self, Outcome, State, Test};
use crate::isa::limits::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH, VERTEX_WORDS};
use crate::isa::{Flow, Inst, Pc, Program, Stage};

/// How many states are looked at.
const MOST_STATES: usize = 1 << 15;

/// A place of the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    state: State,
    /// Whether the instruction before was MOVA.
    after_mova: bool,
    /// The bool uniform that was asked last, and its value.
    known: Option<(u8, bool)>,
}

struct Trace<'a> {
    program: &'a Program<'a>,
    seen: HashSet<Place>,
    work: Vec<Place>,
    reached: Vec<bool>,
    ends: bool,
    /// Whether words that the unit cannot hold were reported.
    beyond: bool,
    findings: &'a mut Findings,
}

/// Searches; says which words can be executed.
pub(super) fn run(program: &Program<'_>, findings: &mut Findings) -> Vec<bool> {
    let mut trace = Trace {
        program,
        seen: HashSet::new(),
        work: Vec::new(),
        reached: vec![false; program.code().len()],
        ends: false,
        beyond: false,
        findings,
    };
    trace.add(Place { state: State::at(program.entry()), after_mova: false, known: None });
    while let Some(place) = trace.work.pop() {
        trace.visit(place);
    }
    if !trace.ends {
        trace.findings.whole(Rule::NoEnd, "no END is ever reached");
    }
    trace.reached
}

impl Trace<'_> {
    fn add(&mut self, place: Place) {
        // Beyond the budget nothing new is looked at, and nothing can be said about an END.
        if self.seen.len() >= MOST_STATES {
            self.ends = true;
        } else if self.seen.insert(place) {
            self.work.push(place);
        }
    }

    fn visit(&mut self, place: Place) {
        let pc = place.state.pc;
        let Some(inst) = self.program.inst(pc) else { return };
        self.reached[pc.index()] = true;
        if self.program.stage() == Stage::Vertex && u32::from(pc.0) >= VERTEX_WORDS && !self.beyond {
            self.beyond = true;
            self.findings.at(
                pc,
                Rule::BeyondUnit,
                "the program goes on behind the 512 words of the vertex unit",
            );
        }
        match inst {
            Inst::Mova { .. } if place.after_mova => {
                self.findings.at(pc, Rule::MovaPair, "MOVA right after MOVA");
            }
            Inst::Unassigned(opcode) => {
                self.findings.at(pc, Rule::Unassigned, format!("opcode {opcode:#04x} does not exist"));
            }
            Inst::Flow(flow) => self.flow(pc, &flow, &place.state),
            Inst::Mova { .. } | Inst::Data { .. } | Inst::Cmp { .. } | Inst::Emit | Inst::SetEmit { .. } => {}
        }
        // At most two questions a step, and a path for each combination of answers.
        for answers in 0..4u8 {
            self.step(place, &inst, answers);
        }
    }

    /// Takes one step with the given answers, the first in bit 0.
    fn step(&mut self, place: Place, inst: &Inst, answers: u8) {
        let mut next = Place { after_mova: matches!(inst, Inst::Mova { .. }), ..place };
        let mut rest = answers;
        let mut known = place.known;
        let mut contradicts = false;
        let mut decide = |test: Test| {
            let answer = rest & 1 != 0;
            rest >>= 1;
            if let Test::Bool { id, expected } = test {
                let value = answer == expected;
                contradicts |= known.is_some_and(|(asked, was)| asked == id && was != value);
                known = Some((id, value));
            }
            answer
        };
        let outcome = control::step(inst, &mut next.state, &mut decide, &mut |_| {});
        // Answers to questions that were not asked are the same path again.
        if contradicts || rest != 0 {
            return;
        }
        next.known = known;
        if outcome == Outcome::End {
            self.ends = true;
        } else if next.state.pc.index() >= self.program.code().len() {
            let message = "the program goes on behind the end of its code";
            self.findings.at(place.state.pc, Rule::NoEnd, message);
            self.ends = true;
        } else {
            self.add(next);
        }
    }

    /// Looks at an instruction that steers, in the state before it.
    fn flow(&mut self, pc: Pc, flow: &Flow, state: &State) {
        let next = pc.next();
        let name = name(flow);
        let ends_loop = state.loops.top().is_some_and(|entry| entry.end == next);
        match *flow {
            Flow::Nop | Flow::End => {}
            Flow::Break | Flow::BreakC(_) => {
                if state.loops.is_empty() {
                    self.findings.at(pc, Rule::BreakOutside, format!("{name} while no loop runs"));
                } else if ends_loop {
                    self.findings.at(pc, Rule::MissingNop, format!("{name} is the last word of a loop"));
                }
            }
            Flow::JmpC { .. } | Flow::JmpU { .. } => self.ends_block(pc, name, state),
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. } => {
                self.ends_block(pc, name, state);
                self.full(pc, state.calls.len(), CALL_DEPTH, "calls");
                self.shared(pc, target.plus(length), state.calls.entries().iter().map(|entry| entry.end));
            }
            Flow::IfU { target, .. } | Flow::IfC { target, .. } => {
                self.full(pc, state.ifs.len(), IF_DEPTH, "IFs");
                if target == next {
                    self.findings.at(pc, Rule::MissingNop, format!("the first part of this {name} is empty"));
                }
                self.shared(pc, target, ends(state));
            }
            Flow::Loop { last, .. } => {
                self.full(pc, state.loops.len(), LOOP_DEPTH, "LOOPs");
                if last <= pc {
                    self.findings.at(pc, Rule::MissingNop, "this LOOP is empty");
                }
                self.shared(pc, last.next(), ends(state));
            }
        }
    }

    fn ends_block(&mut self, pc: Pc, name: &str, state: &State) {
        if state.ends_at(pc.next()) {
            self.findings.at(pc, Rule::MissingNop, format!("{name} is the last word of a block"));
        }
    }

    fn full(&mut self, pc: Pc, open: usize, most: usize, what: &str) {
        if open >= most {
            self.findings.at(pc, Rule::Nesting, format!("more than {most} nested {what}"));
        }
    }

    fn shared(&mut self, pc: Pc, end: Pc, mut others: impl Iterator<Item = Pc>) {
        if others.any(|other| other == end) {
            let message =
                format!("what begins here ends at word {:#x}, where something around it ends", end.0);
            self.findings.at(pc, Rule::MissingNop, message);
        }
    }
}

/// Where the open scopes of all kinds end.
fn ends(state: &State) -> impl Iterator<Item = Pc> {
    let calls = state.calls.entries().iter().map(|entry| entry.end);
    let ifs = state.ifs.entries().iter().map(|entry| entry.end);
    calls.chain(ifs).chain(state.loops.entries().iter().map(|entry| entry.end))
}

fn name(flow: &Flow) -> &'static str {
    match flow {
        Flow::Nop => "NOP",
        Flow::End => "END",
        Flow::Break => "BREAK",
        Flow::BreakC(_) => "BREAKC",
        Flow::Call { .. } => "CALL",
        Flow::CallC { .. } => "CALLC",
        Flow::CallU { .. } => "CALLU",
        Flow::IfU { .. } => "IFU",
        Flow::IfC { .. } => "IFC",
        Flow::Loop { .. } => "LOOP",
        Flow::JmpC { .. } => "JMPC",
        Flow::JmpU { .. } => "JMPU",
    }
}
