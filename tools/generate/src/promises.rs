//! Numbers that keep promises of a host, for comparisons of modules that rely on them.
//! In: any numbers. Out: the same where they keep a promise, else others that do. Results of a
//! program cannot be chosen, so vertices that break a promise about them are left out.

use transpica::interp::{TraceRecord, Uniforms};
use transpica::isa::{DataOp, Inst, Mask};
use transpica::settings::Promise;
use transpica::{Machine, Options};

/// Returns a number that keeps a promise: the number itself if it does, else an extreme one.
///
/// ```
/// use transpica::settings::Promise;
/// use transpica_generate::promises::kept;
/// assert_eq!(kept(Promise::Below(4), -3.0), -3.0);
/// assert_eq!(kept(Promise::NotNan, f32::NAN), f32::INFINITY);
/// assert!(kept(Promise::Below(4), -100.0) < -15.9);
/// ```
pub fn kept(promise: Promise, number: f32) -> f32 {
    match promise {
        _any if promise.holds(&[number]) => number,
        Promise::Nothing | Promise::NotNan => f32::INFINITY,
        Promise::Between(least, _) if number.abs() < 1.0 => 2f32.powi(least.into()).copysign(number),
        Promise::Below(exponent) | Promise::Between(_, exponent) => {
            // The largest number below the power of two.
            let largest = f32::from_bits(((u32::from(exponent.min(128)) + 127) << 23) - 1);
            largest.copysign(number)
        }
    }
}

/// Makes uniforms and the inputs of vertices keep promises.
pub fn keep(options: &Options, uniforms: &mut Uniforms, vertices: &mut [[[f32; 4]; 16]]) {
    for register in &mut uniforms.floats {
        *register = register.map(|number| kept(options.assume.uniforms, number));
    }
    for (register, &promise) in
        vertices.iter_mut().flat_map(|inputs| inputs.iter_mut().zip(&options.input.promises))
    {
        *register = register.map(|number| kept(promise, number));
    }
}

/// Returns whether an executed instruction keeps a promise about results of arithmetic. What
/// other instructions write is not such a result, be it a copy or a selection.
pub fn keeps(promise: Promise, step: &TraceRecord) -> bool {
    let Inst::Data { op, mask, .. } = step.inst else { return true };
    let computed = match op {
        DataOp::Add
        | DataOp::Mul
        | DataOp::Mad
        | DataOp::Dp3
        | DataOp::Dp4
        | DataOp::Dph
        | DataOp::Rcp
        | DataOp::Rsq
        | DataOp::Ex2
        | DataOp::Lg2 => Mask::XYZW,
        // Its other components are copies and 1.
        DataOp::Dst => Mask(2),
        DataOp::Mov | DataOp::Max | DataOp::Min | DataOp::Sge | DataOp::Slt | DataOp::Flr | DataOp::Litp => {
            Mask::NONE
        }
    };
    let written = mask.iter().filter(|component| computed.has(*component));
    written.map(|component| step.result[component.index()]).all(|number| promise.holds(&[number]))
}

/// Returns whether all results of a vertex keep a promise. One that runs too long does not.
pub fn results_keep(machine: &mut Machine, inputs: &[[f32; 4]; 16], promise: Promise) -> bool {
    let mut holds = true;
    let mut trace = |step: &TraceRecord| holds &= keeps(promise, step);
    machine.run_traced(inputs, &mut trace).is_ok() && holds
}
