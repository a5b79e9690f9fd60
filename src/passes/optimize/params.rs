//! Removes loop parameters and results that are always one and the same value.
//! In and out: a function. Knows no operations.
//!
//! ```text
//! loop (%2: i32 = %1) { A(%2) continue %2 }            =>      loop { A(%1) continue }
//! if %c { yield %1 } else { yield %1 } -> %3  B(%3)    =>      if %c { } else { }  B(%1)
//! ```
//!
//! A parameter goes if every value it takes is its first one or itself; a result goes if every exit
//! gives the same value and that one is defined before the construct. One removal may allow the
//! next, so those that depend on a removed one are looked at again. Values that are one only taken
//! together (a parameter that is itself or a result that is itself or the parameter) stay; programs
//! hardly have them.

use super::edit::{replace_all, sweep};
use crate::ir::{Func, NodeData, Value};
use crate::passes::analyze::flow::ValueFlow;
use crate::passes::scratch::{Tables, identity};
use crate::support::entity::Handle;

/// Removes trivial parameters and results; `flow` is the control flow of the function, after a
/// change it is not.
pub fn run(f: &mut Func, flow: &ValueFlow, tables: &mut Tables) -> bool {
    if f.nodes.is_empty() {
        return false;
    }
    let Tables { map, work: merged, .. } = tables;
    identity(map, f.values.len());
    merged_values(f, flow, merged);
    // Mostly none is trivial.
    if !merged.iter().any(|&value| only_source(f, flow, map, value).is_some()) {
        return false;
    }
    let mut uses = Uses::new(f, flow, merged);
    let mut changed = false;
    while let Some(value) = merged.pop() {
        if map[value.index()] == value
            && let Some(same) = only_source(f, flow, map, value)
        {
            map[value.index()] = same;
            changed = true;
            // Those that this value may become could be trivial now.
            uses.merge(value, same, merged);
        }
    }
    if changed {
        for value in f.values.keys() {
            map[value.index()] = find(map, value);
        }
        // Lists first: their values must still be found by the old names.
        flow.drop_slots(f, |value| map[value.index()] != value);
        replace_all(f, map);
        sweep(f);
    }
    changed
}

/// All parameters and results; the last are to be looked at first.
fn merged_values(f: &Func, flow: &ValueFlow, merged: &mut Vec<Value>) {
    merged.clear();
    for &node in flow.order.iter().rev() {
        merged.extend_from_slice(f.get(f.nodes[node].results()));
        if let NodeData::Loop { params, .. } = f.nodes[node] {
            merged.extend_from_slice(f.get(params));
        }
    }
}

/// Finds the value that another stands for now.
fn find(map: &mut [Value], value: Value) -> Value {
    let mut root = value;
    while map[root.index()] != root {
        root = map[root.index()];
    }
    let mut step = value;
    while step != root {
        step = std::mem::replace(&mut map[step.index()], root);
    }
    root
}

/// The one other value that a parameter or result always is, if it is visible wherever that is.
fn only_source(f: &Func, flow: &ValueFlow, map: &mut [Value], value: Value) -> Option<Value> {
    let (node, _) = flow.origin(value)?;
    let mut only = None;
    let mut several = false;
    flow.for_each_source(f, value, |source| {
        if !several {
            let source = find(map, source);
            if source != value {
                several = only.is_some_and(|only| only != source);
                only = Some(source);
            }
        }
    });
    only.filter(|&only| !several && flow.position(only) < flow.node(node).position)
}

/// No edge.
const NONE: u32 = u32::MAX;

/// For each parameter or result, which others may become it.
struct Uses {
    /// First edge of each value.
    first: Vec<u32>,
    /// User and next edge.
    edges: Vec<(Value, u32)>,
}

impl Uses {
    fn new(f: &Func, flow: &ValueFlow, merged: &[Value]) -> Self {
        let mut uses = Self { first: vec![NONE; f.values.len()], edges: Vec::new() };
        for &user in merged {
            flow.for_each_source(f, user, |source| {
                if flow.origin(source).is_some() {
                    let next = std::mem::replace(&mut uses.first[source.index()], uses.edges.len() as u32);
                    uses.edges.push((user, next));
                }
            });
        }
        uses
    }

    /// Adds the users of `value` to the work and makes them users of `by`.
    fn merge(&mut self, value: Value, by: Value, work: &mut Vec<Value>) {
        let mut edge = self.first[value.index()];
        while edge != NONE {
            let (user, next) = self.edges[edge as usize];
            work.push(user);
            if next == NONE {
                self.edges[edge as usize].1 = self.first[by.index()];
                self.first[by.index()] = self.first[value.index()];
            }
            edge = next;
        }
    }
}
