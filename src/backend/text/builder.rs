//! The draft of one function as it grows: operands, constants, and where each IR value is found.
//! In: calls from `region`, `operations` and `entry`. Out: a [`Draft`]. Knows no operation and no
//! control flow.

use super::Shared;
use super::carry::Carriers;
use super::draft::{Draft, Expr, Form, Label, Line, Operand, PLAIN, View, is_finite};
use crate::backend::interface::defect;
use crate::error::Result;
use crate::ir::{Def, Func, Kind, Lane, Op, Type, Unary, Value};

/// A function that is being built.
pub struct Builder<'a> {
    pub draft: &'a mut Draft,
    pub module: &'a Shared<'a>,
    pub ir: &'a Func,
    /// Names of its parameters.
    pub parameters: &'a [String],
    pub carriers: Carriers,
    /// Contents of input registers.
    pub inputs: [Option<Operand>; 16],
    /// Number of this thread (geometry programs).
    pub thread: Option<Operand>,
    /// Number of open braces.
    pub depth: u32,
    /// Lines of the open loops and switches.
    pub open: Vec<usize>,
    views: Vec<Option<View>>,
    not_finite: Vec<(u32, Expr)>,
}

/// One lane of the result of a shuffle.
#[derive(Clone, Copy, PartialEq)]
enum Atom {
    /// Lane of a vector expression.
    Part(Expr, u8),
    /// Scalar expression.
    Scalar(Expr),
    /// Constant.
    Const(u32),
}

impl<'a> Builder<'a> {
    /// A function without lines, but with its floats that are no numbers.
    pub fn new(draft: &'a mut Draft, module: &'a Shared<'a>, ir: &'a Func, parameters: &'a [String]) -> Self {
        draft.start(ir.values.len());
        let mut builder = Self {
            draft,
            module,
            ir,
            parameters,
            carriers: Carriers::default(),
            inputs: [None; 16],
            thread: None,
            depth: 0,
            open: Vec::new(),
            views: vec![None; ir.values.len()],
            not_finite: Vec::new(),
        };
        for data in ir.values.values() {
            if let Def::Op(Op::Const(bits)) = data.def {
                let bits = bits.iter().take(usize::from(data.ty.lanes));
                bits.filter(|&&bits| !is_finite(data.ty.kind, bits)).for_each(|&bits| {
                    builder.not_finite(bits);
                });
            }
        }
        builder
    }

    pub fn push(&mut self, line: Line) {
        self.draft.lines.push(line);
    }

    /// The expression of a float that is no number. Constant expressions must not make those in
    /// WGSL, and Tint enforces it: the bits come from a variable.
    fn not_finite(&mut self, bits: u32) -> Expr {
        if let Some(&(_, expr)) = self.not_finite.iter().find(|(known, _)| *known == bits) {
            return expr;
        }
        let (name, variable) = match bits {
            0x7F80_0000 => ("infinity", "infinity_bits"),
            0xFF80_0000 => ("negative_infinity", "negative_infinity_bits"),
            _ => ("not_a_number", "not_a_number_bits"),
        };
        let [name, variable] = [name, variable].map(|name| Label::Word(self.draft.word(name)));
        let variable = self.draft.variable(variable, Type::U32, Some(bits));
        let load = self.draft.add(Form::Variable(variable), Type::U32, &[], PLAIN);
        self.draft.add(Form::Unary(Unary::FromBits), Type::F32, &[load], name);
        let expr = self.draft.nodes.len() as Expr - 1;
        self.not_finite.push((bits, expr));
        expr
    }

    /// Records where a value is found.
    pub fn set(&mut self, value: Value, view: View) {
        if let Some(place) = self.views.get_mut(value.0 as usize) {
            *place = Some(view);
        }
    }

    /// Where a value is found. Constants may be any.
    pub fn view(&self, value: Value) -> Result<View> {
        let view = self.views.get(value.0 as usize).copied().flatten();
        view.ok_or_else(|| defect(format!("{value} is used before it is defined")))
    }

    /// Values as operands.
    pub fn list(&mut self, values: &[Value]) -> Result<Vec<Operand>> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// A value as an operand.
    pub fn value(&mut self, value: Value) -> Result<Operand> {
        let ty = self.ir.ty(value);
        let view = match self.view(value)? {
            View::Const(bits) => self.constant(ty, bits),
            view @ (View::Whole(_) | View::Lanes(..) | View::Splat(_) | View::Not(..)) => view,
        };
        Ok(Operand { view, ty })
    }

    fn constant(&mut self, ty: Type, bits: [u32; 4]) -> View {
        let used = &bits[..usize::from(ty.lanes.min(4))];
        if used.iter().all(|&lane| is_finite(ty.kind, lane)) {
            return View::Const(bits);
        }
        let mut atoms = [Atom::Const(0); 4];
        for (atom, &bits) in atoms.iter_mut().zip(used) {
            *atom = self.constant_atom(ty.kind, bits);
        }
        self.collected(ty, &atoms[..used.len()], PLAIN)
    }

    fn constant_atom(&mut self, kind: Kind, bits: u32) -> Atom {
        if is_finite(kind, bits) { Atom::Const(bits) } else { Atom::Scalar(self.not_finite(bits)) }
    }

