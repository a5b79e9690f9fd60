//! Builder of programs: code words, and descriptors that instructions share.
//! In: [`Inst`]s in order. Out: code words and the descriptor table. Knows no labels; targets are
//! addresses.
//! Facts: MAD reaches only the first 32 of 128 descriptors, so descriptors of instructions with a
//! short reach come first.

use crate::error::{At, Error, Result};
use crate::limits::check;
use crate::program::isa::encoding::encode::encode;
use crate::program::isa::inst::Inst;
use crate::program::isa::reg::Pc;
use crate::program::isa::sizes::{DESCRIPTORS, MAD_DESCRIPTORS};

/// A program under construction.
///
/// ```
/// use transpica::isa::{DataOp, Dest, Flow, Inst, Mask, Operand, Source, builder::Builder};
/// let mut builder = Builder::new();
/// let input = Operand::new(Source::Input(0));
/// builder.push(Inst::data(DataOp::Mov, Dest::Output(0), Mask::XYZW, &[input]));
/// builder.push(Inst::Flow(Flow::End));
/// let (code, descriptors) = builder.finish()?;
/// assert_eq!((code, descriptors), (vec![0x4C00_0000, 0x8800_0000], vec![0x36F]));
/// # Ok::<(), transpica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    insts: Vec<Inst>,
}

impl Builder {
    /// Creates an empty program.
    pub fn new() -> Self {
        Self::default()
    }
    /// Appends an instruction and returns its address.
    pub fn push(&mut self, inst: Inst) -> Pc {
        let pc = self.here();
        self.insts.push(inst);
        pc
    }
    /// The address of the next instruction. Beyond the last address, [`finish`](Self::finish)
    /// fails.
    pub fn here(&self) -> Pc {
        Pc(u16::try_from(self.insts.len()).unwrap_or(u16::MAX))
    }
    /// Replaces an instruction, for example when the end of its block is known. An address without
    /// an instruction has no effect.
    pub fn patch(&mut self, pc: Pc, inst: Inst) {
        if let Some(place) = self.insts.get_mut(pc.index()) {
            *place = inst;
        }
    }
    /// Encodes the program: code words and descriptors.
    ///
    /// # Errors
    /// As [`encode`], with the address; [`Kind::Limit`](crate::error::Kind::Limit) for more
    /// addresses or descriptors than exist (128, of which MAD reaches 32).
    pub fn finish(&self) -> Result<(Vec<u32>, Vec<u32>)> {
        check("code words", self.insts.len(), u16::MAX.into(), At::Whole)?;
        let mut descriptors = Vec::new();
        let mut numbers = vec![0; self.insts.len()];
        // Short reach first: other instructions can share the low descriptors, but not the reverse.
        for limit in [MAD_DESCRIPTORS, DESCRIPTORS] {
            for (pc, inst) in self.insts.iter().enumerate().filter(|(_, inst)| reach(inst) == limit) {
                let Some((descriptor, matters)) = inst.descriptor() else { continue };
                let bits = descriptor.pack();
                let found = descriptors.iter().position(|entry| entry & matters == bits);
                let number = found.unwrap_or(descriptors.len());
                if found.is_none() {
                    descriptors.push(bits);
                    check("operand descriptors", descriptors.len(), limit as u32, place(pc))?;
                }
                numbers[pc] = number as u8; // Range: below DESCRIPTORS.
            }
        }
        let words = self.insts.iter().zip(numbers).enumerate().map(|(pc, (inst, number))| {
            encode(inst, number).map(|word| word.0).map_err(|error| Error { at: place(pc), ..error })
        });
        Ok((words.collect::<Result<_>>()?, descriptors))
    }
}

/// Number of descriptors that the word of an instruction can name.
fn reach(inst: &Inst) -> usize {
    inst.opcode().map_or(0, |opcode| opcode.format().descriptors())
}

fn place(index: usize) -> At {
    At::Pc(index as u16) // Range: the number of instructions was checked.
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::encoding::decode::decode;
    use crate::program::isa::inst::{DataOp, Flow, Operand};
    use crate::program::isa::reg::{Dest, Mask, Source, Swizzle};

    fn data(op: DataOp, mask: u8, swizzle: u8) -> Inst {
        let source = Operand { swizzle: Swizzle(swizzle), ..Operand::new(Source::Temp(1)) };
        Inst::data(op, Dest::Temp(0), Mask(mask), &[source; 3][..op.source_count()])
    }

    /// The decoded words of a built program.
    fn rebuilt(builder: &Builder) -> Vec<Inst> {
        let (code, descriptors) = builder.finish().expect("builds");
        code.iter().map(|&word| decode(word, &descriptors)).collect()
    }

    #[test]
    fn instructions_share_descriptors_and_mad_gets_the_low_ones() {
        let mut builder = Builder::new();
        for number in 0..40 {
            builder.push(data(DataOp::Mov, 1, number));
        }
        for op in [DataOp::Mad, DataOp::Mul, DataOp::Mov, DataOp::Mad] {
            builder.push(data(op, 3, 0x1B));
        }
        assert_eq!(builder.finish().expect("builds").1.len(), 41);
        assert_eq!(rebuilt(&builder), builder.insts);
    }

    #[test]
    fn too_many_descriptors_are_an_error_with_a_place() {
        let mut builder = Builder::new();
        for number in 0..129 {
            builder.push(data(DataOp::Mov, 1, number));
        }
        assert_eq!(builder.finish().map_err(|error| error.at), Err(At::Pc(128)));
        let mut builder = Builder::new();
        for number in 0..33 {
            builder.push(data(DataOp::Mad, 1, number));
        }
        assert_eq!(builder.finish().map_err(|error| error.at), Err(At::Pc(32)));
    }

    #[test]
    fn a_patched_instruction_is_built() {
        let mut builder = Builder::new();
        let start = builder.push(Inst::Flow(Flow::Nop));
        builder.push(Inst::Flow(Flow::End));
        let call = Inst::Flow(Flow::Call { target: builder.here(), length: 1 });
        builder.patch(start, call);
        assert_eq!(rebuilt(&builder), [call, Inst::Flow(Flow::End)]);
    }
}
