//! The source itself on the CPU: what a lowered program is compared with.
//! In: a validated module, attributes, and values of the uniforms. Out: the outputs that an
//! interface lists, as the console takes them. f32, each operation rounded. Shares the operations
//! on constants with the lowering, and nothing else of it. Recursion follows nesting, which is
//! limited.

use naga::{
    AddressSpace, Arena, Block, EntryPoint, Expression, Function, Handle, Literal, Statement, SwitchValue,
    TypeInner,
};
use transpica::container::Semantic;
use transpica_inspect::values::Random;

use super::data::{Data, Scalar, Shape};
use super::expressions::keeps_bits;
use super::host::Part;
use super::interface::{Interface, Layout, UniformValues};
use super::{Depth, Options, Source, math, quaternion, uniforms};

/// Statements and expressions of one vertex.
const STEPS: usize = 1 << 20;
/// Calls inside each other.
const CALLS: usize = 64;

/// Inputs of a vertex.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// v0 to v15 as floats.
    pub attributes: [[f32; 4]; 16],
    /// Declared uniforms, as the interface lists them.
    pub uniforms: UniformValues,
    /// Seed of other roundings of operations, by up to two units in the last place.
    pub rounding: Option<u64>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Data(Data),
    Many(Vec<Value>),
    /// Index of a variable, and the way to a part of it.
    Pointer(usize, Vec<usize>),
}

enum Flow {
    Next,
    Break,
    Continue,
    Return,
}

struct Frame<'a> {
    expressions: &'a Arena<Expression>,
    values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    /// Index of its first variable.
    locals: usize,
    result: Option<Value>,
}

struct Machine<'a> {
    source: &'a Source,
    interface: &'a Interface,
    inputs: &'a Inputs,
    variables: Vec<Value>,
    /// Variables of globals, by index.
    globals: Vec<Option<usize>>,
    constants: Vec<Option<Value>>,
    frames: Vec<Frame<'a>>,
    steps: usize,
    rounding: Option<Random>,
}

/// Computes the outputs of a vertex, in the order of the interface; `None` where the source is
/// outside of the subset, or takes too many steps.
pub fn evaluate(
    source: &Source,
    options: &Options,
    interface: &Interface,
    inputs: &Inputs,
) -> Option<Vec<Vec<f32>>> {
    let entry = source.entry(options.entry.as_deref()).ok()?;
    let mut machine = Machine {
        source,
        interface,
        inputs,
        variables: Vec::new(),
        globals: Vec::new(),
        constants: Vec::new(),
        frames: Vec::new(),
        steps: 0,
        rounding: inputs.rounding.map(|seed| Random::new(seed, "roundings")),
    };
    machine.begin()?;
    let arguments = machine.arguments(entry)?;
    let result = machine.call(&entry.function, arguments)?;
    interface
        .outputs
        .iter()
        .map(|output| {
            let lanes = |member: usize| {
                let value = match &result {
                    Some(Value::Many(members)) => members.get(member)?,
                    Some(value) => value,
                    None => return None,
                };
                let Value::Data(data) = value else { return None };
                Some((0..data.lanes.len()).map(|lane| data.lane(lane)).collect::<Vec<f32>>())
            };
            let tangent = output.tangent.and_then(&lanes);
            console(output.semantic, lanes(output.member)?, tangent, options.depth)
        })
        .collect()
}

/// An output as the console takes it.
pub fn console(
    semantic: Semantic,
    mut lanes: Vec<f32>,
    tangent: Option<Vec<f32>>,
    depth: Depth,
) -> Option<Vec<f32>> {
    Some(match (semantic, lanes.len()) {
        (Semantic::Position, 4) => {
            lanes[2] = match depth {
                Depth::Console => lanes[2],
                Depth::ZeroToW => lanes[2] - lanes[3],
                Depth::MinusWToW => (lanes[2] - lanes[3]) * 0.5,
            };
            lanes
        }
        (Semantic::Quaternion, 3) => return quaternion::expected(&lanes, tangent.as_deref()),
        _other => lanes,
    })
}

