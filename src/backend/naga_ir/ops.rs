//! One naga expression for each operation of the IR.
//! In: an item that evaluates a value. Out: expressions in the function that is being built. Knows no control flow.
//!
//! | IR | naga | WGSL |
//! |---|---|---|
//! | `Neg`, `Not` | `Unary` | `-x`, `!x` |
//! | `Abs`, `Floor`, `Sqrt`, `Exp2`, `Log2` | `Math` | `abs`, `floor`, `sqrt`, `exp2`, `log2` |
//! | `ToInt` | `As`, converting | `i32(x)`; naga clamps it, which changes nothing for finite values in range |
//! | `ToBits`, `FromBits`, `UintToInt`, `IntToUint` | `As`, same bits | `bitcast` |
//! | `Add`, `IAdd`, `Mul`, `IMul`, `Div`, `ISub` | `Binary` | `+`, `*`, `/`, `-`; a splat factor of `*` stays a scalar |
//! | `Dot` | `Math` | `dot` |
//! | `Equal`, `IEqual`, `UEqual`, `Less`, … | `Binary` | `==`, `<`, …; never `!=`, which is wrong for NaN in naga's SPIR-V |
//! | `And`, `Or` | `Binary` | `&&`, `\|\|` on scalars, `&`, `\|` on vectors |
//! | `IAnd`, `BitAnd`, `BitOr`, `BitXor`, `ShiftRight`, `ShiftLeft` | `Binary` | `&`, `\|`, `^`, `>>`, `<<` |
//! | `Select` | `Select` | `select(b, a, cond)` |
//! | `Member`, `MemberAt` | `Load` | `uniforms.name`, loaded once for each region that needs it |
//! | `HostField` | `Load` | `host.flip_y` |
//! | `Specialized` | `Override` | `b3`, `i0_x` |
//! | `Input` | `FunctionArgument`, converted if it is an integer | the attribute's name |
//! | `Call` | `Statement::Call` | `let x = helper(…)` |
//! | `DrawField` | `Load` | `draw.chunk`; the thread is an argument |
//! | `Load` | `Load` | `feed[i]`, `state[i]` |
//! | `Submit` | `If` and `Store`s | `if count < draw.capacity { triangles[at] = position; … }` |

use naga::{BinaryOperator, Expression, MathFunction, ScalarKind, Statement, UnaryOperator};

use super::broken;
use super::function::{Builder, Expr, Slot};
use super::types::{self, BlockMember};
use crate::error::Result;
use crate::host::HostField;
use crate::ir::{Binary, Def, Op, Type, Unary, Value, ValueList};

/// Arrays up to this length are loaded whole: `let projection = uniforms.projection;`.
const WHOLE_ARRAY: u16 = 4;

/// How naga writes a one-operand operation.
enum UnaryForm {
    Operator(UnaryOperator),
    Math(MathFunction),
    Convert(ScalarKind),
    Bits(ScalarKind),
    PicaArithmetic,
}

const fn unary_form(op: Unary) -> UnaryForm {
    match op {
        Unary::RcpP
        | Unary::RsqP
        | Unary::Exp2P
        | Unary::Log2P
        | Unary::Exp2Portable
        | Unary::Log2Portable
        | Unary::AddressP => UnaryForm::PicaArithmetic,
        Unary::Neg => UnaryForm::Operator(UnaryOperator::Negate),
        Unary::Not => UnaryForm::Operator(UnaryOperator::LogicalNot),
        Unary::Abs => UnaryForm::Math(MathFunction::Abs),
        Unary::Floor => UnaryForm::Math(MathFunction::Floor),
        Unary::Sqrt => UnaryForm::Math(MathFunction::Sqrt),
        Unary::Exp2 => UnaryForm::Math(MathFunction::Exp2),
        Unary::Log2 => UnaryForm::Math(MathFunction::Log2),
        Unary::ToInt => UnaryForm::Convert(ScalarKind::Sint),
        Unary::ToBits | Unary::IntToUint => UnaryForm::Bits(ScalarKind::Uint),
        Unary::FromBits => UnaryForm::Bits(ScalarKind::Float),
        Unary::UintToInt => UnaryForm::Bits(ScalarKind::Sint),
    }
}

