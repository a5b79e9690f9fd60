//! The effect of each operation on the lanes of a batch.
//! In: an [`Operation`], active lanes. Out: changed registers. Knows no control flow. Arithmetic is
//! [`arith`]'s; here are only operands, components and masks.

use super::code::{Action, Operation};
use super::lanes::{LANES, apply_binary, apply_ternary, apply_unary, compare, components, dot, flip, spread};
use super::register_file::{At, File};
use crate::precision::arith;
use transpica::Precision;
use transpica::interp::{Exact, F24, Fast, Flushed, Mode, Settings};
use transpica::isa::{CompareOp, DataOp};

/// Applies a function to each component that an operation writes.
macro_rules! components {
    ($file:ident, $operation:ident, $at:ident, |$component:ident, $out:ident| $body:expr) => {{
        for $component in components($operation.mask) {
            let $out: &mut [f32; LANES] = &mut $file.results[$component];
            $body;
        }
        $file.write($operation, $at);
    }};
}

/// A function that is compiled for each kind of vectors.
macro_rules! wide {
    (|$file:ident, $operation:ident, $at:ident| $body:expr) => {
        |$file, $operation, $at| {
            let wide = $at.wide;
            wide.call(
                #[inline(always)]
                || $body,
            );
        }
    };
}

/// Effect of each data instruction in mode `M`, by a macro that takes a function of registers. `S`
/// is any mode with the same results of operations that select values, so that modes share their
/// functions.
macro_rules! data {
    ($op:expr, $mode:ident, $shared:ident, $run:ident) => {
        match $op {
            DataOp::Add => $run!(|file, operation, at| {
                file.apply_binary(operation, at, |a, b| $mode::result(arith::add($mode::PRECISION, a, b)))
            }),
            DataOp::Mul => $run!(|file, operation, at| {
                file.apply_binary(operation, at, |a, b| $mode::result($mode::mul(a, b)))
            }),
            DataOp::Mad => $run!(|file, operation, at| {
                let mad = |a, b, c| $mode::result(arith::add($mode::PRECISION, $mode::mul(a, b), c));
                file.apply_ternary(operation, at, mad)
            }),
            DataOp::Dp3 => $run!(|file, operation, at| {
                file.dot(operation, at, |a, b| {
                    $mode::result($mode::dot([a[0], a[1], a[2]], [b[0], b[1], b[2]]))
                })
            }),
            DataOp::Dp4 => {
                $run!(|file, operation, at| file.dot(operation, at, |a, b| $mode::result($mode::dot(a, b))))
            }
            DataOp::Dph => $run!(|file, operation, at| file.dot(operation, at, |a, b| {
                // w of the second operand is added without a multiplication.
                let sum = $mode::dot([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
                $mode::result(arith::add($mode::PRECISION, sum, b[3]))
            })),
            DataOp::Rcp => $run!(|file, operation, at| {
                file.scalar(operation, at, |a| $mode::result(arith::rcp($mode::PRECISION, a)))
            }),
            DataOp::Rsq => $run!(|file, operation, at| {
                file.scalar(operation, at, |a| $mode::result(arith::rsq($mode::PRECISION, a)))
            }),
            DataOp::Dst => $run!(|file, operation, at| file.dst::<$mode>(operation, at)),
            DataOp::Sge => $run!(|file, operation, at| file.apply_binary(operation, at, arith::sge)),
            DataOp::Slt => $run!(|file, operation, at| file.apply_binary(operation, at, arith::slt)),
            DataOp::Max => $run!(|file, operation, at| {
                file.apply_binary(operation, at, |a, b| $shared::result(arith::max(a, b)))
            }),
            DataOp::Min => $run!(|file, operation, at| {
                file.apply_binary(operation, at, |a, b| $shared::result(arith::min(a, b)))
            }),
            DataOp::Flr => {
                $run!(|file, operation, at| file.apply_unary(operation, at, |a| $shared::result(a.floor())))
            }
            DataOp::Mov => $run!(|file, operation, at| file.apply_unary(operation, at, $shared::result)),
            DataOp::Litp => $run!(|file, operation, at| file.litp::<$shared>(operation, at)),
            DataOp::Ex2 => $run!(|file, operation, at| {
                file.scalar(operation, at, |a| $mode::result(arith::exp2($mode::PRECISION, a)))
            }),
            DataOp::Lg2 => $run!(|file, operation, at| {
                file.scalar(operation, at, |a| $mode::result(arith::log2($mode::PRECISION, a)))
            }),
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
        Action::Mova => wide!(|file, operation, at| file.mova(operation, at)),
        Action::Cmp(..) => wide!(|file, operation, at| file.cmp(operation, at)),
        Action::Emit => |file, _, at| file.emit(at),
        Action::SetEmit { .. } => |file, operation, at| file.set_emit(operation, at),
        Action::Data(op) => data!(op, M, S, wide),
    }
}

impl File {
    /// Executes MOVA.
    #[inline(always)]
    fn mova(&mut self, operation: &Operation, at: &At<'_>) {
        let (sources, a) = (&self.sources, &operation.reads[0]);
        for component in 0..2 {
            if operation.mask.0 >> component & 1 == 0 {
                continue;
            }
            let a = spread(sources.value(a, component), &mut self.equal[0]);
            let to = &mut self.addresses[component];
            at.active.blend_addresses(to, |lane| arith::address(flip(a.0[lane], a.1)));
        }
    }

    /// Executes CMP.
    #[inline(always)]
    fn cmp(&mut self, operation: &Operation, at: &At<'_>) {
        let Action::Cmp(x, y) = operation.action else { return };
        let (sources, [a, b, _]) = (&self.sources, &operation.reads);
        let mut flags = [u64::MAX; 2];
        let [first, second] = &mut *self.equal;
        for (component, compared) in [x, y].into_iter().enumerate() {
            let blocks = at.active.blocks;
            let a = spread(sources.value(a, component), first);
            let b = spread(sources.value(b, component), second);
            flags[component] = match compared {
                CompareOp::Eq => compare(blocks, a, b, |a, b| a == b),
                CompareOp::Ne => compare(blocks, a, b, |a, b| a != b),
                CompareOp::Lt => compare(blocks, a, b, |a, b| a < b),
                CompareOp::Le => compare(blocks, a, b, |a, b| a <= b),
                // Exchanged operands, so that there are fewer loops.
                CompareOp::Gt => compare(blocks, b, a, |a, b| a < b),
                CompareOp::Ge => compare(blocks, b, a, |a, b| a <= b),
                CompareOp::True6 | CompareOp::True7 => u64::MAX,
            };
        }
        self.set_flags(flags, at);
    }

    /// Replaces the flags of active lanes.
    #[inline(always)]
    fn set_flags(&mut self, flags: [u64; 2], at: &At<'_>) {
        for (to, from) in self.flags.iter_mut().zip(flags) {
            *to = *to & !at.active.lanes | from & at.active.lanes;
        }
    }

    /// Applies a function of one operand to each component.
    #[inline(always)]
    fn apply_unary(&mut self, operation: &Operation, at: &At<'_>, op: impl Fn(f32) -> f32) {
        let (sources, a) = (&self.sources, &operation.reads[0]);
        components!(self, operation, at, |c, out| {
            apply_unary(at.active.blocks, out, sources.value(a, c), &op)
        });
    }

    /// Applies a function of two operands to each component.
    #[inline(always)]
    fn apply_binary(&mut self, operation: &Operation, at: &At<'_>, op: impl Fn(f32, f32) -> f32) {
        let (sources, [a, b, _]) = (&self.sources, &operation.reads);
        components!(self, operation, at, |c, out| {
            apply_binary(at.active.blocks, out, sources.value(a, c), sources.value(b, c), &op)
        });
    }

    /// Applies a function of three operands to each component.
    #[inline(always)]
    fn apply_ternary(&mut self, operation: &Operation, at: &At<'_>, op: impl Fn(f32, f32, f32) -> f32) {
        let (sources, [a, b, _]) = (&self.sources, &operation.reads);
        let c = &operation.reads[2];
        components!(self, operation, at, |i, out| {
            let operands = [sources.value(a, i), sources.value(b, i), sources.value(c, i)];
            apply_ternary(at.active.blocks, out, operands, &op)
        });
    }

    /// Applies a function of all components of two operands.
    #[inline(always)]
    fn dot(&mut self, operation: &Operation, at: &At<'_>, op: impl Fn([f32; 4], [f32; 4]) -> f32) {
        let (sources, [a, b, _]) = (&self.sources, &operation.reads);
        dot(at.active.blocks, &mut self.results[0], &sources.operand(a), &sources.operand(b), op);
        self.write_equal(operation, at);
    }

    /// Applies a function of the first component of an operand.
    #[inline(always)]
    fn scalar(&mut self, operation: &Operation, at: &At<'_>, op: impl Fn(f32) -> f32) {
        let (sources, a) = (&self.sources, &operation.reads[0]);
        apply_unary(at.active.blocks, &mut self.results[0], sources.value(a, 0), op);
        self.write_equal(operation, at);
    }

    /// Executes DST.
    #[inline(always)]
    fn dst<M: Mode>(&mut self, operation: &Operation, at: &At<'_>) {
        let (sources, [a, b, _]) = (&self.sources, &operation.reads);
        let blocks = at.active.blocks;
        components!(self, operation, at, |c, out| match c {
            0 => *out = [1.0; LANES],
            1 => {
                let (a, b) = (sources.value(a, 1), sources.value(b, 1));
                apply_binary(blocks, out, a, b, |a, b| M::result(M::mul(a, b)))
            }
            _ => apply_unary(blocks, out, sources.value(if c == 2 { a } else { b }, c), M::result),
        });
    }

    /// Executes LITP.
    #[inline(always)]
    fn litp<M: Mode>(&mut self, operation: &Operation, at: &At<'_>) {
        let (sources, a) = (&self.sources, &operation.reads[0]);
        let blocks = at.active.blocks;
        let mut flags = [0; 2];
        for (flag, component) in flags.iter_mut().zip([0, 3]) {
            let a = spread(sources.value(a, component), &mut self.equal[0]);
            *flag = compare(blocks, a, a, |a, _| a >= 0.0);
        }
        components!(self, operation, at, |c, out| match c {
            0 | 3 => apply_unary(blocks, out, sources.value(a, c), |a| M::result(arith::litp_positive(a))),
            1 => apply_unary(blocks, out, sources.value(a, 1), |a| M::result(arith::litp_power(a))),
            _ => *out = [0.0; LANES],
        });
        self.set_flags(flags, at);
    }
}
