//! The registers that a function still reads after the passes.
//! In: a function in the `Pica` stage, without dead values. Out: [`Usage`]. Changes nothing.

use crate::host::{Reach, Usage};
use crate::ir::{Array, Func, Op, Resource};

/// The registers that a function without dead values reads. Outputs are not its business: they stay
/// empty.
pub fn run(f: &Func) -> Usage {
    let mut usage = Usage::default();
    for value in f.values.keys() {
        match f.op(value) {
            Some(Op::Read(resource)) => match resource {
                Resource::Input(register) => usage.inputs |= 1 << (register & 15),
                Resource::Uniform(register) => usage.floats |= 1 << (register & 127),
                Resource::IntUniform { index, .. } => usage.ints |= 1 << (index & 3),
                Resource::BoolUniform(index) => usage.bools |= 1 << (index & 15),
                Resource::Member { .. }
                | Resource::Host(_)
                | Resource::Draw(_)
                | Resource::Specialized(_) => {}
            },
            Some(Op::ReadAt(Array::Uniform(base), _)) => {
                usage.relative = Some(Reach::Anywhere);
                usage.relative_bases |= 1 << (base & 127);
            }
            Some(
                Op::ReadAt(Array::Member(_) | Array::Buffer(_), _)
                | Op::Const(_)
                | Op::Shuffle(_)
                | Op::Unary(..)
                | Op::Binary(..)
                | Op::Select { .. }
                | Op::Submit { .. }
                | Op::Call { .. },
            )
            | None => {}
        }
    }
    usage
}
