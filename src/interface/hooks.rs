//! Hooks outside modules: outputs with them, the same changes on the CPU.
//! In: hooks. Out: outputs, registers. Knows no instruction's effect.

use super::on_cpu::HostValues;
use super::output::{ComponentSource, Location, Output, OutputValue};
use crate::host::hooks::{Hook, HookOperand, OutputHook, TAPS, evaluations, redirected, taps};
use crate::host::settings::Arithmetic;
use crate::machine::precision::{Precision, arith};
use crate::program::isa::{Mask, Uniforms};

/// Names of the varyings of taps. They end in a letter, so that no target renames them.
const NAMES: [&str; TAPS] = ["tap_a", "tap_b", "tap_c", "tap_d", "tap_e", "tap_f", "tap_g", "tap_h"];

impl HookOperand {
    /// Returns the value at draw time.
    pub fn value(self, host: &HostValues) -> [f32; 4] {
        match self {
            Self::Constant(bits) => bits.map(f32::from_bits),
            Self::Parameter(number) => host.parameter(number),
        }
    }
    /// Rounds a constant as a register does, which it stands for.
    pub(crate) fn rounded(self, arithmetic: &Arithmetic) -> Self {
        let load = |bits| arith::load(arithmetic.precision, f32::from_bits(bits)).to_bits();
        if let Self::Constant(bits) = self { Self::Constant(bits.map(load)) } else { self }
    }
}

impl OutputHook {
    /// Changes the components of several vertices.
    pub(crate) fn apply<const N: usize>(
        &self,
        columns: &mut [[f32; N]; 4],
        precision: Precision,
        host: &HostValues,
    ) {
        let loaded = |operand: HookOperand| operand.value(host).map(|value| arith::load(precision, value));
        let mut each = |mask: Mask, operand: HookOperand, op: fn(Precision, f32, f32) -> f32| {
            let operand = loaded(operand);
            for component in mask.iter() {
                let (column, operand) = (&mut columns[component.index()], operand[component.index()]);
                column.iter_mut().for_each(|value| *value = op(precision, *value, operand));
            }
        };
        match *self {
            Self::Set(mask, operand) => each(mask, operand, |_, _, operand| operand),
            Self::Add(mask, operand) => each(mask, operand, arith::add),
            Self::Multiply(mask, operand) => each(mask, operand, arith::mul),
            Self::Transform(rows) => {
                let rows = rows.map(loaded);
                for vertex in 0..N {
                    let old = columns.map(|column| column[vertex]);
                    for (column, row) in columns.iter_mut().zip(rows) {
                        column[vertex] = arith::dot(precision, row, old);
                    }
                }
            }
        }
    }
}

/// Gives the uniforms that hooks redirect the values that modules read instead.
///
/// ```
/// use transpica::host::{Hook, HookOperand, redirect};
/// use transpica::host::HostValues;
/// use transpica::isa::Uniforms;
/// let mut uniforms = Uniforms::default();
/// let hook = Hook::Redirect(5, HookOperand::constant([1.0; 4]));
/// redirect(&[hook], &mut uniforms, &HostValues::default());
/// assert_eq!(uniforms.floats[5], [1.0; 4]);
/// ```
pub fn redirect(hooks: &[Hook], uniforms: &mut Uniforms, host: &HostValues) {
    for (register, operand) in redirected(hooks) {
        if let Some(uniform) = uniforms.floats.get_mut(usize::from(register)) {
            *uniform = operand.value(host);
        }
    }
}

/// Adds hooks to the outputs that they change.
pub fn attach<'a>(hooks: &[Hook], outputs: impl Iterator<Item = &'a mut Output>) {
    for output in outputs {
        let changes = hooks.iter().filter_map(|hook| match *hook {
            Hook::Output(semantic, change) if output.semantic == Some(semantic) => Some(change),
            Hook::Output(..) | Hook::Redirect(..) | Hook::Tap(..) | Hook::Again(_) => None,
        });
        output.hooks.extend(changes);
    }
}

/// Adds the outputs of taps, and last the one of a second evaluation: a copy of the position with
/// its hooks.
pub(crate) fn add_outputs(hooks: &[Hook], outputs: &mut Vec<Output>) {
    let again = evaluations(hooks).next().zip(outputs.first().cloned());
    outputs.extend(tap_outputs(hooks));
    outputs.extend(again.map(|((_, location), position)| Output {
        name: "position_again".to_string(),
        location: Location::Varying(location),
        value: OutputValue::Again,
        ..position
    }));
}

/// Returns the outputs of taps.
fn tap_outputs(hooks: &[Hook]) -> impl Iterator<Item = Output> + '_ {
    (0u8..).zip(taps(hooks).zip(NAMES)).map(|(number, ((_, location), name))| {
        let components = vec![ComponentSource::Zero; 4];
        let output = Output::plain(name.to_string(), Location::Varying(location), components);
        Output { value: OutputValue::Tap(number), ..output }
    })
}
