//! Expressions, with parentheses only where the stricter grammar of the two languages asks for them.
//! In: an expression and how tightly it must hold together. Out: text. Knows no statements.
//! Facts: WGSL's expression grammar (`&`, `|`, `^` and shifts take unary operands, comparisons do not chain, `&&` and `||` do not
//! mix) and its template rule: `a < b` in a list of arguments could begin a template that a later `>` ends. GLSL binds as C does.

use std::fmt::Write as _;

use naga::{BinaryOperator, Expression, Handle, Literal, MathFunction, TypeInner, UnaryOperator};

use super::statements::Body;
use super::{Dialect, foreign};
use crate::error::Result;

/// How tightly an expression holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `c ? a : b`
    Choice,
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a < b`
    Relation,
    /// `a | b`, `a ^ b`, `a & b`, `a >> b`: operands in parentheses unless unary.
    Bits,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `-a`
    Unary,
    /// `a.x`, `f(a)`, `1.0`
    Primary,
}

/// Text and level of an operator, and the levels that its operands need.
const fn operator(op: BinaryOperator) -> Option<(&'static str, Level, Level, Level)> {
    use BinaryOperator as B;
    use Level::{And, Bits, Or, Product, Relation, Sum, Unary};
    Some(match op {
        B::Add => ("+", Sum, Sum, Product),
        B::Subtract => ("-", Sum, Sum, Product),
        B::Multiply => ("*", Product, Product, Unary),
        B::Divide => ("/", Product, Product, Unary),
        B::Equal => ("==", Relation, Sum, Sum),
        B::Less => ("<", Relation, Sum, Sum),
        B::LessEqual => ("<=", Relation, Sum, Sum),
        B::Greater => (">", Relation, Sum, Sum),
        B::GreaterEqual => (">=", Relation, Sum, Sum),
        B::And => ("&", Bits, Unary, Unary),
        B::InclusiveOr => ("|", Bits, Unary, Unary),
        B::ExclusiveOr => ("^", Bits, Unary, Unary),
        B::ShiftRight => (">>", Bits, Unary, Unary),
        B::ShiftLeft => ("<<", Bits, Unary, Unary),
        B::LogicalAnd => ("&&", And, And, Relation),
        B::LogicalOr => ("||", Or, Or, Relation),
        // Our modules compare only integers so.
        B::NotEqual => ("!=", Relation, Sum, Sum),
        B::Modulo => return None,
    })
}

const fn function_name(fun: MathFunction) -> Option<&'static str> {
    Some(match fun {
        MathFunction::Abs => "abs",
        MathFunction::Floor => "floor",
        MathFunction::Sqrt => "sqrt",
        MathFunction::Exp2 => "exp2",
        MathFunction::Log2 => "log2",
        MathFunction::Dot => "dot",
        _ => return None,
    })
}

impl<D: Dialect> Body<'_, '_, D> {
    /// A whole expression, as after `=`.
    pub fn expression(&mut self, expr: Handle<Expression>) -> Result<()> {
        if self.plan.names[expr.index()].is_some() {
            self.write(expr, Level::Choice)
        } else {
            self.definition(expr)
        }
    }

    /// What a name stands for.
    pub fn definition(&mut self, expr: Handle<Expression>) -> Result<()> {
        match self.function.expressions[expr] {
            Expression::Compose { ty, ref components } if self.plan.broken[expr.index()] => {
                self.writer.ty(ty)?;
                self.lines(components)
            }
            _ => self.content(expr, Level::Choice),
        }
    }

    /// Arguments in parentheses, each on a line of its own.
    fn lines(&mut self, arguments: &[Handle<Expression>]) -> Result<()> {
        self.writer.out.push_str("(\n");
        self.indent += 1;
        for (index, &argument) in arguments.iter().enumerate() {
            self.line();
            self.write(argument, D::ARGUMENT)?;
            let is_last = index + 1 == arguments.len();
            self.writer.out.push_str(if is_last && !D::COMMA_ENDS { "\n" } else { ",\n" });
        }
        self.indent -= 1;
        self.line().push(')');
        Ok(())
    }

    /// What follows the place in an assignment: ` = a`, or ` += a` where the value is the place's own and `a`. `kept`: the value
    /// goes by the place's name from here on.
    pub fn assigned(
        &mut self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
        kept: bool,
    ) -> Result<()> {
        if kept || self.plan.names[value.index()].is_none() {
            if let Some((op, other)) = self.own_operation(pointer, value)
                && let Some((text, ..)) = operator(op)
            {
                let (text, other) = self.subtracted(op, other).map_or((text, other), |other| ("-", other));
                let _ = write!(self.writer.out, " {text}= ");
                return self.expression(other);
            }
            self.writer.out.push_str(" = ");
            return self.definition(value);
        }
        self.writer.out.push_str(" = ");
        self.expression(value)
    }

    /// The operation and its other operand, if the value is made from what the place holds.
    fn own_operation(
        &self,
        place: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Option<(BinaryOperator, Handle<Expression>)> {
        let Expression::Binary { op, left, right } = self.function.expressions[value] else { return None };
        let Expression::LocalVariable(local) = self.function.expressions[place] else { return None };
        let own = |expr: Handle<Expression>| match &self.plan.names[expr.index()] {
            // A value that goes by the name of the variable.
            Some(name) => *name == self.plan.locals[local.index()],
            None => {
                matches!(self.function.expressions[expr], Expression::Load { pointer } if pointer == place)
            }
        };
        match op {
            BinaryOperator::Add | BinaryOperator::Multiply
                if own(right) && !own(left) && self.same_type(left, right) =>
            {
                Some((op, left))
            }
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
                if own(left) =>
            {
                Some((op, right))
            }
            _ => None,
        }
    }

    /// Whether a scalar is not the factor of a vector.
    fn same_type(&self, a: Handle<Expression>, b: Handle<Expression>) -> bool {
        let types = &self.writer.module.types;
        self.types.get(a, types) == self.types.get(b, types)
    }

    /// The `b` of `a + -b`, which reads better as `a - b` and is the same.
    fn subtracted(&self, op: BinaryOperator, right: Handle<Expression>) -> Option<Handle<Expression>> {
        match self.function.expressions[right] {
            Expression::Unary { op: UnaryOperator::Negate, expr }
                if op == BinaryOperator::Add && self.plan.names[right.index()].is_none() =>
            {
                Some(expr)
            }
            _ => None,
        }
    }

    /// What a pointer points at.
    pub fn place(&mut self, pointer: Handle<Expression>) -> Result<()> {
        self.write(pointer, Level::Primary)
    }

    /// An expression or its name, in parentheses where it holds together less than `level`.
    pub fn write(&mut self, expr: Handle<Expression>, level: Level) -> Result<()> {
        match &self.plan.names[expr.index()] {
            Some(name) => {
                self.writer.out.push_str(name);
                Ok(())
            }
            None => self.content(expr, level),
        }
    }

    fn content(&mut self, expr: Handle<Expression>, level: Level) -> Result<()> {
        if D::own(self, expr, level)? {
            return Ok(());
        }
        let function = self.function;
        match function.expressions[expr] {
            Expression::Literal(literal) => self.literal(literal, level, false)?,
            Expression::FunctionArgument(index) => {
                let name =
                    self.plan.arguments.get(index as usize).ok_or_else(|| foreign(D::NAME, "an argument"))?;
                self.writer.out.push_str(name);
            }
            Expression::LocalVariable(local) => self.writer.out.push_str(&self.plan.locals[local.index()]),
            Expression::GlobalVariable(global) => {
                let name = &self.writer.globals[global.index()];
                self.writer.out.push_str(name);
            }
            Expression::Override(constant) => {
                let name = &self.writer.overrides[constant.index()];
                self.writer.out.push_str(name);
            }
            Expression::Load { pointer } => self.place(pointer)?,
            Expression::Compose { ty, ref components } => {
                self.writer.ty(ty)?;
                self.arguments(components)?;
            }
            Expression::Splat { value, .. } => {
                self.own_type(expr)?;
                self.arguments(&[value])?;
            }
            Expression::Access { .. } | Expression::AccessIndex { .. } | Expression::Swizzle { .. } => {
                self.access(expr)?;
            }
            Expression::Unary { op, expr } => self.unary(op, expr, level)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right, level)?,
            Expression::Math { fun, arg, arg1, .. } => {
                let name = function_name(fun)
                    .ok_or_else(|| foreign(D::NAME, format_args!("the function {fun:?}")))?;
                self.writer.out.push_str(name);
                let arguments: &[Handle<Expression>] = match arg1 {
                    Some(arg1) => &[arg, arg1],
                    None => &[arg],
                };
                self.call_with_literals(arguments)?;
            }
            Expression::CallResult(_) => self.call(expr)?,
            ref other => return Err(foreign(D::NAME, format_args!("the expression {other:?}"))),
        }
        Ok(())
    }

    fn call(&mut self, result: Handle<Expression>) -> Result<()> {
        let found = self.plan.calls.binary_search_by_key(&result, |call| call.result);
        let call = found.ok().and_then(|index| self.plan.calls.get(index));
        let call = call.cloned().ok_or_else(|| foreign(D::NAME, "the result of no call"))?;
        let name = &self.writer.functions[call.function.index()];
        self.writer.out.push_str(name);
        self.arguments(&call.arguments)
    }

    /// Arguments in parentheses.
    pub fn arguments(&mut self, arguments: &[Handle<Expression>]) -> Result<()> {
        self.writer.out.push('(');
        for (index, &argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.writer.out.push_str(", ");
            }
            let last = index + 1 == arguments.len();
            self.write(argument, if last { Level::Choice } else { D::ARGUMENT })?;
        }
        self.writer.out.push(')');
        Ok(())
    }

    /// Arguments of a function that some language evaluates early where they are literals: those say their type.
    pub fn call_with_literals(&mut self, arguments: &[Handle<Expression>]) -> Result<()> {
        if let [argument] = *arguments
            && let Expression::Literal(literal) = self.function.expressions[argument]
        {
            self.writer.out.push('(');
            self.literal(literal, Level::Choice, true)?;
            self.writer.out.push(')');
            return Ok(());
        }
        self.arguments(arguments)
    }

    /// The type of an expression.
    pub fn type_of(&self, expr: Handle<Expression>) -> &TypeInner {
        self.types[expr].inner_with(&self.writer.module.types)
    }

    /// Writes the type of an expression, a scalar or a vector.
    pub fn own_type(&mut self, expr: Handle<Expression>) -> Result<()> {
        let name = match *self.type_of(expr) {
            TypeInner::Scalar(scalar) => D::scalar(scalar.kind).to_owned(),
            TypeInner::Vector { size, scalar } => D::vector(size as u8, scalar.kind),
            ref other => return Err(foreign(D::NAME, format_args!("a value of the type {other:?}"))),
        };
        self.writer.out.push_str(&name);
        Ok(())
    }

    /// A component, element, member or swizzle.
    fn access(&mut self, expr: Handle<Expression>) -> Result<()> {
        const LANES: [char; 4] = ['x', 'y', 'z', 'w'];
        match self.function.expressions[expr] {
            Expression::Swizzle { size, vector, pattern } => {
                self.write(vector, Level::Primary)?;
                self.writer.out.push('.');
                self.writer.out.extend(pattern[..size as usize].iter().map(|lane| LANES[*lane as usize & 3]));
            }
            Expression::Access { base, index } => {
                self.write(base, Level::Primary)?;
                self.writer.out.push('[');
                self.write(index, Level::Choice)?;
                self.writer.out.push(']');
            }
            Expression::AccessIndex { base, index } => {
                self.write(base, Level::Primary)?;
                let types = &self.writer.module.types;
                let resolution = &self.types[base];
                let (inner, handle) = match resolution.inner_with(types) {
                    TypeInner::Pointer { base, .. } => (&types[*base].inner, Some(*base)),
                    inner => (inner, resolution.handle()),
                };
                let out = &mut self.writer.out;
                let _ = match (inner, handle) {
                    (TypeInner::Vector { .. }, _) => write!(out, ".{}", LANES[index as usize & 3]),
                    (TypeInner::Struct { .. }, Some(handle)) => {
                        let name = self.writer.members[handle.index()].get(index as usize);
                        write!(out, ".{}", name.ok_or_else(|| foreign(D::NAME, "a member"))?)
                    }
                    _ => write!(out, "[{index}]"),
                };
            }
            ref other => return Err(foreign(D::NAME, format_args!("the expression {other:?}"))),
        }
        Ok(())
    }

    fn unary(&mut self, op: UnaryOperator, expr: Handle<Expression>, level: Level) -> Result<()> {
        let text = match op {
            UnaryOperator::Negate => '-',
            UnaryOperator::LogicalNot => '!',
            UnaryOperator::BitwiseNot => '~',
        };
        self.enclosed(level > Level::Unary, |body| {
            body.writer.out.push(text);
            // `--a` would be a decrement.
            body.write(expr, Level::Primary)
        })
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        level: Level,
    ) -> Result<()> {
        let Some((text, own, left_level, right_level)) = operator(op) else {
            return Err(foreign(D::NAME, format_args!("the operator {op:?}")));
        };
        // A `&&` among `||` needs parentheses, and a chain of one of them none.
        let left_level = if matches!(own, Level::And | Level::Or) && !self.is_binary(left, op) {
            Level::Relation
        } else {
            left_level
        };
        self.enclosed(level > own, |body| {
            let literals = body.literal_of(left).zip(body.literal_of(right));
            if let Some((left, right)) = literals {
                // Numbers without a type would be computed with more digits.
                body.literal(left, left_level, true)?;
                let _ = write!(body.writer.out, " {text} ");
                return body.literal(right, right_level, true);
            }
            body.write(left, left_level)?;
            if let Some(right) = body.subtracted(op, right) {
                body.writer.out.push_str(" - ");
                return body.write(right, right_level);
            }
            if op == BinaryOperator::Add
                && let Some(positive) = body.literal_of(right).and_then(opposite)
            {
                body.writer.out.push_str(" - ");
                return body.literal(positive, right_level, false);
            }
            let _ = write!(body.writer.out, " {text} ");
            body.write(right, right_level)
        })
    }

    fn is_binary(&self, expr: Handle<Expression>, op: BinaryOperator) -> bool {
        self.plan.names[expr.index()].is_none()
            && matches!(self.function.expressions[expr], Expression::Binary { op: other, .. } if other == op)
    }

    fn literal_of(&self, expr: Handle<Expression>) -> Option<Literal> {
        match self.function.expressions[expr] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    pub fn enclosed(&mut self, parentheses: bool, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if !parentheses {
            return write(self);
        }
        self.writer.out.push('(');
        write(self)?;
        self.writer.out.push(')');
        Ok(())
    }

    /// A literal; `typed`: with the letter of its type.
    fn literal(&mut self, literal: Literal, level: Level, typed: bool) -> Result<()> {
        let negative = match literal {
            Literal::F32(value) => value.is_sign_negative(),
            Literal::I32(value) => value < 0,
            _ => false,
        };
        let typed = typed && D::TYPED_LITERALS;
        self.enclosed(negative && level > Level::Unary, |body| {
            let out = &mut body.writer.out;
            let _ = match literal {
                Literal::F32(value) if !value.is_finite() => {
                    return Err(foreign(D::NAME, "an infinite literal"));
                }
                Literal::F32(value) => write!(out, "{}{}", decimal(value), if typed { "f" } else { "" }),
                Literal::I32(i32::MIN) => write!(out, "{}", D::LEAST_INT),
                Literal::I32(value) => write!(out, "{value}{}", if typed { "i" } else { "" }),
                Literal::U32(value) if value > 0xFFFF => write!(out, "{value:#010x}u"),
                Literal::U32(value) => write!(out, "{value}u"),
                Literal::Bool(value) => write!(out, "{value}"),
                other => return Err(foreign(D::NAME, format_args!("the literal {other:?}"))),
            };
            Ok(())
        })
    }
}

/// The number without its minus, if it has one.
fn opposite(literal: Literal) -> Option<Literal> {
    match literal {
        Literal::F32(value) if value < 0.0 => Some(Literal::F32(-value)),
        Literal::I32(value) if value < 0 => Some(Literal::I32(value.checked_neg()?)),
        _ => None,
    }
}

/// The shortest decimal that is this number, read with the precision of f64 first, as WGSL does.
fn decimal(value: f32) -> String {
    let text = format!("{value:?}");
    let read: f64 = text.parse().unwrap_or(f64::NAN);
    // The largest f32 rounds up to a decimal that f32 cannot hold.
    let right = (read as f32).to_bits() == value.to_bits() && read.abs() <= f64::from(f32::MAX);
    if right { text } else { format!("{:?}", f64::from(value)) }
}
