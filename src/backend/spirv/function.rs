//! Functions: lowers the structured tree to blocks with merge instructions, results and parameters
//! to phis.
//! In: a function of the intermediate form. Out: `OpFunction` to `OpFunctionEnd`. Knows no
//! operation (see `ops`).
//! Rules: SPIR-V 2.11 (structured control flow). `Block` is a switch with a default only. naga
//! loses a branch to a loop's merge from inside a switch and a switch default that continues a loop
//! (drivers.md#naga-switch-exits). Neither is written here: `Break` leaves the innermost construct
//! only, and a default always has a block of its own or is the merge.

use ::spirv::{FunctionControl, LoopControl, Op, SelectionControl, Word};

use super::interface::Variables;
use super::leaving::Leaving;
use super::writer::{Section, Writer};
use crate::backend::interface::{BackendInput, defect};
use crate::error::{At, Result};
use crate::ir::{Exit, Func, Item, Node, NodeData, Region, Targets, Type, Value, ValueList};
use crate::limits;
use crate::support::entity::Handle;

/// No index.
const NONE: u32 = u32::MAX;
/// Words of a phi with two predecessors, and the place of its second value.
const HEADER_PHI: (usize, usize) = (7, 5);

/// Working memory, kept between functions.
#[derive(Default)]
pub(super) struct State {
    /// Id of each value; 0 before its definition.
    pub(super) ids: Vec<Word>,
    scopes: Vec<Scope>,
    exits: Vec<ExitRecord>,
    /// Masks of the input registers that each helper reads, then those of the main function.
    pub(super) reads: Vec<u16>,
    /// Helpers written so far: function and result type.
    pub(super) helpers: Vec<(Word, Type)>,
    /// Operands of one instruction.
    pub(super) operands: Vec<Word>,
    /// The words of the code section that evaluate each value of the main function, if that is
    /// noted.
    pub(super) trace: Option<Vec<(std::ops::Range<usize>, Value)>>,
}

/// Values that one branch passes to its target.
struct ExitRecord {
    values: ValueList,
    from: Word,
    next: u32,
}

/// A list of [`ExitRecord`]s in the order of their branches.
#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

impl Chain {
    const EMPTY: Self = Self { first: NONE, last: NONE };
}

/// An open construct, and the position in its current region.
struct Scope {
    kind: ScopeKind,
    /// Regions that are still to be written.
    arms: [Arm; 2],
    region: Region,
    item: usize,
    merge: Word,
    results: ValueList,
    /// Branches to the merge block.
    exits: Chain,
    continue_label: Word,
    params: ValueList,
    /// Branches to the continue block.
    continues: Chain,
    /// Indices of the scopes that the exits of its regions lead to.
    targets: Targets<usize>,
}

/// A region that has a block of its own, and its label.
type Arm = Option<(Region, Word)>;

#[derive(Clone, Copy)]
enum ScopeKind {
    /// The function; `walk` starts its region.
    Function,
    /// An `If` or a `Block`.
    Plain,
    Loop {
        header: Word,
        /// Place of the header's first phi in the code.
        phis: usize,
    },
    Switch {
        node: Node,
        /// The case to write next; the default comes after the last.
        next: usize,
        /// Label of the first case; the others follow.
        labels: Word,
    },
}

/// Target of a branch.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Target {
    scope: usize,
    /// To the continue block, not to the merge block.
    continues: bool,
}

/// Writes one function.
pub(super) struct Body<'a> {
    pub(super) w: &'a mut Writer,
    pub(super) s: &'a mut State,
    pub(super) vars: &'a Variables,
    pub(super) source: &'a BackendInput<'a>,
    pub(super) func: &'a Func,
    /// The function is the entry point.
    pub(super) is_main: bool,
    /// The `GLSL.std.450` import.
    pub(super) glsl: Word,
    /// Contents of v0..v15, as far as they are read.
    pub(super) registers: [Word; 16],
    /// First element of this invocation's vertex in the buffers (compute entry).
    pub(super) base: Word,
    /// Index of this thread (geometry programs).
    pub(super) thread: Word,
    /// Label of the block that is being written.
    pub(super) block: Word,
    /// The first operand that had no definition.
    pub(super) undefined: Option<Value>,
}

