//! Lowering of geometry programs: invocations, vertex slots, two banks of outputs, triangles.
//! In: EMIT and SETEMIT, the configuration. Out: operations and updates of the lane map, and
//! [`Op::Submit`] for each triangle. Rules: hardware tests (two banks, exchanged at every EMIT;
//! registers, slots and SETEMIT persist), 3dbrew (b15).
//!
//! If invocations are independent, each thread runs one of them. Otherwise a thread runs
//! consecutive invocations in a loop whose parameters are the carried state:
//!
//! ```text
//! first = thread * chunk - (threads * chunk - invocations)
//! i = max(first - warm, 0)   state = what was before the draw
//! loop { if i >= first + chunk { break }   if i == first { count = 0 }   the program   i = i + 1 }
//! ```

use super::context::{Context, Form, Geometry, OutputSelection};
use super::lanes::{self, ADDRESS, COUNTER, FLAGS, Slot, SlotSet, geometry as own};
use super::outputs;
use super::scope::{Builder, Slots};
use crate::geometry::{GeometryInput, RECORDED, StateItem, StateWord};
use crate::host::hooks::taps;
use crate::host::settings::Options;
use crate::interface::Output;
use crate::ir::{Array, Binary, Buffer, Lane, Op, Resource, Type, Unary, Value};
use crate::machine::precision::bits::ONE;
use crate::program::isa::{Component, Dest, Inst, sizes};
use crate::support::fields::DrawField;

/// Vertex slots of a triangle.
const TRIANGLE: usize = 3;
/// Number of registers in a bank of outputs.
const REGISTERS: u8 = sizes::INPUTS as u8;

/// Semantics of EMIT and SETEMIT, and the code around invocations.
#[derive(Clone, Copy)]
pub(super) struct Emission<'a> {
    geometry: Geometry<'a>,
    outputs: &'a [Output],
    options: &'a Options,
    /// First slot of a geometry program.
    base: Slot,
}

/// The number of slots of a program whose other slots end at `end`, and the semantics of EMIT if it
/// is a geometry program.
pub(super) fn slots(context: Context<'_>, end: Slot) -> (Slots, Option<Emission<'_>>) {
    let (Some(geometry), OutputSelection::Semantics(outputs)) = (context.geometry, context.outputs) else {
        let taps = 4 * taps(context.hooks).count();
        // Slots of taps are grouped as those of a geometry program's outputs.
        let base = if taps == 0 { Slot::MAX } else { end.next_multiple_of(64) };
        let count = if taps == 0 { end } else { base + taps };
        return (Slots { count, geometry: base }, None);
    };
    // Groups of slots must not cross a word of a slot set.
    let base = end.next_multiple_of(64);
    let count = base + own::VERTICES + 4 * TRIANGLE * outputs.len();
    let emission = Emission { geometry, outputs, options: context.options, base };
    (Slots { count, geometry: base }, Some(emission))
}

