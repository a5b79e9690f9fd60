//! Geometry programs as functions that submit, for each EMIT, what it sends.
//! In: a function as it was lowered for the geometry unit, with all registers of each vertex. Out:
//! the same with those components alone that matter, and the words of state of earlier
//! invocations on which they depend. The vertex slots follow from the EMITs.

use std::collections::BTreeSet;

use crate::geometry::{GeometryInput, GeometrySetup};
use crate::ir::{Array, Buffer, Def, Exit, Func, Item, Lane, Op, Type, Value};

/// Register and component of each component of a vector, none for 0.
pub(crate) type Vector = [Option<(usize, usize)>; 4];

/// The configuration of a program that reads v0..v15 and sends o0..o15.
pub(crate) fn setup() -> GeometrySetup {
    let registers = std::array::from_fn(|register| register as u8); // Range: sixteen.
    GeometrySetup { input: GeometryInput::Point { inputs: 16, registers }, outputs: u16::MAX }
}

/// Makes a function submit vectors of some components after the setting of SETEMIT, and yield
/// nothing but their number and some words of state. Returns false for a function that never ends.
pub(crate) fn restrict(f: &mut Func, vectors: &[Vector], words: &BTreeSet<usize>) -> bool {
    let Some(body) = f.body else { return false };
    let Exit::Yield(list) = f.regions[body].exit else { return false };
    let all = f.get(list);
    let kept = words.iter().filter_map(|&word| all.get(word + 1));
    let kept: Vec<Value> = all.first().into_iter().chain(kept).copied().collect();
    f.regions[body].exit = Exit::Yield(f.list(kept));
    let zero = f.value(Type::F32, Def::Op(Op::splat(Type::F32, 0)));
    for region in f.regions.keys() {
        let items = std::mem::take(&mut f.regions[region].items);
        let mut changed = Vec::with_capacity(items.len());
        for item in items {
            if let Item::Let(value) = item
                && let Some(Op::Submit { args }) = f.op(value)
                && let &[before, setting, ref registers @ ..] = f.get(args)
            {
                let (mut list, registers) = (vec![before, setting], registers.to_vec());
                for vector in vectors {
                    let sent = submitted(f, zero, &registers, vector);
                    list.push(sent);
                    changed.push(Item::Let(sent));
                }
                let args = f.list(list);
                f.values[value].def = Def::Op(Op::Submit { args });
            }
            changed.push(item);
        }
        f.regions[region].items = changed;
    }
    f.regions[body].items.insert(0, Item::Let(zero));
    true
}

/// A vector of components of registers.
fn submitted(f: &mut Func, zero: Value, registers: &[Value], vector: &Vector) -> Value {
    let lanes = vector.map(|place| match place {
        // Range: four components.
        Some((register, component)) => {
            registers.get(register).map_or(Lane::new(zero, 0), |&value| Lane::new(value, component as u8))
        }
        None => Lane::new(zero, 0),
    });
    f.value(Type::F32X4, Def::Op(Op::Shuffle(lanes)))
}

/// The words of state of earlier invocations that an optimized function reads.
pub(crate) fn read(f: &Func) -> impl Iterator<Item = usize> {
    f.values.keys().filter_map(|value| {
        let Some(Op::ReadAt(Array::Buffer(Buffer::State), index)) = f.op(value) else { return None };
        let Some(Op::Const([number, ..])) = f.op(index) else { return None };
        Some(number as usize) // Range: the number of words.
    })
}
