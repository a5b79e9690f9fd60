//! Geometry programs: invocations, vertex slots, two banks of outputs, triangles.
//! In: what EMIT and SETEMIT say, the set-up. Out: operations and updates of the lane map; [`Op::Submit`] for each triangle.
//! Rules: hardware tests (two banks, exchanged at every EMIT; registers, slots and SETEMIT persist), 3dbrew (b15).
//!
//! A kernel whose invocations see nothing of each other runs one of them in each thread. Else a thread runs a row of them in
//! a loop whose parameters are what one leaves for the next:
//!
//! ```text
//! first = thread * chunk - (threads * chunk - invocations)
//! i = max(first - warm, 0)   state = what was before the draw
//! loop { if i >= first + chunk { break }   if i == first { count = 0 }   the program   i = i + 1 }
//! ```

use super::lanes::{self, ADDRESS, COUNTER, FLAGS, Slot, SlotSet, geometry as own};
use super::scope::{Builder, Slots};
use super::{Context, Form, Geometry, Outputs, outputs, unfinished};
use crate::geometry::Carried;
use crate::geometry::kernel;
use crate::geometry::{GeometryInput, StateWord};
use crate::host::DrawField;
use crate::host::{Options, Output};
use crate::ir::{Array, Binary, Buffer, Lane, Op, Resource, Type, Unary, Value};
use crate::isa::limits;
use crate::isa::{Dest, Inst};
use crate::precision::bits::ONE;

/// Vertex slots that a triangle is made of.
const HELD: usize = 3;
/// What numbers in a record of an EMIT begin at.
const RECORDED: f32 = crate::geometry::kernel::RECORDED;
/// Number of registers in a bank of outputs.
const REGISTERS: u8 = limits::INPUTS as u8;

/// What EMIT and SETEMIT mean, and where invocations begin and end.
#[derive(Clone, Copy)]
pub(super) struct Emission<'a> {
    geometry: Geometry<'a>,
    outputs: &'a [Output],
    options: &'a Options,
    /// The first of its slots.
    base: Slot,
}

/// The slots of a program whose last other slot is before `end`, and what its EMITs mean if it is a geometry program.
pub(super) fn slots(context: Context<'_>, end: Slot) -> (Slots, Option<Emission<'_>>) {
    let (Some(geometry), Outputs::Semantics(outputs)) = (context.geometry, context.outputs) else {
        return (Slots { count: end, geometry: Slot::MAX }, None);
    };
    let base = end.next_multiple_of(64);
    let count = base + own::HELD + 4 * HELD * outputs.len();
    let emission = Emission { geometry, outputs, options: context.options, base };
    (Slots { count, geometry: base }, Some(emission))
}

