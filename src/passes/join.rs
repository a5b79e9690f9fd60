//! Joins another evaluation to a module, which then runs after it.
//! In: two legal modules, both for one uniform block. Out: one, with the outputs of both. Knows no
//! arithmetic.
//!
//! The other one may read another block of the same layout, whose members have the numbers after
//! those of the first, or other inputs. Helpers that are equal become one; what both compute, `cse`
//! finds.

use std::sync::Arc;

use crate::ir::{
    Array, Def, Exit, Func, Item, Module, Node, NodeData, Op, Region, Resource, Value, ValueList,
};

/// Appends a module to another, with numbers of members from `members` on.
///
/// ```text
/// %0: f32x4 = member 0 ; yield %0     and the same    =>    %0 = member 0 ; %1 = member 3 ; yield %0, %1
/// ```
pub fn run(module: &mut Module, mut other: Module, members: u16) {
    let mut numbers: Vec<u16> = Vec::with_capacity(other.helpers.len());
    for mut helper in other.helpers {
        // Most helpers stay as they are, and shared.
        if renumbers(&helper, &numbers) {
            let f = Arc::make_mut(&mut helper);
            if renumber(f, &numbers, members) {
                f.name = format!("{}_again", f.name).into();
            }
        }
        let known = module.helpers.iter().position(|known| *known == helper);
        let number = known.unwrap_or_else(|| {
            module.helpers.push(helper);
            module.helpers.len() - 1
        });
        numbers.push(number as u16); // Range: as many as both modules have.
    }
    renumber(&mut other.main, &numbers, members);
    append(&mut module.main, other.main);
}

/// Gives the input registers of a function other numbers.
pub fn move_inputs(f: &mut Func, to: impl Fn(u8) -> u8) {
    for data in f.values.values_mut() {
        if let Def::Op(Op::Read(Resource::Input(register))) = &mut data.def {
            *register = to(*register);
        }
    }
}

/// The numbers in an operation: of a helper, and of a member of the block.
fn number(op: &mut Op) -> (Option<&mut u16>, Option<&mut u16>) {
    match op {
        Op::Call { helper, .. } => (Some(helper), None),
        Op::ReadAt(Array::Member(member), _)
        | Op::Read(Resource::Member { member, .. } | Resource::Index { member, .. }) => (None, Some(member)),
        _other_operation => (None, None),
    }
}

/// Returns whether a helper calls one that moves, or reads a member.
fn renumbers(f: &Func, numbers: &[u16]) -> bool {
    f.values.values().iter().any(|data| {
        let Def::Op(mut op) = data.def else { return false };
        let (helper, member) = number(&mut op);
        member.is_some() || helper.is_some_and(|helper| numbers[usize::from(*helper)] != *helper)
    })
}

/// Gives operations their new numbers. Returns whether members are among them.
fn renumber(f: &mut Func, numbers: &[u16], members: u16) -> bool {
    let mut reads = false;
    for data in f.values.values_mut() {
        let Def::Op(op) = &mut data.def else { continue };
        let (helper, member) = number(op);
        if let Some(helper) = helper {
            *helper = numbers[usize::from(*helper)];
        }
        if let Some(member) = member {
            *member += members;
            reads |= members > 0;
        }
    }
    reads
}

/// Appends the body of a function to that of another, and its outputs.
fn append(f: &mut Func, mut other: Func) {
    let (Some(body), Some(other_body)) = (f.body, other.body) else { return };
    let Exit::Yield(outputs) = f.regions[body].exit else {
        // It never ends, so nothing runs after it.
        return;
    };
    let moved = Moved {
        value: f.values.len() as u32,
        region: f.regions.len() as u32,
        node: f.nodes.len() as u32,
        pool: f.pool.len() as u32,
    };
    f.pool.extend(other.pool.iter().map(|value| moved.value(*value)));
    for mut data in other.values.values().iter().copied() {
        if let Def::Op(op) = &mut data.def {
            moved.op(op);
        }
        f.values.push(data);
    }
    for data in other.nodes.values() {
        f.nodes.push(moved.node(data));
    }
    for data in other.regions.values_mut() {
        data.items.iter_mut().for_each(|item| moved.item(item));
        data.exit = data.exit.with_list(moved.list(data.exit.list()));
        f.regions.push(std::mem::take(data));
    }
    f.places.extend(other.places.iter().map(|place| {
        let [first, end] = [place.first, place.end].map(|value| moved.value(value));
        crate::ir::Place { first, end, ..*place }
    }));
    f.merged.extend(other.merged.iter().map(|&(value, by)| (moved.value(value), moved.value(by))));
    let last = std::mem::take(&mut f.regions[moved.region(other_body)]);
    f.regions[body].items.extend(last.items);
    f.regions[body].exit = match last.exit {
        Exit::Yield(list) => {
            let both = [f.get(outputs), f.get(list)].concat();
            Exit::Yield(f.list(both))
        }
        never => never,
    };
}

/// Distances by which the parts of an appended function move.
struct Moved {
    value: u32,
    region: u32,
    node: u32,
    pool: u32,
}

impl Moved {
    fn value(&self, value: Value) -> Value {
        Value(value.0 + self.value)
    }
    fn region(&self, region: Region) -> Region {
        Region(region.0 + self.region)
    }
    fn list(&self, list: ValueList) -> ValueList {
        ValueList { start: list.start + self.pool, ..list }
    }
    fn item(&self, item: &mut Item) {
        *item = match *item {
            Item::Let(value) => Item::Let(self.value(value)),
            Item::Node(node) => Item::Node(Node(node.0 + self.node)),
        };
    }
    fn op(&self, op: &mut Op) {
        match op {
            // Their operands are in the pool.
            Op::Call { args, .. } | Op::Submit { args } => *args = self.list(*args),
            _ => op.replace_each(&mut [], |value| self.value(value)),
        }
    }
    fn node(&self, data: &NodeData) -> NodeData {
        let mut data = data.clone();
        if let Some(decider) = data.decider_mut() {
            *decider = self.value(*decider);
        }
        let results = data.results_mut();
        *results = self.list(*results);
        match &mut data {
            NodeData::If { then, otherwise, .. } => {
                (*then, *otherwise) = (self.region(*then), self.region(*otherwise));
            }
            NodeData::Loop { params, inits, body, .. } => {
                (*params, *inits) = (self.list(*params), self.list(*inits));
                *body = self.region(*body);
            }
            NodeData::Block { body, .. } => *body = self.region(*body),
            NodeData::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, region)| *region = self.region(*region));
                *default = self.region(*default);
            }
        }
        data
    }
}
