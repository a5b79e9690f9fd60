//! EX2 and LG2 of NaN, infinities, numbers out of their domain and below 2^-126: in `fast` the
//! results are the driver's, elsewhere the hardware's, except for logarithms of numbers below
//! 2^-126.

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::{Registers, Uniforms};
use transpica::settings::Arithmetic;
use transpica::{Job, Limits, Options, Precision, Profile, Program, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{Case, Verdict, compare};
use transpica_gpu::driver::Subnormals;
use transpica_gpu::{Gpu, Report, Route, run_compute};

use crate::valid::valid_shader;
use transpica_proof::unnamed::BARE;

/// Operands for which a driver's Log2 or Exp2 need not return an infinity or NaN, and IEEE's
/// results.
const LOGARITHMS: [(f32, f32); 6] = [
    (0.0, f32::NEG_INFINITY),
    (-0.0, f32::NEG_INFINITY),
    (-1.0, f32::NAN),
    (-8.0, f32::NAN),
    (f32::NEG_INFINITY, f32::NAN),
    (f32::NAN, f32::NAN),
];
const POWERS: [(f32, f32); 2] = [(f32::NAN, f32::NAN), (-f32::NAN, f32::NAN)];

/// Operands whose infinite results all drivers agree on.
const INFINITE: [f32; 4] = [f32::INFINITY, 1.0e9, f32::MAX, 129.0];

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Assembles instructions of which the last one reads v0, or r0 after others.
fn assembled(instructions: &str) -> Vec<u8> {
    let (before, last) = instructions.rsplit_once('\n').unwrap_or(("", instructions));
    let operand = if before.is_empty() { "v0" } else { "r0" };
    let components = ["x", "y", "z", "w"].map(|it| format!("{last} position.{it}, {operand}.{it}\n"));
    let text = format!(
        ".out position position\n.in v0\n.constf bound(0.25, 8.0, 0.0, 0.0)\n\
         .proc main\n{before}\n{}end\n.end\n",
        components.concat()
    );
    let assembled =
        assemble(&[SourceText { name: "test", text: &text }]).unwrap_or_else(|error| panic!("{error}"));
    assembled.bytes
}

fn program(file: &Shbin<'_>) -> Program<'static> {
    dvle::program(file, 0, &Limits::default()).expect("a vertex program")
}

/// Builds one vertex for each operand.
fn inputs(operands: impl IntoIterator<Item = f32>) -> Vec<[[f32; 4]; 16]> {
    let vertex = |operand| {
        let mut registers = Registers::DEFAULT_INPUTS;
        registers[0] = [operand; 4];
        registers
    };
    operands.into_iter().map(vertex).collect()
}

fn options(precision: Precision) -> Options {
    Options { arithmetic: Arithmetic { precision, ..Arithmetic::default() }, ..Options::default() }
}

/// Counts the operands whose result on the driver differs from IEEE's.
fn count_wrong(gpu: &Gpu, instruction: &str, answers: &[(f32, f32)]) -> usize {
    let mut translator = Translator::new(options(Precision::Fast), Profile::default());
    let bytes = assembled(instruction);
    let program = program(&Shbin::parse(&bytes).expect("well formed"));
    let translated = translator.translate(&program, &*BARE, Job::Compute).expect("it translates");
    let shader = valid_shader(&mut translator, &translated, Route::Passthrough).expect("a valid module");
    let inputs = inputs(answers.iter().map(|(operand, _)| *operand));
    let inputs: Vec<_> =
        inputs.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect();
    let outputs = run_compute(gpu, shader, &[], &inputs).unwrap_or_else(|error| panic!("{error}"));
    let is_wrong = |found: f32, right: f32| found != right && !(found.is_nan() && right.is_nan());
    let found = outputs.iter().map(|registers| f32::from_bits(registers[0][0]));
    found.zip(answers).filter(|(found, (_, right))| is_wrong(*found, *right)).count()
}

/// Compares instructions on GPU and interpreter.
fn verdict(
    gpu: &Gpu,
    instructions: &str,
    operands: impl IntoIterator<Item = f32>,
    precision: Precision,
) -> Verdict {
    let bytes = assembled(instructions);
    let file = Shbin::parse(&bytes).expect("well formed");
    let (program, mut uniforms) = (program(&file), Uniforms::default());
    let environment = FileEnvironment::new(&file, 0, "test").expect("a vertex program");
    environment.constants().apply(&mut uniforms);
    let case = Case {
        program: &program,
        environment: &environment,
        uniforms: &uniforms,
        inputs: &inputs(operands),
        options: options(precision),
        budget: 100,
    };
    compare(gpu, &case, Route::Passthrough).unwrap_or_else(|error| panic!("{instructions}: {error}"))
}

#[test]
fn drivers_may_give_numbers_for_undefined_logarithms_and_powers() {
    needs!("vulkan");
    // Driver behavior, asserted so that its end is noticed: SwiftShader's Log2 of -8 is 3, that of
    // 0 is -127, and its Exp2 of NaN is infinite.
    let gpu = gpu();
    let found = [count_wrong(&gpu, "lg2", &LOGARITHMS), count_wrong(&gpu, "ex2", &POWERS)];
    let ieee = gpu.facts().ieee_exponentials;
    assert_eq!(found, if ieee { [0, 0] } else { [LOGARITHMS.len(), POWERS.len()] }, "{}", gpu.name());
}

#[test]
fn the_driver_report_says_what_becomes_of_small_operands_and_powers() {
    needs!("vulkan");
    let gpu = gpu();
    let report = Report::new(&gpu).unwrap_or_else(|error| panic!("{error}"));
    let row = |name: &str| report.measured.iter().find(|row| row.name == name).expect("an instruction");
    let (logarithm, power) = (row("LG2"), row("EX2"));
    // A driver's behavior, asserted so that its end is noticed.
    let least = gpu.facts().least_logarithm.map(|found| [-149.0, found]);
    assert_eq!((logarithm.mistake, logarithm.small), (least, 128), "{report}");
    let said = report.to_string();
    let line = said.lines().find(|line| line.contains("LG2")).expect("a line");
    assert_eq!(line.contains("for -149.0"), least.is_some(), "{line}");
    assert!(power.subnormal > 100, "{power:?}");
    // lavapipe keeps numbers below 2^-126 everywhere else.
    if gpu.facts().subnormals != Subnormals::Open {
        assert_eq!(power.flushed, power.subnormal, "{power:?}");
    }
}

#[test]
fn logarithms_of_small_numbers_are_undecided_where_the_driver_may_take_them_for_zeros() {
    needs!("vulkan");
    let gpu = gpu();
    let numbers = [1, 0x0040_0000, 0x007F_FFFF].map(f32::from_bits);
    let compared = |sign: f32, precision| {
        let verdict = verdict(&gpu, "lg2", numbers.map(|number| sign * number), precision);
        assert!(verdict.passed(), "{precision:?}: {:?}", verdict.first);
        verdict.values
    };
    // SwiftShader has the zeros of an interpreter that flushes.
    let is_known = gpu.facts().subnormals == Subnormals::Flushed;
    assert_eq!(compared(1.0, Precision::Exact), if is_known { 12 } else { 0 });
    let is_decided = gpu.facts().subnormals != Subnormals::Open;
    assert_eq!(compared(-1.0, Precision::Exact), if is_decided { 12 } else { 0 });
    assert_eq!([1.0, -1.0].map(|sign| compared(sign, Precision::F24)), [12, 12]);
    compared(1.0, Precision::Fast);
    compared(-1.0, Precision::Fast);
}

#[test]
fn undefined_logarithms_and_powers_are_open_in_fast() {
    needs!("vulkan");
    let gpu = gpu();
    for (instruction, answers) in [("lg2", &LOGARITHMS[..]), ("ex2", &POWERS[..])] {
        let verdict =
            verdict(&gpu, instruction, answers.iter().map(|(operand, _)| *operand), Precision::Fast);
        let all = 4 * answers.len() as u64;
        let [values, excused] = if gpu.facts().ieee_exponentials { [all, 0] } else { [0, all] };
        let counted = (verdict.values, verdict.excused, verdict.excused_by_exponentials);
        assert_eq!(counted, (values, excused, excused), "{instruction}: {verdict:?}");
        assert!(verdict.passed(), "{instruction}: {:?}", verdict.first);
    }
}

#[test]
fn infinite_results_and_decisions_of_the_module_are_compared() {
    needs!("vulkan");
    let gpu = gpu();
    let exact = [Precision::Exact, Precision::F24];
    let cases = [
        ("lg2", &LOGARITHMS[..]),
        // Neither zeros nor negative numbers nor infinity: the module tests for NaN alone.
        ("max r0, bound.x, v0\nmin r0, bound.y, r0\nlg2", &LOGARITHMS[..]),
        ("ex2", &POWERS[..]),
    ];
    for (precision, (instruction, answers)) in exact.into_iter().flat_map(|it| cases.map(|case| (it, case))) {
        let verdict = verdict(&gpu, instruction, answers.iter().map(|(operand, _)| *operand), precision);
        assert!(verdict.passed(), "{instruction} {precision:?}: {:?}", verdict.first);
        assert_eq!(
            (verdict.values, verdict.excused),
            (4 * answers.len() as u64, 0),
            "{instruction} {precision:?}"
        );
    }
    let powers = verdict(&gpu, "ex2", INFINITE, Precision::Fast);
    assert_eq!((powers.values, powers.excused, powers.differing), (16, 0, 0), "{powers:?}");
    let logarithm = verdict(&gpu, "lg2", [f32::INFINITY], Precision::Fast);
    assert_eq!((logarithm.values, logarithm.excused, logarithm.differing), (4, 0, 0), "{logarithm:?}");
}
