//! What single instructions read: input registers two at a time, uniforms that nothing sets.
//! In: a program, its executable and the others of the file, which words are executed. Out: findings, one for each uniform
//! at the first word that reads it. Relative reads are not judged: which registers they reach is not known. Neither are float
//! uniforms of geometry programs that take their vertices as such (variable and fixed mode).

use super::{Findings, Rule};
use crate::container::{ConstantValue, Dvle, GeometryMode, Shbin, SymbolBank};
use crate::isa::{Flow, Index, Inst, Operand, Pc, Program, Source, Stage};

/// The uniforms of each bank that something sets or that were reported.
struct Bound {
    floats: u128,
    ints: u8,
    bools: u16,
}

pub(super) fn run(
    program: &Program<'_>,
    file: &Shbin<'_>,
    executable: &Dvle<'_>,
    reached: &[bool],
    findings: &mut Findings,
) {
    let mut bound = Bound { floats: 0, ints: 0, bools: 0 };
    file.executables.iter().for_each(|executable| bound.add(executable));
    let by_uniforms =
        matches!(executable.header.geometry_mode(), Some(GeometryMode::Variable | GeometryMode::Fixed));
    if program.stage() == Stage::Geometry && by_uniforms {
        bound.floats = u128::MAX;
    }
    for (index, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        // Range: the code of a program is that short.
        let pc = Pc(index as u16);
        let Some(inst) = program.inst(pc) else { continue };
        operands(pc, inst.sources(), &mut bound, findings);
        if let Inst::Flow(flow) = inst {
            steering(pc, &flow, &mut bound, findings);
        }
    }
}

impl Bound {
    /// Adds what an executable names or sets. The executables of a file share the registers of the unit.
    fn add(&mut self, executable: &Dvle<'_>) {
        for constant in executable.constants.iter() {
            match constant.value() {
                Some(ConstantValue::Bool { register, .. }) => self.bools |= 1 << (register & 15),
                Some(ConstantValue::Int { register, .. }) => self.ints |= 1 << (register & 3),
                Some(ConstantValue::Float { register, .. }) => self.floats |= 1 << (register & 127),
                None => {}
            }
        }
        for range in executable.symbols.iter().filter_map(|symbol| symbol.range()) {
            for register in range.first..range.first + range.count {
                match range.bank {
                    SymbolBank::Input => {}
                    SymbolBank::Float => self.floats |= 1 << register,
                    SymbolBank::Int => self.ints |= 1 << register,
                    SymbolBank::Bool => self.bools |= 1 << register,
                }
            }
        }
    }
}

fn operands(pc: Pc, sources: &[Operand], bound: &mut Bound, findings: &mut Findings) {
    let mut input = None;
    for source in sources {
        match source.register {
            Source::Input(register) => {
                let first = *input.get_or_insert(register);
                if first != register {
                    let message = format!("reads v{first} and v{register} in one instruction");
                    findings.at(pc, Rule::TwoInputs, message);
                }
            }
            Source::Uniform(register) if source.index == Index::None => {
                let bit = 1u128 << (register & 127);
                if bound.floats & bit == 0 {
                    bound.floats |= bit;
                    findings.at(pc, Rule::UnboundUniform, format!("nothing in the file sets c{register}"));
                }
            }
            Source::Uniform(_) | Source::Temp(_) => {}
        }
    }
}

fn steering(pc: Pc, flow: &Flow, bound: &mut Bound, findings: &mut Findings) {
    match *flow {
        Flow::Loop { int, .. } => {
            if bound.ints >> int & 1 == 0 {
                bound.ints |= 1 << int;
                findings.at(pc, Rule::UnboundUniform, format!("nothing in the file sets i{int}"));
            }
        }
        Flow::CallU { bool: id, .. } | Flow::IfU { bool: id, .. } | Flow::JmpU { bool: id, .. } => {
            // b15 belongs to the hardware: it is set while a geometry program starts anew.
            if bound.bools >> id & 1 == 0 && id != 15 {
                bound.bools |= 1 << id;
                findings.at(pc, Rule::UnboundUniform, format!("nothing in the file sets b{id}"));
            }
        }
        Flow::Nop
        | Flow::End
        | Flow::Break
        | Flow::BreakC(_)
        | Flow::Call { .. }
        | Flow::CallC { .. }
        | Flow::IfC { .. }
        | Flow::JmpC { .. } => {}
    }
}
