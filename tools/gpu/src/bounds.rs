//! Error bounds for each output of a vertex: distances of conforming drivers to the interpreter.
//! EX2 and LG2 are approximate, and inexact routes reassociate and fuse products and sums.
//! In: the instructions that the interpreter executed, with their operands.
//! Out: a bound for each output component. It is zero where a driver must return the same bits, and
//! infinite where a branch or a comparison is uncertain. Knows one thing about drivers: the entries
//! of [`crate::driver`] on logarithms and powers of NaN and infinities.
//! Bounds follow from the operands ([`crate::near`]). A comparison is certain if its operands are
//! farther apart than their bounds, and values that depend on it are compared bit for bit. There is
//! no second run on the driver, because it would repeat the driver's fault.

use transpica::stages::host::Options;
use transpica::stages::interp::TraceRecord;
use transpica::stages::isa::{
    CompareOp, Component, Condition, DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Program, Source,
    Stage,
};
use transpica::stages::precision::Precision;
use transpica::stages::precision::arith::{self, LITP_LIMIT};

use crate::Route;
use crate::driver::Facts;
use crate::near::{Arithmetic, Exponentials, Near, Order, certain};

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

/// Returns whether a program contains EX2 or LG2.
fn has_approximate(program: &Program<'_>) -> bool {
    instructions(program).any(|inst| matches!(inst, Inst::Data { op: DataOp::Ex2 | DataOp::Lg2, .. }))
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
    let is_open = order != Order::Fixed || exponentials != Exponentials::Portable && has_approximate(program);
    is_open.then_some(Arithmetic { precision, order, exponentials })
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
    /// Uncertainty of cmp.x and cmp.y.
    flags: [Uncertainty; 2],
    /// Uncertainty of the path taken: set by the first uncertain branch.
    lost: Uncertainty,
    /// The bounds at each EMIT of a geometry program.
    emits: Vec<Bounds>,
    is_geometry: bool,
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
    fn of(is_certain: bool, operands: &[Near]) -> Self {
        let by_exponential = operands.iter().any(Near::is_by_exponential);
        Self { is_open: !is_certain, by_exponential: !is_certain && by_exponential }
    }
}

impl Follow {
    pub(crate) fn new(arithmetic: Arithmetic, program: &Program<'_>) -> Self {
        Self {
            arithmetic,
            written: output_masks(program),
            outputs: START,
            other: START,
            temps: START,
            addresses: [Uncertainty::default(); 2],
            flags: [Uncertainty::default(); 2],
            lost: Uncertainty::default(),
            emits: Vec::new(),
            is_geometry: program.stage() == Stage::Geometry,
        }
    }

