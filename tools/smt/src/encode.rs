//! Functions of the IR as terms.
//! In: a module whose function has parameters, operations, calls and `if`, and a precision. Out:
//! the terms of its results, lane by lane. Loops, blocks and reads of uniforms have none.

use std::collections::HashMap;

use transpica::Precision;
use transpica::stages::ir::{
    Exit, Func, Item, Module, NodeData, Op, Region, Resource, ScalarKind, Shape, Type, Value, ValueList,
};

use crate::meaning;
use crate::term::{Fun, Sort, Term, Terms};

/// The lanes of a value.
type Lanes = Vec<Term>;

/// Number of the first variable of an input register, beyond those of parameters.
const INPUTS: u32 = 64;

/// Builds the variables that stand for the parameters of a function, numbered from 0 on.
pub fn parameters(t: &mut Terms, f: &Func) -> Vec<Lanes> {
    let mut next = 0;
    let mut lanes = |ty: Type| {
        let all = (0..ty.lanes).map(|lane| variable(t, ty.kind, next + u32::from(lane))).collect();
        next += u32::from(ty.lanes);
        all
    };
    f.get(f.params).iter().map(|&value| lanes(f.ty(value))).collect()
}

/// A variable of a kind. Those of floats are bits, so that NaN has any payload.
pub fn variable(t: &mut Terms, kind: ScalarKind, number: u32) -> Term {
    match kind {
        ScalarKind::Bool => t.var(Sort::Bool, number),
        ScalarKind::I32 | ScalarKind::U32 => t.var(Sort::Bits, number),
        ScalarKind::F32 => {
            let bits = t.var(Sort::Bits, number);
            t.apply(Fun::FromBits, &[bits])
        }
    }
}

/// A constant of a kind by its bits.
pub fn constant(t: &mut Terms, kind: ScalarKind, bits: u32) -> Term {
    match kind {
        ScalarKind::Bool => t.bool(bits != 0),
        ScalarKind::I32 | ScalarKind::U32 => t.bits(bits),
        ScalarKind::F32 => t.float(f32::from_bits(bits)),
    }
}

/// The results of a function for arguments.
///
/// # Errors
/// An operation or construct that has no term.
pub fn results(
    t: &mut Terms,
    module: &Module,
    precision: Precision,
    arguments: &[Lanes],
) -> Result<Vec<Lanes>, String> {
    Encoder { t, module, precision }.function(&module.main, arguments)
}

struct Encoder<'a> {
    t: &'a mut Terms,
    module: &'a Module,
    precision: Precision,
}

type Values = HashMap<Value, Lanes>;

impl Encoder<'_> {
    fn function(&mut self, f: &Func, arguments: &[Lanes]) -> Result<Vec<Lanes>, String> {
        let mut values = Values::new();
        for (&value, lanes) in f.get(f.params).iter().zip(arguments) {
            values.insert(value, lanes.clone());
        }
        let body = f.body.ok_or("a function without a body")?;
        self.region(f, body, &mut values)
    }

    /// The values that a region yields. Questions nest few regions and calls.
    fn region(&mut self, f: &Func, region: Region, values: &mut Values) -> Result<Vec<Lanes>, String> {
        for &item in &f.regions[region].items {
            match item {
                Item::Let(value) => {
                    let op = f.op(value).ok_or("a value without an operation")?;
                    let lanes = self.operation(f, f.ty(value), op, values)?;
                    values.insert(value, lanes);
                }
                Item::Node(node) => {
                    let NodeData::If { cond, then, otherwise, results } = f.nodes[node] else {
                        return Err("a construct other than `if`".into());
                    };
                    let arms = [then, otherwise].map(|arm| self.region(f, arm, &mut values.clone()));
                    let [then, otherwise] = arms;
                    self.merge(f, cond, (then?, otherwise?), results, values);
                }
            }
        }
        match f.regions[region].exit {
            Exit::Yield(list) => Ok(f.get(list).iter().map(|value| values[value].clone()).collect()),
            Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => {
                Err("an exit other than `yield`".into())
            }
        }
    }

    fn merge(
        &mut self,
        f: &Func,
        cond: Value,
        arms: (Vec<Lanes>, Vec<Lanes>),
        results: ValueList,
        values: &mut Values,
    ) {
        let cond = values[&cond][0];
        for ((&result, then), otherwise) in f.get(results).iter().zip(arms.0).zip(arms.1) {
            let lanes = then.into_iter().zip(otherwise).map(|(a, b)| self.t.ite(cond, a, b)).collect();
            values.insert(result, lanes);
        }
    }

    fn operation(&mut self, f: &Func, ty: Type, op: Op, values: &Values) -> Result<Lanes, String> {
        let (t, precision) = (&mut *self.t, self.precision);
        Ok(match op {
            Op::Const(bits) => {
                bits[..usize::from(ty.lanes)].iter().map(|&bits| constant(t, ty.kind, bits)).collect()
            }
            Op::Read(Resource::Input(register)) => {
                let first = INPUTS + 4 * u32::from(register);
                (first..first + 4).map(|number| variable(t, ty.kind, number)).collect()
            }
            Op::Shuffle(lanes) => lanes[..usize::from(ty.lanes)]
                .iter()
                .map(|lane| values[&lane.value()][usize::from(lane.index())])
                .collect(),
            Op::Unary(op, a) => values[&a].iter().map(|&a| meaning::unary(t, op, precision, a)).collect(),
            Op::Binary(op, a, b) if op.shape() == Shape::Dot => {
                vec![meaning::dot(t, op, precision, &values[&a], &values[&b])]
            }
            Op::Binary(op, a, b) => {
                let pairs = values[&a].iter().zip(&values[&b]);
                pairs.map(|(&a, &b)| meaning::binary(t, op, precision, a, b)).collect()
            }
            Op::Select { cond, a, b } => {
                let arms = values[&a].iter().zip(&values[&b]);
                values[&cond].iter().zip(arms).map(|(&cond, (&a, &b))| t.ite(cond, a, b)).collect()
            }
            Op::Call { helper, args } => {
                let arguments: Vec<Lanes> = f.get(args).iter().map(|value| values[value].clone()).collect();
                let helper = &self.module.helpers[usize::from(helper)];
                let mut results = self.function(helper, &arguments)?;
                results.pop().ok_or("a helper without a result")?
            }
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } => return Err(format!("{op:?} has no term")),
        })
    }
}

/// The components of an input register.
pub fn input(t: &mut Terms, register: u32) -> [Term; 4] {
    [0, 1, 2, 3].map(|lane| variable(t, ScalarKind::F32, INPUTS + 4 * register + lane))
}
