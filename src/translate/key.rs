//! Cache keys: a digest of everything that a translated module depends on, computed without
//! translating.
//! In: program, environment, options, profile, a salt of the caller. Out: [`Key`]. Knows no IR and
//! no back end.
//!
//! Only the words reachable from the entry point count ([`reach_runs`]), and of them and their
//! operand descriptors only the bits that affect execution ([`canonical`]). Programs that differ in
//! other procedures, in the numbering of descriptors, or in unused bits therefore have one key.
//! Options, profile and setup are hashed by their derived `Hash`, so no field and no variant can be
//! omitted. The bytes are the same on every machine. Ignored values are zeroed first. Only
//! attributes that a reachable word reads count, and no word of a job without a program.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use crate::flow::cfg::reach::reach_runs;
use crate::geometry::{GeometryInput, GeometrySetup};
use crate::host::hooks::adds_outputs;
use crate::host::settings::{
    AttributeFormat, AttributeKind, Job, Options, Profile, Promise, Setup, VertexInput,
};
use crate::interface::{Environment, varying};
use crate::program::isa::canonical::{UNDEFINED_OPCODES, canonical, inputs};
use crate::program::isa::{Program, Stage};
use crate::support::stable;

/// Version of the byte format, to be changed when its meaning changes within a version of the
/// library.
const FORMAT: &[u8] = b"transpica key 7 ";

/// 128-bit identifier of a module. Equal keys mean equal SPIR-V. A new version of the library has
/// new keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Part of a key that depends on options, profile and the version of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsDigest {
    digest: [u8; 16],
    /// Modules have the source of the program.
    has_source: bool,
}

/// A key, and what was seen of the program on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The key.
    pub key: Key,
    /// A word with an undefined opcode might be reached.
    pub reaches_undefined: bool,
}

impl SettingsDigest {
    /// Hashes options and profile, except for the vertex input.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        let mut out = Vec::with_capacity(1024);
        out.extend_from_slice(FORMAT);
        stable::append(&mut out, &env!("CARGO_PKG_VERSION"));
        stable::append(&mut out, &Options { input: VertexInput::default(), ..options.canonical() });
        stable::append(&mut out, profile);
        Self { digest: xxh3_128(&out).to_le_bytes(), has_source: profile.debug_info }
    }

    /// Returns the digest of a program. `options` are the ones of [`new`](Self::new) in effect,
    /// with the vertex input of the draw.
    pub fn digest(
        &self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
        options: &Options,
        salt: &[u8],
    ) -> Digest {
        // Room for all but unusually large programs, so that nothing is moved.
        let mut out = Vec::with_capacity(1024 + salt.len() + 8 * program.code().len().min(512));
        out.extend_from_slice(&self.digest);
        stable::append(&mut out, &salt);
        append_job(&mut out, job);
        if job == Job::Quaternions {
            stable::append(&mut out, &varying::mapped(&environment.output_map(), options));
            let hooks = environment.hooks();
            if adds_outputs(&hooks) {
                stable::append(&mut out, &hooks);
            }
        }
        if !job.has_program() {
            return Digest { key: Key(xxh3_128(&out).to_le_bytes()), reaches_undefined: false };
        }
        let none = VertexInput::default();
        let is_default = options.input == none;
        if is_default {
            environment.fingerprint(options, &mut out)
        } else {
            environment.fingerprint(&Options { input: none, ..*options }, &mut out)
        }
        if self.has_source
            && let Some(source) = environment.debug_source()
        {
            source.fingerprint(&mut out);
        }
        out.push(match program.stage() {
            Stage::Vertex => 0,
            Stage::Geometry => 1,
        });
        // The attributes that the program reads are known after it.
        let at = out.len();
        out.extend_from_slice(&[0; INPUT_BYTES]);
        let reached = if is_default {
            append_program::<false>(&mut out, program)
        } else {
            append_program::<true>(&mut out, program)
        };
        if let Some(place) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            write_input(place, &options.input, reached.inputs);
        }
        Digest {
            key: Key(xxh3_128(&out).to_le_bytes()),
            reaches_undefined: reached.opcodes & UNDEFINED_OPCODES != 0,
        }
    }
}

