//! Cache keys: a digest of everything that a translated module follows from, computed without translating.
//! In: program, surroundings, options, profile, a salt of the caller. Out: [`Key`]. Knows no IR and no back end.
//!
//! Of the program only words count that may be reached from its entry point ([`reach`]), and of them and their operand
//! descriptors only what they heed ([`canonical`]). So blobs that differ in other procedures, in the numbers of descriptors, or
//! in bits that assemblers fill as they like have one key. Every byte that is hashed is written here by hand: no layout of
//! a type and no byte order of a machine gets in.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use crate::cfg::reach::reach;
use crate::host::{
    AttributeFormat, AttributeKind, Binding, Bindings, BoolUniforms, ClipPlanes, DepthRange, EntryPoint,
    FlipY, GeometryInput, GeometrySetup, IntPacking, IntUniforms, Layout, Locations, Options, OutputSet,
    Profile, RegisterLayout, Surroundings, Unwritten,
};
use crate::isa::canonical::canonical;
use crate::isa::{Program, Stage};
use crate::limits::Limits;
use crate::pipeline::Setup;
use crate::precision::Precision;

/// What the bytes below are; another number where their meaning changes within a version of the library.
const FORMAT: &[u8] = b"transpica key 1 ";

/// 128 bits that stand for a module. Equal keys, equal SPIR-V; a new version of the library has new keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The key of a program. `salt` is the caller's: what else a cache entry follows from there, such as a driver.
/// [`Settings`] saves the work on options and profile where there are many programs.
///
/// ```
/// use transpica::host::RegisterState;
/// use transpica::isa::{Pc, Program, Stage};
/// use transpica::{Options, Profile};
/// let state = RegisterState::default();
/// let key = |code: &[u32]| {
///     let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex)?;
///     Ok(transpica::key::key(&program, &state.vertex(), &Options::default(), &Profile::default(), b""))
/// };
/// let (mov, end) = (0x4C00_0000, 0x8800_0000);
/// assert_eq!(key(&[mov, end])?, key(&[mov, end, 0x1234])?); // nothing reaches the last word
/// assert_ne!(key(&[mov, end])?, key(&[mov | 0x1000, end])?);
/// # Ok::<(), transpica::error::Error>(())
/// ```
pub fn key(
    program: &Program<'_>,
    around: &dyn Surroundings,
    options: &Options,
    profile: &Profile,
    salt: &[u8],
) -> Key {
    Settings::new(options, profile).key(program, around, options, salt)
}

/// The part of a key that options, profile and the version of the library make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings([u8; 16]);

impl Settings {
    /// Of these options and this profile.
    pub fn new(options: &Options, profile: &Profile) -> Self {
        let mut out = Bytes(Vec::with_capacity(512));
        out.0.extend_from_slice(FORMAT);
        out.0.extend_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
        out.options(options);
        out.profile(profile);
        Self(xxh3_128(&out.0).to_le_bytes())
    }

    /// The key of a program; `options` are those that the settings were made of.
    pub fn key(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        options: &Options,
        salt: &[u8],
    ) -> Key {
        self.of(program, around, None, options, salt)
    }

    /// The key of a geometry program with its set-up; `options` are those that the settings were made of.
    pub fn geometry_key(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        setup: &Setup,
        options: &Options,
        salt: &[u8],
    ) -> Key {
        self.of(program, around, Some(setup), options, salt)
    }

    fn of(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        setup: Option<&Setup>,
        options: &Options,
        salt: &[u8],
    ) -> Key {
        let mut out = Bytes(Vec::with_capacity(1024 + salt.len()));
        out.0.extend_from_slice(&self.0);
        out.long(salt.len());
        out.0.extend_from_slice(salt);
        around.fingerprint(options, &mut out.0);
        out.byte(match program.stage() {
            Stage::Vertex => 0,
            Stage::Geometry => 1,
        });
        if let Some(setup) = setup {
            out.setup(setup, options.entry);
        }
        out.0.reserve(8 * program.code().len().min(512));
        out.program(program);
        Key(xxh3_128(&out.0).to_le_bytes())
    }
}

/// The start of a run of words that follow on each other: an opcode that is not defined, a bit that no canonical word with
/// such an opcode has, and the address.
const RUN: u32 = 0x10 << 26 | 1 << 16;

/// What is hashed.
struct Bytes(Vec<u8>);

impl Bytes {
    fn byte(&mut self, value: u8) {
        self.0.push(value);
    }
    fn flag(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }
    fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn long(&mut self, value: usize) {
        self.0.extend_from_slice(&(value as u64).to_le_bytes());
    }
    fn optional(&mut self, value: Option<u32>) {
        self.flag(value.is_some());
        self.word(value.unwrap_or(0));
    }

    /// The words that may be reached, each with what it looks at of its descriptor. A reader could tell them from the starts
    /// of runs, and so would find the program again.
    fn program(&mut self, program: &Program<'_>) {
        reach(program, |pc, word, is_start| {
            if is_start {
                self.word(RUN | u32::from(pc.0));
            }
            let canonical = canonical(word, program.descriptors(), program.stage());
            // One write for both is a quarter of the time.
            let descriptor = u64::from(canonical.descriptor.unwrap_or(0)) << 32;
            self.0.extend_from_slice(&(u64::from(canonical.word) | descriptor).to_le_bytes());
        });
    }