impl Emission<'_> {
    /// Returns whether invocations run in a loop.
    pub(super) fn is_looped(&self) -> bool {
        !self.geometry.state.is_empty() && self.geometry.form != Form::Unit
    }
    fn count(&self) -> Slot {
        self.base + own::COUNT
    }
    fn invocation(&self) -> Slot {
        self.base + own::INVOCATION
    }
    /// First lane of an output in a vertex slot.
    fn vertex(&self, slot: usize, output: usize) -> Slot {
        self.base + own::VERTICES + 4 * (slot * self.outputs.len() + output)
    }
    /// The slot of a word of carried state.
    fn slot_of(&self, word: &StateWord) -> Slot {
        let component = usize::from(word.component);
        let at = |dest, component: Component| lanes::register(dest) + component.index();
        match word.item {
            StateItem::Temp { register, component } => at(Dest::Temp(register), component),
            StateItem::Address(component) => ADDRESS + component.index(),
            StateItem::Counter => COUNTER,
            StateItem::Flag(component) => FLAGS + component.index(),
            StateItem::Current { register, component } => at(Dest::Output(register), component),
            StateItem::Other { register, component } => {
                self.base + own::OTHER + 4 * usize::from(register) + component.index()
            }
            StateItem::Slot(slot) => self.vertex(usize::from(slot), word.output.into()) + component,
            StateItem::Setting => self.base + own::SETTING[component.min(2)],
            // Not carried: it follows from the index of the invocation.
            StateItem::Ran => self.invocation(),
        }
    }

    /// Begins an invocation, or the loop over those of a thread. `assigned` are the slots that the
    /// program assigns.
    pub(super) fn begin(&self, b: &mut Builder, assigned: SlotSet) {
        self.init_vertices(b);
        match self.geometry.form {
            // They have no threads of their own: API or unit run one invocation per primitive.
            Form::Stage { .. } => return self.stage_inputs(b),
            Form::Unit => {
                self.stage_inputs(b);
                for (index, word) in (0..).zip(self.geometry.state) {
                    let slot = self.slot_of(word);
                    let value = self.load_state(b, index, slot);
                    b.write(slot, value);
                }
                return;
            }
            Form::Kernel | Form::Emits => {}
        }
        let thread = draw(b, DrawField::Thread);
        if !self.is_looped() {
            b.write(self.invocation(), thread);
            return self.inputs(b);
        }
        let (chunk, warm) = (draw(b, DrawField::Chunk), draw(b, DrawField::Warm));
        let zero = b.int(0);
        let first = first_invocation(b, thread, chunk);
        // Warm-up invocations before the first of the draw do not exist, so the start is clamped to
        // 0.
        let start = b.int_op(Binary::ISub, first, warm);
        let is_before = b.test(Binary::ILess, start, zero);
        let start = b.select(is_before, zero, start);
        let end = b.int_op(Binary::IAdd, first, chunk);
        let mut set = assigned;
        set.insert(self.invocation());
        set.insert(self.count());
        // Slots that carry no state start each invocation with their defaults.
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
        // The triangles of warm-up invocations are counted by the threads that own those.
        let count = b.read(self.count());
        let count = b.select(is_first, zero, count);
        b.write(self.count(), count);
        let stays = |slot: Slot| slot == self.invocation() || slot == self.count() || kept.has(slot);
        for (slot, lane) in fresh.into_iter().filter(|(slot, _)| !stays(*slot)) {
            b.set(slot, lane);
        }
        self.inputs(b);
    }

    /// Fills the vertex slots with the default values of the outputs.
    fn init_vertices(&self, b: &mut Builder) {
        if matches!(self.geometry.form, Form::Emits | Form::Unit) {
            return;
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let value = outputs::semantic(b, output, self.options);
            (0..TRIANGLE).for_each(|slot| b.write_vector(self.vertex(slot, index), value));
        }
    }

    /// Ends the invocation or the loop. Returns the number of triangles and, as bits, the state
    /// that the last invocation leaves.
    pub(super) fn end(&self, b: &mut Builder) -> Vec<Value> {
        if self.is_looped() {
            if b.reachable() {
                b.step(Binary::IAdd, self.invocation());
            }
            b.close();
        }
        // A program that never ends has no outputs.
        if !b.reachable() {
            return Vec::new();
        }
        let count = b.read(self.count());
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

    /// Loads a word of state as the scalar of its slot.
    fn load_state(&self, b: &mut Builder, index: i32, slot: Slot) -> Value {
        let kind = b.func.ty(b.get(slot).value()).kind;
        let index = b.int(index);
        let word = b.emit(Type::U32, Op::ReadAt(Array::Buffer(Buffer::State), index));
        match Type::new(kind, 1) {
            Type::F32 => b.emit(Type::F32, Op::Unary(Unary::FromBits, word)),
            Type::BOOL => {
                let zero = b.constant(Type::U32, [0; 4]);
                // Any word but 0 is true: the host writes the first words.
                let clear = b.test(Binary::UEqual, word, zero);
                b.not(clear)
            }
            _int => b.emit(Type::I32, Op::Unary(Unary::UintToInt, word)),
        }
    }

    /// Index of this invocation's first vector in the feed.
    fn feed(&self, b: &mut Builder) -> Value {
        let (invocation, window) = (b.read(self.invocation()), draw(b, DrawField::Window));
        b.int_op(Binary::IMul, invocation, window)
    }

    /// Loads the input registers of an invocation.
    fn inputs(&self, b: &mut Builder) {
        let rest = b.constant(Type::F32X4, [0, 0, 0, ONE]);
        // Registers without a vector read (0, 0, 0, 1).
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

    /// Loads the inputs of a native stage: [`Resource::Input`] n is vector n of an invocation.
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

    /// Reads c`base`, with a computed offset or without, where vertices may have been delivered to
    /// it. `otherwise` is the value if none was.
    pub(super) fn read_delivered(
        &self,
        b: &mut Builder,
        base: u8,
        offset: Option<Value>,
        otherwise: impl FnOnce(&mut Builder) -> Value,
    ) -> Value {
        // The first register in the feed, and the number of vectors before it there.
        let (first, before) = match (self.geometry.form, self.geometry.setup.input) {
            (Form::Emits, _) => (0, REGISTERS),
            (_, GeometryInput::Point { .. }) => return otherwise(b),
            (_, GeometryInput::Variable { .. }) => (0, 0),
            (_, GeometryInput::Fixed { first, .. }) => (first, 0),
        };
        // A fixed register below the first delivered one never holds a vertex.
        if offset.is_none() && base < first {
            return otherwise(b);
        }
        let index = match offset {
            None => b.int(i32::from(base)),
            Some(offset) => b.uniform_index(base, offset),
        };
        let (first, before) = (b.int(i32::from(first) - i32::from(before)), b.int(i32::from(before) - 1));
        let zero = b.int(0);
        let place = b.int_op(Binary::ISub, index, first);
        let window = draw(b, DrawField::Window);
        let not_before = b.test(Binary::IGreater, place, before);
        let not_behind = b.test(Binary::ILess, place, window);
        let is_inside = b.test(Binary::And, not_before, not_behind);
        // The load must stay inside the buffer even where its result is dropped.
        let place = b.select(is_inside, place, zero);
        let start = self.feed(b);
        let index = b.int_op(Binary::IAdd, start, place);
        let vertex = b.emit(Type::F32X4, Op::ReadAt(Array::Buffer(Buffer::Feed), index));
        let other = otherwise(b);
        select(b, is_inside, vertex, other)
    }

    /// Inserts the slots that EMIT and SETEMIT assign.
    pub(super) fn assigned(&self, inst: &Inst, set: &mut SlotSet) {
        match inst {
            Inst::SetEmit { .. } => own::SETTING.iter().for_each(|slot| set.insert(self.base + slot)),
            Inst::Emit => {
                let start = lanes::register(Dest::Output(0));
                (0..4 * usize::from(REGISTERS)).for_each(|lane| {
                    set.insert(start + lane);
                    set.insert(self.base + own::OTHER + lane);
                });
                let end = self.vertex(TRIANGLE, 0);
                (self.vertex(0, 0)..end).chain([self.count()]).for_each(|slot| set.insert(slot));
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
        self.reset_hidden(b);
        match self.geometry.form {
            Form::Emits | Form::Unit => self.record(b),
            Form::Kernel | Form::Stage { .. } => self.assemble(b),
        }
        self.change_banks(b);
    }

    /// Records the forwarded registers, the index of the invocation and the setting of SETEMIT.
    fn record(&self, b: &mut Builder) {
        let setting = own::SETTING.map(|slot| b.get(self.base + slot));
        let named = b.scalar(setting[0]);
        let [named, invocation] = [named, b.read(self.invocation())].map(|number| small_float(b, number));
        let [prim, invert] = [setting[1], setting[2]].map(|flag| {
            let (one, zero) = (b.constant(Type::F32, [ONE, 0, 0, 0]), b.constant(Type::F32, [0; 4]));
            let cond = b.scalar(flag);
            b.select(cond, one, zero)
        });
        let setting = b.gather(&[named, prim, invert, invocation].map(|value| Lane::new(value, 0)));
        let mut args = vec![b.read(self.count()), setting];
        for register in (0..REGISTERS).filter(|&n| self.geometry.setup.outputs >> n & 1 != 0) {
            args.push(b.read_vector(lanes::register(Dest::Output(register)), 4));
        }
        // A triangle has three vertices of as many vectors each, so the list is padded to a
        // multiple of three.
        args.resize(1 + 3 * (args.len() - 1).div_ceil(3), setting);
        let args = b.func.list(args);
        let count = b.emit(Type::I32, Op::Submit { args });
        b.write(self.count(), count);
    }

    fn assemble(&self, b: &mut Builder) {
        self.fill(b);
        let [_, prim, _] = own::SETTING.map(|slot| b.get(self.base + slot));
        // A constant setting needs no branch.
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

    /// Resets outputs that are not forwarded to their defaults.
    fn reset_hidden(&self, b: &mut Builder) {
        let rest = b.constant(Type::F32X4, self.options.settings(0).uninitialized.map(f32::to_bits));
        for register in (0..REGISTERS).filter(|&n| self.geometry.setup.outputs >> n & 1 == 0) {
            b.write_vector(lanes::register(Dest::Output(register)), rest);
        }
    }

    /// Copies the outputs to the vertex slot that SETEMIT selected.
    fn fill(&self, b: &mut Builder) {
        let named = b.get(self.base + own::SETTING[0]);
        let known = b.constant_bits(named);
        let fills = |slot: usize| known.is_none_or(|known| known as usize == slot);
        // Slot 3 is not part of a triangle, so its vertex is dead.
        if !(0..TRIANGLE).any(fills) {
            return;
        }
        let mut chosen = [None; TRIANGLE];
        if known.is_none() {
            let named = b.scalar(named);
            for (slot, chosen) in (0..).zip(&mut chosen) {
                let slot = b.int(slot);
                *chosen = Some(b.test(Binary::IEqual, named, slot));
            }
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let value = outputs::semantic(b, output, self.options);
            for slot in (0..TRIANGLE).filter(|&slot| fills(slot)) {
                let start = self.vertex(slot, index);
                let mut new = value;
                if let Some(cond) = chosen[slot] {
                    let held = b.read_vector(start, b.func.ty(value).lanes);
                    new = select(b, cond, value, held);
                }
                b.write_vector(start, new);
            }
        }
    }

    /// Submits the triangle of the three slots.
    fn submit(&self, b: &mut Builder) {
        let zero = Lane::new(b.constant(Type::F32, [0; 4]), 0);
        let mut vertices: Vec<Value> = Vec::with_capacity(1 + TRIANGLE * self.outputs.len());
        vertices.push(b.read(self.count()));
        for slot in 0..TRIANGLE {
            for (index, output) in self.outputs.iter().enumerate() {
                let start = self.vertex(slot, index);
                let own = |lane| if lane < output.lanes() { b.get(start + lane) } else { zero };
                let lanes = [0, 1, 2, 3].map(own);
                vertices.push(b.gather(&lanes));
            }
        }
        // The first vertex changes places with the second or third: hardware was not measured.
        if let Some(reversed) = self.reversal(b) {
            let other = if self.options.outputs.reverse_ends { 2 } else { 1 };
            let (first, second) = (1, 1 + other * self.outputs.len());
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

    /// Condition under which two vertices of a triangle are swapped, or `None` if they never are.
    fn reversal(&self, b: &mut Builder) -> Option<Value> {
        let invert = b.get(self.base + own::SETTING[2]);
        let allowed = match self.geometry.form {
            Form::Stage { respects_winding: false } => return None,
            Form::Stage { respects_winding: true } => b.constant(Type::BOOL, [1, 0, 0, 0]),
            Form::Emits | Form::Unit => return None,
            // A draw field is read only if some SETEMIT may reverse.
            Form::Kernel if b.constant_bits(invert) == Some(0) => return None,
            Form::Kernel => {
                let respects = draw(b, DrawField::RespectsWinding);
                b.test_int(Binary::IGreater, respects, 0)
            }
        };
        match b.constant_bits(invert) {
            Some(0) => None,
            Some(_) => Some(allowed),
            None => {
                let invert = b.scalar(invert);
                Some(b.test(Binary::And, allowed, invert))
            }
        }
    }
}

/// Returns the first invocation of a thread without its warm-up.
fn first_invocation(b: &mut Builder, thread: Value, chunk: Value) -> Value {
    let all = draw(b, DrawField::Invocations);
    // If the last thread would get fewer invocations than the others, the first one does instead.
    // Why: drivers.md#thread-ends-first.
    let threads = draw(b, DrawField::Threads);
    let places = b.int_op(Binary::IMul, threads, chunk);
    let empty = b.int_op(Binary::ISub, places, all);
    let first = b.int_op(Binary::IMul, thread, chunk);
    b.int_op(Binary::ISub, first, empty)
}

fn draw(b: &mut Builder, field: DrawField) -> Value {
    b.emit(Type::I32, Op::Read(Resource::Draw(field)))
}

/// Converts an integer n below 2^23 to the float 2^23 + n, which no processor flushes as a
/// subnormal.
fn small_float(b: &mut Builder, number: Value) -> Value {
    let bits = b.emit(Type::U32, Op::Unary(Unary::IntToUint, number));
    let base = b.constant(Type::U32, [RECORDED.to_bits(), 0, 0, 0]);
    let bits = b.emit(Type::U32, Op::Binary(Binary::BitOr, bits, base));
    b.emit(Type::F32, Op::Unary(Unary::FromBits, bits))
}

/// Chooses one of two vectors by a scalar.
fn select(b: &mut Builder, cond: Value, x: Value, y: Value) -> Value {
    let ty = b.func.ty(x);
    let cond = b.gather(&[Lane::new(cond, 0); 4][..usize::from(ty.lanes)]);
    b.emit(ty, Op::Select { cond, a: x, b: y })
}
