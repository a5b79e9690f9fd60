//! The SSA builder: region, lane map, open constructs, merging where control flow meets.
//! In: calls that open and close constructs and set slots. Out: a [`Func`] in SSA form. Knows no
//! instructions.
//!
//! The state is a stack of open constructs, `scopes`. When this is on top:
//!
//! * Nothing: `region` is the body, `state` holds its lanes.
//! * An `if`: `region` is an arm. Each arm begins with the lane map from before the construct,
//!   `outside.base` of `leaves`. The end of an arm records a leave of kind *yield*.
//! * A block: the same with one arm. [`Builder::leave`] records a *break*.
//! * A switch: control reaches no arm before the first `case`. Otherwise as an `if`, and
//!   `leave` records a *break*.
//! * A loop: the lane map at `outside.base` has parameters in place of the assigned slots. The end
//!   of the body and [`Builder::next_iteration`] record a *continue*; `leave` records a *break*.
//!
//! A leave names the innermost construct that it ends, and keeps its lane map above that
//! construct's in `leaves`. After a leave, control reaches nothing until the next arm, or until
//! [`Builder::close`]: it takes the top off, merges the lane maps of its leaves, and goes on in
//! `outside.region`. Only slots of `assigned` can differ, so only these are compared. The maps of
//! the construct are dropped then, unless a leave inside it names an outer one.

use super::lanes::{self, Group, Slot, SlotSet};
use super::leaves::{Leave, LeaveKind, Leaves};
use crate::error::{At, Result};
use crate::host::settings::{BoolUniforms, IntUniforms, Options};
use crate::ir::{
    Binary, Def, Exit, Func, Hint, HintRegister, Item, Lane, NodeData, Op, Region, RegionData, Resource,
    ScalarKind, Type, Value, ValueList,
};
use crate::limits::{self, Limits};
use crate::program::isa::sizes::FLOATS;
use crate::program::isa::uniforms::HAS_RUN;
use crate::program::isa::{DEFAULT, Mask};
use crate::support::fields::SpecId;

/// Number of recent constants that are searched before a new one is made; `cse` merges the others.
const CONSTANT_SCAN: usize = 64;

/// The context of a construct.
#[derive(Clone, Copy)]
struct Outside {
    /// The region that holds the construct.
    region: Region,
    /// The lane map of each arm, in [`Builder::leaves`].
    base: usize,
    /// Limit of the values that were made before the construct and are visible after it.
    watermark: u32,
}

/// An open construct.
struct Scope {
    /// The construct, without results. An arm that was not begun is another region.
    node: NodeData,
    outside: Outside,
    /// The last of its leaves.
    leave: Option<usize>,
    /// The last of them that ends the construct.
    exit: Option<usize>,
    /// Slots that the enclosing construct has assigned so far.
    assigned: SlotSet,
    /// Slots with a loop parameter, as (group, mask), in parameter order.
    params: Vec<(Group, u8)>,
    /// True if something inside leaves to an outer construct, which still needs its lane map.
    escaped: bool,
}

/// Number of slots of a function.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub(super) count: usize,
    /// First slot of a geometry program; beyond the last slot if it is none.
    pub(super) geometry: Slot,
}

/// Builder of one function.
pub(super) struct Builder {
    pub(super) func: Func,
    /// The region to which items are added.
    region: Region,
    /// The current lane of each slot.
    state: Vec<Lane>,
    /// True if control can reach the current place.
    reachable: bool,
    scopes: Vec<Scope>,
    leaves: Leaves,
    /// Slots that the innermost construct has assigned; all others are as at its beginning.
    assigned: SlotSet,
    /// Unused sets, to save allocations.
    sets: Vec<SlotSet>,
    /// Buffer of [`close`](Self::close).
    differing: Vec<(Group, u8)>,
    /// Items before everything else: constants and inputs.
    prologue: Vec<Item>,
    constants: Vec<(Type, [u32; 4], Value)>,
    inputs: [Option<Value>; 16],
    /// Float and int uniforms that were read, see [`Self::uniform`], or `None` in a dispatcher.
    uniforms: Option<Vec<Option<Value>>>,
    /// Number of components of each input register that the program reads from the host.
    components: [u8; 16],
    bools: BoolUniforms,
    ints: IntUniforms,
    /// First slot of a geometry program.
    geometry: Slot,
}

