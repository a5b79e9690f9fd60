//! Control flow through the whole machine: words executed in order, and aL at the end.
//! The same programs are traced without a machine next to `control::step`; here its answers come
//! from registers and its shortcuts are taken.

use super::{machine, word};
use crate::machine::interp::{Registers, TraceRecord, Uniforms};
use crate::program::isa::Opcode;
use crate::program::isa::word::Field::{
    ConditionOp, Descriptor, Dest, Id, Num, RefX, RefY, Source1, Source2, Target,
};

const B: u32 = 0; // b0 is true
const NOT_B: u32 = 1; // b1 is false

fn add() -> u32 {
    word(Opcode::Add, &[(Dest, 0x10), (Source1, 0x10), (Source2, 0)])
}
fn end() -> u32 {
    word(Opcode::End, &[])
}
fn nop() -> u32 {
    word(Opcode::Nop, &[])
}
fn call(target: u32, length: u32) -> u32 {
    word(Opcode::Call, &[(Target, target), (Num, length)])
}
fn ifu(bool: u32, target: u32, length: u32) -> u32 {
    word(Opcode::Ifu, &[(Id, bool), (Target, target), (Num, length)])
}
fn jump(target: u32) -> u32 {
    word(Opcode::Jmpu, &[(Id, B), (Target, target)])
}
fn repeat(int: u32, last: u32) -> u32 {
    word(Opcode::Loop, &[(Id, int), (Target, last)])
}

/// Runs a program and compares the executed words; b0 is true. Returns the registers at the end.
#[track_caller]
fn check(code: &[u32], ints: &[[u8; 4]], expected: &[u16]) -> Registers {
    let mut uniforms = Uniforms { bools: 1, ..Uniforms::default() };
    uniforms.ints[..ints.len()].copy_from_slice(ints);
    let mut machine = machine(code);
    machine.set_uniforms(&uniforms);
    let mut executed = Vec::new();
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [1.0; 4];
    machine
        .run_traced(&inputs, &mut |record: &TraceRecord| executed.push(record.pc.0))
        .expect("the program ends");
    assert_eq!(executed, expected);
    assert_eq!(machine.steps(), expected.len() as u64);
    machine.registers().clone()
}

/// Number of times that `add` ran: r0 starts at 0 in x and every run adds 1.
fn added(registers: &Registers) -> f32 {
    registers.source(crate::program::isa::Source::Temp(0))[0]
}

#[test]
fn if_runs_one_of_its_parts() {
    let code = |bool| [ifu(bool, 3, 2), add(), add(), nop(), nop(), end()];
    check(&code(B), &[], &[0, 1, 2, 5]);
    check(&code(NOT_B), &[], &[0, 3, 4, 5]);
}

#[test]
fn nested_calls_return_in_order() {
    check(&[call(2, 1), end(), call(4, 1), end(), add(), end()], &[], &[0, 2, 4, 1]);
}

#[test]
fn nested_calls_of_another_assembler_return_in_order() {
    let code = [0x9000_0801, 0x8800_0000, 0x9000_1001, 0x8800_0000, 0x1400_0000, 0x8800_0000];
    let mut machine = machine(&code);
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [0.0; 4];
    assert_eq!(machine.run(&inputs).expect("ends")[0][0], 1.0);
}

#[test]
fn a_jump_at_the_end_of_a_scope_is_lost() {
    check(&[ifu(B, 2, 1), jump(5), add(), nop(), end()], &[], &[0, 1, 3, 4]);
    let registers = check(&[repeat(0, 1), jump(4), end()], &[[2, 0, 1, 0]], &[0, 1, 1, 1, 2]);
    assert_eq!(registers.counter(), 3);
    check(&[call(3, 1), end(), nop(), jump(5), nop(), nop()], &[], &[0, 3, 1]);
}

#[test]
fn a_call_at_the_end_of_a_then_part_is_lost() {
    check(&[ifu(B, 2, 0), call(4, 1), add(), end(), add()], &[], &[0, 1, 2, 3]);
}

#[test]
fn nested_loops_need_a_word_between_their_ends() {
    let ints = [[4, 0, 1, 0]; 2];
    let mut expected = vec![0];
    for _ in 0..5 {
        expected.extend([1, 2, 2, 2, 2, 2, 3]);
    }
    expected.push(4);
    let registers = check(&[repeat(0, 3), repeat(1, 2), add(), nop(), end()], &ints, &expected);
    assert_eq!((added(&registers), registers.counter()), (25.0, 5));
    let registers =
        check(&[repeat(0, 2), repeat(1, 2), add(), nop(), end()], &ints, &[0, 1, 2, 2, 2, 2, 2, 3, 4]);
    assert_eq!(added(&registers), 5.0);
}

