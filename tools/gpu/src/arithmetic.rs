//! Arithmetic of a driver: every operation on numbers of every kind, with nothing declared and with
//! what the device reports, and RCP, RSQ, EX2, LG2 on blocks of operands.
//! In: a device. Out: [`Arithmetic`], a table in Markdown.

use std::fmt;

use transpica::settings::FloatControls;

use crate::compare::CompareError;
use crate::functions::{BLOCK, BLOCKS, Compiled, FUNCTIONS};
use crate::report::{Probe, named, results, rules, spread_pairs};
use crate::{Gpu, Route};

/// Operations by output register. MOV has one operand, and DP3 is a sum of products.
const OPERATIONS: [Probe; 13] = [
    ("MOV", 0x13),
    ("ADD", 0x00),
    ("MUL", 0x08),
    ("DP3", 0x01),
    ("MAX", 0x0C),
    ("MIN", 0x0D),
    ("SGE", 0x09),
    ("SLT", 0x0A),
    ("FLR", 0x0B),
    ("RCP", 0x0E),
    ("RSQ", 0x0F),
    ("EX2", 0x05),
    ("LG2", 0x06),
];

/// Kinds of operands, with their product and result. A subnormal number counts before all others,
/// since a driver that takes it for zero has another infinity or NaN; so does 2^-126, up to which
/// flushed results may be rounded.
const KINDS: [&str; 5] = ["ordinary", "zero", "subnormal", "infinite", "NaN"];

/// Magnitudes of which all pairs of both signs are tried.
const MAGNITUDES: [u32; 14] = [
    0,
    1,
    0x0040_0000,
    0x007F_FFFF,
    0x0080_0000,
    0x0080_0001,
    0x2000_0000,
    0x3F00_0001,
    0x3F80_0000,
    0x4040_0000,
    0x5F00_0001,
    0x7F7F_FFFF,
    0x7F80_0000,
    0x7FC0_0000,
];

/// Results of one operation, by kind: how many were compared, and how many differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name of the instruction.
    pub name: &'static str,
    /// Counts in the order of the columns: ordinary, zero, subnormal, infinite, NaN.
    pub counts: [[u32; 2]; KINDS.len()],
}

/// Results of a function on blocks of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Name of the function in texts.
    pub name: &'static str,
    /// Operands.
    pub compared: u64,
    /// Results that differ from the interpreter's.
    pub differing: u64,
}

/// The arithmetic of a driver.
#[derive(Clone, Debug, PartialEq)]
pub struct Arithmetic {
    /// Rules that the device reports.
    pub reported: FloatControls,
    /// Tables with what the module declares.
    pub tables: Vec<(FloatControls, Vec<Row>)>,
    /// RCP, RSQ, EX2, LG2.
    pub functions: Vec<Blocks>,
}

/// The kind of operands, their product and their result.
fn kind(numbers: [f32; 4]) -> usize {
    let any = |is: fn(f32) -> bool| numbers.iter().any(|&x| is(x));
    match () {
        () if any(|x| x.is_subnormal() || x.abs() == f32::MIN_POSITIVE) => 2,
        () if any(f32::is_nan) => 4,
        () if any(f32::is_infinite) => 3,
        () if any(|x| x == 0.0) => 1,
        () => 0,
    }
}

/// All pairs of special numbers, and ordinary ones.
fn pairs() -> Vec<[f32; 2]> {
    let special = MAGNITUDES.iter().flat_map(|&bits| [bits, bits | 1 << 31]).map(f32::from_bits);
    let all = special.clone().flat_map(|a| special.clone().map(move |b| [a, b]));
    all.chain(spread_pairs()).collect()
}

impl Arithmetic {
    /// Measures a driver. Of each function it compares this many blocks of 2^20 operands, at most
    /// 4,096, spread over all; `done` is called after each function.
    ///
    /// # Errors
    /// Errors of the library, the driver or wgpu.
    pub fn new(gpu: &Gpu, blocks: u32, done: &mut dyn FnMut(&Blocks)) -> Result<Self, CompareError> {
        let route = gpu.usual_route();
        let reported = gpu.profile(route).float_controls;
        let mut modes = vec![FloatControls::NONE];
        // naga reads no module that declares any.
        if route == Route::Passthrough && reported != FloatControls::NONE {
            modes.push(reported);
        }
        let pairs = pairs();
        let mut tables = Vec::new();
        for float_controls in modes {
            let rows = table(gpu, route, float_controls, &pairs)?;
            tables.push((float_controls, rows));
        }
        let mut functions = Vec::new();
        for function in FUNCTIONS {
            let compiled = Compiled::new(gpu, function)?;
            let mut all = Blocks { name: function.name, compared: 0, differing: 0 };
            let blocks = blocks.clamp(1, BLOCKS);
            for number in 0..blocks {
                // Range: both factors are at most 2^12.
                let (differing, _) = compiled.differing(number * BLOCKS / blocks)?;
                all.compared += u64::from(BLOCK);
                all.differing += u64::from(differing);
            }
            done(&all);
            functions.push(all);
        }
        Ok(Self { reported, tables, functions })
    }

