//! Reports of runs that did not reach the end of the program.
//! In: the finished function. Out: values with the two possible reasons, for the compute entries.
//!
//! The loop guard counts one jump more than there are when it fires. A driver that leaves loops on
//! its own reports nothing; llvmpipe counts the rounds of all loops together, so that one more loop
//! after all others ends too early as well:
//!
//! ```text
//! n = 0   loop { if n >= 3 + (thread & 1) { break }   n = n + 1 }   left = n < 3
//! ```
//!
//! The bound depends on the thread so that no compiler unrolls the loop. It is not 2: a driver that
//! leaves the loop after one round may still add 1 to the result.

use super::lanes::{JUMPS, LEFT, SlotSet};
use super::scope::Builder;
use crate::host::settings::Options;
use crate::ir::{Binary, Lane, NodeData, Op, Resource, Type, Value};
use crate::machine::precision::bits::ONE;
use crate::support::fields::DrawField;

/// Rounds of the loop that detects a driver that leaves loops.
const ROUNDS: i32 = 3;
/// A slot that no output reads: iterations left of a loop.
const ROUND: usize = LEFT;

/// Builds the vector after o15: x is 1 where the guard fired, y where the driver left a loop.
pub(super) fn vector(b: &mut Builder, options: &Options) -> Value {
    let (zero, one) = (b.constant(Type::F32, [0; 4]), b.constant(Type::F32, [ONE, 0, 0, 0]));
    let reasons = [guard_fired(b, options), driver_left(b)].map(|reason| match reason {
        Some(cond) => b.select(cond, one, zero),
        None => zero,
    });
    let [guard, driver] = reasons;
    b.gather(&[guard, driver, zero, zero].map(|value| Lane::new(value, 0)))
}

/// Tests whether the loop guard ended the program; none without the guard.
pub(super) fn guard_fired(b: &mut Builder, options: &Options) -> Option<Value> {
    options.control.loop_guard?;
    let jumps = b.read(JUMPS);
    Some(b.test_int(Binary::ILess, jumps, 0))
}

/// Tests whether the driver left a loop of the function before here; none without loops.
pub(super) fn driver_left(b: &mut Builder) -> Option<Value> {
    b.func.nodes.values().iter().find(|node| matches!(node, NodeData::Loop { .. }))?;
    let [zero, one, rounds] = [0, 1, ROUNDS].map(|number| b.int(number));
    let thread = b.emit(Type::I32, Op::Read(Resource::Draw(DrawField::Thread)));
    // One more round in odd threads: a constant bound would be unrolled.
    let parity = b.int_op(Binary::IAnd, thread, one);
    let bound = b.int_op(Binary::IAdd, parity, rounds);
    b.write(ROUND, zero);
    let mut slots = SlotSet::default();
    slots.insert(ROUND);
    b.open_loop(&slots);
    let round = b.read(ROUND);
    let again = b.test(Binary::ILess, round, bound);
    b.when(again, |_| {}, Builder::leave);
    let next = b.int_op(Binary::IAdd, round, one);
    b.write(ROUND, next);
    b.close();
    let round = b.read(ROUND);
    Some(b.test(Binary::ILess, round, rounds))
}