/// How naga writes a two-operand operation.
enum BinaryForm {
    Operator(BinaryOperator),
    /// A product: a splat operand may stay a scalar.
    Product,
    /// Scalar and vector form of a logical operation.
    Logical(BinaryOperator, BinaryOperator),
    Dot,
    PicaArithmetic,
}

const fn binary_form(op: Binary) -> BinaryForm {
    use BinaryOperator as B;
    match op {
        Binary::AddP
        | Binary::MulP
        | Binary::DotP
        | Binary::MinP
        | Binary::MaxP
        | Binary::SgeP
        | Binary::SltP => BinaryForm::PicaArithmetic,
        Binary::Mul => BinaryForm::Product,
        Binary::Dot => BinaryForm::Dot,
        Binary::Add | Binary::IAdd => BinaryForm::Operator(B::Add),
        Binary::ISub => BinaryForm::Operator(B::Subtract),
        Binary::IMul => BinaryForm::Operator(B::Multiply),
        Binary::Div => BinaryForm::Operator(B::Divide),
        Binary::Equal | Binary::IEqual | Binary::UEqual => BinaryForm::Operator(B::Equal),
        Binary::Less | Binary::ILess | Binary::ULess => BinaryForm::Operator(B::Less),
        Binary::LessEqual => BinaryForm::Operator(B::LessEqual),
        Binary::Greater | Binary::IGreater => BinaryForm::Operator(B::Greater),
        Binary::GreaterEqual => BinaryForm::Operator(B::GreaterEqual),
        Binary::And => BinaryForm::Logical(B::LogicalAnd, B::And),
        Binary::Or => BinaryForm::Logical(B::LogicalOr, B::InclusiveOr),
        Binary::IAnd | Binary::BitAnd => BinaryForm::Operator(B::And),
        Binary::BitOr => BinaryForm::Operator(B::InclusiveOr),
        Binary::BitXor => BinaryForm::Operator(B::ExclusiveOr),
        Binary::ShiftRight => BinaryForm::Operator(B::ShiftRight),
        Binary::ShiftLeft => BinaryForm::Operator(B::ShiftLeft),
    }
}

/// An operation that `legalize` should have replaced.
fn not_legal(op: Op) -> crate::error::Error {
    broken(format!("{op:?} must be legalized before it reaches a back end"))
}

impl Builder<'_, '_> {
    /// Evaluates a value here.
    pub(super) fn item(&mut self, value: Value) -> Result<()> {
        let data = *self.ir.values.get(value).ok_or_else(|| broken(format!("{value} does not exist")))?;
        let Def::Op(op) = data.def else {
            return Err(broken(format!("{value} is no operation")));
        };
        let slot = self.operation(op, data.ty)?;
        if let Slot::Whole(expr) = slot {
            self.suggest(expr, data.hint, data.ty.kind);
        }
        self.set(value, slot);
        Ok(())
    }

    fn operation(&mut self, op: Op, ty: Type) -> Result<Slot> {
        Ok(match op {
            Op::Const(bits) => Slot::Const(bits),
            Op::Shuffle(lanes) => self.shuffle(ty, lanes)?,
            Op::Input(register) => {
                let input = self.inputs.get(usize::from(register)).copied().flatten();
                Slot::Whole(
                    input.ok_or_else(|| broken(format!("input v{register} is not part of the interface")))?,
                )
            }
            Op::HostField(field) => Slot::Whole(self.host_field(field)?),
            Op::Specialized(id) => Slot::Whole(self.specialized(id)?),
            Op::Member { member, element } => Slot::Whole(self.member(member, element)?),
            Op::MemberAt { member, index } => Slot::Whole(self.member_at(member, index)?),
            Op::Unary(Unary::Not, operand) if ty.lanes == 1 => Slot::Not(self.operand(operand)?),
            Op::Unary(op, operand) => Slot::Whole(self.unary(op, operand)?),
            Op::Binary(op, left, right) => Slot::Whole(self.binary(op, left, right, ty)?),
            Op::Select { cond, a, b } => {
                let condition = self.scalar_or_operand(cond)?;
                let (accept, reject) = (self.operand(a)?, self.operand(b)?);
                Slot::Whole(self.emit(Expression::Select { condition, accept, reject }))
            }
            Op::DrawField(field) => Slot::Whole(self.draw_field(field)?),
            Op::Load { buffer, index } => Slot::Whole(self.load_element(buffer, index)?),
            Op::Submit { args } => Slot::Whole(self.submit(args)?),
            Op::Call { helper, args } => Slot::Whole(self.call(helper, args)?),
            Op::Uniform(_) | Op::UniformAt { .. } | Op::IntUniform { .. } | Op::BoolUniform(_) => {
                return Err(not_legal(op));
            }
        })
    }

