//! The builder: current region, lane map, open constructs, and the merging of lane maps where control flow meets.
//! In: calls that open and close constructs and set slots. Out: a [`Func`] in SSA form. Knows no instructions.

use super::lanes::{self, Group, Slot, SlotSet};
use crate::error::{At, Result};
use crate::host::{BoolUniforms, IntUniforms, Options, Unwritten};
use crate::ir::{
    Binary, Def, Exit, Func, Hint, HintRegister, Item, Kind, Lane, NodeData, Op, Region, RegionData,
    Resource, Type, Unary, Value, ValueList,
};
use crate::limits::{self, Limits};
use crate::precision::bits::ONE;

/// The bool uniform that is true after every invocation of a geometry program.
const RAN: u8 = 15;
/// Constants searched before a new one is made; `cse` merges what slips through.
const CONSTANT_SCAN: usize = 64;

/// A place where control leaves a region, with the lane map it leaves with.
#[derive(Clone, Copy)]
struct Leave {
    region: Region,
    /// Start of the lane map in [`Builder::snapshots`].
    snapshot: usize,
    kind: LeaveKind,
    /// The one before it that leaves to the same construct.
    before: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaveKind {
    Yield,
    Break,
    Continue,
}

/// The place where a construct was opened.
#[derive(Clone, Copy)]
struct Outside {
    /// The region that holds the construct.
    region: Region,
    /// Start of the lane map of each arm in [`Builder::snapshots`].
    base: usize,
    /// Values below this one were made before the construct and are visible after it.
    watermark: u32,
}

/// An open construct.
struct Scope {
    /// The construct, still without results; arms that are not open yet have another region of its own.
    node: NodeData,
    outside: Outside,
    /// The last of its [`Builder::leaves`].
    leave: Option<usize>,
    /// The last of them that ends it.
    exit: Option<usize>,
    /// Slots that were assigned around it, in the construct that holds it.
    assigned: SlotSet,
    /// Slots with a loop parameter, as (group, mask), in parameter order.
    params: Vec<(Group, u8)>,
    /// Whether something inside leaves to a construct around this one, which still needs its lane map.
    escaped: bool,
}

/// The guard's count as the signed number that the program counts in: nobody waits for more.
fn most_jumps(jumps: u32) -> i32 {
    i32::try_from(jumps).unwrap_or(i32::MAX)
}

/// How many slots a function has.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    pub(super) count: usize,
    /// Where those of a geometry program begin; beyond the last if it is none.
    pub(super) geometry: Slot,
}

/// Builds one function.
pub(super) struct Builder {
    pub(super) func: Func,
    /// Where new items go.
    region: Region,
    /// The lane of each slot here.
    state: Vec<Lane>,
    /// Whether control can reach here.
    reachable: bool,
    scopes: Vec<Scope>,
    snapshots: Vec<Lane>,
    leaves: Vec<Leave>,
    /// Slots that were assigned in the innermost construct; all others are as they were where it began.
    assigned: SlotSet,
    /// Sets not in use.
    sets: Vec<SlotSet>,
    /// Memory of [`close`](Self::close).
    differing: Vec<(Group, u8)>,
    /// Items that stand before everything else: constants and inputs.
    prologue: Vec<Item>,
    constants: Vec<(Type, [u32; 4], Value)>,
    inputs: [Option<Value>; 16],
    /// How many components of each input register the program sees.
    seen: [u8; 16],
    bools: BoolUniforms,
    ints: IntUniforms,
    /// Lanes copied so far.
    copied: usize,
    /// Where slots of geometry programs begin.
    geometry: Slot,
}

