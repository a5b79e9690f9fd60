//! Lowering of outputs: raw registers, or semantics with depth and color conversion.
//! In: the final lane map. Out: one value for each output. Rules: colors become min(|c|, 1) before
//! interpolation, unmapped components read 1.0, a clip volume of 0..w needs z negated. Tolerances
//! of the clip volume act on the position as the program writes it.

use super::context::OutputSelection;
use super::hooks::{self, Hooks};
use super::lanes;
use super::scope::Builder;
use crate::host::settings::{DepthRange, DepthSnap, FlipY, Options};
use crate::interface::{ComponentSource, Output, OutputValue};
use crate::ir::{Binary, Lane, Op, Resource, Type, Unary, Value};
use crate::machine::precision::bits::ONE;
use crate::program::isa::{Dest, Mask};
use crate::support::fields::HostField;

/// Lowers the values that the main function yields, or returns `None` if the program never ends.
pub(super) fn values(
    b: &mut Builder,
    outputs: OutputSelection<'_>,
    options: &Options,
    hooks: &Hooks<'_>,
) -> Vec<Value> {
    if !b.reachable() {
        return Vec::new();
    }
    match outputs {
        OutputSelection::Registers => {
            (0..16).map(|n| b.read_vector(lanes::register(Dest::Output(n)), 4)).collect()
        }
        OutputSelection::Semantics(outputs) => {
            let value = |output: &Output| {
                if let OutputValue::Tap(tap) = output.value {
                    hooks.value(b, tap)
                } else {
                    semantic(b, output, options)
                }
            };
            outputs.iter().map(value).collect()
        }
    }
}

/// Lowers one output.
pub(super) fn semantic(b: &mut Builder, output: &Output, options: &Options) -> Value {
    let mut all = [Lane::new(b.constant(Type::F32, [ONE, 0, 0, 0]), 0); 4];
    let len = output.components.len().clamp(1, 4);
    // Missing components read 1.
    for (lane, source) in all.iter_mut().zip(&output.components) {
        *lane = component(b, *source);
    }
    for hook in &output.hooks {
        hooks::output(b, &options.arithmetic, &mut all[..len], hook);
    }
    if output.value.is_position() {
        all[2] = snapped(b, all[2], all[3], options.outputs.snap_depth);
    }
    match output.value {
        OutputValue::Position | OutputValue::Again => position(b, &mut all, options),
        OutputValue::ClipDistances => return distances(b, all),
        OutputValue::Mixed { colors, complements } => {
            for (component, lane) in all[..len].iter_mut().enumerate() {
                let has = |mask: Mask| mask.0 >> component & 1 != 0;
                *lane = mixed(b, *lane, has(colors) && options.outputs.clamp_colors, has(complements));
            }
        }
        OutputValue::Plain | OutputValue::Color | OutputValue::Tap(_) => {}
    }
    let value = b.gather(&all[..len]);
    if output.value != OutputValue::Color || !options.outputs.clamp_colors {
        return value;
    }
    clamped(b, value)
}

/// Clamps a color. Hardware takes the magnitude before it interpolates.
fn clamped(b: &mut Builder, value: Value) -> Value {
    let ty = b.func.ty(value);
    let magnitude = b.emit(ty, Op::Unary(Unary::Abs, value));
    let ones = b.constant(ty, [0, 1, 2, 3].map(|lane| if lane < ty.lanes { ONE } else { 0 }));
    b.emit(ty, Op::Binary(Binary::MinP, magnitude, ones))
}

/// Converts a component of a host's varying.
fn mixed(b: &mut Builder, lane: Lane, is_color: bool, is_complement: bool) -> Lane {
    if !is_color && !is_complement {
        return lane;
    }
    let mut value = b.scalar(lane);
    if is_color {
        value = clamped(b, value);
    }
    if is_complement {
        let one = b.constant(Type::F32, [ONE, 0, 0, 0]);
        let negated = b.emit(Type::F32, Op::Unary(Unary::Neg, value));
        value = b.emit(Type::F32, Op::Binary(Binary::AddP, one, negated));
    }
    Lane::new(value, 0)
}

fn component(b: &mut Builder, source: ComponentSource) -> Lane {
    match source {
        ComponentSource::Register { register, component } => {
            b.get(lanes::register(Dest::Output(register)) + component.index())
        }
        ComponentSource::One => Lane::new(b.constant(Type::F32, [ONE, 0, 0, 0]), 0),
        ComponentSource::Zero => Lane::new(b.constant(Type::F32, [0; 4]), 0),
    }
}

