use transpica::host::dvle;
use transpica::interp::{Registers, Settings};
use transpica::settings::{Assume, Promise};
use transpica::{Limits, Machine, Shbin};
use transpica_asm::{SourceText as Text, assemble};

use super::*;
use crate::driver::{Facts, Subnormals, UNKNOWN};

/// A driver that rounds reciprocals, and of which nothing else is known.
const ROUNDS: Facts = {
    let mut facts = UNKNOWN;
    facts.reciprocal_ulp = 0.0;
    facts
};

/// The bounds of a program's outputs for one value of v0.
fn bounds(body: &str, v0: [f32; 4]) -> [[f64; 4]; 16] {
    bounds_on(body, v0, Route::Passthrough)
}

/// The same bounds on a given route.
fn bounds_on(body: &str, v0: [f32; 4], route: Route) -> [[f64; 4]; 16] {
    bounds_with(body, v0, &|program| arithmetic(program, &Options::default(), route, &ROUNDS))
}

/// The same bounds for given driver arithmetic.
fn bounds_with(
    body: &str,
    v0: [f32; 4],
    arithmetic: &dyn Fn(&Program<'_>) -> Option<Arithmetic>,
) -> [[f64; 4]; 16] {
    bounds_in("", body, v0, arithmetic)
}

/// The bounds of a program with more declarations, where EX2 alone is approximate.
fn bounds_of(declared: &str, body: &str, v0: [f32; 4]) -> [[f64; 4]; 16] {
    bounds_in(declared, body, v0, &|program| {
        arithmetic(program, &Options::default(), Route::Passthrough, &ROUNDS)
    })
}

fn bounds_in(
    more: &str,
    body: &str,
    v0: [f32; 4],
    arithmetic: &dyn Fn(&Program<'_>) -> Option<Arithmetic>,
) -> [[f64; 4]; 16] {
    let declared = ".out position position\n.out color color\n.in v0\n.constf low(0.0, 2.0, 1.0, 1.0e30)\n";
    let text = format!("{declared}{more}.proc main\n{body}\nend\n.end\n");
    let bytes = assemble(&[Text { name: "test", text: &text }]).unwrap_or_else(|e| panic!("{e}")).bytes;
    let file = Shbin::parse(&bytes).expect("well formed");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a vertex program");
    let mut machine = Machine::new(&program, Settings::default()).expect("a vertex program");
    let mut uniforms = transpica::isa::Uniforms::default();
    let environment = dvle::FileEnvironment::new(&file, 0, "test").expect("there");
    environment.constants().apply(&mut uniforms);
    machine.set_uniforms(&uniforms);
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = v0;
    let Some(arithmetic) = arithmetic(&program) else { return EXACT };
    let mut follow = Follow::new(arithmetic, &program, &Control::default());
    machine.run_traced(&inputs, &mut |record: &TraceRecord| follow.step(record)).expect("ends");
    follow.outputs().map(|register| register.map(|bound| bound.most))
}

const EXACT: [[f64; 4]; 16] = [[0.0; 4]; 16];

const OPEN: f64 = f64::INFINITY;

#[test]
fn values_without_approximate_operands_are_exact() {
    let found = bounds("ex2 r0, v0.x\nmul position, v0, v0\nmov color, v0", [1.0; 4]);
    assert_eq!(found, EXACT);
}

#[test]
fn approximate_values_have_the_bound_of_vulkan() {
    let found = bounds("ex2 position, v0.x\nlg2 color, v0.y", [3.0, 8.0, 0.0, 0.0]);
    let [power, logarithm] = [found[0][0], found[1][0]];
    // (3 + 2 · 3) ulp of 8, and the rounding of the result.
    assert!((9.0..11.0).contains(&(power / (8.0 * f64::from(f32::EPSILON)))), "{power}");
    assert!((3.0..5.0).contains(&(logarithm / (3.0 * f64::from(f32::EPSILON)))), "{logarithm}");
}

#[test]
fn a_comparison_is_open_only_near_its_threshold() {
    // 2^1 is close to low.y alone.
    let found = bounds("ex2 r0, v0.x\nslt position, r0, low", [1.0; 4]);
    assert_eq!(found[0], [0.0, OPEN, 0.0, 0.0]);
}

#[test]
fn a_maximum_of_nan_is_open_in_fast_alone() {
    let body = "max r0, low, v0\nmov position, r0\nrcp color, r0.y";
    let found = |precision| {
        bounds_with(body, [0.0, f32::NAN, 2.0, -0.0], &|_| {
            let (order, exponentials) = (Order::DotProducts, Exponentials::Portable);
            let subnormals = Subnormals::Open;
            Some(Arithmetic {
                precision,
                order,
                exponentials,
                subnormals,
                reciprocal_ulp: 0.0,
                is_promised: false,
            })
        })
    };
    let least = f64::from(f32::from_bits(1));
    let fast = found(Precision::Fast);
    // A driver takes either of two zeros; low is (0, 2, 1, 1e30).
    assert!(fast[0][0] >= least, "{fast:?}");
    assert_eq!((fast[0][1], fast[0][2], fast[1][0]), (OPEN, 0.0, OPEN));
    assert_eq!(found(Precision::Exact), EXACT);
}

#[test]
fn a_comparison_of_a_flushed_power_is_open() {
    // 2^-130 is below every normal number, so drivers may compare 0 with 0.
    let found = bounds("ex2 r0, v0.x\nslt position, -r0, low", [-130.0; 4]);
    assert_eq!(found[0], [OPEN, 0.0, 0.0, 0.0]);
}

#[test]
fn an_open_branch_opens_what_its_paths_write() {
    let body = "ex2 r0, v0.x\nmov position, v0\ncmp low.y, gt, gt, r0\nifc cmp.x\nmov color.xy, v0.xy\n.end";
    assert_eq!(bounds(body, [1.0; 4])[..2], [[0.0; 4], [OPEN, OPEN, 0.0, 0.0]]);
    assert_eq!(bounds(body, [2.0; 4]), EXACT);
    // Everything from both parts, and what follows from it, but not what is written again later.
    let body = "ex2 r0, v0.x\nmov r1, v0\nmov r2, v0\nmov r3, v0\ncmp low.y, gt, gt, r0\nifc cmp.x\nmov r1, v0.y\nmov r3, v0.y\n\
                .else\nmov r2.x, v0.z\n.end\nmov r1.y, v0.y\nmov r3, v0\nadd position, r1, r3\nmov color, r2";
    assert_eq!(bounds(body, [1.0; 4])[..2], [[OPEN, 0.0, OPEN, OPEN], [OPEN, 0.0, 0.0, 0.0]]);
}

#[test]
fn an_open_decision_in_a_loop_opens_what_the_loop_writes() {
    let start = ".consti often(5, 0, 1, 0)\n";
    let body = "ex2 r0, v0.x\nmov r1, v0\nmov r2, v0\nfor often\nadd r1.x, r1.x, r0.x\ncmp low.y, gt, gt, r0.x\nbreakc cmp.x\n.end\n\
                mov position, r1\nmov color, r2";
    let found = bounds_of(start, body, [1.0, -0.5, 0.0, 0.0]);
    assert!(found[0][0] == OPEN && found[0][1..] == [0.0; 3] && found[1] == [0.0; 4], "{found:?}");
}

#[test]
fn an_open_decision_about_the_end_opens_what_may_be_left_out() {
    let body = "ex2 r0, v0.x\nmov position, v0\ncmp low.y, gt, gt, r0\njmpc cmp.x, done\nmov color.xy, v0\ncall more\ndone: nop";
    let found = bounds(&format!("{body}\nend\n.end\n.proc more\nmov color.z, v0"), [1.0; 4]);
    assert_eq!(found[..2], [[0.0; 4], [OPEN, OPEN, OPEN, 0.0]]);
}

#[test]
fn a_selection_has_the_bound_of_the_selected_value() {
    let found = bounds("ex2 r0, v0.x\nmax position, low, r0", [1.0; 4]);
    let [x, y, z, w] = found[0];
    assert!(x > 0.0 && y == x && z == x && w == 0.0, "{found:?}");
}

#[test]
fn a_floor_and_an_address_move_only_near_an_integer() {
    assert_eq!(bounds("ex2 r0, v0.x\nflr position, r0", [1.0; 4])[0], [1.0; 4]);
    assert_eq!(bounds("ex2 r0, v0.x\nflr position, r0", [1.5; 4])[0], [0.0; 4]);
    let read = "ex2 r0, v0.x\nmova a0.x, r0.x\nmov position, low[a0.x]";
    assert_eq!(bounds(read, [1.0; 4])[0], [OPEN; 4]);
    assert_eq!(bounds(read, [1.5; 4])[0], [0.0; 4]);
}

#[test]
fn logarithms_of_numbers_that_drivers_flush_are_open() {
    let found = |precision, subnormals, operand: f32| {
        let (options, mut facts) = (options(precision), ROUNDS);
        facts.subnormals = subnormals;
        let arithmetic = |program: &Program<'_>| arithmetic(program, &options, Route::Passthrough, &facts);
        bounds_with("lg2 position, v0.x", [operand; 4], &arithmetic)[0][0]
    };
    for subnormals in [Subnormals::Kept, Subnormals::Open] {
        let exact = |operand| found(Precision::Exact, subnormals, operand);
        assert_eq!([1.0e-40, 0.0, -1.0].map(exact), [OPEN, 0.0, 0.0], "{subnormals:?}");
        // NaN where the driver keeps its sign, else perhaps that of a zero.
        let may_flush = subnormals == Subnormals::Open;
        assert_eq!(exact(-1.0e-40), if may_flush { OPEN } else { 0.0 }, "{subnormals:?}");
        // float24 modules flush, whatever the driver does.
        let f24 = |operand| found(Precision::F24, subnormals, operand);
        assert_eq!([1.0e-40, 1.0e-20, -1.0e-40, -1.0e-20].map(f24), [0.0; 4], "{subnormals:?}");
        assert!((1.0e-6..1.0e-2).contains(&f24(1.0e-18)), "{}", f24(1.0e-18));
    }
}

fn options(precision: Precision) -> Options {
    let mut options = Options::default();
    options.arithmetic.precision = precision;
    options
}

/// The bounds of o0 in `fast`: with IEEE exponentials, and on an unknown driver.
fn fast_bounds(body: &str, v0: [f32; 4]) -> [[f64; 4]; 2] {
    let options = options(Precision::Fast);
    [true, false].map(|ieee_exponentials| {
        let mut facts = ROUNDS;
        facts.ieee_exponentials = ieee_exponentials;
        let arithmetic = |program: &Program<'_>| arithmetic(program, &options, Route::Passthrough, &facts);
        bounds_with(body, v0, &arithmetic)[0]
    })
}

#[test]
fn logarithms_of_negative_numbers_are_open_where_the_driver_decides() {
    const NAN: f32 = f32::NAN;
    const INFINITY: f32 = f32::INFINITY;
    let body = "lg2 position.x, v0.x\nlg2 position.y, v0.y\nlg2 position.z, v0.z\nlg2 position.w, v0.w";
    for (v0, open) in [
        ([0.0, -1.0, NAN, -INFINITY], [OPEN; 4]),
        ([-0.0, INFINITY, -f32::MIN_POSITIVE, NAN], [OPEN, 0.0, OPEN, OPEN]),
    ] {
        assert_eq!(fast_bounds(body, v0), [[0.0; 4], open], "{v0:?}");
        // In the other precisions the module decides.
        assert_eq!(bounds(body, v0)[0], [0.0; 4], "{v0:?}");
    }
    // Near zero the sign is uncertain.
    let near = "ex2 r0, v0.x\nadd r0, -low.y, r0\nlg2 position, r0.x";
    assert_eq!(fast_bounds(near, [1.0; 4]), [[OPEN; 4]; 2]);
    assert_eq!(fast_bounds(near, [0.0; 4]), [[0.0; 4], [OPEN; 4]]);
    let [ieee, other] = fast_bounds(near, [3.0; 4]);
    assert!(ieee == other && ieee[0] > 0.0 && ieee[0] < 1.0e-5, "{ieee:?}");
}

#[test]
fn powers_of_nan_are_open_where_the_driver_decides() {
    let body = "ex2 position.x, v0.x\nex2 position.y, v0.y\nex2 position.z, v0.z\nex2 position.w, v0.w";
    let v0 = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0e9];
    assert_eq!(fast_bounds(body, v0), [[0.0; 4], [OPEN, 0.0, 0.0, 0.0]]);
    assert_eq!(bounds(body, v0)[0], [0.0; 4]);
}

#[test]
fn values_that_the_driver_decides_open_their_users() {
    let body = "lg2 r0, v0.x\nslt position, r0, low\nmov color, v0";
    assert_eq!(fast_bounds(body, [-1.0; 4]), [[0.0; 4], [OPEN; 4]]);
    assert_eq!(fast_bounds("lg2 r0, v0.x\nmov position, v0", [-1.0; 4]), [[0.0; 4]; 2]);
    for operation in
        ["flr position, r0", "rcp position, r0.x", "max position, low, r0", "dp4 position, r0, v0"]
    {
        let body = format!("lg2 r0, v0.x\n{operation}");
        // Drivers take either operand of a maximum where one is NaN.
        let ieee = if operation.starts_with("max") { [OPEN; 4] } else { [0.0; 4] };
        assert_eq!(fast_bounds(&body, [f32::NAN; 4]), [ieee, [OPEN; 4]], "{operation}");
        let of_zero = fast_bounds(&body, [0.0; 4])[1];
        assert_eq!(of_zero, [OPEN; 4], "{operation}");
    }
}

#[test]
fn reciprocals_of_possible_zeros_are_open() {
    let body = "lg2 r0, v0.x\nrcp position, r0.x";
    assert_eq!(bounds(body, [1.0; 4])[0], [OPEN; 4]);
    let far = bounds(body, [4.0; 4])[0][0];
    assert!(far > 0.0 && far < 1.0e-6, "{far}");
}

/// Reciprocals that a driver need not round have a distance, those that are infinite have none.
#[test]
fn reciprocals_of_other_drivers_are_near() {
    let body = "rcp position, v0.x\nrsq color, v0.y";
    let found = |x: f32| {
        bounds_with(body, [x; 4], &|program| {
            arithmetic(program, &Options::default(), Route::Passthrough, &UNKNOWN)
        })
    };
    let [near, infinite] = [found(4.0), found(0.0)];
    assert!(near[0][0] > 0.0 && near[1][0] > 0.0, "{near:?}");
    assert_eq!(infinite[0][0], 0.0);
}

/// The bounds of o0.x and o1.x where the order of operations is free.
fn open_order(body: &str, v0: [f32; 4]) -> [f64; 2] {
    let found = bounds_on(body, v0, Route::Wgsl);
    assert_eq!(bounds(body, v0), EXACT, "without that freedom all is exact: {body}");
    [found[0][0], found[1][0]]
}

#[test]
fn a_single_operation_has_no_reordering_error() {
    let third = [0.1, 0.3, 0.7, 1.0];
    assert_eq!(open_order("mul position, v0, v0\nadd color, v0, v0.y", third), [0.0; 2]);
    assert_eq!(open_order("rcp position, v0.x\nrsq color, v0.y", third)[0], 0.0);
}

#[test]
fn sums_of_products_have_a_reordering_error() {
    let [product, dot] =
        open_order("mad position, v0.x, v0.y, v0.z\ndp4 color, v0, v0", [0.1, 0.3, 0.7, 1.0]);
    let ulp = f64::from(f32::EPSILON);
    assert!((1.0..4.0).contains(&(product / (0.73 * ulp))), "{product}");
    assert!((4.0..12.0).contains(&(dot / (1.59 * ulp))), "{dot}");
}

#[test]
fn sums_of_numbers_with_few_bits_are_exact_in_every_order() {
    let body = "mad r0, v0.x, v0.y, v0.z\ndp4 r1, r0, v0\nadd position, r0, -r1\nslt color, r0, r1";
    assert_eq!(open_order(body, [3.0, -0.5, 1024.0, 7.0]), [0.0; 2]);
}

#[test]
fn an_operation_on_inexact_values_has_a_rounding_error() {
    // The sum of a power and 90 moves by one ulp where the power itself moves by much less.
    let sum = |route| bounds_on("ex2 r0, v0.x\nadd position, v0.y, r0", [-8.5, 90.0, 0.0, 0.0], route)[0][0];
    let least = f64::from(90.1f32.next_up() - 90.1);
    for route in [Route::Passthrough, Route::Wgsl] {
        assert!((least..3.0 * least).contains(&sum(route)), "{route:?}: {}", sum(route));
    }
}

#[test]
fn cancellation_keeps_the_error_of_its_operands() {
    // 0.1 · 0.3 - 0.1 · 0.3 is zero here, and the rounding error of 0.03 on a driver that
    // fuses.
    let body = "mul r0, v0.x, v0.y\nmad position, -v0.x, v0.y, r0\nslt color, low.x, position";
    let body = body.replace("low.x, position", "r0, low.x");
    let [difference, comparison] = open_order(&body, [0.1, 0.3, 0.0, 0.0]);
    assert!((1.0e-8..4.0e-8).contains(&difference), "{difference}");
    assert_eq!(comparison, 0.0);
}

#[test]
fn a_decision_within_the_error_of_an_order_is_open() {
    let near = "mad r0, v0.x, v0.y, v0.z\nslt position, r0, v0.w\nsge color, r0, r0";
    let sum = 0.1f32 * 0.3 + 0.7;
    assert_eq!(open_order(near, [0.1, 0.3, 0.7, sum]), [OPEN, 0.0]);
    assert_eq!(open_order(near, [0.1, 0.3, 0.7, 0.74]), [0.0, 0.0]);
}

#[test]
fn infinities_and_nan_are_exact_in_every_order() {
    let body = "mad r0, v0.x, v0.y, v0.z\nmov position, r0\nmad color, v0.y, v0.z, v0.x";
    for special in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(open_order(body, [special, 0.3, 0.7, 0.0]), [0.0; 2]);
    }
    // A product with zero is zero, even for an infinity.
    assert_eq!(open_order(body, [f32::INFINITY, 0.0, 0.7, 0.0]), [0.0; 2]);
}

