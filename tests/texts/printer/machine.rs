//! Runs the vertex entry of a naga module on the CPU, so that control flow is judged by results.
//! In: a module (built here, or parsed from WGSL) and its arguments. Out: the members of the struct
//! it returns. Knows only what the modules of these tests contain; panics on anything else.

use std::collections::BTreeMap;

use naga::{
    BinaryOperator as B, Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Module,
    RelationalFunction, ScalarKind, Statement, SwitchValue, TypeInner, UnaryOperator,
};

use transpica::Precision;
use transpica::stages::precision::arith;

/// Statements that a run may take.
const BUDGET: u32 = 200_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    F(f32),
    I(i32),
    U(u32),
    B(bool),
    List(Vec<Val>),
    Pointer(Root, Vec<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root {
    Local(Handle<LocalVariable>),
    Global,
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(Val),
}

/// State that all calls of a run share.
struct Machine<'a> {
    module: &'a Module,
    /// The members of the uniform block.
    uniforms: &'a Val,
    left: u32,
}

struct Frame<'a> {
    function: &'a Function,
    arguments: Vec<Val>,
    locals: BTreeMap<Handle<LocalVariable>, Val>,
    values: BTreeMap<Handle<Expression>, Val>,
}

/// Runs the first entry point; gives the members of the struct it returns.
pub fn run(module: &Module, arguments: Vec<Val>, uniforms: &Val) -> Vec<Val> {
    let mut machine = Machine { module, uniforms, left: BUDGET };
    match machine.call(&module.entry_points[0].function, arguments) {
        Val::List(members) => members,
        other => panic!("{other:?} is not a struct"),
    }
}

impl<'a> Machine<'a> {
    fn call(&mut self, function: &'a Function, arguments: Vec<Val>) -> Val {
        let mut frame = Frame { function, arguments, locals: BTreeMap::new(), values: BTreeMap::new() };
        for (handle, local) in function.local_variables.iter() {
            let value = match local.init {
                Some(init) => self.value(&mut frame, init),
                None => self.zero(local.ty),
            };
            frame.locals.insert(handle, value);
        }
        match self.block(&mut frame, &function.body) {
            Flow::Return(value) => value,
            Flow::Next | Flow::Break | Flow::Continue => panic!("the function does not return"),
        }
    }

