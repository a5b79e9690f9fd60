//! Functions: values, regions and the nodes that nest them.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use super::op::resource::Resource;
use super::op::{Def, Op};
use super::types::{Type, Value};
use crate::program::isa::Pc;
use crate::support::entity::Arena;

crate::define_handle! {
    /// A sequence of items.
    Region, "region";
    /// A nesting construct: `if`, loop, block or switch.
    Node, "node";
}

/// A run of values in [`Func::pool`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueList {
    /// First index in the pool.
    pub start: u32,
    /// Its length.
    pub len: u32,
}

impl ValueList {
    /// No value.
    pub const EMPTY: Self = Self { start: 0, len: 0 };
    /// As a range of the pool.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A register that a value came from; only names in readable output follow from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HintRegister {
    /// No register.
    #[default]
    None,
    /// r0..r15
    Temp(u8),
    /// o0..o15
    Output(u8),
    /// a0
    Address,
    /// aL
    Counter,
    /// cmp
    Flags,
    /// Iterations left of the loop in a slot.
    LoopLeft(u8),
    /// The number of an invocation of a geometry program.
    Invocation,
    /// Triangles so far.
    Count,
    /// A register by its name in the source, by number: in drafts of texts alone.
    Named(u16),
}

/// Origin of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hint {
    /// The register.
    pub register: HintRegister,
    /// Its components, bit 0 is x, in lane order.
    pub mask: u8,
}

/// A value: its type, its definition, where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub def: Def,
    /// Register of its origin.
    pub hint: Hint,
}

/// One step of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// Evaluates a value whose definition is [`Def::Op`].
    Let(Value),
    /// Runs a nested construct.
    Node(Node),
}

/// End of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Reaches its end: gives the results of the enclosing `If`, `Block` or `Switch`, or the
    /// outputs of the function. A loop body never yields.
    Yield(ValueList),
    /// Leaves the innermost `Loop`, `Block` or `Switch` with its results.
    Break(ValueList),
    /// Next iteration of the innermost `Loop` with its parameters. May cross `If`, `Block` and
    /// `Switch`.
    Continue(ValueList),
    /// Never reached (the last item never falls through).
    Unreachable,
}

impl Exit {
    /// The values that it gives.
    #[inline]
    pub fn list(self) -> ValueList {
        match self {
            Self::Yield(list) | Self::Break(list) | Self::Continue(list) => list,
            Self::Unreachable => ValueList::EMPTY,
        }
    }

    /// The same exit with another list.
    #[inline]
    #[must_use]
    pub fn with_list(self, list: ValueList) -> Self {
        match self {
            Self::Yield(_) => Self::Yield(list),
            Self::Break(_) => Self::Break(list),
            Self::Continue(_) => Self::Continue(list),
            Self::Unreachable => Self::Unreachable,
        }
    }
}

/// A sequence of items and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionData {
    /// The items in order.
    pub items: Vec<Item>,
    /// Its exit.
    pub exit: Exit,
}

impl Default for RegionData {
    fn default() -> Self {
        Self { items: Vec::new(), exit: Exit::Unreachable }
    }
}

/// A nesting construct. Values defined inside a region are visible in it, after their definition,
/// and in regions nested there; a construct's results are visible after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeData {
    /// Runs one of two regions. Results come from the arms that yield; with none, it never falls
    /// through.
    If {
        /// bool scalar.
        cond: Value,
        /// Region for true.
        then: Region,
        /// Region for false.
        otherwise: Region,
        /// Results.
        results: ValueList,
    },
    /// Repeats a region. Left by `Break` only.
    Loop {
        /// Parameters, visible in the body.
        params: ValueList,
        /// Their values in the first iteration.
        inits: ValueList,
        /// The body; ends in `Continue`, `Break` or `Unreachable`.
        body: Region,
        /// Results, given by each `Break`.
        results: ValueList,
    },
    /// Runs a region once; `Break` leaves it early.
    Block {
        /// The body.
        body: Region,
        /// Results, given by each `Break` and by the `Yield` of the body.
        results: ValueList,
    },
    /// Runs one of several regions. No fall-through between cases.
    Switch {
        /// i32 scalar.
        selector: Value,
        /// Values (ascending, disjoint, at least one each) and regions.
        cases: Vec<(Vec<i32>, Region)>,
        /// For all other values.
        default: Region,
        /// Results, given by each `Break` and by the `Yield` of each case.
        results: ValueList,
    },
}

