//! Whole runs: errors, budget, defaults, trace.

use super::{machine, plain, program, word};
use crate::error::{At, Error, Kind};
use crate::limits::Limits;
use crate::machine::interp::{Machine, Registers, Settings, TraceRecord, Uniforms};
use crate::machine::precision::Precision;
use crate::program::isa::word::Field::{Dest, Id, Index, Num, Source1, Source2, Source3, Target, Vertex};
use crate::program::isa::{Opcode, Pc, Program, Stage};

const UNDEFINED: u32 = 0x10 << 26;

fn mov(dest: u32, source: u32) -> u32 {
    word(Opcode::Mov, &[(Dest, dest), (Source1, source)])
}
fn end() -> u32 {
    word(Opcode::End, &[])
}
/// JMPU on b15, which is false: always jumps.
fn jump(target: u32) -> u32 {
    word(Opcode::Jmpu, &[(Id, 15), (Num, 1), (Target, target)])
}

fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings);
    settings
}

#[test]
fn an_endless_program_stops_at_its_budget() {
    let settings = settings(|settings| settings.budget = 100);
    let mut machine = Machine::new(&program(&[mov(0, 0), jump(0)]), settings).expect("vertex");
    let error = machine.run(&Registers::DEFAULT_INPUTS).expect_err("endless");
    assert_eq!(error, Error::new(Kind::StepBudget(100), At::Pc(0)));
    assert_eq!(machine.steps(), 100);
}

#[test]
fn a_program_may_use_its_whole_budget() {
    let settings = settings(|settings| settings.budget = 2);
    let mut machine = Machine::new(&program(&[mov(0, 0), end()]), settings).expect("vertex");
    assert!(machine.run(&Registers::DEFAULT_INPUTS).is_ok());
    let mut machine = Machine::new(&program(&[mov(0, 0), mov(0, 0), end()]), settings).expect("vertex");
    assert!(machine.run(&Registers::DEFAULT_INPUTS).is_err());
}

#[test]
fn a_reached_undefined_opcode_is_an_error_at_its_address() {
    let error =
        machine(&[mov(0, 0), UNDEFINED, end()]).run(&Registers::DEFAULT_INPUTS).expect_err("undefined");
    assert_eq!(error, Error::new(Kind::BadOpcode(0x10), At::Pc(1)));
}

#[test]
fn an_undefined_opcode_that_is_not_reached_is_no_error() {
    assert!(machine(&[jump(2), UNDEFINED, end()]).run(&Registers::DEFAULT_INPUTS).is_ok());
}

#[test]
fn a_permissive_machine_takes_undefined_opcodes_for_nop() {
    let settings = settings(|settings| settings.permissive = true);
    // It ends the scope of the call like any other word.
    let code = [word(Opcode::Call, &[(Target, 3), (Num, 1)]), mov(0, 1), end(), UNDEFINED, mov(0, 2), end()];
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[1] = [5.0; 4];
    let mut machine = Machine::new(&program(&code), settings).expect("vertex");
    assert_eq!(machine.run(&inputs).expect("ends")[0], [5.0; 4]);
}

#[test]
fn the_end_of_the_code_ends_the_program() {
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [3.0; 4];
    assert_eq!(machine(&[mov(0, 0)]).run(&inputs).expect("ends")[0], [3.0; 4], "fallen off");
    assert_eq!(machine(&[mov(0, 0), jump(0xFFF)]).run(&inputs).expect("ends")[0], [3.0; 4], "jumped out");
}

#[test]
fn geometry_programs_are_refused() {
    let code = [end()];
    let program = Program::new(&code[..], vec![], Pc(0), Stage::Geometry, &Limits::default()).expect("small");
    let error = Machine::new(&program, Settings::default()).expect_err("geometry");
    assert_eq!(error.kind, Kind::Stage { what: "the interpreter", stage: "geometry" });
}

#[test]
fn emit_does_nothing_in_a_vertex_program() {
    let code = [word(Opcode::Setemit, &[(Vertex, 3)]), word(Opcode::Emit, &[]), mov(0, 0), end()];
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [2.0; 4];
    let mut machine = machine(&code);
    let outputs = machine.run(&inputs).expect("ends");
    assert_eq!(outputs[0], [2.0; 4]);
    assert_eq!(outputs[1..], Registers::DEFAULT_INPUTS[1..]);
}

#[test]
fn execution_starts_at_the_entry_point() {
    let code = [mov(0, 0), end(), mov(1, 0), end()];
    let program =
        Program::new(&code[..], vec![plain()], Pc(2), Stage::Vertex, &Limits::default()).expect("small");
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [2.0; 4];
    let mut machine = Machine::new(&program, Settings::default()).expect("vertex");
    let outputs = machine.run(&inputs).expect("ends");
    assert_eq!((outputs[0], outputs[1]), (Registers::DEFAULT, [2.0; 4]));
}

#[test]
fn nothing_carries_over_from_one_vertex_to_the_next() {
    // add r0, r0, v0 ; mov o0, r0
    let add = word(Opcode::Add, &[(Dest, 0x10), (Source1, 0x10), (Source2, 0)]);
    let mut machine = machine(&[add, mov(0, 0x10), end()]);
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [1.0; 4];
    for _ in 0..2 {
        assert_eq!(machine.run(&inputs).expect("ends")[0], [1.0, 1.0, 1.0, 2.0]);
    }
}

