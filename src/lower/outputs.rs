//! The outputs of the main function: raw registers, or semantics with the depth and colour rules.
//! In: the final lane map. Out: one value for each output. Rules: colours become min(|c|, 1) before interpolation,
//! unmapped components read 1.0, a clip volume of 0..w wants z negated.

use super::scope::Builder;
use super::{Outputs, lanes};
use crate::host::{ComponentSource, DepthRange, Location, Options, Output};
use crate::ir::{Binary, Lane, Op, Type, Unary, Value};
use crate::isa::Dest;

const ONE: u32 = 1f32.to_bits();

/// The values that the main function yields, computed here from the lane map; none if the program never ends.
pub(super) fn values(b: &mut Builder, outputs: Outputs<'_>, options: &Options) -> Vec<Value> {
    if !b.reachable() {
        return Vec::new();
    }
    match outputs {
        Outputs::Registers => (0..16)
            .map(|n| {
                let base = lanes::register(Dest::Output(n));
                let lanes = [0, 1, 2, 3].map(|component| b.get(base + component));
                b.gather(&lanes)
            })
            .collect(),
        Outputs::Semantics(outputs) => outputs.iter().map(|output| semantic(b, output, options)).collect(),
    }
}

fn semantic(b: &mut Builder, output: &Output, options: &Options) -> Value {
    let one = Lane::new(b.constant(Type::F32, [ONE, 0, 0, 0]), 0);
    let mut all = [one; 4];
    let len = output.components.len().clamp(1, 4);
    for (lane, source) in all.iter_mut().zip(&output.components) {
        *lane = match *source {
            ComponentSource::Register { register, component } => {
                b.get(lanes::register(Dest::Output(register)) + component.index())
            }
            ComponentSource::One => one,
        };
    }
    if output.location == Location::Position && options.depth == DepthRange::ZeroToW && len == 4 {
        let z = b.scalar(all[2]);
        all[2] = Lane::new(b.emit(Type::F32, Op::Unary(Unary::Neg, z)), 0);
    }
    let value = b.gather(&all[..len]);
    if output.color && options.clamp_colors {
        let ty = b.func.ty(value);
        let magnitude = b.emit(ty, Op::Unary(Unary::Abs, value));
        let ones = b.constant(ty, [0, 1, 2, 3].map(|lane| if lane < len { ONE } else { 0 }));
        return b.emit(ty, Op::Binary(Binary::MinP, magnitude, ones));
    }
    value
}
