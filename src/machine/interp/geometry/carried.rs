//! The state that invocations carry over, as a host saves and restores it.
//! In: a geometry machine between two invocations, or a [`CarriedState`]. Out: the other. Knows no
//! program.

use super::GeometryMachine;
use crate::machine::interp::emission::{Emission, Invocation, Setting};
use crate::machine::interp::registers::dest_place;
use crate::program::isa::Dest;
use crate::program::isa::control::Test;
use crate::program::isa::uniforms::HAS_RUN;

/// All state that carries over from one invocation to the next, except for uniforms other than b15.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedState {
    /// r0..r15
    pub temps: [[f32; 4]; 16],
    /// o0..o15 in the bank that is written next, and in the other one.
    pub banks: [[[f32; 4]; 16]; 2],
    /// a0.x and a0.y
    pub address: [i32; 2],
    /// aL
    pub counter: i32,
    /// cmp.x and cmp.y
    pub flags: [bool; 2],
    /// o0..o15 of the vertex in each slot.
    pub slots: [[[f32; 4]; 16]; 4],
    /// The setting of SETEMIT: slot, triangle flag, winding flag.
    pub setting: (u8, bool, bool),
    /// b15
    pub ran: bool,
}

impl GeometryMachine {
    /// Returns the state that the next invocation finds.
    pub fn carried_state(&self) -> CarriedState {
        let registers = self.machine.registers();
        let mut temps = [[0.0; 4]; 16];
        for (number, value) in (0..).zip(&mut temps) {
            *value = registers.dest(Dest::Temp(number));
        }
        let Emission { setting, other, slots, invocation, .. } = &self.emission;
        CarriedState {
            temps,
            banks: [*registers.outputs(), *other],
            address: registers.address,
            counter: registers.loops.counter,
            flags: registers.flags,
            slots: slots.map(|place| invocation.vertices[place]),
            setting: (setting.slot, setting.prim, setting.invert),
            ran: registers.test(Test::Bool { id: HAS_RUN, expected: true }),
        }
    }

    /// Sets the state as if earlier invocations had left it. EMITs of the last invocation are gone.
    pub fn set_carried_state(&mut self, carried: &CarriedState) {
        self.machine.set_bool(HAS_RUN, carried.ran);
        let registers = self.machine.registers_mut();
        for (number, value) in (0..).zip(&carried.temps) {
            *registers.places(dest_place(Dest::Temp(number))) = *value;
        }
        *registers.outputs_mut() = carried.banks[0];
        registers.address = carried.address;
        registers.loops.counter = carried.counter;
        registers.flags = carried.flags;
        let Emission { setting, other, slots, invocation, .. } = &mut self.emission;
        let (slot, prim, invert) = carried.setting;
        // EMIT indexes the slots with it.
        *setting = Setting { slot: slot & 3, prim, invert };
        *other = carried.banks[1];
        *slots = [0, 1, 2, 3];
        *invocation = Invocation { vertices: carried.slots.to_vec(), ..Invocation::default() };
    }
}
