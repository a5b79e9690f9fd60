//! Steps as lines of picasso text.
//! In: steps, the places of variables. Out: lines for a procedure, those of instructions with their
//! places as comments. The assembler selects inverted forms and descriptors, and adds the NOPs that
//! ends of blocks need.

use std::fmt::Write;

use transpica::isa::{ConditionOp, Index, Pc};

use super::code::{Home, Inst, Lanes, Source, Step, Target, Test};
use super::live::successors;
use super::place::Spot;
use super::vertices::Setting;

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Prints steps, one line each.
pub(super) fn lines(steps: &[Step], spots: &[Spot]) -> Vec<String> {
    let printer = Printer { spots };
    let mut lines = Vec::with_capacity(steps.len() + 1);
    let mut depth = 1usize;
    let crowded = crowded(steps);
    for (n, step) in steps.iter().enumerate() {
        if matches!(step, Step::Else | Step::EndIf | Step::EndLoop) {
            depth -= 1;
        }
        let indent = "\t".repeat(depth);
        if crowded[n] {
            lines.push(format!("{indent}nop"));
        }
        lines.extend(printer.step(step).map(|text| placed(format!("{indent}{text}"), step)));
        // No word belongs to a label, and a block must not end where a jump leads.
        if matches!(step, Step::Label(_))
            && matches!(steps.get(n + 1), Some(Step::Else | Step::EndIf | Step::EndLoop))
        {
            lines.push(format!("{indent}nop"));
        }
        if matches!(step, Step::If(_) | Step::Else | Step::Loop(_)) {
            depth += 1;
        }
    }
    lines.push("\tend".to_owned());
    lines
}

/// Begins the comment that has the place of an instruction.
const PLACE: &str = " ;";

/// A line with its place.
fn placed(line: String, step: &Step) -> String {
    match step {
        Step::Data(Inst { pc: Some(pc), .. }) | Step::Compare { pc: Some(pc), .. } => {
            format!("{line}{PLACE}{}", pc.0)
        }
        _other => line,
    }
}

/// A line without its place, and that place.
pub(super) fn split_place(line: &str) -> (&str, Option<Pc>) {
    match line.split_once(PLACE) {
        Some((line, place)) => (line, place.parse().ok().map(Pc)),
        None => (line, None),
    }
}

/// The MOVA that may run right after another one, which stops the hardware.
fn crowded(steps: &[Step]) -> Vec<bool> {
    let next = successors(steps);
    let mut crowded = vec![false; steps.len()];
    let is_address = |n: usize| matches!(steps[n], Step::Address { .. });
    for first in (0..steps.len()).filter(|&n| is_address(n)) {
        let mut seen = vec![false; steps.len()];
        let mut work = next[first].to_vec();
        while let Some(n) = work.pop() {
            if n >= steps.len() || std::mem::replace(&mut seen[n], true) {
                continue;
            }
            match &steps[n] {
                Step::Address { .. } => crowded[n] = true,
                Step::Else | Step::EndIf | Step::EndLoop | Step::Label(_) | Step::Nothing => {
                    work.extend(next[n])
                }
                _word => {}
            }
        }
    }
    crowded
}

struct Printer<'a> {
    spots: &'a [Spot],
}

