//! Removes loop parameters and results that are always one and the same value.
//! In and out: a function. Knows no operations.
//!
//! ```text
//! loop (%2: i32 = %1) { A(%2) continue %2 }            =>      loop { A(%1) continue }
//! if %c { yield %1 } else { yield %1 } -> %3  B(%3)    =>      if %c { } else { }  B(%1)
//! ```
//!
//! A parameter goes if every value it takes is its first one or itself; a result goes if every exit gives the same value
//! and that one is defined before the construct. One removal may allow the next, so those that depend on a removed one
//! are looked at again. Values that are one only taken together (a parameter that is itself or a result that is itself or
//! the parameter) stay; programs hardly have them.

use super::edit::{replace_all, sweep};
use super::flow::Flow;
use super::scratch::{Scratch, identity};
use crate::entity::Handle;
use crate::ir::{Func, NodeData, Value};

/// Removes trivial parameters and results.
pub fn run(f: &mut Func, scratch: &mut Scratch) -> bool {
    scratch.flow.compute(f);
    merge(f, scratch)
}

/// As [`run`], when the control flow in `scratch` is that of the function; after a change it is not.
pub(super) fn merge(f: &mut Func, scratch: &mut Scratch) -> bool {
    if f.nodes.is_empty() {
        return false;
    }
    let Scratch { flow, map, work: merged, .. } = scratch;
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
            uses.merge(value, same, merged);
        }
    }
    if changed {
        for value in f.values.keys() {
            map[value.index()] = find(map, value);
        }
        flow.drop_slots(f, |value| map[value.index()] != value);
        replace_all(f, map);
        sweep(f);
    }
    changed
}

/// All parameters and results; the last are to be looked at first.
fn merged_values(f: &Func, flow: &Flow, merged: &mut Vec<Value>) {
    merged.clear();
    for &node in flow.order.iter().rev() {
        merged.extend_from_slice(f.get(f.nodes[node].results()));
        if let NodeData::Loop { params, .. } = f.nodes[node] {
            merged.extend_from_slice(f.get(params));
        }
    }
}

/// What a value stands for now.
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
fn only_source(f: &Func, flow: &Flow, map: &mut [Value], value: Value) -> Option<Value> {
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
    fn new(f: &Func, flow: &Flow, merged: &[Value]) -> Self {
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

#[cfg(test)]
mod tests {
    use crate::passes::testing::check;

    fn params(before: &str, after: &str) {
        check(super::run, before, after);
    }

    #[test]
    fn a_parameter_that_never_changes_goes() {
        params(
            "%0: i32 = const 1 %1: i32 = const 9
             loop (%2: i32 = %0, %3: i32 = %1) {
               %4: bool = iless %2 %3
               if %4 { break %2 %3 }
               %5: i32 = iadd %2 %0
               continue %5 %3
             } -> %6: i32 %7: i32
             yield %6 %7",
            "%0: i32 = const 1 %1: i32 = const 9
             loop (%2: i32 = %0) {
               %4: bool = iless %2 %1
               if %4 { break %2 }
               %5: i32 = iadd %2 %0
               continue %5
             } -> %6: i32
             yield %6 %1",
        );
    }

    #[test]
    fn one_removal_allows_the_next() {
        params(
            "%0: i32 = const 1 %9: bool = uniform b0
             loop (%1: i32 = %0) {
               loop (%2: i32 = %1) {
                 if %9 { yield %2 } else { yield %2 } -> %3: i32
                 if %9 { break %3 }
                 continue %3
               } -> %4: i32
               if %9 { break %4 }
               continue %4
             } -> %5: i32
             yield %5",
            "%0: i32 = const 1 %9: bool = uniform b0
             loop {
               loop {
                 if %9 { }
                 if %9 { break }
                 continue
               }
               if %9 { break }
               continue
             }
             yield %0",
        );
    }

    #[test]
    fn exchanged_parameters_stay() {
        let text = "%0: i32 = const 1 %1: i32 = const 2 %2: bool = uniform b0
             loop (%3: i32 = %0, %4: i32 = %1) { if %2 { break %3 } continue %4 %3 } -> %5: i32
             yield %5";
        params(text, text);
    }

    #[test]
    fn a_result_defined_inside_stays() {
        let text = "%0: bool = uniform b0 block { %1: bool = not %0 if %0 { break %1 } yield %1 } -> %2: bool yield %2";
        params(text, text);
    }

    #[test]
    fn a_loop_that_never_continues_needs_no_parameters() {
        params(
            "%0: i32 = const 1 loop (%1: i32 = %0) { %2: i32 = iadd %1 %1 break %2 } -> %3: i32 yield %3",
            "%0: i32 = const 1 loop { %2: i32 = iadd %0 %0 break %2 } -> %3: i32 yield %3",
        );
    }
}
