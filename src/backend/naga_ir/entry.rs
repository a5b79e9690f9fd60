//! The entry point around the main function: attributes and outputs, or the buffers of the compute form.
//! In: the main function and the [`Interface`]. Out: `naga::EntryPoint`. Knows no operations.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Handle, ScalarKind, ShaderStage, Span, Statement, TypeInner,
};

use super::broken;
use super::control::Scope;
use super::function::{Builder, Expr, Shared};
use super::types::{array, insert, storage, value_type};
use crate::error::Result;
use crate::host::kernel::bindings;
use crate::host::{AttributeKind, Interface, Location, Options, Output, Profile};
use crate::ir::{Exit, Func, Item, Kind, Op, Region, Type, Value};

/// Name of the entry point.
pub const ENTRY_POINT: &str = "main";
/// Invocations of a workgroup of the compute form.
pub(super) const WORKGROUP: u32 = 64;
/// Vectors of one vertex in the buffers of the compute form.
const REGISTERS: u16 = 16;

/// The vertex form: an argument for each attribute, a struct of outputs.
pub(super) fn vertex(
    shared: &mut Shared,
    main: &Func,
    interface: &Interface,
    options: &Options,
    profile: &Profile,
) -> Result<naga::EntryPoint> {
    let result = output_struct(&mut shared.module, &interface.outputs, profile)?;
    value_type(&mut shared.module, Type::F32X4);
    let mut builder = Builder::new(shared, main);
    let kind = |register: u8| options.attributes[usize::from(register & 15)].kind;
    for attribute in &interface.attributes {
        builder.attribute(attribute.register, attribute.name.clone(), kind(attribute.register));
    }
    // An attribute that the interface does not name is one all the same.
    let used = used_inputs(main);
    for &register in &used {
        if builder.inputs[usize::from(register)].is_none() {
            builder.attribute(register, format!("v{register}_unbound"), kind(register));
        }
    }
    for register in used {
        builder.convert_attribute(register, kind(register));
    }
    builder.out.result = Some(naga::FunctionResult { ty: result, binding: None });
    let value = match builder.body()? {
        Some(outputs) => builder.outputs(&outputs, interface, result)?,
        None => builder.outside(Expression::ZeroValue(result)),
    };
    builder.used(value);
    builder.push(Statement::Return { value: Some(value) });
    Ok(entry_point(ShaderStage::Vertex, [0; 3], builder.finish()))
}

pub(super) fn entry_point(
    stage: ShaderStage,
    workgroup_size: [u32; 3],
    function: naga::Function,
) -> naga::EntryPoint {
    naga::EntryPoint {
        name: ENTRY_POINT.to_owned(),
        stage,
        early_depth_test: None,
        workgroup_size,
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    }
}

fn location(location: u32, interpolation: Option<naga::Interpolation>) -> Binding {
    // wgpu compares both with what the fragment stage asks for, and WGSL text asks for the centre.
    let sampling = interpolation.map(|_| naga::Sampling::Center);
    Binding::Location { location, interpolation, sampling, blend_src: None, per_primitive: false }
}

/// The struct that the vertex form returns; with a position in any case, since WGSL asks for one.
fn output_struct(
    module: &mut naga::Module,
    outputs: &[Output],
    profile: &Profile,
) -> Result<Handle<naga::Type>> {
    let position = Binding::BuiltIn(BuiltIn::Position { invariant: profile.invariant_position });
    let mut members = Vec::with_capacity(outputs.len() + 1);
    let mut end = 0u32;
    let mut add = |name: &str, lanes: u8, aligned: u8, ty, binding| {
        let align = [4, 4, 8, 16, 16][usize::from(aligned)];
        let offset = end.next_multiple_of(align);
        end = offset + u32::from(lanes) * 4;
        members.push(naga::StructMember { name: Some(name.to_owned()), ty, binding: Some(binding), offset });
    };
    for output in outputs {
        let lanes = lanes(output)?;
        let ty = value_type(module, Type::new(Kind::F32, lanes));
        match output.location {
            Location::Position => add(&output.name, lanes, lanes, ty, position.clone()),
            Location::ClipDistances => {
                let ty = clip_array(module);
                add(&output.name, lanes, 1, ty, Binding::BuiltIn(BuiltIn::ClipDistances));
            }
            Location::Varying(index) => {
                let binding = location(index, Some(naga::Interpolation::Perspective));
                add(&output.name, lanes, lanes, ty, binding);
            }
        }
    }
    if !has_position(outputs) {
        let ty = value_type(module, Type::F32X4);
        add("position", 4, 4, ty, position);
    }
    let span = end.next_multiple_of(16);
    let inner = TypeInner::Struct { members, span };
    Ok(module.types.insert(naga::Type { name: Some("VertexOutput".into()), inner }, Span::UNDEFINED))
}