impl Builder {
    /// A function in which every slot has its default: registers (0,0,0,1) unless the options say otherwise, everything else
    /// 0 or false. There is room for what this many instructions mostly become.
    pub(super) fn new(options: &Options, slots: Slots, instructions: usize) -> Self {
        let Slots { count: slots, geometry } = slots;
        let mut func = Func { name: "main".into(), ..Func::default() };
        func.values.reserve(32 + 3 * instructions);
        func.pool.reserve(16 + instructions);
        let region = func.regions.push(RegionData::default());
        func.body = Some(region);
        let mut builder = Self {
            func,
            region,
            state: Vec::with_capacity(slots),
            reachable: true,
            scopes: Vec::new(),
            snapshots: Vec::with_capacity(2 * slots),
            leaves: Vec::new(),
            assigned: SlotSet::default(),
            sets: Vec::new(),
            differing: Vec::new(),
            prologue: Vec::with_capacity(32),
            constants: Vec::with_capacity(16),
            inputs: [None; 16],
            seen: options.attributes.map(|attribute| attribute.components),
            bools: options.control.bools,
            ints: options.control.ints,
            copied: 0,
            geometry,
        };
        let w = match options.arithmetic.uninitialized {
            Unwritten::Default => ONE,
            Unwritten::Zero => 0,
        };
        let register = builder.constant(Type::F32X4, [0, 0, 0, w]);
        let int = Lane::new(builder.constant(Type::I32, [0; 4]), 0);
        let flag = Lane::new(builder.constant(Type::BOOL, [0; 4]), 0);
        builder.state.extend((0..slots).map(|slot| match lanes::group(slot, geometry) {
            Group { kind: Kind::F32, start, .. } => Lane::new(register, (slot - start) as u8),
            Group { kind: Kind::Bool, .. } => flag,
            Group { kind: Kind::I32 | Kind::U32, .. } => int,
        }));
        if let Some(jumps) = options.control.loop_guard {
            builder.state[lanes::JUMPS] = Lane::new(builder.int(most_jumps(jumps)), 0);
        }
        builder
    }

    /// Bool uniform b`id`: read, known, or a specialisation constant.
    pub(super) fn bool_uniform(&mut self, id: u8) -> Value {
        let id = id & 15;
        if id == RAN && self.geometry < self.state.len() {
            return self.has_run();
        }
        self.set_bool_uniform(id)
    }

    /// b15 of a geometry program, which is true after every invocation.
    fn has_run(&mut self) -> Value {
        let invocation = self.read(self.geometry + lanes::geometry::INVOCATION);
        let later = self.test_int(Binary::IGreater, invocation, 0);
        let set = self.set_bool_uniform(RAN);
        self.test(Binary::Or, later, set)
    }

    /// A bool uniform as it was set.
    fn set_bool_uniform(&mut self, id: u8) -> Value {
        let BoolUniforms { baked, values, specialized } = self.bools;
        if baked >> id & 1 != 0 {
            return self.constant(Type::BOOL, [u32::from(values >> id & 1), 0, 0, 0]);
        }
        let is_specialized = specialized >> id & 1 != 0;
        let from = if is_specialized { Resource::Specialized(id) } else { Resource::BoolUniform(id) };
        self.emit(Type::BOOL, Op::Read(from))
    }

    /// A component of int uniform i`index`: read, known, or a specialisation constant.
    pub(super) fn int_uniform(&mut self, index: u8, component: u8) -> Value {
        let (index, component) = (index & 3, component & 3);
        if let Some(known) = self.ints.baked[usize::from(index)] {
            return self.int(i32::from(known[usize::from(component)]));
        }
        let is_specialized = self.ints.specialized >> index & 1 != 0;
        let id = 16 + 4 * index + component;
        let from = match is_specialized {
            true => Resource::Specialized(id),
            false => Resource::IntUniform { index, component },
        };
        self.emit(Type::I32, Op::Read(from))
    }

    /// Input register v`register` is a value that was evaluated here.
    pub(super) fn set_input(&mut self, register: u8, value: Value) {
        self.inputs[usize::from(register & 15)] = Some(value);
    }

    /// The bits of a lane, where they are known.
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

    /// The scalar in a slot.
    pub(super) fn read(&mut self, slot: Slot) -> Value {
        self.scalar(self.get(slot))
    }
    /// Sets a slot to a scalar.
    pub(super) fn write(&mut self, slot: Slot, value: Value) {
        self.set(slot, Lane::new(value, 0));
    }

