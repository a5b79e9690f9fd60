//! Evaluates equal operations once, where the first evaluation is visible to the second.
//! In and out: a function. Every operation is pure, those that read inputs and uniforms too.
//!
//! ```text
//! %2 = uniform c4 ; if %c { %3 = uniform c4 ; B(%3) }      =>      %2 = uniform c4 ; if %c { B(%2) }
//! ```
//!
//! A hash table finds the first evaluation; values enter it in program order and leave it with their region. The table's
//! order shows nowhere: each operation is in it at most once.

use super::edit::sweep;
use super::scratch::{Scratch, identity};
use crate::entity::Handle;
use crate::ir::{Def, Exit, Func, NodeData, Op, Step, Type, Value, ValueList};

/// Merges equal operations.
pub fn run(f: &mut Func, scratch: &mut Scratch) -> bool {
    let Scratch { map, table, filled, scopes, walk, .. } = scratch;
    identity(map, f.values.len());
    let size = (f.values.len() * 2).next_power_of_two();
    table.clear();
    table.resize(size, 0);
    filled.clear();
    scopes.clear();
    let mut changed = false;
    walk.start(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Begin(_) => scopes.push(filled.len()),
            Step::Let(value) => {
                let ty = f.values[value].ty;
                let Def::Op(mut op) = f.values[value].def else { continue };
                if changed {
                    op = op.map(&mut f.pool, |value| map[value.index()]);
                    f.values[value].def = Def::Op(op);
                }
                match find(f, table, op, ty) {
                    Ok(same) => {
                        map[value.index()] = same;
                        f.values[value].def = Def::Dead;
                        changed = true;
                    }
                    Err(place) => {
                        table[place] = value.0 + 1;
                        filled.push(place as u32);
                    }
                }
            }
            Step::Enter(node) => {
                if let Some(decider) = f.nodes[node].decider_mut() {
                    *decider = map[decider.index()];
                }
                if let NodeData::Loop { inits, .. } = f.nodes[node] {
                    map_list(f, map, inits);
                }
            }
            Step::End(region) => {
                if let Exit::Yield(list) | Exit::Break(list) | Exit::Continue(list) = f.regions[region].exit {
                    map_list(f, map, list);
                }
                // Newest first, so that each chain of collisions shrinks from its end.
                let scope = scopes.pop().unwrap_or(0);
                filled.drain(scope..).rev().for_each(|place| table[place as usize] = 0);
            }
            Step::Leave(_) => {}
        }
    }
    if changed {
        sweep(f);
    }
    changed
}

fn map_list(f: &mut Func, map: &[Value], list: ValueList) {
    f.pool[list.range()].iter_mut().for_each(|value| *value = map[value.index()]);
}

/// The visible value of an equal operation, or the place in the table for a new one.
#[inline]
fn find(f: &Func, table: &[u32], op: Op, ty: Type) -> Result<Value, usize> {
    let mask = table.len() - 1;
    let mut place = hash(f, op, ty) as usize & mask;
    while let Some(known) = table[place].checked_sub(1) {
        let known = Value(known);
        let data = &f.values[known];
        if data.ty == ty
            && let Def::Op(other) = data.def
            && is_equal(f, op, other)
        {
            return Ok(known);
        }
        place = (place + 1) & mask;
    }
    Err(place)
}

fn is_equal(f: &Func, a: Op, b: Op) -> bool {
    match (a, b) {
        (Op::Binary(op, a, b), Op::Binary(other, c, d)) => {
            op == other && ((a, b) == (c, d) || (a, b) == (d, c) && op.signature().commutes)
        }
        (Op::Call { helper, args }, Op::Call { helper: other, args: others }) => {
            helper == other && f.get(args) == f.get(others)
        }
        _other_pairs => a == b,
    }
}

