//! The source itself on the CPU: what a lowered program is compared with.
//! In: a validated module, attributes, and values of the uniforms. Out: the outputs that an
//! interface lists, as the console takes them. f32, each operation rounded. Shares the operations
//! on constants with the lowering, and nothing else of it. Recursion follows nesting, which is
//! limited.
//!
//! 128 vertices take each statement together, so that it is looked up once. Where they part, those
//! of one way wait for the others: a statement is for a set of vertices.

use std::rc::Rc;

use naga::{
    AddressSpace, Arena, Block, EntryPoint, Expression, Function, Handle, Statement, SwitchValue, TypeInner,
};
use transpica::container::Semantic;
use transpica_inspect::values::Random;

use super::data::{Data, LaneList, Scalar, Shape};
use super::expressions::keeps_bits;
use super::host::Part;
use super::interface::{Interface, Layout, Output, UniformValues};
use super::lanes::{Lanes, Set, VERTICES};
use super::variables::{Index, Value, literal_data};
use super::{Depth, Options, Source, math, quaternion, uniforms};

/// Statements and expressions of vertices that are computed together.
const STEPS: usize = 1 << 20;
/// The same of a loop. Vertices that it keeps longer have no values.
const LOOP_STEPS: usize = STEPS / 2;
/// Calls inside each other.
const CALLS: usize = 64;

/// Inputs of a vertex.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// v0 to v15 as floats.
    pub attributes: [[f32; 4]; 16],
    /// Declared uniforms, as the interface lists them.
    pub uniforms: Rc<UniformValues>,
    /// Seed of other roundings of operations, by up to two units in the last place.
    pub rounding: Option<u64>,
}

struct Frame<'a> {
    expressions: &'a Arena<Expression>,
    values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    /// Index of its first variable.
    locals: usize,
    result: Option<Value>,
}

impl<'a> Frame<'a> {
    fn new(expressions: &'a Arena<Expression>, arguments: Vec<Value>, locals: usize) -> Self {
        Self { expressions, values: vec![None; expressions.len()], arguments, locals, result: None }
    }
}

struct Machine<'a> {
    source: &'a Source,
    interface: &'a Interface,
    /// Those of so many vertices each.
    uniforms: Vec<(&'a UniformValues, usize)>,
    variables: Vec<Value>,
    /// Variables of globals, by index.
    globals: Vec<Option<usize>>,
    constants: Vec<Option<Value>>,
    frames: Vec<Frame<'a>>,
    steps: usize,
    /// The vertices that round in other ways.
    rounds: Set,
    roundings: Vec<Option<Random>>,
    /// The vertices that the next statement is for.
    active: Set,
    /// Those that left the innermost loop or switch.
    left: Set,
    /// Those that wait for the next round of the innermost loop.
    waiting: Set,
    /// Those without a value.
    failed: Set,
}

/// The outputs of a vertex, in the order of the interface; `None` where the source is outside of
/// the subset, or takes too many steps.
pub type Outputs = Option<Vec<LaneList<f32>>>;

/// Computes the outputs of any number of vertices, 128 side by side.
pub fn evaluate(
    source: &Source,
    options: &Options,
    interface: &Interface,
    inputs: &[Inputs],
) -> Vec<Outputs> {
    let mut all = Vec::with_capacity(inputs.len());
    for inputs in inputs.chunks(VERTICES) {
        let computed = together(source, options, interface, inputs);
        all.extend(computed.unwrap_or_else(|| vec![None; inputs.len()]));
    }
    all
}

