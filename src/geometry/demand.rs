//! Registers that can change a result.
//! In: a program, the outputs that are used. Out: whether invocations are independent, though some
//! read what an earlier one left. Knows no order of instructions.
//!
//! Programs copy whole registers of which they use some components. The others are read, but
//! nothing follows from that.

use super::{StateItem, observe};
use crate::cfg::Cfg;
use crate::isa::access::{Access, lane};
use crate::isa::{Dest, Inst, Mask, Pc, Program};

/// Returns whether no result of an invocation depends on an earlier one. `outputs` are the
/// components of o0..o15 that are forwarded and used.
pub(crate) fn are_independent(program: &Program<'_>, cfg: &Cfg, outputs: &[Mask; 16]) -> bool {
    let observations = observe(program, cfg, outputs);
    let temps = if observations.is_empty() { 0 } else { demanded_temps(program, outputs) };
    observations.iter().all(|observation| match observation.item {
        StateItem::Temp { register, component } => temps & lane(register, component) == 0,
        StateItem::Address(_)
        | StateItem::Counter
        | StateItem::Flag(_)
        | StateItem::Current { .. }
        | StateItem::Other { .. }
        | StateItem::Slot(_)
        | StateItem::Setting
        | StateItem::Ran => false,
    })
}

/// The components of r0..r15 that some address, flag or used output follows from.
fn demanded_temps(program: &Program<'_>, outputs: &[Mask; 16]) -> u64 {
    let insts: Vec<Inst> = (0..=u16::MAX).map_while(|pc| program.inst(Pc(pc))).collect();
    let mut temps = 0;
    loop {
        let before = temps;
        for inst in &insts {
            temps |= Access::new(&demanded_part(inst, temps, outputs)).temps_read;
        }
        if temps == before {
            return temps;
        }
    }
}

/// The instruction, writing only components that are demanded.
fn demanded_part(inst: &Inst, temps: u64, outputs: &[Mask; 16]) -> Inst {
    match *inst {
        Inst::Data { op, dest, mask, sources } if !op.opcode().info().writes_flags => {
            let demanded = match dest {
                // Range: four bits.
                Dest::Temp(register) => (temps >> (4 * (register & 15)) & 15) as u8,
                Dest::Output(register) => outputs[usize::from(register & 15)].0,
            };
            Inst::Data { op, dest, mask: Mask(mask.0 & demanded), sources }
        }
        inst @ (Inst::Data { .. }
        | Inst::Mova { .. }
        | Inst::Cmp { .. }
        | Inst::Flow(_)
        | Inst::Emit
        | Inst::SetEmit { .. }
        | Inst::Unassigned(_)) => inst,
    }
}
