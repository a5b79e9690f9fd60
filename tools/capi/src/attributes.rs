//! Attributes in the form of the C interface: formats, and promises about numbers.
//! In: structures of a chain. Out: the library's values.

use transpica::settings::{Promise, VertexInput};

use crate::chain::{TranspicaHead, structures};
use crate::enums::TranspicaPromiseKind;
use crate::problem::Problem;
use crate::settings::{choice, narrow};

/// An attribute in the host's input assembly.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaAttributeFormat {
    /// A TranspicaAttributeKind.
    pub kind: u32,
    /// Number of components that the program reads, 1 to 4; the others are those of (0, 0, 0, 1).
    /// 0: four.
    pub components: u32,
}

/// A promise about the numbers that a host feeds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaPromise {
    /// A TranspicaPromiseKind.
    pub kind: u32,
    /// For TRANSPICA_PROMISE_KIND_BELOW and BETWEEN: magnitudes are below two to the power of this,
    /// 0 to 128.
    pub exponent: u32,
    /// For TRANSPICA_PROMISE_KIND_BETWEEN: magnitudes other than 0 are at least two to the power of
    /// this, -128 to 127.
    pub least: i32,
}

/// Vertex input of a draw. It goes with a program and takes the place of `input` of
/// TranspicaSettings, all of it: one translator serves draws of any formats. Keys contain what the
/// program reads. Zeros are floats with four components and no promise. The attribute for register
/// n has location n in every module, however the console permutes its attributes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaVertexInput {
    /// TRANSPICA_TYPE_VERTEX_INPUT
    pub head: TranspicaHead,
    /// Formats of v0 to v15.
    pub formats: [TranspicaAttributeFormat; 16],
    /// Promises about v0 to v15, as the input assembly converts them.
    pub promises: [TranspicaPromise; 16],
}

structures! { TranspicaVertexInput => VertexInput }

pub(crate) fn vertex_input(given: &TranspicaVertexInput) -> Result<VertexInput, Problem> {
    let mut input = VertexInput::default();
    for (slot, given) in input.promises.iter_mut().zip(given.promises) {
        *slot = promise(given)?;
    }
    for (format, given) in input.formats.iter_mut().zip(given.formats) {
        format.kind = choice("TranspicaAttributeFormat.kind", given.kind)?;
        if given.components != 0 {
            format.components = narrow("TranspicaAttributeFormat.components", given.components)?;
        }
    }
    Ok(input)
}

fn promise(given: TranspicaPromise) -> Result<Promise, Problem> {
    let TranspicaPromise { kind, exponent, least } = given;
    let below = u8::try_from(exponent).ok().filter(|&exponent| exponent <= 128);
    match (choice("TranspicaPromise.kind", kind)?, below, i8::try_from(least)) {
        (TranspicaPromiseKind::Below, Some(below), Ok(0)) => Ok(Promise::Below(below)),
        (TranspicaPromiseKind::Between, Some(below), Ok(least)) => Ok(Promise::Between(least, below)),
        (TranspicaPromiseKind::Nothing, Some(0), Ok(0)) => Ok(Promise::Nothing),
        (TranspicaPromiseKind::NotNan, Some(0), Ok(0)) => Ok(Promise::NotNan),
        _other => {
            let text = format!(
                "TranspicaPromise has exponent {exponent} and least {least}, which the kind does not take"
            );
            Err(Problem::choice(text))
        }
    }
}
