//! Cache keys: a digest of everything that a translated module follows from, computed without
//! translating.
//! In: program, surroundings, options, profile, a salt of the caller. Out: [`Key`]. Knows no IR and
//! no back end.
//!
//! Of the program only words count that may be reached from its entry point ([`reach`]), and of
//! them and their operand descriptors only what they heed ([`canonical`]). So blobs that differ in
//! other procedures, in the numbers of descriptors, or in bits that assemblers fill as they like
//! have one key. Options, profile and set-up are hashed by their derived `Hash`, so that no field
//! and no variant is forgotten, into bytes that are the same on every machine; what of them means
//! nothing is set to zero before.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use crate::cfg::reach::reach;
use crate::geometry::{GeometryInput, GeometrySetup};
use crate::host::{Job, Options, Profile, Setup, Surroundings};
use crate::isa::canonical::canonical;
use crate::isa::{Program, Stage};
use crate::stable;

/// What the bytes below are; another number where their meaning changes within a version of the
/// library.
const FORMAT: &[u8] = b"transpica key 3 ";

/// 128 bits that stand for a module. Equal keys, equal SPIR-V; a new version of the library has new
/// keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The key of a program. `salt` is the caller's: what else a cache entry follows from there, such
/// as a driver. [`Settings`] saves the work on options and profile where there are many programs.
///
/// ```
/// use transpica::{Job, Options, Profile, Program, RegisterState, Stage};
/// use transpica::stages::isa::Pc;
/// let state = RegisterState::default();
/// let key = |code: &[u32]| {
///     let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex)?;
///     Ok(transpica::stages::key::key(&program, &state.vertex(), Job::Vertex, &Options::default(), &Profile::default(), b""))
/// };
/// let (mov, end) = (0x4C00_0000, 0x8800_0000);
/// assert_eq!(key(&[mov, end])?, key(&[mov, end, 0x1234])?); // nothing reaches the last word
/// assert_ne!(key(&[mov, end])?, key(&[mov | 0x1000, end])?);
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn key(
    program: &Program<'_>,
    around: &dyn Surroundings,
    job: Job<'_>,
    options: &Options,
    profile: &Profile,
    salt: &[u8],
) -> Key {
    Settings::new(options, profile).key(program, around, job, options, salt)
}

/// The part of a key that options, profile and the version of the library make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings([u8; 16]);

impl Settings {
    /// Of these options and this profile.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        let mut out = Vec::with_capacity(1024);
        out.extend_from_slice(FORMAT);
        stable::append(&mut out, &env!("CARGO_PKG_VERSION"));
        stable::append(&mut out, &options.canonical());
        stable::append(&mut out, profile);
        Self(xxh3_128(&out).to_le_bytes())
    }

    /// The key of a program; `options` are those that the settings were made of.
    pub fn key(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        job: Job<'_>,
        options: &Options,
        salt: &[u8],
    ) -> Key {
        let mut out = Vec::with_capacity(1024 + salt.len());
        out.extend_from_slice(&self.0);
        stable::append(&mut out, &salt);
        around.fingerprint(options, &mut out);
        out.push(match program.stage() {
            Stage::Vertex => 0,
            Stage::Geometry => 1,
        });
        append_job(&mut out, job);
        out.reserve(8 * program.code().len().min(512));
        append_program(&mut out, program);
        Key(xxh3_128(&out).to_le_bytes())
    }
}

/// The job, with what its module follows from.
fn append_job(out: &mut Vec<u8>, job: Job<'_>) {
    match job {
        Job::Vertex => out.push(0),
        Job::Compute => out.push(1),
        Job::BeforeGeometry { outputs } => {
            out.push(2);
            stable::append(out, &outputs);
        }
        Job::Geometry(setup) => {
            out.push(3);
            append_setup(out, setup);
        }
        Job::Emits { outputs } => {
            out.push(4);
            stable::append(out, &outputs);
        }
        Job::GeometryStage(setup) => {
            out.push(5);
            append_setup(out, setup);
            stable::append(out, &(setup.vertex_outputs.count_ones(), setup.topology));
        }
        Job::Draw(setup) => {
            out.push(6);
            append_setup(out, setup);
        }
    }
}

/// What the compute form of a geometry program follows from: not the topology and the outputs of
/// the vertex program.
fn append_setup(out: &mut Vec<u8>, setup: &Setup) {
    let Setup { vertex_outputs: _, geometry, map, topology: _ } = setup;
    map.fingerprint(out);
    let input = |input| match input {
        GeometryInput::Point { .. } => input,
        // How many come whole, and how far apart they are, is told by the feed.
        GeometryInput::Variable { main: _ } => GeometryInput::Variable { main: 0 },
        GeometryInput::Fixed { first, vertices: _, stride: _ } => {
            GeometryInput::Fixed { first, vertices: 0, stride: 0 }
        }
    };
    stable::append(out, &geometry.map(|setup| GeometrySetup { input: input(setup.input), ..setup }));
}

/// The start of a run of words that follow on each other: an opcode that is not defined, a bit that
/// no canonical word with such an opcode has, and the address.
const RUN: u32 = 0x10 << 26 | 1 << 16;

/// The words that may be reached, each with what it looks at of its descriptor. A reader could tell
/// them from the starts of runs, and so would find the program again.
fn append_program(out: &mut Vec<u8>, program: &Program<'_>) {
    reach(program, |pc, word, is_start| {
        if is_start {
            out.extend_from_slice(&(RUN | u32::from(pc.0)).to_le_bytes());
        }
        let canonical = canonical(word, program.descriptors(), program.stage());
        // One write for both is a quarter of the time.
        let descriptor = u64::from(canonical.descriptor.unwrap_or(0)) << 32;
        out.extend_from_slice(&(u64::from(canonical.word) | descriptor).to_le_bytes());
    });
}
