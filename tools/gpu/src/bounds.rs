//! How far each output of a vertex may be from the interpreter's because drivers compute EX2 and LG2 differently.
//! In: the instructions that the interpreter executed, with their operands. Out: a bound for each output component: zero
//! where nothing approximate was read, infinite where a decision could have fallen otherwise. Knows no driver.
//! Facts: the precision that Vulkan demands of Exp2 and Log2; bounds then follow from the operands, so a comparison whose
//! operands are farther apart than their bounds is certain, and what depends on it is compared bit for bit.

use transpica::interp::Record;
use transpica::isa::{
    CompareOp, Component, Condition, DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Program, Source,
};
use transpica::precision::{Precision, arith};

/// Bounds of sixteen registers.
pub(crate) type Bounds = [[f64; 4]; 16];

/// No vertex of the program has a bound other than zero.
pub(crate) const EXACT: Bounds = [[0.0; 4]; 16];

/// How far a driver's EX2 and LG2 may be off.
const EXP2_ULP: (f64, f64) = (3.0, 2.0);
const LOG2_ULP: f64 = 3.0;
/// LG2 of numbers between 1/2 and 2.
const LOG2_NEAR_ONE: f64 = 1.0 / (1 << 21) as f64;

/// Every instruction of a program.
fn instructions<'a>(program: &'a Program<'_>) -> impl Iterator<Item = Inst> + 'a {
    (0..program.code().len()).filter_map(|pc| program.inst(Pc(u16::try_from(pc).ok()?)))
}

/// Whether a program has EX2 or LG2 at all.
pub(crate) fn has_approximate(program: &Program<'_>) -> bool {
    instructions(program).any(|inst| matches!(inst, Inst::Data { op: DataOp::Ex2 | DataOp::Lg2, .. }))
}

/// The components of output registers that a program has instructions for, bit 0 is x.
pub(crate) fn written(program: &Program<'_>) -> [u8; 16] {
    let mut all = [0; 16];
    for inst in instructions(program) {
        if let Inst::Data { dest: Dest::Output(register), mask, .. } = inst {
            all[usize::from(register & 15)] |= mask.0 & 15;
        }
    }
    all
}

/// A value with its bound.
#[derive(Clone, Copy)]
struct Near {
    value: f64,
    bound: f64,
}

impl Near {
    fn is_exact(self) -> bool {
        self.bound == 0.0
    }
    /// Both ends.
    fn ends(self) -> [f64; 2] {
        [self.value - self.bound, self.value + self.bound]
    }
}

/// One vertex, followed from instruction to instruction.
pub(crate) struct Follow {
    precision: Precision,
    outputs: Bounds,
    temps: Bounds,
    /// a0.x and a0.y may be another.
    addresses: [bool; 2],
    /// cmp.x and cmp.y may be the other.
    flags: [bool; 2],
    /// The vertex may have gone another way from some instruction on.
    lost: bool,
}

impl Follow {
    pub(crate) fn new(precision: Precision) -> Self {
        Self {
            precision,
            outputs: EXACT,
            temps: EXACT,
            addresses: [false; 2],
            flags: [false; 2],
            lost: false,
        }
    }

    /// The bounds at the end. `written` is what the program has instructions for: no way through it writes more.
    pub(crate) fn finish(self, written: &[u8; 16]) -> Bounds {
        let mut outputs = self.outputs;
        if self.lost {
            for (bounds, mask) in outputs.iter_mut().zip(written) {
                for (component, bound) in bounds.iter_mut().enumerate() {
                    *bound = if mask >> component & 1 != 0 { f64::INFINITY } else { *bound };
                }
            }
        }
        outputs
    }

