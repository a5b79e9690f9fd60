//! RCP, RSQ, EX2 and LG2 at the edges of their domains, and as the driver has them.

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::{Registers, Uniforms};
use transpica::settings::{Arithmetic, Functions};
use transpica::{Limits, Options, Precision, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{Case, EmptyReason, Outcome, Verdict, compare};
use transpica_gpu::functions::{BLOCKS, Compiled, FUNCTIONS as FUNCTIONS_OF_MODULES};
use transpica_gpu::{Gpu, Report, Route};
use transpica_proof::daily;

/// The instructions.
const FUNCTIONS: [&str; 4] = ["rcp", "rsq", "ex2", "lg2"];

/// Magnitudes on both sides of each edge: of subnormal operands, of subnormal, infinite and zero
/// results, and of steps where a seed is a power of two.
const MAGNITUDES: [u32; 23] = [
    0,
    1,
    2,
    0x0040_0000,
    0x007F_FFFF,
    0x0080_0000,
    0x0080_0001,
    0x3F00_0000,
    0x3F7F_FFFF,
    0x3F80_0000,
    0x3F80_0001,
    0x4080_0000,
    0x42FB_FFFF,
    0x42FC_0000,
    0x42FC_0001,
    0x42FF_FFFF,
    0x4300_0000,
    0x4E6E_6B28,
    0x7E80_0000,
    0x7EFF_FFFF,
    0x7F7F_FFFF,
    0x7F80_0000,
    0x7FC0_0001,
];

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares an instruction on GPU and interpreter, one operand a vertex.
fn verdict(gpu: &Gpu, instruction: &str, arithmetic: Arithmetic, route: Route) -> Verdict {
    let text =
        format!(".out position position\n.in v0\n.proc main\n{instruction} position, v0.x\nend\n.end\n");
    let assembled =
        assemble(&[SourceText { name: "test", text: &text }]).unwrap_or_else(|error| panic!("{error}"));
    let file = Shbin::parse(&assembled.bytes).expect("well formed");
    let environment = FileEnvironment::new(&file, 0, "test").expect("a vertex program");
    let vertex = |bits: u32| {
        let mut registers = Registers::DEFAULT_INPUTS;
        registers[0] = [f32::from_bits(bits); 4];
        registers
    };
    let case = Case {
        program: &dvle::program(&file, 0, &Limits::default()).expect("a vertex program"),
        environment: &environment,
        uniforms: &Uniforms::default(),
        inputs: &MAGNITUDES.map(|bits| [bits, bits | 1 << 31].map(vertex)).concat(),
        options: Options { arithmetic, ..Options::default() },
        budget: 100,
    };
    compare(gpu, &case, route).unwrap_or_else(|error| panic!("{instruction}: {error}"))
}

#[test]
fn edges_of_functions_are_the_interpreters() {
    needs!("vulkan");
    let gpu = gpu();
    for (instruction, precision) in FUNCTIONS
        .into_iter()
        .flat_map(|it| [Precision::Exact, Precision::F24].map(|precision| (it, precision)))
    {
        for route in Route::ALL {
            let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
            let verdict = verdict(&gpu, instruction, arithmetic, route);
            let name = route.name();
            assert!(verdict.passed(), "{instruction} {precision:?} {name}: {:?}", verdict.first);
            assert_eq!(verdict.values, 8 * MAGNITUDES.len() as u64, "{instruction} {precision:?} {name}");
        }
    }
}

/// Blocks of operands, spread over all: signs, exponents and significands.
#[test]
fn functions_of_many_operands_are_the_interpreters() {
    needs!("vulkan");
    let gpu = gpu();
    let blocks = daily::cases("blocks of 2^20 operands of each function", 6, 64) as u32;
    for function in FUNCTIONS_OF_MODULES {
        let compiled = Compiled::new(&gpu, function).unwrap_or_else(|error| panic!("{error}"));
        // Exponents of both parities; block 0 has subnormal operands, 2030 subnormal reciprocals.
        for block in (0..blocks).map(|number| number * BLOCKS / blocks + number % 16).chain([2030]) {
            let (differing, last) = compiled.differing(block).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(differing, 0, "{}: block {block}, the last {last:#010x}", function.name);
        }
    }
}

#[test]
fn functions_of_the_driver_leave_nothing_to_compare() {
    needs!("vulkan");
    let gpu = gpu();
    let driver = Arithmetic { functions: Functions::Driver, ..Arithmetic::default() };
    for arithmetic in [driver, Arithmetic { precision: Precision::Fast, ..Arithmetic::default() }] {
        for instruction in FUNCTIONS {
            let verdict = verdict(&gpu, instruction, arithmetic, Route::Passthrough);
            assert_eq!((verdict.outcome(), verdict.values), (Outcome::Nothing(EmptyReason::Open), 0));
        }
    }
}

#[test]
fn the_driver_report_has_functions_without_a_difference() {
    needs!("vulkan");
    let gpu = gpu();
    let report = Report::new(&gpu).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = report.measured.iter().map(|row| row.name).collect();
    assert_eq!(names, ["ADD", "MUL", "RCP", "RSQ", "EX2", "LG2", "DP4 as naga writes it"]);
    for row in &report.measured[..6] {
        assert_eq!((row.differing, row.other_class), (0, 0), "{report}");
        assert!(row.subnormal > 100, "{report}");
    }
}