impl Builder {
    /// Begins a function in which every slot has its default: registers (0, 0, 0, 1) unless the
    /// options say otherwise, everything else 0 or false. Reserves memory for so many instructions.
    pub(super) fn new(options: &Options, slots: Slots, instructions: usize) -> Self {
        let Slots { count: slots, geometry } = slots;
        let mut func = Func { name: "main".into(), ..Func::default() };
        // An instruction becomes about three values, and six after the passes.
        func.values.reserve(32 + 6 * instructions);
        func.places.reserve(4 + instructions);
        func.pool.reserve(16 + instructions);
        let region = func.regions.push(RegionData::default());
        // Most of a large program is in other regions.
        func.regions[region].items.reserve(16 + (2 * instructions).min(512));
        func.body = Some(region);
        let mut builder = Self {
            func,
            region,
            state: Vec::with_capacity(slots),
            reachable: true,
            scopes: Vec::new(),
            leaves: Leaves::new(slots),
            assigned: SlotSet::default(),
            sets: Vec::new(),
            differing: Vec::new(),
            prologue: Vec::with_capacity(32),
            constants: Vec::with_capacity(16),
            inputs: [None; 16],
            uniforms: Some(Vec::with_capacity(32)),
            components: options.input.formats.map(|attribute| attribute.components),
            bools: options.control.bools,
            ints: options.control.ints,
            geometry,
        };
        let uninitialized = options.settings(0).uninitialized;
        let register = builder.constant(Type::F32X4, uninitialized.map(f32::to_bits));
        let int = builder.constant(Type::I32, [0; 4]);
        let flag = builder.constant(Type::BOOL, [0; 4]);
        while builder.state.len() < slots {
            match lanes::group(builder.state.len(), geometry).kind {
                ScalarKind::F32 => builder.state.extend([0, 1, 2, 3].map(|index| Lane::new(register, index))),
                ScalarKind::Bool => builder.state.push(Lane::new(flag, 0)),
                ScalarKind::I32 | ScalarKind::U32 => builder.state.push(Lane::new(int, 0)),
            }
        }
        if let Some(jumps) = options.control.loop_guard {
            // No run gets beyond the largest signed count.
            let most = i32::try_from(jumps).unwrap_or(i32::MAX);
            builder.state[lanes::JUMPS] = Lane::new(builder.int(most), 0);
        }
        builder
    }

    /// Reads bool uniform b`id`: from the block, a constant, or a specialization constant.
    pub(super) fn bool_uniform(&mut self, id: u8) -> Value {
        let id = id & 15;
        // b15 is true after every invocation, but the host cannot set it between those of one
        // dispatch.
        if id == HAS_RUN && self.geometry.saturating_add(lanes::geometry::INVOCATION) < self.state.len() {
            let invocation = self.read(self.geometry + lanes::geometry::INVOCATION);
            let later = self.test_int(Binary::IGreater, invocation, 0);
            let set = self.set_bool_uniform(id);
            return self.test(Binary::Or, later, set);
        }
        self.set_bool_uniform(id)
    }

    /// Reads a bool uniform as the host set it.
    fn set_bool_uniform(&mut self, id: u8) -> Value {
        let BoolUniforms { baked, values, specialized } = self.bools;
        if baked >> id & 1 != 0 {
            return self.constant(Type::BOOL, [u32::from(values >> id & 1), 0, 0, 0]);
        }
        let is_specialized = specialized >> id & 1 != 0;
        let from =
            if is_specialized { Resource::Specialized(SpecId::bool(id)) } else { Resource::BoolUniform(id) };
        self.emit(Type::BOOL, Op::Read(from))
    }

