//! The invariants of the intermediate form, and the verifier.
//! In: any [`Module`]. Out: nothing, or the first breach in words. Knows no pass and no back end; a
//! back end may rely on everything that stands at [`verify`]. Linear in the size of the module, no
//! recursion.

use super::func::{Exit, Func, Module, Node, NodeData, Region, ValueList};
use super::op::resource::{Resource, Row};
use super::op::signature::{Binary, Shape, Unary};
use super::op::{Def, Op};
use super::types::{Lane, ScalarKind, Type, Value};
use super::walk::{Step, Target, Walk};
use crate::error::{At, Error, Result};
use crate::machine::precision::bits::MAGNITUDE;
use crate::support::entity::Handle;

/// Phase of a module on its way to the back ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// From `lift`: PICA200 arithmetic and uniform registers are allowed, too.
    Pica,
    /// From `legalize`: plain operations and members of the uniform block only.
    Legal,
}

/// Checks that a module is well-formed:
///
/// **Functions.** Every function has a body. The main function has no parameters, every helper has
/// exactly one output. A helper calls only helpers of lower index.
///
/// **Tree.** Every region belongs to one construct (or is the body) and every construct to one
/// item. Regions and constructs that the body does not reach are left alone: they are what a pass
/// has cut off.
///
/// **Lists.** Every value list lies within the pool, and the non-empty lists that are in use do not
/// overlap, so that a pass may edit each in place.
///
/// **Values.** A value of [`Def::Op`] is evaluated by at most one `Item::Let` of the tree (one
/// that none evaluates counts as dead). A value of [`Def::Param`] is listed as a parameter once,
/// one of [`Def::Result`] as a result once; neither has a `Let`. No item, list or operand names a
/// [`Def::Dead`] value.
///
/// **Scope.** A definition comes before its uses. What a region defines, its loop parameters
/// included, is visible from there to the end of the region, in nested regions too; the results of
/// a construct are visible after it.
///
/// **Exits.** `Yield` gives the outputs of the function, or the results of the enclosing `If`,
/// `Block` or `Switch`; a loop body never yields. `Break` stands inside a `Loop`, `Block` or
/// `Switch` and gives the results of the innermost one; `Continue` stands inside a `Loop` and gives
/// the parameters of the innermost one; `If`s never count. The lists agree in length and types, a
/// loop's `inits` with its `params` too.
///
/// **Falling through.** An `If` falls through where an arm yields, a `Block` or `Switch` where a
/// region of it yields or a `Break` leaves it, a `Loop` where a `Break` leaves it. A construct that
/// does not is the last item of its region, has no results, and the region's exit is `Unreachable`.
/// No other region ends in `Unreachable`.
///
/// **Types.** 1 to 4 lanes. Operands and results as [`Unary::signature`] and [`Binary::signature`]
/// say, where `Dot` shapes take 2 to 4 lanes. `Select` and its arms agree, the condition is bool
/// with as many lanes. Reads have a type of their row ([`Resource::row`],
/// [`Array::row`](super::Array::row)) and a number that exists; indices are i32 scalars. The lanes
/// of a `Shuffle` lie within their values, are of the result's kind, and those beyond its type
/// repeat the first. The lanes of a `Const` beyond its type are 0, bools are 0 or 1. A call's
/// arguments agree with the parameters and its type with the output. The condition of an `If` is a
/// bool scalar, the selector of a `Switch` an i32 scalar; its cases have at least one value each,
/// all ascending and disjoint.
///
/// **[`Phase::Legal`]**: no operation that [`Op::is_pica`], and no operand of `Add` or `Mul` with a
/// lane that is a constant ±0, directly or through `Shuffle`s.
///
/// # Errors
/// [`Kind::Verify`](crate::error::Kind::Verify) with the first breach.
pub fn verify(module: &Module, phase: Phase) -> Result<()> {
    let mut callees = Vec::with_capacity(module.helpers.len());
    // In order: the output of a helper is known before a call of it is checked.
    for (index, helper) in module.helpers.iter().enumerate() {
        let located = |breach| located(helper, breach);
        let outputs = Check::new(module, helper, phase, &callees).function().map_err(located)?;
        match outputs[..] {
            [ty] => callees.push(ty),
            _ => return Err(located(format!("helper {index} has {} outputs, not one", outputs.len()))),
        }
    }
    let located = |breach| located(&module.main, breach);
    if module.main.params != ValueList::EMPTY {
        return Err(located("the main function has parameters".into()));
    }
    Check::new(module, &module.main, phase, &callees).function().map_err(located)?;
    Ok(())
}

