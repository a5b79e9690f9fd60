//! A legal module computes what the PICA200 module computes, on bits; and reads what the register
//! file holds.

use transpica::host::{Bank, Member, MemberType, RegisterLayout, UniformBlock, layout};
use transpica::stages::ir::FloatConstants;
use transpica::stages::ir::{
    Array, Binary, Exit, Func, Lane, Module, Op, Phase, Region, RegionData, Resource, ScalarKind, Type,
    Unary, Value, ValueList, text, verify,
};
use transpica::stages::passes::analyze::offsets;
use transpica::stages::passes::analyze::ranges::{Promises, Ranges};
use transpica::stages::passes::legalize::{Built, Given, Uniforms, run};
use transpica::stages::precision::arith as scalar;
use transpica::{Options, Precision};
use transpica_proof::daily;
use transpica_proof::ir::parse;
use transpica_proof::ir::{Evaluator, InputValues as Environment, Lanes, same_numbers};
use transpica_proof::risk::first_risk;

const PRECISIONS: [Precision; 3] = [Precision::Exact, Precision::Fast, Precision::F24];

/// Values at which some rule changes, with a few ordinary ones.
const SPECIAL: [u32; 36] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0001,
    0x0000_0001,
    0x8000_0001,
    0x007F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x2080_0000,
    0x207F_FFFF,
    0xA07F_FFFF,
    0x207F_FF80,
    0x1880_0000,
    0x187F_FFFF,
    0x9880_1234,
    0x1900_0001,
    0x5F80_0000,
    0x5F7F_FFFF,
    0xDF7F_FFFF,
    0x5F7F_FF80,
    0x3F00_0000,
    0x4049_0FDB,
    0xC2F0_1234,
    0x447A_199A,
    0xC47A_199A,
    0x42FF_FF00,
    0x4300_0000,
    0xC315_8000,
    0xC316_8000,
];

pub(super) const NO_CONSTANTS: [Option<[u32; 4]>; 96] = [None; 96];

pub(super) fn run_with(
    module: &mut Module,
    precision: Precision,
    block: &UniformBlock,
    constants: &FloatConstants,
) {
    verify(module, Phase::Pica).unwrap_or_else(|error| panic!("{error}\n{}", text::print(module)));
    let mut options = Options::default();
    options.arithmetic.precision = precision;
    let offsets = offsets::run(&module.main, &options.arithmetic, constants);
    let uniforms = Uniforms { block, constants, offsets: &offsets };
    run(module, &options, Given::promises(Promises::NONE), &uniforms, &mut Built::default());
    verify(module, Phase::Legal).unwrap_or_else(|error| panic!("{error}\n{}", text::print(module)));
    // No product or sum gets a constant zero that a driver could find.
    assert_eq!(first_risk(module), None, "{}", text::print(module));
}

/// Compares two modules on some inputs; float24 narrows what the second one reads itself.
fn compare(before: &Module, after: &Module, precision: Precision, inputs: &[[Lanes; 16]]) {
    let (expected, actual) = (Evaluator::new(before).unwrap(), Evaluator::new(after).unwrap());
    for raw in inputs {
        let mut environment = Environment { inputs: *raw, ..Environment::default() };
        let actual = actual.run(precision, &environment, 1 << 20).unwrap();
        environment.inputs =
            raw.map(|lanes| lanes.map(|bits| scalar::load(precision, f32::from_bits(bits)).to_bits()));
        let expected = expected.run(precision, &environment, 1 << 20).unwrap();
        let Exit::Yield(outputs) = before.main.regions[before.main.body.unwrap()].exit else { panic!() };
        classes_are_expected(before, precision, before.main.get(outputs), &expected);
        classes_are_expected(after, precision, after.main.get(outputs), &actual);
        for ((&value, a), b) in before.main.get(outputs).iter().zip(&actual).zip(&expected) {
            assert!(
                same_numbers(before.main.ty(value).kind, *a, *b),
                "{precision:?} {value}: {a:x?}, expected {b:x?} for {:x?}\n{}\n{}",
                &raw[..2],
                text::print(before),
                text::print(after)
            );
        }
    }
}