impl Emission<'_> {
    /// Whether invocations run in a loop.
    pub(super) fn is_looped(&self) -> bool {
        !self.geometry.state.is_empty()
    }
    fn count(&self) -> Slot {
        self.base + own::COUNT
    }
    fn stopped(&self) -> Slot {
        self.base + own::STOPPED
    }
    fn invocation(&self) -> Slot {
        self.base + own::INVOCATION
    }
    /// The first lane of an output in a vertex slot.
    fn held(&self, slot: usize, output: usize) -> Slot {
        self.base + own::HELD + 4 * (slot * self.outputs.len() + output)
    }
    /// Where a word of state is in the lane map.
    fn slot_of(&self, word: &StateWord) -> Slot {
        let component = usize::from(word.component);
        match word.carried {
            Carried::Temp { register, component } => {
                lanes::register(Dest::Temp(register)) + component.index()
            }
            Carried::Address(component) => ADDRESS + component.index(),
            Carried::Counter => COUNTER,
            Carried::Flag(component) => FLAGS + component.index(),
            Carried::Current { register, component } => {
                lanes::register(Dest::Output(register)) + component.index()
            }
            Carried::Other { register, component } => {
                self.base + own::OTHER + 4 * usize::from(register) + component.index()
            }
            Carried::Slot(slot) => self.held(usize::from(slot), word.output.into()) + component,
            Carried::Setting => self.base + own::SETTING[component.min(2)],
            // No state: it follows from the number of the invocation.
            Carried::Ran => self.invocation(),
        }
    }

    /// Begins an invocation, or the loop over those of a thread. `assigned` are the slots that the program assigns.
    pub(super) fn begin(&self, b: &mut Builder, assigned: SlotSet) {
        self.unfilled(b);
        if let Form::Stage { .. } = self.geometry.form {
            return self.stage_inputs(b);
        }
        let thread = draw(b, DrawField::Thread);
        if !self.is_looped() {
            b.write(self.invocation(), thread);
            return self.inputs(b);
        }
        let (chunk, warm) = (draw(b, DrawField::Chunk), draw(b, DrawField::Warm));
        let (zero, all) = (b.int(0), draw(b, DrawField::Invocations));
        // The first thread has those that are left over, if the last one would have fewer than the others: lavapipe was seen
        // to leave what a later round makes, where other threads go on (a test of random geometry programs keeps the case).
        let threads = draw(b, DrawField::Threads);
        let places = b.int_op(Binary::IMul, threads, chunk);
        let empty = b.int_op(Binary::ISub, places, all);
        let first = b.int_op(Binary::IMul, thread, chunk);
        let first = b.int_op(Binary::ISub, first, empty);
        let start = b.int_op(Binary::ISub, first, warm);
        let start = clamped(b, Binary::ILess, start, zero);
        let end = b.int_op(Binary::IAdd, first, chunk);
        let mut set = assigned;
        set.insert(self.invocation());
        set.insert(self.count());
        if self.notes_stops() {
            set.insert(self.stopped());
        }
        let fresh: Vec<(Slot, Lane)> = set.slots().map(|slot| (slot, b.get(slot))).collect();
        b.write(self.invocation(), start);
        let mut kept = SlotSet::default();
        for (index, word) in (0..).zip(self.geometry.state) {
            let slot = self.slot_of(word);
            kept.insert(slot);
            let value = self.load_state(b, index, slot);
            b.write(slot, value);
        }
        b.open_loop(&set);
        let invocation = b.read(self.invocation());
        let inside = b.test(Binary::ILess, invocation, end);
        b.when(inside, |_| {}, Builder::leave);
        let is_first = b.test(Binary::IEqual, invocation, first);
        // What invocations before its own do is for other threads to count.
        let mut totals = vec![self.count()];
        totals.extend(self.notes_stops().then(|| self.stopped()));
        for &slot in &totals {
            let total = b.read(slot);
            let total = b.select(is_first, zero, total);
            b.write(slot, total);
        }
        let stays = |slot: Slot| slot == self.invocation() || totals.contains(&slot) || kept.has(slot);
        for (slot, lane) in fresh.into_iter().filter(|(slot, _)| !stays(*slot)) {
            b.set(slot, lane);
        }
        self.inputs(b);
    }

    /// A vertex slot that no EMIT has filled holds what outputs are that nobody wrote.
    fn unfilled(&self, b: &mut Builder) {
        if self.geometry.form == Form::Emits {
            return;
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let value = outputs::semantic(b, output, self.options);
            let lanes = 0..b.func.ty(value).lanes;
            for start in (0..HELD).map(|slot| self.held(slot, index)) {
                lanes.clone().for_each(|lane| b.set(start + usize::from(lane), Lane::new(value, lane)));
            }
        }
    }

    /// Ends the invocation or the loop; gives the number of triangles and, as bits, what the last invocation leaves.
    pub(super) fn end(&self, b: &mut Builder) -> Vec<Value> {
        if self.is_looped() {
            if b.reachable() {
                self.note_stop(b);
                let invocation = b.read(self.invocation());
                let next = b.step(Binary::IAdd, invocation);
                b.write(self.invocation(), next);
            }
            b.close();
        }
        if !b.reachable() {
            return Vec::new();
        }
        let mut count = b.read(self.count());
        if self.options.control.report_unfinished {
            count = self.reported(b, count);
        }
        let words = self.geometry.state.iter().map(|word| {
            let lane = b.read(self.slot_of(word));
            match b.func.ty(lane) {
                Type::F32 => b.emit(Type::U32, Op::Unary(Unary::ToBits, lane)),
                Type::BOOL => {
                    let (one, zero) = (b.constant(Type::U32, [1, 0, 0, 0]), b.constant(Type::U32, [0; 4]));
                    b.select(lane, one, zero)
                }
                _int => b.emit(Type::U32, Op::Unary(Unary::IntToUint, lane)),
            }
        });
        let words: Vec<Value> = words.collect();
        std::iter::once(count).chain(words).collect()
    }

    /// Whether a loop notes that the loop guard ended one of its invocations.
    fn notes_stops(&self) -> bool {
        self.is_looped()
            && self.options.control.report_unfinished
            && self.options.control.loop_guard.is_some()
    }

    /// Notes at the end of an invocation whether the loop guard ended it.
    fn note_stop(&self, b: &mut Builder) {
        if !self.notes_stops() {
            return;
        }
        if let Some(cond) = unfinished::guard_fired(b, self.options) {
            let (before, one) = (b.read(self.stopped()), b.int(1));
            let noted = b.select(cond, one, before);
            b.write(self.stopped(), noted);
        }
    }

    /// The number of triangles with the bits of a thread that did not run to its end.
    fn reported(&self, b: &mut Builder, count: Value) -> Value {
        let guard = match self.is_looped() {
            false => unfinished::guard_fired(b, self.options),
            true if !self.notes_stops() => None,
            true => {
                let stopped = b.read(self.stopped());
                Some(b.test_int(Binary::IGreater, stopped, 0))
            }
        };
        let reasons = [(guard, kernel::GUARD_FIRED), (unfinished::driver_left(b), kernel::DRIVER_LEFT)];
        let none = b.constant(Type::U32, [0; 4]);
        let mut count = b.emit(Type::U32, Op::Unary(Unary::IntToUint, count));
        for (reason, bit) in reasons {
            let Some(cond) = reason else { continue };
            let bit = b.constant(Type::U32, [bit, 0, 0, 0]);
            let bit = b.select(cond, bit, none);
            count = b.emit(Type::U32, Op::Binary(Binary::BitOr, count, bit));
        }
        b.emit(Type::I32, Op::Unary(Unary::UintToInt, count))
    }

    /// A word of state as the scalar that its slot holds.
    fn load_state(&self, b: &mut Builder, index: i32, slot: Slot) -> Value {
        let kind = b.func.ty(b.get(slot).value()).kind;
        let index = b.int(index);
        let word = b.emit(Type::U32, Op::ReadAt(Array::Buffer(Buffer::State), index));
        match Type::new(kind, 1) {
            Type::F32 => b.emit(Type::F32, Op::Unary(Unary::FromBits, word)),
            Type::BOOL => {
                let zero = b.constant(Type::U32, [0; 4]);
                let clear = b.test(Binary::UEqual, word, zero);
                b.not(clear)
            }
            _int => b.emit(Type::I32, Op::Unary(Unary::UintToInt, word)),
        }
    }

    /// The place of this invocation's first vector in the feed.
    fn feed(&self, b: &mut Builder) -> Value {
        let (invocation, window) = (b.read(self.invocation()), draw(b, DrawField::Window));
        b.int_op(Binary::IMul, invocation, window)
    }

    /// Loads the input registers of an invocation.
    fn inputs(&self, b: &mut Builder) {
        let rest = b.constant(Type::F32X4, [0, 0, 0, ONE]);
        (0..REGISTERS).for_each(|register| b.set_input(register, rest));
        let (inputs, registers) = match (self.geometry.form, self.geometry.setup.input) {
            (Form::Emits, _) => (REGISTERS, std::array::from_fn(|register| register as u8)),
            (_, GeometryInput::Point { inputs, registers }) => (inputs, registers),
            (_, GeometryInput::Variable { .. } | GeometryInput::Fixed { .. }) => return,
        };
        let start = self.feed(b);
        for (place, register) in (0..i32::from(inputs)).zip(registers) {
            let place = b.int(place);
            let index = b.int_op(Binary::IAdd, start, place);
            let value = b.emit(Type::F32X4, Op::ReadAt(Array::Buffer(Buffer::Feed), index));
            b.set_input(register, value);
        }
    }

    /// The inputs of a native stage: [`Resource::Input`] n is vector n of an invocation.
    fn stage_inputs(&self, b: &mut Builder) {
        let rest = b.constant(Type::F32X4, [0, 0, 0, ONE]);
        let mut values = [rest; REGISTERS as usize];
        if let GeometryInput::Point { inputs, registers } = self.geometry.setup.input {
            for (place, register) in (0..inputs).zip(registers) {
                values[usize::from(register & 15)] = b.input(place);
            }
        }
        (0..REGISTERS).zip(values).for_each(|(register, value)| b.set_input(register, value));
    }

    /// A read of c`base`, with an offset that the program computed or without, where vertices may have been delivered to it:
    /// `otherwise` is what it is if none was.
    pub(super) fn delivered(
        &self,
        b: &mut Builder,
        base: u8,
        offset: Option<Value>,
        otherwise: impl FnOnce(&mut Builder) -> Value,
    ) -> Value {
        // The first register that is in the feed, and what stands before it there.
        let (first, before) = match (self.geometry.form, self.geometry.setup.input) {
            (Form::Emits, _) => (0, REGISTERS),
            (_, GeometryInput::Point { .. }) => return otherwise(b),
            (_, GeometryInput::Variable { .. }) => (0, 0),
            (_, GeometryInput::Fixed { first, .. }) => (first, 0),
        };
        if offset.is_none() && base < first {
            return otherwise(b);
        }
        let index = match offset {
            None => b.int(i32::from(base)),
            Some(offset) => uniform_index(b, base, offset),
        };
        let (first, before) = (b.int(i32::from(first) - i32::from(before)), b.int(i32::from(before) - 1));
        let zero = b.int(0);
        let place = b.int_op(Binary::ISub, index, first);
        let window = draw(b, DrawField::Window);
        let not_before = b.test(Binary::IGreater, place, before);
        let not_behind = b.test(Binary::ILess, place, window);
        let is_inside = b.test(Binary::And, not_before, not_behind);
        let place = b.select(is_inside, place, zero);
        let start = self.feed(b);
        let index = b.int_op(Binary::IAdd, start, place);
        let vertex = b.emit(Type::F32X4, Op::ReadAt(Array::Buffer(Buffer::Feed), index));
        let other = otherwise(b);
        select(b, is_inside, vertex, other)
    }

    /// Adds the slots that EMIT and SETEMIT assign.
    pub(super) fn assigned(&self, inst: &Inst, set: &mut SlotSet) {
        match inst {
            Inst::SetEmit { .. } => own::SETTING.iter().for_each(|slot| set.insert(self.base + slot)),
            Inst::Emit => {
                let start = lanes::register(Dest::Output(0));
                (0..4 * usize::from(REGISTERS)).for_each(|lane| {
                    set.insert(start + lane);
                    set.insert(self.base + own::OTHER + lane);
                });
                let end = self.held(HELD, 0);
                (self.held(0, 0)..end).chain([self.count()]).for_each(|slot| set.insert(slot));
            }
            Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } => {}
            Inst::Flow(_) | Inst::Unassigned(_) => {}
        }
    }

    /// Lowers EMIT or SETEMIT.
    pub(super) fn lower(&self, b: &mut Builder, inst: &Inst) {
        match *inst {
            Inst::SetEmit { vertex, prim, invert } => {
                let vertex = b.int(i32::from(vertex & 3));
                let flags = [prim, invert].map(|flag| b.constant(Type::BOOL, [flag.into(), 0, 0, 0]));
                for (slot, value) in own::SETTING.into_iter().zip([vertex, flags[0], flags[1]]) {
                    b.write(self.base + slot, value);
                }
            }
            Inst::Emit => self.emit(b),
            Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } => {}
            Inst::Flow(_) | Inst::Unassigned(_) => {}
        }
    }

    fn emit(&self, b: &mut Builder) {
        self.hide(b);
        match self.geometry.form {
            Form::Emits => self.record(b),
            Form::Kernel | Form::Stage { .. } => self.assemble(b),
        }
        self.change_banks(b);
    }

    /// Records the registers that are passed on, the number of the invocation and what SETEMIT set.
    fn record(&self, b: &mut Builder) {
        let setting = own::SETTING.map(|slot| b.get(self.base + slot));
        let named = b.scalar(setting[0]);
        let [named, invocation] = [named, b.read(self.invocation())].map(|number| small_float(b, number));
        let flags = [setting[1], setting[2]].map(|flag| {
            let (one, zero) = (b.constant(Type::F32, [ONE, 0, 0, 0]), b.constant(Type::F32, [0; 4]));
            let cond = b.scalar(flag);
            b.select(cond, one, zero)
        });
        let [named, prim, invert, invocation] = [named, flags[0], flags[1], invocation];
        let setting = b.gather(&[named, prim, invert, invocation].map(|value| Lane::new(value, 0)));
        let mut args = vec![b.read(self.count()), setting];
        for register in (0..REGISTERS).filter(|&n| self.geometry.setup.outputs >> n & 1 != 0) {
            let start = lanes::register(Dest::Output(register));
            let lanes = [0, 1, 2, 3].map(|lane| b.get(start + lane));
            args.push(b.gather(&lanes));
        }
        // As many as three vertices of so many vectors have.
        args.resize(1 + 3 * (args.len() - 1).div_ceil(3), setting);
        let args = b.func.list(args);
        let count = b.emit(Type::I32, Op::Submit { args });
        b.write(self.count(), count);
    }

    fn assemble(&self, b: &mut Builder) {
        self.fill(b);
        let [_, prim, _] = own::SETTING.map(|slot| b.get(self.base + slot));
        match b.constant_bits(prim) {
            Some(0) => {}
            Some(_) => self.submit(b),
            None => {
                let prim = b.scalar(prim);
                b.when(prim, |b| self.submit(b), |_| {});
            }
        }
    }

    fn change_banks(&self, b: &mut Builder) {
        for register in 0..REGISTERS {
            let (current, other) = (lanes::register(Dest::Output(register)), 4 * usize::from(register));
            for lane in 0..4 {
                let (here, there) = (current + lane, self.base + own::OTHER + other + lane);
                let (a, c) = (b.get(here), b.get(there));
                b.set(here, c);
                b.set(there, a);
            }
        }
    }

    /// What is not passed on is as nobody wrote it.
    fn hide(&self, b: &mut Builder) {
        let rest = outputs::unwritten(b, self.options);
        for register in (0..REGISTERS).filter(|&n| self.geometry.setup.outputs >> n & 1 == 0) {
            let start = lanes::register(Dest::Output(register));
            (0..4).for_each(|lane| b.set(start + usize::from(lane), Lane::new(rest, lane)));
        }
    }

    /// Copies the outputs to the vertex slot that SETEMIT named.
    fn fill(&self, b: &mut Builder) {
        let named = b.get(self.base + own::SETTING[0]);
        let known = b.constant_bits(named);
        let fills = |slot: usize| known.is_none_or(|known| known as usize == slot);
        if !(0..HELD).any(fills) {
            return;
        }
        let mut chosen = [None; HELD];
        if known.is_none() {
            let named = b.scalar(named);
            for (slot, chosen) in (0..).zip(&mut chosen) {
                let slot = b.int(slot);
                *chosen = Some(b.test(Binary::IEqual, named, slot));
            }
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let value = outputs::semantic(b, output, self.options);
            let count = b.func.ty(value).lanes;
            for slot in (0..HELD).filter(|&slot| fills(slot)) {
                let start = self.held(slot, index);
                let mut new = value;
                if let Some(cond) = chosen[slot] {
                    let held: Vec<Lane> = (0..count).map(|lane| b.get(start + usize::from(lane))).collect();
                    let held = b.gather(&held);
                    new = select(b, cond, value, held);
                }
                (0..count).for_each(|lane| b.set(start + usize::from(lane), Lane::new(new, lane)));
            }
        }
    }

    /// Submits the triangle of the three slots.
    fn submit(&self, b: &mut Builder) {
        let zero = Lane::new(b.constant(Type::F32, [0; 4]), 0);
        let mut vertices: Vec<Value> = Vec::with_capacity(1 + HELD * self.outputs.len());
        vertices.push(b.read(self.count()));
        for slot in 0..HELD {
            for (index, output) in self.outputs.iter().enumerate() {
                let start = self.held(slot, index);
                let lanes: [Lane; 4] =
                    std::array::from_fn(
                        |lane| {
                            if lane < output.lanes() { b.get(start + lane) } else { zero }
                        },
                    );
                vertices.push(b.gather(&lanes));
            }
        }
        if let Some(reversed) = self.reversed(b) {
            let (first, second) = (1, 1 + self.outputs.len());
            for output in 0..self.outputs.len() {
                let (x, y) = (vertices[first + output], vertices[second + output]);
                vertices[first + output] = select(b, reversed, y, x);
                vertices[second + output] = select(b, reversed, x, y);
            }
        }
        let args = b.func.list(vertices);
        let count = b.emit(Type::I32, Op::Submit { args });
        b.write(self.count(), count);
    }

    /// Whether the first two vertices of a triangle change places; nothing if they never do.
    fn reversed(&self, b: &mut Builder) -> Option<Value> {
        let invert = b.get(self.base + own::SETTING[2]);
        let heeded = match self.geometry.form {
            Form::Stage { heeds_winding: false } => return None,
            Form::Stage { heeds_winding: true } => b.constant(Type::BOOL, [1, 0, 0, 0]),
            Form::Emits => return None,
            Form::Kernel if b.constant_bits(invert) == Some(0) => return None,
            Form::Kernel => {
                let heeds = draw(b, DrawField::HeedsWinding);
                b.test_int(Binary::IGreater, heeds, 0)
            }
        };
        match b.constant_bits(invert) {
            Some(0) => None,
            Some(_) => Some(heeded),
            None => {
                let invert = b.scalar(invert);
                Some(b.test(Binary::And, heeded, invert))
            }
        }
    }
}