impl Body<'_> {
    /// Writes a helper function; its id and result type go to the state.
    pub(super) fn helper(&mut self) -> Result<Word> {
        let func = self.func;
        let Some(&[value]) = self.outputs().map(|list| func.get(list)) else {
            return Err(defect(format!("helper {} does not have one output", func.name)));
        };
        let ty = func.ty(value);
        let id = self.begin(Some(ty))?;
        self.load_inputs();
        self.walk()?;
        self.s.helpers.push((id, ty));
        Ok(id)
    }

    /// Writes the main function and returns its id.
    pub(super) fn main(&mut self) -> Result<Word> {
        let id = self.begin(None)?;
        self.check_invocation()?;
        self.load_inputs();
        self.walk()?;
        Ok(id)
    }

    /// Returns the yield of the outermost region.
    fn outputs(&self) -> Option<ValueList> {
        if let Exit::Yield(list) = self.func.regions[self.func.body?].exit { Some(list) } else { None }
    }

    /// Writes `OpFunction`, its parameters and the first label.
    fn begin(&mut self, result: Option<Type>) -> Result<Word> {
        let func = self.func;
        self.s.ids.clear();
        self.s.ids.resize(func.values.len(), 0);
        // The list is taken out and put back for its memory: `self` is borrowed in between.
        let mut signature = std::mem::take(&mut self.s.operands);
        signature.clear();
        signature.push(match result {
            Some(ty) => self.w.ty(ty),
            None => self.w.void(),
        });
        for &param in func.get(func.params) {
            signature.push(self.w.ty(func.ty(param)));
        }
        let function_type = self.w.function_type(&signature);
        let id = self.w.id();
        let control = FunctionControl::NONE.bits();
        self.w.effect(Op::Function, &[signature[0], id, control, function_type]);
        for (&param, &ty) in func.get(func.params).iter().zip(&signature[1..]) {
            self.s.ids[param.index()] = self.w.value(Op::FunctionParameter, ty, &[]);
        }
        self.s.operands = signature;
        let label = self.w.id();
        self.place(label);
        Ok(id)
    }

    /// Starts the block with this label.
    pub(super) fn place(&mut self, label: Word) {
        self.w.effect(Op::Label, &[label]);
        self.block = label;
    }

    /// Writes all regions and `OpFunctionEnd`.
    fn walk(&mut self) -> Result<()> {
        let body =
            self.func.body.ok_or_else(|| defect(format!("function {} has no body", self.func.name)))?;
        self.s.exits.clear();
        self.s.scopes.clear();
        self.push(None, ScopeKind::Function, [None; 2], 0);
        self.scope().region = body;
        let func = self.func;
        // No `ir::Walk`: regions that only exit get no block and are never entered.
        while let Some(scope) = self.s.scopes.last() {
            let (region, mut item) = (&func.regions[scope.region], scope.item);
            let node = loop {
                match region.items.get(item) {
                    Some(&Item::Let(value)) => {
                        let start = self.w.section(Section::Code).len();
                        self.define(value)?;
                        if let Some(trace) = &mut self.s.trace
                            && self.is_main
                        {
                            trace.push((start..self.w.section(Section::Code).len(), value));
                        }
                    }
                    Some(&Item::Node(node)) => break Some(node),
                    None => break None,
                }
                item += 1;
            };
            if let Some(node) = node {
                self.scope().item = item + 1;
                self.open(node)?;
            } else {
                self.leave(region.exit)?;
                self.advance()?;
            }
        }
        self.w.effect(Op::FunctionEnd, &[]);
        match self.undefined {
            None => Ok(()),
            Some(value) => Err(defect(format!("{value} is used before its definition"))),
        }
    }

    /// Returns the innermost open construct.
    fn scope(&mut self) -> &mut Scope {
        self.s.scopes.last_mut().expect("the function's scope is popped last")
    }

    /// Opens a construct, or the function without a node.
    fn push(&mut self, node: Option<Node>, kind: ScopeKind, arms: [Arm; 2], merge: Word) {
        let index = self.s.scopes.len();
        let (mut targets, mut results) = (Targets::default(), ValueList::EMPTY);
        if let (Some(node), Some(outer)) = (node, self.s.scopes.last()) {
            let data = &self.func.nodes[node];
            (targets, results) = (outer.targets.inside(data, index), data.results());
        }
        self.s.scopes.push(Scope {
            kind,
            arms,
            region: Region(0),
            item: 0,
            merge,
            results,
            exits: Chain::EMPTY,
            continue_label: 0,
            params: ValueList::EMPTY,
            continues: Chain::EMPTY,
            targets,
        });
    }

    /// Ends the current block with the exit of the region.
    fn leave(&mut self, exit: Exit) -> Result<()> {
        if exit == Exit::Unreachable {
            self.w.effect(Op::Unreachable, &[]);
            return Ok(());
        }
        // The function's yield is its return; other yields branch to the merge block of their
        // construct.
        if let (ScopeKind::Function, Exit::Yield(list)) = (&self.scope().kind, exit) {
            return self.yield_outputs(list);
        }
        let target = self.record(exit)?;
        self.w.effect(Op::Branch, &[target]);
        Ok(())
    }

    /// Returns from the function.
    fn yield_outputs(&mut self, list: ValueList) -> Result<()> {
        let func = self.func;
        if self.is_main {
            return self.store_outputs(func.get(list));
        }
        for &value in func.get(list) {
            let id = self.id(value);
            self.w.effect(Op::ReturnValue, &[id]);
        }
        Ok(())
    }

    /// Returns the target of an exit of the innermost construct's region.
    fn target(&self, exit: Exit) -> Result<Target> {
        let targets = self.s.scopes.last().map(|scope| scope.targets).unwrap_or_default();
        let no_target = || defect(format!("function {}: {exit:?} has no target", self.func.name));
        let scope = targets.resolve(exit).ok_or_else(no_target)?;
        let continues = matches!(exit, Exit::Continue(_));
        // Nothing falls out of the end of a loop's body.
        if matches!((&self.s.scopes[scope].kind, exit), (ScopeKind::Loop { .. }, Exit::Yield(_))) {
            return Err(no_target());
        }
        Ok(Target { scope, continues })
    }

    /// Records the branch of the current block for `exit` and returns its target label.
    fn record(&mut self, exit: Exit) -> Result<Word> {
        let (target, values) = (self.target(exit)?, exit.list());
        let State { scopes, exits, .. } = &mut *self.s;
        let scope = &mut scopes[target.scope];
        let (label, chain, expected) = if target.continues {
            (scope.continue_label, &mut scope.continues, scope.params)
        } else {
            (scope.merge, &mut scope.exits, scope.results)
        };
        if values.len != expected.len {
            return Err(defect(format!("an exit gives {} of {} values", values.len, expected.len)));
        }
        // Records of all targets share one list; a chain links those of one target.
        let record = exits.len() as u32;
        exits.push(ExitRecord { values, from: self.block, next: NONE });
        match exits.get_mut(chain.last as usize) {
            Some(last) => last.next = record,
            None => chain.first = record,
        }
        chain.last = record;
        Ok(label)
    }

    /// Writes the head of a construct and starts its first region.
    fn open(&mut self, node: Node) -> Result<()> {
        match self.func.nodes[node] {
            NodeData::If { cond, then, otherwise, .. } => self.open_if(node, cond, [then, otherwise])?,
            NodeData::Loop { params, inits, body, .. } => self.open_loop(node, params, inits, body)?,
            NodeData::Block { body, .. } => {
                let (merge, label) = (self.w.id(), self.w.id());
                // A switch with a default only: SPIR-V allows branches to its merge block from
                // nested selections, but not to the merge block of a conditional.
                let zero = self.w.constant(Type::I32, [0; 4]);
                self.selection_merge(merge);
                self.w.effect(Op::Switch, &[zero, label]);
                self.push(Some(node), ScopeKind::Plain, [Some((body, label)), None], merge);
            }
            NodeData::Switch { selector, ref cases, default, .. } => {
                self.open_switch(node, selector, cases, default);
            }
        }
        self.advance()
    }

    pub(super) fn selection_merge(&mut self, merge: Word) {
        self.w.effect(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
    }

    fn open_if(&mut self, node: Node, cond: Value, regions: [Region; 2]) -> Result<()> {
        let cond = self.id(cond);
        let merge = self.w.id();
        // Exits of the arms find their targets from inside the construct, so it is opened first.
        self.push(Some(node), ScopeKind::Plain, [None; 2], merge);
        let mut exits = regions.map(|region| bare_exit(self.func, region));
        // One block cannot give two sets of values to one target.
        if let [Some(a), Some(b)] = exits
            && self.target(a)? == self.target(b)?
        {
            exits[0] = None;
        }
        // An arm without items needs no block: the branch goes to the target of its exit.
        let mut arms: [Arm; 2] = [None; 2];
        let mut labels = [0; 2];
        for (side, (region, exit)) in regions.into_iter().zip(exits).enumerate() {
            labels[side] = match exit {
                Some(exit) => self.record(exit)?,
                None => self.w.id(),
            };
            arms[side] = exit.is_none().then_some((region, labels[side]));
        }
        self.selection_merge(merge);
        self.w.effect(Op::BranchConditional, &[cond, labels[0], labels[1]]);
        self.scope().arms = arms;
        Ok(())
    }

    fn open_loop(&mut self, node: Node, params: ValueList, inits: ValueList, body: Region) -> Result<()> {
        let func = self.func;
        if params.len != inits.len {
            return Err(defect(format!("a loop has {} values for {} parameters", inits.len, params.len)));
        }
        let (header, continue_label, merge, label) = (self.w.id(), self.w.id(), self.w.id(), self.w.id());
        let before = self.block;
        self.w.effect(Op::Branch, &[header]);
        self.place(header);
        let phis = self.w.section(Section::Code).len();
        for (&param, &init) in func.get(params).iter().zip(func.get(inits)) {
            let (ty, init) = (self.w.ty(func.ty(param)), self.id(init));
            // The value from the continue block is known when the loop is closed.
            self.s.ids[param.index()] = self.w.value(Op::Phi, ty, &[init, before, 0, continue_label]);
        }
        self.w.effect(Op::LoopMerge, &[merge, continue_label, LoopControl::NONE.bits()]);
        // A block has one merge instruction, so a body that begins with a construct needs its own
        // block.
        self.w.effect(Op::Branch, &[label]);
        self.push(Some(node), ScopeKind::Loop { header, phis }, [Some((body, label)), None], merge);
        let scope = self.scope();
        (scope.continue_label, scope.params) = (continue_label, params);
        Ok(())
    }

    fn open_switch(&mut self, node: Node, selector: Value, cases: &[(Vec<i32>, Region)], default: Region) {
        let selector = self.id(selector);
        let merge = self.w.id();
        let labels = self.w.id();
        // Consecutive ids: one for each case, then one for the default.
        for _ in cases {
            self.w.id();
        }
        self.selection_merge(merge);
        let func = self.func;
        let target = |index: usize, region: Region| {
            if goes_to_merge(func, region) { merge } else { labels + index as u32 }
        };
        let head = [selector, target(cases.len(), default)];
        let mut operands = std::mem::take(&mut self.s.operands);
        operands.clear();
        for (index, (values, region)) in cases.iter().enumerate() {
            let target = target(index, *region);
            operands.extend(values.iter().flat_map(|&value| [value as u32, target]));
        }
        self.w.put_list(Section::Code, Op::Switch, &head, &operands);
        self.s.operands = operands;
        self.push(Some(node), ScopeKind::Switch { node, next: 0, labels }, [None; 2], merge);
    }

    /// Starts the next region of the innermost construct, or closes it.
    fn advance(&mut self) -> Result<()> {
        match self.next_arm() {
            Some((region, label)) => {
                self.place(label);
                let scope = self.scope();
                (scope.region, scope.item) = (region, 0);
                // Checked at each block, so that memory is bounded while the module grows.
                limits::check("output_words", self.w.len(), self.source.limits.output_words, At::Whole)
            }
            None => {
                self.close();
                Ok(())
            }
        }
    }

    /// Returns the next region of the innermost construct that has a block of its own.
    fn next_arm(&mut self) -> Arm {
        let func = self.func;
        let Scope { arms, kind, .. } = self.scope();
        if let ScopeKind::Switch { node, next, labels } = kind {
            while let Some(region) = func.nodes[*node].child(*next) {
                let label = *labels + *next as u32;
                *next += 1;
                if !goes_to_merge(func, region) {
                    return Some((region, label));
                }
            }
        }
        arms[0].take().or_else(|| arms[1].take())
    }

    /// Ends the innermost construct: continue block of a loop, merge block, results.
    fn close(&mut self) {
        let Some(scope) = self.s.scopes.pop() else { return };
        match scope.kind {
            ScopeKind::Function => return,
            ScopeKind::Loop { header, phis, .. } => self.close_loop(&scope, header, phis),
            ScopeKind::Plain | ScopeKind::Switch { .. } => {}
        }
        self.place(scope.merge);
        let func = self.func;
        for (index, &result) in func.get(scope.results).iter().enumerate() {
            self.s.ids[result.index()] = self.gather(result, index, scope.exits, None);
        }
    }

    fn close_loop(&mut self, scope: &Scope, header: Word, phis: usize) {
        self.place(scope.continue_label);
        let func = self.func;
        let leaving = Leaving::find(func, scope.region, scope.params);
        for (index, &param) in func.get(scope.params).iter().enumerate() {
            let id = self.gather(param, index, scope.continues, leaving);
            // `open_loop` left this operand of the phi 0: the branches were not known yet.
            self.w.section(Section::Code)[phis + index * HEADER_PHI.0 + HEADER_PHI.1] = id;
        }
        self.w.effect(Op::Branch, &[header]);
    }

    /// Returns the value of a parameter or result at this index: a phi over the branches of a
    /// chain, unless all pass the same value.
    fn gather(&mut self, to: Value, index: usize, chain: Chain, leaving: Option<Leaving>) -> Word {
        let (func, ty) = (self.func, self.func.ty(to));
        let mut operands = std::mem::take(&mut self.s.operands);
        operands.clear();
        let mut record = chain.first;
        while let Some(exit) = self.s.exits.get(record as usize) {
            let (values, from) = (exit.values, exit.from);
            record = exit.next;
            let id = match leaving {
                Some(leaving) if leaving.drops(func, to, values) => self.w.bare(Op::Undef, ty),
                Some(_) | None => self.id(func.get(values)[index]),
            };
            operands.extend([id, from]);
        }
        let id = match operands.first() {
            // No branch leads here, but later code may still name the result.
            None => self.w.bare(Op::ConstantNull, ty),
            // A value of all branches dominates each of them, so it dominates the target without a
            // phi.
            Some(&first) if operands.iter().step_by(2).all(|&id| id == first) => first,
            Some(_) => {
                let ty = self.w.ty(ty);
                self.w.value_list(Op::Phi, ty, [], operands.iter().copied())
            }
        };
        self.s.operands = operands;
        id
    }

    /// Returns the id of an operand.
    #[inline]
    pub(super) fn id(&mut self, value: Value) -> Word {
        defined(&self.s.ids, &mut self.undefined, value)
    }
}

/// Returns the id of an operand, and notes the first one that has none.
#[inline]
pub(super) fn defined(ids: &[Word], undefined: &mut Option<Value>, value: Value) -> Word {
    let id = ids[value.index()];
    if id == 0 {
        // Reported at the end of the walk, so that operands need no `Result`.
        undefined.get_or_insert(value);
    }
    id
}

/// Returns the exit of a region without items: a branch to the region can go to the target of the
/// exit.
fn bare_exit(func: &Func, region: Region) -> Option<Exit> {
    let region = &func.regions[region];
    (region.items.is_empty() && region.exit != Exit::Unreachable).then_some(region.exit)
}

/// Returns whether a case of a switch needs no block: it has no items and no values.
fn goes_to_merge(func: &Func, case: Region) -> bool {
    matches!(bare_exit(func, case), Some(Exit::Yield(list) | Exit::Break(list)) if list.len == 0)
}