    /// Reads a component of int uniform i`index`: from the block, a constant, or a specialization
    /// constant.
    pub(super) fn int_uniform(&mut self, index: u8, component: u8) -> Value {
        let (index, component) = (index & 3, component & 3);
        if let Some(known) = self.ints.baked[usize::from(index)] {
            return self.int(i32::from(known[usize::from(component)]));
        }
        let is_specialized = self.ints.specialized >> index & 1 != 0;
        if is_specialized {
            return self.emit(Type::I32, Op::Read(Resource::Specialized(SpecId::int(index, component))));
        }
        let slot = FLOATS + usize::from(index * 4 + component);
        self.uniform(slot, Type::I32, Resource::IntUniform { index, component })
    }

    /// Reads float uniform c`register` as the host set it.
    pub(super) fn float_uniform(&mut self, register: u8) -> Value {
        self.uniform(usize::from(register), Type::F32X4, Resource::Uniform(register))
    }

    /// Reads a uniform once, in front of the constructs that are open.
    ///
    /// Inside constructs a driver may load it for each invocation (drivers.md#varying-counter).
    /// Bools stay where they are: in front they raise the inverse throughput of `lights` from 290
    /// to 389 (RADV, navi10).
    fn uniform(&mut self, slot: usize, ty: Type, resource: Resource) -> Value {
        let (Some(known), Some(body)) = (&mut self.uniforms, self.func.body) else {
            return self.emit(ty, Op::Read(resource));
        };
        if slot >= known.len() {
            known.resize(slot + 1, None);
        }
        *known[slot].get_or_insert_with(|| self.func.emit(body, ty, Op::Read(resource)))
    }

    /// Leaves reads of uniforms where they are. A dispatcher has the reads of the entire program in
    /// one loop, of which few iterations need one.
    pub(super) fn read_in_place(&mut self) {
        self.uniforms = None;
    }

    /// Sets input register v`register` to a value that dominates all reads.
    pub(super) fn set_input(&mut self, register: u8, value: Value) {
        self.inputs[usize::from(register & 15)] = Some(value);
    }

    /// The bits of a constant lane.
    pub(super) fn constant_bits(&self, lane: Lane) -> Option<u32> {
        match self.func.op(lane.value()) {
            Some(Op::Const(bits)) => Some(bits[usize::from(lane.index())]),
            _other_op_or_parameter => None,
        }
    }

    pub(super) fn reachable(&self) -> bool {
        self.reachable
    }
    pub(super) fn get(&self, slot: Slot) -> Lane {
        self.state[slot]
    }
    pub(super) fn set(&mut self, slot: Slot, lane: Lane) {
        self.state[slot] = lane;
        self.assigned.insert(slot);
    }

    /// Sets the masked slots of a register.
    pub(super) fn set_masked(&mut self, start: Slot, mask: Mask, lanes: [Lane; 4]) {
        let state = &mut self.state[start..start + lanes.len()];
        for component in mask.iter() {
            state[component.index()] = lanes[component.index()];
        }
        self.assigned.insert_mask(start, mask.0 & 15);
    }

    /// Emits an operation.
    pub(super) fn emit(&mut self, ty: Type, op: Op) -> Value {
        self.func.emit(self.region, ty, op)
    }
    /// Emits an operation whose result goes to components of a register.
    pub(super) fn emit_hint(&mut self, ty: Type, op: Op, register: HintRegister, mask: u8) -> Value {
        let value = self.emit(ty, op);
        self.func.values[value].hint = Hint { register, mask };
        value
    }
    /// A constant.
    pub(super) fn constant(&mut self, ty: Type, bits: [u32; 4]) -> Value {
        // A bounded scan keeps lowering linear.
        let scan = self.constants.len().saturating_sub(CONSTANT_SCAN);
        if let Some(known) = self.constants[scan..].iter().find(|known| (known.0, known.1) == (ty, bits)) {
            return known.2;
        }
        let value = self.func.value(ty, Def::Op(Op::Const(bits)));
        self.prologue.push(Item::Let(value));
        self.constants.push((ty, bits, value));
        value
    }
    /// Reads an input register. Missing components are taken from (0, 0, 0, 1).
    pub(super) fn input(&mut self, register: u8) -> Value {
        let slot = usize::from(register & 15);
        if let Some(value) = self.inputs[slot] {
            return value;
        }
        let mut value = self.func.value(Type::F32X4, Def::Op(Op::Read(Resource::Input(register))));
        self.prologue.push(Item::Let(value));
        if self.components[slot] < 4 {
            let rest = self.constant(Type::F32X4, DEFAULT.map(f32::to_bits));
            let count = self.components[slot];
            let lanes = [0, 1, 2, 3].map(|lane| Lane::new(if lane < count { value } else { rest }, lane));
            value = self.func.value(Type::F32X4, Def::Op(Op::Shuffle(lanes)));
            self.prologue.push(Item::Let(value));
        }
        self.inputs[slot] = Some(value);
        value
    }
    /// Gathers one to four lanes of one kind to a vector.
    pub(super) fn gather(&mut self, lanes: &[Lane]) -> Value {
        self.gather_in(self.region, lanes)
    }

