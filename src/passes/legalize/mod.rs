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
//! What a PICA200 operation becomes depends on the precision and on what its operands may be. Each
//! question has one function; questions are asked from top to bottom:
//!
//! | question | function | what it may emit |
//! |---|---|---|
//! | is a product a vector over its length, which is infinite for 0 alone? | `quotient` in `products.rs` | `Mul` by the reciprocal or the largest number, with `Select` |
//! | do constants decide lanes of a product, sum or dot product? | `mul`, `add`, `dot` in `folding.rs` | constants, copies, zeros with a sign, `pica_mul_zero`, `pica_truncate`; other lanes as below |
//! | may a product be ∞ · 0 or NaN · 0? | `guarded_mul` | `Mul`, `pica_mul`, `pica_mul_first_nan`, `pica_mul_either_nan` |
//! | may a term of a dot product be one? | `guarded_dot` | `Dot` (`fast`), `pica_dot_plain`, `pica_dot`, `pica_dot_point`, both with `_or_nan` |
//! | can a sum take over the tests of its terms? | `add_with_tests` | `Select` of NaN and what `plain_add` emits: `Add`, `pica_add` (`f24`) |
//! | which lanes must be tested for NaN? | `has_nan` in `nan.rs`, by `causes.rs` | `pica_has_nan`, `pica_is_nan`, `Or` |
//! | may an operand of MIN or MAX be NaN or infinite? | `choose` in `functions.rs` | `Min`, `Max`, `Select` |
//! | where does a comparison hold? | `set` | `Select` of 1 and 0 |
//! | whose are RCP, RSQ, EX2 and LG2? | `unary` | constants, `pica_rcp`, `pica_driver_rcp` and so on, in `fast` `Div`, `Sqrt`, `Exp2`, `Log2`; `pica_address` |
//! | may FLR be of NaN or infinity? | `floor` | `Floor`, `pica_floor` |
//! | where is a register? | `registers` in `uniforms.rs` | constants, reads of members, `pica_offset`, `<member>_at`; `pica_to_float` (`f24`) |
//! | would a driver find a constant through a construct? | `hidden` in `hidden.rs` | a number that no driver knows |
//!
//! Precisions: **exact** guards as above, **fast** takes the plain operations, **f24** has helpers
//! that flush sources and truncate results, and converts inputs and uniforms first.
//!
//! Products and sums of constants are computed here, since drivers would compute them and then fold
//! the zeros among them. What could become a constant where a driver copies code is hidden from it
//! (see [`hide`](crate::passes::drivers::hide)), so that each constant is one by its definition
//! (see `constants`).
//!
//! Other files: `pass.rs` the state of a run; `facts.rs` constants and classes of lanes, and the
//! promises that they need; `constants.rs`; `lanes.rs` sets of lanes; `helpers.rs` bodies of the
//! `pica_` functions, `reciprocals.rs` those of RCP and RSQ, `built.rs` those of a module and of
//! modules before; `emit.rs`.

mod built;
mod causes;
mod constants;
pub(super) mod emit;
mod facts;
mod folding;
mod functions;
mod helpers;
mod hidden;
mod lanes;
mod nan;
mod pass;
mod products;
mod reciprocals;
mod uniforms;

pub use self::built::Built;
use self::built::Helpers;
use self::constants::Constants;
use self::emit::Emit;
use self::facts::Facts;
use self::pass::Pass;
pub use self::uniforms::Uniforms;
use self::uniforms::{Read, Registers};
use crate::host::settings::Options;
use crate::ir::{
    Array, Binary, Def, Item, Lane, Module, Node, NodeData, Op, Region, Resource, Targets, Value, ValueList,
};
use crate::machine::precision;
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::{Promises, Ranges};
use crate::passes::drivers::hide::Hide;
use crate::support::fields::HostField;

/// A region, and what its exits lead to.
type Place = (Region, Targets<Node>);

/// Facts that a module may rely on.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// The promises of the options that are believed.
    pub believed: Promises,
    /// The module declares that subnormal numbers are kept.
    pub keeps_subnormals: bool,
}

impl Given {
    /// Promises alone.
    pub const fn promises(believed: Promises) -> Self {
        Self { believed, keeps_subnormals: false }
    }
}