#[test]
fn the_precision_reaches_arithmetic_inputs_and_uniforms() {
    // mad o0, v0, c0, v0
    let mad = word(Opcode::Mad, &[(Dest, 0), (Source1, 0), (Source2, 0x20), (Source3, 0)]);
    let code = [mad, end()];
    let third = 1.0f32 / 3.0;
    let cut = f32::from_bits(0x3EAA_AA80);
    for (precision, expected) in
        [(Precision::Exact, f32::INFINITY), (Precision::Fast, f32::NAN), (Precision::F24, f32::INFINITY)]
    {
        let mut machine = Machine::new(&program(&code), settings(|settings| settings.precision = precision))
            .expect("vertex");
        let mut uniforms = Uniforms::default();
        uniforms.floats[0] = [third, 0.0, third, 1.0];
        machine.set_uniforms(&uniforms);
        let mut inputs = Registers::DEFAULT_INPUTS;
        inputs[0] = [1.0, f32::INFINITY, third, 0.0];
        let result = machine.run(&inputs).expect("ends")[0];
        assert_eq!(result[1].to_bits() & 0x7FFF_FFFF, expected.to_bits(), "{precision:?}");
        let wanted = if precision == Precision::F24 {
            [1.0 + cut, f32::from_bits((cut * cut).to_bits() & 0xFFFF_FF80) + cut]
                .map(|x| f32::from_bits(x.to_bits() & 0xFFFF_FF80))
        } else {
            [1.0 + third, third * third + third]
        };
        assert_eq!([result[0], result[2]], wanted, "{precision:?}");
    }
}

#[test]
fn flush_mode_zeroes_subnormal_inputs_products_and_sums() {
    // mad o0, v0, c0, v1; dp3 o1, v0, c0
    let mad = word(Opcode::Mad, &[(Dest, 0), (Source1, 0), (Source2, 0x20), (Source3, 1)]);
    let code = [mad, word(Opcode::Dp3, &[(Dest, 1), (Source1, 0x20), (Source2, 0)]), end()];
    let tiny = f32::MIN_POSITIVE;
    for (flush, [mad, dot]) in [
        (false, [[0.5 * tiny, 1.75 * tiny, 0.25 * tiny, 1.0], [1.5 * tiny; 4]]),
        (true, [[0.0, 1.0 * tiny, 0.0, 1.0], [0.0; 4]]),
    ] {
        for precision in [Precision::Exact, Precision::Fast] {
            let settings = Settings { precision, flush_subnormals: flush, ..Settings::default() };
            let mut machine = Machine::new(&program(&code), settings).expect("vertex");
            let mut uniforms = Uniforms::default();
            uniforms.floats[0] = [0.5, 0.75, 1.0, 1.0];
            machine.set_uniforms(&uniforms);
            let mut inputs = Registers::DEFAULT_INPUTS;
            inputs[0] = [tiny, tiny, 0.25 * tiny, 1.0];
            inputs[1] = [0.0, tiny, -0.0, 0.0];
            let result = machine.run(&inputs).expect("ends");
            assert_eq!(result[0], mad, "{precision:?} {flush}");
            assert_eq!(result[1], dot, "{precision:?} {flush}");
        }
    }
}

#[test]
fn the_trace_shows_instruction_operands_result_and_next_address() {
    let code = [
        word(Opcode::Mova, &[(Source1, 0)]),
        word(Opcode::Mad, &[(Dest, 0x11), (Index, 1), (Source1, 0), (Source2, 0x21), (Source3, 0)]),
        word(Opcode::Cmp, &[(Source1, 0), (Source2, 1)]),
        word(Opcode::Litp, &[(Dest, 2), (Source1, 0)]),
        word(Opcode::Loop, &[(Id, 1), (Target, 5)]),
        word(Opcode::Nop, &[]),
        jump(7),
        end(),
    ];
    let mut machine = machine(&code);
    let mut uniforms = Uniforms::default();
    uniforms.floats[3] = [0.5; 4];
    uniforms.ints[1] = [1, 4, 1, 0];
    machine.set_uniforms(&uniforms);
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [2.0, 1.0, 0.25, -1.0];
    let mut lines = String::new();
    machine.run_traced(&inputs, &mut |record: &TraceRecord| lines += &format!("{record}\n")).expect("ends");
    expect_test::expect![[r#"
        0x000: mova a0.xy, v0                   ; (2.0 1.0 0.25 -1.0) => a0 [2, 1]
        0x001: mad r1, v0, c1[a0.x], v0         ; (2.0 1.0 0.25 -1.0) (0.5 0.5 0.5 0.5) (2.0 1.0 0.25 -1.0) => 3.0 1.5 0.375 -1.5
        0x002: cmp v0, eq, eq, v1               ; (2.0 1.0 0.25 -1.0) (0.0 0.0 0.0 1.0) => cmp [false, false]
        0x003: litp o2, v0                      ; (2.0 1.0 0.25 -1.0) => 2.0 1.0 0.0 0.0, cmp [true, false]
        0x004: for i1, 0x5                      ; aL 4
        0x005: nop                              ; aL 5 -> 0x5
        0x005: nop                              ; aL 6
        0x006: jmpu !b15, 0x7
        0x007: end                              ; -> end
    "#]].assert_eq(&lines);
}