    /// Returns whether a driver may have taken another path.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_open
    }

    /// Returns the bounds at each EMIT.
    pub(crate) fn into_emits(self) -> Vec<Bounds> {
        self.emits
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
        if self.is_geometry && matches!(record.inst, Inst::Emit) {
            self.emits.push(self.outputs());
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
                    Uncertainty::of(is_certain, &[a[lane], b[lane]])
                };
                self.flags = [doubt(x, 0), doubt(y, 1)];
            }
            Inst::Flow(
                Flow::BreakC(condition)
                | Flow::CallC { condition, .. }
                | Flow::IfC { condition, .. }
                | Flow::JmpC { condition, .. },
            ) => {
                if self.is_open(condition, record.flags) {
                    self.lost = self.flags[0].or(self.flags[1]);
                }
            }
            Inst::Flow(
                Flow::Nop
                | Flow::End
                | Flow::Break
                | Flow::Call { .. }
                | Flow::CallU { .. }
                | Flow::IfU { .. }
                | Flow::Loop { .. }
                | Flow::JmpU { .. },
            )
            | Inst::Emit
            | Inst::SetEmit { .. }
            | Inst::Unassigned(_) => {}
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
            self.addresses[component.index()] = Uncertainty::of(is_certain, &[near]);
        }
    }

    /// Applies swizzle and negation of an operand, which change no bound.
    fn operand(&self, operand: &Operand, values: [f32; 4]) -> [Near; 4] {
        let doubt = match operand.index {
            Index::None | Index::Al => Uncertainty::default(),
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
            let doubt = Uncertainty::of(is_certain, &[a[lane], b[lane]]);
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
                self.flags =
                    [0, 3].map(|lane| Uncertainty::of(certain(CompareOp::Ge, a[lane], zero), &[a[lane]]));
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
mod tests {
    use transpica::stages::asm::{SourceText as Text, assemble};
    use transpica::stages::container::Shbin;
    use transpica::stages::host::dvle;
    use transpica::stages::interp::{Machine, Registers, Settings};
    use transpica::stages::limits::Limits;

    use super::*;
    use crate::driver::UNKNOWN;

    /// The bounds of a program's outputs for one value of v0.
    fn bounds(body: &str, v0: [f32; 4]) -> [[f64; 4]; 16] {
        bounds_on(body, v0, Route::Passthrough)
    }

    /// The same bounds on a given route.
    fn bounds_on(body: &str, v0: [f32; 4], route: Route) -> [[f64; 4]; 16] {
        bounds_with(body, v0, &|program| arithmetic(program, &Options::default(), route, &UNKNOWN))
    }

    /// The same bounds for given driver arithmetic.
    fn bounds_with(
        body: &str,
        v0: [f32; 4],
        arithmetic: &dyn Fn(&Program<'_>) -> Option<Arithmetic>,
    ) -> [[f64; 4]; 16] {
        let declared =
            ".out position position\n.out color color\n.in v0\n.constf low(0.0, 2.0, 1.0, 1.0e30)\n";
        let text = format!("{declared}.proc main\n{body}\nend\n.end\n");
        let bytes = assemble(&[Text { name: "test", text: &text }]).unwrap_or_else(|e| panic!("{e}")).bytes;
        let file = Shbin::parse(&bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Limits::default()).expect("a vertex program");
        let mut machine = Machine::new(&program, Settings::default()).expect("a vertex program");
        let mut uniforms = transpica::stages::isa::Uniforms::default();
        let environment = dvle::FileEnvironment::new(&file, 0, "test").expect("there");
        environment.constants().apply(&mut uniforms);
        machine.set_uniforms(&uniforms);
        let mut inputs = Registers::DEFAULT_INPUTS;
        inputs[0] = v0;
        let Some(arithmetic) = arithmetic(&program) else { return EXACT };
        let mut follow = Follow::new(arithmetic, &program);
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
                Some(Arithmetic {
                    precision,
                    order: Order::DotProducts,
                    exponentials: Exponentials::Portable,
                })
            })
        };
        let least = f64::from(f32::from_bits(1));
        let fast = found(Precision::Fast);
        // Of two zeros a driver takes either; low is (0, 2, 1, 1e30).
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
    fn an_open_branch_opens_the_writes_of_every_path() {
        let body =
            "ex2 r0, v0.x\nmov position, v0\ncmp low.y, gt, gt, r0\nifc cmp.x\nmov color.xy, v0.xy\n.end";
        assert_eq!(bounds(body, [1.0; 4])[..2], [[OPEN; 4], [OPEN, OPEN, 0.0, 0.0]]);
        assert_eq!(bounds(body, [2.0; 4]), EXACT);
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
        assert_eq!(bounds("lg2 position, v0.x", [1.0e-40; 4])[0], [OPEN; 4]);
        assert_eq!(bounds("lg2 position, v0.x", [0.0; 4])[0], [0.0; 4]);
        assert_eq!(bounds("lg2 position, v0.x", [-1.0; 4])[0], [0.0; 4]);
    }

    /// The bounds of o0 in `fast`: with IEEE exponentials, and on an unknown driver.
    fn fast_bounds(body: &str, v0: [f32; 4]) -> [[f64; 4]; 2] {
        let mut options = Options::default();
        options.arithmetic.precision = Precision::Fast;
        [true, false].map(|ieee_exponentials| {
            let mut facts = UNKNOWN;
            facts.ieee_exponentials = ieee_exponentials;
            let arithmetic =
                |program: &Program<'_>| arithmetic(program, &options, Route::Passthrough, &facts);
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
        let sum =
            |route| bounds_on("ex2 r0, v0.x\nadd position, v0.y, r0", [-8.5, 90.0, 0.0, 0.0], route)[0][0];
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
}
