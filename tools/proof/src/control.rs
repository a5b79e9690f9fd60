//! Control flow of small programs, all of them up to a bound.
//! In: a number of slots and of control instructions. Out: the number of programs for which the
//! tree and both dispatchers end with the outputs of the interpreter, or the first program that
//! differs.
//! A slot is two words: an instruction, and NOP or the MOV that makes a sum visible.
//! Up to symmetry: unreachable instructions are END, and in a program without CMP a flag is as good
//! as a bool uniform, so that both are tried.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use transpica::interp::{Registers, Settings, TraceRecord};
use transpica::isa::encode::encode;
use transpica::isa::{
    CompareOp, Condition, ConditionOp, DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Source, Stage, Uniforms,
};
use transpica::stages::{lift, structure};
use transpica::{Limits, Machine, Options, Precision, Program};

use crate::chain::{bits, context, graph, options};
use crate::ir::{Evaluator, InputValues};
use crate::walk::{Walk, Walked};

/// Most instructions of a run; of longer ones the sums up to there are compared.
const STEPS: u64 = 100;
/// Most statements of a tree for a run without an end.
const STATEMENTS: u64 = 600;
/// Flags at the beginning, and the sums from which on CMP sets them.
const VERTICES: [[f32; 2]; 4] = [[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]];
/// The bool, and the iterations of a loop beyond the first.
const UNIFORMS: [(u16, u8); 2] = [(0, 0), (1, 1)];

/// Statistics of a run.
#[derive(Debug, Default)]
pub struct Count {
    /// Programs.
    pub programs: AtomicUsize,
    /// Runs that ended, each compared with every form of its program.
    pub runs: AtomicUsize,
    /// Runs that did not end within [`STEPS`]: their sums are compared with the sums of the graph.
    pub endless: AtomicUsize,
    /// Forms.
    pub forms: AtomicUsize,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [programs, runs, endless, forms] = [&self.programs, &self.runs, &self.endless, &self.forms]
            .map(|count| count.load(Ordering::Relaxed));
        write!(
            f,
            "{programs} programs, {runs} runs to their end, {endless} endless ones, {forms} forms, all alike"
        )
    }
}

/// Instructions of [`alphabet`] without control flow.
const DATA: usize = 4;

/// An instruction in a slot, with the slots that may follow it; all where it may leave a loop.
#[derive(Clone, Debug)]
struct Slot {
    flow: Option<Flow>,
    data: Option<CompareOp>,
    follows: Vec<u8>,
}

/// Address of a slot. The CMP that sets the flags precedes the first.
fn address(slot: u8) -> Pc {
    Pc(u16::from(slot) * 2 + 1)
}

/// Every instruction that a slot may have, among a number of them and one END.
fn alphabet(slots: u8) -> Vec<Slot> {
    let condition = Condition { op: ConditionOp::X, ref_x: true, ref_y: false };
    let ends = || 0..=slots;
    let all: Vec<u8> = ends().collect();
    let flow = |flow: Flow, follows: &[u8]| Slot { flow: Some(flow), data: None, follows: follows.to_vec() };
    let data = |data| Slot { flow: None, data, follows: Vec::new() };
    let mut alphabet = vec![flow(Flow::End, &[]), data(None)];
    alphabet.extend([CompareOp::Ge, CompareOp::Lt].map(|op| data(Some(op))));
    alphabet.extend([Flow::Break, Flow::BreakC(condition)].map(|leave| flow(leave, &all)));
    for first in ends() {
        let target = address(first);
        alphabet.push(flow(Flow::JmpC { condition, target }, &[first]));
        alphabet.push(flow(Flow::Loop { int: 0, last: Pc(target.0 + 1) }, &[first + 1]));
        for count in 0..=slots - first {
            let (length, end) = (count * 2, first + count);
            alphabet.push(flow(Flow::Call { target, length }, &[first]));
            alphabet.push(flow(Flow::CallC { condition, target, length }, &[first]));
            alphabet.push(flow(Flow::IfC { condition, target, length }, &[first, end]));
        }
    }
    alphabet
}

