//! Uniforms: layout, reads, and the registers of what the host computes.
//! In: declarations of naga, nodes of the host that lanes need. Out: reads whose registers are
//! numbered when all are known: declared ones in their order, then derived ones.

use std::collections::{BTreeMap, BTreeSet};

use super::ir::{
    Array, Def, Func, Lane, Op, Resource, Step as WalkStep, Type, Unary, Value as IrValue, Walk,
};
use naga::{AddressSpace, ArraySize, Handle, TypeInner};

use super::data::{Data, Scalar, Shape};
use super::error::{FLOAT_UNIFORMS, Kind, Result, TEXTURES};
use super::host::{Node, NodeId, Part};
use super::interface::{Count, Derived, Flag, Layout, Uniform};
use super::lower::Lowering;
use super::names::unique;
use super::value::{Root, Step, Value};

/// Types inside each other.
const TYPES: usize = 16;
/// b15 belongs to geometry programs.
const FLAGS: usize = 15;
const COUNTS: usize = 4;
const FLOATS: usize = 96;

/// Registers that a read goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// Register of a declared uniform.
    Declared(Part),
    /// Register of a derived value.
    Derived(usize, usize),
}

#[derive(Default)]
pub(super) struct Uniforms {
    /// First uniform of a variable, and whether each member of it is one.
    variables: Vec<(usize, Layout, bool)>,
    reads: BTreeMap<Target, IrValue>,
    /// Registers that reads name by an index, until they are numbered.
    targets: Vec<Target>,
    /// Registers of derived values, and the lanes that are taken of those shared.
    shared: Vec<(usize, u8)>,
    derived_registers: usize,
}

/// Layout of a type.
pub(super) fn layout(module: &naga::Module, ty: Handle<naga::Type>) -> std::result::Result<Layout, Kind> {
    nested_layout(module, ty, TYPES)
}

fn nested_layout(
    module: &naga::Module,
    ty: Handle<naga::Type>,
    depth: usize,
) -> std::result::Result<Layout, Kind> {
    if depth == 0 {
        return Err(Kind::limit("nested types", TYPES + 1, TYPES));
    }
    let inner = &module.types[ty].inner;
    if let Some(shape) = Shape::of(inner) {
        return Ok(Layout::Leaf(shape));
    }
    match inner {
        TypeInner::Struct { members, .. } => {
            let member = |(index, member): (usize, &naga::StructMember)| {
                let name = member.name.clone().unwrap_or_else(|| format!("member{index}"));
                Ok((name, nested_layout(module, member.ty, depth - 1)?))
            };
            Ok(Layout::Struct(members.iter().enumerate().map(member).collect::<std::result::Result<_, _>>()?))
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            let element = nested_layout(module, *base, depth - 1)?;
            Ok(Layout::Array(Box::new(element), count.get() as usize))
        }
        TypeInner::Array { .. } => Err(Kind::Resource("arrays of unknown size".into())),
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::Atomic(scalar) => {
            Err(Kind::Format(format!("type {:?}{}", scalar.kind, 8 * scalar.width)))
        }
        TypeInner::Image { .. } | TypeInner::Sampler { .. } | TypeInner::BindingArray { .. } => {
            Err(Kind::Resource(TEXTURES.into()))
        }
        _other => Err(Kind::Resource("values of this type".into())),
    }
}

impl<'a> Lowering<'a> {
    /// Declares private variables and uniforms; others are errors where they are used.
    pub(super) fn declare_globals(&mut self) -> Result<()> {
        self.globals_of_module();
        let module = self.module;
        for (handle, global) in module.global_variables.iter() {
            self.span = module.global_variables.get_span(handle);
            let root = match global.space {
                AddressSpace::Private => {
                    let value = match global.init {
                        Some(init) => self.constant_of_module(init)?,
                        None => match self.zero(global.ty) {
                            Ok(value) => value,
                            // An error only where it is used.
                            Err(_) => continue,
                        },
                    };
                    Root::Variable(self.variable(value))
                }
                AddressSpace::Uniform | AddressSpace::Immediate => {
                    let layout = layout(module, global.ty).map_err(|kind| self.error(kind))?;
                    Root::Uniform(self.declare(global.name.as_deref(), layout))
                }
                _other => continue,
            };
            self.globals.insert(handle.index(), root);
        }
        Ok(())
    }

