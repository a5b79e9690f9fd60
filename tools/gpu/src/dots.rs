//! Spells dot products out as products and sums in a chosen order, to learn what a driver made of them.
//! In and out: a legal module. Used only to judge: the library leaves the order open in `fast` precision alone.

use transpica::ir::{Binary, Def, Func, Item, Lane, Module, Op, Value};

/// In which order the products of a dot product are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the driver likes.
    Open,
    /// From x on, as the interpreter does.
    FirstFirst,
    /// From the last component back to x, as some drivers do.
    LastFirst,
}

/// Replaces the dot products of a module.
pub(crate) fn spell(module: &mut Module, order: Order) {
    if order == Order::Open {
        return;
    }
    for func in module.helpers.iter_mut().chain([&mut module.main]) {
        for region in func.regions.keys() {
            let items = std::mem::take(&mut func.regions[region].items);
            let mut spelled = Vec::with_capacity(items.len());
            for item in items {
                if let Item::Let(value) = item
                    && let Some(Op::Binary(Binary::Dot, a, b)) = func.op(value)
                {
                    dot(func, &mut spelled, value, [a, b], order);
                }
                spelled.push(item);
            }
            func.regions[region].items = spelled;
        }
    }
}

/// Emits what leads to the last sum, which becomes the definition of `value`.
fn dot(func: &mut Func, items: &mut Vec<Item>, value: Value, [a, b]: [Value; 2], order: Order) {
    let (wide, scalar) = (func.ty(a), func.ty(value));
    let mut emit = |func: &mut Func, ty, op| {
        let new = func.value(ty, Def::Op(op));
        items.push(Item::Let(new));
        new
    };
    let product = emit(func, wide, Op::Binary(Binary::Mul, a, b));
    let mut lanes: Vec<u8> = (0..wide.lanes).collect();
    if order == Order::LastFirst {
        lanes.reverse();
    }
    let mut sum: Option<Value> = None;
    for (position, &index) in lanes.iter().enumerate() {
        let lane = emit(func, scalar, Op::Shuffle([Lane::new(product, index); 4]));
        sum = match sum {
            None => Some(lane),
            Some(before) if position + 1 == lanes.len() => {
                func.values[value].def = Def::Op(Op::Binary(Binary::Add, before, lane));
                return;
            }
            Some(before) => Some(emit(func, scalar, Op::Binary(Binary::Add, before, lane))),
        };
    }
}
