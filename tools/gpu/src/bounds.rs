//! Error bounds for each output of a vertex: distances of conforming drivers to the interpreter.
//! EX2 and LG2 are approximate, and inexact routes reassociate and fuse products and sums.
//! In: the instructions that the interpreter executed, with their operands.
//! Out: a bound for each output component. It is zero where a driver must return the same bits, and
//! infinite where a branch or a comparison is uncertain. Knows two things about drivers, both from
//! [`crate::driver`]: logarithms and powers of NaN and infinities, and subnormal numbers.
//! Bounds follow from the operands ([`crate::near`]). A comparison is certain if its operands are
//! farther apart than their bounds, and values that depend on it are compared bit for bit. There is
//! no second run on the driver, because it would repeat the driver's fault.

use std::rc::Rc;

use crate::precision::arith::{self, LITP_LIMIT};
use transpica::interp::TraceRecord;
use transpica::isa::control::Test;
use transpica::isa::{
    CompareOp, Component, Condition, DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Source,
};
use transpica::settings::Control;
use transpica::{Options, Precision, Program, Stage};

use crate::Route;
use crate::driver::Facts;
use crate::near::{Arithmetic, Exponentials, Near, Order, certain};
use crate::regions::{Place, Region, Regions, Writes};

/// Error bound of one output component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bound {
    /// The largest distance; infinite for an unknown value.
    pub(crate) most: f64,
    /// True if EX2 or LG2 contribute; otherwise only the order of operations does.
    pub(crate) by_exponential: bool,
}

/// Bounds of sixteen registers.
pub(crate) type Bounds = [[Bound; 4]; 16];

/// The bound of a component that has the same bits on every driver.
const CERTAIN: Bound = Bound { most: 0.0, by_exponential: false };

/// The bounds of a program without approximate operations.
pub(crate) const EXACT: Bounds = [[CERTAIN; 4]; 16];

/// Iterates over all instructions of a program.
fn instructions<'a>(program: &'a Program<'_>) -> impl Iterator<Item = Inst> + 'a {
    (0..program.code().len()).filter_map(|pc| program.inst(Pc(u16::try_from(pc).ok()?)))
}

/// Returns whether a program contains one of these operations.
fn has_any(program: &Program<'_>, wanted: [DataOp; 2]) -> bool {
    instructions(program).any(|inst| matches!(inst, Inst::Data { op, .. } if wanted.contains(&op)))
}

/// Output components that some instruction of a program writes: one mask per register, bit 0 = x.
pub(crate) fn output_masks(program: &Program<'_>) -> [u8; 16] {
    let mut all = [0; 16];
    for inst in instructions(program) {
        if let Inst::Data { dest: Dest::Output(register), mask, .. } = inst {
            all[usize::from(register & 15)] |= mask.0 & 15;
        }
    }
    all
}

/// Number of components in these masks.
pub(crate) fn components(written: &[u8; 16]) -> u32 {
    written.iter().map(|mask| mask.count_ones()).sum()
}

/// Returns the freedom that a route leaves to the driver, or `None` if every bit is defined.
pub(crate) fn arithmetic(
    program: &Program<'_>,
    options: &Options,
    route: Route,
    facts: &Facts,
) -> Option<Arithmetic> {
    let precision = options.arithmetic.precision;
    let order = match (precision, route.is_exact()) {
        // Every result of float24 passes through integer operations, which drivers do not
        // reassociate.
        (Precision::F24, _) | (Precision::Exact, true) => Order::Fixed,
        (Precision::Fast, true) => Order::DotProducts,
        (Precision::Exact | Precision::Fast, false) => Order::Any,
    };
    // Modules of the other precisions handle NaN, zeros and signs themselves; `fast` leaves them to
    // the driver.
    let is_ieee = precision != Precision::Fast || facts.ieee_exponentials;
    let exponentials = match (options.arithmetic.portable_exponentials, is_ieee) {
        (true, _) => Exponentials::Portable,
        (false, true) => Exponentials::Approximate,
        (false, false) => Exponentials::Undefined,
    };
    let reciprocal_ulp = facts.reciprocal_ulp;
    let is_open = order != Order::Fixed
        || exponentials != Exponentials::Portable && has_any(program, [DataOp::Ex2, DataOp::Lg2])
        || reciprocal_ulp > 0.0 && has_any(program, [DataOp::Rcp, DataOp::Rsq]);
    let is_promised = *options != options.unpromised();
    let subnormals = facts.subnormals;
    is_open.then_some(Arithmetic { precision, order, exponentials, subnormals, reciprocal_ulp, is_promised })
}