    /// The result of a shuffle of this type.
    pub fn shuffle(&mut self, ty: Type, lanes: [Lane; 4], label: Label) -> Result<View> {
        let count = usize::from(ty.lanes.clamp(1, 4));
        let mut atoms = [Atom::Const(0); 4];
        for (atom, &lane) in atoms.iter_mut().zip(&lanes[..count]) {
            *atom = self.atom(lane)?;
        }
        let constants = atoms.map(|atom| match atom {
            Atom::Const(bits) => Some(bits),
            Atom::Part(..) | Atom::Scalar(_) => None,
        });
        if constants[..count].iter().all(Option::is_some) {
            return Ok(View::Const(constants.map(Option::unwrap_or_default)));
        }
        Ok(self.collected(ty, &atoms[..count], label))
    }

    fn atom(&mut self, lane: Lane) -> Result<Atom> {
        let (ty, index) = (self.ir.ty(lane.value()), lane.index());
        if index >= ty.lanes {
            return Err(defect(format!("{lane} does not exist")));
        }
        Ok(match self.view(lane.value())? {
            View::Whole(expr) if ty.lanes == 1 => Atom::Scalar(expr),
            View::Whole(expr) => Atom::Part(expr, index),
            View::Lanes(base, pattern) => Atom::Part(base, pattern[usize::from(index)]),
            View::Splat(expr) => Atom::Scalar(expr),
            view @ View::Not(..) => {
                let operand = Operand { view, ty: Type::BOOL };
                self.draft.add(Form::Build, Type::BOOL, &[operand], PLAIN);
                Atom::Scalar(self.draft.nodes.len() as Expr - 1)
            }
            View::Const(bits) => self.constant_atom(ty.kind, bits[usize::from(index)]),
        })
    }

    /// The vector of these lanes: a view of one expression, or else a new one.
    fn collected(&mut self, ty: Type, atoms: &[Atom], label: Label) -> View {
        match atoms[0] {
            Atom::Scalar(expr) if atoms.iter().all(|&atom| atom == atoms[0]) => match atoms.len() {
                1 => View::Whole(expr),
                _ => View::Splat(expr),
            },
            Atom::Part(base, _)
                if atoms.iter().all(|atom| matches!(atom, Atom::Part(b, _) if *b == base)) =>
            {
                self.selection(base, atoms)
            }
            Atom::Scalar(_) | Atom::Part(..) | Atom::Const(_) => self.build(ty, atoms, label),
        }
    }

    /// Some lanes of a vector; the vector itself where they are all its lanes in order.
    fn selection(&self, base: Expr, atoms: &[Atom]) -> View {
        let mut pattern = [0; 4];
        let mut in_order = true;
        for (index, (place, atom)) in pattern.iter_mut().zip(atoms).enumerate() {
            if let Atom::Part(_, lane) = *atom {
                *place = lane;
                in_order &= usize::from(lane) == index;
            }
        }
        let width = self.draft.nodes[base as usize].ty.lanes;
        if in_order && usize::from(width) == atoms.len() {
            View::Whole(base)
        } else {
            View::Lanes(base, pattern)
        }
    }

    /// A vector of runs of lanes, scalars and constants.
    fn build(&mut self, ty: Type, atoms: &[Atom], label: Label) -> View {
        let scalar = ty.with_lanes(1);
        let mut parts = [Operand { view: View::Whole(0), ty: scalar }; 4];
        let (mut count, mut rest) = (0, atoms);
        while let Some(&atom) = rest.first() {
            let mut length = 1;
            parts[count] = match atom {
                Atom::Part(base, _) => {
                    let same = |atom: &&Atom| matches!(atom, Atom::Part(b, _) if *b == base);
                    length = rest.iter().take_while(same).count();
                    Operand { view: self.selection(base, &rest[..length]), ty: ty.with_lanes(length as u8) }
                }
                Atom::Scalar(expr) => Operand { view: View::Whole(expr), ty: scalar },
                Atom::Const(bits) => Operand { view: View::Const([bits, 0, 0, 0]), ty: scalar },
            };
            count += 1;
            rest = &rest[length..];
        }
        self.draft.add(Form::Build, ty, &parts[..count], label).view
    }

    /// The scalar that is in all lanes of a value, if it is known to be one.
    pub fn repeated(&mut self, value: Value) -> Result<Option<Operand>> {
        let ty = self.ir.ty(value);
        let lanes = usize::from(ty.lanes.min(4));
        let view = match self.view(value)? {
            View::Splat(expr) => View::Whole(expr),
            View::Lanes(base, pattern) if pattern[..lanes].iter().all(|&lane| lane == pattern[0]) => {
                View::Lanes(base, pattern)
            }
            View::Const(bits) if bits[..lanes].iter().all(|&lane| lane == bits[0]) => {
                self.constant(ty.with_lanes(1), bits)
            }
            View::Whole(_) | View::Lanes(..) | View::Not(..) | View::Const(_) => return Ok(None),
        };
        Ok(Some(Operand { view, ty: ty.with_lanes(1) }))
    }
}