    fn options(&mut self, options: &Options) {
        let Options {
            precision,
            portable_exponentials,
            entry,
            layout,
            depth,
            flip_y,
            clip_planes,
            clamp_colors,
            outputs,
            unmapped,
            uninitialized,
            attributes,
            fold_constants,
            bools,
            ints,
            loop_guard,
            report_unfinished,
            lenient,
            limits,
        } = options;
        self.byte(match precision {
            Precision::Exact => 0,
            Precision::Fast => 1,
            Precision::F24 => 2,
        });
        self.flag(*portable_exponentials);
        self.byte(match entry {
            EntryPoint::Vertex => 0,
            EntryPoint::Compute => 1,
            EntryPoint::Geometry => 2,
        });
        self.layout(*layout);
        self.byte(match depth {
            DepthRange::ZeroToW => 0,
            DepthRange::MinusWToW => 1,
            DepthRange::Raw => 2,
        });
        self.byte(match flip_y {
            FlipY::Never => 0,
            FlipY::Always => 1,
            FlipY::Dynamic => 2,
        });
        self.byte(match clip_planes {
            ClipPlanes::None => 0,
            ClipPlanes::BuiltIn => 1,
            ClipPlanes::Varying => 2,
        });
        self.flag(*clamp_colors);
        self.byte(match outputs {
            OutputSet::Mapped => 0,
            OutputSet::All => 1,
        });
        self.unwritten(*unmapped);
        self.unwritten(*uninitialized);
        for attribute in attributes {
            self.attribute(*attribute);
        }
        self.flag(*fold_constants);
        self.uniforms(*bools, *ints);
        self.optional(*loop_guard);
        self.flag(*report_unfinished);
        self.flag(*lenient);
        self.limits(limits);
    }

    /// What a geometry program's module follows from; the topology and the outputs of the vertex program are not, unless it
    /// is a geometry stage.
    fn setup(&mut self, setup: &Setup, entry: EntryPoint) {
        setup.map.fingerprint(&mut self.0);
        if entry == EntryPoint::Geometry {
            self.word(setup.vertex_outputs.count_ones());
            self.byte(setup.topology as u8);
        }
        let Some(GeometrySetup { input, outputs }) = setup.geometry else { return };
        self.word(u32::from(outputs));
        match input {
            GeometryInput::Point { inputs, registers } => {
                self.0.extend_from_slice(&[0, inputs]);
                self.0.extend_from_slice(&registers);
            }
            // How many come whole is told by the feed.
            GeometryInput::Variable { main: _ } => self.byte(1),
            GeometryInput::Fixed { first, vertices: _, stride: _ } => self.0.extend_from_slice(&[2, first]),
        }
    }

    fn layout(&mut self, layout: Layout) {
        self.byte(match layout {
            Layout::Symbols => 0,
            Layout::Registers => 1,
            Layout::Azahar => 2,
            Layout::Panda3ds => 3,
            Layout::Custom(_) => 4,
        });
        if let Layout::Custom(RegisterLayout { floats, ints, packing, bools }) = layout {
            [floats, ints, bools].into_iter().for_each(|value| self.word(value));
            self.byte(match packing {
                IntPacking::Words => 0,
                IntPacking::Bytes => 1,
            });
        }
    }

    fn unwritten(&mut self, unwritten: Unwritten) {
        self.byte(match unwritten {
            Unwritten::Default => 0,
            Unwritten::Zero => 1,
        });
    }

    fn attribute(&mut self, attribute: AttributeFormat) {
        let AttributeFormat { kind, components } = attribute;
        self.byte(match kind {
            AttributeKind::Float => 0,
            AttributeKind::Int => 1,
            AttributeKind::Uint => 2,
        });
        self.byte(components);
    }

    fn uniforms(&mut self, bools: BoolUniforms, ints: IntUniforms) {
        let BoolUniforms { baked, values, specialized } = bools;
        for set in [baked, values & baked, specialized] {
            self.word(u32::from(set));
        }
        let IntUniforms { baked, specialized } = ints;
        for value in baked {
            self.optional(value.map(u32::from_le_bytes));
        }
        self.byte(specialized & 15);
    }

    fn limits(&mut self, limits: &Limits) {
        let Limits {
            code_words,
            descriptors,
            nodes_per_instruction,
            nodes_base,
            depth,
            steps,
            values,
            output_words,
            executables,
        } = *limits;
        for limit in [code_words, descriptors, nodes_per_instruction, nodes_base, depth, steps, values] {
            self.word(limit);
        }
        self.word(output_words);
        self.word(executables);
    }

    fn profile(&mut self, profile: &Profile) {
        let Profile { spirv_version, no_contraction, invariant_position, names, bindings, locations } =
            profile;
        self.byte(spirv_version.0);
        self.byte(spirv_version.1);
        self.flag(*no_contraction);
        self.flag(*invariant_position);
        self.flag(*names);
        let Bindings { uniforms, host } = bindings;
        for Binding { set, binding } in [uniforms, host] {
            self.word(*set);
            self.word(*binding);
        }
        let Locations {
            position,
            color,
            texcoord0,
            texcoord1,
            texcoord2,
            texcoord0_w,
            quaternion,
            view,
            clip_distances,
        } = *locations;
        self.optional(position);
        for location in
            [color, texcoord0, texcoord1, texcoord2, texcoord0_w, quaternion, view, clip_distances]
        {
            self.word(location);
        }
    }
}
