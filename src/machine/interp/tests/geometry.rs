//! EMIT and SETEMIT, and the state that carries over from one invocation to the next.

use crate::error::{At, Error, Kind};
use crate::limits::Limits;
use crate::machine::interp::{GeometryMachine, Invocation, Machine, Registers, Settings, Uniforms};
use crate::machine::precision::Precision;
use crate::program::isa::builder::Builder;
use crate::program::isa::{
    CompareOp, DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Program, Source, Stage,
};

const END: Inst = Inst::Flow(Flow::End);
const DEFAULT: [f32; 4] = Registers::DEFAULT;

fn mov(dest: Dest, source: Source) -> Inst {
    Inst::data(DataOp::Mov, dest, Mask::XYZW, &[Operand::new(source)])
}
/// MOV of an input to an output.
fn out(output: u8, input: u8) -> Inst {
    mov(Dest::Output(output), Source::Input(input))
}
fn set(vertex: u8) -> Inst {
    Inst::SetEmit { vertex, prim: false, invert: false }
}
fn submit(vertex: u8) -> Inst {
    Inst::SetEmit { vertex, prim: true, invert: false }
}

fn program(stage: Stage, insts: &[Inst]) -> Program<'static> {
    let mut builder = Builder::new();
    for inst in insts {
        builder.push(*inst);
    }
    let (code, descriptors) = builder.finish().expect("builds");
    Program::new(code, descriptors, Pc(0), stage, &Limits::default()).expect("small program")
}

/// A machine that forwards all outputs.
fn machine(insts: &[Inst]) -> GeometryMachine {
    GeometryMachine::new(&program(Stage::Geometry, insts), u16::MAX, Settings::default()).expect("geometry")
}

/// Inputs v0, v1, … with all components the same; the others are at their default.
fn inputs(values: &[f32]) -> [[f32; 4]; 16] {
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs.iter_mut().zip(values).for_each(|(input, &value)| *input = [value; 4]);
    inputs
}

/// o0 of every EMIT.
fn emitted(invocation: &Invocation) -> Vec<[f32; 4]> {
    invocation.emits().map(|emit| emit.outputs[0]).collect()
}

/// o0.x of the vertices of every triangle.
fn triangles(invocation: &Invocation) -> Vec<[f32; 3]> {
    invocation.triangles().map(|triangle| triangle.vertices.map(|outputs| outputs[0][0])).collect()
}

#[test]
fn an_emit_is_a_snapshot_of_the_outputs_that_are_passed_on() {
    let insts = [out(0, 0), out(1, 0), out(2, 0), set(2), Inst::Emit, END];
    let program = program(Stage::Geometry, &insts);
    let mut machine = GeometryMachine::new(&program, 0b101, Settings::default()).expect("geometry");
    let invocation = machine.run(&inputs(&[7.0])).expect("runs");
    let emit = invocation.emits().next().expect("one");
    assert_eq!((emit.slot, emit.prim, emit.invert), (2, false, false));
    assert_eq!(emit.outputs[..4], [[7.0; 4], DEFAULT, [7.0; 4], DEFAULT]);
    assert_eq!((invocation.emits().len(), invocation.triangles().len()), (1, 0));
}

#[test]
fn a_run_without_emit_gives_no_vertices() {
    let mut machine = machine(&[submit(0), out(0, 0), END]);
    let invocation = machine.run(&inputs(&[7.0])).expect("runs");
    assert_eq!((invocation.emits().len(), invocation.triangles().len()), (0, 0));
}

#[test]
fn outputs_not_written_again_are_those_of_two_emits_ago() {
    let mut machine = machine(&[
        out(0, 0),
        Inst::Emit,
        Inst::Emit,
        Inst::Emit,
        out(0, 1),
        Inst::Emit,
        Inst::Emit,
        Inst::Emit,
        END,
    ]);
    let invocation = machine.run(&inputs(&[1.0, 2.0])).expect("runs");
    let (one, two) = ([1.0; 4], [2.0; 4]);
    assert_eq!(emitted(invocation), [one, DEFAULT, one, two, one, two]);
}

#[test]
fn the_bank_that_is_written_carries_over() {
    // One EMIT an invocation; only the first writes, and only x.
    let write = Inst::data(DataOp::Mov, Dest::Output(0), Mask::X, &[Operand::new(Source::Uniform(0))]);
    let skip = Inst::Flow(Flow::JmpU { bool: 15, expected: true, target: Pc(2) });
    let mut machine = machine(&[skip, write, Inst::Emit, END]);
    machine.deliver(0, &[[9.0; 4]]);
    let mut run = || emitted(machine.run(&inputs(&[])).expect("runs"));
    assert_eq!([run(), run(), run()].concat(), [[9.0, 0.0, 0.0, 1.0], DEFAULT, [9.0, 0.0, 0.0, 1.0]]);
}