    /// Evaluates an operation here.
    pub(super) fn emit(&mut self, ty: Type, op: Op) -> Value {
        self.func.emit(self.region, ty, op)
    }
    /// Evaluates an operation whose result goes to components of a register.
    pub(super) fn emit_hint(&mut self, ty: Type, op: Op, register: HintRegister, mask: u8) -> Value {
        let value = self.emit(ty, op);
        self.func.values[value].hint = Hint { register, mask };
        value
    }
    /// Evaluates a comparison or a logical operation.
    pub(super) fn test(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.emit(Type::BOOL, Op::Binary(op, x, y))
    }
    /// Compares an integer with a constant.
    pub(super) fn test_int(&mut self, op: Binary, x: Value, constant: i32) -> Value {
        let constant = self.int(constant);
        self.test(op, x, constant)
    }
    pub(super) fn not(&mut self, value: Value) -> Value {
        self.emit(Type::BOOL, Op::Unary(Unary::Not, value))
    }
    pub(super) fn int_op(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.emit(Type::I32, Op::Binary(op, x, y))
    }
    /// Adds 1 to an integer, or subtracts it.
    pub(super) fn step(&mut self, op: Binary, value: Value) -> Value {
        let one = self.int(1);
        self.int_op(op, value, one)
    }
    /// Chooses one of two scalars.
    pub(super) fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.emit(self.func.ty(a), Op::Select { cond, a, b })
    }
    /// A constant.
    pub(super) fn constant(&mut self, ty: Type, bits: [u32; 4]) -> Value {
        let scan = self.constants.len().saturating_sub(CONSTANT_SCAN);
        if let Some(known) = self.constants[scan..].iter().find(|known| (known.0, known.1) == (ty, bits)) {
            return known.2;
        }
        let value = self.func.value(ty, Def::Op(Op::Const(bits)));
        self.prologue.push(Item::Let(value));
        self.constants.push((ty, bits, value));
        value
    }
    /// A literal integer.
    pub(super) fn int(&mut self, value: i32) -> Value {
        self.constant(Type::I32, [value.cast_unsigned(), 0, 0, 0])
    }
    /// An input register; components that the program shall not see are those of (0, 0, 0, 1).
    pub(super) fn input(&mut self, register: u8) -> Value {
        let slot = usize::from(register & 15);
        if let Some(value) = self.inputs[slot] {
            return value;
        }
        let mut value = self.func.value(Type::F32X4, Def::Op(Op::Read(Resource::Input(register))));
        self.prologue.push(Item::Let(value));
        if self.seen[slot] < 4 {
            let rest = self.constant(Type::F32X4, [0, 0, 0, ONE]);
            let seen = self.seen[slot];
            let lanes = [0, 1, 2, 3].map(|lane| Lane::new(if lane < seen { value } else { rest }, lane));
            value = self.func.value(Type::F32X4, Def::Op(Op::Shuffle(lanes)));
            self.prologue.push(Item::Let(value));
        }
        self.inputs[slot] = Some(value);
        value
    }
    /// A vector of the given lanes (one to four, all of one kind).
    pub(super) fn gather(&mut self, lanes: &[Lane]) -> Value {
        self.gather_in(self.region, lanes)
    }

    fn gather_in(&mut self, region: Region, lanes: &[Lane]) -> Value {
        let first = lanes[0];
        let ty = self.func.ty(first.value()).with_lanes(lanes.len() as u8);
        let whole = |(index, lane): (usize, &Lane)| *lane == Lane::new(first.value(), index as u8);
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
        let mut all = [first; 4];
        all[..lanes.len()].copy_from_slice(lanes);
        self.func.emit(region, ty, Op::Shuffle(all))
    }

    /// A lane as a scalar value.
    pub(super) fn scalar(&mut self, lane: Lane) -> Value {
        self.gather(&[lane])
    }

    fn snapshot(&mut self) -> usize {
        let start = self.snapshots.len();
        self.copied += self.state.len();
        self.snapshots.extend_from_slice(&self.state);
        start
    }
    fn restore(&mut self, snapshot: usize) {
        let slots = self.state.len();
        self.copied += slots;
        self.state.copy_from_slice(&self.snapshots[snapshot..snapshot + slots]);
        self.reachable = true;
    }
    fn arm(&mut self) -> Region {
        let region = self.func.regions.push(RegionData::default());
        self.region = region;
        region
    }
    fn outside(&mut self) -> Outside {
        let watermark = self.func.values.len() as u32; // Range: the limit on values.
        Outside { region: self.region, base: self.snapshot(), watermark }
    }
    fn open(&mut self, outside: Outside, node: NodeData, params: Vec<(Group, u8)>) {
        let inside = self.sets.pop().unwrap_or_default();
        let assigned = std::mem::replace(&mut self.assigned, inside);
        let (leave, exit, escaped) = (None, None, false);
        self.scopes.push(Scope { node, outside, leave, exit, assigned, params, escaped });
    }
    /// Ends the current arm and begins another, which `add` puts into the construct.
    fn next_arm(&mut self, add: impl FnOnce(&mut NodeData, Region)) {
        self.fall();
        let region = self.arm();
        let scope = self.scopes.last_mut().expect("a construct is open");
        add(&mut scope.node, region);
        let base = scope.outside.base;
        self.restore(base);
    }

    /// Opens an `if`; what follows goes to its first arm.
    pub(super) fn open_if(&mut self, cond: Value) {
        let (outside, then) = (self.outside(), self.arm());
        let node = NodeData::If { cond, then, otherwise: then, results: ValueList::default() };
        self.open(outside, node, Vec::new());
    }
    /// Begins the second arm.
    pub(super) fn otherwise(&mut self) {
        self.next_arm(|node, region| {
            if let NodeData::If { otherwise, .. } = node {
                *otherwise = region;
            }
        });
    }
    /// Lowers both arms of an `if`.
    pub(super) fn when(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        self.open_if(cond);
        then(self);
        self.otherwise();
        otherwise(self);
        self.close();
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
        self.next_arm(|node, region| {
            if let NodeData::Switch { cases, .. } = node {
                cases.push((vec![value], region));
            }
        });
    }
    /// Begins the default case.
    pub(super) fn default_case(&mut self) {
        self.next_arm(|node, region| {
            if let NodeData::Switch { default, .. } = node {
                *default = region;
            }
        });
    }
    /// Opens a loop in which only the slots of `assigned` change.
    pub(super) fn open_loop(&mut self, assigned: &SlotSet) {
        let outside = self.outside();
        let Outside { region, base, .. } = outside;
        let groups: Vec<(Group, u8)> = assigned.groups(self.geometry).collect();
        let inits: Vec<Value> = groups.iter().map(|param| self.gather_slots(region, base, *param)).collect();
        let inits = self.func.list(inits);
        let params: Vec<Value> = groups.iter().map(|param| self.merged(*param, Def::Param)).collect();
        let params = self.func.list(params);
        // An iteration begins with the parameters instead of the lanes before the loop.
        self.snapshots.truncate(base);
        self.snapshot();
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
    /// Goes on with the next iteration of the innermost loop.
    pub(super) fn next_iteration(&mut self) {
        let depth = self.scopes.iter().rposition(|scope| matches!(scope.node, NodeData::Loop { .. }));
        self.jump(depth, LeaveKind::Continue);
    }
    /// Reaches the end of the current arm.
    fn fall(&mut self) {
        let is_loop = self.scopes.last().is_some_and(|scope| matches!(scope.node, NodeData::Loop { .. }));
        let kind = if is_loop { LeaveKind::Continue } else { LeaveKind::Yield };
        self.jump(self.scopes.len().checked_sub(1), kind);
    }
    fn jump(&mut self, depth: Option<usize>, kind: LeaveKind) {
        if !self.reachable {
            return;
        }
        let snapshot = self.snapshot();
        let region = self.region;
        let depth = depth.expect("the tree leaves only constructs it is in");
        let scope = &mut self.scopes[depth];
        let before = scope.leave.replace(self.leaves.len());
        if kind != LeaveKind::Continue {
            scope.exit = scope.leave;
        }
        self.leaves.push(Leave { region, snapshot, kind, before });
        self.scopes[depth + 1..].iter_mut().for_each(|scope| scope.escaped = true);
        self.reachable = false;
    }

    /// A vector of the masked slots of a group out of a snapshot.
    fn gather_slots(&mut self, region: Region, snapshot: usize, (group, mask): (Group, u8)) -> Value {
        let state = &self.snapshots[snapshot + group.start..][..group.len];
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
    /// A parameter or result for the masked slots of a group, which show it from here on.
    fn merged(&mut self, (group, mask): (Group, u8), def: Def) -> Value {
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

    /// Closes the innermost construct: lanes that differ between its leaves become results.
    pub(super) fn close(&mut self) {
        self.fall();
        let scope = self.scopes.pop().expect("a construct is open");
        let mut differing = std::mem::take(&mut self.differing);
        differing.clear();
        if let Some(exit) = scope.exit {
            let differs = |(group, mask)| (group, self.differing(group, mask, exit, scope.outside.watermark));
            differing.extend(self.assigned.groups(self.geometry).map(differs).filter(|(_, mask)| *mask != 0));
        }
        let mut leave = scope.leave;
        while let Some(index) = leave {
            let one = self.leaves[index];
            self.finish(one, if one.kind == LeaveKind::Continue { &scope.params } else { &differing });
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
            self.restore(self.leaves[exit].snapshot);
            for group in &differing {
                let result = self.merged(*group, Def::Result);
                self.func.pool.push(result);
            }
        }
        let list = ValueList { start, len: self.func.pool.len() as u32 - start };
        self.differing = differing;
        if !scope.escaped {
            // The lane maps of this construct are those taken last, and nobody needs them any more.
            self.snapshots.truncate(scope.outside.base);
        }
        let mut node = scope.node;
        match &mut node {
            NodeData::If { results, .. }
            | NodeData::Loop { results, .. }
            | NodeData::Block { results, .. }
            | NodeData::Switch { results, .. } => *results = list,
        }
        let node = self.func.nodes.push(node);
        self.func.regions[self.region].items.push(Item::Node(node));
    }

    /// Which of these slots of a group need a result: those the exits disagree on, and those whose value is not visible
    /// outside. `exit` is the last of the exits.
    fn differing(&self, group: Group, slots: u8, exit: usize, watermark: u32) -> u8 {
        let mut mask = 0;
        for lane in (0..group.len).filter(|lane| slots >> lane & 1 != 0) {
            let at = |leave: &Leave| self.snapshots[leave.snapshot + group.start + lane];
            let one = at(&self.leaves[exit]);
            let visible = one.value().0 < watermark || self.is_constant(one.value());
            if !visible || self.exits(exit).any(|leave| at(leave) != one) {
                mask |= 1 << lane;
            }
        }
        mask
    }
    /// The leaves from one on backwards that end their construct.
    fn exits(&self, last: usize) -> impl Iterator<Item = &Leave> {
        let leaves = std::iter::successors(self.leaves.get(last), |leave| self.leaves.get(leave.before?));
        leaves.filter(|leave| leave.kind != LeaveKind::Continue)
    }
    /// Constants and inputs stand in the prologue, so they are visible everywhere.
    fn is_constant(&self, value: Value) -> bool {
        matches!(self.func.op(value), Some(Op::Const(_) | Op::Read(Resource::Input(_))))
    }
    /// Gives a left region its exit, with the values of `what` out of its lane map.
    fn finish(&mut self, leave: Leave, what: &[(Group, u8)]) {
        let start = self.func.pool.len() as u32;
        for group in what {
            let value = self.gather_slots(leave.region, leave.snapshot, *group);
            self.func.pool.push(value);
        }
        let list = ValueList { start, len: self.func.pool.len() as u32 - start };
        self.func.regions[leave.region].exit = match leave.kind {
            LeaveKind::Yield => Exit::Yield(list),
            LeaveKind::Break => Exit::Break(list),
            LeaveKind::Continue => Exit::Continue(list),
        };
    }
    /// Whether the function is still within its limits.
    pub(super) fn check(&self, limits: &Limits) -> Result<()> {
        limits::check("values", self.func.values.len(), limits.values, At::Whole)?;
        limits::check("steps", self.copied, limits.steps, At::Whole)
    }

    /// Ends the function with its outputs; they are lost where control never reaches here.
    pub(super) fn finish_function(mut self, outputs: &[Value], limits: &Limits) -> Result<Func> {
        limits::check("values", self.func.values.len(), limits.values, At::Whole)?;
        let exit = if self.reachable {
            Exit::Yield(self.func.list(outputs.iter().copied()))
        } else {
            Exit::Unreachable
        };
        let body = &mut self.func.regions[self.region];
        body.exit = exit;
        body.items.splice(0..0, self.prologue);
        Ok(self.func)
    }
}
