//! Options and profile in the form of the C interface.
//! In: a chain. Out: [`Settings`] for a translator. Every field of the library's `Options`,
//! `Profile` and `Limits` is set here by name, so that a new one breaks the build.

use transpica::stages::host::{BoolUniforms, DepthSnap, IntUniforms, Job, Layout, Locations, RegisterLayout};
use transpica::stages::host::{OutputMap, varying};
use transpica::stages::limits::Limits;
use transpica::{Arithmetic, Block, Control, Options, Outputs, Profile};

use crate::attributes::{TranspicaAssumptions, TranspicaAttributeFormat, assume, formats};
use crate::chain::{Chain, TranspicaHead, TranspicaType, structures};
use crate::enums::{Choice, TranspicaCode, TranspicaLayout, TranspicaLocationPreset};
use crate::geometry;
use crate::linkage::{self, TranspicaGlsl, TranspicaVaryings};
use crate::memory::{Memory, TranspicaAllocator};
use crate::problem::Problem;

/// Options that affect the semantics of a translated program. Zeros are the defaults. Switches are
/// 0 or 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaOptions {
    /// TRANSPICA_TYPE_OPTIONS
    pub head: TranspicaHead,
    /// A TranspicaPrecision.
    pub precision: u32,
    /// Switch: EX2 and LG2 are polynomials of the library, equal on every driver.
    pub portable_exponentials: u32,
    /// A TranspicaEntryPoint.
    pub entry_point: u32,
    /// A TranspicaLayout.
    pub layout: u32,
    /// A TranspicaDepthRange.
    pub depth_range: u32,
    /// A TranspicaFlipY.
    pub flip_y: u32,
    /// A TranspicaClipPlanes.
    pub clip_planes: u32,
    /// A TranspicaOutputSet.
    pub output_set: u32,
    /// A TranspicaUndefinedValue: components of outputs that no register is mapped to.
    pub unmapped: u32,
    /// A TranspicaUndefinedValue: registers at the start of the program.
    pub uninitialized: u32,
    /// Switch: colors stay as the program writes them, instead of becoming min(|c|, 1).
    pub keep_colors: u32,
    /// Switch: float constants of a file stay uniforms, instead of being folded.
    pub keep_constants: u32,
    /// Switch: undefined opcodes have no effect, instead of being an error.
    pub permissive: u32,
    /// Switch: `loop_guard` is active.
    pub has_loop_guard: u32,
    /// Limit of jumps and calls to the same or a lower address in one run. The next one ends the
    /// run with its current results. LOOPs are bounded and do not count.
    pub loop_guard: u32,
    /// Bit n: b register n has a fixed value.
    pub known_bools: u32,
    /// The fixed values.
    pub bool_values: u32,
    /// Bit n: b register n is the specialization constant n.
    pub specialized_bools: u32,
    /// Bit n: i register n has a fixed value.
    pub known_ints: u32,
    /// Bit n: the components of i register n are the specialization constants 16 + 4 * n and the
    /// three that follow.
    pub specialized_ints: u32,
    /// The fixed values.
    pub int_values: [[u8; 4]; 4],
    /// Attributes v0 to v15.
    pub attributes: [TranspicaAttributeFormat; 16],
    /// Switch: the compute entry writes a seventeenth vector for each vertex. Its x is 1 if
    /// `loop_guard` ended the program, its y is 1 if the driver left a loop early, else they are 0.
    /// The other entries do not support it.
    pub report_unfinished: u32,
    /// Switch: the array of relative reads ends with c127, so that a read needs no test of its
    /// index. The registers from c96 on do not exist; the caller fills them with ones, as
    /// transpica_registers_pack does.
    pub padded: u32,
    /// z of a position becomes 0 if 0 < z < `snap_near` * w, before it is clipped. In 0 to 1; 0: z
    /// stays. Azahar has 1e-6.
    pub snap_near: f32,
    /// z of a position becomes -w if -w - `snap_far` * w < z < -w. As `snap_near`; Azahar has 1e-5.
    pub snap_far: f32,
}