    /// Takes the next instruction.
    pub(crate) fn step(&mut self, record: &Record) {
        if self.lost {
            return;
        }
        match record.inst {
            Inst::Data { op, dest, mask, sources } => self.data(op, dest, mask, &sources, record),
            Inst::Mova { mask, source } => self.address(mask, &source, record),
            Inst::Cmp { x, y, sources } => {
                let [a, b] = [0, 1].map(|index| self.operand(&sources[index], record.operands[index]));
                self.flags = [!certain(x, a[0], b[0]), !certain(y, a[1], b[1])];
            }
            Inst::Flow(
                Flow::BreakC(condition)
                | Flow::CallC { condition, .. }
                | Flow::IfC { condition, .. }
                | Flow::JmpC { condition, .. },
            ) => self.lost = self.is_open(condition, record.flags),
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

    /// Whether a condition may hold or not.
    fn is_open(&self, condition: Condition, [x, y]: [bool; 2]) -> bool {
        let usual = condition.test(x, y);
        let mut others = [(true, false), (false, true), (true, true)].into_iter();
        others.any(|(flip_x, flip_y)| {
            let possible = (!flip_x || self.flags[0]) && (!flip_y || self.flags[1]);
            possible && condition.test(x != flip_x, y != flip_y) != usual
        })
    }

    fn address(&mut self, mask: Mask, source: &Operand, record: &Record) {
        let operand = self.operand(source, record.operands[0]);
        for component in [Component::X, Component::Y].into_iter().filter(|component| mask.has(*component)) {
            let near = operand[component.index()];
            let [low, high] = near.ends().map(|end| arith::address(end as f32));
            self.addresses[component.index()] = !near.is_exact() && (near.bound.is_infinite() || low != high);
        }
    }

    /// An operand after swizzle and negation, which change no bound.
    fn operand(&self, operand: &Operand, values: [f32; 4]) -> [Near; 4] {
        let other_register = match operand.index {
            Index::None | Index::Al => false,
            Index::A0x => self.addresses[0],
            Index::A0y => self.addresses[1],
        };
        let bounds = match operand.register {
            Source::Temp(register) => self.temps[usize::from(register & 15)],
            Source::Uniform(_) if other_register => [f64::INFINITY; 4],
            Source::Input(_) | Source::Uniform(_) => [0.0; 4],
        };
        let components = operand.swizzle.components();
        std::array::from_fn(|lane| Near {
            value: f64::from(values[lane]),
            bound: bounds[components[lane].index()],
        })
    }

    fn data(&mut self, op: DataOp, dest: Dest, mask: Mask, sources: &[Operand; 3], record: &Record) {
        let [a, b, c] = [0, 1, 2].map(|index| self.operand(&sources[index], record.operands[index]));
        let each = |op: &dyn Fn(usize) -> f64| -> [f64; 4] { std::array::from_fn(op) };
        let product = |lane: usize| self.product(a[lane], b[lane]);
        let bounds = match op {
            DataOp::Mov => each(&|lane| a[lane].bound),
            DataOp::Add => each(&|lane| self.sum(a[lane], b[lane]).bound),
            DataOp::Mul => each(&|lane| product(lane).bound),
            DataOp::Mad => each(&|lane| self.sum(product(lane), c[lane]).bound),
            DataOp::Dp3 => [self.dot(&a[..3], &b[..3]).bound; 4],
            DataOp::Dp4 => [self.dot(&a, &b).bound; 4],
            DataOp::Dph => [self.sum(self.dot(&a[..3], &b[..3]), b[3]).bound; 4],
            DataOp::Dst => [0.0, product(1).bound, a[2].bound, b[3].bound],
            DataOp::Max => each(&|lane| selected(CompareOp::Gt, a[lane], b[lane])),
            DataOp::Min => each(&|lane| selected(CompareOp::Lt, a[lane], b[lane])),
            DataOp::Sge => each(&|lane| decided(certain(CompareOp::Ge, a[lane], b[lane]))),
            DataOp::Slt => each(&|lane| decided(certain(CompareOp::Lt, a[lane], b[lane]))),
            DataOp::Flr => each(&|lane| {
                let [low, high] = a[lane].ends().map(f64::floor);
                decided(a[lane].is_exact() || low == high)
            }),
            DataOp::Rcp => [self.reciprocal(a[0]); 4],
            DataOp::Rsq => [self.root(a[0]); 4],
            DataOp::Ex2 => [self.power(a[0]); 4],
            DataOp::Lg2 => [self.logarithm(a[0]); 4],
            DataOp::Litp => {
                let zero = Near { value: 0.0, bound: 0.0 };
                self.flags = [0, 3].map(|lane| !certain(CompareOp::Ge, a[lane], zero));
                [a[0].bound, a[1].bound, 0.0, a[3].bound]
            }
        };
        let register = match dest {
            Dest::Output(register) => &mut self.outputs[usize::from(register & 15)],
            Dest::Temp(register) => &mut self.temps[usize::from(register & 15)],
        };
        for component in mask.iter() {
            let bound = bounds[component.index()];
            register[component.index()] = if bound >= 0.0 { bound } else { f64::INFINITY };
        }
    }
}

/// What depends on a decision: nothing if it is certain.
fn decided(certain: bool) -> f64 {
    if certain { 0.0 } else { f64::INFINITY }
}

/// Whether a comparison falls the same way wherever its operands are within their bounds.
fn certain(op: CompareOp, a: Near, b: Near) -> bool {
    if matches!(op, CompareOp::True6 | CompareOp::True7) || a.is_exact() && b.is_exact() {
        return true;
    }
    let bound = a.bound + b.bound;
    // A NaN with a finite bound is one on every driver.
    bound.is_finite() && (a.value.is_nan() || b.value.is_nan() || (a.value - b.value).abs() > bound)
}

/// The bound of `a` where the comparison holds, else of `b`.
fn selected(op: CompareOp, a: Near, b: Near) -> f64 {
    if certain(op, a, b) {
        let holds = op.test(a.value as f32, b.value as f32);
        return if holds { a.bound } else { b.bound };
    }
    // MAX and MIN move no farther than the farther of their operands.
    a.bound.max(b.bound)
}

impl Follow {
    /// Smallest normal number, distance of neighbours relative to the larger, and first number that is too large.
    fn numbers(&self) -> [f64; 3] {
        match self.precision {
            Precision::Exact | Precision::Fast => {
                [f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON), f64::from(f32::MAX)]
            }
            Precision::F24 => [2f64.powi(-62), 2f64.powi(-16), 2f64.powi(64)],
        }
    }

    /// The bound of a result, which is rounded and perhaps flushed.
    fn rounded(&self, value: f64, bound: f64) -> f64 {
        let [smallest, relative, limit] = self.numbers();
        let magnitude = value.abs() + bound;
        if bound == 0.0 {
            0.0
        } else if magnitude < limit {
            bound + relative * magnitude + smallest
        } else {
            f64::INFINITY
        }
    }

    /// An operand of arithmetic, which may flush it.
    fn flushed(&self, near: Near) -> Near {
        let [smallest, ..] = self.numbers();
        let may_flush = !near.is_exact() && near.value.abs() - near.bound < smallest;
        Near { bound: near.bound + if may_flush { smallest } else { 0.0 }, ..near }
    }

    fn sum(&self, a: Near, b: Near) -> Near {
        let value = f64::from(arith::add(self.precision, a.value as f32, b.value as f32));
        let (a, b) = (self.flushed(a), self.flushed(b));
        let bound = a.bound + b.bound;
        let overpowers = |near: Near| !near.value.is_finite() && near.is_exact();
        let bound = match bound.is_finite() {
            true if overpowers(a) || overpowers(b) => 0.0,
            true => self.rounded(value, bound),
            false => f64::INFINITY,
        };
        Near { value, bound }
    }

    fn product(&self, a: Near, b: Near) -> Near {
        let value = f64::from(arith::mul(self.precision, a.value as f32, b.value as f32));
        let (a, b) = (self.flushed(a), self.flushed(b));
        let has_sign = |near: Near| near.is_exact() || near.value.abs() > near.bound;
        let bound = if a.is_exact() && b.is_exact() {
            0.0
        } else if !(a.bound + b.bound).is_finite() {
            f64::INFINITY
        } else if a.value.is_nan() || b.value.is_nan() {
            0.0
        } else if a.value.is_infinite() || b.value.is_infinite() {
            decided(has_sign(a) && has_sign(b))
        } else {
            let bound = a.value.abs() * b.bound + b.value.abs() * a.bound + a.bound * b.bound;
            self.rounded(value, bound)
        };
        Near { value, bound }
    }

    fn dot(&self, a: &[Near], b: &[Near]) -> Near {
        let mut products = a.iter().zip(b).map(|(a, b)| self.product(*a, *b));
        let first = products.next().unwrap_or(Near { value: 0.0, bound: 0.0 });
        products.fold(first, |sum, product| self.sum(sum, product))
    }

    fn reciprocal(&self, a: Near) -> f64 {
        let Near { value, bound } = self.flushed(a);
        let least = value.abs() - bound;
        if bound == 0.0 {
            0.0
        } else if least > 0.0 {
            self.rounded(1.0 / value, bound / (value.abs() * least))
        } else {
            f64::INFINITY
        }
    }

    fn root(&self, a: Near) -> f64 {
        let near = self.flushed(a);
        let [low, high] = near.ends();
        if near.is_exact() || high < 0.0 {
            // Of a negative number it is NaN.
            0.0
        } else if low > 0.0 {
            let (value, farthest) = (near.value.sqrt().recip(), low.sqrt().recip());
            // It is rounded twice.
            self.rounded(value, self.rounded(value, farthest - value))
        } else {
            f64::INFINITY
        }
    }

    fn power(&self, a: Near) -> f64 {
        let near = self.flushed(a);
        if !near.value.is_finite() {
            return decided(near.is_exact());
        }
        let [_, _, limit] = self.numbers();
        let [low, high] = near.ends();
        let (value, farthest) = (near.value.exp2(), high.exp2());
        let driver = f64::from(f32::EPSILON) * farthest * (EXP2_ULP.0 + EXP2_ULP.1 * near.value.abs());
        // Overflow is certain only beyond what a driver may be off.
        if low.exp2() > 1.01 * limit { 0.0 } else { self.rounded(value, farthest - value + driver) }
    }

    fn logarithm(&self, a: Near) -> f64 {
        let near = self.flushed(a);
        let [low, high] = near.ends();
        let [smallest, ..] = self.numbers();
        let is_special = near.is_exact() && (near.value == 0.0 || !near.value.is_finite());
        if is_special || high < 0.0 {
            return 0.0;
        }
        // Drivers may flush what is smaller.
        if low >= smallest {
            let value = near.value.log2();
            let ulp = f64::from(f32::EPSILON) * value.abs().max((near.value / low).log2());
            let driver =
                (LOG2_ULP * ulp).max(if (0.49..2.01).contains(&near.value) { LOG2_NEAR_ONE } else { 0.0 });
            self.rounded(value, (near.value / low).log2() + driver)
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use transpica::asm::{Source as Text, assemble};
    use transpica::container::Shbin;
    use transpica::host::dvle;
    use transpica::interp::{Machine, Registers, Settings};
    use transpica::limits::Limits;

    use super::*;

    /// The bounds of a program's outputs for one v0.
    fn bounds(body: &str, v0: [f32; 4]) -> Bounds {
        let declared =
            ".out position position\n.out color color\n.in v0\n.constf low(0.0, 2.0, 1.0, 1.0e30)\n";
        let text = format!("{declared}.proc main\n{body}\nend\n.end\n");
        let bytes = assemble(&[Text { name: "test", text: &text }]).unwrap_or_else(|e| panic!("{e}")).bytes;
        let file = Shbin::parse(&bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Limits::default()).expect("a vertex program");
        let mut machine = Machine::new(&program, Settings::default()).expect("a vertex program");
        let mut uniforms = transpica::isa::Uniforms::default();
        let around = dvle::Executable::new(&file, 0, "test").expect("there");
        around.constants().apply(&mut uniforms);
        machine.set_uniforms(&uniforms);
        let mut inputs = Registers::DEFAULT_INPUTS;
        inputs[0] = v0;
        let mut follow = Follow::new(Precision::Exact);
        machine.run_traced(&inputs, &mut |record: &Record| follow.step(record)).expect("ends");
        follow.finish(&written(&program))
    }

    const OPEN: f64 = f64::INFINITY;

    #[test]
    fn what_reads_nothing_approximate_is_exact() {
        let found = bounds("ex2 r0, v0.x\nmul position, v0, v0\nmov color, v0", [1.0; 4]);
        assert_eq!(found, EXACT);
    }

    #[test]
    fn a_value_may_be_off_as_far_as_vulkan_allows() {
        let found = bounds("ex2 position, v0.x\nlg2 color, v0.y", [3.0, 8.0, 0.0, 0.0]);
        let [power, logarithm] = [found[0][0], found[1][0]];
        // (3 + 2 · 3) ulp of 8, and the rounding of the result.
        assert!((9.0..11.0).contains(&(power / (8.0 * f64::from(f32::EPSILON)))), "{power}");
        assert!((3.0..5.0).contains(&(logarithm / (3.0 * f64::from(f32::EPSILON)))), "{logarithm}");
    }

    #[test]
    fn a_comparison_is_open_only_near_its_threshold() {
        // 2^1 is near low.y alone.
        let found = bounds("ex2 r0, v0.x\nslt position, r0, low", [1.0; 4]);
        assert_eq!(found[0], [0.0, OPEN, 0.0, 0.0]);
    }

    #[test]
    fn a_flushed_power_may_decide() {
        // 2^-130 is below every normal number, so drivers may compare 0 with 0.
        let found = bounds("ex2 r0, v0.x\nslt position, -r0, low", [-130.0; 4]);
        assert_eq!(found[0], [OPEN, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn an_open_branch_opens_what_any_way_could_write() {
        let body =
            "ex2 r0, v0.x\nmov position, v0\ncmp low.y, gt, gt, r0\nifc cmp.x\nmov color.xy, v0.xy\n.end";
        assert_eq!(bounds(body, [1.0; 4])[..2], [[OPEN; 4], [OPEN, OPEN, 0.0, 0.0]]);
        assert_eq!(bounds(body, [2.0; 4]), EXACT);
    }

    #[test]
    fn a_selection_has_the_bound_of_what_it_takes() {
        let found = bounds("ex2 r0, v0.x\nmax position, low, r0", [1.0; 4]);
        let [x, y, z, w] = found[0];
        assert!(x > 0.0 && y == x && z == x && w == 0.0, "{found:?}");
    }

    #[test]
    fn a_floor_and_an_address_are_open_only_near_an_integer() {
        assert_eq!(bounds("ex2 r0, v0.x\nflr position, r0", [1.0; 4])[0], [OPEN; 4]);
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

    #[test]
    fn reciprocals_of_what_may_be_zero_are_open() {
        let body = "lg2 r0, v0.x\nrcp position, r0.x";
        assert_eq!(bounds(body, [1.0; 4])[0], [OPEN; 4]);
        let far = bounds(body, [4.0; 4])[0][0];
        assert!(far > 0.0 && far < 1.0e-6, "{far}");
    }
}
