//! Setting the carried state of a geometry machine, for tests of the dependences on it.

use super::{Emission, GeometryMachine, Invocation, RAN, Setting};
use crate::interp::registers::dest_place;
use crate::isa::Dest;

/// All state that carries over from one invocation to the next, but for float uniforms.
#[derive(Clone, Debug)]
pub(crate) struct CarriedState {
    /// r0..r15
    pub(crate) temps: [[f32; 4]; 16],
    /// o0..o15 in the bank that is written next, and in the other one.
    pub(crate) banks: [[[f32; 4]; 16]; 2],
    /// a0.x and a0.y
    pub(crate) address: [i32; 2],
    /// aL
    pub(crate) counter: i32,
    /// cmp.x and cmp.y
    pub(crate) flags: [bool; 2],
    /// o0..o15 of the vertex in each slot.
    pub(crate) slots: [[[f32; 4]; 16]; 4],
    /// The setting of SETEMIT: slot, triangle flag, winding flag.
    pub(crate) setting: (u8, bool, bool),
    /// b15
    pub(crate) ran: bool,
}

impl GeometryMachine {
    /// Sets the state as if earlier invocations had left it.
    pub(crate) fn set_carried_state(&mut self, left: &CarriedState) {
        self.machine.set_bool(RAN, left.ran);
        let registers = self.machine.registers_mut();
        for (number, value) in (0..).zip(&left.temps) {
            *registers.places(dest_place(Dest::Temp(number))) = *value;
        }
        *registers.outputs_mut() = left.banks[0];
        registers.address = left.address;
        registers.counter = left.counter;
        registers.flags = left.flags;
        let Emission { setting, other, slots, invocation, .. } = &mut self.emission;
        let (slot, prim, invert) = left.setting;
        *setting = Setting { slot, prim, invert };
        *other = left.banks[1];
        *slots = [0, 1, 2, 3];
        *invocation = Invocation { vertices: left.slots.to_vec(), ..Invocation::default() };
    }
}