/// A hash of what [`is_equal`] compares.
#[inline]
fn hash(f: &Func, op: Op, ty: Type) -> u64 {
    let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
    let bytes =
        |tag: u8, a: u8, b: u8| u64::from(u32::from_le_bytes([tag, a, b, ty.lanes << 2 | ty.kind as u8]));
    let lane = |lane: crate::ir::Lane| lane.value().0 << 2 | u32::from(lane.index());
    let (head, rest, more) = match op {
        Op::Const([x, y, z, w]) => (bytes(0, 0, 0), pair(x, y), pair(z, w)),
        Op::Input(register) => (bytes(1, register, 0), 0, 0),
        Op::Uniform(register) => (bytes(2, register, 0), 0, 0),
        Op::UniformAt { base, offset } => (bytes(3, base, 0), u64::from(offset.0), 0),
        Op::IntUniform { index, component } => (bytes(4, index, component), 0, 0),
        Op::BoolUniform(register) => (bytes(5, register, 0), 0, 0),
        Op::Member { member, element } => (bytes(6, 0, 0), pair(member.into(), element.into()), 0),
        Op::MemberAt { member, index } => (bytes(7, 0, 0), pair(member.into(), index.0), 0),
        Op::Shuffle([x, y, z, w]) => (bytes(8, 0, 0), pair(lane(x), lane(y)), pair(lane(z), lane(w))),
        Op::Unary(op, a) => (bytes(9, op as u8, 0), u64::from(a.0), 0),
        Op::Binary(op, a, b) if op.signature().commutes => {
            (bytes(10, op as u8, 0), pair(a.0.min(b.0), a.0.max(b.0)), 0)
        }
        Op::Binary(op, a, b) => (bytes(10, op as u8, 0), pair(a.0, b.0), 0),
        Op::Select { cond, a, b } => (bytes(11, 0, 0), pair(cond.0, a.0), u64::from(b.0)),
        Op::Call { helper, args } => {
            let all = f.get(args).iter().fold(0, |all, value| mix(all, u64::from(value.0)));
            (bytes(12, 0, 0), u64::from(helper), all)
        }
    };
    let all = mix(mix(mix(0, head), rest), more);
    // The high bits of a product depend on all bits of its factors.
    all ^ all >> 32
}

fn mix(hash: u64, next: u64) -> u64 {
    (hash.rotate_left(26) ^ next).wrapping_mul(0xF135_7AEA_2E62_A9C5)
}

#[cfg(test)]
mod tests {
    use crate::passes::testing::check;

    fn cse(before: &str, after: &str) {
        check(super::run, before, after);
    }

    #[test]
    fn equal_operations_are_evaluated_once() {
        cse(
            "%0: f32x4 = input v0 %1: f32x4 = input v0 %2: f32x4 = mulp %0 %1 %3: f32x4 = mulp %1 %0 %4: f32x4 = addp %2 %3 yield %4",
            "%0: f32x4 = input v0 %2: f32x4 = mulp %0 %0 %4: f32x4 = addp %2 %2 yield %4",
        );
    }

    #[test]
    fn operands_of_an_ordered_operation_are_not_exchanged() {
        let text = "%0: f32x4 = input v0 %1: f32x4 = input v1 %2: f32x4 = minp %0 %1 %3: f32x4 = minp %1 %0 yield %2 %3";
        cse(text, text);
    }

    #[test]
    fn literals_of_different_types_differ() {
        let text = "%0: i32 = const 0 %1: f32 = const 0 %2: f32x2 = const 0 0 %3: bool = const false yield %0 %1 %2 %3";
        cse(text, text);
    }

    #[test]
    fn an_arm_sees_what_is_before_it_but_not_the_other_arm() {
        cse(
            "%0: bool = uniform b0 %1: f32x4 = uniform c1
             if %0 { %2: f32x4 = uniform c1 %3: f32x4 = uniform c2 %4: f32x4 = addp %2 %3 yield %4 }
             else { %5: f32x4 = uniform c2 yield %5 } -> %6: f32x4
             %7: f32x4 = uniform c2
             yield %6 %7",
            "%0: bool = uniform b0 %1: f32x4 = uniform c1
             if %0 { %3: f32x4 = uniform c2 %4: f32x4 = addp %1 %3 yield %4 }
             else { %5: f32x4 = uniform c2 yield %5 } -> %6: f32x4
             %7: f32x4 = uniform c2
             yield %6 %7",
        );
    }

    #[test]
    fn exits_and_conditions_follow() {
        cse(
            "%0: bool = uniform b0 %1: bool = uniform b0 %2: i32 = const 3 %3: i32 = const 3
             loop (%4: i32 = %3) { if %1 { break %1 %4 } continue %3 } -> %5: bool, %6: i32
             yield %5 %6",
            "%0: bool = uniform b0 %2: i32 = const 3
             loop (%4: i32 = %2) { if %0 { break %0 %4 } continue %2 } -> %5: bool, %6: i32
             yield %5 %6",
        );
    }

    #[test]
    fn calls_with_equal_arguments_are_equal() {
        let half = "func half(%0: f32, %1: f32) { %2: f32 = mulp %0 %1 yield %2 }";
        cse(
            &format!(
                "{half} func main {{ %0: f32 = const 2 %3: f32 = const 3 %1: f32 = call 0(%0, %3) %2: f32 = call 0(%0, %3) %4: f32 = call 0(%3, %0) yield %1 %2 %4 }}"
            ),
            &format!(
                "{half} func main {{ %0: f32 = const 2 %3: f32 = const 3 %1: f32 = call 0(%0, %3) %4: f32 = call 0(%3, %0) yield %1 %1 %4 }}"
            ),
        );
    }
}
