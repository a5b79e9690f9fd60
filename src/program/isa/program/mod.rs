//! A program: code words, descriptors, entry point, stage.

pub mod builder;
pub mod uniforms;

use std::borrow::Cow;

use super::encoding::decode::{decode, destination};
use super::encoding::word::{Field, Word};
use super::inst::Inst;
use super::reg::{Dest, Mask, Pc};
use super::sizes::{DESCRIPTORS, GEOMETRY_WORDS, VERTEX_WORDS};
use super::table::Role;
use crate::error::{At, Error, Kind, Result, Warning};
use crate::limits::{Limits, check};

/// Upper bound of all limits: every address, including the end of the code, must be a [`Pc`].
const MAX_WORDS: u32 = 0xFFFF;

/// The shader unit a program is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Stage {
    /// Vertex unit: 512 words.
    #[default]
    Vertex,
    /// Geometry unit: 4096 words.
    Geometry,
}

impl Stage {
    /// Number of code words that the unit can hold.
    pub const fn words(self) -> u32 {
        match self {
            Self::Vertex => VERTEX_WORDS,
            Self::Geometry => GEOMETRY_WORDS,
        }
    }
}

/// Code words with their operand descriptors and an entry point.
///
/// It comes from a file ([`Shbin`](crate::Shbin)), from registers
/// ([`RegisterState`](crate::RegisterState)) or from words ([`from_raw`](Self::from_raw)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    code: Cow<'a, [u32]>,
    descriptors: Cow<'a, [u32]>,
    entry: Pc,
    stage: Stage,
}