/// No lane has a number that the analysis excludes.
fn classes_are_expected(module: &Module, precision: Precision, values: &[Value], outputs: &[Lanes]) {
    let f = &module.main;
    let mut ranges = Ranges::new(precision, None);
    ranges.sweep(f);
    for (&value, output) in
        values.iter().zip(outputs).filter(|(value, _)| f.ty(**value).kind == ScalarKind::F32)
    {
        for (index, &bits) in (0..f.ty(value).lanes).zip(output) {
            let possible = ranges.get(f, Lane::new(value, index));
            assert!(possible.contains(bits), "{value}.{index} is {bits:#x}, {possible:?}");
        }
    }
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
    fn special(&mut self) -> u32 {
        if self.below(4) == 0 { self.below(1 << 32) as u32 } else { self.pick(&SPECIAL) }
    }
}

/// A main function with an empty body.
fn empty() -> (Module, Region) {
    let mut module = Module { main: Func { name: "main".into(), ..Func::default() }, helpers: Vec::new() };
    let region = module.main.regions.push(RegionData::default());
    module.main.body = Some(region);
    (module, region)
}

fn yields(module: &mut Module, region: Region, values: &[Value]) {
    let list: ValueList = module.main.list(values.iter().copied());
    module.main.regions[region].exit = Exit::Yield(list);
}

#[test]
fn a_sum_with_zero_is_a_copy_where_no_instruction_sees_its_sign() {
    let text = "func main { %0: f32x4 = input v0 %1: f32x4 = const 0 0x80000000 0 0x80000000
        %2: f32x4 = addp %0 %1 yield %2 }";
    for (precision, helpers) in [(Precision::Exact, 0), (Precision::Fast, 0), (Precision::F24, 2)] {
        let mut module = parse(text).expect("a module");
        run_with(&mut module, precision, &UniformBlock::default(), &NO_CONSTANTS);
        assert_eq!(module.helpers.len(), helpers, "{precision:?}: {}", text::print(&module));
    }
}

/// One operation on `a` and `b`, each an input (`None`) or a constant.
fn operation(op: Binary, a: Option<Lanes>, b: Option<Lanes>) -> Module {
    let (mut module, region) = empty();
    let f = &mut module.main;
    let mut operand = |register, constant: Option<Lanes>| {
        f.emit(region, Type::F32X4, constant.map_or(Op::Read(Resource::Input(register)), Op::Const))
    };
    let (a, b) = (operand(0, a), operand(1, b));
    let result = f.emit(region, op.result(Type::F32X4), Op::Binary(op, a, b));
    yields(&mut module, region, &[result]);
    module
}

const PICA: [Binary; 7] =
    [Binary::MulP, Binary::AddP, Binary::DotP, Binary::MinP, Binary::MaxP, Binary::SgeP, Binary::SltP];

#[test]
fn two_operands_match_the_arithmetic_on_special_values() {
    let count = SPECIAL.len();
    for (precision, op) in PRECISIONS.into_iter().flat_map(|p| PICA.map(|op| (p, op))) {
        let before = operation(op, None, None);
        let mut after = before.clone();
        run_with(&mut after, precision, &UniformBlock::default(), &NO_CONSTANTS);
        for i in 0..count {
            // Each lane of b runs through all values while those of a stay.
            let lanes = |j: usize| std::array::from_fn(|lane| SPECIAL[(j + lane) % count]);
            let a: Lanes = std::array::from_fn(|lane| SPECIAL[(i + 5 * lane) % count]);
            let inputs: Vec<[Lanes; 16]> =
                (0..count).map(|j| std::array::from_fn(|v| if v == 0 { a } else { lanes(j) })).collect();
            compare(&before, &after, precision, &inputs);
            for j in (0..count).step_by(12) {
                for (x, y) in [(Some(a), None), (None, Some(lanes(j))), (Some(a), Some(lanes(j)))] {
                    let before = operation(op, x, y);
                    let mut after = before.clone();
                    run_with(&mut after, precision, &UniformBlock::default(), &NO_CONSTANTS);
                    compare(&before, &after, precision, &inputs[j..=j]);
                }
            }
        }
    }
}