/// Target settings that do not affect the semantics. Zeros are the defaults. Switches are 0 or 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaProfile {
    /// TRANSPICA_TYPE_PROFILE
    pub head: TranspicaHead,
    /// Major SPIR-V version; 0 with a minor version of 0: version 1.3.
    pub spirv_major: u32,
    /// Minor SPIR-V version, 0 to 6.
    pub spirv_minor: u32,
    /// Switch: float operations lack NoContraction; results are not exact then.
    pub allow_contraction: u32,
    /// Switch: the position is not marked invariant.
    pub variant_position: u32,
    /// Switch: modules have no names.
    pub omit_names: u32,
    /// A TranspicaLocationPreset; a TranspicaLocations of the chain takes precedence.
    pub locations: u32,
}

/// Bindings of the vertex entry's blocks. Without this structure: set 0, bindings 0 and 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaBindings {
    /// TRANSPICA_TYPE_BINDINGS
    pub head: TranspicaHead,
    /// Set of the uniform block.
    pub uniform_set: u32,
    /// Binding of the uniform block.
    pub uniform_binding: u32,
    /// Set of the host block, which only clip planes and a dynamic y need. It has 32 bytes: at 0 a
    /// word, nonzero enables the user's clip plane; at 4 a word, nonzero mirrors y; at 16 the four
    /// float coefficients of the plane.
    pub host_set: u32,
    /// Binding of the host block.
    pub host_binding: u32,
}

/// Locations of all varyings.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaLocations {
    /// TRANSPICA_TYPE_LOCATIONS
    pub head: TranspicaHead,
    /// Switch: there is a second copy of the position, as the program writes it.
    pub has_position: u32,
    /// Its location.
    pub position: u32,
    /// Color.
    pub color: u32,
    /// Texture coordinate 0.
    pub texcoord0: u32,
    /// Texture coordinate 1.
    pub texcoord1: u32,
    /// Texture coordinate 2.
    pub texcoord2: u32,
    /// Third component of texture coordinate 0.
    pub texcoord0_w: u32,
    /// Normal quaternion.
    pub quaternion: u32,
    /// View vector.
    pub view: u32,
    /// The two clip distances, if they are a varying.
    pub clip_distances: u32,
}

/// Byte offsets of the register banks in the uniform block, for TRANSPICA_LAYOUT_CUSTOM.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaRegisterLayout {
    /// TRANSPICA_TYPE_REGISTER_LAYOUT
    pub head: TranspicaHead,
    /// Offset of the 96 float registers; a multiple of 16.
    pub floats: u32,
    /// Offset of the four int registers; a multiple of 16.
    pub ints: u32,
    /// A TranspicaIntPacking.
    pub packing: u32,
    /// Offset of the word of bools; a multiple of 4.
    pub bools: u32,
}

/// Limits on sizes. 0: the default of each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaLimits {
    /// TRANSPICA_TYPE_LIMITS
    pub head: TranspicaHead,
    /// Code words of one program.
    pub code_words: u32,
    /// Operand descriptors.
    pub descriptors: u32,
    /// Control-flow nodes for each instruction, in addition to `nodes_base`.
    pub nodes_per_instruction: u32,
    /// Control-flow nodes that any program may have.
    pub nodes_base: u32,
    /// Nesting depth of the structured program.
    pub depth: u32,
    /// Time budget of structuring and lowering.
    pub steps: u32,
    /// Values of the intermediate representation.
    pub values: u32,
    /// Words of a module, or a fourth of the bytes of a text.
    pub output_words: u32,
    /// Executables of one file; never more than the default.
    pub executables: u32,
    /// Must be 0.
    pub reserved: u32,
}

structures! {
    TranspicaOptions => Options,
    TranspicaProfile => Profile,
    TranspicaBindings => Bindings,
    TranspicaLocations => Locations,
    TranspicaRegisterLayout => RegisterLayout,
    TranspicaLimits => Limits,
}

/// Configuration of a translator.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    pub(crate) profile: Profile,
    pub(crate) job: Job<'static>,
    pub(crate) memory: Memory,
}

/// The structures of a chain.
#[derive(Default)]
struct Structures {
    options: Option<TranspicaOptions>,
    profile: Option<TranspicaProfile>,
    bindings: Option<TranspicaBindings>,
    locations: Option<TranspicaLocations>,
    layout: Option<TranspicaRegisterLayout>,
    limits: Option<TranspicaLimits>,
    allocator: Option<TranspicaAllocator>,
    assumptions: Option<TranspicaAssumptions>,
    varyings: Option<TranspicaVaryings>,
    glsl: Option<TranspicaGlsl>,
}