/// The first `most` words.
fn cut(words: Cow<'_, [u32]>, most: usize) -> Cow<'_, [u32]> {
    match words {
        Cow::Borrowed(words) => Cow::Borrowed(&words[..words.len().min(most)]),
        Cow::Owned(mut words) => {
            words.truncate(most);
            Cow::Owned(words)
        }
    }
}

impl<'a> Program<'a> {
    /// Creates a program from raw words: see [`guide::instructions`](crate::guide::instructions)
    /// for their bits. `entry` is an index of code words. Descriptors beyond the 128th are dropped;
    /// a missing descriptor reads as 0.
    ///
    /// # Errors
    /// More code words than the limit, or an entry point outside the code (or at 512 and above for
    /// a vertex program).
    pub fn new(
        code: impl Into<Cow<'a, [u32]>>,
        descriptors: impl Into<Cow<'a, [u32]>>,
        entry: Pc,
        stage: Stage,
        limits: &Limits,
    ) -> Result<Self> {
        let code = code.into();
        check("code words", code.len(), limits.code_words.min(MAX_WORDS), At::Whole)?;
        let words = code.len() as u32; // Range: at most MAX_WORDS.
        let at = At::Pc(entry.0);
        let address = u32::from(entry.0);
        if address >= words {
            return Err(Error::new(Kind::EntryOutOfCode { entry: address, words }, at));
        }
        if stage == Stage::Vertex && address >= VERTEX_WORDS {
            let kind = Kind::EntryOutOfReach { entry: address, words: VERTEX_WORDS };
            return Err(Error::new(kind, at));
        }
        // No instruction can name a descriptor beyond these.
        let most = DESCRIPTORS.min(limits.descriptors as usize);
        Ok(Self { code, descriptors: cut(descriptors.into(), most), entry, stage })
    }
    /// Creates a program from the memory of a shader unit: 512 words for vertices, 4,096 for
    /// geometry. Words beyond those, which some hosts keep, are dropped, as are descriptors beyond
    /// the 128th. Execution ends at the end of the words. `entry` is an index of code words.
    ///
    /// Code words and descriptors are the console's, in the host's byte order:
    /// [`guide::instructions`](crate::guide::instructions) lists their bits.
    ///
    /// ```
    /// use transpica::isa::Pc;
    /// use transpica::{Program, Stage};
    /// let code = [0x4C00_0000, 0x8800_0000]; // mov o0, v0; end
    /// let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Vertex)?;
    /// assert_eq!(program.code().len(), 2);
    /// # Ok::<(), transpica::Error>(())
    /// ```
    ///
    /// # Errors
    /// An entry point outside the words.
    pub fn from_raw(
        code: impl Into<Cow<'a, [u32]>>,
        descriptors: impl Into<Cow<'a, [u32]>>,
        entry: Pc,
        stage: Stage,
    ) -> Result<Self> {
        let limits = Limits { code_words: stage.words(), ..Limits::default() };
        Self::new(cut(code.into(), stage.words() as usize), descriptors, entry, stage, &limits)
    }
    /// The code words.
    pub fn code(&self) -> &[u32] {
        &self.code
    }
    /// The descriptors, at most 128.
    pub fn descriptors(&self) -> &[u32] {
        &self.descriptors
    }
    /// The entry point.
    pub fn entry(&self) -> Pc {
        self.entry
    }
    /// The stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }
    /// The decoded instruction at `pc`; nothing at and beyond the end of the code, which counts as
    /// END.
    #[inline]
    pub fn inst(&self, pc: Pc) -> Option<Inst> {
        self.code.get(pc.index()).map(|&word| decode(word, &self.descriptors))
    }
    /// The register and components that the instruction at `pc` writes; faster than
    /// [`inst`](Self::inst).
    #[inline]
    pub fn destination(&self, pc: Pc) -> Option<(Dest, Mask)> {
        destination(*self.code.get(pc.index())?, &self.descriptors)
    }
    /// The stored word at `pc`.
    #[doc(hidden)]
    pub fn word(&self, pc: Pc) -> Option<Word> {
        self.code.get(pc.index()).copied().map(Word)
    }
    /// Warnings about the words at these addresses, which should be reachable: missing descriptors,
    /// lengths whose ignored bits are set, vertex code that the vertex unit cannot hold.
    pub fn warnings(&self, pcs: impl IntoIterator<Item = Pc>) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut beyond: Option<Pc> = None;
        for pc in pcs {
            let Some(word) = self.word(pc) else { continue };
            if self.stage == Stage::Vertex && u32::from(pc.0) >= VERTEX_WORDS {
                beyond = Some(beyond.map_or(pc, |first| first.min(pc)));
            }
            warnings.extend(self.word_warning(word).map(|text| Warning { text, at: At::Pc(pc.0) }));
        }
        warnings.extend(beyond.map(|pc| {
            let text =
                format!("the vertex unit holds only {VERTEX_WORDS} words, but the program reaches this one");
            Warning { text, at: At::Pc(pc.0) }
        }));
        warnings
    }
    /// A warning about a single word.
    fn word_warning(&self, word: Word) -> Option<String> {
        let opcode = word.opcode()?;
        if let Some(index) = word.get(Field::Descriptor)
            && index as usize >= self.descriptors.len()
        {
            let count = self.descriptors.len();
            return Some(format!("operand descriptor {index} reads as 0, since the table has only {count}"));
        }
        if opcode.info().operands.contains(&Role::Length)
            && let Some(num @ 0x100..) = word.get(Field::Num)
        {
            return Some(format!("only the low eight bits of the length {num:#x} count"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(words: usize, descriptors: usize, entry: u16, stage: Stage) -> Result<Program<'static>> {
        Program::new(vec![0x8800_0000; words], vec![7; descriptors], Pc(entry), stage, &Limits::default())
    }

    #[test]
    fn the_entry_lies_in_the_code_that_the_unit_holds() {
        for (words, entry, stage, fits) in [
            (4, 3, Stage::Vertex, true),
            (4, 4, Stage::Vertex, false),
            (0, 0, Stage::Vertex, false),
            (600, 511, Stage::Vertex, true),
            (600, 512, Stage::Vertex, false),
            (600, 512, Stage::Geometry, true),
            (4096, 4095, Stage::Geometry, true),
        ] {
            assert_eq!(program(words, 0, entry, stage).is_ok(), fits, "{words} {entry} {stage:?}");
        }
    }

    #[test]
    fn an_entry_beyond_the_vertex_unit_has_its_own_error() {
        let kind = |words| program(words, 0, 512, Stage::Vertex).expect_err("refused").kind;
        assert_eq!(kind(513), Kind::EntryOutOfReach { entry: 512, words: 512 });
        assert_eq!(kind(512), Kind::EntryOutOfCode { entry: 512, words: 512 });
    }

    #[test]
    fn more_words_than_the_limit_are_refused() {
        let error = program(4097, 0, 0, Stage::Geometry).expect_err("too long");
        assert_eq!(error.kind, Kind::Limit { name: "code words", value: 4097, limit: 4096 });
        let limits = Limits { code_words: u32::MAX, ..Limits::default() };
        let huge = Program::new(vec![0; 0x1_0000], vec![], Pc(0), Stage::Geometry, &limits);
        assert!(huge.is_err(), "every address must be a Pc");
    }

    #[test]
    fn raw_words_beyond_the_unit_are_refused() {
        for (words, stage, kept) in [
            (512, Stage::Vertex, Some(512)),
            (4096, Stage::Vertex, Some(512)),
            (4096, Stage::Geometry, Some(4096)),
            (4097, Stage::Geometry, Some(4096)),
            (0, Stage::Vertex, None),
        ] {
            let owned = Program::from_raw(vec![0; words], vec![], Pc(0), stage);
            assert_eq!(owned.ok().map(|program| program.code().len()), kept, "{words} {stage:?}");
            let code = vec![0; words];
            let borrowed = Program::from_raw(&code[..], &[][..], Pc(0), stage);
            assert_eq!(borrowed.ok().map(|program| program.code().len()), kept, "{words} {stage:?}");
        }
    }

    #[test]
    fn descriptors_beyond_128_are_ignored() {
        assert_eq!(program(1, 200, 0, Stage::Vertex).map(|program| program.descriptors().len()), Ok(128));
        let table = [7; 200];
        let borrowed = Program::new(&[0x8800_0000][..], &table[..], Pc(0), Stage::Vertex, &Limits::default());
        assert_eq!(borrowed.map(|program| program.descriptors().len()), Ok(128));
    }

    #[test]
    fn fetching_beyond_the_code_gives_nothing() {
        let program = program(2, 0, 0, Stage::Vertex).expect("valid");
        assert!(program.inst(Pc(1)).is_some());
        assert_eq!(program.inst(Pc(2)), None);
        assert_eq!(program.inst(Pc(u16::MAX)), None);
    }

    #[test]
    fn suspicious_words_are_reported_where_they_are_reached() {
        // MOV with descriptor 1, MOV with descriptor 0, CALL with num 0x102, JMPC with num 0x102
        // (ignored).
        let mut code = vec![0x4C00_0001, 0x4C00_0000, 0x9000_0102, 0xB000_0102];
        code.resize(514, 0x8800_0000);
        let program = Program::new(code, vec![0], Pc(0), Stage::Vertex, &Limits::default()).expect("valid");
        let texts = |pcs: &[u16]| -> Vec<String> {
            program.warnings(pcs.iter().map(|&pc| Pc(pc))).iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            texts(&[0, 1, 2, 3, 513, 512]),
            [
                "pc 0x0: operand descriptor 1 reads as 0, since the table has only 1",
                "pc 0x2: only the low eight bits of the length 0x102 count",
                "pc 0x200: the vertex unit holds only 512 words, but the program reaches this one",
            ]
        );
        assert!(texts(&[1, 3, 511, 514]).is_empty());
    }
}