#[test]
fn one_operand_matches_the_arithmetic_on_special_values() {
    let ops = [Unary::RcpP, Unary::RsqP, Unary::Exp2P, Unary::Log2P, Unary::AddressP];
    for (precision, op) in PRECISIONS.into_iter().flat_map(|p| ops.map(|op| (p, op))) {
        for bits in SPECIAL {
            for source in [Op::Read(Resource::Input(0)), Op::Const([bits; 4])] {
                let (mut before, region) = empty();
                let a = before.main.emit(region, Type::F32X4, source);
                let result = before.main.emit(region, op.result(Type::F32X4), Op::Unary(op, a));
                let mut outputs = vec![result];
                if op == Unary::AddressP && f32::from_bits(bits).is_nan() {
                    // Any address that counts as 0 will do.
                    let shuffle = Op::Shuffle([Lane::new(result, 0); 4]);
                    let offset = before.main.emit(region, Type::I32, shuffle);
                    let read = Op::ReadAt(Array::Uniform(95), offset);
                    outputs = vec![before.main.emit(region, Type::F32X4, read)];
                }
                yields(&mut before, region, &outputs);
                let mut after = before.clone();
                run_with(&mut after, precision, &UniformBlock::default(), &NO_CONSTANTS);
                compare(&before, &after, precision, &[[[bits; 4]; 16]]);
            }
        }
    }
}

#[test]
fn inputs_of_float24_programs_are_narrowed() {
    let mut random = Random(7);
    let before = parse("func main { %0: f32x4 = input v3 yield %0 }").unwrap();
    let mut after = before.clone();
    run_with(&mut after, Precision::F24, &UniformBlock::default(), &NO_CONSTANTS);
    let inputs: Vec<[Lanes; 16]> =
        (0..250).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random.special()))).collect();
    compare(&before, &after, Precision::F24, &inputs);
}

/// A random program of PICA200 operations on inputs and constants.
fn random_program(random: &mut Random) -> Module {
    let (mut module, region) = empty();
    let f = &mut module.main;
    let mut values: Vec<Value> =
        (0..3).map(|v| f.emit(region, Type::F32X4, Op::Read(Resource::Input(v)))).collect();
    for _ in 0..2 + random.below(10) {
        let ty = Type::new(ScalarKind::F32, 1 + random.below(4) as u8);
        // An operand of this type: lanes of several values.
        let operand = |f: &mut Func, random: &mut Random| {
            let all: [u32; 4] = std::array::from_fn(|_| random.special());
            let mut known = [0; 4];
            known[..usize::from(ty.lanes)].copy_from_slice(&all[..usize::from(ty.lanes)]);
            let known = f.emit(region, ty, Op::Const(known));
            let whole = random.pick(&values);
            match random.below(6) {
                0 => return known,
                1 if f.ty(whole) == ty => return whole,
                _ => {}
            }
            let mut lanes = [Lane::new(known, 0); 4];
            for lane in &mut lanes[..usize::from(ty.lanes)] {
                let value = if random.below(4) == 0 { known } else { random.pick(&values) };
                *lane = Lane::new(value, random.below(usize::from(f.ty(value).lanes)) as u8);
            }
            let first = lanes[0];
            lanes[usize::from(ty.lanes)..].fill(first);
            f.emit(region, ty, Op::Shuffle(lanes))
        };
        let (a, b) = (operand(f, random), operand(f, random));
        let b = if random.below(8) == 0 { a } else { b };
        let value = match random.below(10) {
            0 => {
                let op = random.pick(&[Unary::Neg, Unary::Abs, Unary::Floor, Unary::RcpP, Unary::RsqP]);
                f.emit(region, ty, Op::Unary(op, a))
            }
            1..4 => {
                let op = random.pick(&PICA[3..]);
                f.emit(region, ty, Op::Binary(op, a, b))
            }
            _ => {
                let op = random.pick(&PICA[..if ty.lanes > 1 { 3 } else { 2 }]);
                f.emit(region, op.result(ty), Op::Binary(op, a, b))
            }
        };
        values.push(value);
    }
    yields(&mut module, region, &values[3..]);
    module
}

#[test]
fn random_programs_match_the_arithmetic() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for _ in 0..500 {
        let before = random_program(&mut random);
        let inputs: Vec<[Lanes; 16]> =
            (0..6).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random.special()))).collect();
        for precision in PRECISIONS {
            let mut after = before.clone();
            run_with(&mut after, precision, &UniformBlock::default(), &NO_CONSTANTS);
            compare(&before, &after, precision, &inputs);
        }
    }
}

/// Numbers that decide guards and tests: of both signs, zero, infinite, NaN.
const DECISIVE: [u32; 12] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F00_0000,
    0xC020_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x0D80_0000,
];