impl Settings {
    /// Checks structures that contradict themselves, whatever the program is.
    fn check(&self, given: &Structures) -> Result<(), Problem> {
        if given.bindings.is_some() {
            self.profile.bindings.check()?;
        }
        if given.locations.is_some() {
            let mut options = self.options;
            options.outputs.all = true;
            let outputs = varying::outputs(&OutputMap::default(), &options, &self.profile);
            varying::check_locations(&outputs)?;
        }
        Ok(())
    }

    /// Reads a chain.
    ///
    /// # Safety
    /// As for [`Chain::new`], [`Memory::new`] and the texts of [`linkage`].
    pub(crate) unsafe fn new(first: *const TranspicaHead) -> Result<Self, Problem> {
        let mut given = Structures::default();
        // SAFETY: guaranteed by the caller.
        let mut chain = unsafe { Chain::new(first) };
        while let Some(link) = chain.next()? {
            use TranspicaType as T;
            match link.which()? {
                T::Options => link.put(&mut given.options)?,
                T::Profile => link.put(&mut given.profile)?,
                T::Bindings => link.put(&mut given.bindings)?,
                T::Locations => link.put(&mut given.locations)?,
                T::RegisterLayout => link.put(&mut given.layout)?,
                T::Limits => link.put(&mut given.limits)?,
                T::Allocator => link.put(&mut given.allocator)?,
                T::Assumptions => link.put(&mut given.assumptions)?,
                T::Varyings => link.put(&mut given.varyings)?,
                T::Glsl => link.put(&mut given.glsl)?,
                other @ (T::Request
                | T::RawProgram
                | T::Executable
                | T::RegisterProgram
                | T::RegisterWrites
                | T::Salt
                | T::Job
                | T::Kernel
                | T::PlanFigures
                | T::Reliance
                | T::Hooks
                | T::VertexInput
                | T::Figures
                | T::Message
                | T::Input
                | T::Output
                | T::Member) => return Err(link.misplaced(other, "a translator")),
            }
        }
        let memory = match &given.allocator {
            // SAFETY: guaranteed by the caller.
            Some(allocator) => unsafe { Memory::new(allocator)? },
            None => Memory::default(),
        };
        let job = match &given.options {
            Some(options) => {
                // A setup belongs to a draw, not to a translator.
                let text = "TranspicaOptions.entry_point needs a setup: chain a TranspicaJob to the program";
                let none = Err(Problem::argument(TranspicaCode::UnknownChoice, text.to_owned()));
                geometry::job("TranspicaOptions.entry_point", options.entry_point, none)?
            }
            None => Job::Vertex,
        };
        // SAFETY: guaranteed by the caller.
        let varyings = given.varyings.as_ref().map(|given| unsafe { linkage::varyings(given) });
        // SAFETY: guaranteed by the caller.
        let glsl = given.glsl.as_ref().map(|given| unsafe { linkage::glsl(given) });
        let profile = Profile {
            varyings: varyings.transpose()?.unwrap_or_default(),
            glsl: glsl.transpose()?.unwrap_or_default(),
            ..profile(&given)?
        };
        let settings = Self { options: options(&given)?, profile, job, memory };
        settings.options.check()?;
        settings.check(&given)?;
        Ok(settings)
    }
}

/// Converts a number to a value of an enumeration.
pub(crate) fn choice<T: Choice>(name: &str, number: u32) -> Result<T, Problem> {
    T::read(number).ok_or_else(|| {
        Problem::argument(
            TranspicaCode::UnknownChoice,
            format!("{name} is {number}: there is no such choice"),
        )
    })
}

/// Converts 0 or 1.
pub(crate) fn switch(name: &str, number: u32) -> Result<bool, Problem> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => {
            let text = format!("{name} is {number}, must be 0 or 1");
            Err(Problem::argument(TranspicaCode::UnknownChoice, text))
        }
    }
}