    fn zero(&self, ty: Handle<naga::Type>) -> Val {
        match &self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => scalar_zero(scalar.kind),
            TypeInner::Vector { size, scalar } => Val::List(vec![scalar_zero(scalar.kind); *size as usize]),
            TypeInner::Struct { members, .. } => {
                Val::List(members.iter().map(|member| self.zero(member.ty)).collect())
            }
            other => panic!("no zero of {other:?}"),
        }
    }

    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Flow {
        for statement in block {
            self.left = self.left.checked_sub(1).expect("the program ends");
            match self.statement(frame, statement) {
                Flow::Next => {}
                other => return other,
            }
        }
        Flow::Next
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Flow {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    frame.values.remove(&handle);
                    let value = self.value(frame, handle);
                    frame.values.insert(handle, value);
                }
            }
            Statement::Block(block) => return self.block(frame, block),
            Statement::If { condition, accept, reject } => {
                let arm = if self.value(frame, *condition) == Val::B(true) { accept } else { reject };
                return self.block(frame, arm);
            }
            Statement::Switch { selector, cases } => {
                let selector = match self.value(frame, *selector) {
                    Val::I(value) => value,
                    other => panic!("selector {other:?}"),
                };
                let exact = cases.iter().position(|case| case.value == SwitchValue::I32(selector));
                let default = || cases.iter().position(|case| case.value == SwitchValue::Default);
                let mut index = exact.or_else(default).expect("a default");
                while cases[index].fall_through {
                    assert!(cases[index].body.is_empty());
                    index += 1;
                }
                return match self.block(frame, &cases[index].body) {
                    Flow::Break => Flow::Next,
                    other => other,
                };
            }
            Statement::Loop { body, continuing, break_if } => loop {
                match self.block(frame, body) {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => return Flow::Next,
                    Flow::Return(value) => return Flow::Return(value),
                }
                self.block(frame, continuing);
                if let Some(condition) = break_if
                    && self.value(frame, *condition) == Val::B(true)
                {
                    return Flow::Next;
                }
            },
            Statement::Break => return Flow::Break,
            Statement::Continue => return Flow::Continue,
            Statement::Return { value } => {
                let value = value.expect("a value");
                return Flow::Return(self.value(frame, value));
            }
            Statement::Store { pointer, value } => {
                let value = self.value(frame, *value);
                match self.value(frame, *pointer) {
                    Val::Pointer(Root::Local(local), path) => {
                        let mut place = frame.locals.get_mut(&local).expect("a local");
                        for index in path {
                            place = match place {
                                Val::List(list) => &mut list[index],
                                other => panic!("{other:?}[{index}]"),
                            };
                        }
                        *place = value;
                    }
                    other => panic!("store to {other:?}"),
                }
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|argument| self.value(frame, *argument)).collect();
                let value = self.call(&self.module.functions[*function], arguments);
                if let Some(result) = result {
                    frame.values.insert(*result, value);
                }
            }
            other => panic!("{other:?}"),
        }
        Flow::Next
    }

    fn value(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Val {
        if let Some(value) = frame.values.get(&handle) {
            return value.clone();
        }
        let expressions = &frame.function.expressions;
        let mut at = |handle| self.value(frame, handle);
        match expressions[handle] {
            Expression::Literal(value) => literal(value),
            Expression::Constant(constant) => {
                match self.module.global_expressions[self.module.constants[constant].init] {
                    Expression::Literal(value) => literal(value),
                    ref other => panic!("{other:?}"),
                }
            }
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::FunctionArgument(index) => frame.arguments[index as usize].clone(),
            Expression::LocalVariable(local) => Val::Pointer(Root::Local(local), Vec::new()),
            Expression::GlobalVariable(_) => Val::Pointer(Root::Global, Vec::new()),
            Expression::Compose { ty, ref components } => {
                let components: Vec<Val> = components.iter().map(|&component| at(component)).collect();
                match self.module.types[ty].inner {
                    TypeInner::Vector { .. } => Val::List(components.into_iter().flat_map(lanes).collect()),
                    _ => Val::List(components),
                }
            }
            Expression::Splat { size, value } => Val::List(vec![at(value); size as usize]),
            Expression::Swizzle { size, vector, pattern } => {
                let vector = lanes(at(vector));
                Val::List(
                    pattern[..size as usize].iter().map(|lane| vector[*lane as usize].clone()).collect(),
                )
            }
            Expression::AccessIndex { base, index } => access(at(base), index as usize),
            Expression::Access { base, index } => {
                let index = match at(index) {
                    Val::I(index) => index as usize,
                    Val::U(index) => index as usize,
                    other => panic!("index {other:?}"),
                };
                access(at(base), index)
            }
            Expression::Load { pointer } => match self.value(frame, pointer) {
                Val::Pointer(root, path) => {
                    let base = match root {
                        Root::Local(local) => frame.locals[&local].clone(),
                        Root::Global => self.uniforms.clone(),
                    };
                    path.into_iter().fold(base, access)
                }
                other => panic!("load of {other:?}"),
            },
            Expression::Unary { op, expr } => each(at(expr), |value| match (op, value) {
                (UnaryOperator::Negate, Val::F(value)) => Val::F(-value),
                (UnaryOperator::Negate, Val::I(value)) => Val::I(value.wrapping_neg()),
                (UnaryOperator::LogicalNot, Val::B(value)) => Val::B(!value),
                other => panic!("{other:?}"),
            }),
            Expression::Binary { op, left, right } => match (at(left), at(right)) {
                (vector, Val::List(columns)) if matches!(columns[0], Val::List(_)) => {
                    Val::List(columns.into_iter().map(|column| dot(vector.clone(), column)).collect())
                }
                (left, right) => both(left, right, |a, b| binary(op, a, b)),
            },
            Expression::Select { condition, accept, reject } => {
                let (condition, accept, reject) = (at(condition), at(accept), at(reject));
                match condition {
                    Val::B(condition) => {
                        if condition {
                            accept
                        } else {
                            reject
                        }
                    }
                    condition => Val::List(
                        lanes(condition)
                            .into_iter()
                            .zip(lanes(accept).into_iter().zip(lanes(reject)))
                            .map(|(c, (a, b))| if c == Val::B(true) { a } else { b })
                            .collect(),
                    ),
                }
            }
            Expression::Math { fun: MathFunction::Dot, arg, arg1: Some(arg1), .. } => dot(at(arg), at(arg1)),
            Expression::Math { fun: MathFunction::Clamp, arg, arg1: Some(low), arg2: Some(high), .. } => {
                let above = both(at(low), at(arg), |low, value| choose(MathFunction::Max, low, value));
                both(at(high), above, |high, value| choose(MathFunction::Min, high, value))
            }
            Expression::Relational { fun, argument } => {
                let mut conditions = lanes(at(argument)).into_iter().map(|lane| lane == Val::B(true));
                Val::B(match fun {
                    RelationalFunction::Any => conditions.any(|holds| holds),
                    RelationalFunction::All => conditions.all(|holds| holds),
                    other => panic!("{other:?}"),
                })
            }
            Expression::Math {
                fun: fun @ (MathFunction::Min | MathFunction::Max),
                arg,
                arg1: Some(arg1),
                ..
            } => both(at(arg), at(arg1), |a, b| choose(fun, a, b)),
            Expression::Math { fun, arg, .. } => each(at(arg), |value| match (fun, value) {
                (MathFunction::Abs, Val::F(value)) => Val::F(value.abs()),
                (MathFunction::Floor, Val::F(value)) => Val::F(value.floor()),
                (MathFunction::InverseSqrt, Val::F(value)) => Val::F(1.0 / value.sqrt()),
                (MathFunction::Sqrt, Val::F(value)) => Val::F(value.sqrt()),
                (MathFunction::Exp2, Val::F(value)) => Val::F(arith::exp2(Precision::Fast, value)),
                (MathFunction::Log2, Val::F(value)) => Val::F(arith::log2(Precision::Fast, value)),
                other => panic!("{other:?}"),
            }),
            Expression::As { expr, kind, convert: Some(4) } => each(at(expr), |value| match (kind, value) {
                (ScalarKind::Sint, Val::F(value)) => Val::I(value as i32),
                (ScalarKind::Sint, Val::U(value)) => Val::I(value as i32),
                (ScalarKind::Uint, Val::I(value)) => Val::U(value as u32),
                (ScalarKind::Float, Val::I(value)) => Val::F(value as f32),
                other => panic!("conversion of {other:?}"),
            }),
            Expression::As { expr, kind, convert: None } => each(at(expr), |value| {
                let bits = match value {
                    Val::F(value) => value.to_bits(),
                    Val::I(value) => value as u32,
                    Val::U(value) => value,
                    other => panic!("bits of {other:?}"),
                };
                match kind {
                    ScalarKind::Float => Val::F(f32::from_bits(bits)),
                    ScalarKind::Sint => Val::I(bits as i32),
                    ScalarKind::Uint => Val::U(bits),
                    other => panic!("bits as {other:?}"),
                }
            }),
            ref other => panic!("{other:?}"),
        }
    }
}