/// Functions, products and sums of two numbers and of each other: their NaN has the same few
/// causes, and roots and logarithms are of any sign. Some values have several uses; those without
/// one are the results.
fn entangled_program(random: &mut Random) -> Module {
    let (mut module, region) = empty();
    let f = &mut module.main;
    let mut values: Vec<Value> =
        (0..2).map(|v| f.emit(region, Type::F32X4, Op::Read(Resource::Input(v)))).collect();
    let mut is_used = vec![true; 2];
    let unary = [Unary::Neg, Unary::Abs, Unary::Floor, Unary::RcpP, Unary::RsqP, Unary::Log2P, Unary::Exp2P];
    let binary = [Binary::MulP, Binary::MulP, Binary::MulP, Binary::AddP, Binary::AddP, Binary::MinP];
    for number in 0..10 {
        let mut operand = || {
            let index = random.below(values.len());
            is_used[index] = true;
            (values[index], random.below(4))
        };
        let (a, choice) = operand();
        let op = match (number < 4, choice) {
            (true, 0) => Op::Unary(Unary::Neg, f.emit(region, Type::F32X4, Op::Unary(Unary::Abs, a))),
            (true, _) | (false, 0) => Op::Unary(random.pick(&unary), a),
            (false, _) => {
                let (b, _) = operand();
                Op::Binary(random.pick(&binary), a, b)
            }
        };
        values.push(f.emit(region, Type::F32X4, op));
        is_used.push(false);
    }
    let results: Vec<Value> =
        values.into_iter().zip(is_used).filter(|(_, used)| !used).map(|it| it.0).collect();
    yields(&mut module, region, &results);
    module
}

#[test]
fn numbers_with_common_causes_match_the_arithmetic() {
    let mut random = Random(0xC0FF_EE00_1234_5678);
    let pairs: Vec<_> = DECISIVE.iter().flat_map(|&x| DECISIVE.map(|y| (x, y))).collect();
    let inputs: Vec<[Lanes; 16]> = pairs
        .as_chunks::<4>()
        .0
        .iter()
        .map(|pairs| std::array::from_fn(|v| pairs.map(|(x, y)| if v == 0 { x } else { y })))
        .collect();
    for number in 0..daily::cases("programs of numbers with common causes", 6_000, 60_000) {
        let before = entangled_program(&mut random);
        let precision = PRECISIONS[number as usize % 3];
        let mut after = before.clone();
        run_with(&mut after, precision, &UniformBlock::default(), &NO_CONSTANTS);
        compare(&before, &after, precision, &inputs);
    }
}

fn member(name: &str, bank: Bank, first: u8, count: u8, ty: MemberType) -> Member {
    Member { name: name.into(), bank, first, count, offset: 0, ty }
}

/// Two arrays, a vector, gaps: c0..c3, c4, c20..c79, i1, i2 and i3, b3, b8..b11.
pub(crate) fn symbols() -> UniformBlock {
    UniformBlock {
        members: vec![
            member("projection", Bank::Float, 0, 4, MemberType::Vec4Array(4)),
            member("tint", Bank::Float, 4, 1, MemberType::Vec4),
            member("bones", Bank::Float, 20, 60, MemberType::Vec4Array(60)),
            member("i1_unbound", Bank::Int, 1, 1, MemberType::IVec4),
            member("spans", Bank::Int, 2, 2, MemberType::IVec4Array(2)),
            member("lit", Bank::Bool, 3, 1, MemberType::Bits),
            member("flags", Bank::Bool, 8, 4, MemberType::Bits),
        ],
        ..UniformBlock::default()
    }
}

fn float(register: u8) -> Lanes {
    std::array::from_fn(|lane| (f32::from(register) * 4.0 + lane as f32 + 0.1).to_bits())
}

/// The block's members, filled with [`float`] and the values below.
fn environment(block: &UniformBlock) -> Environment {
    let members = block.members.iter().map(|m| match m.bank {
        Bank::Float => (m.first..m.first + m.count)
            .map(|c| if c < 96 { float(c) } else { [1f32.to_bits(); 4] })
            .collect(),
        Bank::Int => (0..m.count).map(|k| int(m.first + k).map(u32::from)).collect(),
        Bank::Bool => vec![[u32::from(BOOLS >> m.first) & ((1 << m.count) - 1), 0, 0, 0]],
    });
    Environment { members: members.collect(), ..Environment::default() }
}

const BOOLS: u16 = 0b1010_1010_0000_1000;

fn int(register: u8) -> [u8; 4] {
    std::array::from_fn(|lane| register * 16 + lane as u8)
}

/// c0..c95 as a program sees them.
fn file(block: &UniformBlock, constants: &[Option<[u32; 4]>; 96], precision: Precision) -> Vec<Lanes> {
    let value = |register: u8| {
        let held = block.find(Bank::Float, register).map_or([0; 4], |_| float(register));
        let lanes = constants[usize::from(register)].unwrap_or(held);
        lanes.map(|bits| scalar::load(precision, f32::from_bits(bits)).to_bits())
    };
    (0..96).map(value).collect()
}

