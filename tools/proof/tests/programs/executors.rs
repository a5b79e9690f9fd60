//! Three executors of the same random programs must agree: the interpreter with its shortcuts,
//! single instructions driven by the control model, and a second control model written directly
//! from the description of the hardware.

use std::cell::RefCell;
use std::collections::VecDeque;

use transpica::interp::{Registers, Settings, TraceRecord, Uniforms};
use transpica::isa::control::{Outcome, State, Test, step};
use transpica::isa::word::{Field, Word};
use transpica::isa::{Flow, Inst, Pc};
use transpica::{Machine, Precision, Program};
use transpica_proof::generate::{Generated, Kind, generate, generate_sized};

/// Limit of instructions per run; an unfinished run counts with its current state.
const BUDGET: u64 = 300;

/// Result of a run.
#[derive(Debug, PartialEq)]
struct Run {
    executed: Vec<u16>,
    outputs: Vec<u32>,
    counter: i32,
}

impl Run {
    fn new(executed: Vec<u16>, registers: &Registers, counter: i32) -> Self {
        let bits = |&value: &f32| if value.is_nan() { 0x7FC0_0000 } else { value.to_bits() };
        let outputs = registers.outputs().as_flattened().iter().map(bits).collect();
        Self { executed, outputs, counter }
    }
}

fn by_machine(machine: &mut Machine, inputs: &[[f32; 4]; 16]) -> Run {
    let mut executed = Vec::new();
    let result = machine.run_traced(inputs, &mut |record: &TraceRecord| executed.push(record.pc.0));
    // An endless program stops at the same budget in all executors.
    let _ = result;
    Run::new(executed, machine.registers(), machine.registers().counter())
}

fn by_single_instructions(program: &Program, registers: &mut Registers) -> Run {
    let mut state = State::new(program.entry());
    let mut executed = Vec::new();
    while let Some(inst) = program.inst(state.pc) {
        if executed.len() as u64 == BUDGET {
            break;
        }
        executed.push(state.pc.0);
        registers.execute(&inst);
        let shared = RefCell::new(&mut *registers);
        let outcome = step(&inst, &mut state, &mut |test| shared.borrow().test(test), &mut |effect| {
            shared.borrow_mut().apply(effect)
        });
        if outcome == Outcome::End {
            break;
        }
    }
    Run::new(executed, registers, registers.counter())
}

/// A loop with all its data, as the hardware stores it.
struct Loop {
    start: u16,
    end: u16,
    left: u8,
    step: u8,
    saved: i32,
}

/// The second control model. It holds aL itself, so it only fits programs that do not index with
/// aL.
struct Model {
    pc: u16,
    calls: VecDeque<(u16, u16)>,
    ifs: VecDeque<(u16, u16)>,
    loops: VecDeque<Loop>,
    counter: i32,
}

fn push<T>(stack: &mut VecDeque<T>, depth: usize, entry: T) {
    if stack.len() == depth {
        stack.pop_front();
    }
    stack.push_back(entry);
}

impl Model {
    /// Executes one instruction and returns false at END.
    fn step(&mut self, inst: &Inst, uniforms: &Uniforms, registers: &Registers) -> bool {
        let next = self.pc + 1;
        self.pc = next;
        let mut broke = false;
        let cmp = |condition| registers.test(Test::Cmp(condition));
        let Inst::Flow(flow) = *inst else {
            self.end_scopes(next, false);
            return true;
        };
        match flow {
            Flow::Nop => {}
            Flow::End => return false,
            Flow::Break => broke = true,
            Flow::BreakC(condition) => broke = cmp(condition),
            Flow::Call { target, length } => self.call(true, target, length),
            Flow::CallC { condition, target, length } => self.call(cmp(condition), target, length),
            Flow::CallU { bool, target, length } => self.call(uniforms.bool(bool), target, length),
            Flow::IfU { bool, target, length } => self.branch(uniforms.bool(bool), target, length),
            Flow::IfC { condition, target, length } => self.branch(cmp(condition), target, length),
            Flow::Loop { int, last } => {
                let [left, start, step, _] = uniforms.ints[usize::from(int)];
                let entry = Loop { start: next, end: last.0 + 1, left, step, saved: self.counter };
                push(&mut self.loops, 4, entry);
                self.counter = i32::from(start);
            }
            Flow::JmpC { condition, target } if cmp(condition) => self.pc = target.0,
            Flow::JmpU { bool, expected, target } if uniforms.bool(bool) == expected => self.pc = target.0,
            Flow::JmpC { .. } | Flow::JmpU { .. } => {}
        }
        self.end_scopes(next, broke);
        true
    }