#[cold]
fn located(f: &Func, breach: String) -> Error {
    Error::new(crate::error::Kind::Verify(format!("function {}: {breach}", f.name)), At::Whole)
}

/// A breach in words.
type Checked<T = ()> = std::result::Result<T, String>;

/// Scope state of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its definition.
    Unseen,
    /// Usable.
    Visible,
    /// Defined in a region that is over.
    Gone,
}

/// A region that has begun.
struct Begun {
    region: Region,
    /// Number of values that were visible where it began.
    scope: usize,
    /// Set if the last item never falls through.
    ended: bool,
}

struct Check<'a> {
    module: &'a Module,
    f: &'a Func,
    phase: Phase,
    /// Outputs of the helpers that may be called.
    callees: &'a [Type],
    states: Vec<State>,
    visible: Vec<Value>,
    regions: Vec<bool>,
    nodes: Vec<bool>,
    pool: Vec<bool>,
    walk: Walk,
    begun: Vec<Begun>,
    /// By open construct: whether an exit reaches its end.
    falls_through: Vec<bool>,
    outputs: Vec<Type>,
}

impl<'a> Check<'a> {
    fn new(module: &'a Module, f: &'a Func, phase: Phase, callees: &'a [Type]) -> Self {
        Self {
            module,
            f,
            phase,
            callees,
            states: vec![State::Unseen; f.values.len()],
            visible: Vec::with_capacity(f.values.len()),
            regions: vec![false; f.regions.len()],
            nodes: vec![false; f.nodes.len()],
            pool: vec![false; f.pool.len()],
            walk: Walk::new(f),
            begun: Vec::new(),
            falls_through: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Checks the function and returns the types of its outputs.
    fn function(mut self) -> Checked<Vec<Type>> {
        self.claim(self.f.params)?;
        for &param in self.f.get(self.f.params) {
            self.define(param, Def::Param)?;
        }
        self.f.body.ok_or("no body")?;
        while let Some(step) = self.walk.next(self.f) {
            match step {
                Step::Begin(region) => self.enter_region(region)?,
                Step::Let(value) => {
                    self.falls_through_here()?;
                    self.evaluate(value)?;
                }
                Step::Enter(node) => {
                    self.falls_through_here()?;
                    self.enter_node(node)?;
                }
                Step::End(region) => self.leave_region(region)?,
                Step::Leave(node) => self.leave_node(node)?,
            }
        }
        if self.phase == Phase::Legal {
            literal_zeros(self.f)?;
        }
        Ok(self.outputs)
    }

    /// Checks that an item may follow here.
    fn falls_through_here(&self) -> Checked {
        if let Some(Begun { region, ended: true, .. }) = self.begun.last() {
            return Err(format!("{region} has items after one that never falls through"));
        }
        Ok(())
    }

    fn enter_region(&mut self, region: Region) -> Checked {
        match self.regions.get_mut(region.index()) {
            None => return Err(format!("{region} does not exist")),
            Some(true) => return Err(format!("{region} is used twice")),
            Some(seen) => *seen = true,
        }
        // What the region defines goes when it ends.
        self.begun.push(Begun { region, scope: self.visible.len(), ended: false });
        match self.walk.parent() {
            Some(node) => self.define_all(self.f.nodes[node].params(), Def::Param),
            None => Ok(()),
        }
    }

    fn enter_node(&mut self, node: Node) -> Checked {
        match self.nodes.get_mut(node.index()) {
            None => return Err(format!("{node} does not exist")),
            Some(true) => return Err(format!("{node} is used twice")),
            Some(seen) => *seen = true,
        }
        let data = &self.f.nodes[node];
        match data {
            NodeData::If { cond, .. } => self.operand(*cond, Type::BOOL)?,
            NodeData::Switch { selector, cases, .. } => {
                self.operand(*selector, Type::I32)?;
                let values = || cases.iter().flat_map(|(values, _)| values);
                if cases.iter().any(|(values, _)| values.is_empty()) || !values().is_sorted_by(|a, b| a < b) {
                    return Err(format!("{node}: cases are empty or not ascending"));
                }
            }
            NodeData::Loop { params, inits, .. } => {
                self.claim(*params)?;
                self.claim(*inits)?;
                self.agree(*inits, *params, "inits")?;
            }
            NodeData::Block { .. } => {}
        }
        self.claim(data.results())?;
        self.falls_through.push(false);
        Ok(())
    }

    fn leave_node(&mut self, node: Node) -> Checked {
        let results = self.f.nodes[node].results();
        self.define_all(results, Def::Result)?;
        if self.falls_through.pop() == Some(true) {
            return Ok(());
        }
        if results.len != 0 {
            return Err(format!("{node} never falls through but has results"));
        }
        if let Some(around) = self.begun.last_mut() {
            around.ended = true;
        }
        Ok(())
    }

    fn leave_region(&mut self, region: Region) -> Checked {
        let exit = self.f.regions[region].exit;
        // Also of exits without a target, which are breaches anyway.
        self.claim(exit.list())?;
        match (self.walk.target(exit), exit) {
            (Some(target), _) => self.exit_to(region, target)?,
            (None, Exit::Yield(list)) => {
                let types = self.f.get(list).iter().map(|&value| self.usable(value));
                self.outputs = types.collect::<Checked<_>>()?;
            }
            (None, Exit::Break(_)) => return Err(format!("{region}: nothing to break from")),
            (None, Exit::Continue(_)) => return Err(format!("{region}: no loop")),
            (None, Exit::Unreachable) => {}
        }
        let Some(Begun { scope, ended, .. }) = self.begun.pop() else {
            unreachable!("every region that ends has begun")
        };
        if ended != (exit == Exit::Unreachable) {
            let wrong = if ended { "does not say that its end" } else { "says that its end" };
            return Err(format!("{region} {wrong} is unreachable"));
        }
        for &value in &self.visible[scope..] {
            self.states[value.index()] = State::Gone;
        }
        self.visible.truncate(scope);
        Ok(())
    }

    /// Checks the values that `region` gives where it exits to a construct.
    fn exit_to(&mut self, region: Region, target: Target) -> Checked {
        let exit = self.f.regions[region].exit;
        let data = &self.f.nodes[target.node];
        if data.is_loop() && matches!(exit, Exit::Yield(_)) {
            return Err(format!("{region}: the body of a loop yields"));
        }
        // A loop that only continues never ends.
        self.falls_through[target.depth] |= !matches!(exit, Exit::Continue(_));
        let agrees = self.agree(exit.list(), data.takers(exit), "exit");
        agrees.map_err(|breach| format!("{region}: {breach}"))
    }

    /// Takes a list's part of the pool.
    fn claim(&mut self, list: ValueList) -> Checked {
        let end = list.start.checked_add(list.len);
        let part = end.and_then(|end| self.pool.get_mut(list.start as usize..end as usize));
        let part = part.ok_or_else(|| format!("the list {list:?} lies outside the pool"))?;
        // Each list may be edited in place, so none may share its part of the pool.
        if part.contains(&true) {
            return Err(format!("the list {list:?} overlaps another"));
        }
        part.fill(true);
        Ok(())
    }

    /// Checks that usable values agree in number and types with another list.
    fn agree(&self, values: ValueList, with: ValueList, what: &str) -> Checked {
        let (values, with) = (self.f.get(values), self.f.get(with));
        // `zip` below would pass over the rest.
        if values.len() != with.len() {
            return Err(format!("{what} has {} values, {} expected", values.len(), with.len()));
        }
        for (&value, &like) in values.iter().zip(with) {
            let ty = self.f.values.get(like).ok_or_else(|| format!("{like} does not exist"))?.ty;
            self.operand(value, ty)?;
        }
        Ok(())
    }

    /// Type of a value that may be used here.
    fn usable(&self, value: Value) -> Checked<Type> {
        match self.states.get(value.index()) {
            None => Err(format!("{value} does not exist")),
            Some(State::Unseen) => Err(format!("{value} is used before its definition")),
            Some(State::Gone) => Err(format!("{value} is used outside its scope")),
            Some(State::Visible) => Ok(self.f.ty(value)),
        }
    }

    fn operand(&self, value: Value, expected: Type) -> Checked {
        let ty = self.usable(value)?;
        if ty == expected { Ok(()) } else { Err(format!("{value} is {ty}, {expected} expected")) }
    }

    fn define_all(&mut self, list: ValueList, def: Def) -> Checked {
        self.f.get(list).iter().try_for_each(|&value| self.define(value, def))
    }

    /// Makes a parameter or result visible.
    fn define(&mut self, value: Value, def: Def) -> Checked {
        let data = self.f.values.get(value).ok_or_else(|| format!("{value} does not exist"))?;
        if data.def != def {
            return Err(format!("{value} is listed as {def:?} but is {:?}", data.def));
        }
        self.reveal(value)
    }

    fn reveal(&mut self, value: Value) -> Checked {
        if self.states[value.index()] != State::Unseen {
            return Err(format!("{value} is defined twice"));
        }
        // Back ends index tables by the number of lanes.
        let lanes = self.f.ty(value).lanes;
        if !(1..=4).contains(&lanes) {
            return Err(format!("{value} has {lanes} lanes"));
        }
        self.states[value.index()] = State::Visible;
        self.visible.push(value);
        Ok(())
    }

    fn evaluate(&mut self, value: Value) -> Checked {
        let data = self.f.values.get(value).ok_or_else(|| format!("{value} does not exist"))?;
        let Def::Op(op) = data.def else {
            return Err(format!("{value} is evaluated but is {:?}", data.def));
        };
        if let Op::Call { args, .. } | Op::Submit { args } = op {
            self.claim(args)?;
        }
        self.check_operation(value, op, data.ty).map_err(|breach| format!("{value}: {breach}"))?;
        self.reveal(value)
    }

    /// Checks the operation that computes a value of type `ty`.
    fn check_operation(&self, value: Value, op: Op, ty: Type) -> Checked {
        if self.phase == Phase::Legal && op.is_pica() {
            return Err("this operation is for `legalize` to remove".into());
        }
        match op {
            Op::Const(bits) => constant(bits, ty),
            Op::Read(Resource::IntUniform { component: 4.., .. }) => Err("there is no such component".into()),
            Op::Read(resource) => read(resource.row(), ty),
            Op::ReadAt(array, index) => {
                self.operand(index, Type::I32)?;
                read(array.row(), ty)
            }
            Op::Submit { args } => self.submit(args, ty),
            Op::Shuffle(lanes) => self.shuffle(lanes, ty),
            Op::Unary(op, a) => self.unary(op, a, ty),
            Op::Binary(op, a, b) => self.binary(op, a, b, ty),
            Op::Select { cond, a, b } => {
                self.operand(cond, ty.with_kind(ScalarKind::Bool))?;
                self.operand(a, ty)?;
                self.operand(b, ty)
            }
            Op::Call { helper, args } => self.call(value, usize::from(helper), args, ty),
        }
    }

    fn shuffle(&self, lanes: [Lane; 4], ty: Type) -> Checked {
        for (index, lane) in lanes.into_iter().enumerate() {
            let source = self.usable(lane.value())?;
            if source.kind != ty.kind || lane.index() >= source.lanes {
                return Err(format!("{lane} is not a lane of kind {} ({source})", ty.with_lanes(1)));
            }
            if index >= usize::from(ty.lanes) && lane != lanes[0] {
                return Err(format!("{lane} lies beyond the type and does not repeat the first lane"));
            }
        }
        Ok(())
    }

    fn unary(&self, op: Unary, a: Value, ty: Type) -> Checked {
        self.operand(a, ty.with_kind(op.signature().operand))?;
        result(op.result(self.f.ty(a)), ty)
    }

    fn binary(&self, op: Binary, a: Value, b: Value, ty: Type) -> Checked {
        let operand = self.usable(a)?;
        self.operand(b, operand)?;
        if operand.kind != op.signature().operand {
            return Err(format!("{a} is {operand}, {} expected", operand.with_kind(op.signature().operand)));
        }
        // SPIR-V and WGSL have no dot product of scalars.
        if op.shape() == Shape::Dot && operand.lanes < 2 {
            return Err("a dot product of scalars".into());
        }
        result(op.result(operand), ty)
    }

    fn submit(&self, args: ValueList, ty: Type) -> Checked {
        let Some((&count, vertices)) = self.f.get(args).split_first() else {
            return Err("a submission without a number of triangles".into());
        };
        self.operand(count, Type::I32)?;
        if !vertices.len().is_multiple_of(3) {
            return Err(format!("{} outputs for three vertices", vertices.len()));
        }
        vertices.iter().try_for_each(|&output| self.operand(output, Type::F32X4))?;
        result(Type::I32, ty)
    }

    fn call(&self, value: Value, helper: usize, args: ValueList, ty: Type) -> Checked {
        // Without this a helper could call itself, and nothing bounds recursion.
        let Some(&output) = self.callees.get(helper) else {
            return Err(format!("{value} calls helper {helper}, which is not before its caller"));
        };
        let callee = &self.module.helpers[helper];
        let (args, params) = (self.f.get(args), callee.get(callee.params));
        if args.len() != params.len() {
            return Err(format!("{} arguments, {} expected", args.len(), params.len()));
        }
        args.iter().zip(params).try_for_each(|(&arg, &param)| self.operand(arg, callee.ty(param)))?;
        if ty == output { Ok(()) } else { Err(format!("the helper gives {output}, not {ty}")) }
    }
}

/// Checks that no operand of a product or sum is a constant zero.
fn literal_zeros(f: &Func) -> Checked {
    for (user, data) in f.values.iter() {
        let Def::Op(Op::Binary(Binary::Add | Binary::Mul, a, b)) = data.def else { continue };
        for operand in [a, b] {
            if (0..data.ty.lanes).any(|lane| is_zero(f, Lane::new(operand, lane))) {
                return Err(format!("{user}: {operand} has a lane that is a constant zero"));
            }
        }
    }
    Ok(())
}

/// Returns whether a lane is a constant zero, seen through shuffles.
fn is_zero(f: &Func, mut lane: Lane) -> bool {
    // Each step goes to an earlier value.
    while let Some(Op::Shuffle(lanes)) = f.op(lane.value()) {
        lane = lanes[usize::from(lane.index())];
    }
    matches!(f.op(lane.value()), Some(Op::Const(bits)) if bits[usize::from(lane.index())] & MAGNITUDE == 0)
}

fn constant(bits: [u32; 4], ty: Type) -> Checked {
    let inside = &bits[..usize::from(ty.lanes.min(4))];
    if bits[inside.len()..].iter().any(|&bits| bits != 0) {
        return Err("the constant has lanes beyond its type".into());
    }
    if ty.kind == ScalarKind::Bool && inside.iter().any(|&bits| bits > 1) {
        return Err("a truth value is neither 0 nor 1".into());
    }
    Ok(())
}

fn read(row: Row, ty: Type) -> Checked {
    match row.number {
        Some(number) if u32::from(number) >= row.count => {
            Err(format!("number {number} is not below {}", row.count))
        }
        _ if row.results.contains(&ty) => Ok(()),
        _ => match row.results {
            [only] => result(*only, ty),
            _several => Err(format!("no {} is {ty}", row.word)),
        },
    }
}

fn result(expected: Type, ty: Type) -> Checked {
    if ty == expected { Ok(()) } else { Err(format!("the result is {expected}, not {ty}")) }
}
