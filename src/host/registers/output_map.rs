//! The output map: the register component of each semantic.
//! In: map words, or the output table of an executable. Out: components by code. Knows no program.
//! Facts: libctru assigns a semantic's codes to the set mask bits in ascending order. The GPU takes
//! registers in ascending order and the last of two components with one code.

use crate::program::container::{Dvle, Semantic, UNUSED_CODE};
use crate::program::isa::Component;

/// Number of codes of five bits.
pub(crate) const CODES: usize = 32;

/// Register component of each of the GPU's semantic codes (0 position.x … 0x17 texcoord2.v).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputMap {
    sources: [Option<(u8, Component)>; CODES],
}

impl OutputMap {
    /// Builds the map from map words: byte j of a register's word is the code of its component j.
    /// The last component of a code counts, so words must come by ascending register.
    pub fn from_words(words: impl IntoIterator<Item = (u8, [u8; 4])>) -> Self {
        let mut map = Self::default();
        for (register, codes) in words {
            for (component, code) in Component::ALL.into_iter().zip(codes) {
                map.sources[usize::from(code) % CODES] = Some((register, component));
            }
        }
        map.sources[usize::from(UNUSED_CODE)] = None;
        map
    }

    /// Maps the components of a semantic to the components of a register, x first.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, semantic: Semantic, register: u8) -> Self {
        let info = semantic.info();
        let codes = self.sources.iter_mut().skip(info.first_code.into()).take(info.components.into());
        for (source, component) in codes.zip(Component::ALL) {
            *source = Some((register & 15, component));
        }
        self
    }

    /// Appends the map.
    #[doc(hidden)]
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { sources } = self;
        for source in sources {
            // Register and component take six bits, so 0xFF is free for unmapped codes.
            out.push(source.map_or(0xFF, |(register, component)| register << 2 | component as u8));
        }
    }

    /// Returns the register component of a code, if it is mapped.
    pub(crate) fn get(&self, code: u8) -> Option<(u8, Component)> {
        self.sources[usize::from(code) % CODES]
    }

    /// Builds the map that libctru programs from the output table of an executable.
    pub fn from_executable(executable: &Dvle<'_>) -> Self {
        let mut words = [[UNUSED_CODE; 4]; 16];
        for output in executable.outputs.iter() {
            if let Some(codes) = words.get_mut(usize::from(output.register)) {
                output.assign(codes);
            }
        }
        Self::from_words((0..).zip(words))
    }
}