fn draw(b: &mut Builder, field: DrawField) -> Value {
    b.emit(Type::I32, Op::Read(Resource::Draw(field)))
}

/// `limit` where the comparison holds of a number and it, else the number.
fn clamped(b: &mut Builder, beyond: Binary, number: Value, limit: Value) -> Value {
    let cond = b.emit(Type::BOOL, Op::Binary(beyond, number, limit));
    b.select(cond, limit, number)
}

/// A number below 2^23 as the float 2^23 and it, whose bits no processor takes for too small a number.
fn small_float(b: &mut Builder, number: Value) -> Value {
    let bits = b.emit(Type::U32, Op::Unary(Unary::IntToUint, number));
    let base = b.constant(Type::U32, [RECORDED.to_bits(), 0, 0, 0]);
    let bits = b.emit(Type::U32, Op::Binary(Binary::BitOr, bits, base));
    b.emit(Type::F32, Op::Unary(Unary::FromBits, bits))
}

/// One of two values of one type, by a scalar.
fn select(b: &mut Builder, cond: Value, x: Value, y: Value) -> Value {
    let ty = b.func.ty(x);
    let cond = b.gather(&[Lane::new(cond, 0); 4][..usize::from(ty.lanes)]);
    b.emit(ty, Op::Select { cond, a: x, b: y })
}

/// The register that a relative read reads: see [`uniform_index`](crate::precision::arith::uniform_index).
fn uniform_index(b: &mut Builder, base: u8, offset: Value) -> Value {
    let [below, above, zero, base, mask] = [-129, 128, 0, i32::from(base), 0x7F].map(|int| b.int(int));
    let low = b.test(Binary::IGreater, offset, below);
    let high = b.test(Binary::ILess, offset, above);
    let inside = b.test(Binary::And, low, high);
    let offset = b.select(inside, offset, zero);
    let sum = b.int_op(Binary::IAdd, base, offset);
    b.int_op(Binary::IAnd, sum, mask)
}
