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
//! Products and sums of constants are computed here, since drivers would compute them and then fold
//! the zeros among them. What could become a constant where a driver copies code is hidden from it
//! (see [`hide`](crate::passes::drivers::hide)), so that each constant is one by its definition
//! (see `constants`).
//!
//! Files: `arith.rs` sums, constants among operands, reciprocals in each precision; `products.rs`
//! products and dot products by what their operands may be; `nan.rs` tests for NaN, `causes.rs` the
//! lanes that make one NaN; `helpers.rs` the functions that they call, `built.rs` those of a module
//! and of modules before; `uniforms.rs` register reads; `facts.rs` constants, numbers and NaN of
//! lanes, `constants.rs` the first of these; `emit.rs`.

mod arith;
mod built;
mod causes;
mod constants;
pub(super) mod emit;
mod facts;
mod helpers;
mod nan;
mod products;
mod uniforms;

pub use self::built::Built;
use self::built::Helpers;
use self::causes::Memory;
use self::constants::Constants;
use self::emit::Emit;
use self::facts::Facts;
pub use self::uniforms::Uniforms;
use self::uniforms::{Read, Registers};
use crate::host::settings::Options;
use crate::ir::{
    Array, Binary, Def, FloatConstants, Func, Item, Lane, Module, Node, NodeData, Op, Region, Resource,
    ScalarKind, Targets, Value, ValueList,
};
use crate::machine::precision;
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::{Classes, Ranges};
use crate::passes::drivers::hide::Hide;

/// A region, and what its exits lead to.
type Place = (Region, Targets<Node>);

/// The state of one run.
struct Pass<'a> {
    precision: Precision,
    emit: Emit<'a>,
    facts: Facts<'a>,
    helpers: Helpers<'a>,
    registers: Registers<'a>,
    /// The constants that are hidden, if any has to be.
    hide: Option<Hide>,
    /// The exits that give constants which are not hidden, and the constructs that they lead to.
    exits: Vec<(Node, Region)>,
    /// Numbers of uses, see [`products::uses`]; empty if nothing asks.
    uses: Vec<u8>,
    /// Causes of NaN that were found.
    causes: &'a mut Memory,
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
    let uses = if precision.rules().guards { products::uses(&module.main) } else { Vec::new() };
    let values = module.main.values.len();
    let mut causes = std::mem::take(&mut built.causes);
    causes.start();
    let mut pass = Pass {
        uses,
        causes: &mut causes,
        precision,
        facts: Facts::new(Constants::new(precision, constants, values), ranges, unpromised, values),
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
    let relies = pass.facts.relies_on_promises();
    built.causes = causes;
    relies
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

    /// Hides the constants among the values that a construct takes, if it must; whether it must.
    fn hide(&mut self, node: Node, list: ValueList) -> bool {
        let takes = self.hide.as_ref().is_some_and(|hide| hide.takes(node));
        if takes {
            for index in list.range() {
                self.emit.func.pool[index] = self.hidden(self.emit.func.pool[index], 15);
            }
        }
        takes
    }

    /// Hides the constants that all exits give a result, in the first of them.
    fn hide_agreed(&mut self) {
        if self.hide.is_none() {
            return;
        }
        let mut exits = std::mem::take(&mut self.exits);
        exits.sort_by_key(|(node, _)| *node);
        for exits in exits.chunk_by(|(a, _), (b, _)| a == b) {
            let list = |f: &Func, (_, region): (Node, Region)| f.regions[region].exit.list();
            for at in 0..list(self.emit.func, exits[0]).len as usize {
                let constant = |f: &Func, exit| self.facts.constants.get(f.get(list(f, exit))[at]);
                let mut agreed = constant(self.emit.func, exits[0]);
                for &exit in &exits[1..] {
                    agreed = agreed.and(constant(self.emit.func, exit));
                }
                if agreed.lanes != 0 {
                    let region = exits[0].1;
                    let index = list(self.emit.func, exits[0]).range().start + at;
                    self.emit.items = std::mem::take(&mut self.emit.func.regions[region].items);
                    self.emit.func.pool[index] = self.hidden(self.emit.func.pool[index], agreed.lanes);
                    self.emit.func.regions[region].items = std::mem::take(&mut self.emit.items);
                }
            }
        }
    }

    /// The operation with the constants hidden that it chooses from.
    fn with_hidden_arms(&mut self, op: Op) -> Op {
        match op {
            Op::Select { cond, a, b } => Op::Select { cond, a: self.hidden(a, 15), b: self.hidden(b, 15) },
            Op::Binary(op, a, b) => Op::Binary(op, self.hidden(a, 15), self.hidden(b, 15)),
            _folded => op,
        }
    }

    /// A value with those of the lanes hidden that are constant, for a place where a driver may
    /// find them.
    fn hidden(&mut self, value: Value, lanes: u8) -> Value {
        let ty = self.emit.func.ty(value);
        if self.hide.is_none() || ty.kind != ScalarKind::F32 {
            return value;
        }
        self.facts.catch_up(self.emit.func);
        let constant = self.facts.constants.get(value).of_lanes(lanes);
        match &mut self.hide {
            Some(hide) if constant.lanes != 0 => {
                let read = |emit: &mut Emit<'_>, resource| {
                    self.registers.read(emit, resource).unwrap_or(Op::Read(resource))
                };
                hide.over(&mut self.emit, read, value, (constant.lanes, constant.bits))
            }
            Some(_) | None => value,
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

    /// Legal operation that takes the place of that of a value, if one must.
    fn legal(&mut self, value: Value, op: Op) -> Option<Op> {
        Some(match op {
            Op::Read(Resource::Input(_)) if self.precision.rules().rounds => self.float24_register(op),
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
            Binary::MinP => self.choose([Binary::Min, Binary::NMin], Binary::Less, a, b),
            Binary::MaxP => self.choose([Binary::Max, Binary::NMax], Binary::Greater, a, b),
            Binary::SgeP => self.set(Binary::GreaterEqual, a, b),
            // Less, not equal.
            Binary::SltP => self.set(Binary::Less, a, b),
            _driver_s => return None,
        })
    }
}