/// The array of the clip distance built-in, and so one that has no alignment of a vector.
fn clip_array(module: &mut naga::Module) -> Handle<naga::Type> {
    let base = value_type(module, Type::F32);
    array(module, base, Some(2), 4)
}

fn has_position(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| output.location == Location::Position)
}

/// Number of components of an output.
fn lanes(output: &Output) -> Result<u8> {
    match output.lanes() {
        1 => Ok(1),
        2 => Ok(2),
        3 => Ok(3),
        4 => Ok(4),
        other => Err(broken(format!("output {} has {other} components", output.name))),
    }
}

impl Builder<'_, '_> {
    /// Adds an argument for an attribute.
    fn attribute(&mut self, register: u8, name: String, kind: AttributeKind) {
        let kind = match kind {
            AttributeKind::Float => Kind::F32,
            AttributeKind::Int => Kind::I32,
            AttributeKind::Uint => Kind::U32,
        };
        let ty = value_type(&mut self.shared.module, Type::new(kind, 4));
        let index = u32::try_from(self.out.arguments.len()).unwrap_or(u32::MAX);
        let binding = Some(location(u32::from(register), None));
        self.out.arguments.push(naga::FunctionArgument { name: Some(name), ty, binding });
        let expr = self.outside(Expression::FunctionArgument(index));
        if let Some(input) = self.inputs.get_mut(usize::from(register)) {
            *input = Some(expr);
        }
    }

    /// Converts an attribute of integers.
    fn convert_attribute(&mut self, register: u8, kind: AttributeKind) {
        let input = self.inputs.get(usize::from(register)).copied().flatten();
        if let (Some(expr), AttributeKind::Int | AttributeKind::Uint) = (input, kind) {
            let floats = self.emit(Expression::As { expr, kind: ScalarKind::Float, convert: Some(4) });
            self.inputs[usize::from(register)] = Some(floats);
        }
    }

    /// The statements of the function and the values it yields; nothing where it never ends.
    pub(super) fn body(&mut self) -> Result<Option<Vec<Value>>> {
        let ir = self.ir;
        let region: Region = ir.body.ok_or_else(|| broken("a function has no body".to_owned()))?;
        self.region(region, Scope::FUNCTION)?;
        match ir.regions.get(region).map(|data| data.exit) {
            Some(Exit::Yield(values)) => Ok(Some(ir.get(values).to_vec())),
            Some(Exit::Unreachable) => Ok(None),
            Some(Exit::Break(_) | Exit::Continue(_)) | None => {
                Err(broken("a function ends in a jump".to_owned()))
            }
        }
    }

    /// The struct of the outputs.
    fn outputs(&mut self, values: &[Value], interface: &Interface, ty: Handle<naga::Type>) -> Result<Expr> {
        if values.len() != interface.outputs.len() {
            return Err(broken(format!("{} outputs for {}", values.len(), interface.outputs.len())));
        }
        let mut components = Vec::with_capacity(values.len() + 1);
        for (&value, output) in values.iter().zip(&interface.outputs) {
            let expr = self.operand(value)?;
            self.name_output(expr, &output.name);
            components.push(match output.location {
                Location::Position | Location::Varying(_) => expr,
                Location::ClipDistances => self.clip_distances(expr),
            });
        }
        if !has_position(&interface.outputs) {
            let (zero, one) = (self.literal(Kind::F32, 0), self.literal(Kind::F32, 1f32.to_bits()));
            let ty = value_type(&mut self.shared.module, Type::F32X4);
            components.push(self.emit(Expression::Compose { ty, components: vec![zero, zero, zero, one] }));
        }
        Ok(self.emit(Expression::Compose { ty, components }))
    }

    /// The two lanes of a vector as an array.
    fn clip_distances(&mut self, base: Expr) -> Expr {
        let ty = clip_array(&mut self.shared.module);
        let components = [0, 1].map(|index| self.emit(Expression::AccessIndex { base, index })).to_vec();
        self.emit(Expression::Compose { ty, components })
    }

    fn name_output(&mut self, expr: Expr, name: &str) {
        let simple = matches!(
            self.out.expressions[expr],
            Expression::Load { .. } | Expression::AccessIndex { .. } | Expression::Swizzle { .. }
        );
        if !simple {
            self.name(expr, format!("out_{name}"));
        }
    }
}