/// Converts the position to the clip volume of the host.
fn position(b: &mut Builder, lanes: &mut [Lane; 4], options: &Options) {
    lanes[2] = match options.outputs.depth {
        // PICA200 clips z to -w..0.
        DepthRange::ZeroToW => negate(b, lanes[2]),
        DepthRange::MinusWToW => {
            // -(z + z) - w: doubling is exact, so there is one rounding.
            let (z, w) = (b.scalar(lanes[2]), b.scalar(lanes[3]));
            let twice = b.emit(Type::F32, Op::Binary(Binary::AddP, z, z));
            let sum = b.emit(Type::F32, Op::Binary(Binary::AddP, twice, w));
            Lane::new(b.emit(Type::F32, Op::Unary(Unary::Neg, sum)), 0)
        }
        DepthRange::Raw => lanes[2],
    };
    lanes[1] = match options.outputs.flip_y {
        FlipY::Never => lanes[1],
        FlipY::Always => negate(b, lanes[1]),
        FlipY::Dynamic => {
            let flipped = negate(b, lanes[1]);
            let (flipped, y) = (b.scalar(flipped), b.scalar(lanes[1]));
            let cond = is_set(b, HostField::FlipY);
            Lane::new(b.select(cond, flipped, y), 0)
        }
    };
}

/// z of a position, moved into the clip volume:
/// [`snap_depth`](crate::machine::precision::arith::snap_depth).
fn snapped(b: &mut Builder, z: Lane, w: Lane, snap: DepthSnap) -> Lane {
    if snap.is_off() {
        return z;
    }
    let zero = b.constant(Type::F32, [0; 4]);
    let (z, w) = (b.scalar(z), b.scalar(w));
    let [near, far] = [snap.near, -snap.far].map(|part| {
        let part = b.constant(Type::F32, [part.to_bits(), 0, 0, 0]);
        b.emit(Type::F32, Op::Binary(Binary::MulP, part, w))
    });
    let beyond = b.emit(Type::F32, Op::Binary(Binary::AddP, z, w));
    let is_beyond = b.test(Binary::Less, beyond, zero);
    let is_near = b.test(Binary::Greater, beyond, far);
    let is_far = b.test(Binary::And, is_beyond, is_near);
    let side = b.emit(Type::F32, Op::Unary(Unary::Neg, w));
    let moved = b.select(is_far, side, z);
    let is_beyond = b.test(Binary::Greater, z, zero);
    let is_near = b.test(Binary::Less, z, near);
    let is_near = b.test(Binary::And, is_beyond, is_near);
    Lane::new(b.select(is_near, zero, moved), 0)
}

fn negate(b: &mut Builder, lane: Lane) -> Lane {
    let value = b.scalar(lane);
    Lane::new(b.emit(Type::F32, Op::Unary(Unary::Neg, value)), 0)
}

/// Distances of the unconverted position, whose z was moved, from the planes z = 0 and the user's.
fn distances(b: &mut Builder, position: [Lane; 4]) -> Value {
    let depth = negate(b, position[2]);
    let plane = b.emit(Type::F32X4, Op::Read(Resource::Host(HostField::ClipPlane)));
    let mut sum = None;
    for (index, lane) in (0u8..).zip(position) {
        let (lane, factor) = (b.scalar(lane), b.scalar(Lane::new(plane, index)));
        let product = b.emit(Type::F32, Op::Binary(Binary::MulP, factor, lane));
        // The order of the sum is fixed, so that all targets give the same distances.
        sum = Some(match sum {
            None => product,
            Some(sum) => b.emit(Type::F32, Op::Binary(Binary::AddP, sum, product)),
        });
    }
    let zero = b.constant(Type::F32, [0; 4]);
    let cond = is_set(b, HostField::ClipEnabled);
    let plane = b.select(cond, sum.unwrap_or(zero), zero);
    b.gather(&[depth, Lane::new(plane, 0)])
}

/// Tests whether a flag of the host block is not 0.
fn is_set(b: &mut Builder, field: HostField) -> Value {
    let word = b.emit(Type::U32, Op::Read(Resource::Host(field)));
    let zero = b.constant(Type::U32, [0; 4]);
    let clear = b.test(Binary::UEqual, word, zero);
    b.not(clear)
}
