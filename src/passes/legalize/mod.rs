//! Replaces PICA200 arithmetic and register reads by plain operations, for one precision and one
//! uniform block.
//! In: a module without helpers. Out: the same program without operations of which [`Op::is_pica`]
//! is true; every `Add` and `Mul` it makes is free of constant zeros. Knows no encodings and no
//! back end.
//!
//! ```text
//! %2 = uniform c4 ; %3 = mulp %1, %2    =>    %2 = member 0[4] ; %3 = call pica_mul_vec4f(%1, %2)
//! ```
//!
//! * **exact**: helper functions guard products against inf · 0 (see `helpers`), unless that cannot
//!   happen (see `facts`).
//! * **fast**: the plain operations.
//! * **f24**: helper functions flush sources and truncate results; inputs and uniforms are
//!   converted first.
//!
//! [`crate::ir::known`] finds constants: lane by lane, through results and parameters.
//! Products and sums of constants are computed here, since drivers would compute them and then fold
//! the zeros among them. What could become a constant where a driver copies code is hidden from it
//! first (see `hide`).
//!
//! Files: `arith.rs` sums, constants among operands, reciprocals in each precision; `products.rs`
//! products and dot products by what their operands may be; `nan.rs` tests for NaN, `origins.rs`
//! the lanes that make one NaN, `answers.rs` those found before; `helpers.rs` the functions that
//! they call, `built.rs` those of a module and of modules before; `uniforms.rs` register reads;
//! `facts.rs` constants, numbers and NaN of lanes; `emit.rs`.

mod answers;
mod arith;
mod built;
pub(super) mod emit;
mod facts;
mod helpers;
mod nan;
mod origins;
mod products;
mod uniforms;

use self::answers::Answers;
pub use self::built::Built;
use self::built::Helpers;
use self::emit::Emit;
use self::facts::Facts;
pub use self::uniforms::Uniforms;
use self::uniforms::{Read, Registers};
use crate::host::Options;
use crate::ir::known::{FloatConstants, Known};
use crate::ir::{Array, Binary, Def, Func, Item, Lane, Module, Op, Region, Resource, Value};
use crate::machine::precision;
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::{Classes, Ranges};
use crate::passes::drivers;

/// The state of one run.
struct Pass<'a> {
    precision: Precision,
    emit: Emit<'a>,
    facts: Facts<'a>,
    helpers: Helpers<'a>,
    registers: Registers<'a>,
    /// Numbers of uses, see [`products::uses`]; empty if nothing asks.
    uses: Vec<u8>,
    /// The last answers to questions about NaN.
    answers: Answers,
}

/// Makes a module legal for the back ends. Returns whether it relies on a promise of the host.
/// Helpers are taken from those built before, and added to them.
pub fn run(module: &mut Module, options: &Options, uniforms: &Uniforms<'_>, built: &mut Built) -> bool {
    debug_assert!(module.helpers.is_empty(), "helpers are made here");
    let precision = options.arithmetic.precision;
    let converted;
    let mut constants = uniforms.constants;
    if precision.rules().rounds {
        converted = constants.map(|lanes| lanes.map(|lanes| lanes.map(truncated)));
        constants = &converted;
    }
    let (ranges, unpromised) = ranges(&module.main, options, constants);
    let known = known(&mut module.main, precision, constants);
    let uses = if precision.rules().guards { products::uses(&module.main) } else { Vec::new() };
    let mut pass = Pass {
        uses,
        answers: Answers::none(),
        precision,
        facts: Facts::new(known, ranges, unpromised, module.main.values.len()),
        emit: Emit::new(&mut module.main),
        helpers: Helpers::new(&mut module.helpers, built, precision),
        registers: Registers::new(Uniforms { constants, ..*uniforms }),
    };
    pass.emit.func.values.reserve(pass.emit.func.values.len() / 4);
    pass.emit.func.pool.reserve(pass.emit.func.values.len() / 2);
    // Parents before children: definitions are legal before their uses are looked at.
    let mut work: Vec<Region> = pass.emit.func.body.into_iter().collect();
    while let Some(region) = work.pop() {
        pass.region(region, &mut work);
    }
    pass.facts.relies_on_promises()
}

/// Remains of the rules of PICA200 products in a legal module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Guards {
    /// Products and dot products with a guard of 0 · ∞, of up to four lanes each.
    pub products: u32,
    /// Tests for NaN, of up to four lanes each.
    pub nan_tests: u32,
}

/// Counts guards and tests in the main function of a legal module.
pub fn guards(module: &Module) -> Guards {
    let mut all = Guards::default();
    for data in module.main.values.values() {
        if let Def::Op(Op::Call { helper, .. }) = data.def {
            let (products, nan_tests) = helpers::guards_of(&module.helpers[usize::from(helper)].name);
            all.products += products;
            all.nan_tests += nan_tests;
        }
    }
    all
}

/// Finds what numbers the values of a function may be, before their definitions are replaced; also
/// without promises of the host, if there are any.
fn ranges<'a>(
    f: &Func,
    options: &Options,
    constants: &'a FloatConstants,
) -> (Ranges<'a>, Option<Ranges<'a>>) {
    let precision = options.arithmetic.precision;
    let of = |options: &Options| {
        let mut ranges = Ranges::new(precision, Some(constants)).knowing(options);
        if precision.rules().guards {
            ranges.sweep(f);
        }
        ranges
    };
    let unpromised = options.unpromised();
    (of(options), (*options != unpromised).then(|| of(&unpromised)))
}