/// The compute form: invocation n reads `inputs[n]` and writes `outputs[n]`.
pub(super) fn compute(
    shared: &mut Shared,
    main: &Func,
    interface: &Interface,
    options: &Options,
) -> Result<naga::EntryPoint> {
    let vectors = REGISTERS + u16::from(options.reports());
    let (read, written) = buffers(&mut shared.module, vectors);
    let mut builder = Builder::new(shared, main);
    let id = invocation_id(&mut builder);
    let read = builder.outside(Expression::GlobalVariable(read));
    let written = builder.outside(Expression::GlobalVariable(written));
    let index = builder.emit(Expression::AccessIndex { base: id, index: 0 });
    builder.guard(written, index);
    if options.reports() {
        let thread = builder.emit(Expression::As { expr: index, kind: ScalarKind::Sint, convert: Some(4) });
        builder.name(thread, "thread".to_owned());
        builder.thread = Some(thread);
    }
    builder.read_inputs(read, index, interface);
    let Some(outputs) = builder.body()? else {
        return Ok(entry_point(ShaderStage::Compute, [WORKGROUP, 1, 1], builder.finish()));
    };
    if outputs.len() != usize::from(vectors) {
        return Err(broken(format!("{} outputs instead of {vectors}", outputs.len())));
    }
    let target = builder.emit(Expression::Access { base: written, index });
    for (index, &value) in (0..).zip(&outputs) {
        let value = builder.operand(value)?;
        let pointer = builder.emit(Expression::AccessIndex { base: target, index });
        builder.used(pointer);
        builder.used(value);
        builder.push(Statement::Store { pointer, value });
    }
    Ok(entry_point(ShaderStage::Compute, [WORKGROUP, 1, 1], builder.finish()))
}

/// Adds the argument that is the invocation.
pub(super) fn invocation_id(builder: &mut Builder<'_, '_>) -> Expr {
    let vector = TypeInner::Vector { size: naga::VectorSize::Tri, scalar: naga::Scalar::U32 };
    let ty = insert(&mut builder.shared.module, vector);
    builder.out.arguments.push(naga::FunctionArgument {
        name: Some("id".into()),
        ty,
        binding: Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)),
    });
    builder.outside(Expression::FunctionArgument(0))
}

/// Ends invocations from a number on.
pub(super) fn return_from(builder: &mut Builder<'_, '_>, index: Expr, end: Expr) {
    let beyond = Expression::Binary { op: BinaryOperator::GreaterEqual, left: index, right: end };
    let condition = builder.emit(beyond);
    builder.used(condition);
    builder.begin();
    builder.push(Statement::Return { value: None });
    let accept = builder.end();
    builder.push(Statement::If { condition, accept, reject: naga::Block::new() });
}

/// The storage buffers of the compute form: sixteen vectors for each vertex are read, so many written.
fn buffers(
    module: &mut naga::Module,
    written: u16,
) -> (Handle<naga::GlobalVariable>, Handle<naga::GlobalVariable>) {
    let vector = value_type(module, Type::F32X4);
    let vertices = |module: &mut naga::Module, vectors: u16| {
        let vertex = array(module, vector, Some(vectors), 16);
        array(module, vertex, None, 16 * u32::from(vectors))
    };
    let (inputs, outputs) = (vertices(module, REGISTERS), vertices(module, written));
    let load = naga::StorageAccess::LOAD;
    let read = storage(module, "inputs", bindings::INPUTS, load, inputs);
    (read, storage(module, "outputs", bindings::OUTPUTS, load | naga::StorageAccess::STORE, outputs))
}

impl Builder<'_, '_> {
    /// Ends invocations beyond the output buffer.
    fn guard(&mut self, written: Expr, index: Expr) {
        let length = self.emit(Expression::ArrayLength(written));
        return_from(self, index, length);
    }

    /// Loads the inputs that the function reads.
    fn read_inputs(&mut self, read: Expr, index: Expr, interface: &Interface) {
        for register in used_inputs(self.ir) {
            let vertex = self.emit(Expression::Access { base: read, index });
            let pointer = self.emit(Expression::AccessIndex { base: vertex, index: u32::from(register) });
            let load = self.emit(Expression::Load { pointer });
            let attribute = interface.attributes.iter().find(|attribute| attribute.register == register);
            self.name(
                load,
                attribute.map_or_else(|| format!("v{register}"), |attribute| attribute.name.clone()),
            );
            self.inputs[usize::from(register)] = Some(load);
        }
    }
}

/// The inputs that a function reads, ascending.
fn used_inputs(func: &Func) -> Vec<u8> {
    let mut found = [false; REGISTERS as usize];
    for region in func.regions.values() {
        for item in &region.items {
            let Item::Let(value) = *item else { continue };
            if let Some(Op::Input(register)) = func.op(value)
                && let Some(place) = found.get_mut(usize::from(register))
            {
                *place = true;
            }
        }
    }
    (0..).zip(found).filter(|&(_, found)| found).map(|(register, _)| register).collect()
}