fn literal(literal: Literal) -> Val {
    match literal {
        Literal::F32(value) => Val::F(value),
        Literal::I32(value) => Val::I(value),
        Literal::U32(value) => Val::U(value),
        Literal::Bool(value) => Val::B(value),
        other => panic!("{other:?}"),
    }
}

fn scalar_zero(kind: ScalarKind) -> Val {
    match kind {
        ScalarKind::Float => Val::F(0.0),
        ScalarKind::Sint => Val::I(0),
        ScalarKind::Uint => Val::U(0),
        ScalarKind::Bool => Val::B(false),
        other => panic!("zero of {other:?}"),
    }
}

fn lanes(value: Val) -> Vec<Val> {
    match value {
        Val::List(list) => list,
        scalar => vec![scalar],
    }
}

fn access(base: Val, index: usize) -> Val {
    match base {
        Val::List(list) => list[index].clone(),
        Val::Pointer(root, mut path) => {
            path.push(index);
            Val::Pointer(root, path)
        }
        other => panic!("{other:?}[{index}]"),
    }
}

fn each(value: Val, op: impl Fn(Val) -> Val) -> Val {
    match value {
        Val::List(list) => Val::List(list.into_iter().map(op).collect()),
        scalar => op(scalar),
    }
}

fn both(a: Val, b: Val, op: impl Fn(Val, Val) -> Val) -> Val {
    match (a, b) {
        (Val::List(a), Val::List(b)) => Val::List(a.into_iter().zip(b).map(|(a, b)| op(a, b)).collect()),
        (Val::List(a), b) => Val::List(a.into_iter().map(|a| op(a, b.clone())).collect()),
        (a, Val::List(b)) => Val::List(b.into_iter().map(|b| op(a.clone(), b)).collect()),
        (a, b) => op(a, b),
    }
}