/// Computes the outputs of at most 128 vertices.
fn together(
    source: &Source,
    options: &Options,
    interface: &Interface,
    inputs: &[Inputs],
) -> Option<Vec<Outputs>> {
    let entry = source.entry(options.entry.as_deref()).ok()?;
    let runs = inputs.chunk_by(|a, b| Rc::ptr_eq(&a.uniforms, &b.uniforms));
    let rounds = inputs.iter().rev().fold(0, |set, one| set << 1 | Set::from(one.rounding.is_some()));
    let mut machine = Machine {
        source,
        interface,
        uniforms: runs.map(|same| (&*same[0].uniforms, same.len())).collect(),
        variables: Vec::new(),
        globals: Vec::new(),
        constants: Vec::new(),
        frames: Vec::new(),
        steps: 0,
        rounds,
        roundings: inputs.iter().map(|one| Some(Random::new(one.rounding?, "roundings"))).collect(),
        // Lanes beyond the last vertex repeat it.
        active: Set::MAX,
        left: 0,
        waiting: 0,
        failed: 0,
    };
    machine.begin();
    let arguments = machine.arguments(entry, inputs)?;
    let result = machine.call(&entry.function, arguments)?;
    let lanes = |member: usize, vertex: usize| {
        let value = match result.as_ref()? {
            Value::Many(members) => members.get(member)?,
            value => value,
        };
        let Value::Data(data) = value else { return None };
        Some(data.lanes.iter().map(|lanes| f32::from_bits(lanes.get(vertex))).collect::<LaneList<f32>>())
    };
    let outputs = |vertex: usize| {
        if machine.failed >> vertex & 1 != 0 {
            return None;
        }
        let output = |output: &Output| {
            let tangent = output.tangent.and_then(|member| lanes(member, vertex));
            console(output.semantic, lanes(output.member, vertex)?, tangent, options.depth)
        };
        interface.outputs.iter().map(output).collect()
    };
    Some((0..inputs.len()).map(outputs).collect())
}