    /// Declares a variable in uniforms; members of a struct get names of their own. Blocks of GLSL
    /// may have no name.
    fn declare(&mut self, variable: Option<&str>, layout: Layout) -> usize {
        let first = self.interface.uniforms.len();
        let is_struct = matches!(layout, Layout::Struct(_));
        let name = variable.unwrap_or("uniform");
        let members = match &layout {
            Layout::Struct(members) => members.clone(),
            Layout::Leaf(_) | Layout::Array(..) => vec![(name.to_string(), layout.clone())],
        };
        for (own, layout) in members {
            let taken = |candidate: &str| self.interface.uniforms.iter().any(|one| one.name == candidate);
            let member = variable.filter(|_| is_struct).map(|variable| (variable.to_string(), own.clone()));
            let name = if taken(&own) { unique(&format!("{name}_{own}"), taken) } else { own };
            self.interface.uniforms.push(Uniform { name, member, layout, register: None });
        }
        self.uniforms.variables.push((first, layout, is_struct));
        self.uniforms.variables.len() - 1
    }

    /// Loads from a variable in uniforms.
    pub(super) fn load_uniform(&mut self, variable: usize, path: &[Step]) -> Result<Value> {
        let (mut uniform, mut layout, is_struct) = self.uniforms.variables[variable].clone();
        let mut path = path.iter();
        if is_struct {
            match path.next() {
                Some(Step::Index(member)) => {
                    uniform += member;
                    layout = self.interface.uniforms[uniform].layout.clone();
                }
                Some(Step::Dynamic(_)) => return self.internal("an index of a struct"),
                None => return self.load_members(uniform, &layout),
            }
        }
        let (mut offset, mut dynamic) = (0, None);
        while let Layout::Struct(_) | Layout::Array(..) = layout {
            let Some(step) = path.next() else { break };
            (offset, layout) = self.enter(offset, layout, step, &mut dynamic)?;
        }
        let address = dynamic.map(|index| self.address(&index)).transpose()?;
        let mut value = self.load_layout(Part { uniform, offset }, &layout, address)?;
        for step in path {
            value = self.element(&value, step)?;
        }
        Ok(value)
    }

    fn load_members(&mut self, first: usize, layout: &Layout) -> Result<Value> {
        let Layout::Struct(members) = layout else { return self.internal("a struct without members") };
        let parts = (first..).map(|uniform| Part { uniform, offset: 0 });
        Value::many(parts.zip(members).map(|(part, (_, member))| self.load_layout(part, member, None)))
    }

    /// Follows one step into a struct or array.
    fn enter(
        &mut self,
        offset: usize,
        layout: Layout,
        step: &Step,
        dynamic: &mut Option<Value>,
    ) -> Result<(usize, Layout)> {
        match (layout, step) {
            (Layout::Struct(members), Step::Index(index)) if *index < members.len() => {
                let before: usize = members[..*index].iter().map(|(_, member)| member.registers()).sum();
                Ok((offset + before, members[*index].1.clone()))
            }
            (Layout::Array(element, count), Step::Index(index)) if *index < count => {
                Ok((offset + index * element.registers(), *element))
            }
            (Layout::Array(element, _), Step::Dynamic(index)) => {
                let stride = i32::try_from(element.registers()).unwrap_or(i32::MAX);
                let stride = self.data(Data::int(stride));
                let index = self.register_index(index)?;
                let index = self.multiply(&index, &stride)?;
                *dynamic = Some(match dynamic.take() {
                    Some(sum) => self.add(&sum, &index)?,
                    None => index,
                });
                Ok((offset, *element))
            }
            (Layout::Struct(_) | Layout::Array(..) | Layout::Leaf(_), _) => Err(self.beyond_array()),
        }
    }

