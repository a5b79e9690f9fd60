//! Checks of single instructions: two input registers at a time, uniforms that nothing sets, names
//! that no instruction reads.
//! In: a program, its executable and the others of the file, the executed words. Out: findings, one
//! for each uniform at the first word that reads it. Relative reads are exempt, since their
//! registers are unknown, as are float uniforms of geometry programs that receive their vertices
//! there (variable and fixed mode).

use super::{Findings, Rule};
use transpica::container::{ConstantValue, Dvle, GeometryMode, SymbolBank, SymbolRange};
use transpica::isa::control::Test;
use transpica::isa::uniforms::HAS_RUN;
use transpica::isa::{Flow, Index, Inst, Operand, Pc, Source};
use transpica::{Program, Shbin, Stage};

/// The banks of uniforms.
#[derive(Clone, Copy)]
enum UniformBank {
    Float,
    Int,
    Bool,
}

/// Uniforms of each [`UniformBank`] that are set or were reported, bit n = register n.
struct Bound([u128; 3]);

pub(super) fn run(
    program: &Program<'_>,
    file: &Shbin<'_>,
    executable: &Dvle<'_>,
    reached: &[bool],
    findings: &mut Findings,
) {
    let mut bound = Bound([0; 3]);
    file.executables.iter().for_each(|executable| bound.add(executable));
    let by_uniforms =
        matches!(executable.header.geometry_mode(), Some(GeometryMode::Variable | GeometryMode::Fixed));
    if program.stage() == Stage::Geometry && by_uniforms {
        bound.0[UniformBank::Float as usize] = u128::MAX;
    }
    for (index, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        // Range: the code of a program is that short.
        let pc = Pc(index as u16);
        let Some(inst) = program.inst(pc) else { continue };
        operands(pc, inst.sources(), &mut bound, findings);
        if let Inst::Flow(flow) = inst {
            uniforms(pc, &flow, &mut bound, findings);
        }
    }
}

impl Bound {
    /// Adds the uniforms that an executable names or sets. All executables of a file share the
    /// registers of the unit.
    fn add(&mut self, executable: &Dvle<'_>) {
        for constant in executable.constants.iter() {
            match constant.value() {
                Some(ConstantValue::Bool { register, .. }) => self.insert(UniformBank::Bool, register & 15),
                Some(ConstantValue::Int { register, .. }) => self.insert(UniformBank::Int, register & 3),
                Some(ConstantValue::Float { register, .. }) => {
                    self.insert(UniformBank::Float, register & 127)
                }
                None => {}
            }
        }
        for range in executable.symbols.iter().filter_map(|symbol| symbol.range()) {
            for register in range.first..range.first + range.count {
                match range.bank {
                    SymbolBank::Input => {}
                    SymbolBank::Float => self.insert(UniformBank::Float, register),
                    SymbolBank::Int => self.insert(UniformBank::Int, register),
                    SymbolBank::Bool => self.insert(UniformBank::Bool, register),
                }
            }
        }
    }

    fn insert(&mut self, bank: UniformBank, register: u8) {
        self.0[bank as usize] |= 1 << register;
    }

    /// Reports a uniform that nothing sets, once.
    fn check(&mut self, bank: UniformBank, register: u8, pc: Pc, findings: &mut Findings) {
        if self.0[bank as usize] >> register & 1 == 0 {
            self.insert(bank, register);
            let letter = ['c', 'i', 'b'][bank as usize];
            findings.add(pc, Rule::UnboundUniform, format!("nothing in the file sets {letter}{register}"));
        }
    }
}

/// Reports symbols of an executable that no instruction reads. Words that the exploration does not
/// reach count only where several programs of the stage share code and registers.
pub(super) fn unused(
    program: &Program<'_>,
    file: &Shbin<'_>,
    executable: &Dvle<'_>,
    reached: &[bool],
    findings: &mut Findings,
) {
    let own = executable.header.shader_type();
    let is_shared = file.executables.iter().filter(|other| other.header.shader_type() == own).count() > 1;
    let ranges: Vec<_> = executable.symbols.iter().filter_map(|symbol| symbol.range()).collect();
    let (mut inputs, mut read) = (0u16, [0u128; 3]);
    for (index, _) in reached.iter().enumerate().filter(|(_, reached)| is_shared || **reached) {
        let Some(inst) = program.inst(Pc(index as u16)) else { continue };
        for source in inst.sources() {
            match source.register {
                Source::Input(register) => inputs |= 1 << (register & 15),
                Source::Uniform(register) => {
                    // A relative read is of the array around its base, else of any uniform.
                    let holds = |range: &&SymbolRange| {
                        range.bank == SymbolBank::Float && register.wrapping_sub(range.first) < range.count
                    };
                    let is_any = source.index != Index::None
                        && ranges.iter().find(holds).is_none_or(|range| range.count == 1);
                    let all = if is_any { u128::MAX } else { 1 << (register & 127) };
                    read[UniformBank::Float as usize] |= all;
                }
                Source::Temp(_) => {}
            }
        }
        let Inst::Flow(flow) = inst else { continue };
        if let Flow::Loop { int, .. } = flow {
            read[UniformBank::Int as usize] |= 1 << int;
        }
        if let Some(Test::Bool { id, .. }) = flow.test() {
            read[UniformBank::Bool as usize] |= 1 << id;
        }
    }
    for symbol in executable.symbols.iter() {
        let Some(range) = symbol.range() else { continue };
        let (read, rule, what) = match range.bank {
            SymbolBank::Input => (inputs.into(), Rule::UnusedInput, "input"),
            SymbolBank::Float => (read[UniformBank::Float as usize], Rule::UnusedUniform, "uniform"),
            SymbolBank::Int => (read[UniformBank::Int as usize], Rule::UnusedUniform, "uniform"),
            SymbolBank::Bool => (read[UniformBank::Bool as usize], Rule::UnusedUniform, "uniform"),
        };
        if (range.first..range.first + range.count).all(|register| read >> (register & 127) & 1 == 0) {
            let name = executable.name(symbol.name).to_text();
            findings.add_unused(rule, what, name.into_owned());
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
                    findings.add(pc, Rule::TwoInputs, message);
                }
            }
            Source::Uniform(register) if source.index == Index::None => {
                bound.check(UniformBank::Float, register & 127, pc, findings);
            }
            Source::Uniform(_) | Source::Temp(_) => {}
        }
    }
}

/// Checks the uniform that a control-flow instruction reads.
fn uniforms(pc: Pc, flow: &Flow, bound: &mut Bound, findings: &mut Findings) {
    if let Flow::Loop { int, .. } = *flow {
        bound.check(UniformBank::Int, int, pc, findings);
    }
    // It is false in the first invocation of a geometry program only.
    if let Some(Test::Bool { id, .. }) = flow.test()
        && id != HAS_RUN
    {
        bound.check(UniformBank::Bool, id, pc, findings);
    }
}