/// Checks that a reserved field is 0.
pub(crate) fn reserved(name: &str, number: u32) -> Result<(), Problem> {
    match number {
        0 => Ok(()),
        _ => Err(Problem::argument(TranspicaCode::UnknownField, format!("{name} is {number}, must be 0"))),
    }
}

/// Converts a number that the library stores in fewer bits.
pub(crate) fn narrow<T: TryFrom<u32>>(name: &str, number: u32) -> Result<T, Problem> {
    T::try_from(number).map_err(|_| {
        let text = format!("{name} is {number:#x}, which has too many bits");
        Problem::argument(TranspicaCode::UnknownChoice, text)
    })
}

fn outputs(given: &TranspicaOptions) -> Result<Outputs, Problem> {
    Ok(Outputs {
        depth: choice("TranspicaOptions.depth_range", given.depth_range)?,
        snap_depth: DepthSnap { near: given.snap_near, far: given.snap_far },
        flip_y: choice("TranspicaOptions.flip_y", given.flip_y)?,
        clip_planes: choice("TranspicaOptions.clip_planes", given.clip_planes)?,
        clamp_colors: !switch("TranspicaOptions.keep_colors", given.keep_colors)?,
        all: switch("TranspicaOptions.output_set", given.output_set)?,
        unmapped: choice("TranspicaOptions.unmapped", given.unmapped)?,
    })
}

fn options(given: &Structures) -> Result<Options, Problem> {
    let limits = limits(given.limits.as_ref())?;
    let assume = given.assumptions.as_ref().map(assume).transpose()?.unwrap_or_default();
    let Some(given_options) = &given.options else {
        return match given.layout {
            None => Ok(Options { limits, assume, ..Options::default() }),
            Some(_) => Err(no_custom_layout()),
        };
    };
    let TranspicaOptions {
        head: _,
        precision,
        portable_exponentials,
        entry_point: _,
        layout: which,
        depth_range: _,
        flip_y: _,
        clip_planes: _,
        output_set: _,
        unmapped: _,
        uninitialized,
        keep_colors: _,
        keep_constants,
        permissive,
        has_loop_guard,
        loop_guard,
        known_bools,
        bool_values,
        specialized_bools,
        known_ints,
        specialized_ints,
        int_values,
        attributes,
        report_unfinished,
        padded,
        snap_near: _,
        snap_far: _,
    } = *given_options;
    let arithmetic = Arithmetic {
        precision: choice("TranspicaOptions.precision", precision)?,
        portable_exponentials: switch("TranspicaOptions.portable_exponentials", portable_exponentials)?,
        uninitialized: choice("TranspicaOptions.uninitialized", uninitialized)?,
    };
    let block = Block {
        layout: layout(which, given.layout.as_ref())?,
        fold_constants: !switch("TranspicaOptions.keep_constants", keep_constants)?,
        padded: switch("TranspicaOptions.padded", padded)?,
    };
    Ok(Options {
        arithmetic,
        block,
        outputs: outputs(given_options)?,
        attributes: formats(&attributes)?,
        control: Control {
            bools: bools(known_bools, bool_values, specialized_bools)?,
            ints: ints(known_ints, int_values, specialized_ints)?,
            loop_guard: switch("TranspicaOptions.has_loop_guard", has_loop_guard)?.then_some(loop_guard),
            report_unfinished: switch("TranspicaOptions.report_unfinished", report_unfinished)?,
            permissive: switch("TranspicaOptions.permissive", permissive)?,
        },
        assume,
        limits,
    })
}

fn bools(known: u32, values: u32, specialized: u32) -> Result<BoolUniforms, Problem> {
    Ok(BoolUniforms {
        baked: narrow("TranspicaOptions.known_bools", known)?,
        values: narrow("TranspicaOptions.bool_values", values)?,
        specialized: narrow("TranspicaOptions.specialized_bools", specialized)?,
    })
}

fn ints(known: u32, values: [[u8; 4]; 4], specialized: u32) -> Result<IntUniforms, Problem> {
    for (name, set) in
        [("TranspicaOptions.known_ints", known), ("TranspicaOptions.specialized_ints", specialized)]
    {
        if set > 15 {
            let text = format!("{name} is {set:#x}, but there are four int registers");
            return Err(Problem::argument(TranspicaCode::UnknownChoice, text));
        }
    }
    let mut baked = [None; 4];
    for (index, (baked, value)) in baked.iter_mut().zip(values).enumerate() {
        *baked = (known >> index & 1 != 0).then_some(value);
    }
    Ok(IntUniforms { baked, specialized: narrow("TranspicaOptions.specialized_ints", specialized)? })
}

