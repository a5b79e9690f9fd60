//! Facts about programs: stage, entry, instructions, keys.
//! In: a file or registers. Out: [`ProgramInfo`]. Takes no more work than its caller allows.

use transpica::host::Environment;
use transpica::isa::Opcode;
use transpica::stages::cfg::reach::reach;
use transpica::{Job, Options, Profile, Program, RegisterState, Shbin, Stage, Translator};
use xxhash_rust::xxh3::xxh3_128;

use crate::hit::ProgramInfo;

/// Most executables of one file that are looked at.
const EXECUTABLES: usize = 1 << 10;

/// Analysis of programs, which reuses its memory.
pub(crate) struct Analyst {
    translator: Translator,
}

impl Default for Analyst {
    fn default() -> Self {
        Self { translator: Translator::new(Options::default(), Profile::default()) }
    }
}

impl Analyst {
    /// Describes the programs of a file while `allows` grants the words of each; and remarks.
    pub fn file(
        &self,
        file: &Shbin<'_>,
        mut allows: impl FnMut(usize) -> bool,
    ) -> (Vec<ProgramInfo>, Vec<String>) {
        let mut programs = Vec::new();
        let mut remarks: Vec<String> = file.warnings().iter().map(ToString::to_string).collect();
        for index in 0..file.executables.len() {
            if index >= EXECUTABLES || !allows(4 * file.package.code.len() + 1024) {
                remarks.push(format!("programs from DVLE {index} on are not described: there are too many"));
                break;
            }
            match self.executable(file, index) {
                Ok(program) => programs.push(program),
                Err(error) => remarks.push(format!("DVLE {index}: {error}")),
            }
        }
        (programs, remarks)
    }

    fn executable(&self, file: &Shbin<'_>, index: usize) -> transpica::Result<ProgramInfo> {
        let program = file.program(index)?;
        let label = file.executable(index)?.entry_label().map(|name| name.to_text().into_owned());
        let setup = program.setup().ok();
        let job = match (program.program().stage(), &setup) {
            (Stage::Geometry, Some(setup)) => Some(Job::Geometry(setup)),
            (Stage::Geometry, None) => None,
            (Stage::Vertex, _) => Some(Job::Vertex),
        };
        let described = self.describe(program.program(), program.environment(), job);
        Ok(ProgramInfo { entry: label, ..described })
    }

    /// Describes the program of a unit.
    pub fn unit(&self, state: &RegisterState, stage: Stage) -> Option<ProgramInfo> {
        let program = state.program(stage).ok()?;
        Some(match stage {
            Stage::Vertex => {
                let outputs = state.vertex().output_mask();
                let job = if state.has_geometry() {
                    Job::BeforeGeometry { outputs, vertices: 1 }
                } else {
                    Job::Vertex
                };
                self.describe(&program, &state.vertex(), Some(job))
            }
            // The key of a geometry program follows from a draw, which a list need not have.
            Stage::Geometry => self.describe(&program, &state.geometry(), None),
        })
    }

    fn describe(
        &self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Option<Job<'_>>,
    ) -> ProgramInfo {
        let (mut instructions, mut is_defined) = (0, true);
        reach(program, |_, word| {
            instructions += 1;
            is_defined &= Opcode::of_word(word).is_some();
        });
        // With an undefined opcode the library would translate the program to decide whether it is
        // reached. Its words identify it well enough.
        let key = job.filter(|_| is_defined);
        let key = key.and_then(|job| self.translator.key(program, environment, job, b"").ok());
        ProgramInfo {
            stage: program.stage().into(),
            entry: None,
            start: program.entry().0.into(),
            instructions,
            key,
            identity: key.map_or_else(|| words_of(program), |key| key.0),
        }
    }
}

/// Returns a digest of all words of a program.
fn words_of(program: &Program<'_>) -> [u8; 16] {
    let stage = match program.stage() {
        Stage::Vertex => 0,
        Stage::Geometry => 1,
    };
    let words = [stage, u32::from(program.entry().0)];
    digest(&to_bytes(&[&words[..], program.code(), program.descriptors()].concat()))
}

/// Returns words as little-endian bytes.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 16] {
    xxh3_128(bytes).to_le_bytes()
}

/// Returns the digest of the programs of a hit, or of its bytes if it has none.
pub(crate) fn identity(programs: &[ProgramInfo], bytes: [u8; 16]) -> [u8; 16] {
    match programs {
        [] => bytes,
        [program] => program.identity,
        programs => digest(&programs.iter().flat_map(|program| program.identity).collect::<Vec<u8>>()),
    }
}