/// An instruction on a flag as the one on b0.
fn on_bool(flow: Flow) -> Flow {
    match flow {
        Flow::JmpC { target, .. } => Flow::JmpU { bool: 0, expected: true, target },
        Flow::CallC { target, length, .. } => Flow::CallU { bool: 0, target, length },
        Flow::IfC { target, length, .. } => Flow::IfU { bool: 0, target, length },
        other => other,
    }
}

/// Returns whether every slot that is never reached is END.
fn is_least(slots: &[&Slot]) -> bool {
    let (mut reached, mut open) = (vec![false; slots.len() + 1], vec![0]);
    while let Some(slot) = open.pop() {
        let index = usize::from(slot);
        if index < slots.len() && !std::mem::replace(&mut reached[index], true) {
            open.extend(&slots[index].follows);
            if slots[index].flow != Some(Flow::End) {
                open.push(slot + 1);
            }
        }
    }
    slots.iter().zip(reached).all(|(slot, reached)| reached || slot.flow == Some(Flow::End))
}

/// Compares every program of a number of slots with at most so many control instructions.
///
/// # Errors
/// The first program whose forms differ, as words.
pub fn run(slots: u8, control: usize, threads: usize) -> Result<Count, String> {
    let alphabet = alphabet(slots);
    let (count, next) = (Count::default(), AtomicUsize::new(0));
    let work = || -> Result<(), String> {
        loop {
            let first = next.fetch_add(1, Ordering::Relaxed);
            if first >= alphabet.len() {
                return Ok(());
            }
            // Instructions without control flow come first.
            let mut digits = vec![0; usize::from(slots)];
            digits[0] = first;
            let is_control = |&digit: &usize| alphabet[digit].flow.is_some_and(|flow| flow != Flow::End);
            loop {
                let chosen: Vec<&Slot> = digits.iter().map(|&digit| &alphabet[digit]).collect();
                if is_least(&chosen) {
                    both(&chosen, &count)?;
                }
                let can_rise = |place: usize| {
                    let before = digits[..place].iter().filter(|digit| is_control(digit)).count();
                    let last = if before < control { alphabet.len() } else { DATA };
                    digits[place] + 1 < last
                };
                let Some(place) = (1..digits.len()).rev().find(|&place| can_rise(place)) else { break };
                digits[place] += 1;
                digits[place + 1..].fill(0);
            }
        }
    };
    let ended: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".into()))).collect()
    });
    ended.into_iter().collect::<Result<Vec<()>, String>>()?;
    Ok(count)
}

/// Compares a program, with conditions on flags and, where nothing sets these, on a bool.
fn both(slots: &[&Slot], count: &Count) -> Result<(), String> {
    let is_tested = |slot: &&Slot| slot.flow.is_some_and(|flow| on_bool(flow) != flow);
    let has_bools = slots.iter().any(is_tested) && slots.iter().all(|slot| slot.data.is_none());
    for bools in [false, true].into_iter().filter(|&bools| !bools || has_bools) {
        let code = words(slots, bools)?;
        compare([&code; 2], count).map_err(|what| format!("{what}: {code:08x?}"))?;
    }
    Ok(())
}

/// Descriptors of all components, and of the first.
const DESCRIPTORS: [u32; 1] = [0x1B << 5 | 0x1B << 14 | 0x1B << 23 | 0xF];

