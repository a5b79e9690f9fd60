//! The effect of each operation on lanes.
//! In: an [`Operation`], active lanes. Out: changed registers. Knows no control flow. Arithmetic is
//! [`arith`]'s; here are only operands, components and masks.
//!
//! An [`Engine`] has the registers of all lanes of a batch, or of one block of a
//! [small](super::small) run. Functions that an operation consists of are inlined into it, closures
//! too: what stays a call is not compiled for the processor's vectors.

use super::code::{Action, Operation, Read};
use super::lanes::{ALL, BLOCK, components, each_lane, flip, pack};
use super::register_file::{At, File, Whole};
use crate::entity::bits;
use crate::precision::arith;
use transpica::Precision;
use transpica::interp::{Exact, F24, Fast, Flushed, Mode, Settings};
use transpica::isa::{CompareOp, DataOp, Mask};

/// A function that is compiled for each kind of vectors.
macro_rules! wide {
    (|$engine:ident, $operation:ident| $body:expr) => {
        |file, $operation, at| {
            at.wide.call(
                #[inline(always)]
                || {
                    let $engine = &mut Whole { file, at };
                    $body
                },
            );
        }
    };
}

/// Effect of each data instruction in mode `M`, by a macro that takes a function of an [`Engine`].
/// `S` is any mode with the same results of operations that select values, so that modes share
/// their functions.
macro_rules! data {
    ($op:expr, $run:ident: $($name:ident $method:ident $(<$mode:ident>)? ($($function:tt)*);)+) => {
        match $op {
            $(DataOp::$name => $run!(|engine, operation| {
                engine.$method$(::<$mode>)?(operation, $($function)*)
            }),)+
        }
    };
    ($op:expr, $m:ident, $s:ident, $run:ident) => {
        data! { $op, $run:
            Add apply(|[a, b]| $m::result(arith::add($m::PRECISION, a, b)));
            Mul apply(|[a, b]| $m::result($m::mul(a, b)));
            Mad apply(|[a, b, c]| $m::result(arith::add($m::PRECISION, $m::mul(a, b), c)));
            Dp3 dot<$m>(|[a, b, c, _], [x, y, z, _]| $m::dot([a, b, c], [x, y, z]));
            Dp4 dot<$m>(|a, b| $m::dot(a, b));
            // w of the second operand is added without a multiplication.
            Dph dot<$m>(|[a, b, c, _], [x, y, z, w]|
                arith::add($m::PRECISION, $m::dot([a, b, c], [x, y, z]), w));
            Rcp scalar<$m>(|a| arith::rcp($m::PRECISION, a));
            Rsq scalar<$m>(|a| arith::rsq($m::PRECISION, a));
            Ex2 scalar<$m>(|a| arith::exp2($m::PRECISION, a));
            Lg2 scalar<$m>(|a| arith::log2($m::PRECISION, a));
            Sge apply(|[a, b]| arith::sge(a, b));
            Slt apply(|[a, b]| arith::slt(a, b));
            Max apply(|[a, b]| $s::result(arith::max(a, b)));
            Min apply(|[a, b]| $s::result(arith::min(a, b)));
            Flr apply(|[a]: [f32; 1]| $s::result(a.floor()));
            Mov apply(|[a]| $s::result(a));
            Dst dst<$m>();
            Litp litp<$s>();
        }
    };
}
pub(super) use data;