#[test]
fn a_value_minus_itself_may_be_zero() {
    let body = "add position, v0.x, -v0.x\nadd color, v0.x, -v0.y";
    for special in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(open_order(body, [special, special, 0.0, 0.0]), [OPEN, 0.0], "{special}");
    }
    assert_eq!(open_order(body, [0.1, 0.3, 0.0, 0.0]), [0.0; 2]);
}

#[test]
fn a_sum_that_overflows_in_one_order_is_open() {
    // An overflow occurs in every order, but values computed from it are uncertain.
    let body = "mul r0, v0.x, v0.y\nmov position, r0\nmul color, r0, v0.z";
    assert_eq!(open_order(body, [1.0e30, 1.0e30, 1.0e-30, 0.0]), [0.0, OPEN]);
    let sum = "add r0, v0.x, v0.y\nadd position, r0, v0.z\nmov color, r0";
    assert_eq!(open_order(sum, [3.0e38, -3.0e38, 3.0e38, 0.0]), [OPEN, 0.0]);
}

#[test]
fn products_without_guards_may_overflow_in_another_order() {
    let promised = |body: &str, v0| {
        let assume = Assume { uniforms: Promise::FINITE, ..Assume::default() };
        [Assume::default(), assume].map(|assume| {
            let options = Options { assume, ..Options::default() };
            bounds_with(body, v0, &|program| arithmetic(program, &options, Route::Wgsl, &ROUNDS))[0][0]
        })
    };
    let body = "mul r0, v0.x, v0.y\nmul position, r0, v0.z";
    for first in [0.0, 1.0e-38] {
        assert_eq!(promised(body, [first, 1.0e30, 1.0e30, 0.0])[1], OPEN, "{first}");
    }
    assert_eq!(promised(body, [0.0, 1.0e30, 1.0e30, 0.0])[0], 0.0);
    assert_eq!(promised(body, [0.0, 1.0e3, 1.0e30, 0.0]), [0.0; 2]);
}
