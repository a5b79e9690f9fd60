//! Shuffles: swizzles, extracts, splats and builds, whichever reads best.
//! In: the lanes of a [`Op::Shuffle`](crate::ir::Op::Shuffle). Out: where the result is found. Knows no other operation.
//!
//! ```text
//! shuffle r1.x r1.y r1.z       =>  r1.xyz          (anew at each use)
//! shuffle s s s s              =>  vec4(s)         (anew at each use; just `s` as a factor)
//! shuffle r1.x r1.y r2.z 1.0   =>  vec4(r1.xy, r2.z, 1.0)
//! ```

use naga::Expression;

use super::broken;
use super::function::{Builder, Expr, Slot};
use super::types::value_type;
use crate::error::Result;
use crate::ir::{Lane, Type};

/// What one lane of a result is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    /// A lane of a vector expression; the last is how many lanes the vector has.
    Part(Expr, u8, u8),
    /// A scalar expression.
    Scalar(Expr),
    /// A literal.
    Literal(u32),
}

impl Builder<'_, '_> {
    /// Where the result of a shuffle of this type is found.
    pub(super) fn shuffle(&mut self, ty: Type, lanes: [Lane; 4]) -> Result<Slot> {
        let count = usize::from(ty.lanes.clamp(1, 4));
        let mut atoms = [Atom::Literal(0); 4];
        for (atom, &lane) in atoms.iter_mut().zip(&lanes[..count]) {
            *atom = self.atom(lane)?;
        }
        let atoms = &atoms[..count];
        let first = atoms[0];
        Ok(match first {
            Atom::Scalar(expr) if atoms.iter().all(|&atom| atom == first) => {
                if count == 1 {
                    Slot::Whole(expr)
                } else {
                    Slot::Splat(expr)
                }
            }
            Atom::Part(base, _, width)
                if atoms.iter().all(|atom| matches!(atom, Atom::Part(b, ..) if *b == base)) =>
            {
                selection(base, width, atoms)
            }
            Atom::Literal(_) if atoms.iter().all(|atom| matches!(atom, Atom::Literal(_))) => {
                let mut bits = [0; 4];
                for (bits, atom) in bits.iter_mut().zip(atoms) {
                    if let Atom::Literal(literal) = *atom {
                        *bits = literal;
                    }
                }
                Slot::Const(bits)
            }
            Atom::Scalar(_) | Atom::Part(..) | Atom::Literal(_) => Slot::Whole(self.build(ty, atoms)),
        })
    }

    fn atom(&mut self, lane: Lane) -> Result<Atom> {
        let ty = self.ir.ty(lane.value());
        if lane.index() >= ty.lanes {
            return Err(broken(format!("{lane} does not exist")));
        }
        Ok(match self.slot(lane.value())? {
            Slot::Whole(expr) if ty.lanes == 1 => Atom::Scalar(expr),
            Slot::Whole(expr) => Atom::Part(expr, lane.index(), ty.lanes),
            Slot::Lanes { base, width, pattern } => {
                Atom::Part(base, pattern[usize::from(lane.index())], width)
            }
            Slot::Splat(expr) => Atom::Scalar(expr),
            Slot::Not(_) => Atom::Scalar(self.operand(lane.value())?),
            Slot::Const(bits) => {
                let bits = bits[usize::from(lane.index())];
                if ty.kind == crate::ir::Kind::F32 && !f32::from_bits(bits).is_finite() {
                    Atom::Scalar(self.literal(ty.kind, bits))
                } else {
                    Atom::Literal(bits)
                }
            }
            Slot::Unset => return Err(broken(format!("{lane} is used before it is defined"))),
        })
    }

    /// A vector of runs of lanes, scalars and literals.
    fn build(&mut self, ty: Type, atoms: &[Atom]) -> Expr {
        let mut components = Vec::with_capacity(atoms.len());
        let mut rest = atoms;
        while let Some(&atom) = rest.first() {
            let mut length = 1;
            match atom {
                Atom::Part(base, _, width) => {
                    length = rest
                        .iter()
                        .take_while(|atom| matches!(atom, Atom::Part(b, ..) if *b == base))
                        .count();
                    components.push(match selection(base, width, &rest[..length]) {
                        Slot::Whole(expr) => expr,
                        Slot::Lanes { pattern, .. } => {
                            self.lanes(base, pattern, u8::try_from(length).unwrap_or(4))
                        }
                        Slot::Unset | Slot::Splat(_) | Slot::Const(_) | Slot::Not(_) => {
                            unreachable!("a selection is neither")
                        }
                    });
                }
                Atom::Scalar(expr) => components.push(expr),
                Atom::Literal(bits) => components.push(self.literal(ty.kind, bits)),
            }
            rest = &rest[length..];
        }
        let ty = value_type(&mut self.shared.module, ty);
        self.emit(Expression::Compose { ty, components })
    }
}

/// Some lanes of a vector; the vector itself where they are all its lanes in order.
fn selection(base: Expr, width: u8, atoms: &[Atom]) -> Slot {
    let mut pattern = [0; 4];
    let mut in_order = true;
    for (index, (place, atom)) in pattern.iter_mut().zip(atoms).enumerate() {
        if let Atom::Part(_, lane, _) = *atom {
            *place = lane;
            in_order &= usize::from(lane) == index;
        }
    }
    if in_order && usize::from(width) == atoms.len() {
        Slot::Whole(base)
    } else {
        Slot::Lanes { base, width, pattern }
    }
}