    /// Loads from registers, whose numbers may begin at an address.
    fn load_layout(&mut self, part: Part, layout: &Layout, address: Option<IrValue>) -> Result<Value> {
        let at = |offset: usize| Part { offset: part.offset + offset, ..part };
        match layout {
            Layout::Leaf(shape) if address.is_some() => {
                let lanes = self.read_rows(*shape, |row| Target::Declared(at(row)), address);
                self.decoded(*shape, lanes)
            }
            Layout::Leaf(shape) => self.node(Node::Uniform(part), *shape),
            Layout::Struct(members) => {
                let mut offset = 0;
                Value::many(members.iter().map(|(_, member)| {
                    let own = at(offset);
                    offset += member.registers();
                    self.load_layout(own, member, address)
                }))
            }
            Layout::Array(..) if address.is_some() => {
                Err(self.error(Kind::Index("a copy of an array inside an array".into())))
            }
            Layout::Array(_, count @ 1025..) => {
                self.limit("elements of an array that is copied", *count, 1024)
            }
            Layout::Array(element, count) => {
                let all = (0..*count).map(|index| at(index * element.registers()));
                Value::many(all.map(|at| self.load_layout(at, element, None)))
            }
        }
    }

    /// Truth values are 0 or 1 in registers.
    fn decoded(&mut self, shape: Shape, lanes: Vec<Lane>) -> Result<Value> {
        if shape.is_numeric() {
            return Ok(Value::lanes(shape, lanes));
        }
        let number = Value::lanes(shape.with(Scalar::Float), lanes);
        self.convert(&number, Scalar::Bool)
    }

    /// Lanes of the registers of a shape, in column order.
    fn read_rows(
        &mut self,
        shape: Shape,
        target: impl Fn(usize) -> Target,
        address: Option<IrValue>,
    ) -> Vec<Lane> {
        let count = shape.registers();
        let rows: Vec<IrValue> = (0..count).map(|row| self.read_register(target(row), address)).collect();
        let lane = |lane: usize| match shape.is_matrix() {
            true => Lane::new(rows[lane % count], (lane / count) as u8),
            false => Lane::new(rows[0], lane as u8),
        };
        (0..shape.lanes()).map(lane).collect()
    }

    fn read_register(&mut self, target: Target, address: Option<IrValue>) -> IrValue {
        // Members stand for registers until all are known.
        let targets = &mut self.uniforms.targets;
        let known = targets.iter().position(|one| *one == target);
        let member = known.unwrap_or_else(|| {
            targets.push(target);
            targets.len() - 1
        });
        let member = u16::try_from(member).unwrap_or(u16::MAX);
        match address {
            Some(address) => self.b.emit(Type::F32X4, Op::ReadAt(Array::Member(member), address)),
            None => {
                if let Some(&value) = self.uniforms.reads.get(&target) {
                    return value;
                }
                let value = self.b.read(Type::F32X4, Op::Read(Resource::Member { member, element: 0 }));
                self.uniforms.reads.insert(target, value);
                value
            }
        }
    }

    /// Lanes of part of a declared uniform.
    pub(super) fn declared(&mut self, part: Part, shape: Shape) -> Vec<Lane> {
        let target = |row: usize| Target::Declared(Part { offset: part.offset + row, ..part });
        self.read_rows(shape, target, None)
    }

    /// The index of a relative read: aL where the loop counts in the same steps, else a0.
    pub(super) fn address(&mut self, index: &Value) -> Result<IrValue> {
        let (_, lanes) = self.lanes(index)?;
        let lane = lanes[0];
        if let Some(address) = self.counted(lane) {
            return Ok(address);
        }
        // MOVA takes the whole part itself.
        let lane = self.parts.get(&lane).copied().unwrap_or(lane);
        let value = self.b.gather(&[lane]);
        Ok(self.b.emit(Type::I32, Op::Unary(Unary::AddressP, value)))
    }