/// Executes an operation in the active lanes. Each operation and precision has a function, compiled
/// for each kind of vectors.
pub(super) type Kernel = fn(&mut File, &Operation, &At<'_>);

/// Chooses the instance of a function that is generic over the mode, and the shared one.
macro_rules! of_settings {
    ($settings:expr, $function:ident) => {
        match ($settings.precision, $settings.flush_subnormals) {
            (Precision::Exact, false) => $function::<Exact, Fast>,
            (Precision::Fast, false) => $function::<Fast, Fast>,
            (Precision::Exact, true) => $function::<Flushed<Exact>, Flushed<Fast>>,
            (Precision::Fast, true) => $function::<Flushed<Fast>, Flushed<Fast>>,
            (Precision::F24, _) => $function::<F24, Fast>,
        }
    };
}
pub(super) use of_settings;

/// Chooses the function of an operation.
pub(super) fn kernel(action: Action, settings: &Settings) -> Kernel {
    of_settings!(settings, of_mode)(action)
}

/// Chooses the function of an operation in mode `M`.
fn of_mode<M: Mode, S: Mode>(action: Action) -> Kernel {
    match action {
        Action::None => |_, _, _| (),
        Action::Mova => wide!(|engine, operation| engine.mova(operation)),
        Action::Cmp(..) => wide!(|engine, operation| engine.cmp(operation)),
        Action::Emit => |file, _, at| file.emit(at),
        Action::SetEmit { .. } => |file, operation, at| file.set_emit(operation, at),
        Action::Data(op) => data!(op, M, S, wide),
    }
}

/// Registers that operands are read from, in `N` lanes.
pub(super) trait Operands<const N: usize> {
    /// The values of components, if an operand is the same in all lanes.
    #[inline(always)]
    fn equal<const C: usize>(&self, _: &Read, _: [usize; C]) -> Option<[f32; C]> {
        None
    }
    /// Those of another operand, the n-th, and the sign bit where they are negated.
    fn lanes<const C: usize>(&self, of: &Read, number: usize, all: [usize; C]) -> ([&[f32; N]; C], u32);
}

/// The operands of an operation, and the blocks to compute.
pub(super) struct Inputs<'a, O> {
    pub(super) from: &'a O,
    pub(super) operation: &'a Operation,
    pub(super) blocks: u8,
}

impl<O> Inputs<'_, O> {
    /// Applies a function of `C` components of `K` operands from the `first` on.
    #[inline(always)]
    fn apply<T: Copy, const K: usize, const C: usize, const N: usize>(
        &self,
        out: &mut [T; N],
        first: usize,
        components: [usize; C],
        op: impl Fn([[f32; K]; C]) -> T,
    ) where
        O: Operands<N>,
    {
        let Self { from, operation: Operation { reads, .. }, blocks } = *self;
        let mut kinds = 0;
        for number in 0..K {
            kinds |= u8::from(from.equal(&reads[first + number], components).is_some()) << number;
        }
        macro_rules! each {
            ($kinds:expr) => {{
                let (mut equal, mut lanes) = ([[0.0; C]; K], [([&[0.0; N]; C], 0); K]);
                for number in 0..K {
                    let read = &reads[first + number];
                    if $kinds >> number & 1 == 0 {
                        lanes[number] = from.lanes(read, first + number, components);
                    } else {
                        equal[number] = from.equal(read, components).unwrap_or([0.0; C]);
                    }
                }
                let result = |lane: usize| {
                    let mut values = [[0.0; K]; C];
                    for number in 0..K {
                        for index in 0..C {
                            let (lanes, sign) = lanes[number];
                            let is_equal = $kinds >> number & 1 != 0;
                            values[index][number] =
                                if is_equal { equal[number][index] } else { flip(lanes[index][lane], sign) };
                        }
                    }
                    op(values)
                };
                if $kinds == (1 << K) - 1 {
                    *out = [result(0); N];
                } else {
                    each_lane!(blocks, N, |lane| out[lane] = result(lane));
                }
            }};
        }
        // A loop for each set of operands that are equal in all lanes.
        match kinds {
            0 => each!(0),
            1 => each!(1),
            2 => each!(2),
            4 => each!(4),
            // No instruction has these operands.
            several => each!(several),
        }
    }
}

/// Registers of `N` lanes, and the effect of each operation on them.
pub(super) trait Engine<const N: usize> {
    type Operands: Operands<N>;