    /// The rules of the last table's module that hold, as far as results show.
    pub fn kept(&self) -> FloatControls {
        let are_equal = |kinds: &[usize]| {
            let mut rows = self.tables.last().into_iter().flat_map(|(_, rows)| rows);
            rows.all(|row| kinds.iter().all(|&kind| row.counts[kind][1] == 0))
        };
        FloatControls { nan: are_equal(&[3, 4]), subnormals: are_equal(&[2]), rounding: are_equal(&[0, 1]) }
    }

    /// Returns whether the driver is what it declares, and every function has one result.
    pub fn passed(&self) -> bool {
        let mut rules = rules(self.kept()).into_iter().zip(rules(self.reported));
        rules.all(|((_, holds), (_, declared))| holds || !declared)
            && self.functions.iter().all(|function| function.differing == 0)
    }
}

/// Measures all operations with a module that declares some rules.
fn table(
    gpu: &Gpu,
    route: Route,
    float_controls: FloatControls,
    pairs: &[[f32; 2]],
) -> Result<Vec<Row>, CompareError> {
    let mut rows: Vec<Row> =
        OPERATIONS.iter().map(|&(name, _)| Row { name, counts: [[0; 2]; KINDS.len()] }).collect();
    let all = results(gpu, Some(route), &OPERATIONS, pairs, Some(float_controls))?;
    for ([expected, found], &[a, b]) in all.iter().zip(pairs) {
        for (register, row) in rows.iter_mut().enumerate() {
            let [expected, found] = [expected, found].map(|lanes| f32::from_bits(lanes[register][0]));
            let second = if ["MOV", "FLR", "RCP", "RSQ", "EX2", "LG2"].contains(&row.name) { a } else { b };
            let product = if ["MUL", "DP3"].contains(&row.name) { a * b } else { expected };
            let counts = &mut row.counts[kind([a, second, product, expected])];
            counts[0] += 1;
            counts[1] += u32::from(expected != found && !(expected.is_nan() && found.is_nan()));
        }
    }
    Ok(rows)
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (declared, rows) in &self.tables {
            writeln!(
                f,
                "\nModule that declares {}; results that differ, of those compared (empty: none of that kind):\n",
                named(*declared)
            )?;
            writeln!(f, "| | {} |\n|---|{}", KINDS.join(" | "), "---|".repeat(KINDS.len()))?;
            for Row { name, counts } in rows {
                let cell = |&[compared, differing]: &[u32; 2]| match (compared, differing) {
                    (0, _) => String::new(),
                    (_, 0) => "equal".to_owned(),
                    (compared, differing) => format!("{differing} of {compared}"),
                };
                let cells: Vec<String> = counts.iter().map(cell).collect();
                writeln!(f, "| {name} | {} |", cells.join(" | "))?;
            }
        }
        writeln!(f, "\n| function | operands | differ |\n|---|---|---|")?;
        for Blocks { name, compared, differing } in &self.functions {
            writeln!(f, "| `{name}` | {compared} | {differing} |")?;
        }
        let found = rules(self.kept());
        let found = found.map(|(name, holds)| format!("{name} {}", if holds { "kept" } else { "not kept" }));
        writeln!(f, "\nThe device reports {}. Found: {}.", named(self.reported), found.join(", "))?;
        writeln!(f, "By the letter its modules are {}.", self.reported.exactness())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(reported: FloatControls, wrong: Option<usize>) -> Arithmetic {
        let counts = std::array::from_fn(|kind| [9, u32::from(Some(kind) == wrong)]);
        let tables = vec![
            (FloatControls::NONE, vec![Row { name: "ADD", counts: [[9, 9]; KINDS.len()] }]),
            (reported, vec![Row { name: "MUL", counts }]),
        ];
        Arithmetic { reported, tables, functions: vec![Blocks { name: "f", compared: 9, differing: 0 }] }
    }

    #[test]
    fn a_driver_passes_if_it_is_what_it_declares() {
        // The kind of a wrong result, and the rule that it breaks.
        for (kind, rule) in [(0, 2), (1, 2), (2, 1), (3, 0), (4, 0)] {
            let all = measured(FloatControls::ALL, Some(kind));
            let held: Vec<bool> = rules(all.kept()).iter().map(|(_, holds)| *holds).collect();
            assert_eq!(held, [0, 1, 2].map(|one| one != rule), "{kind}");
            assert!(!all.passed());
            // What is not declared may be broken.
            let others = FloatControls { nan: rule != 0, subnormals: rule != 1, rounding: rule != 2 };
            assert!(measured(others, Some(kind)).passed(), "{kind}");
        }
        let mut all = measured(FloatControls::ALL, None);
        assert!(all.passed());
        all.functions[0].differing = 1;
        assert!(!all.passed());
    }

    #[test]
    fn operands_and_results_have_a_kind() {
        let (tiny, least) = (f32::MIN_POSITIVE.next_down(), f32::MIN_POSITIVE);
        for (numbers, expected) in [
            ([1.0, 2.0, 3.0, least.next_up()], 0),
            ([1.0, -0.0, 1.0, 1.0], 1),
            ([0.0, -tiny, 0.0, f32::NAN], 2),
            ([1.0, -least, 1.0, 1.0], 2),
            ([f32::INFINITY, 0.0, 1.0, 1.0], 3),
            ([f32::INFINITY, f32::NAN, 0.0, 1.0], 4),
        ] {
            assert_eq!(kind(numbers), expected, "{numbers:?}");
        }
    }
}
