//! Cache keys: a digest of everything that a translated module depends on, computed without
//! translating.
//! In: program, environment, options, profile, a salt of the caller. Out: [`Key`]. Knows no IR and
//! no back end.
//!
//! Only the words reachable from the entry point count ([`reach_runs`]), and of them and their
//! operand descriptors only the bits that affect execution ([`canonical`]). Programs that differ in
//! other procedures, in the numbering of descriptors, or in unused bits therefore have one key.
//! Options, profile and setup are hashed by their derived `Hash`, so no field and no variant can be
//! omitted. The bytes are the same on every machine. Ignored values are zeroed first.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use crate::cfg::reach::reach_runs;
use crate::geometry::{GeometryInput, GeometrySetup};
use crate::host::{Environment, Job, Options, Profile, Setup};
use crate::isa::canonical::canonical;
use crate::isa::{Program, Stage};
use crate::stable;

/// Version of the byte format, to be changed when its meaning changes within a version of the
/// library.
const FORMAT: &[u8] = b"transpica key 4 ";

/// 128-bit identifier of a module. Equal keys mean equal SPIR-V. A new version of the library has
/// new keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Returns the key of a program. `salt` stands for everything else that a cache entry depends on,
/// such as the driver. For many programs, `stages::key::SettingsDigest` hashes options and
/// profile once.
///
/// ```
/// use transpica::isa::Pc;
/// use transpica::{Job, Key, Options, Profile, Program, RegisterState, Result, Stage, key};
/// let state = RegisterState::default();
/// let (options, profile) = (Options::default(), Profile::default());
/// let key = |code: &[u32]| -> Result<Key> {
///     let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex)?;
///     Ok(key(&program, &state.vertex(), Job::Vertex, &options, &profile, b"driver 1.2"))
/// };
/// let (mov, end) = (0x4C00_0000, 0x8800_0000);
/// assert_eq!(key(&[mov, end])?, key(&[mov, end, 0x1234])?); // nothing reaches the last word
/// assert_ne!(key(&[mov, end])?, key(&[mov | 0x1000, end])?);
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn key(
    program: &Program<'_>,
    environment: &dyn Environment,
    job: Job<'_>,
    options: &Options,
    profile: &Profile,
    salt: &[u8],
) -> Key {
    SettingsDigest::new(options, profile).key(program, environment, job, options, salt)
}

/// Part of a key that depends on options, profile and the version of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsDigest([u8; 16]);

impl SettingsDigest {
    /// Hashes options and profile.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        let mut out = Vec::with_capacity(1024);
        out.extend_from_slice(FORMAT);
        stable::append(&mut out, &env!("CARGO_PKG_VERSION"));
        stable::append(&mut out, &options.canonical());
        stable::append(&mut out, profile);
        Self(xxh3_128(&out).to_le_bytes())
    }

    /// Returns the key of a program; `options` are those of [`new`](Self::new).
    pub fn key(
        &self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
        options: &Options,
        salt: &[u8],
    ) -> Key {
        let mut out = Vec::with_capacity(1024 + salt.len());
        out.extend_from_slice(&self.0);
        stable::append(&mut out, &salt);
        environment.fingerprint(options, &mut out);
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

/// Appends the job and the parts of its setup that the module depends on.
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

/// Appends the parts of a setup that the compute form of a geometry program depends on: not the
/// topology and the outputs of the vertex program.
fn append_setup(out: &mut Vec<u8>, setup: &Setup) {
    let Setup { vertex_outputs: _, geometry, map, topology: _ } = setup;
    map.fingerprint(out);
    let input = |input| match input {
        GeometryInput::Point { .. } => input,
        // The feed determines the number of complete vertices and their stride at draw time.
        GeometryInput::Variable { main: _ } => GeometryInput::Variable { main: 0 },
        GeometryInput::Fixed { first, vertices: _, stride: _ } => {
            GeometryInput::Fixed { first, vertices: 0, stride: 0 }
        }
    };
    stable::append(out, &geometry.map(|setup| GeometrySetup { input: input(setup.input), ..setup }));
}

/// Start of a run of consecutive words: an undefined opcode, a bit that no canonical word with this
/// opcode has, and the address.
const RUN: u32 = 0x10 << 26 | 1 << 16;

/// Appends the reachable words, each with the demanded bits of its descriptor. Words differ from
/// starts of runs, so the bytes determine the program.
fn append_program(out: &mut Vec<u8>, program: &Program<'_>) {
    reach_runs(program, |start, words| {
        out.extend_from_slice(&(RUN | u32::from(start.0)).to_le_bytes());
        let at = out.len();
        out.resize(at + 8 * words.len(), 0);
        for (place, &word) in out[at..].as_chunks_mut().0.iter_mut().zip(words) {
            let canonical = canonical(word, program.descriptors(), program.stage());
            let descriptor = u64::from(canonical.descriptor.unwrap_or(0)) << 32;
            *place = (u64::from(canonical.word) | descriptor).to_le_bytes();
        }
    });
}