    fn gather_in(&mut self, region: Region, lanes: &[Lane]) -> Value {
        let first = lanes[0];
        let ty = self.func.ty(first.value()).with_lanes(lanes.len() as u8);
        let whole = |(index, lane): (usize, &Lane)| *lane == Lane::new(first.value(), index as u8);
        // A complete value in order needs no shuffle.
        if self.func.ty(first.value()) == ty && lanes.iter().enumerate().all(whole) {
            return first.value();
        }
        let mut bits = [0; 4];
        let is_constant = lanes.iter().zip(&mut bits).all(|(lane, bits)| {
            let known = self.constant_bits(*lane);
            *bits = known.unwrap_or_default();
            known.is_some()
        });
        if is_constant {
            return self.constant(ty, bits);
        }
        let all = std::array::from_fn(|index| lanes.get(index).copied().unwrap_or(first));
        self.func.emit(region, ty, Op::Shuffle(all))
    }

    fn arm(&mut self) -> Region {
        let region = self.func.regions.push(RegionData::default());
        self.region = region;
        region
    }
    fn outside(&mut self) -> Outside {
        let watermark = self.func.values.len() as u32; // Range: the limit on values.
        Outside { region: self.region, base: self.leaves.keep(&self.state), watermark }
    }
    fn open(&mut self, outside: Outside, node: NodeData, params: Vec<(Group, u8)>) {
        let inside = self.sets.pop().unwrap_or_default();
        let assigned = std::mem::replace(&mut self.assigned, inside);
        let (leave, exit, escaped) = (None, None, false);
        self.scopes.push(Scope { node, outside, leave, exit, assigned, params, escaped });
    }
    /// Ends the current arm and begins another. Returns the construct that takes it, and its
    /// region.
    fn next_arm(&mut self) -> (&mut NodeData, Region) {
        self.fall();
        let region = self.arm();
        let scope = self.scopes.last_mut().expect("a construct is open");
        self.leaves.restore(scope.outside.base, &mut self.state);
        self.reachable = true;
        (&mut scope.node, region)
    }

    /// Opens an `if`; what follows goes to its first arm.
    pub(super) fn open_if(&mut self, cond: Value) {
        let (outside, then) = (self.outside(), self.arm());
        let node = NodeData::If { cond, then, otherwise: then, results: ValueList::default() };
        self.open(outside, node, Vec::new());
    }
    /// Begins the second arm.
    pub(super) fn begin_else(&mut self) {
        if let (NodeData::If { otherwise, .. }, region) = self.next_arm() {
            *otherwise = region;
        }
    }
    /// Opens a block that `leave` can leave early.
    pub(super) fn open_block(&mut self) {
        let (outside, body) = (self.outside(), self.arm());
        self.open(outside, NodeData::Block { body, results: ValueList::default() }, Vec::new());
    }
    /// Opens a switch; `case` or `default_case` must follow.
    pub(super) fn open_switch(&mut self, selector: Value) {
        let (outside, results) = (self.outside(), ValueList::default());
        let node = NodeData::Switch { selector, cases: Vec::new(), default: outside.region, results };
        self.reachable = false;
        self.open(outside, node, Vec::new());
    }
    /// Begins the case for a value.
    pub(super) fn case(&mut self, value: i32) {
        if let (NodeData::Switch { cases, .. }, region) = self.next_arm() {
            cases.push((vec![value], region));
        }
    }
    /// Begins the default case.
    pub(super) fn default_case(&mut self) {
        if let (NodeData::Switch { default, .. }, region) = self.next_arm() {
            *default = region;
        }
    }
    /// Opens a loop in which only the slots of `assigned` change.
    pub(super) fn open_loop(&mut self, assigned: &SlotSet) {
        let outside = self.outside();
        let Outside { region, base, .. } = outside;
        let groups: Vec<(Group, u8)> = assigned.groups(self.geometry).collect();
        let inits: Vec<Value> = groups.iter().map(|param| self.gather_slots(region, base, *param)).collect();
        let inits = self.func.list(inits);
        let params: Vec<Value> = groups.iter().map(|param| self.merge(*param, Def::Param)).collect();
        let params = self.func.list(params);
        // An iteration begins with the parameters instead of the lanes before the loop.
        self.leaves.drop_from(base);
        self.leaves.keep(&self.state);
        let body = self.arm();
        let results = ValueList::default();
        self.open(outside, NodeData::Loop { params, inits, body, results }, groups);
        // Their parameters are not visible after the loop.
        self.assigned.insert_all(assigned);
    }

