//! Registers that can change a result.
//! In: a program, the outputs that are used. Out: whether invocations are independent, though some
//! read what an earlier one left. Knows no order of instructions.
//!
//! Programs copy whole registers of which they use some components. The others are read, but
//! nothing follows from that.

use crate::cfg::Cfg;
use transpica::Program;
use transpica::geometry::{StateItem, observe};
use transpica::isa::access::{Access, lane};
use transpica::isa::{Dest, Inst, Mask, Pc};

/// Returns whether no result of an invocation depends on an earlier one. `outputs` are the
/// components of o0..o15 that are forwarded and used.
pub(super) fn are_independent(program: &Program<'_>, cfg: &Cfg, outputs: &[Mask; 16]) -> bool {
    let observations = observe(program, cfg, outputs);
    let temps = if observations.is_empty() { 0 } else { demanded_temps(program, outputs) };
    observations.iter().all(|observation| match observation.item {
        StateItem::Temp { register, component } => temps & lane(register, component) == 0,
        _other_state => false,
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
        whole => whole,
    }
}

#[cfg(test)]
mod tests {
    use crate::cfg::explore::{Explored, explore};
    use transpica::{Shbin, host::dvle};
    use transpica_asm::{SourceText, assemble};

    use super::*;

    /// Returns whether invocations of a program that forwards o0 are independent.
    #[track_caller]
    fn independent(code: &str) -> bool {
        let text = format!(".gsh point c0\n.out - position o0\n.proc main\n{code}\nend\n.end\n");
        let source = [SourceText { name: "test", text: &text }];
        let assembled = assemble(&source).unwrap_or_else(|report| panic!("{report}"));
        let file = Shbin::parse(&assembled.bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Default::default()).expect("a program");
        let explored = explore(&program, &Default::default(), &Default::default());
        let Ok(Explored::Graph(cfg)) = explored else { panic!("a small program") };
        let mut outputs = [Mask::NONE; 16];
        outputs[0] = Mask::XYZW;
        are_independent(&program, &cfg, &outputs)
    }

    #[test]
    fn what_no_result_follows_from_does_not_count() {
        // r1.zw are an earlier invocation's, and so are r2.zw.
        let copied = |rest: &str| independent(&format!("mov r1.xy, v0\nmov r2, r1\n{rest}\nsetemit 0\nemit"));
        assert!(copied("mov o0, r2.xyyx"));
        assert!(
            copied("mov o2, r2\ndp3 r3.x, r2, r2\nmov o0, r2.xyyx"),
            "o2 is not forwarded, r3 is not read"
        );
        assert!(!copied("mov o0, r2"));
        assert!(!copied("dp3 o0, r2, r2"));
        assert!(!copied("mov r3.w, r2.zzzz\nmov o0, v0\nmov o0.x, r3.wwww"));
        assert!(!copied("mova a0.x, r2.zzzz\nmov o0, c0[a0.x]"));
        assert!(!copied("mov o0, v0\ncmp r2.zzzz, eq, eq, v0"));
        assert!(!independent("mov r1.xy, v0\nemit"), "all other state counts");
    }
}