#[test]
fn a_triangle_is_slots_0_1_2_in_that_order() {
    let mut machine = machine(&[
        set(2),
        out(0, 0),
        Inst::Emit,
        set(1),
        out(0, 1),
        Inst::Emit,
        submit(0),
        out(0, 2),
        Inst::Emit,
        // A strip continues by filling one slot anew.
        submit(1),
        out(0, 3),
        Inst::Emit,
        END,
    ]);
    let invocation = machine.run(&inputs(&[1.0, 2.0, 3.0, 4.0])).expect("runs");
    assert_eq!(triangles(invocation), [[3.0, 2.0, 1.0], [3.0, 4.0, 1.0]]);
}

#[test]
fn slot_3_is_stored_but_in_no_triangle() {
    let mut machine = machine(&[set(0), out(0, 0), Inst::Emit, submit(3), out(0, 1), Inst::Emit, END]);
    let invocation = machine.run(&inputs(&[1.0, 2.0])).expect("runs");
    assert_eq!(triangles(invocation), [[1.0, 0.0, 0.0]]);
    assert_eq!(invocation.emits().map(|emit| emit.slot).collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn the_winding_flag_comes_with_the_emit_and_its_triangle() {
    let invert = Inst::SetEmit { vertex: 0, prim: true, invert: true };
    let mut machine = machine(&[invert, Inst::Emit, submit(0), Inst::Emit, END]);
    let invocation = machine.run(&inputs(&[])).expect("runs");
    assert_eq!(invocation.triangles().map(|triangle| triangle.invert).collect::<Vec<_>>(), [true, false]);
    assert_eq!(invocation.emits().map(|emit| emit.invert).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn slots_and_setemit_state_carry_over() {
    // Runs fill slot 0, then slot 1 each, and leave slot 2 with a triangle set.
    let mut machine = machine(&[out(0, 0), Inst::Emit, set(1), out(0, 1), Inst::Emit, submit(2), END]);
    let first = machine.run(&inputs(&[1.0, 2.0])).expect("runs");
    assert_eq!(first.emits().map(|emit| emit.slot).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(triangles(first), [[0.0; 3]; 0]);
    let second = machine.run(&inputs(&[3.0, 4.0])).expect("runs");
    assert_eq!(second.emits().map(|emit| emit.slot).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(triangles(second), [[1.0, 2.0, 3.0]]);
}

#[test]
fn registers_carry_over_and_inputs_do_not() {
    let mut machine = machine(&[
        mov(Dest::Output(0), Source::Temp(3)),
        Inst::Emit,
        Inst::data(
            DataOp::Add,
            Dest::Temp(3),
            Mask::XYZW,
            &[Operand::new(Source::Temp(3)), Operand::new(Source::Input(0))],
        ),
        END,
    ]);
    let mut run = |values: &[f32]| emitted(machine.run(&inputs(values)).expect("runs"))[0];
    assert_eq!(run(&[2.0]), DEFAULT);
    assert_eq!(run(&[]), [2.0, 2.0, 2.0, 3.0]);
    assert_eq!(run(&[1.0]), [2.0, 2.0, 2.0, 4.0]);
}

#[test]
fn address_registers_and_flags_carry_over() {
    let relative = Operand { index: Index::A0x, ..Operand::new(Source::Uniform(4)) };
    let counted = Operand { index: Index::Al, ..Operand::new(Source::Uniform(4)) };
    let copy = |output, operand| Inst::data(DataOp::Mov, Dest::Output(output), Mask::XYZW, &[operand]);
    let input = Operand::new(Source::Input(0));
    let one_loop = Inst::Flow(Flow::Loop { int: 0, last: Pc(6) });
    let mut machine = machine(&[
        copy(0, relative),
        copy(1, counted),
        Inst::Emit,
        Inst::Mova { mask: Mask::XYZW, source: input },
        Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Eq, sources: [input, input] },
        one_loop,
        Inst::Flow(Flow::Nop),
        END,
    ]);
    let mut uniforms = Uniforms::default();
    uniforms.ints[0] = [0, 2, 1, 0];
    for (register, float) in uniforms.floats.iter_mut().enumerate() {
        *float = [register as f32; 4];
    }
    machine.set_uniforms(&uniforms);
    let mut run = || {
        let emit = machine.run(&inputs(&[5.0])).expect("runs").emits().next().map(|emit| *emit.outputs);
        let outputs = emit.expect("one EMIT");
        (outputs[0][0], outputs[1][0])
    };
    assert_eq!(run(), (4.0, 4.0));
    assert_eq!(run(), (9.0, 7.0), "a0.x is 5, aL is 2 + 1");
    assert_eq!(machine.registers().flags(), [true, true]);
}

#[test]
fn b15_is_true_after_every_run_until_uniforms_are_set() {
    let taken = Inst::Flow(Flow::IfU { bool: 15, target: Pc(2), length: 0 });
    let mut machine = machine(&[taken, out(0, 0), Inst::Emit, END]);
    let run = |machine: &mut GeometryMachine, value| emitted(machine.run(&inputs(&[value])).expect("runs"));
    assert_eq!(run(&mut machine, 1.0), [DEFAULT], "false at first");
    assert_eq!(run(&mut machine, 2.0), [[2.0; 4]]);
    machine.set_uniforms(&Uniforms::default());
    assert_ne!(run(&mut machine, 3.0), [[3.0; 4]]);
    assert_eq!(run(&mut machine, 4.0), [[4.0; 4]]);
}

#[test]
fn delivered_uniforms_stay_until_they_are_overwritten() {
    let uniform = |output, register| mov(Dest::Output(output), Source::Uniform(register));
    let mut machine = machine(&[uniform(0, 94), uniform(1, 95), Inst::Emit, END]);
    let run = |machine: &mut GeometryMachine| {
        let emit = machine.run(&inputs(&[])).expect("runs").emits().next().map(|emit| *emit.outputs);
        emit.map(|outputs| [outputs[0][0], outputs[1][0]])
    };
    machine.deliver(94, &[[1.0; 4], [2.0; 4], [3.0; 4]]);
    assert_eq!(run(&mut machine), Some([1.0, 2.0]), "what goes beyond c95 is dropped");
    machine.deliver(95, &[[4.0; 4]]);
    assert_eq!(run(&mut machine), Some([1.0, 4.0]));
    machine.deliver(96, &[[5.0; 4]]);
    assert_eq!(run(&mut machine), Some([1.0, 4.0]));
    machine.set_uniforms(&Uniforms::default());
    assert_eq!(run(&mut machine), Some([0.0, 0.0]));
}

#[test]
fn delivered_values_are_narrowed_to_float24() {
    let settings = Settings { precision: Precision::F24, ..Settings::default() };
    let program = program(Stage::Geometry, &[mov(Dest::Output(0), Source::Uniform(0)), Inst::Emit, END]);
    let mut machine = GeometryMachine::new(&program, 1, settings).expect("geometry");
    machine.deliver(0, &[[1.0 + f32::EPSILON, 1.0, 2.0, 3.0]]);
    assert_eq!(emitted(machine.run(&inputs(&[])).expect("runs")), [[1.0, 1.0, 2.0, 3.0]]);
}

#[test]
fn a_scope_may_end_with_an_emit() {
    // One EMIT in the first part, two in the second.
    let taken = Inst::Flow(Flow::IfU { bool: 0, target: Pc(2), length: 2 });
    let mut machine = machine(&[taken, Inst::Emit, Inst::Emit, Inst::Emit, END]);
    assert_eq!(machine.run(&inputs(&[])).expect("runs").emits().len(), 2);
    machine.set_uniforms(&Uniforms { bools: 1, ..Uniforms::default() });
    assert_eq!(machine.run(&inputs(&[])).expect("runs").emits().len(), 1);
}

#[test]
fn in_a_vertex_program_emit_and_setemit_do_nothing() {
    let insts = [out(0, 0), submit(0), Inst::Emit, out(1, 0), END];
    let mut machine = Machine::new(&program(Stage::Vertex, &insts), Settings::default()).expect("vertex");
    let outputs = machine.run(&inputs(&[7.0])).expect("runs");
    assert_eq!(outputs[..3], [[7.0; 4], [7.0; 4], DEFAULT]);
}

#[test]
fn an_endless_loop_of_emits_is_an_error_with_its_place() {
    let again = Inst::Flow(Flow::JmpU { bool: 0, expected: false, target: Pc(0) });
    let mut machine = machine(&[Inst::Flow(Flow::Nop), Inst::Emit, again]);
    machine.set_most_emits(10);
    let kind = Kind::Limit { name: "emitted vertices of an invocation", value: 11, limit: 10 };
    assert_eq!(machine.run(&inputs(&[])), Err(Error::new(kind, At::Pc(1))));
    assert_eq!(machine.invocation().emits().len(), 10);
    machine.set_most_emits(u32::MAX);
    machine.set_budget(100);
    assert_eq!(machine.run(&inputs(&[])), Err(Error::new(Kind::StepBudget(100), At::Pc(1))));
}

#[test]
fn a_reset_forgets_everything_but_uniforms() {
    let insts = [
        Inst::Emit,
        mov(Dest::Output(1), Source::Uniform(0)),
        submit(1),
        out(0, 0),
        Inst::Emit,
        mov(Dest::Temp(0), Source::Input(0)),
        END,
    ];
    let mut machine = machine(&insts);
    machine.deliver(0, &[[3.0; 4]]);
    let first = machine.run(&inputs(&[1.0])).expect("runs").clone();
    assert_ne!(*machine.run(&inputs(&[1.0])).expect("runs"), first);
    machine.reset();
    assert_eq!(machine.registers().source(Source::Temp(0)), DEFAULT);
    assert_eq!(*machine.run(&inputs(&[1.0])).expect("runs"), first);
}

#[test]
fn a_vertex_program_is_refused() {
    let error =
        GeometryMachine::new(&program(Stage::Vertex, &[END]), 1, Settings::default()).expect_err("vertex");
    assert_eq!(error.kind, Kind::Stage { what: "the geometry machine", stage: "vertex" });
}