/// Reads c0..c95, each plus an offset from v0 (or a constant), against the rule.
fn relative_reads(block: &UniformBlock, constants: &[Option<[u32; 4]>; 96], precision: Precision) {
    let step = if precision == Precision::Exact { 1 } else { 9 };
    let (mut module, region) = empty();
    let f = &mut module.main;
    let input = f.emit(region, Type::F32X4, Op::Read(Resource::Input(0)));
    let address = f.emit(region, Type::F32, Op::Shuffle([Lane::new(input, 0); 4]));
    let offset = f.emit(region, Type::I32, Op::Unary(Unary::AddressP, address));
    let reads: Vec<Value> =
        (0..96).map(|base| f.emit(region, Type::F32X4, Op::ReadAt(Array::Uniform(base), offset))).collect();
    yields(&mut module, region, &reads);
    run_with(&mut module, precision, block, constants);
    let program = Evaluator::new(&module).unwrap();
    let file = file(block, constants, precision);
    let mut environment = environment(block);
    // The host fills the array with the constants, too.
    for (register, lanes) in (0..96).zip(constants) {
        if let (Some(lanes), Some((_, element))) = (lanes, block.find(Bank::Float, register)) {
            environment.members[0][usize::from(element)] = *lanes;
        }
    }
    for offset in (-300..=300).step_by(step) {
        environment.inputs[0][0] = (offset as f32).to_bits();
        let outputs = program.run(precision, &environment, 1 << 20).unwrap();
        for (base, output) in (0..96).zip(outputs) {
            let index = scalar::uniform_index(base, offset);
            let expected = file.get(usize::from(index)).copied().unwrap_or([1f32.to_bits(); 4]);
            assert_eq!(output, expected, "c{base} + {offset}\n{}", text::print(&module));
        }
    }
}

#[test]
fn relative_reads_follow_the_rule_in_the_register_layout() {
    relative_reads(&layout::registers(&RegisterLayout::REGISTERS), &NO_CONSTANTS, Precision::Exact);
    relative_reads(&layout::registers(&RegisterLayout::REGISTERS), &NO_CONSTANTS, Precision::F24);
    let mut constants = NO_CONSTANTS;
    constants[33] = Some([1, 2, 3, 4]);
    relative_reads(&layout::registers(&RegisterLayout::REGISTERS), &constants, Precision::Fast);
}

#[test]
fn relative_reads_follow_the_rule_in_a_padded_array() {
    let mut constants = NO_CONSTANTS;
    constants[10] = Some([0x3F80_0000, 0, 0x8000_0000, 0x7FC0_0000]);
    constants[95] = Some([0x3F81_2345; 4]);
    let member = member("c", Bank::Float, 0, 128, MemberType::Vec4Array(128));
    let block = UniformBlock { members: vec![member], ..UniformBlock::default() };
    relative_reads(&block, &constants, Precision::Exact);
    relative_reads(&block, &constants, Precision::F24);
}

/// Reads c24 plus an offset within 2..20 in a module for a block.
fn clamped_read(block: &UniformBlock) -> Module {
    let mut module = parse(
        "func main {
           %0: f32x4 = input v0 %1: f32 = shuffle %0.x %2: f32 = const 2 %3: f32 = const 20
           %4: f32 = maxp %1 %2 %5: f32 = minp %4 %3 %6: i32 = addressp %5
           %7: f32x4 = uniform c24[%6] yield %7 }",
    )
    .unwrap();
    run_with(&mut module, Precision::Exact, block, &NO_CONSTANTS);
    module
}

#[test]
fn a_proven_relative_read_is_one_load() {
    // The array of the symbol, one in which it is a name, one that ends after it.
    let ends = |count| member("c", Bank::Float, 23, count, MemberType::Vec4Array(count.into()));
    let other = UniformBlock { members: vec![ends(22)], ..UniformBlock::default() };
    for block in [symbols(), layout::registers(&RegisterLayout::REGISTERS), other] {
        let module = clamped_read(&block);
        let printed = text::print(&module);
        assert_eq!(module.helpers.len(), 1, "pica_address alone: {printed}");
        assert!(!printed.contains("if "), "{printed}");
        let program = Evaluator::new(&module).unwrap();
        let mut environment = environment(&block);
        for offset in [-300, -3, 0, 2, 3, 19, 20, 21, 127, 128, 300] {
            environment.inputs[0][0] = (offset as f32).to_bits();
            let outputs = program.run(Precision::Exact, &environment, 1 << 10).unwrap();
            assert_eq!(outputs, [float(24 + offset.clamp(2, 20) as u8)], "{offset}: {printed}");
        }
    }
}