/// One bank of registers; `None` for a component that still has its initial value.
type Bank = [[Option<Near>; 4]; 16];

const START: Bank = [[None; 4]; 16];

/// Error propagation along one execution: one vertex, or consecutive invocations of a geometry
/// program.
pub(crate) struct Follow {
    arithmetic: Arithmetic,
    /// Components that some instruction of the program writes, on any path.
    written: [u8; 16],
    outputs: Bank,
    /// The output bank that is not active now; EMIT swaps the two.
    other: Bank,
    temps: Bank,
    /// Uncertainty of a0.x and a0.y.
    addresses: [Uncertainty; 2],
    /// Uncertainty of aL.
    counter: Uncertainty,
    /// Uncertainty of cmp.x and cmp.y.
    flags: [Uncertainty; 2],
    /// Uncertainty of the path taken: set by an uncertain branch whose paths do not meet again.
    lost: Uncertainty,
    /// Regions to whose ends the paths of uncertain branches lead, or `None` if a loop guard counts
    /// their jumps.
    regions: Option<Regions>,
    /// Regions that the execution is in, with the uncertainty of their branches.
    inside: Vec<(Rc<Region>, Uncertainty)>,
    /// True if SETEMIT may have been executed with other values, or not at all.
    is_setting_open: bool,
    /// The bounds at each EMIT of a geometry program's invocation.
    emits: Vec<EmitBound>,
    is_geometry: bool,
}

/// Bounds of one EMIT.
pub(crate) struct EmitBound {
    /// Bounds of the outputs.
    pub(crate) outputs: Bounds,
    /// True if every driver executes it.
    pub(crate) is_certain: bool,
    /// True if slot and flags are those of the interpreter on every driver that executes it.
    pub(crate) has_setting: bool,
}

/// Uncertainty of a discrete value, and its cause.
#[derive(Clone, Copy, Debug, Default)]
struct Uncertainty {
    is_open: bool,
    by_exponential: bool,
}

impl Uncertainty {
    fn or(self, other: Self) -> Self {
        Self {
            is_open: self.is_open || other.is_open,
            by_exponential: self.by_exponential || other.by_exponential,
        }
    }
    /// Builds the uncertainty of a result that depends on these operands.
    fn from_operands(is_certain: bool, operands: &[Near]) -> Self {
        let by_exponential = operands.iter().any(Near::is_by_exponential);
        Self { is_open: !is_certain, by_exponential: !is_certain && by_exponential }
    }
}

impl Follow {
    pub(crate) fn new(arithmetic: Arithmetic, program: &Program<'_>, control: &Control) -> Self {
        let regions = control.loop_guard.is_none().then(|| Regions::new(program));
        Self::start(arithmetic, output_masks(program), program.stage() == Stage::Geometry, regions)
    }

    fn start(arithmetic: Arithmetic, written: [u8; 16], is_geometry: bool, regions: Option<Regions>) -> Self {
        Self {
            arithmetic,
            written,
            outputs: START,
            other: START,
            temps: START,
            addresses: [Uncertainty::default(); 2],
            counter: Uncertainty::default(),
            flags: [Uncertainty::default(); 2],
            lost: Uncertainty::default(),
            regions,
            inside: Vec::new(),
            is_setting_open: false,
            emits: Vec::new(),
            is_geometry,
        }
    }