    /// Leaves the innermost loop, block or switch.
    pub(super) fn leave(&mut self) {
        let depth = self.scopes.iter().rposition(|scope| !matches!(scope.node, NodeData::If { .. }));
        self.jump(depth, LeaveKind::Break);
    }
    /// Continues with the next iteration of the innermost loop.
    pub(super) fn next_iteration(&mut self) {
        let depth = self.scopes.iter().rposition(|scope| matches!(scope.node, NodeData::Loop { .. }));
        self.jump(depth, LeaveKind::Continue);
    }
    /// Ends the current arm by reaching its end.
    fn fall(&mut self) {
        let is_loop = self.scopes.last().is_some_and(|scope| matches!(scope.node, NodeData::Loop { .. }));
        let kind = if is_loop { LeaveKind::Continue } else { LeaveKind::Yield };
        self.jump(self.scopes.len().checked_sub(1), kind);
    }
    fn jump(&mut self, depth: Option<usize>, kind: LeaveKind) {
        if !self.reachable {
            return;
        }
        let map = self.leaves.keep(&self.state);
        let depth = depth.expect("the tree leaves only constructs it is in");
        let scope = &mut self.scopes[depth];
        let leave = Leave { region: self.region, map, kind, before: scope.leave };
        scope.leave = Some(self.leaves.add(leave));
        if kind != LeaveKind::Continue {
            scope.exit = scope.leave;
        }
        // The lane map must outlive the constructs between here and the target.
        self.scopes[depth + 1..].iter_mut().for_each(|scope| scope.escaped = true);
        self.reachable = false;
    }

    /// Gathers the masked slots of a group of a kept lane map.
    fn gather_slots(&mut self, region: Region, map: usize, (group, mask): (Group, u8)) -> Value {
        let state = self.leaves.group(map, group);
        let mut lanes = [state[0]; 4];
        let mut len = 0;
        for (index, lane) in state.iter().enumerate() {
            if mask >> index & 1 != 0 {
                lanes[len] = *lane;
                len += 1;
            }
        }
        self.gather_in(region, &lanes[..len])
    }
    /// Makes a parameter or result for the masked slots of a group, and sets them to it.
    fn merge(&mut self, (group, mask): (Group, u8), def: Def) -> Value {
        let value = self.func.value(Type::new(group.kind, mask.count_ones() as u8), def);
        self.func.values[value].hint = Hint { register: group.hint, mask };
        let mut index = 0;
        for lane in 0..group.len {
            if mask >> lane & 1 != 0 {
                self.set(group.start + lane, Lane::new(value, index));
                index += 1;
            }
        }
        value
    }

