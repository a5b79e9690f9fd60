//! Which registers a function still reads after the passes.
//! In: a function in the `Pica` stage, without dead values. Out: [`Usage`]. Changes nothing.

use crate::host::{Reach, Usage};
use crate::ir::{Func, Op};

/// The registers that a function without dead values reads. Outputs are not its business: they stay empty.
pub fn run(f: &Func) -> Usage {
    let mut usage = Usage::default();
    for value in f.values.keys() {
        match f.op(value) {
            Some(Op::Input(register)) => usage.inputs |= 1 << (register & 15),
            Some(Op::Uniform(register)) => usage.floats |= 1 << (register & 127),
            Some(Op::UniformAt { base, .. }) => {
                usage.relative = Some(Reach::Anywhere);
                usage.relative_bases |= 1 << (base & 127);
            }
            Some(Op::IntUniform { index, .. }) => usage.ints |= 1 << (index & 3),
            Some(Op::BoolUniform(index)) => usage.bools |= 1 << (index & 15),
            Some(
                Op::Const(_)
                | Op::HostField(_)
                | Op::Specialized(_)
                | Op::Member { .. }
                | Op::MemberAt { .. }
                | Op::Shuffle(_)
                | Op::Unary(..)
                | Op::Binary(..)
                | Op::Select { .. }
                | Op::DrawField(_)
                | Op::Load { .. }
                | Op::Submit { .. }
                | Op::Call { .. },
            )
            | None => {}
        }
    }
    usage
}
