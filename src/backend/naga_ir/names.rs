//! Names of values in readable output, from where a value came from.
//! In: [`Hint`]. Out: identifiers; naga makes them unique and appends `_` to those that end in a digit (`text` takes that
//! away again). Knows no expressions.

use crate::ir::{Hint, HintRegister, Kind};

/// The name of a value of this kind that came from there: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub(super) fn name(hint: Hint, kind: Kind) -> String {
    let mut name = match hint.register {
        HintRegister::Temp(register) => format!("r{register}"),
        HintRegister::Output(register) => format!("o{register}"),
        HintRegister::Address => "a0".to_owned(),
        HintRegister::Flags => "cmp".to_owned(),
        HintRegister::Counter => return "aL".to_owned(),
        HintRegister::LoopLeft(slot) => return format!("left_i{slot}"),
        HintRegister::Invocation => return "invocation".to_owned(),
        HintRegister::Count => return "count".to_owned(),
        HintRegister::None => return unnamed(kind).to_owned(),
    };
    let mask = hint.mask & 15;
    if mask != 0 && mask != 15 {
        name.push('_');
        name.extend("xyzw".chars().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, c)| c));
    }
    name
}

/// The name of a value that came from nowhere.
pub(super) const fn unnamed(kind: Kind) -> &'static str {
    match kind {
        Kind::F32 => "t",
        Kind::I32 => "n",
        Kind::U32 => "bits",
        Kind::Bool => "test",
    }
}