/// Finds the facts about a function before anything is replaced, and hides what has to be hidden.
fn known<'a>(f: &mut Func, precision: Precision, constants: &'a FloatConstants) -> Known<'a> {
    let mut known = Known::new(precision, Some(constants), f.values.len());
    // Elsewhere facts can be gathered on the way.
    if !f.nodes.is_empty() || f.reads().any(|(_, read)| matches!(read, Resource::Specialized(_))) {
        known.analyze(f);
        drivers::hide::run(f, &known, constants);
    }
    known
}

/// The f32 bits of what a float24 register keeps of a number.
fn truncated(bits: u32) -> u32 {
    precision::arith::load(Precision::F24, f32::from_bits(bits)).to_bits()
}

impl Pass<'_> {
    /// Legalizes the items of one region and adds the regions below it to the work.
    fn region(&mut self, region: Region, work: &mut Vec<Region>) {
        let mut items = std::mem::take(&mut self.emit.func.regions[region].items);
        self.emit.items.clear();
        self.facts.context = self.facts.known().inside(region);
        for &item in &items {
            match item {
                Item::Let(value) => {
                    if let Def::Op(op) = self.emit.func.values[value].def {
                        self.replace(value, op);
                    }
                }
                Item::Node(node) => {
                    let first = work.len();
                    work.extend(self.emit.func.nodes[node].regions());
                    work[first..].reverse();
                    self.facts.context = self.facts.known().behind(node);
                }
            }
            self.emit.items.push(item);
        }
        items.clear();
        items.extend_from_slice(&self.emit.items);
        self.emit.func.regions[region].items = items;
    }

    /// Makes one definition legal.
    fn replace(&mut self, value: Value, op: Op) {
        let legal = self.legal(value, op);
        if let Some(op) = legal {
            self.emit.func.values[value].def = Def::Op(op);
        }
        self.facts.learn(self.emit.func, value);
        // Decisions around may choose one arm: a driver would see that, too.
        let chooses = match legal.unwrap_or(op) {
            Op::Select { .. } => true,
            Op::Binary(op, ..) => op.choice().is_some(),
            _other => false,
        };
        if chooses && let Some(bits) = self.known(value) {
            self.emit.func.values[value].def = Def::Op(Op::Const(bits));
            self.facts.learn(self.emit.func, value);
        }
    }

    /// Returns whether a lane of a value may be of some class.
    fn may_be(&mut self, value: Value, classes: Classes) -> bool {
        let func = &*self.emit.func;
        self.facts.catch_up(func);
        let lanes = 0..func.ty(value).lanes;
        lanes.map(|lane| Lane::new(value, lane)).any(|lane| self.facts.classes(func, lane).has(classes))
    }

    fn may_be_nan(&mut self, value: Value) -> bool {
        self.may_be(value, Classes::NAN)
    }

    /// The lanes of a value that is constant altogether.
    fn known(&self, value: Value) -> Option<[u32; 4]> {
        let mut bits = [0; 4];
        for (index, slot) in (0..self.emit.func.ty(value).lanes).zip(&mut bits) {
            *slot = self.facts.constant(self.emit.func, Lane::new(value, index))?;
        }
        Some(bits)
    }

    /// Legal operation that takes the place of that of a value, if one must.
    fn legal(&mut self, value: Value, op: Op) -> Option<Op> {
        Some(match op {
            Op::Read(Resource::Input(_)) if self.precision.rules().rounds => self.float24_register(op),
            Op::Read(Resource::Uniform(register)) => {
                let read = self.registers.float(register.min(95));
                self.float24_register(read)
            }
            Op::Read(Resource::IntUniform { index, component }) => {
                self.registers.int(&mut self.emit, index, component)
            }
            Op::Read(Resource::BoolUniform(register)) => self.registers.bool(&mut self.emit, register),
            Op::ReadAt(Array::Uniform(base), offset) => {
                let known = self.facts.constant(self.emit.func, Lane::new(offset, 0));
                let read = Read { value, base: base.min(95), offset, known };
                let read = self.registers.relative(&mut self.emit, &mut self.helpers, &read);
                self.float24_register(read)
            }
            Op::Unary(op, a) => return self.unary(op, a),
            Op::Binary(op, a, b) => return self.binary(op, a, b),
            _legal_as_it_is => return None,
        })
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Option<Op> {
        Some(match op {
            Binary::AddP => self.add(a, b),
            Binary::MulP => self.mul(a, b),
            Binary::DotP => self.dot(a, b),
            // The second operand, unless the first is less.
            Binary::MinP => self.choose([Binary::Min, Binary::NMin], Binary::Less, a, b),
            Binary::MaxP => self.choose([Binary::Max, Binary::NMax], Binary::Greater, a, b),
            Binary::SgeP => self.set(Binary::GreaterEqual, a, b),
            // Less, not equal.
            Binary::SltP => self.set(Binary::Less, a, b),
            _driver_s => return None,
        })
    }
}