/// Code words of a program.
fn words(slots: &[&Slot], bools: bool) -> Result<Vec<u32>, String> {
    let input = |register| Operand::new(Source::Input(register));
    let sum = Operand::new(Source::Temp(0));
    let compare = |op, sources| Inst::Cmp { x: op, y: op, sources };
    let mut code = vec![compare(CompareOp::Ge, [input(0), input(15)])];
    for (slot, number) in slots.iter().zip(2..) {
        let add = Inst::data(DataOp::Mad, Dest::Temp(0), Mask::XYZW, &[sum, input(1), input(number)]);
        let show = Inst::data(DataOp::Mov, Dest::Output(0), Mask::XYZW, &[sum]);
        code.extend(match (slot.flow, slot.data) {
            (Some(flow), _) => [Inst::Flow(if bools { on_bool(flow) } else { flow }), Inst::Flow(Flow::Nop)],
            (None, Some(op)) => [compare(op, [sum, input(14)]), Inst::Flow(Flow::Nop)],
            (None, None) => [add, show],
        });
    }
    code.extend([Inst::Flow(Flow::End), Inst::Flow(Flow::End)]);
    let encoded = code.iter().map(|inst| encode(inst, 0).map(|word| word.0));
    encoded.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Compares the interpreter's runs of a program with the forms of another, which is the same.
fn compare(codes: [&[u32]; 2], count: &Count) -> Result<(), String> {
    let text = |error: transpica::Error| error.to_string();
    let [interpreted, program] =
        codes.map(|code| Program::new(code, &DESCRIPTORS[..], Pc(0), Stage::Vertex, &Limits::default()));
    let (interpreted, program) = (interpreted.map_err(text)?, program.map_err(text)?);
    let options = options(Precision::Exact);
    let runs = runs(&interpreted, options.settings(STEPS), count)?;
    let mut forms = 0;
    if let Some((cfg, tree)) = graph(&program, &options).map_err(text)? {
        for tree in tree.into_iter().chain([structure::blocks::dispatcher(&cfg)]) {
            for run in &runs {
                if !walk(&Walk { program: &program, cfg: &cfg, tree: &tree }, run) {
                    return Err(format!("form {forms} of the graph"));
                }
            }
            forms += 1;
        }
    }
    dispatched(&program, &options, &runs)?;
    count.forms.fetch_add(forms + 1, Ordering::Relaxed);
    Ok(())
}

/// A run of the interpreter.
struct Run {
    uniforms: Uniforms,
    inputs: [[f32; 4]; 16],
    /// The sum that is shown last, if the program ends.
    output: Option<[u32; 4]>,
    /// The sums in their order.
    sums: Vec<Pc>,
}

/// Returns whether a tree runs as the interpreter does.
fn walk(walk: &Walk<'_>, run: &Run) -> bool {
    let mut state = Registers::new(Precision::Exact, &run.uniforms);
    state.begin(&run.inputs);
    let mut sums = Vec::new();
    let ended = walk.run(&mut state, STATEMENTS, &mut |pc, _| sums.push(pc));
    match run.output {
        Some(output) => ended == Walked::End && bits(state.outputs())[0] == output && sums == run.sums,
        None => ended == Walked::Budget && sums.iter().zip(&run.sums).all(|(a, b)| a == b),
    }
}

fn runs(program: &Program<'_>, settings: Settings, count: &Count) -> Result<Vec<Run>, String> {
    let mut machine = Machine::new(program, settings).map_err(|error| error.to_string())?;
    let (mut runs, mut endless) = (Vec::new(), 0);
    for (bools, iterations) in UNIFORMS {
        let mut uniforms = Uniforms { bools, ..Uniforms::default() };
        uniforms.ints[0] = [iterations, 0, 1, 0];
        machine.set_uniforms(&uniforms);
        for [flag, threshold] in VERTICES {
            // A sum of what was run, in its order: each slot multiplies by 3 and adds its number.
            let mut inputs = [[0.0; 4]; 16];
            (inputs[0], inputs[1]) = ([flag; 4], [1.0, 3.0, 1.0, 1.0]);
            (inputs[14], inputs[15]) = ([threshold; 4], [1.0; 4]);
            for (number, input) in inputs.iter_mut().enumerate().take(14).skip(2) {
                *input = [1.0, number as f32, 0.0, 0.0];
            }
            let mut sums = Vec::new();
            let ended = machine.run_traced(&inputs, &mut |record: &TraceRecord| {
                if !matches!(record.inst, Inst::Flow(_)) {
                    sums.push(record.pc);
                }
            });
            let output = ended.ok().map(|outputs| bits(outputs)[0]);
            endless += usize::from(output.is_none());
            runs.push(Run { uniforms: uniforms.clone(), inputs, output, sums });
        }
    }
    count.programs.fetch_add(1, Ordering::Relaxed);
    count.runs.fetch_add(runs.len() - endless, Ordering::Relaxed);
    count.endless.fetch_add(endless, Ordering::Relaxed);
    Ok(runs)
}

/// Compares the dispatcher over the program counter.
fn dispatched(program: &Program<'_>, options: &Options, runs: &[Run]) -> Result<(), String> {
    let module = lift::dispatched(context(program, options)).map_err(|error| error.to_string())?;
    let evaluator = Evaluator::new(&module).map_err(|error| error.to_string())?;
    for run in runs.iter().filter(|run| run.output.is_some()) {
        let environment = InputValues {
            inputs: bits(&run.inputs),
            ints: run.uniforms.ints,
            bools: run.uniforms.bools,
            ..InputValues::default()
        };
        let found = evaluator.run(Precision::Exact, &environment, STEPS * 1000);
        if found.map_err(|error| error.to_string())?.first() != run.output.as_ref() {
            return Err("the dispatcher over the program counter".into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daily::cases;

    #[test]
    fn every_program_of_few_slots_runs_alike() {
        let slots = cases("control flow: slots of any instructions", 2, 3) as u8;
        let long = cases("control flow: slots with one control instruction", 4, 6) as u8;
        for (slots, control) in [(slots, slots), (long, 1)] {
            let count = run(slots, usize::from(control), 2).unwrap_or_else(|error| panic!("{error}"));
            println!("{slots} slots, at most {control} with control flow: {count}");
            assert!(count.forms.into_inner() > 2 * count.programs.into_inner(), "graphs are compared");
        }
    }

    /// Slots by instruction.
    fn program(flows: &[Option<Flow>]) -> Vec<u32> {
        let slots: Vec<Slot> =
            flows.iter().map(|&flow| Slot { flow, data: None, follows: Vec::new() }).collect();
        words(&slots.iter().collect::<Vec<_>>(), false).expect("a program")
    }

    #[test]
    fn another_target_length_or_instruction_is_found() {
        let condition = Condition { op: ConditionOp::X, ref_x: true, ref_y: false };
        let other = Condition { ref_x: false, ..condition };
        let last = |slot| Pc(address(slot).0 + 1);
        let pairs = [
            [Flow::JmpC { condition, target: address(2) }, Flow::JmpC { condition, target: address(3) }],
            [
                Flow::JmpC { condition, target: address(2) },
                Flow::JmpC { condition: other, target: address(2) },
            ],
            [Flow::Loop { int: 0, last: last(1) }, Flow::Loop { int: 0, last: last(2) }],
            [Flow::Call { target: address(2), length: 2 }, Flow::Call { target: address(2), length: 4 }],
            [Flow::IfC { condition, target: address(2), length: 2 }, Flow::Nop],
            [
                Flow::CallC { condition, target: address(2), length: 2 },
                Flow::Call { target: address(2), length: 2 },
            ],
            [Flow::End, Flow::Nop],
        ];
        for [first, second] in pairs {
            let [right, wrong] = [first, second].map(|flow| program(&[Some(flow), None, None, None]));
            let count = Count::default();
            assert_eq!(compare([&right, &right], &count), Ok(()), "{first:?}");
            assert!(compare([&right, &wrong], &count).is_err(), "{first:?} as {second:?}");
        }
        let iterated = |leave| program(&[Some(Flow::Loop { int: 0, last: last(2) }), None, leave, None]);
        let (leaves, stays) = (iterated(Some(Flow::BreakC(condition))), iterated(None));
        assert!(compare([&leaves, &stays], &Count::default()).is_err(), "a break");
    }
}