/// An output as the console takes it.
pub fn console(
    semantic: Semantic,
    mut lanes: LaneList<f32>,
    tangent: Option<LaneList<f32>>,
    depth: Depth,
) -> Option<LaneList<f32>> {
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
    fn begin(&mut self) {
        let module = &self.source.module;
        self.frames.push(Frame::new(&module.global_expressions, Vec::new(), 0));
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
        Value::many(members.iter().map(member))
    }

    /// The value of a part of them.
    fn part(&self, layout: &Layout, part: Part) -> Option<Value> {
        let mut offset = part.offset;
        let mut next = |layout: &Layout| {
            let value = self.part(layout, Part { offset, ..part });
            offset += layout.registers();
            value
        };
        Some(match layout {
            Layout::Leaf(shape) => Value::Data(self.interface.parts(&self.uniforms, part, *shape)?),
            Layout::Struct(members) => Value::many(members.iter().map(|(_, member)| next(member)))?,
            Layout::Array(element, count) => Value::many((0..*count).map(|_| next(element)))?,
        })
    }

    fn zero(&self, ty: Handle<naga::Type>) -> Option<Value> {
        uniforms::layout(&self.source.module, ty).ok().map(|layout| Value::zero(&layout))
    }

    fn arguments(&self, entry: &EntryPoint, inputs: &[Inputs]) -> Option<Vec<Value>> {
        let module = &self.source.module;
        let argument = |argument: &naga::FunctionArgument| {
            let inner = &module.types[argument.ty].inner;
            match (inner, &argument.binding) {
                (TypeInner::Struct { members, .. }, None) => {
                    let member = |member: &naga::StructMember| {
                        self.attribute(inputs, member.binding.as_ref()?, &module.types[member.ty].inner)
                    };
                    Value::many(members.iter().map(member))
                }
                (inner, binding) => self.attribute(inputs, binding.as_ref()?, inner),
            }
        };
        entry.function.arguments.iter().map(argument).collect()
    }

    fn attribute(&self, inputs: &[Inputs], binding: &naga::Binding, inner: &TypeInner) -> Option<Value> {
        let naga::Binding::Location { location, .. } = binding else { return None };
        let shape = Shape::of(inner)?;
        let attribute = self.interface.attributes.iter().find(|one| u32::from(one.register) == *location)?;
        let factor = if attribute.is_scaled { 1.0 / 255.0 } else { 1.0 };
        let register = usize::from(attribute.register & 15);
        let bits = |lane: usize, vertex: usize| {
            let inputs = inputs.get(vertex).or(inputs.last());
            inputs.map_or(0, |inputs| (inputs.attributes[register][lane] * factor).to_bits())
        };
        let lanes = (0..usize::from(shape.rows)).map(|lane| Lanes::from_fn(|vertex| bits(lane, vertex)));
        let data = Data::new(shape.with(Scalar::Float), lanes.collect());
        Some(Value::Data(math::convert(&data, shape.scalar)?))
    }

    fn call(&mut self, function: &'a Function, arguments: Vec<Value>) -> Option<Option<Value>> {
        if self.frames.len() > CALLS {
            return None;
        }
        let (scope, depth, before) = (self.variables.len(), self.frames.len(), self.active);
        self.frames.push(Frame::new(&function.expressions, arguments, scope));
        let locals = function.local_variables.iter();
        let is_ready = locals.map(|(_, local)| self.local(local)).all(|local| local.is_some());
        if is_ready {
            self.block(&function.body);
        }
        self.variables.truncate(scope);
        let result = self.frames.drain(depth..).next()?.result;
        self.active = before & !self.failed;
        is_ready.then_some(result)
    }

    fn local(&mut self, local: &naga::LocalVariable) -> Option<()> {
        let value = match local.init {
            Some(init) => self.value(init)?,
            None => self.zero(local.ty)?,
        };
        self.variables.push(value);
        Some(())
    }

    /// Notes that some of the active vertices have no values.
    fn fail(&mut self, vertices: Set) {
        self.failed |= vertices & self.active;
        self.active &= !vertices;
    }

    /// Executes statements as long as vertices are active.
    fn block(&mut self, block: &'a Block) {
        for statement in block.iter() {
            if self.active == 0 {
                return;
            }
            self.steps += 1;
            if self.steps > STEPS || self.statement(statement).is_none() {
                self.fail(Set::MAX);
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement) -> Option<()> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.steps += 1;
                    let value = self.expression(handle)?;
                    self.set(handle, value);
                }
            }
            Statement::Block(block) => self.block(block),
            Statement::If { condition, accept, reject } => {
                let holds = self.truth(*condition)?;
                let before = self.active;
                self.active = before & holds;
                self.block(accept);
                let after = std::mem::replace(&mut self.active, before & !holds);
                self.block(reject);
                self.active |= after;
            }
            Statement::Switch { selector, cases } => return self.switch(*selector, cases),
            Statement::Loop { body, continuing, break_if } => self.repeat(body, continuing, *break_if),
            Statement::Break => self.left |= std::mem::take(&mut self.active),
            Statement::Continue => self.waiting |= std::mem::take(&mut self.active),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.value(*value)?;
                    let vertices = self.active;
                    match &mut self.frames.last_mut()?.result {
                        Some(result) => result.replace(&value, vertices),
                        result => *result = Some(value),
                    }
                }
                self.active = 0;
            }
            Statement::Store { pointer, value } => {
                let (Value::Pointer(variable, path), value) = (self.value(*pointer)?, self.value(*value)?)
                else {
                    return None;
                };
                let stored = self.variables.get_mut(variable)?.store(&path, &value, self.active);
                self.fail(!stored);
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
        Some(())
    }

    fn repeat(&mut self, body: &'a Block, continuing: &'a Block, break_if: Option<Handle<Expression>>) {
        let around = (std::mem::take(&mut self.left), std::mem::take(&mut self.waiting));
        let start = self.steps;
        while self.active != 0 {
            self.steps += 1;
            if self.steps - start > LOOP_STEPS {
                self.fail(Set::MAX);
                // Others did not take them.
                self.steps = start;
            }
            self.block(body);
            self.active |= std::mem::take(&mut self.waiting);
            self.block(continuing);
            if let Some(condition) = break_if.filter(|_| self.active != 0) {
                match self.truth(condition) {
                    Some(ends) => {
                        self.left |= self.active & ends;
                        self.active &= !ends;
                    }
                    None => self.fail(Set::MAX),
                }
            }
        }
        self.active = self.left;
        (self.left, self.waiting) = around;
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [naga::SwitchCase]) -> Option<()> {
        let selector = self.data(selector)?;
        let bits = selector.lanes.first()?;
        let around = std::mem::take(&mut self.left);
        let mut open = self.active;
        let own = |case: &naga::SwitchCase| match case.value {
            SwitchValue::I32(value) => bits.equal(value.cast_unsigned()),
            SwitchValue::U32(value) => bits.equal(value),
            SwitchValue::Default => 0,
        };
        let mut begin: Vec<Set> = Vec::with_capacity(cases.len());
        for case in cases {
            begin.push(own(case) & open);
            open &= !own(case);
        }
        if let Some(default) = cases.iter().position(|case| case.value == SwitchValue::Default) {
            begin[default] |= std::mem::take(&mut open);
        }
        // Those that go on behind it, and those that fall through.
        self.active = 0;
        for (case, begin) in cases.iter().zip(begin) {
            self.active |= begin;
            self.block(&case.body);
            if !case.fall_through {
                open |= std::mem::take(&mut self.active);
            }
        }
        self.active |= open | std::mem::replace(&mut self.left, around);
        Some(())
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

    fn data(&mut self, handle: Handle<Expression>) -> Option<Data<Lanes>> {
        if let Value::Data(data) = self.value(handle)? { Some(data) } else { None }
    }

    /// The vertices for which a condition holds.
    fn truth(&mut self, handle: Handle<Expression>) -> Option<Set> {
        let data = self.data(handle)?;
        (data.shape == Shape::scalar(Scalar::Bool)).then(|| data.lanes[0].set())
    }

    /// An element of a value. Vertices whose index is outside have none.
    fn element(&mut self, value: &Value, index: &Index) -> Option<Value> {
        let (element, outside) = value.element(index)?;
        self.fail(outside);
        Some(element)
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
                let index = self.data(*index)?;
                if !matches!(index.shape, Shape { scalar: Scalar::Int | Scalar::Uint, columns: 1, rows: 1 }) {
                    return None;
                }
                let index = match index.lanes[0].common() {
                    Some(same) => Index::Fixed(same as usize),
                    None => Index::Lanes(index.lanes[0].clone()),
                };
                let base = self.value(*base)?;
                return self.element(&base, &index);
            }
            Expression::AccessIndex { base, index } => {
                let base = self.value(*base)?;
                return self.element(&base, &Index::Fixed(*index as usize));
            }
            Expression::Splat { size, value } => {
                let data = self.data(*value)?;
                let lanes = std::iter::repeat_n(0, *size as usize);
                data.pick(Shape::vector(data.shape.scalar, *size as u8), lanes)
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
                return path.iter().try_fold(value, |value, index| self.element(&value, index));
            }
            other => {
                let value = self.operator(other)?;
                return Some(self.rounded(value));
            }
        }))
    }

    /// A value as other roundings may leave it.
    fn rounded(&mut self, mut value: Value) -> Value {
        let rounds = self.rounds & self.active;
        if let Value::Data(data) = &mut value
            && data.shape.scalar == Scalar::Float
            && rounds != 0
        {
            for lane in &mut data.lanes {
                lane.change(rounds, |vertex, bits| {
                    let random = self.roundings[vertex].as_mut();
                    let factor =
                        random.map_or(1.0, |random| 1.0 + (random.unit() - 0.5) * 4.0 * f32::EPSILON);
                    (f32::from_bits(bits) * factor).to_bits()
                });
            }
        }
        value
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
                math::select(&condition, &self.data(*accept)?, &self.data(*reject)?)?
            }
            Expression::Relational { fun, argument } => math::relational(*fun, &self.data(*argument)?)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let handles = [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten();
                let args = handles.map(|handle| self.data(handle)).collect::<Option<Vec<_>>>()?;
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
        let Some(shape) = Shape::of(&self.source.module.types[ty].inner) else {
            return Value::many(components.iter().map(|&handle| self.value(handle)));
        };
        let mut lanes = LaneList::with_capacity(shape.lanes());
        for &component in components {
            lanes.extend(self.data(component)?.lanes);
        }
        Some(Value::Data(Data::new(shape, lanes)))
    }

    fn overridden(&self, handle: Handle<naga::Override>) -> Option<Value> {
        let constant = &self.source.module.overrides[handle];
        let name = constant.name.as_deref()?;
        let named = self.interface.uniforms.iter().position(|uniform| uniform.name == name);
        if let Some(uniform) = named {
            return self.part(&Layout::Leaf(Shape::scalar(Scalar::Bool)), Part { uniform, offset: 0 });
        }
        self.constants.get(constant.init?.index())?.clone()
    }
}