impl<'a> Machine<'a> {
    /// Constants of the module and variables of its globals.
    fn begin(&mut self) -> Option<()> {
        let module = &self.source.module;
        self.frames.push(Frame {
            expressions: &module.global_expressions,
            values: vec![None; module.global_expressions.len()],
            arguments: Vec::new(),
            locals: 0,
            result: None,
        });
        for (handle, _) in module.global_expressions.iter() {
            // Later ones may name it as a constant.
            let value = self.expression(handle);
            self.frames[0].values[handle.index()] = value.clone();
            self.constants.push(value);
        }
        self.frames.pop();
        let mut next = 0;
        for (_, global) in module.global_variables.iter() {
            let value = match global.space {
                AddressSpace::Private => match global.init {
                    Some(init) => self.constants.get(init.index()).cloned().flatten(),
                    None => self.zero(global.ty),
                },
                AddressSpace::Uniform | AddressSpace::Immediate => self.uniform(global.ty, &mut next),
                _other => None,
            };
            let index = value.map(|value| {
                self.variables.push(value);
                self.variables.len() - 1
            });
            self.globals.push(index);
        }
        Some(())
    }

    /// The value of a variable in uniforms.
    fn uniform(&self, ty: Handle<naga::Type>, next: &mut usize) -> Option<Value> {
        let layout = uniforms::layout(&self.source.module, ty).ok()?;
        let Layout::Struct(members) = layout else {
            *next += 1;
            return self.part(&layout, Part { uniform: *next - 1, offset: 0 });
        };
        let member = |(_, member): &(String, Layout)| {
            *next += 1;
            self.part(member, Part { uniform: *next - 1, offset: 0 })
        };
        Some(Value::Many(members.iter().map(member).collect::<Option<_>>()?))
    }

    fn part(&self, layout: &Layout, part: Part) -> Option<Value> {
        let mut offset = part.offset;
        let mut next = |layout: &Layout| {
            let value = self.part(layout, Part { offset, ..part });
            offset += layout.registers();
            value
        };
        Some(match layout {
            Layout::Leaf(shape) => Value::Data(self.interface.part(&self.inputs.uniforms, part, *shape)?),
            Layout::Struct(members) => {
                Value::Many(members.iter().map(|(_, member)| next(member)).collect::<Option<_>>()?)
            }
            Layout::Array(element, count) => {
                Value::Many((0..*count).map(|_| next(element)).collect::<Option<_>>()?)
            }
        })
    }

    fn zero(&self, ty: Handle<naga::Type>) -> Option<Value> {
        fn of(layout: &Layout) -> Value {
            match layout {
                Layout::Leaf(shape) => Value::Data(Data::splat(*shape, 0)),
                Layout::Struct(members) => {
                    Value::Many(members.iter().map(|(_, member)| of(member)).collect())
                }
                Layout::Array(element, count) => Value::Many(vec![of(element); *count]),
            }
        }
        uniforms::layout(&self.source.module, ty).ok().map(|layout| of(&layout))
    }

    fn arguments(&self, entry: &EntryPoint) -> Option<Vec<Value>> {
        let module = &self.source.module;
        let argument = |argument: &naga::FunctionArgument| {
            let inner = &module.types[argument.ty].inner;
            match (inner, &argument.binding) {
                (TypeInner::Struct { members, .. }, None) => {
                    let member = |member: &naga::StructMember| {
                        self.attribute(member.binding.as_ref()?, &module.types[member.ty].inner)
                    };
                    Some(Value::Many(members.iter().map(member).collect::<Option<_>>()?))
                }
                (inner, binding) => self.attribute(binding.as_ref()?, inner),
            }
        };
        entry.function.arguments.iter().map(argument).collect()
    }