    /// Closes the innermost construct: lanes that differ between its exits become results.
    pub(super) fn close(&mut self) {
        self.fall();
        let scope = self.scopes.pop().expect("a construct is open");
        let mut differing = std::mem::take(&mut self.differing);
        differing.clear();
        if let Some(exit) = scope.exit {
            let differs = |(group, mask)| (group, self.differing(group, mask, exit, scope.outside.watermark));
            differing.extend(self.assigned.groups(self.geometry).map(differs).filter(|(_, mask)| *mask != 0));
        }
        // Exits of the region get the lanes that differ; `continue` gets the loop parameters.
        let mut leave = scope.leave;
        while let Some(index) = leave {
            let one = self.leaves.get(index);
            self.set_exit(one, if one.kind == LeaveKind::Continue { &scope.params } else { &differing });
            leave = one.before;
        }
        let mut inside = std::mem::replace(&mut self.assigned, scope.assigned);
        self.assigned.insert_all(&inside);
        inside.clear();
        self.sets.push(inside);
        self.region = scope.outside.region;
        self.reachable = scope.exit.is_some();
        let start = self.func.pool.len() as u32;
        if let Some(exit) = scope.exit {
            self.leaves.restore(self.leaves.get(exit).map, &mut self.state);
            for group in &differing {
                let result = self.merge(*group, Def::Result);
                self.func.pool.push(result);
            }
        }
        let list = ValueList { start, len: self.func.pool.len() as u32 - start };
        self.differing = differing;
        if !scope.escaped {
            // The lane maps of this construct are the last ones, and dead.
            self.leaves.drop_from(scope.outside.base);
        }
        let mut node = scope.node;
        *node.results_mut() = list;
        let node = self.func.nodes.push(node);
        self.func.regions[self.region].items.push(Item::Node(node));
    }

    /// Mask of the slots of a group that need a result: those on which the exits disagree, and
    /// those whose value is not visible outside. `exit` is the last of the exits.
    fn differing(&self, group: Group, slots: u8, exit: usize, watermark: u32) -> u8 {
        let mut mask = 0;
        for lane in (0..group.len).filter(|lane| slots >> lane & 1 != 0) {
            let at = |leave: &Leave| self.leaves.group(leave.map, group)[lane];
            let one = at(&self.leaves.get(exit));
            // A value made inside is not visible outside, even if all exits agree on it.
            let visible = one.value().0 < watermark || self.is_constant(one.value());
            if !visible || self.leaves.exits(exit).any(|leave| at(leave) != one) {
                mask |= 1 << lane;
            }
        }
        mask
    }
    /// Returns whether a value is visible everywhere from its first use on.
    fn is_constant(&self, value: Value) -> bool {
        match self.func.op(value) {
            Some(Op::Const(_) | Op::Read(Resource::Input(_))) => true,
            Some(Op::Read(Resource::Uniform(_) | Resource::IntUniform { .. })) => self.uniforms.is_some(),
            Some(_) | None => false,
        }
    }
    /// Sets the exit of a region, with the values of `groups` in its lane map.
    fn set_exit(&mut self, leave: Leave, groups: &[(Group, u8)]) {
        let start = self.func.pool.len() as u32;
        for group in groups {
            let value = self.gather_slots(leave.region, leave.map, *group);
            self.func.pool.push(value);
        }
        let list = ValueList { start, len: self.func.pool.len() as u32 - start };
        self.func.regions[leave.region].exit = match leave.kind {
            LeaveKind::Yield => Exit::Yield(list),
            LeaveKind::Break => Exit::Break(list),
            LeaveKind::Continue => Exit::Continue(list),
        };
    }
    /// Checks the function against its limits.
    pub(super) fn check(&self, limits: &Limits) -> Result<()> {
        limits::check("values", self.func.values.len(), limits.values, At::Whole)?;
        limits::check("steps", self.leaves.copied, limits.steps, At::Whole)
    }

    /// Finishes the function with its outputs, which are dropped where control never reaches the
    /// end.
    pub(super) fn finish_function(mut self, outputs: &[Value], limits: &Limits) -> Result<Func> {
        limits::check("values", self.func.values.len(), limits.values, At::Whole)?;
        let exit = if self.reachable {
            Exit::Yield(self.func.list(outputs.iter().copied()))
        } else {
            Exit::Unreachable
        };
        let body = &mut self.func.regions[self.region];
        body.exit = exit;
        // Constants and inputs were collected apart, since any place may need them.
        self.prologue.append(&mut body.items);
        body.items = self.prologue;
        self.func.begin_place(None);
        Ok(self.func)
    }
}