    /// aL, if a lane is the counter of the innermost loop times the stride of aL.
    fn counted(&mut self, lane: Lane) -> Option<IrValue> {
        let counter = self.loops.last_mut()?.counter.as_mut()?;
        let factor = match self.b.f.op(lane.value()) {
            _ if lane == counter.lane => 1.0,
            Some(Op::Binary(super::ir::Binary::MulP, a, b)) => {
                let is_counter = |value| Lane::new(value, 0) == counter.lane;
                let Op::Const([bits, ..]) = self.b.f.op(b).filter(|_| is_counter(a))? else { return None };
                f32::from_bits(bits)
            }
            _other => return None,
        };
        let stride = factor as i64;
        let bytes = [counter.start * stride, counter.step * stride].map(|value| u8::try_from(value).ok());
        let [Some(start), Some(step)] = bytes else { return None };
        if *counter.stride.get_or_insert(stride) != stride {
            return None;
        }
        let count = &mut self.interface.counts[counter.count];
        (count.start, count.step) = (start, step);
        Some(counter.address)
    }

    /// An element of a list of host values by an index that the program computes: a table in
    /// uniforms.
    pub(super) fn table(&mut self, elements: &[Value], index: &Value) -> Result<Value> {
        let (Some(nodes), Some(first)) = (self.nodes(elements), elements.first()) else {
            return Err(self.error(Kind::Index("a local array".into())));
        };
        let shape = self.shape(first)?;
        let rows = shape.registers();
        let known = self.interface.derived.iter().position(|derived| derived.nodes == nodes);
        let derived = known.unwrap_or_else(|| {
            let register = self.uniforms.derived_registers;
            self.uniforms.derived_registers += rows * nodes.len();
            self.add_derived(nodes, register, 0)
        });
        self.check_derived()?;
        let stride = self.data(Data::int(rows as i32));
        let index = self.register_index(index)?;
        let index = self.multiply(&index, &stride)?;
        let address = self.address(&index)?;
        let lanes = self.read_rows(shape, |row| Target::Derived(derived, row), Some(address));
        self.decoded(shape, lanes)
    }

    /// Registers of derived values fit a byte, dead ones too.
    fn check_derived(&self) -> Result<()> {
        let needed = self.uniforms.derived_registers;
        if needed > usize::from(u8::MAX) { self.limit(FLOAT_UNIFORMS, needed, FLOATS) } else { Ok(()) }
    }

    fn add_derived(&mut self, nodes: Vec<NodeId>, register: usize, lane: u8) -> usize {
        let index = self.interface.derived.len();
        let name = nodes.first().and_then(|node| self.derived_name(*node));
        let is_constant = nodes.iter().all(|&node| self.host.constant(node).is_some());
        let kind = if is_constant { "table" } else { "derived" };
        let name = name.unwrap_or_else(|| format!("{kind}{index}"));
        // The register is counted from the first derived one until all are known.
        let register = u8::try_from(register).unwrap_or(u8::MAX);
        let line = nodes.first().and_then(|node| self.node_lines.get(node)).copied();
        self.interface.derived.push(Derived { name, nodes, line, register, lane });
        index
    }

    /// Lanes of a node that the host computes, in registers of their own; small ones share one.
    pub(super) fn derive(&mut self, node: NodeId) -> Result<Vec<Lane>> {
        let shape = self.host.shape(node);
        if shape.scalar == Scalar::Bool {
            return self.derive_flags(node, shape);
        }
        let (register, lane) = self.place(shape);
        self.check_derived()?;
        let index = self.add_derived(vec![node], register, lane);
        let target = |row: usize| Target::Derived(index, row);
        if shape.is_matrix() {
            return Ok(self.read_rows(shape, target, None));
        }
        let value = self.read_register(target(0), None);
        Ok((lane..lane + shape.rows).map(|lane| Lane::new(value, lane)).collect())
    }