    fn attribute(&self, binding: &naga::Binding, inner: &TypeInner) -> Option<Value> {
        let naga::Binding::Location { location, .. } = binding else { return None };
        let shape = Shape::of(inner)?;
        let attribute = self.interface.attributes.iter().find(|one| u32::from(one.register) == *location)?;
        let factor = if attribute.is_scaled { 1.0 / 255.0 } else { 1.0 };
        let all = self.inputs.attributes.get(*location as usize)?;
        let floats = all.map(|lane| (lane * factor).to_bits());
        let data = Data::new(shape.with(Scalar::Float), floats[..usize::from(shape.rows)].to_vec());
        Some(Value::Data(math::convert(&data, shape.scalar)?))
    }

    fn call(&mut self, function: &'a Function, arguments: Vec<Value>) -> Option<Option<Value>> {
        if self.frames.len() > CALLS {
            return None;
        }
        let scope = self.variables.len();
        let values = vec![None; function.expressions.len()];
        let frame =
            Frame { expressions: &function.expressions, values, arguments, locals: scope, result: None };
        self.frames.push(frame);
        for (_, local) in function.local_variables.iter() {
            let value = match local.init {
                Some(init) => self.value(init)?,
                None => self.zero(local.ty)?,
            };
            self.variables.push(value);
        }
        self.block(&function.body)?;
        self.variables.truncate(scope);
        self.frames.pop().map(|frame| frame.result)
    }

    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= STEPS).then_some(())
    }

    fn block(&mut self, block: &'a Block) -> Option<Flow> {
        for statement in block.iter() {
            self.step()?;
            match self.statement(statement)? {
                Flow::Next => {}
                left => return Some(left),
            }
        }
        Some(Flow::Next)
    }

    fn statement(&mut self, statement: &'a Statement) -> Option<Flow> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.step()?;
                    let value = self.expression(handle)?;
                    self.set(handle, value);
                }
            }
            Statement::Block(block) => return self.block(block),
            Statement::If { condition, accept, reject } => {
                let holds = self.truth(*condition)?;
                return self.block(if holds { accept } else { reject });
            }
            Statement::Switch { selector, cases } => return self.switch(*selector, cases),
            Statement::Loop { body, continuing, break_if } => {
                return self.repeat(body, continuing, *break_if);
            }
            Statement::Break => return Some(Flow::Break),
            Statement::Continue => return Some(Flow::Continue),
            Statement::Return { value } => {
                let value = value.map(|value| self.value(value));
                let result = match value {
                    Some(value) => Some(value?),
                    None => None,
                };
                self.frames.last_mut()?.result = result;
                return Some(Flow::Return);
            }
            Statement::Store { pointer, value } => {
                let (Value::Pointer(variable, path), value) = (self.value(*pointer)?, self.value(*value)?)
                else {
                    return None;
                };
                store(self.variables.get_mut(variable)?, &path, value)?;
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|&arg| self.value(arg)).collect::<Option<Vec<_>>>()?;
                let source = self.source;
                let value = self.call(&source.module.functions[*function], arguments)?;
                if let (Some(handle), Some(value)) = (result, value) {
                    self.set(*handle, value);
                }
            }
            _other => return None,
        }
        Some(Flow::Next)
    }

    fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Option<Flow> {
        loop {
            self.step()?;
            match self.block(body)? {
                Flow::Break => return Some(Flow::Next),
                Flow::Return => return Some(Flow::Return),
                Flow::Next | Flow::Continue => {}
            }
            self.block(continuing)?;
            if let Some(condition) = break_if
                && self.truth(condition)?
            {
                return Some(Flow::Next);
            }
        }
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [naga::SwitchCase]) -> Option<Flow> {
        let Value::Data(selector) = self.value(selector)? else { return None };
        let bits = *selector.lanes.first()?;
        let is_it = |case: &naga::SwitchCase| match case.value {
            SwitchValue::I32(value) => value.cast_unsigned() == bits,
            SwitchValue::U32(value) => value == bits,
            SwitchValue::Default => false,
        };
        let is_default = |case: &naga::SwitchCase| case.value == SwitchValue::Default;
        let Some(first) = cases.iter().position(is_it).or_else(|| cases.iter().position(is_default)) else {
            return Some(Flow::Next);
        };
        for case in &cases[first..] {
            match self.block(&case.body)? {
                Flow::Break => return Some(Flow::Next),
                Flow::Next => {}
                left => return Some(left),
            }
            if !case.fall_through {
                break;
            }
        }
        Some(Flow::Next)
    }

    fn set(&mut self, handle: Handle<Expression>, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.values[handle.index()] = Some(value);
        }
    }

    fn value(&mut self, handle: Handle<Expression>) -> Option<Value> {
        match &self.frames.last()?.values[handle.index()] {
            Some(value) => Some(value.clone()),
            None => self.expression(handle),
        }
    }

    fn data(&mut self, handle: Handle<Expression>) -> Option<Data> {
        match self.value(handle)? {
            Value::Data(data) => Some(data),
            Value::Many(_) | Value::Pointer(..) => None,
        }
    }

    fn truth(&mut self, handle: Handle<Expression>) -> Option<bool> {
        self.data(handle)?.truth()
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Option<Value> {
        let frame = self.frames.last()?;
        let expressions = frame.expressions;
        Some(Value::Data(match &expressions[handle] {
            Expression::Literal(literal) => literal_data(*literal)?,
            Expression::Constant(constant) => {
                let init = self.source.module.constants[*constant].init;
                return self.constants.get(init.index())?.clone();
            }
            Expression::Override(handle) => return self.overridden(*handle),
            Expression::ZeroValue(ty) => return self.zero(*ty),
            Expression::Compose { ty, components } => return self.compose(*ty, components),
            Expression::Access { base, index } => {
                let index = usize::try_from(self.data(*index)?.whole()?).ok()?;
                let base = self.value(*base)?;
                return element(base, index);
            }
            Expression::AccessIndex { base, index } => {
                let base = self.value(*base)?;
                return element(base, *index as usize);
            }
            Expression::Splat { size, value } => {
                let data = self.data(*value)?;
                Data::splat(Shape::vector(data.shape.scalar, *size as u8), data.lanes[0])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let data = self.data(*vector)?;
                let lanes = pattern[..*size as usize].iter().map(|&component| component as usize);
                data.pick(Shape::vector(data.shape.scalar, *size as u8), lanes)
            }
            Expression::FunctionArgument(index) => return frame.arguments.get(*index as usize).cloned(),
            Expression::GlobalVariable(global) => {
                return Some(Value::Pointer((*self.globals.get(global.index())?)?, Vec::new()));
            }
            Expression::LocalVariable(local) => {
                return Some(Value::Pointer(frame.locals + local.index(), Vec::new()));
            }
            Expression::Load { pointer } => {
                let Value::Pointer(variable, path) = self.value(*pointer)? else { return None };
                let value = self.variables.get(variable)?.clone();
                return path.into_iter().try_fold(value, element);
            }
            other => {
                let value = self.operator(other)?;
                return Some(self.rounded(value));
            }
        }))
    }

    /// A value as other roundings may leave it.
    fn rounded(&mut self, value: Value) -> Value {
        match (&mut self.rounding, value) {
            (Some(random), Value::Data(mut data)) if data.shape.scalar == Scalar::Float => {
                for lane in &mut data.lanes {
                    let factor = 1.0 + (random.unit() - 0.5) * 4.0 * f32::EPSILON;
                    *lane = (f32::from_bits(*lane) * factor).to_bits();
                }
                Value::Data(data)
            }
            (_, value) => value,
        }
    }

    /// Expressions that compute.
    fn operator(&mut self, expression: &Expression) -> Option<Value> {
        Some(Value::Data(match expression {
            Expression::Unary { op, expr } => math::unary(*op, &self.data(*expr)?)?,
            Expression::Binary { op, left, right } => {
                math::binary(*op, &self.data(*left)?, &self.data(*right)?)?
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.data(*condition)?;
                let (accept, reject) = (self.value(*accept)?, self.value(*reject)?);
                let (Value::Data(accept), Value::Data(reject)) = (&accept, &reject) else {
                    return Some(if condition.truth()? { accept } else { reject });
                };
                math::select(&condition, accept, reject)
            }
            Expression::Relational { fun, argument } => math::relational(*fun, &self.data(*argument)?)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let handles = [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten();
                let args = handles.map(|handle| self.data(handle)).collect::<Option<Vec<Data>>>()?;
                math::math(*fun, &args.iter().collect::<Vec<_>>())?
            }
            Expression::As { expr, kind, convert } => {
                let scalar = Scalar::of(naga::Scalar { kind: *kind, width: convert.unwrap_or(4) })?;
                let data = self.data(*expr)?;
                if convert.is_none() && !keeps_bits(data.shape.scalar, scalar) {
                    return None;
                }
                math::convert(&data, scalar)?
            }
            _other => return None,
        }))
    }

    fn compose(&mut self, ty: Handle<naga::Type>, components: &[Handle<Expression>]) -> Option<Value> {
        let values = components.iter().map(|&handle| self.value(handle)).collect::<Option<Vec<_>>>()?;
        let Some(shape) = Shape::of(&self.source.module.types[ty].inner) else {
            return Some(Value::Many(values));
        };
        let mut lanes = Vec::with_capacity(shape.lanes());
        for value in values {
            let Value::Data(data) = value else { return None };
            lanes.extend(data.lanes);
        }
        Some(Value::Data(Data::new(shape, lanes)))
    }

    fn overridden(&self, handle: Handle<naga::Override>) -> Option<Value> {
        let constant = &self.source.module.overrides[handle];
        let name = constant.name.as_deref()?;
        let named = self.interface.uniforms.iter().position(|uniform| uniform.name == name);
        if let Some(uniform) = named {
            let shape = Shape::scalar(Scalar::Bool);
            let data = self.interface.part(&self.inputs.uniforms, Part { uniform, offset: 0 }, shape)?;
            return Some(Value::Data(data));
        }
        self.constants.get(constant.init?.index())?.clone()
    }
}