impl Printer<'_> {
    fn step(&self, step: &Step) -> Option<String> {
        Some(match step {
            Step::Data(inst) => self.inst(inst),
            Step::Compare { ops, sources: [a, b], pc: _ } => {
                let [x, y] = ops.map(|op| op.name());
                let [a, b] = [a, b].map(|lanes| self.operand(lanes, &[0, 1]));
                format!("cmp {a}, {x}, {y}, {b}")
            }
            Step::Address { lanes: [x, y] } => {
                let present: Vec<(usize, Source)> =
                    [x, y].into_iter().enumerate().filter_map(|(n, lane)| Some((n, (*lane)?))).collect();
                let to: String = present.iter().map(|&(n, _)| LETTERS[n]).collect();
                let places: Vec<usize> = present.iter().map(|&(n, _)| n).collect();
                let lanes: Vec<Source> = present.iter().map(|&(_, lane)| lane).collect();
                format!("mova a0.{to}, {}", self.operand(&lanes, &places))
            }
            Step::If(Test::Bool { id, .. }) => format!("ifu b{id}"),
            Step::If(test) => format!("ifc {}", condition(*test)),
            Step::Else => ".else".to_owned(),
            Step::EndIf | Step::EndLoop => ".end".to_owned(),
            Step::Loop(int) => format!("for i{int}"),
            Step::BreakIf(test) => format!("breakc {}", condition(*test)),
            Step::Label(label) => format!("label{label}:"),
            Step::JumpIf(label, Test::Bool { id, expected }) => {
                format!("jmpu {}b{id}, label{label}", if *expected { "" } else { "!" })
            }
            Step::JumpIf(label, test) => format!("jmpc {}, label{label}", condition(*test)),
            Step::SetEmit(Setting { slot, prim, invert }) => {
                let [prim, invert] =
                    [(prim, " prim"), (invert, " inv")].map(|(set, text)| if *set { text } else { "" });
                let comma = if prim.is_empty() && invert.is_empty() { "" } else { "," };
                format!("setemit {slot}{comma}{prim}{invert}")
            }
            Step::Emit => "emit".to_owned(),
            Step::Copy(_) | Step::Nothing => return None,
        })
    }

    fn inst(&self, inst: &Inst) -> String {
        let Inst { op, targets, sources, pc: _ } = inst;
        let mut places: Vec<usize> = Vec::with_capacity(targets.len());
        let mut register = String::new();
        for target in targets {
            let (name, number, component) = match *target {
                Target::Var(var) => {
                    let (number, component) = self.spots[var.0 as usize];
                    ('r', number, component)
                }
                Target::Output { register, component } => ('o', register, component),
            };
            register = format!("{name}{number}");
            places.push(usize::from(component));
        }
        let mask: String = (0..4).filter(|n| places.contains(n)).map(|n| LETTERS[n]).collect();
        let mask = if mask.len() == 4 { String::new() } else { format!(".{mask}") };
        let mut text = format!("{} {register}{mask}", op.mnemonic());
        for lanes in sources {
            let all: Vec<usize> = (0..lanes.len()).collect();
            let places = if inst.lanes() == Lanes::Each { &places } else { &all };
            let _ = write!(text, ", {}", self.operand(lanes, places));
        }
        text
    }

    /// An operand that gives each lane at its place.
    fn operand(&self, lanes: &[Source], places: &[usize]) -> String {
        let mut swizzle: [Option<u8>; 4] = [None; 4];
        let mut register = String::new();
        let mut sign = "";
        for (lane, &place) in lanes.iter().zip(places) {
            sign = if lane.negate { "-" } else { "" };
            let component;
            (register, component) = match lane.home {
                Home::Var(var) => {
                    let (number, component) = self.spots[var.0 as usize];
                    (format!("r{number}"), component)
                }
                // picasso has no name for the last one.
                Home::Input { register: 15, component } => ("v14[1]".to_owned(), component),
                Home::Input { register, component } => (format!("v{register}"), component),
                Home::Uniform { register, index, component } => (uniform(register, index), component),
                Home::Const(bits) => (format!("({})", f32::from_bits(bits)), 0),
            };
            swizzle[place] = Some(component);
        }
        format!("{sign}{register}{}", selector(swizzle))
    }
}

fn uniform(register: u8, index: Index) -> String {
    match index {
        Index::None => format!("c{register}"),
        Index::A0x => format!("c{register}[a0.x]"),
        Index::A0y => format!("c{register}[a0.y]"),
        Index::Al => format!("c{register}[aL]"),
    }
}

/// A swizzle; places that nothing reads follow what is there.
fn selector(swizzle: [Option<u8>; 4]) -> String {
    if swizzle.iter().zip(0..).all(|(&lane, n)| lane.is_none_or(|lane| lane == n)) {
        return String::new();
    }
    let mut last = swizzle.iter().copied().flatten().next().unwrap_or(0);
    let full = swizzle.map(|lane| {
        last = lane.unwrap_or(last);
        last
    });
    let text: String = full.iter().map(|&lane| LETTERS[usize::from(lane & 3)]).collect();
    if full == [full[0]; 4] { format!(".{}", &text[..1]) } else { format!(".{text}") }
}

fn condition(test: Test) -> String {
    let Test::Flags { op, expected: [x, y] } = test else { return String::new() };
    let sign = |expected: bool| if expected { "" } else { "!" };
    match op {
        ConditionOp::X => format!("{}cmp.x", sign(x)),
        ConditionOp::Y => format!("{}cmp.y", sign(y)),
        ConditionOp::And => format!("{}cmp.x && {}cmp.y", sign(x), sign(y)),
        ConditionOp::Or => format!("{}cmp.x || {}cmp.y", sign(x), sign(y)),
    }
}