#[cold]
fn no_custom_layout() -> Problem {
    let text = "a TranspicaRegisterLayout goes with TRANSPICA_LAYOUT_CUSTOM, and the reverse".to_owned();
    Problem::argument(TranspicaCode::MisplacedType, text)
}

fn layout(number: u32, custom: Option<&TranspicaRegisterLayout>) -> Result<Layout, Problem> {
    let named = [Layout::Symbols, Layout::Registers, Layout::Azahar, Layout::Panda3ds];
    let named = named.into_iter().find(|&layout| TranspicaLayout::from(layout) as u32 == number);
    match (named, custom) {
        (Some(layout), None) => Ok(layout),
        (None, Some(custom)) if number == TranspicaLayout::Custom as u32 => {
            let TranspicaRegisterLayout { head: _, floats, ints, packing, bools } = *custom;
            let packing = choice("TranspicaRegisterLayout.packing", packing)?;
            Ok(Layout::Custom(RegisterLayout { floats, ints, packing, bools }))
        }
        (None, None) if number != TranspicaLayout::Custom as u32 => {
            let text = format!("TranspicaOptions.layout is {number}: there is no such choice");
            Err(Problem::argument(TranspicaCode::UnknownChoice, text))
        }
        (None | Some(_), Some(_) | None) => Err(no_custom_layout()),
    }
}

fn limits(given: Option<&TranspicaLimits>) -> Result<Limits, Problem> {
    let default = Limits::default();
    let Some(given) = given else { return Ok(default) };
    let or = |given: u32, default: u32| if given == 0 { default } else { given };
    let TranspicaLimits {
        head: _,
        code_words,
        descriptors,
        nodes_per_instruction,
        nodes_base,
        depth,
        steps,
        values,
        output_words,
        executables,
        reserved: zero,
    } = *given;
    reserved("TranspicaLimits.reserved", zero)?;
    Ok(Limits {
        code_words: or(code_words, default.code_words),
        descriptors: or(descriptors, default.descriptors),
        nodes_per_instruction: or(nodes_per_instruction, default.nodes_per_instruction),
        nodes_base: or(nodes_base, default.nodes_base),
        depth: or(depth, default.depth),
        steps: or(steps, default.steps),
        values: or(values, default.values),
        output_words: or(output_words, default.output_words),
        executables: or(executables, default.executables),
    })
}

fn profile(given: &Structures) -> Result<Profile, Problem> {
    let default = Profile::default();
    let bindings = given.bindings.as_ref().map_or(default.bindings, linkage::bindings);
    let custom = given.locations.as_ref().map(linkage::locations).transpose()?;
    let Some(profile) = &given.profile else {
        return Ok(Profile { bindings, locations: custom.unwrap_or(default.locations), ..default });
    };
    let TranspicaProfile {
        head: _,
        spirv_major,
        spirv_minor,
        allow_contraction,
        variant_position,
        omit_names,
        locations: preset,
    } = *profile;
    let preset = match choice("TranspicaProfile.locations", preset)? {
        TranspicaLocationPreset::Dense => Locations::DENSE,
        TranspicaLocationPreset::Azahar => Locations::AZAHAR,
    };
    Ok(Profile {
        spirv_version: match (spirv_major, spirv_minor) {
            (0, 0) => default.spirv_version,
            (major, minor) => (
                narrow("TranspicaProfile.spirv_major", major)?,
                narrow("TranspicaProfile.spirv_minor", minor)?,
            ),
        },
        no_contraction: !switch("TranspicaProfile.allow_contraction", allow_contraction)?,
        invariant_position: !switch("TranspicaProfile.variant_position", variant_position)?,
        names: !switch("TranspicaProfile.omit_names", omit_names)?,
        bindings,
        locations: custom.unwrap_or(preset),
        // Structures of their own have the others.
        ..default
    })
}
