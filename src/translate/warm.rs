//! The warm-up of a translator: a program that needs most of what programs need.
//! In: a translator. Out: nothing; its code and memory are at hand then.

use super::Translator;
use crate::host::registers::RegisterState;
use crate::host::registers::number::{OUTMAP, OUTMAP_TOTAL, vertex};
use crate::host::settings::Job;
use crate::program::isa::{Pc, Program, Stage};

/// A matrix in a procedure, a normal, a loop over lights, branches by a bool and by a comparison,
/// and a relative read.
#[rustfmt::skip]
const CODE: [u32; 29] = [
    0x0A02_0000, 0x0A02_1001, 0x0A02_2002, 0x0A02_3003, 0x9000_0004, 0x4C01_0004, 0x0620_1083, 0x3E21_1005,
    0x2220_1886, 0x4E40_2004, 0x9C00_4001, 0xA400_3800, 0x067A_4880, 0x3267_F987, 0xF2E6_9648, 0x8400_0000,
    0x2247_F909, 0xBC87_F90A, 0xA380_5400, 0x3A81_2000, 0x2241_4908, 0x4800_1000, 0x4EAA_4004, 0x36A7_FA8A,
    0x6EA5_7F8B, 0x2EC1_5004, 0x0041_6A8C, 0x4C21_2004, 0x8800_0000,
];
#[rustfmt::skip]
const DESCRIPTORS: [u32; 13] = [
    0x6_C368, 0x6_C364, 0x6_C362, 0x6_C361, 0x36F, 0x1FE1, 0x3F_C36E, 0xAA8, 0xD86_C00E, 0x6_D54E, 0x5_400C,
    0x2A_82A3, 0x6_C37F,
];

impl Translator {
    /// Translates a program of its own and forgets it. A host calls this while it loads, since the
    /// first program of a process takes several times as long as a later one: pages of the library
    /// are not there yet, and no memory. It helps no other program: what makes those slow is that
    /// the host displaced the library from the processor's caches. Results are the same without it.
    ///
    /// ```
    /// use transpica::{Options, Profile, Translator};
    /// let mut translator = Translator::new(Options::default(), Profile::default());
    /// translator.warm_up();
    /// ```
    pub fn warm_up(&mut self) {
        let state = state();
        let vertex = state.vertex();
        let Ok(program) = Program::from_raw(&CODE[..], &DESCRIPTORS[..], Pc(4), Stage::Vertex) else {
            return;
        };
        // Each later call reports the same error of options.
        let _key = self.key(&program, &vertex, Job::Vertex, &[]);
        let Ok(translated) = self.translate(&program, &vertex, Job::Vertex) else { return };
        #[cfg(feature = "spirv")]
        drop(self.spirv(&translated));
        drop(translated);
    }
}

/// Registers with position, color and a texture coordinate as outputs.
fn state() -> RegisterState {
    let mut state = RegisterState::default();
    let map = [0x0302_0100, 0x0B0A_0908, 0x1F1F_0D0C];
    state.write(vertex::OUTPUT_MASK, 7);
    state.write(OUTMAP_TOTAL, 3);
    (OUTMAP..).zip(map).for_each(|(register, word)| state.write(register, word));
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::settings::{Options, Profile};

    #[test]
    fn the_program_translates() {
        let program = Program::from_raw(&CODE[..], &DESCRIPTORS[..], Pc(4), Stage::Vertex).unwrap();
        let mut translator = Translator::new(Options::default(), Profile::default());
        let state = state();
        let translated = translator.translate(&program, &state.vertex(), Job::Vertex).unwrap();
        assert_eq!((translated.usage.inputs, translated.usage.relative != 0), (7, true));
        assert!(translated.warnings.is_empty());
    }

    #[cfg(feature = "spirv")]
    #[test]
    fn words_do_not_depend_on_it() {
        let program = Program::from_raw(&CODE[4..], &DESCRIPTORS[..], Pc(1), Stage::Vertex).unwrap();
        let state = state();
        let [plain, warm] = [false, true].map(|is_warm| {
            let mut translator = Translator::new(Options::default(), Profile::default());
            if is_warm {
                translator.warm_up();
            }
            let translated = translator.translate(&program, &state.vertex(), Job::Vertex).unwrap();
            translator.spirv(&translated).unwrap()
        });
        assert_eq!(plain, warm);
    }
}