    /// Registers for a derived value.
    fn place(&mut self, shape: Shape) -> (usize, u8) {
        let size = if shape.is_matrix() { 4 } else { shape.rows };
        if let Some((register, taken)) = self.uniforms.shared.iter_mut().find(|(_, taken)| taken + size <= 4)
        {
            let lane = *taken;
            *taken += size;
            return (*register, lane);
        }
        let register = self.uniforms.derived_registers;
        self.uniforms.derived_registers += shape.registers();
        if size < 4 {
            self.uniforms.shared.push((register, size));
        }
        (register, 0)
    }

    fn derive_flags(&mut self, node: NodeId, shape: Shape) -> Result<Vec<Lane>> {
        let mut lanes = Vec::with_capacity(shape.lanes());
        let line = self.line_of(node);
        for lane in 0..shape.rows {
            let one = self.node(Node::Lanes(node, vec![lane]), Shape::scalar(Scalar::Bool))?;
            let Value::Host(node) = one else { return self.internal("a flag that is no node") };
            let register = self.interface.flags.len();
            if register == FLAGS {
                return self.limit("bool uniforms", register + 1, FLAGS);
            }
            let name = self.flag_name(node).unwrap_or_else(|| format!("flag{register}"));
            let read = self.b.read(Type::BOOL, Op::Read(Resource::BoolUniform(register as u8)));
            self.interface.flags.push(Flag { register: register as u8, name, node, line });
            lanes.push(Lane::new(read, 0));
        }
        Ok(lanes)
    }

    /// An int uniform that counts rounds.
    pub(super) fn count(&mut self, name: String, node: NodeId) -> Result<usize> {
        let index = self.interface.counts.len();
        if index == COUNTS {
            return self.limit("int uniforms", index + 1, COUNTS);
        }
        let line = self.line_of(node);
        self.interface.counts.push(Count { register: index as u8, name, node, line, start: 0, step: 0 });
        Ok(index)
    }

    /// Numbers the registers of the reads that are left in a function.
    pub(super) fn allocate(&mut self, f: &mut Func) -> Result<()> {
        let live = live(f);
        let resources: Vec<Op> = live.iter().filter_map(|&value| f.op(value)).collect();
        let targets: BTreeSet<Target> = resources.iter().filter_map(|op| self.target(*op)).collect();
        let mut next = self.allocate_declared(&targets);
        let (derived, tables) = self.allocate_derived(&targets, next);
        next += derived;
        if next + tables > FLOATS {
            return Err(self.error(Kind::Limit {
                subject: FLOAT_UNIFORMS,
                needed: next + tables,
                limit: FLOATS,
                uses: self.registers_by_name(),
            }));
        }
        self.interface.free = next as u8;
        let is_read = |resource: &dyn Fn(Resource) -> bool| {
            resources.iter().any(|op| matches!(op, Op::Read(read) if resource(*read)))
        };
        for attribute in &mut self.interface.attributes {
            attribute.is_read = is_read(&|read| read == Resource::Input(attribute.register));
        }
        let (mut flags, mut counts) = (Vec::new(), Vec::new());
        let keep = |register: &mut u8, kept: &mut Vec<u8>, is_it: &dyn Fn(Resource, u8) -> bool| {
            let old = std::mem::replace(register, kept.len() as u8);
            kept.extend(is_read(&|read| is_it(read, old)).then_some(old));
            usize::from(*register) < kept.len()
        };
        let is_flag = |read, old| read == Resource::BoolUniform(old);
        let is_count = |read, old| matches!(read, Resource::IntUniform { index, .. } if index == old);
        self.interface.flags.retain_mut(|flag| keep(&mut flag.register, &mut flags, &is_flag));
        self.interface.counts.retain_mut(|count| keep(&mut count.register, &mut counts, &is_count));
        self.rename();
        let renumbered = |all: &[u8], old: u8| all.iter().position(|&one| one == old).unwrap_or(0) as u8;
        for value in live {
            let Some(op) = f.op(value) else { continue };
            let register = self.target(op).map_or(0, |target| self.register(target));
            f.values[value].def = Def::Op(match op {
                Op::Read(Resource::Member { .. }) => Op::Read(Resource::Uniform(register)),
                Op::ReadAt(_, index) => Op::ReadAt(Array::Uniform(register), index),
                Op::Read(Resource::BoolUniform(old)) => {
                    Op::Read(Resource::BoolUniform(renumbered(&flags, old)))
                }
                Op::Read(Resource::IntUniform { index, component }) => {
                    Op::Read(Resource::IntUniform { index: renumbered(&counts, index), component })
                }
                other => other,
            });
        }
        Ok(())
    }