    fn call(&mut self, taken: bool, target: Pc, length: u8) {
        if taken {
            push(&mut self.calls, 4, (target.0 + u16::from(length), self.pc));
            self.pc = target.0;
        }
    }

    fn branch(&mut self, taken: bool, target: Pc, length: u8) {
        if taken {
            push(&mut self.ifs, 8, (target.0, target.0 + u16::from(length)));
        } else {
            self.pc = target.0;
        }
    }

    fn end_scopes(&mut self, next: u16, broke: bool) {
        let mut here = next;
        for count in 0..4 {
            match self.calls.back() {
                Some(&(end, back)) if end == here => {
                    self.calls.pop_back();
                    if count < 3 {
                        here = back;
                        self.pc = back;
                    }
                }
                Some(_) | None => break,
            }
        }
        if let Some(&(end, join)) = self.ifs.back()
            && end == next
        {
            self.ifs.pop_back();
            self.pc = join;
        }
        if let Some(innermost) = self.loops.back_mut()
            && (broke || innermost.end == next)
        {
            self.counter += i32::from(innermost.step);
            if !broke && innermost.left > 0 {
                innermost.left -= 1;
                self.pc = innermost.start;
            } else {
                self.pc = innermost.end;
                let saved = innermost.saved;
                self.loops.pop_back();
                if !self.loops.is_empty() {
                    self.counter = saved;
                }
            }
        }
    }
}

fn by_model(program: &Program, uniforms: &Uniforms, registers: &mut Registers) -> Run {
    let mut model = Model {
        pc: program.entry().0,
        calls: VecDeque::new(),
        ifs: VecDeque::new(),
        loops: VecDeque::new(),
        counter: 0,
    };
    let mut executed = Vec::new();
    while let Some(inst) = program.inst(Pc(model.pc)) {
        if executed.len() as u64 == BUDGET {
            break;
        }
        executed.push(model.pc);
        registers.execute(&inst);
        if !model.step(&inst, uniforms, registers) {
            break;
        }
    }
    Run::new(executed, registers, model.counter)
}

/// Replaces aL by a0.y in every indexed operand.
fn without_counter(generated: &Generated) -> Generated {
    let change = |&word: &u32| match Word(word).get(Field::Index) {
        Some(3) => Word(word).with(Field::Index, 2).0,
        Some(_) | None => word,
    };
    Generated { code: generated.code.iter().map(change).collect(), ..generated.clone() }
}

/// Runs a program on all executors that support it.
fn check(generated: &Generated, precision: Precision) {
    run(generated, precision, false);
    run(&without_counter(generated), precision, true);
}

fn run(generated: &Generated, precision: Precision, with_model: bool) {
    let program = generated.program();
    let uniforms = generated.uniforms();
    let settings = Settings { precision, budget: BUDGET, ..Settings::default() };
    let mut machine = Machine::new(&program, settings).expect("vertex program");
    machine.set_uniforms(&uniforms);
    let mut registers = Registers::new(precision, &uniforms);
    for inputs in generated.inputs(2) {
        let name = format!("{:?} {} {precision:?}", generated.kind, generated.seed);
        let expected = by_machine(&mut machine, &inputs);
        registers.begin(&inputs);
        assert_eq!(by_single_instructions(&program, &mut registers), expected, "{name}");
        if with_model {
            registers.begin(&inputs);
            assert_eq!(by_model(&program, &uniforms, &mut registers), expected, "{name}");
        }
    }
}

#[test]
fn all_ways_to_run_a_program_agree() {
    for (kind, seeds) in [(Kind::Clean, 500), (Kind::Wild, 3000), (Kind::Numeric, 200)] {
        for seed in 0..seeds {
            let precision = [Precision::Exact, Precision::Fast, Precision::F24][seed as usize % 3];
            check(&generate(kind, seed), precision);
        }
    }
}

#[test]
fn small_wild_programs_agree() {
    // Few words make overlapping and coinciding scopes likely.
    for seed in 0..2000 {
        check(&generate_sized(Kind::Wild, seed, 3..=16), Precision::Exact);
    }
}