/// Returns the identifier of programs that draw together, and of their setup. Unlike keys of
/// modules it depends on no settings, and every program has one.
pub fn of_draw(vertex: &Program<'_>, geometry: Option<&Program<'_>>, setup: &Setup) -> Key {
    let Setup { vertex_outputs, geometry: input, map, topology } = setup;
    let mut out = Vec::with_capacity(1024 + 8 * vertex.code().len());
    out.extend_from_slice(FORMAT);
    stable::append(&mut out, &(env!("CARGO_PKG_VERSION"), vertex_outputs, input, topology));
    map.fingerprint(&mut out);
    append_program::<false>(&mut out, vertex);
    if let Some(geometry) = geometry {
        // Where the words of the vertex program end.
        let end = out.len();
        stable::append(&mut out, &end);
        append_program::<false>(&mut out, geometry);
    }
    Key(xxh3_128(&out).to_le_bytes())
}

/// Bytes of the vertex input: four for each register.
const INPUT_BYTES: usize = 4 * 16;

/// Writes the parts of the vertex input that differ from the default, of components that the
/// program reads.
fn write_input(place: &mut [u8; INPUT_BYTES], input: &VertexInput, read: u64) {
    let VertexInput { formats, promises } = input;
    for (register, place) in place.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let AttributeFormat { kind, components } = formats[register];
        let read = (read >> (4 * register) & 15) as u8; // Range: four bits.
        // The others are constants, so that the attribute may not be read at all.
        let missing = read & !((1 << components.min(4)) - 1);
        if read == missing {
            place[0] = missing;
            continue;
        }
        let (promise, exponent, least) = match promises[register] {
            Promise::Nothing => (0, 0, 0),
            Promise::NotNan => (1, 0, 0),
            Promise::Below(exponent) => (2, exponent, 0),
            Promise::Between(least, exponent) => (3, exponent, least.cast_unsigned()),
        };
        let kind = match kind {
            AttributeKind::Float => 0,
            AttributeKind::Int => 1,
            AttributeKind::Uint => 2,
        };
        *place = [missing | kind << 4, promise, exponent, least];
    }
}

/// Appends the job and the parts of its setup that the module depends on.
fn append_job(out: &mut Vec<u8>, job: Job<'_>) {
    let (number, outputs, setup) = match job {
        Job::Vertex => (0, None, None),
        Job::Compute => (1, None, None),
        Job::BeforeGeometry { outputs, vertices: _ } => (2, Some(outputs), None),
        Job::Geometry(setup) => (3, None, Some(setup)),
        Job::Emits { outputs } => (4, Some(outputs), None),
        Job::GeometryStage(setup) => (5, None, Some(setup)),
        Job::Draw(setup) => (6, None, Some(setup)),
        Job::Quaternions => (7, None, None),
    };
    out.push(number);
    outputs.into_iter().for_each(|outputs| stable::append(out, &outputs));
    setup.into_iter().for_each(|setup| append_setup(out, setup));
    if let Job::BeforeGeometry { vertices, .. } = job {
        out.push(vertices);
    }
    if let Job::GeometryStage(setup) = job {
        stable::append(out, &(setup.vertex_outputs.count_ones(), setup.topology));
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

/// Facts about the reachable words.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    /// Mask of opcodes.
    opcodes: u64,
    /// Mask of the components of input registers that are read, bit 4 · n is vn.x.
    inputs: u64,
}

/// Appends the reachable words, each with the demanded bits of its descriptor. Words differ from
/// starts of runs, so the bytes determine the program. Inputs are collected on request, which takes
/// more time.
fn append_program<const INPUTS: bool>(out: &mut Vec<u8>, program: &Program<'_>) -> Reached {
    let mut reached = Reached::default();
    reach_runs(program, |start, words| {
        out.extend_from_slice(&(RUN | u32::from(start.0)).to_le_bytes());
        let at = out.len();
        out.resize(at + 8 * words.len(), 0);
        for (place, &word) in out[at..].as_chunks_mut().0.iter_mut().zip(words) {
            let canonical = canonical(word, program.descriptors(), program.stage());
            reached.opcodes |= 1 << (canonical.word >> 26);
            if INPUTS {
                reached.inputs |= inputs(canonical);
            }
            let descriptor = u64::from(canonical.descriptor.unwrap_or(0)) << 32;
            *place = (u64::from(canonical.word) | descriptor).to_le_bytes();
        }
    });
    reached
}