    /// The register of a read that has no number yet.
    fn target(&self, op: Op) -> Option<Target> {
        let (Op::Read(Resource::Member { member, .. }) | Op::ReadAt(Array::Member(member), _)) = op else {
            return None;
        };
        self.uniforms.targets.get(usize::from(member)).copied()
    }

    fn register(&self, target: Target) -> u8 {
        match target {
            Target::Declared(part) => {
                self.interface.uniforms[part.uniform].register.unwrap_or(0) + part.offset as u8
            }
            Target::Derived(index, row) => self.interface.derived[index].register + row as u8,
        }
    }

    fn allocate_declared(&mut self, targets: &BTreeSet<Target>) -> usize {
        let mut next = 0;
        for (index, uniform) in self.interface.uniforms.iter_mut().enumerate() {
            let is_it = |target: &Target| matches!(target, Target::Declared(part) if part.uniform == index);
            if targets.iter().any(is_it) {
                uniform.register = Some(u8::try_from(next).unwrap_or(u8::MAX));
                next += uniform.layout.registers();
            }
        }
        next
    }

    /// Derived values that are read, without the gaps that others leave; some share a register.
    /// Tables of constants end at the last register. Returns the numbers of both.
    fn allocate_derived(&mut self, targets: &BTreeSet<Target>, first: usize) -> (usize, usize) {
        let is_read = |index: usize| {
            targets.iter().any(|target| matches!(target, Target::Derived(derived, _) if *derived == index))
        };
        let mut places: BTreeMap<u8, usize> = BTreeMap::new();
        let (mut next, mut tables) = (0, 0);
        for (index, derived) in self.interface.derived.iter_mut().enumerate() {
            if !is_read(index) {
                derived.nodes.clear();
                continue;
            }
            let rows: usize = derived.nodes.iter().map(|node| self.host.shape(*node).registers()).sum();
            if derived.is_table(&self.host) {
                tables += rows;
                derived.register = FLOATS.saturating_sub(tables) as u8;
                continue;
            }
            let place = *places.entry(derived.register).or_insert_with(|| {
                next += rows;
                next - rows
            });
            derived.register = u8::try_from(first + place).unwrap_or(u8::MAX);
        }
        (next, tables)
    }

    fn registers_by_name(&self) -> Vec<(String, usize)> {
        let declared = self.interface.uniforms.iter().filter(|uniform| uniform.register.is_some());
        let mut uses: Vec<(String, usize)> =
            declared.map(|uniform| (uniform.name.clone(), uniform.layout.registers())).collect();
        for derived in &self.interface.derived {
            let rows = derived.nodes.iter().map(|node| self.host.shape(*node).registers());
            uses.push((derived.name.clone(), rows.sum()));
        }
        uses.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        uses
    }
}

/// Values that a function evaluates.
fn live(f: &Func) -> Vec<IrValue> {
    let mut walk = Walk::new(f);
    let mut values = Vec::new();
    while let Some(step) = walk.next(f) {
        values.extend(if let WalkStep::Let(value) = step { Some(value) } else { None });
    }
    values
}