fn dot(a: Val, b: Val) -> Val {
    let products = lanes(both(a, b, |a, b| binary(B::Multiply, a, b)));
    products.into_iter().reduce(|a, b| binary(B::Add, a, b)).expect("lanes")
}

/// The less or the greater of two numbers.
fn choose(fun: MathFunction, a: Val, b: Val) -> Val {
    match (fun, a, b) {
        (MathFunction::Min, Val::F(a), Val::F(b)) => Val::F(arith::min(a, b)),
        (MathFunction::Max, Val::F(a), Val::F(b)) => Val::F(arith::max(a, b)),
        other => panic!("{other:?}"),
    }
}

fn binary(op: B, a: Val, b: Val) -> Val {
    match (op, a, b) {
        (B::Add, Val::F(a), Val::F(b)) => Val::F(a + b),
        (B::Multiply, Val::F(a), Val::F(b)) => Val::F(a * b),
        (B::Divide, Val::F(a), Val::F(b)) => Val::F(a / b),
        (B::LessEqual, Val::F(a), Val::F(b)) => Val::B(a <= b),
        (B::GreaterEqual, Val::F(a), Val::F(b)) => Val::B(a >= b),
        (B::And, Val::U(a), Val::U(b)) => Val::U(a & b),
        (B::InclusiveOr, Val::U(a), Val::U(b)) => Val::U(a | b),
        (B::ExclusiveOr, Val::U(a), Val::U(b)) => Val::U(a ^ b),
        (B::ShiftRight, Val::U(a), Val::U(b)) => Val::U(a >> b),
        (B::Add, Val::U(a), Val::U(b)) => Val::U(a.wrapping_add(b)),
        (B::Subtract, Val::U(a), Val::U(b)) => Val::U(a.wrapping_sub(b)),
        (B::Multiply, Val::U(a), Val::U(b)) => Val::U(a.wrapping_mul(b)),
        (B::ShiftLeft, Val::U(a), Val::U(b)) => Val::U(a << b),
        (B::Equal, Val::U(a), Val::U(b)) => Val::B(a == b),
        (B::NotEqual, Val::U(a), Val::U(b)) => Val::B(a != b),
        (B::Less, Val::U(a), Val::U(b)) => Val::B(a < b),
        (B::GreaterEqual, Val::U(a), Val::U(b)) => Val::B(a >= b),
        (B::Less, Val::F(a), Val::F(b)) => Val::B(a < b),
        (B::Greater, Val::F(a), Val::F(b)) => Val::B(a > b),
        (B::Equal, Val::F(a), Val::F(b)) => Val::B(a == b),
        (B::Add, Val::I(a), Val::I(b)) => Val::I(a.wrapping_add(b)),
        (B::Subtract, Val::I(a), Val::I(b)) => Val::I(a.wrapping_sub(b)),
        (B::Multiply, Val::I(a), Val::I(b)) => Val::I(a.wrapping_mul(b)),
        (B::And, Val::I(a), Val::I(b)) => Val::I(a & b),
        (B::Equal, Val::I(a), Val::I(b)) => Val::B(a == b),
        (B::Less, Val::I(a), Val::I(b)) => Val::B(a < b),
        (B::Greater, Val::I(a), Val::I(b)) => Val::B(a > b),
        (B::NotEqual, Val::I(a), Val::I(b)) => Val::B(a != b),
        (B::LessEqual, Val::I(a), Val::I(b)) => Val::B(a <= b),
        (B::GreaterEqual, Val::I(a), Val::I(b)) => Val::B(a >= b),
        (B::Subtract, Val::F(a), Val::F(b)) => Val::F(a - b),
        (B::LogicalAnd | B::And, Val::B(a), Val::B(b)) => Val::B(a && b),
        (B::LogicalOr | B::InclusiveOr, Val::B(a), Val::B(b)) => Val::B(a || b),
        other => panic!("{other:?}"),
    }
}