#[test]
fn nested_loops_multiply_for_all_counts() {
    for (x0, x1, z0) in [(4, 4, 1), (9, 7, 2), (4, 7, 2), (9, 4, 1)] {
        let code = [repeat(0, 3), repeat(1, 2), add(), nop(), end()];
        let mut machine = machine(&code);
        let mut uniforms = Uniforms::default();
        uniforms.ints[..2].copy_from_slice(&[[x0, 0, z0, 0], [x1, 0, 1, 0]]);
        machine.set_uniforms(&uniforms);
        let mut inputs = Registers::DEFAULT_INPUTS;
        inputs[0] = [1.0; 4];
        machine.run(&inputs).expect("ends");
        let (x0, x1, z0) = (i32::from(x0), i32::from(x1), i32::from(z0));
        assert_eq!(added(machine.registers()), ((x0 + 1) * (x1 + 1)) as f32);
        assert_eq!(machine.registers().counter(), (x0 + 1) * z0);
    }
}

#[test]
fn break_steps_the_counter_once_more() {
    let code = [repeat(0, 3), add(), word(Opcode::Break, &[]), nop(), end()];
    let registers = check(&code, &[[5, 3, 2, 0]], &[0, 1, 2, 4]);
    assert_eq!(registers.counter(), 5);
}

#[test]
fn a_fourth_return_at_the_same_word_is_lost() {
    let code = [call(2, 1), end(), call(3, 1), call(4, 1), call(5, 1), add(), nop(), end()];
    check(&code, &[], &[0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6, 7]);
}

#[test]
fn leaving_the_outer_of_two_stale_loops_restores_the_counter() {
    // The entry of word 0 is left over, so the loop of word 3 counts as an inner one when it ends.
    let code = [repeat(0, 2), repeat(0, 2), add(), repeat(1, 4), add(), end()];
    let registers = check(&code, &[[0, 0, 1, 0], [1, 5, 1, 0]], &[0, 1, 2, 3, 4, 4, 5]);
    assert_eq!(registers.counter(), 0);
}

#[test]
fn a_fifth_loop_overwrites_the_oldest_one() {
    // Bodies of loop k end at word 9 - k; only the four newest repeat.
    let mut code: Vec<u32> = (0..5).map(|k| repeat(0, 9 - k)).collect();
    code.extend([add(), nop(), nop(), nop(), nop(), end()]);
    let mut machine = machine(&code);
    let mut uniforms = Uniforms::default();
    uniforms.ints[0] = [1, 7, 1, 0];
    machine.set_uniforms(&uniforms);
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [1.0; 4];
    machine.run(&inputs).expect("ends");
    assert_eq!(added(machine.registers()), 16.0);
    assert_eq!(machine.registers().counter(), 9, "the oldest of the four left aL at 7 + 2 * 1");
}

#[test]
fn conditions_follow_their_table() {
    for condop in 0..4u32 {
        for bits in 0..16u32 {
            let [ref_x, ref_y, x, y] = [8, 4, 2, 1].map(|bit| bits & bit != 0);
            // cmp v1, v2: x and y are equal exactly where the flags are to be set.
            let code = [
                word(Opcode::Cmp, &[(Source1, 1), (Source2, 2)]),
                word(
                    Opcode::Ifc,
                    &[
                        (ConditionOp, condop),
                        (RefX, u32::from(ref_x)),
                        (RefY, u32::from(ref_y)),
                        (Target, 4),
                        (Num, 2),
                    ],
                ),
                word(Opcode::Mov, &[(Dest, 0), (Source1, 0), (Descriptor, 0)]),
                end(),
                word(Opcode::Mov, &[(Dest, 0), (Source1, 0x10), (Descriptor, 0)]),
                end(),
            ];
            let mut inputs = Registers::DEFAULT_INPUTS;
            inputs[0] = [1.0; 4];
            inputs[1] = [f32::from(u8::from(x)), f32::from(u8::from(y)), 0.0, 0.0];
            inputs[2] = [1.0; 4];
            let (fits_x, fits_y) = (x == ref_x, y == ref_y);
            let expected = [fits_x || fits_y, fits_x && fits_y, fits_x, fits_y][condop as usize];
            let result = machine(&code).run(&inputs).expect("ends")[0][0];
            assert_eq!(result == 1.0, expected, "condop {condop} bits {bits:04b}");
        }
    }
}
