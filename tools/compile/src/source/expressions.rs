//! Lowering of expressions: constants, accesses, loads, vectors; lanes of what the host computes.
//! In: expressions of naga in the order in which statements emit them. Out: values. Arithmetic is
//! in `arithmetic`, built-in functions are in `functions`.

use std::rc::Rc;

use super::ir::{Binary, Lane, Op, Type, Unary};
use naga::{Expression, Handle, Literal};

use super::data::{Data, Scalar, Shape};
use super::error::{DERIVATIVES, Error, Kind, Result, TEXTURES};
use super::host::{Node, NodeId};
use super::lower::Lowering;
use super::value::{Place, Root, Step, Value};

impl<'a> Lowering<'a> {
    /// Evaluates the expressions of a statement.
    pub(super) fn emit(&mut self, range: naga::Range<Expression>) -> Result<()> {
        range.into_iter().try_for_each(|handle| self.emit_one(handle))
    }

    pub(super) fn emit_one(&mut self, handle: Handle<Expression>) -> Result<()> {
        let expressions = self.frame().expressions;
        self.step(expressions.get_span(handle))?;
        let value = self.expression(handle)?;
        if let Some(name) = self.frame().names.and_then(|names| names.get(&handle)) {
            self.name_node(&value, name);
        }
        self.set(handle, value);
        Ok(())
    }

    pub(super) fn set(&mut self, handle: Handle<Expression>, value: Value) {
        self.frame().values[handle.index()] = Some(value);
    }

    /// The value of an operand.
    pub(super) fn value(&mut self, handle: Handle<Expression>) -> Result<Value> {
        if let Some(value) = &self.frame().values[handle.index()] {
            return Ok(value.clone());
        }
        // Literals, variables and the like need no statement.
        self.deeper(|this| this.expression(handle))
    }

    /// Constants of the module, in order; those that the subset lacks are errors where they are
    /// used.
    pub(super) fn globals_of_module(&mut self) {
        for (handle, _) in self.module.global_expressions.iter() {
            if let Ok(value) = self.expression(handle) {
                self.set(handle, value);
            }
        }
    }