fn literal_data(literal: Literal) -> Option<Data> {
    Some(match literal {
        Literal::F32(value) => Data::float(value),
        Literal::I32(value) => Data::int(value),
        Literal::U32(value) => Data::new(Shape::scalar(Scalar::Uint), vec![value]),
        Literal::Bool(value) => Data::bool(value),
        _other => return None,
    })
}

/// An element of a value, or a pointer to it.
fn element(value: Value, index: usize) -> Option<Value> {
    match value {
        Value::Many(elements) => elements.into_iter().nth(index),
        Value::Pointer(variable, mut path) => {
            path.push(index);
            Some(Value::Pointer(variable, path))
        }
        Value::Data(data) => {
            let count = data.shape.element().lanes();
            (index < data.shape.elements())
                .then(|| Value::Data(data.pick(data.shape.element(), index * count..(index + 1) * count)))
        }
    }
}

fn store(mut target: &mut Value, mut path: &[usize], value: Value) -> Option<()> {
    while let (Some((&index, rest)), Value::Many(_)) = (path.split_first(), &*target) {
        let Value::Many(elements) = target else { return None };
        target = elements.get_mut(index)?;
        path = rest;
    }
    let (false, Value::Data(data)) = (path.is_empty(), &mut *target) else {
        *target = value;
        return Some(());
    };
    let Value::Data(new) = value else { return None };
    let (mut start, mut shape) = (0, data.shape);
    for index in path {
        start += index * shape.element().lanes();
        shape = shape.element();
    }
    data.lanes.get_mut(start..start + new.lanes.len())?.copy_from_slice(&new.lanes);
    Some(())
}