    /// Begins another execution, to which nothing carries over.
    pub(crate) fn restart(&mut self) {
        let regions = self.regions.take();
        *self = Self::start(self.arithmetic, self.written, self.is_geometry, regions);
        self.regions.iter_mut().for_each(Regions::begin);
    }

    /// Begins the next invocation of a geometry program; returns the EMITs of the last one, and
    /// whether a driver may execute more or fewer. The path is certain again at the entry point. If
    /// it was not, every register may have another value.
    pub(crate) fn next(&mut self) -> (Vec<EmitBound>, bool) {
        let lost = std::mem::take(&mut self.lost);
        if lost.is_open {
            let all = [15; 16];
            self.forget(
                &Writes { temps: all, outputs: self.written, addresses: true, flags: true, counter: true },
                lost,
            );
            let outputs = std::mem::replace(&mut self.outputs, self.other);
            self.forget(&Writes { outputs: self.written, ..Writes::default() }, lost);
            self.other = outputs;
            self.is_setting_open = true;
        }
        self.inside.clear();
        self.regions.iter_mut().for_each(Regions::begin);
        (std::mem::take(&mut self.emits), lost.is_open)
    }

    /// Makes unknown what may have been written.
    fn forget(&mut self, writes: &Writes, doubt: Uncertainty) {
        let unknown = Some(Near::open(0.0).because(doubt.by_exponential));
        for (bank, masks) in [(&mut self.temps, writes.temps), (&mut self.outputs, writes.outputs)] {
            for (register, mask) in bank.iter_mut().zip(masks) {
                for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
                    register[lane] = unknown;
                }
            }
        }
        if writes.addresses {
            self.addresses = [doubt; 2];
        }
        if writes.flags {
            self.flags = [doubt; 2];
        }
        if writes.counter {
            self.counter = doubt;
        }
    }

    /// Forgets what the regions write whose paths have met.
    fn meet(&mut self, has_met: impl Fn(&Regions, &Region) -> bool) {
        let Some(regions) = &self.regions else { return };
        let mut met = Vec::new();
        self.inside.retain(|(region, doubt)| {
            let is_inside = !has_met(regions, region);
            if !is_inside {
                met.push((Rc::clone(region), *doubt));
            }
            is_inside
        });
        met.iter().for_each(|(region, doubt)| self.forget(&region.writes, *doubt));
    }

    /// Returns the bounds of the current outputs.
    pub(crate) fn outputs(&self) -> Bounds {
        let mut outputs = self.outputs.map(|register| {
            register.map(|near| {
                near.map_or(CERTAIN, |near| Bound {
                    most: near.error(),
                    by_exponential: near.is_by_exponential(),
                })
            })
        });
        if self.lost.is_open {
            let open = Bound { most: f64::INFINITY, by_exponential: self.lost.by_exponential };
            for (bounds, mask) in outputs.iter_mut().zip(self.written) {
                let components = bounds.iter_mut().enumerate();
                components.filter(|(lane, _)| mask >> lane & 1 != 0).for_each(|(_, bound)| *bound = open);
            }
        }
        outputs
    }

    /// Propagates bounds through the next instruction.
    pub(crate) fn step(&mut self, record: &TraceRecord) {
        self.meet(Regions::have_met);
        self.instruction(record);
        let Some(regions) = &mut self.regions else { return };
        regions.step(record);
        match regions.place() {
            Place::Ended => self.meet(|_, _| true),
            // Where the paths meet would go unnoticed.
            Place::Unknown => {
                self.lost = self.inside.drain(..).fold(self.lost, |lost, (_, doubt)| lost.or(doubt))
            }
            Place::Inside => {}
        }
    }

    fn instruction(&mut self, record: &TraceRecord) {
        if self.is_geometry && matches!(record.inst, Inst::Emit) {
            self.emits.push(EmitBound {
                outputs: self.outputs(),
                is_certain: !self.lost.is_open,
                has_setting: !self.lost.is_open && !self.is_setting_open,
            });
            std::mem::swap(&mut self.outputs, &mut self.other);
        }
        if self.lost.is_open {
            return;
        }
        match record.inst {
            Inst::Data { op, dest, mask, sources } => self.data(op, dest, mask, &sources, record),
            Inst::Mova { mask, source } => self.address(mask, &source, record),
            Inst::Cmp { x, y, sources } => {
                let [a, b] = [0, 1].map(|index| self.operand(&sources[index], record.operands[index]));
                let doubt = |op, lane: usize| {
                    let is_certain = is_one(&sources, lane, &a) || certain(op, a[lane], b[lane]);
                    Uncertainty::from_operands(is_certain, &[a[lane], b[lane]])
                };
                self.flags = [doubt(x, 0), doubt(y, 1)];
            }
            // It sets aL.
            Inst::Flow(Flow::Loop { .. }) => self.counter = Uncertainty::default(),
            Inst::Flow(flow) => {
                if let Some(Test::Cmp(condition)) = flow.test()
                    && self.is_open(condition, record.flags)
                {
                    let doubt = self.flags[0].or(self.flags[1]);
                    match self.regions.as_mut().and_then(Regions::of_branch) {
                        Some(region) if self.inside.iter().any(|(open, _)| Rc::ptr_eq(open, &region)) => {}
                        Some(region) => self.inside.push((region, doubt)),
                        None => self.lost = doubt,
                    }
                }
            }
            Inst::Emit | Inst::Unassigned(_) => {}
            Inst::SetEmit { .. } => self.is_setting_open = false,
        }
    }

    /// Returns whether uncertain flags leave the value of a condition open.
    fn is_open(&self, condition: Condition, [x, y]: [bool; 2]) -> bool {
        let usual = condition.test(x, y);
        let mut others = [(true, false), (false, true), (true, true)].into_iter();
        others.any(|(flip_x, flip_y)| {
            let possible = (!flip_x || self.flags[0].is_open) && (!flip_y || self.flags[1].is_open);
            possible && condition.test(x != flip_x, y != flip_y) != usual
        })
    }

    fn address(&mut self, mask: Mask, source: &Operand, record: &TraceRecord) {
        let operand = self.operand(source, record.operands[0]);
        for component in [Component::X, Component::Y].into_iter().filter(|component| mask.has(*component)) {
            let near = operand[component.index()];
            let is_certain = near.agrees(|end| arith::address(end as f32));
            self.addresses[component.index()] = Uncertainty::from_operands(is_certain, &[near]);
        }
    }

    /// Applies swizzle and negation of an operand, which change no bound.
    fn operand(&self, operand: &Operand, values: [f32; 4]) -> [Near; 4] {
        let doubt = match operand.index {
            Index::None => Uncertainty::default(),
            Index::Al => self.counter,
            Index::A0x => self.addresses[0],
            Index::A0y => self.addresses[1],
        };
        let values = values.map(f64::from);
        let components = operand.swizzle.components();
        std::array::from_fn(|lane| match operand.register {
            Source::Temp(register) => {
                let known = self.temps[usize::from(register & 15)][components[lane].index()];
                known.map_or_else(|| Near::exact(values[lane]), |near| near.as_operand(values[lane]))
            }
            Source::Uniform(_) if doubt.is_open => Near::open(values[lane]).because(doubt.by_exponential),
            Source::Input(_) | Source::Uniform(_) => Near::exact(values[lane]),
        })
    }

    fn data(&mut self, op: DataOp, dest: Dest, mask: Mask, sources: &[Operand; 3], record: &TraceRecord) {
        let [a, b, c] = [0, 1, 2].map(|index| self.operand(&sources[index], record.operands[index]));
        let each = |op: &dyn Fn(usize) -> Near| -> [Near; 4] { std::array::from_fn(op) };
        let arithmetic = self.arithmetic;
        let product = |lane: usize| arithmetic.product(a[lane], b[lane]);
        let decided = |op: CompareOp, lane: usize| {
            let is_certain = is_one(sources, lane, &a) || certain(op, a[lane], b[lane]);
            let value = f64::from(u8::from(op.test(a[lane].value as f32, b[lane].value as f32)));
            let doubt = Uncertainty::from_operands(is_certain, &[a[lane], b[lane]]);
            if is_certain { Near::exact(value) } else { Near::open(value).because(doubt.by_exponential) }
        };
        // EX2 and LG2 write one result to all components, so any enabled one has it.
        let result = mask.iter().next().map_or(0.0, |lane| f64::from(record.result[lane.index()]));
        let nears = match op {
            DataOp::Mov => a,
            DataOp::Add => each(&|lane| {
                let is_difference =
                    reads_same_component(sources, lane) && sources[0].negate != sources[1].negate;
                if is_difference { arithmetic.difference(a[lane]) } else { arithmetic.sum(a[lane], b[lane]) }
            }),
            DataOp::Mul => each(&product),
            DataOp::Mad => each(&|lane| arithmetic.sum(product(lane), c[lane])),
            DataOp::Dp3 => [arithmetic.dot(&a[..3], &b[..3]); 4],
            DataOp::Dp4 => [arithmetic.dot(&a, &b); 4],
            DataOp::Dph => [arithmetic.dot_plus(&a[..3], &b[..3], b[3]); 4],
            DataOp::Dst => [Near::exact(1.0), product(1), a[2], b[3]],
            DataOp::Max => each(&|lane| arithmetic.selected(CompareOp::Gt, a[lane], b[lane])),
            DataOp::Min => each(&|lane| arithmetic.selected(CompareOp::Lt, a[lane], b[lane])),
            DataOp::Sge => each(&|lane| decided(CompareOp::Ge, lane)),
            DataOp::Slt => each(&|lane| decided(CompareOp::Lt, lane)),
            DataOp::Flr => a.map(|near| arithmetic.floor(near)),
            DataOp::Rcp => [arithmetic.reciprocal(a[0]); 4],
            DataOp::Rsq => [arithmetic.root(a[0]); 4],
            DataOp::Ex2 => [arithmetic.power(a[0], result); 4],
            DataOp::Lg2 => [arithmetic.logarithm(a[0], result); 4],
            DataOp::Litp => {
                let limit = Near::exact(f64::from(LITP_LIMIT));
                let [zero, least] = [Near::exact(0.0), Near::exact(-limit.value)];
                self.flags = [0, 3].map(|lane| {
                    Uncertainty::from_operands(certain(CompareOp::Ge, a[lane], zero), &[a[lane]])
                });
                let positive = |lane: usize| arithmetic.selected(CompareOp::Gt, a[lane], zero);
                let power = arithmetic.selected(CompareOp::Lt, a[1], limit);
                let power = arithmetic.selected(CompareOp::Gt, power, least);
                [positive(0), power, zero, positive(3)]
            }
        };
        let register = match dest {
            Dest::Output(register) => &mut self.outputs[usize::from(register & 15)],
            Dest::Temp(register) => &mut self.temps[usize::from(register & 15)],
        };
        for component in mask.iter() {
            register[component.index()] = Some(nears[component.index()]);
        }
    }
}

/// Returns whether both operands are the same known component, which makes their comparison
/// certain.
/// An unknown component does not qualify: it may be NaN.
fn is_one(sources: &[Operand], lane: usize, values: &[Near; 4]) -> bool {
    reads_same_component(sources, lane) && sources[0].negate == sources[1].negate && !values[lane].is_open()
}

/// Returns whether both operands read the same component.
fn reads_same_component(sources: &[Operand], lane: usize) -> bool {
    let [a, b] = [&sources[0], &sources[1]];
    let component = |operand: &Operand| operand.swizzle.components()[lane];
    (a.register, a.index) == (b.register, b.index) && component(a) == component(b)
}

#[cfg(test)]
mod tests;
