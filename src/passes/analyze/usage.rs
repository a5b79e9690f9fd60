//! The registers that a function still reads after the passes.
//! In: a function in the `Pica` stage, without dead values, and the offsets of its relative reads.
//! Out: [`Usage`]. Changes nothing.

use super::offsets::{self, Offset};
use crate::interface::Usage;
use crate::ir::{Func, Resource};

/// The registers that a function without dead values reads. Outputs are not its business: they stay
/// empty.
pub fn run(f: &Func, offsets: &[Offset]) -> Usage {
    let mut usage = Usage::default();
    offsets::add_to(&mut usage, offsets);
    for (_, resource) in f.reads() {
        match resource {
            Resource::Input(register) => usage.inputs |= 1 << (register & 15),
            Resource::Uniform(register) => usage.floats |= 1 << (register & 127),
            Resource::IntUniform { index, .. } => usage.ints |= 1 << (index & 3),
            Resource::BoolUniform(index) => usage.bools |= 1 << (index & 15),
            _no_register => {}
        }
    }
    usage
}