/// Makes a module legal for the back ends. Returns the promises that the module relies on. Helpers
/// are taken from those built before, and added to them.
pub fn run(
    module: &mut Module,
    options: &Options,
    given: Given,
    uniforms: &Uniforms<'_>,
    built: &mut Built,
) -> Promises {
    debug_assert!(module.helpers.is_empty(), "helpers are made here");
    let precision = options.arithmetic.precision;
    let converted;
    let mut constants = uniforms.constants;
    if precision.rules().rounds {
        converted = constants.map(|lanes| lanes.map(|lanes| lanes.map(truncated)));
        constants = &converted;
    }
    // Before definitions are replaced.
    let mut ranges =
        Ranges::new(precision, Some(constants)).knowing(options, given.believed, uniforms.offsets);
    if precision.rules().guards {
        ranges.sweep(&module.main);
    }
    let uses = if precision.rules().guards { products::uses(&module.main) } else { Vec::new() };
    let values = module.main.values.len();
    let mut causes = std::mem::take(&mut built.causes);
    causes.start();
    let mut pass = Pass {
        uses,
        causes: &mut causes,
        precision,
        functions: options.arithmetic.functions,
        keeps_subnormals: given.keeps_subnormals,
        facts: Facts::new(Constants::new(precision, constants, values), ranges, values),
        hide: Hide::new(&module.main, constants),
        exits: Vec::new(),
        emit: Emit::new(&mut module.main),
        helpers: Helpers::new(&mut module.helpers, built, precision),
        registers: Registers::new(Uniforms { constants, ..*uniforms }),
    };
    pass.emit.func.values.reserve(values / 4);
    pass.emit.func.pool.reserve(values / 2);
    // Parents before children: definitions are legal before their uses are looked at.
    let mut work: Vec<Place> =
        pass.emit.func.body.map(|body| (body, Targets::default())).into_iter().collect();
    while let Some(place) = work.pop() {
        pass.region(place, &mut work);
    }
    pass.hide_agreed();
    if let Some(hide) = pass.hide {
        hide.finish(pass.emit.func);
    }
    let relies_on = pass.facts.relies_on();
    built.causes = causes;
    relies_on
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

/// The f32 bits of what a float24 register keeps of a number.
fn truncated(bits: u32) -> u32 {
    precision::arith::load(Precision::F24, f32::from_bits(bits)).to_bits()
}

impl Pass<'_> {
    /// Legalizes the items of one region and adds the regions below it to the work.
    fn region(&mut self, (region, targets): Place, work: &mut Vec<Place>) {
        let mut items = std::mem::take(&mut self.emit.func.regions[region].items);
        self.emit.items.clear();
        for &item in &items {
            match item {
                Item::Let(value) => {
                    if let Def::Op(op) = self.emit.func.values[value].def {
                        self.replace(value, op);
                    }
                }
                Item::Node(node) => {
                    if let NodeData::Loop { inits, .. } = self.emit.func.nodes[node] {
                        self.hide(node, inits);
                    }
                    let (first, data) = (work.len(), &self.emit.func.nodes[node]);
                    let targets = targets.inside(data, node);
                    work.extend(data.regions().map(|region| (region, targets)));
                    work[first..].reverse();
                }
            }
            self.emit.items.push(item);
        }
        let exit = self.emit.func.regions[region].exit;
        if self.hide.is_some()
            && let Some(node) = targets.resolve(exit)
            && exit.list() != ValueList::EMPTY
            && !self.hide(node, exit.list())
        {
            self.exits.push((node, region));
        }
        items.clear();
        items.extend_from_slice(&self.emit.items);
        self.emit.func.regions[region].items = items;
    }

    /// Makes one definition legal.
    fn replace(&mut self, value: Value, op: Op) {
        let is_decided = self.hide.as_ref().is_some_and(|hide| hide.chooses(self.emit.func, op));
        let legal = self.legal(value, op);
        if let Some(legal) = legal {
            self.emit.func.values[value].def = Def::Op(legal);
        }
        if is_decided {
            let hidden = self.with_hidden_arms(legal.unwrap_or(op));
            self.emit.func.values[value].def = Def::Op(hidden);
        }
        self.facts.learn(self.emit.func, value);
        // What chooses has found no constant itself.
        let is_choice = match &self.emit.func.values[value].def {
            Def::Op(Op::Select { .. }) => true,
            Def::Op(Op::Binary(op, ..)) => op.choice().is_some(),
            _other => false,
        };
        if is_choice {
            let constant = self.facts.constants.get(value);
            if constant.lanes == (1 << self.emit.func.ty(value).lanes) - 1 {
                self.emit.func.values[value].def = Def::Op(Op::Const(constant.bits));
            }
        }
    }

    /// Returns the operation that takes the place of a value's, or `None` if that is legal.
    fn legal(&mut self, value: Value, op: Op) -> Option<Op> {
        Some(match op {
            // Operands of hooks stand for registers.
            Op::Read(Resource::Input(_) | Resource::Host(HostField::Parameter(_)))
                if self.precision.rules().rounds =>
            {
                self.float24_register(op)
            }
            Op::Read(resource @ Resource::Uniform(_)) => {
                let read = self.registers.read(&mut self.emit, resource)?;
                self.float24_register(read)
            }
            Op::Read(resource) => return self.registers.read(&mut self.emit, resource),
            Op::ReadAt(Array::Uniform(base), offset) => {
                let known = self.facts.constants.lane(Lane::new(offset, 0));
                let read = Read { value, base: base.min(95), offset, known };
                let read = self.registers.relative(&mut self.emit, &mut self.helpers, &read);
                self.float24_register(read)
            }
            Op::Unary(op, a) => return self.unary(op, a),
            Op::Binary(op, a, b) => {
                return self.quotient(value).or_else(|| self.binary(op, a, b));
            }
            _legal_as_it_is => return None,
        })
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Option<Op> {
        Some(match op {
            Binary::AddP => self.add(a, b),
            Binary::MulP => self.mul(a, b),
            Binary::DotP => self.dot(a, b),
            // The second operand, unless the first is less.
            Binary::MinP => self.choose(Binary::Min, Binary::Less, a, b),
            Binary::MaxP => self.choose(Binary::Max, Binary::Greater, a, b),
            Binary::SgeP => self.set(Binary::GreaterEqual, a, b),
            // Less, not equal.
            Binary::SltP => self.set(Binary::Less, a, b),
            _driver_s => return None,
        })
    }
}