    fn unary(&mut self, op: Unary, operand: Value) -> Result<Expr> {
        let form = unary_form(op);
        let expr = self.operand(operand)?;
        Ok(self.emit(match form {
            UnaryForm::Operator(op) => Expression::Unary { op, expr },
            UnaryForm::Math(fun) => Expression::Math { fun, arg: expr, arg1: None, arg2: None, arg3: None },
            UnaryForm::Convert(kind) => Expression::As { expr, kind, convert: Some(4) },
            UnaryForm::Bits(kind) => Expression::As { expr, kind, convert: None },
            UnaryForm::PicaArithmetic => return Err(not_legal(Op::Unary(op, operand))),
        }))
    }

    fn binary(&mut self, op: Binary, left: Value, right: Value, ty: Type) -> Result<Expr> {
        let operator = match binary_form(op) {
            BinaryForm::PicaArithmetic => return Err(not_legal(Op::Binary(op, left, right))),
            BinaryForm::Dot => {
                let (arg, arg1) = (self.operand(left)?, Some(self.operand(right)?));
                return Ok(self.emit(Expression::Math {
                    fun: MathFunction::Dot,
                    arg,
                    arg1,
                    arg2: None,
                    arg3: None,
                }));
            }
            BinaryForm::Product => return self.product(left, right),
            BinaryForm::Logical(scalar, _) if ty.lanes == 1 => scalar,
            BinaryForm::Logical(_, vector) => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                // naga's GLSL repeats both operands for each lane.
                self.keep(left);
                self.keep(right);
                return Ok(self.emit(Expression::Binary { op: vector, left, right }));
            }
            BinaryForm::Operator(operator) => operator,
        };
        let (left, right) = (self.operand(left)?, self.operand(right)?);
        let result = self.emit(Expression::Binary { op: operator, left, right });
        if matches!(op, Binary::IEqual | Binary::UEqual | Binary::ILess | Binary::ULess | Binary::IGreater) {
            self.compares_integers(result);
        }
        Ok(result)
    }

    fn product(&mut self, left: Value, right: Value) -> Result<Expr> {
        let (left, right) = if self.all_one(left)? {
            (self.scalar_or_operand(left)?, self.operand(right)?)
        } else {
            (self.operand(left)?, self.scalar_or_operand(right)?)
        };
        Ok(self.emit(Expression::Binary { op: BinaryOperator::Multiply, left, right }))
    }

    /// Whether all lanes of a value are known to be one scalar.
    fn all_one(&self, value: Value) -> Result<bool> {
        let lanes = usize::from(self.ir.ty(value).lanes.min(4));
        Ok(match self.slot(value)? {
            Slot::Splat(_) => true,
            Slot::Lanes { pattern, .. } => pattern[..lanes].iter().all(|&lane| lane == pattern[0]),
            Slot::Const(bits) => bits[..lanes].iter().all(|&lane| lane == bits[0]),
            Slot::Unset | Slot::Whole(_) | Slot::Not(_) => false,
        })
    }

    /// A value as an expression, as a scalar where all its lanes are one.
    fn scalar_or_operand(&mut self, value: Value) -> Result<Expr> {
        let kind = self.ir.ty(value).kind;
        if !self.all_one(value)? {
            return self.operand(value);
        }
        match self.slot(value)? {
            Slot::Splat(scalar) => Ok(scalar),
            Slot::Lanes { base, pattern, .. } => Ok(self.lanes(base, pattern, 1)),
            Slot::Const(bits) => Ok(self.literal(kind, bits[0])),
            Slot::Unset | Slot::Whole(_) | Slot::Not(_) => self.operand(value),
        }
    }

    fn call(&mut self, helper: u16, args: ValueList) -> Result<Expr> {
        let function = self.shared.helpers.get(usize::from(helper)).copied();
        let function =
            function.ok_or_else(|| broken(format!("helper {helper} is called before it is defined")))?;
        let ir = self.ir;
        let mut arguments = Vec::with_capacity(args.range().len());
        for &arg in ir.get(args) {
            arguments.push(self.operand(arg)?);
        }
        for &argument in &arguments {
            self.used(argument);
        }
        let result = self.outside(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        Ok(result)
    }

    /// An element of a member of the uniform block.
    fn member(&mut self, member: u16, element: u16) -> Result<Expr> {
        let data = self.block_member(member)?;
        let (place, length) = (data.place, data.length);
        match length {
            None if element == 0 => self.load_member(member, place, None),
            Some(length) if element < length && length <= WHOLE_ARRAY => {
                let base = self.load_member(member, place, None)?;
                Ok(self.emit(Expression::AccessIndex { base, index: u32::from(element) }))
            }
            Some(length) if element < length => {
                self.load_member(member, place + 1 + usize::from(element), Some(element))
            }
            None | Some(_) => Err(broken(format!("member {member} has no element {element}"))),
        }
    }

    fn block_member(&self, member: u16) -> Result<&BlockMember> {
        let found = self.shared.block.members.get(usize::from(member));
        found.ok_or_else(|| broken(format!("the uniform block has no member {member}")))
    }

    fn load_member(&mut self, member: u16, place: usize, element: Option<u16>) -> Result<Expr> {
        if let Some(load) = self.loads[place] {
            return Ok(load);
        }
        let (mut pointer, mut name) = self.member_pointer(member)?;
        if let Some(index) = element {
            pointer = self.emit(Expression::AccessIndex { base: pointer, index: u32::from(index) });
            name = if name.len() == 1 { format!("{name}{index}") } else { format!("{name}_{index}") };
        }
        let load = self.emit(Expression::Load { pointer });
        self.name(load, name);
        self.loads[place] = Some(load);
        self.load_log.push(place);
        Ok(load)
    }

    /// A member and its name.
    fn member_pointer(&mut self, member: u16) -> Result<(Expr, String)> {
        let base = self.uniforms.ok_or_else(|| broken("there is no uniform block".to_owned()))?;
        let BlockMember { index, ref name, .. } = *self.block_member(member)?;
        let name = name.clone();
        Ok((self.emit(Expression::AccessIndex { base, index }), name))
    }

    fn host_field(&mut self, field: u8) -> Result<Expr> {
        let data = HostField::ALL.get(usize::from(field));
        let (Some(base), Some(data)) = (self.host, data) else {
            return Err(broken(format!("there is no field {field} of a host block")));
        };
        let pointer = self.emit(Expression::AccessIndex { base, index: u32::from(field) });
        let load = self.emit(Expression::Load { pointer });
        self.name(load, data.name().to_owned());
        Ok(load)
    }

    fn specialized(&mut self, id: u8) -> Result<Expr> {
        let Some(&known) = self.shared.specialized.get(usize::from(id)) else {
            return Err(broken(format!("there is no specialisation constant {id}")));
        };
        let constant = match known {
            Some(known) => known,
            None => types::specialized(&mut self.shared.module, id),
        };
        self.shared.specialized[usize::from(id)] = Some(constant);
        Ok(self.outside(Expression::Override(constant)))
    }

    fn member_at(&mut self, member: u16, index: Value) -> Result<Expr> {
        if self.block_member(member)?.length.is_none() {
            return Err(broken(format!("member {member} is no array")));
        }
        let (base, name) = self.member_pointer(member)?;
        let index = self.operand(index)?;
        let pointer = self.emit(Expression::Access { base, index });
        let load = self.emit(Expression::Load { pointer });
        self.name(load, format!("{name}_at"));
        Ok(load)
    }
}