    /// The operands of an operation.
    fn inputs<'a>(&'a self, operation: &'a Operation) -> Inputs<'a, Self::Operands>;
    /// Computes each component that an operation writes, or the first one for all of them.
    fn write<const EQUAL: bool>(
        &mut self,
        operation: &Operation,
        compute: impl Fn(&mut [f32; N], Inputs<'_, Self::Operands>, usize),
    );
    /// a0.x and a0.y, and all ones for each active lane.
    fn addresses(&mut self) -> (&mut [[i32; N]; 2], &[u32; N]);
    /// The flags of all lanes, the active lanes among them, and the number of the first.
    fn flags(&mut self) -> (&mut [u64; 2], u64, usize);

    /// Applies a function of operands to each component.
    #[inline(always)]
    fn apply<const K: usize>(&mut self, operation: &Operation, op: impl Fn([f32; K]) -> f32) {
        self.write::<false>(
            operation,
            #[inline(always)]
            |out, inputs, component| inputs.apply(out, 0, [component], |[values]| op(values)),
        );
    }

    /// Applies a function of all components of two operands.
    #[inline(always)]
    fn dot<M: Mode>(&mut self, operation: &Operation, op: impl Fn([f32; 4], [f32; 4]) -> f32) {
        self.write::<true>(
            operation,
            #[inline(always)]
            |out, inputs, _| {
                inputs.apply(out, 0, [0, 1, 2, 3], |[[x, a], [y, b], [z, c], [w, d]]| {
                    M::result(op([x, y, z, w], [a, b, c, d]))
                });
            },
        );
    }

    /// Applies a function of the first component of an operand.
    #[inline(always)]
    fn scalar<M: Mode>(&mut self, operation: &Operation, op: impl Fn(f32) -> f32) {
        self.write::<true>(
            operation,
            #[inline(always)]
            |out, inputs, _| inputs.apply(out, 0, [0], |[[a]]| M::result(op(a))),
        );
    }

    /// Executes DST.
    #[inline(always)]
    fn dst<M: Mode>(&mut self, operation: &Operation) {
        self.write::<false>(
            operation,
            #[inline(always)]
            |out, inputs, component| match component {
                0 => *out = [1.0; N],
                1 => inputs.apply(out, 0, [1], |[[a, b]]| M::result(M::mul(a, b))),
                _ => inputs.apply(out, component % 2, [component], |[[a]]| M::result(a)),
            },
        );
    }

    /// Executes LITP.
    #[inline(always)]
    fn litp<M: Mode>(&mut self, operation: &Operation) {
        let sign = |component| self.test(operation, component, |[a]| a >= 0.0);
        let signs = [sign(0), sign(3)];
        self.set_flags(signs);
        self.write::<false>(
            operation,
            #[inline(always)]
            |out, inputs, component| match component {
                0 | 3 => inputs.apply(out, 0, [component], |[[a]]| M::result(arith::litp_positive(a))),
                1 => inputs.apply(out, 0, [1], |[[a]]| M::result(arith::litp_power(a))),
                _ => *out = [0.0; N],
            },
        );
    }

    /// Executes MOVA.
    #[inline(always)]
    fn mova(&mut self, operation: &Operation) {
        for component in components(Mask(operation.mask.0 & 3)) {
            let mut values = [0; N];
            self.inputs(operation).apply(&mut values, 0, [component], |[[a]]| arith::address(a));
            let (to, mask) = self.addresses();
            for lane in 0..N {
                // Range: the mask is all ones or zero.
                let (to, mask) = (&mut to[component][lane], mask[lane] as i32);
                *to = values[lane] & mask | *to & !mask;
            }
        }
    }

    /// Executes CMP.
    #[inline(always)]
    fn cmp(&mut self, operation: &Operation) {
        let Action::Cmp(x, y) = operation.action else { return };
        let mut flags = [0; 2];
        for (component, (flag, compared)) in flags.iter_mut().zip([x, y]).enumerate() {
            *flag = match compared {
                CompareOp::Eq => self.test(operation, component, |[a, b]| a == b),
                CompareOp::Ne => self.test(operation, component, |[a, b]| a != b),
                CompareOp::Lt => self.test(operation, component, |[a, b]| a < b),
                CompareOp::Le => self.test(operation, component, |[a, b]| a <= b),
                CompareOp::Gt => self.test(operation, component, |[a, b]| a > b),
                CompareOp::Ge => self.test(operation, component, |[a, b]| a >= b),
                CompareOp::True6 | CompareOp::True7 => u64::MAX,
            };
        }
        self.set_flags(flags);
    }

    /// Tests a component of operands; bit n of the result is lane n.
    #[inline(always)]
    fn test<const K: usize>(
        &self,
        operation: &Operation,
        component: usize,
        holds: impl Fn([f32; K]) -> bool,
    ) -> u64 {
        let mut lanes = [0; N];
        self.inputs(operation).apply(&mut lanes, 0, [component], |[values]| u8::from(holds(values)));
        pack(&lanes)
    }

    /// Replaces the flags of active lanes.
    #[inline(always)]
    fn set_flags(&mut self, values: [u64; 2]) {
        let (flags, active, first) = self.flags();
        for (to, from) in flags.iter_mut().zip(values) {
            *to = *to & !active | from << first & active;
        }
    }
}