/// A run of values by the instruction that they were made for; it ends where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first value.
    pub first: Value,
    /// The values before this one compute the results of the instruction; later ones only stand
    /// near it, as those of control flow do.
    pub end: Value,
    /// Address of the instruction.
    pub pc: Option<Pc>,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Func {
    /// Its name in readable output.
    pub name: Cow<'static, str>,
    /// The noun in the names of its results in readable output: `product`, `has_nan`. May be empty.
    pub noun: &'static str,
    /// All values.
    pub values: Arena<Value, ValueData>,
    /// All regions.
    pub regions: Arena<Region, RegionData>,
    /// All nesting constructs.
    pub nodes: Arena<Node, NodeData>,
    /// Storage of all value lists.
    pub pool: Vec<Value>,
    /// Parameters (helper functions only).
    pub params: ValueList,
    /// The outermost region; its `Yield` gives the outputs.
    pub body: Option<Region>,
    /// Runs of values by the instruction that they were made for, ascending. Only comments in
    /// readable output follow from it, and [`Places`](super::places::Places).
    pub places: Vec<Place>,
    /// Values that passes replaced by equal ones, each with that one, in the order of the passes.
    pub merged: Vec<(Value, Value)>,
    /// A product of it that modules share as they share the function.
    pub kept: Kept,
}

/// A product of a function. It is no part of the function: copies of that have none.
#[derive(Default)]
pub struct Kept(pub OnceLock<Box<dyn Any + Send + Sync + UnwindSafe + RefUnwindSafe>>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Kept {}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl Func {
    /// Returns the run of a value; one without an address for values that passes made.
    pub fn place(&self, value: Value) -> Option<Place> {
        let after = self.places.partition_point(|place| place.first <= value);
        self.places[..after].last().copied()
    }
    /// Begins the values of an instruction, which [`end_instruction`](Self::end_instruction) ends,
    /// or values near one.
    #[inline]
    pub fn begin_place(&mut self, pc: Option<Pc>) {
        let first = Value(self.values.len() as u32);
        self.places.push(Place { first, end: first, pc });
    }
    /// Ends the values of an instruction: what follows is control flow near it.
    #[inline]
    pub fn end_instruction(&mut self) {
        let end = Value(self.values.len() as u32);
        if let Some(last) = self.places.last_mut() {
            last.end = end;
        }
    }
    /// Notes that a pass replaces a value by an equal one.
    #[cold]
    pub fn merge(&mut self, value: Value, by: Value) {
        self.merged.push((value, by));
    }
    /// Adds a value that no item evaluates yet.
    pub fn value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push(ValueData { ty, def, hint: Hint::default() })
    }
    /// Adds a value and the item that evaluates it at the end of `region`.
    pub fn emit(&mut self, region: Region, ty: Type, op: Op) -> Value {
        let value = self.value(ty, Def::Op(op));
        let items = &mut self.regions[region].items;
        if items.is_empty() {
            // Most regions that have an item have several.
            items.reserve(16);
        }
        items.push(Item::Let(value));
        value
    }
    /// Stores a list of values.
    pub fn list(&mut self, values: impl IntoIterator<Item = Value>) -> ValueList {
        let start = self.pool.len() as u32;
        self.pool.extend(values);
        ValueList { start, len: self.pool.len() as u32 - start }
    }
    /// The values of a list.
    #[inline]
    pub fn get(&self, list: ValueList) -> &[Value] {
        &self.pool[list.range()]
    }
    /// Type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// The operation that computes a value, if one does.
    #[inline]
    pub fn op(&self, value: Value) -> Option<Op> {
        match self.values[value].def {
            Def::Op(op) => Some(op),
            Def::Param | Def::Result | Def::Dead => None,
        }
    }
    /// The resources that it reads by number, in order of values, with their types.
    pub fn reads(&self) -> impl Iterator<Item = (Type, Resource)> + '_ {
        self.values.values().iter().filter_map(|data| match data.def {
            Def::Op(Op::Read(resource)) => Some((data.ty, resource)),
            Def::Op(_) | Def::Param | Def::Result | Def::Dead => None,
        })
    }
}

/// The main function and the helpers it calls. Helpers call only helpers before them.
///
/// The outputs of `main` correspond to the interface: for the vertex entry one value for each
/// [`Output`](crate::host::Output), in order; for the compute entry sixteen f32x4, the registers
/// o0..o15.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The program.
    pub main: Func,
    /// Helper functions, shared with the modules that have the same.
    pub helpers: Vec<Arc<Func>>,
}

impl Module {
    /// Every function, helpers first, to change it: those that other modules share are copied.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Func> {
        self.helpers.iter_mut().map(Arc::make_mut).chain([&mut self.main])
    }
}
