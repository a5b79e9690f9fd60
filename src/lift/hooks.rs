//! Lowering of hooks: changes that a host makes to outputs and uniforms, and taps.
//! In: [`Hook`]s, lanes of outputs. Out: changed lanes. The CPU's side is `host::hooks`.

use super::lanes::{self, FLAGS, Slot, SlotSet};
use super::scope::Builder;
use crate::host::hooks::{Hook, HookOperand, OutputHook, redirected, taps};
use crate::host::settings::Arithmetic;
use crate::ir::{Binary, Lane, Op, Resource, Type, Value};
use crate::machine::precision::bits::ONE;
use crate::program::isa::{Inst, Mask, Pc};
use crate::support::fields::HostField;

/// Hooks of a program, and the slots of its taps.
#[derive(Clone, Copy)]
pub(super) struct Hooks<'a> {
    pub(super) hooks: &'a [Hook],
    /// First slot of the taps, four for each, or `None` in geometry programs, whose slots lie
    /// there.
    pub(super) base: Option<Slot>,
    pub(super) arithmetic: &'a Arithmetic,
}

/// Reads an operand. Parameters become float24 where reads of registers do, in `legalize`.
fn operand(b: &mut Builder, arithmetic: &Arithmetic, operand: HookOperand) -> Value {
    match operand.rounded(arithmetic) {
        HookOperand::Constant(bits) => b.constant(Type::F32X4, bits),
        HookOperand::Parameter(number) => {
            b.emit(Type::F32X4, Op::Read(Resource::Host(HostField::Parameter(number))))
        }
    }
}

/// Changes the lanes of an output.
pub(super) fn output(b: &mut Builder, arithmetic: &Arithmetic, all: &mut [Lane], hook: &OutputHook) {
    let mut each = |mask: Mask, value: HookOperand, op: Option<Binary>| {
        let value = operand(b, arithmetic, value);
        for component in mask.iter() {
            let Some(lane) = all.get_mut(component.index()) else { continue };
            let other = Lane::new(value, component as u8);
            *lane = match op {
                None => other,
                Some(op) => {
                    let (x, y) = (b.scalar(*lane), b.scalar(other));
                    Lane::new(b.emit(Type::F32, Op::Binary(op, x, y)), 0)
                }
            };
        }
    };
    match *hook {
        OutputHook::Set(mask, value) => each(mask, value, None),
        OutputHook::Add(mask, value) => each(mask, value, Some(Binary::AddP)),
        OutputHook::Multiply(mask, value) => each(mask, value, Some(Binary::MulP)),
        OutputHook::Transform(rows) => {
            let mut four = [Lane::new(b.constant(Type::F32, [0; 4]), 0); 4];
            four.iter_mut().zip(&*all).for_each(|(four, lane)| *four = *lane);
            let old = b.gather(&four);
            for (lane, row) in all.iter_mut().zip(rows) {
                let row = operand(b, arithmetic, row);
                *lane = Lane::new(b.emit(Type::F32, Op::Binary(Binary::DotP, row, old)), 0);
            }
        }
    }
}

impl<'a> Hooks<'a> {
    /// The value of a redirected uniform.
    pub(super) fn direct(&self, b: &mut Builder, register: u8) -> Option<Value> {
        let found = redirected(self.hooks).filter(|(from, _)| *from == register).last();
        found.map(|(_, value)| operand(b, self.arithmetic, value))
    }

    /// Replaces the `value` of a relative read where it selects a redirected uniform.
    pub(super) fn relative(&self, b: &mut Builder, base: u8, offset: Value, mut value: Value) -> Value {
        if redirected(self.hooks).next().is_none() {
            return value;
        }
        let register = b.uniform_index(base, offset);
        for (from, to) in redirected(self.hooks) {
            let from = b.int(from.into());
            let is_redirected = b.test(Binary::IEqual, register, from);
            let to = operand(b, self.arithmetic, to);
            let cond = b.gather(&[Lane::new(is_redirected, 0); 4]);
            value = b.emit(Type::F32X4, Op::Select { cond, a: to, b: value });
        }
        value
    }

    /// The first slots of the taps of an instruction.
    fn slots(self, pc: Pc) -> impl Iterator<Item = Slot> + use<'a> {
        let at = move |(_, (at, _)): &(usize, (Pc, u32))| *at == pc;
        taps(self.hooks).enumerate().filter(at).filter_map(move |(number, _)| Some(self.base? + 4 * number))
    }

    /// Gives taps of an instruction that was just lowered its result.
    pub(super) fn tap(&self, b: &mut Builder, pc: Pc, inst: &Inst) {
        for to in self.slots(pc) {
            match *inst {
                Inst::Data { dest, mask, .. } if !mask.is_empty() => {
                    for lane in 0..4 {
                        b.set(to + lane, b.get(lanes::register(dest) + lane));
                    }
                }
                Inst::Cmp { .. } => {
                    let ones = [ONE, 0].map(|bits| b.constant(Type::F32, [bits, 0, 0, 0]));
                    for lane in 0..2 {
                        let flag = b.read(FLAGS + lane);
                        let value = b.select(flag, ones[0], ones[1]);
                        b.write(to + lane, value);
                    }
                }
                // What writes no component is not part of a module, nor of its key.
                Inst::Data { .. }
                | Inst::Mova { .. }
                | Inst::Flow(_)
                | Inst::Emit
                | Inst::SetEmit { .. }
                | Inst::Unassigned(_) => {}
            }
        }
    }

    /// Inserts the slots that [`tap`](Self::tap) assigns.
    pub(super) fn assigned(&self, pc: Pc, set: &mut SlotSet) {
        self.slots(pc).for_each(|slot| set.insert_mask(slot, 15));
    }

    /// The value of a tap.
    pub(super) fn value(&self, b: &mut Builder, tap: u8) -> Value {
        match self.base {
            Some(base) => b.read_vector(base + 4 * usize::from(tap), 4),
            None => b.constant(Type::F32X4, [0; 4]),
        }
    }
}