    /// A constant expression of the module.
    pub(super) fn constant_of_module(&mut self, handle: Handle<Expression>) -> Result<Value> {
        let value = self.frames.first().and_then(|frame| frame.values[handle.index()].clone());
        value.ok_or_else(|| self.error(Kind::Format("the type of this constant".into())))
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Result<Value> {
        let expressions = self.frame().expressions;
        match &expressions[handle] {
            Expression::Literal(literal) => self.literal(*literal),
            Expression::Constant(constant) => self.constant_of_module(self.module.constants[*constant].init),
            Expression::Override(handle) => self.overridden(*handle),
            Expression::ZeroValue(ty) => self.zero(*ty),
            Expression::Compose { ty, components } => self.compose(*ty, components),
            Expression::Access { base, index } => {
                let (base, index) = (self.value(*base)?, self.value(*index)?);
                let step = match self.known_index(&index) {
                    Some(index) => Step::Index(index),
                    None => Step::Dynamic(index),
                };
                self.access(&base, step)
            }
            Expression::AccessIndex { base, index } => {
                let base = self.value(*base)?;
                self.access(&base, Step::Index(*index as usize))
            }
            Expression::Splat { size, value } => self.swizzle(*value, &[0; 4][..*size as usize]),
            Expression::Swizzle { size, vector, pattern } => {
                let lanes = pattern.map(|component| component as u8);
                self.swizzle(*vector, &lanes[..*size as usize])
            }
            Expression::FunctionArgument(index) => match self.frame().arguments.get(*index as usize) {
                Some(value) => Ok(value.clone()),
                None => self.internal("an argument that is missing"),
            },
            Expression::GlobalVariable(global) => self.global(*global),
            Expression::LocalVariable(local) => self.local(*local),
            Expression::Load { pointer } => {
                let pointer = self.value(*pointer)?;
                self.load(&pointer)
            }
            other => self.operator(other),
        }
    }

    /// Expressions that compute.
    fn operator(&mut self, expression: &Expression) -> Result<Value> {
        match expression {
            Expression::Unary { op, expr } => {
                let value = self.value(*expr)?;
                self.unary(*op, &value)
            }
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                self.binary(*op, &left, &right)
            }
            Expression::Select { condition, accept, reject } => {
                let (accept, reject) = (self.value(*accept)?, self.value(*reject)?);
                let condition = self.value(*condition)?;
                self.select(&condition, &accept, &reject)
            }
            Expression::Relational { fun, argument } => {
                let value = self.value(*argument)?;
                self.relational(*fun, &value)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let handles = [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten();
                let args = handles.map(|arg| self.value(arg)).collect::<Result<Vec<Value>>>()?;
                self.math(*fun, &args)
            }
            Expression::As { expr, kind, convert } => {
                let value = self.value(*expr)?;
                let width = convert.unwrap_or(4);
                let Some(scalar) = Scalar::of(naga::Scalar { kind: *kind, width }) else {
                    return Err(self.error(Kind::Format(format!("type {kind:?}{}", 8 * width))));
                };
                // The bits of a whole number that is not negative are the number.
                if convert.is_none() && !keeps_bits(self.shape(&value)?.scalar, scalar) {
                    return self.operation("a number from the bits of another");
                }
                self.convert(&value, scalar)
            }
            other => Err(self.error(refused(other))),
        }
    }

    fn literal(&mut self, literal: Literal) -> Result<Value> {
        let data = match literal {
            Literal::F32(value) => Data::float(value),
            Literal::I32(value) => Data::int(value),
            Literal::U32(value) => Data::one(Scalar::Uint, value),
            Literal::Bool(value) => Data::bool(value),
            Literal::AbstractInt(value) if i32::try_from(value).is_ok() => Data::int(value as i32),
            Literal::AbstractFloat(value) => Data::float(value as f32),
            other => {
                let scalar = other.scalar();
                return Err(self.error(Kind::Format(format!("type {:?}{}", scalar.kind, 8 * scalar.width))));
            }
        };
        Ok(self.data(data))
    }

    /// A bool that a pipeline may override is a bool uniform, numbers are constants.
    fn overridden(&mut self, handle: Handle<naga::Override>) -> Result<Value> {
        let constant = &self.module.overrides[handle];
        let init = constant.init.map(|init| self.constant_of_module(init)).transpose()?;
        let name = constant.name.clone().unwrap_or_else(|| format!("override{}", handle.index()));
        let is_bool = Shape::of(&self.module.types[constant.ty].inner) == Some(Shape::scalar(Scalar::Bool));
        match init {
            Some(init) if !is_bool => Ok(init),
            _bool if is_bool => self.declared_flag(&name),
            _none => self.operation(format!("`{name}`, an override without value")),
        }
    }

    fn global(&mut self, global: Handle<naga::GlobalVariable>) -> Result<Value> {
        if let Some(&root) = self.globals.get(&global.index()) {
            return Ok(Value::Pointer(Place { root, path: Vec::new() }.into()));
        }
        let what = match self.module.global_variables[global].space {
            naga::AddressSpace::Storage { .. } => "storage buffers",
            naga::AddressSpace::Handle => TEXTURES,
            naga::AddressSpace::WorkGroup => "workgroup memory",
            _other => "variables of this type",
        };
        Err(self.error(Kind::Resource(what.into())))
    }

    fn compose(&mut self, ty: Handle<naga::Type>, components: &[Handle<Expression>]) -> Result<Value> {
        let inner = &self.module.types[ty].inner;
        let values = components.iter().map(|&handle| self.value(handle)).collect::<Result<Vec<Value>>>()?;
        if matches!(inner, naga::TypeInner::Struct { .. } | naga::TypeInner::Array { .. }) {
            return Ok(Value::Many(values.into()));
        }
        let Some(shape) = Shape::of(inner) else {
            return Err(self.error(Kind::Format("the type of this vector".into())));
        };
        self.join(shape, &values)
    }

    /// The lanes of several values in order.
    pub(super) fn join(&mut self, shape: Shape, values: &[Value]) -> Result<Value> {
        if let Some(nodes) = self.nodes(values) {
            return self.node(Node::Compose(nodes), shape);
        }
        let mut lanes = Vec::with_capacity(shape.lanes());
        for value in values {
            lanes.extend(self.lanes(value)?.1);
        }
        if lanes.len() != shape.lanes() {
            return self.internal("a vector with other lanes than its type");
        }
        Ok(Value::lanes(shape, lanes))
    }

    /// These lanes of a value.
    pub(super) fn pick(&mut self, value: &Value, shape: Shape, picked: &[u8]) -> Result<Value> {
        match value {
            Value::Host(id) => self.node(Node::Lanes(*id, picked.to_vec()), shape),
            Value::Lanes(_, lanes) => {
                let lanes = picked.iter().map(|&lane| lanes.get(usize::from(lane)).copied());
                match lanes.collect::<Option<Vec<Lane>>>() {
                    Some(lanes) => Ok(Value::lanes(shape, lanes)),
                    None => self.internal("a lane beyond its vector"),
                }
            }
            Value::Many(_) | Value::Pointer(_) => self.internal("lanes of no vector"),
        }
    }

    fn swizzle(&mut self, vector: Handle<Expression>, lanes: &[u8]) -> Result<Value> {
        let vector = self.value(vector)?;
        let shape = Shape::vector(self.shape(&vector)?.scalar, lanes.len() as u8);
        self.pick(&vector, shape, lanes)
    }

    fn known_index(&self, index: &Value) -> Option<usize> {
        let Value::Host(id) = index else { return None };
        usize::try_from(self.host.constant(*id)?.whole()?).ok()
    }

    fn access(&mut self, base: &Value, step: Step) -> Result<Value> {
        match base {
            Value::Pointer(place) => {
                let mut place = (**place).clone();
                place.path.push(step);
                Ok(Value::Pointer(Rc::new(place)))
            }
            Value::Host(_) | Value::Lanes(..) | Value::Many(_) => self.element(base, &step),
        }
    }

    /// An element of an array, a member, a column or a lane.
    pub(super) fn element(&mut self, base: &Value, step: &Step) -> Result<Value> {
        match (base, step) {
            (Value::Many(elements), Step::Index(index)) => {
                elements.get(*index).cloned().ok_or_else(|| self.beyond_array())
            }
            (Value::Many(elements), Step::Dynamic(index)) => self.table(elements, index),
            (_, Step::Index(index)) => {
                let shape = self.shape(base)?;
                if *index >= shape.elements() {
                    return Err(self.error(Kind::Index("a vector with an index beyond its end".into())));
                }
                let count = shape.element().lanes();
                let lanes: Vec<u8> = (index * count..(index + 1) * count).map(|lane| lane as u8).collect();
                self.pick(base, shape.element(), &lanes)
            }
            (_, Step::Dynamic(index)) => {
                let count = self.shape(base)?.elements();
                let mut chosen = self.element(base, &Step::Index(0))?;
                for number in 1..count {
                    let element = self.element(base, &Step::Index(number))?;
                    chosen = self.select_at(index, number, &element, &chosen)?;
                }
                Ok(chosen)
            }
        }
    }

    pub(super) fn beyond_array(&self) -> Error {
        self.error(Kind::Index("an array with an index beyond its end".into()))
    }

    pub(super) fn load(&mut self, pointer: &Value) -> Result<Value> {
        let Value::Pointer(place) = pointer else { return self.internal("a load without pointer") };
        match place.root {
            Root::Uniform(variable) => self.load_uniform(variable, &place.path),
            Root::Variable(slot) => {
                let mut value = self.variables[slot.0].clone();
                for step in &place.path {
                    value = self.element(&value, step)?;
                }
                Ok(value)
            }
        }
    }

    pub(super) fn store(&mut self, pointer: &Value, value: Value) -> Result<()> {
        let Value::Pointer(place) = pointer else { return self.internal("a store without pointer") };
        let Some(slot) = place.root.slot() else { return self.operation("a store to a uniform") };
        // The containers on the way, outermost first.
        let mut containers = vec![self.variables[slot.0].clone()];
        for step in place.path.iter().take(place.path.len().saturating_sub(1)) {
            let last = containers[containers.len() - 1].clone();
            containers.push(self.element(&last, step)?);
        }
        let mut new = value;
        for (container, step) in containers.iter().zip(&place.path).rev() {
            new = self.replaced(container, step, new)?;
        }
        self.variables[slot.0] = new;
        Ok(())
    }

    /// A container with another element.
    fn replaced(&mut self, container: &Value, step: &Step, new: Value) -> Result<Value> {
        let Step::Index(index) = step else {
            return self.replaced_at(container, step, &new);
        };
        if let Value::Many(elements) = container {
            let mut elements = elements.to_vec();
            *elements.get_mut(*index).ok_or_else(|| self.beyond_array())? = new;
            return Ok(Value::Many(elements.into()));
        }
        let shape = self.shape(container)?;
        let mut old = |number: usize| self.element(container, &Step::Index(number));
        let part = |number: usize| if number == *index { Ok(new.clone()) } else { old(number) };
        let parts = (0..shape.elements()).map(part).collect::<Result<Vec<Value>>>()?;
        self.join(shape, &parts)
    }

    /// A vector with another lane at an index that the program computes.
    fn replaced_at(&mut self, container: &Value, step: &Step, new: &Value) -> Result<Value> {
        let (Step::Dynamic(index), Value::Host(_) | Value::Lanes(..)) = (step, container) else {
            return Err(self.error(Kind::Index("a local array".into())));
        };
        let shape = self.shape(container)?;
        let mut parts = Vec::with_capacity(shape.elements());
        for number in 0..shape.elements() {
            let old = self.element(container, &Step::Index(number))?;
            parts.push(self.select_at(index, number, new, &old)?);
        }
        self.join(shape, &parts)
    }

    /// `index == number ? accept : reject`
    fn select_at(&mut self, index: &Value, number: usize, accept: &Value, reject: &Value) -> Result<Value> {
        let number = self.data(Data::int(number as i32));
        let index = self.convert(index, Scalar::Int)?;
        let is_it = self.binary(naga::BinaryOperator::Equal, &index, &number)?;
        self.select(&is_it, accept, reject)
    }

    /// Shape and lanes of a value; what the host computes is read.
    pub(super) fn lanes(&mut self, value: &Value) -> Result<(Shape, Vec<Lane>)> {
        match value {
            Value::Host(id) => Ok((self.host.shape(*id), self.materialize(*id)?)),
            Value::Lanes(shape, lanes) => Ok((*shape, lanes.to_vec())),
            Value::Many(_) | Value::Pointer(_) => {
                self.operation("an operation on a struct, array or pointer")
            }
        }
    }

    /// Lanes of a node. Reads, constants and what only moves or negates lanes cost nothing here;
    /// all else the host computes.
    fn materialize(&mut self, id: NodeId) -> Result<Vec<Lane>> {
        if let Some(lanes) = self.materialized.get(&id) {
            return Ok(lanes.clone());
        }
        let shape = self.host.shape(id);
        let node = self.host.node(id).clone();
        let lanes = match &node {
            Node::Constant(data) => self.constant_lanes(data)?,
            Node::Uniform(part) if shape.is_numeric() => self.declared(*part, shape),
            Node::Lanes(inner, picked) if self.is_plain(*inner) => {
                let inner = self.deeper(|this| this.materialize(*inner))?;
                picked.iter().map(|&lane| inner[usize::from(lane)]).collect()
            }
            Node::Compose(parts) if parts.iter().any(|&part| self.is_plain(part)) => {
                let lanes = parts.iter().map(|&part| self.deeper(|this| this.materialize(part)));
                lanes.collect::<Result<Vec<_>>>()?.concat()
            }
            Node::Convert(inner) if self.is_plain(id) => self.deeper(|this| this.materialize(*inner))?,
            Node::Unary(naga::UnaryOperator::Negate, inner) if self.is_plain(*inner) => {
                let inner = self.deeper(|this| this.materialize(*inner))?;
                let group = shape.rows.into();
                self.b.at_start(|b| b.unary(Unary::Neg, &inner, group))
            }
            Node::Math(naga::MathFunction::Transpose, args) if self.is_plain(args[0]) => {
                let inner = self.deeper(|this| this.materialize(args[0]))?;
                let (columns, rows) = (usize::from(shape.columns), usize::from(shape.rows));
                (0..shape.lanes()).map(|lane| inner[lane % rows * columns + lane / rows]).collect()
            }
            _computed => self.derive(id)?,
        };
        self.materialized.insert(id, lanes.clone());
        Ok(lanes)
    }

    /// Returns whether lanes of a node cost nothing.
    fn is_plain(&self, mut id: NodeId) -> bool {
        loop {
            id = match self.host.node(id) {
                Node::Constant(_) => return true,
                Node::Uniform(_) => return self.host.shape(id).is_numeric(),
                Node::Lanes(inner, _) | Node::Unary(naga::UnaryOperator::Negate, inner) => *inner,
                Node::Math(naga::MathFunction::Transpose, args) => args[0],
                Node::Convert(inner) => {
                    // Whole numbers are floats in registers.
                    let from = self.host.shape(*inner).scalar;
                    if self.host.shape(id).scalar != Scalar::Float
                        || !matches!(from, Scalar::Int | Scalar::Uint)
                    {
                        return false;
                    }
                    *inner
                }
                // Its parts are looked at one by one.
                Node::Compose(parts) => return parts.iter().all(|&part| self.is_read(part)),
                _computed => return false,
            };
        }
    }

    fn is_read(&self, id: NodeId) -> bool {
        match self.host.node(id) {
            Node::Constant(_) | Node::Uniform(_) => self.host.shape(id).is_numeric(),
            Node::Lanes(inner, _) => {
                matches!(self.host.node(*inner), Node::Uniform(_)) && self.host.shape(id).is_numeric()
            }
            _other => false,
        }
    }

    fn constant_lanes(&mut self, data: &Data) -> Result<Vec<Lane>> {
        let kind = super::value::ir_kind(data.shape.scalar);
        if data.shape.scalar == Scalar::Bool {
            return Ok(data.lanes.iter().map(|&bits| self.b.constant(kind, bits)).collect());
        }
        let values = data.in_registers();
        // Floats hold all whole numbers up to 2^24, and some above.
        let is_exact = |(&bits, &value): (&u32, &f32)| match data.shape.scalar {
            Scalar::Int => value as i64 == i64::from(bits.cast_signed()),
            Scalar::Uint => value as i64 == i64::from(bits),
            Scalar::Float | Scalar::Bool => true,
        };
        if !data.lanes.iter().zip(&values).all(is_exact) {
            return self.operation("whole numbers above 2^24");
        }
        Ok(values.into_iter().map(|value| self.b.float(value)).collect())
    }

    /// Converts by value.
    pub(super) fn convert(&mut self, value: &Value, to: Scalar) -> Result<Value> {
        if let Value::Host(id) = value {
            let shape = self.host.shape(*id);
            return if shape.scalar == to {
                Ok(value.clone())
            } else {
                self.node(Node::Convert(*id), shape.with(to))
            };
        }
        let (shape, lanes) = self.lanes(value)?;
        let group = shape.rows.into();
        let zero = self.b.float(0.0);
        let lanes = match (shape.scalar, to) {
            (Scalar::Bool, Scalar::Float | Scalar::Int | Scalar::Uint) => self.number_of(&lanes),
            (Scalar::Bool, Scalar::Bool) => lanes,
            (Scalar::Float | Scalar::Int | Scalar::Uint, Scalar::Bool) => {
                let equal = self.b.binary(Binary::Equal, &lanes, &[zero], group);
                self.b.unary(Unary::Not, &equal, group)
            }
            (Scalar::Float, Scalar::Int) => {
                let whole = self.truncate(&lanes, group);
                self.parts.extend(whole.iter().copied().zip(lanes));
                whole
            }
            (Scalar::Float, Scalar::Uint) => self.positive_part(&lanes, group),
            (Scalar::Float | Scalar::Int | Scalar::Uint, Scalar::Float | Scalar::Int | Scalar::Uint) => lanes,
        };
        Ok(Value::lanes(shape.with(to), lanes))
    }

    /// The whole part of a number that is not negative, 0 of others.
    fn positive_part(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        let zero = self.b.float(0.0);
        let lanes = self.precise(lanes, group);
        let positive = self.b.binary(Binary::MaxP, &[zero], &lanes, group);
        let whole = self.b.unary(Unary::Floor, &positive, group);
        self.parts.extend(whole.iter().copied().zip(positive));
        whole
    }

    /// An index of registers: no array has a negative one.
    pub(super) fn register_index(&mut self, index: &Value) -> Result<Value> {
        let index = self.convert(index, Scalar::Int)?;
        let Value::Lanes(shape, lanes) = &index else { return Ok(index) };
        match self.parts.get(&lanes[0]) {
            // The whole part of one that may be negative takes more instructions.
            Some(&number) if !matches!(self.b.f.op(lanes[0].value()), Some(Op::Unary(Unary::Floor, _))) => {
                let whole = self.positive_part(&[number], 1);
                self.parts.insert(whole[0], number);
                Ok(Value::lanes(*shape, whole))
            }
            _other => Ok(index),
        }
    }

    /// 1 where it is true, else 0.
    fn number_of(&mut self, lanes: &[Lane]) -> Vec<Lane> {
        lanes.iter().map(|&lane| self.number_of_one(lane)).collect()
    }

    fn number_of_one(&mut self, lane: Lane) -> Lane {
        let compared = match self.b.f.op(lane.value()) {
            Some(Op::Binary(Binary::Less, a, b)) => Some((Binary::SltP, a, b)),
            Some(Op::Binary(Binary::Greater, a, b)) => Some((Binary::SltP, b, a)),
            Some(Op::Binary(Binary::GreaterEqual, a, b)) => Some((Binary::SgeP, a, b)),
            Some(Op::Binary(Binary::LessEqual, a, b)) => Some((Binary::SgeP, b, a)),
            _other => None,
        };
        if let Some((op, a, b)) = compared {
            let ty = Type::F32.with_lanes(self.b.f.ty(a).lanes);
            return Lane::new(self.b.emit(ty, Op::Binary(op, a, b)), lane.index());
        }
        let (one, zero) = (self.b.float(1.0), self.b.float(0.0));
        self.b.select(&[lane], &[one], &[zero])[0]
    }
}

/// Returns whether the bits of a number are the same number of another kind.
pub(super) fn keeps_bits(from: Scalar, to: Scalar) -> bool {
    from == to || [from, to].iter().all(|scalar| matches!(scalar, Scalar::Int | Scalar::Uint))
}

/// Reason why an expression is not in the subset.
fn refused(expression: &Expression) -> Kind {
    match expression {
        Expression::ImageSample { .. } | Expression::ImageLoad { .. } | Expression::ImageQuery { .. } => {
            Kind::Resource(TEXTURES.into())
        }
        Expression::Derivative { .. } => Kind::Operation(DERIVATIVES.into()),
        Expression::ArrayLength(_) => Kind::Resource("arrays of unknown size".into()),
        Expression::AtomicResult { .. } | Expression::WorkGroupUniformLoadResult { .. } => {
            Kind::Operation("atomic operations".into())
        }
        _other => Kind::Operation("this expression".into()),
    }
}