#[test]
fn a_block_without_the_array_of_a_relative_read_is_a_defect() {
    let module = parse(
        "func main { %0: f32x4 = input v0 %1: f32 = shuffle %0.x %2: i32 = addressp %1
           %3: f32x4 = uniform c24[%2] yield %3 }",
    );
    let offsets = offsets::run(&module.unwrap().main, &Options::default().arithmetic, &NO_CONSTANTS);
    let check =
        |block: UniformBlock| Uniforms { block: &block, constants: &NO_CONSTANTS, offsets: &offsets }.check();
    assert!(check(layout::registers(&RegisterLayout::REGISTERS)).is_ok());
    let error = check(symbols()).unwrap_err();
    assert!(error.to_string().contains("from c24 can reach are not an array"), "{error}");
}

#[test]
fn known_offsets_read_directly() {
    for offset in [-300, -128, -41, 0, 1, 87, 127, 128] {
        let (mut module, region) = empty();
        let f = &mut module.main;
        let offset_value = f.emit(region, Type::I32, Op::Const([i32::cast_unsigned(offset), 0, 0, 0]));
        let read = f.emit(region, Type::F32X4, Op::ReadAt(Array::Uniform(40), offset_value));
        yields(&mut module, region, &[read]);
        run_with(&mut module, Precision::Exact, &symbols(), &NO_CONSTANTS);
        assert!(module.helpers.is_empty());
        let output =
            Evaluator::new(&module).unwrap().run(Precision::Exact, &environment(&symbols()), 100).unwrap();
        let index = usize::from(scalar::uniform_index(40, offset));
        let file = file(&symbols(), &NO_CONSTANTS, Precision::Exact);
        assert_eq!(output[0], file.get(index).copied().unwrap_or([1f32.to_bits(); 4]));
    }
}

#[test]
fn direct_reads_take_members_and_constants() {
    let mut constants = NO_CONSTANTS;
    constants[10] = Some([5; 4]);
    for block in [symbols(), layout::registers(&RegisterLayout::REGISTERS)] {
        let (mut module, region) = empty();
        let f = &mut module.main;
        let floats: Vec<u8> = vec![0, 3, 4, 10, 20, 79];
        let ints = [(1, 0), (1, 3), (2, 1), (3, 2)];
        let bools = [3, 8, 9, 10, 11];
        let mut reads = Vec::new();
        reads.extend(floats.iter().map(|&c| f.emit(region, Type::F32X4, Op::Read(Resource::Uniform(c)))));
        reads.extend(ints.map(|(index, component)| {
            f.emit(region, Type::I32, Op::Read(Resource::IntUniform { index, component }))
        }));
        reads.extend(bools.map(|b| f.emit(region, Type::BOOL, Op::Read(Resource::BoolUniform(b)))));
        yields(&mut module, region, &reads);
        run_with(&mut module, Precision::Exact, &block, &constants);
        let environment = environment(&block);
        let outputs = Evaluator::new(&module).unwrap().run(Precision::Exact, &environment, 1000).unwrap();
        let mut expected: Vec<Lanes> =
            floats.iter().map(|&c| constants[usize::from(c)].unwrap_or(float(c))).collect();
        expected.extend(ints.map(|(i, lane)| [u32::from(int(i)[usize::from(lane)]), 0, 0, 0]));
        expected.extend(bools.map(|b| [u32::from(BOOLS >> b & 1), 0, 0, 0]));
        assert_eq!(outputs, expected, "{}", text::print(&module));
    }
}

#[test]
fn names_do_not_end_in_a_digit() {
    let before = parse(
        "func main { %0: f32x4 = input v0 %1: f32x4 = mulp %0 %0 %2: f32x4 = exp2p %1 %3: f32x4 = log2p %2 yield %3 }",
    )
    .unwrap();
    for precision in PRECISIONS {
        let mut module = before.clone();
        run_with(&mut module, precision, &symbols(), &NO_CONSTANTS);
        for helper in &module.helpers {
            assert!(!helper.name.ends_with(|c: char| c.is_ascii_digit()), "{}", helper.name);
        }
    }
}
