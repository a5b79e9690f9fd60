//! Inputs and outputs of a translated program, for hosts and people.
//!
//! In: [`Translation`] and its source program. Out: [`Reflection`], plain data that serializes
//! (feature `serde`): the interface, and what follows from the module. Byte offsets count in the
//! blocks, locations in the vertex entry.

// Files: `module.rs` stage, entry points and symbols; `buffers.rs` storage buffers and draw
// parameters; `places.rs` registers and slots of HLSL and MSL.

mod buffers;
mod module;
mod places;

pub use buffers::BufferInfo;
pub use module::{EntryPointNames, ModuleInfo, SymbolInfo};
pub use places::{BlockInfo, HlslRegister, Places, PortPlace};

pub use crate::passes::legalize::Guards;

use crate::flow::cfg::reach::reach;
use crate::geometry::GeometryKernel;
use crate::geometry::kernel::bindings;
use crate::host::constants::Constants;
use crate::host::settings::{Arithmetic, Binding, FloatControls, Functions, Options, Profile, Reliance};
use crate::interface::{Interface, Usage};
use crate::ir::{Op, Resource};
use crate::passes::legalize;
use crate::program::container::Dvle;
use crate::program::isa::table::Class;
use crate::program::isa::{FlowOp, Opcode, Program, Stage};
use crate::support::fields::{DrawField, HostField, SpecId, VECTOR};
use crate::translate::{FileProgram, Tier, Translation};
use places::Languages;

/// Name and version of the schema of [`Reflection`].
pub const SCHEMA: &str = "transpica.reflection/9";

/// Instruction counts of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct InstructionCounts {
    /// Words of code memory, reachable or not.
    pub code: u32,
    /// Words that are reachable from the entry point for any uniforms; the sum of the next three.
    pub reached: u32,
    /// Reachable instructions that compute, compare, or set an address register.
    pub arithmetic: u32,
    /// Reachable control-flow instructions (CALL, IF, JMP, LOOP and their variants, BREAK, END),
    /// EMIT and SETEMIT.
    pub control: u32,
    /// Reachable NOPs.
    pub nop: u32,
}

/// A field of the host block that the program reads, for clip planes or a dynamic y, or of the
/// block of draw parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MemberInfo {
    /// Name.
    pub name: &'static str,
    /// Type: `u32`, `i32` or `vec4f`.
    pub ty: &'static str,
    /// Byte offset in the block.
    pub offset: u32,
}

/// A specialization constant (SPIR-V) or override (WGSL).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SpecializationInfo {
    /// `SpecId`.
    pub id: u32,
    /// Name: `b3`, `i0_x`.
    pub name: String,
    /// Type: `bool`, false unless set, or `i32`, 0 unless set.
    pub ty: &'static str,
}

/// The value of a uniform register after the executable is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UniformDefault {
    /// `c95`, `i3`, `b15`
    pub register: String,
    /// Its value.
    pub value: UniformValue,
    /// Folded: the program holds the value as a constant, so the host need not set it.
    pub folded: bool,
}

/// The value of a uniform register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum UniformValue {
    /// Bits of f32, each serialized as `"0x3f800000"`.
    Float(
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::words"))]
        [u32; 4],
    ),
    /// x, y, z, w.
    Int([u8; 4]),
    /// True or false.
    Bool(bool),
}

/// Inputs and outputs of a translated program. Serialized, the members of the interface are next to
/// the others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reflection {
    /// `SCHEMA`.
    pub schema: &'static str,
    /// Attributes, uniform block, outputs, entry point; the options in effect, and all warnings of
    /// the translation.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub interface: Interface,
    /// Label of the entry point, or its code word without one, if known.
    pub entry: Option<String>,
    /// Stage of the program.
    pub stage: Stage,
    /// The module.
    pub module: ModuleInfo,
    /// Tier of its control flow.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub tier: Tier,
    /// Instruction counts.
    pub instructions: InstructionCounts,
    /// Registers that the program still uses after dead code is removed.
    #[cfg_attr(feature = "serde", serde(rename = "reads"))]
    pub usage: Usage,
    /// Places of attributes and outputs in HLSL and MSL.
    pub places: Places,
    /// Place and size of the uniform block, or `None` if the program reads no uniform.
    pub uniform_block: Option<BlockInfo>,
    /// Place and size of the second uniform block, which has the members of the first, or `None` if
    /// no [hook](crate::host::Hook::Again) evaluates the position again.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub again_block: Option<BlockInfo>,
    /// The host block, or `None` if the program reads none of its fields.
    pub host_block: Option<BlockInfo>,
    /// Fields of the host block that are read.
    pub host_members: Vec<MemberInfo>,
    /// The block of draw parameters of a geometry program in a compute stage.
    pub draw_block: Option<BlockInfo>,
    /// Its fields.
    pub draw_members: Vec<MemberInfo>,
    /// Specialization constants that are read.
    pub specialization: Vec<SpecializationInfo>,
    /// Storage buffers of a compute stage, without the blocks.
    pub buffers: Vec<BufferInfo>,
    /// Declarations with which every result is the interpreter's on every driver, by the letter of
    /// Vulkan; `None` where the options leave the last bits to the driver.
    pub exact_if: Option<FloatControls>,
    /// Setup constants.
    pub defaults: Vec<UniformDefault>,
    /// Symbols of the file with the names in the module; empty unless
    /// [`with_symbols`](Self::with_symbols) adds them.
    pub symbols: Vec<SymbolInfo>,
    /// Registers whose promises the module relies on. The promises are [`Options::assume`].
    ///
    /// [`Options::assume`]: crate::Options::assume
    #[cfg_attr(feature = "serde", serde(rename = "promises"))]
    pub relies_on: Reliance,
    /// Operations that exact products cost.
    pub guards: Guards,
    /// Target profile of the module.
    pub profile: Profile,
}

impl Reflection {
    /// Describes the translation of `program`. `constants` are the values that binding its
    /// executable sets, if it has one. For a program of a file [`FileProgram::reflect`] knows them.
    ///
    /// ```
    /// use transpica::host::Constants;
    /// use transpica::reflect::Reflection;
    /// use transpica::{Job, Program, RegisterState, Stage};
    /// use transpica::isa::Pc;
    /// let mut translator = transpica::Translator::new(Default::default(), Default::default());
    /// let state = RegisterState::default();
    /// let program = Program::from_raw(&[0x8800_0000][..], &[][..], Pc(0), Stage::Vertex)?; // end
    /// let translated = translator.translate(&program, &state.vertex(), Job::Vertex)?;
    /// let reflection = Reflection::new(&program, &translated, &Constants::default());
    /// assert_eq!((reflection.instructions.control, reflection.uniform_block), (1, None));
    /// # Ok::<(), transpica::Error>(())
    /// ```
    pub fn new(program: &Program<'_>, translated: &Translation, constants: &Constants) -> Self {
        let Translation { interface, usage, tier, relies_on, profile, .. } = translated;
        let entry_point = &interface.entry_point;
        let HostInputs { size: host_size, host_members, specialization } = HostInputs::collect(translated);
        let size = interface.block.size;
        let uniform_place = (size > 0).then(|| profile.uniforms(entry_point));
        let again = interface.reads_again().then_some(profile.bindings.again);
        let host = host_size.map(|size| (profile.host(entry_point), size));
        let places: Vec<_> =
            [uniform_place, again, host.map(|(host, _)| host)].into_iter().flatten().collect();
        let languages = Languages::new(entry_point, &places, !specialization.is_empty());
        let attributes = interface.attributes.iter().map(|one| languages.attribute(one.register));
        let outputs = interface.outputs.iter().map(|output| languages.output(output.location));
        let kernel = interface.kernel();
        Self {
            schema: SCHEMA,
            entry: interface.entry_name(),
            stage: program.stage(),
            module: ModuleInfo::new(entry_point, languages),
            tier: *tier,
            instructions: instructions(program),
            usage: *usage,
            places: Places { attributes: attributes.collect(), outputs: outputs.collect() },
            uniform_block: uniform_place.map(|place| languages.block(place, size, interface.block.used())),
            again_block: again.map(|place| languages.block(place, size, interface.block.used())),
            host_block: host.map(|(place, size)| languages.block(place, size, size)),
            host_members,
            draw_block: kernel.map(|kernel| draw_block(kernel, languages)),
            draw_members: kernel.map(buffers::draw_members).unwrap_or_default(),
            specialization,
            buffers: buffers::buffers(entry_point, languages),
            exact_if: exact_if(&translated.options, profile),
            defaults: defaults(constants, &interface.folded, usage.relative),
            symbols: Vec::new(),
            relies_on: *relies_on,
            guards: legalize::guards(&translated.module),
            profile: profile.clone(),
            interface: Interface {
                options: translated.options,
                warnings: translated.warnings.clone(),
                ..interface.clone()
            },
        }
    }

    /// Adds the symbols of the program's executable: names as the file has them, each with the name
    /// in the module, which every target accepts.
    ///
    /// ```
    /// let bytes = std::fs::read("shaders/lights.shbin")?;
    /// let file = transpica::Shbin::parse(&bytes)?;
    /// let program = file.program(0)?;
    /// // A program of a file has them.
    /// let reflection = program.reflect(&program.translate(&Default::default())?);
    /// let projection = reflection.symbols.iter().find(|symbol| symbol.symbol == "projection");
    /// assert_eq!(projection.map(|symbol| (symbol.first, symbol.count)), Some((0, 4)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_symbols(mut self, executable: &Dvle<'_>) -> Self {
        self.symbols = module::symbols(executable, &self.interface);
        self
    }
}

impl FileProgram<'_> {
    /// Describes a translation of this program, with the values that its executable sets. A program
    /// without a [name](FileProgram::named) is called by the index of its executable.
    ///
    /// ```
    /// use transpica::{Options, Shbin};
    /// let bytes = std::fs::read("shaders/lights.shbin")?;
    /// let file = Shbin::parse(&bytes)?;
    /// let program = file.program(0)?;
    /// let reflection = program.reflect(&program.translate(&Options::default())?);
    /// assert_eq!(reflection.interface.source, "executable 0");
    /// assert!(!reflection.defaults.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reflect(&self, translation: &Translation) -> Reflection {
        let environment = self.environment();
        let mut reflection = Reflection::new(self.program(), translation, &environment.constants())
            .with_symbols(environment.executable());
        if reflection.interface.source.is_empty() {
            reflection.interface.source = format!("executable {}", self.index());
        }
        reflection
    }
}

/// Inputs of a module besides registers.
struct HostInputs {
    /// Size of the host block in bytes, if it is read.
    size: Option<u32>,
    host_members: Vec<MemberInfo>,
    specialization: Vec<SpecializationInfo>,
}

impl HostInputs {
    fn collect(translated: &Translation) -> Self {
        let (mut fields, mut ids) = (0u32, 0u32);
        let main = &translated.module.main;
        for op in main.values.keys().filter_map(|value| main.op(value)) {
            match op {
                Op::Read(Resource::Host(field)) => fields |= 1 << field.index(),
                Op::Read(Resource::Specialized(id)) => ids |= 1 << id.get(),
                _other_operations => {}
            }
        }
        let host = HostField::ALL.into_iter().enumerate().filter(|(index, _)| fields >> index & 1 != 0);
        Self {
            // Members end with the last parameter that is read.
            size: (fields != 0).then(|| match 32 - (fields >> HostField::FIXED).leading_zeros() {
                0 => HostField::BLOCK_SIZE,
                parameters => HostField::BLOCK_SIZE + VECTOR * parameters,
            }),
            host_members: host.map(|(_, field)| host_member(field)).collect(),
            specialization: SpecId::of_mask(ids)
                .map(|id| SpecializationInfo {
                    id: id.get().into(),
                    name: id.to_string(),
                    ty: if id.component().is_some() { "i32" } else { "bool" },
                })
                .collect(),
        }
    }
}

fn host_member(field: HostField) -> MemberInfo {
    let ty = match field {
        HostField::ClipEnabled | HostField::FlipY => "u32",
        HostField::ClipPlane | HostField::Parameter(_) => "vec4f",
    };
    MemberInfo { name: field.name(), ty, offset: field.offset() }
}

/// Describes the block of draw parameters.
fn draw_block(kernel: &GeometryKernel, languages: Languages) -> BlockInfo {
    let size = DrawField::BLOCK_SIZE;
    let used = if kernel.is_split() { size } else { 4 * DrawField::MEMBERS.len() as u32 };
    languages.block(Binding { set: 0, binding: bindings::DRAW }, size, used)
}

fn instructions(program: &Program<'_>) -> InstructionCounts {
    let (mut reached, mut control, mut nop) = (0, 0, 0);
    reach(program, |_, word| {
        reached += 1;
        match Opcode::of_word(word).map(|opcode| opcode.info().class) {
            Some(Class::Control(FlowOp::Nop)) => nop += 1,
            Some(Class::Control(_) | Class::Emit | Class::SetEmit) => control += 1,
            Some(Class::Data(_) | Class::Address | Class::Compare) | None => {}
        }
    });
    let code = program.code().len() as u32; // Range: at most 4,096.
    InstructionCounts { code, reached, arithmetic: reached - control - nop, control, nop }
}

/// Returns the declarations that make a module exact, if any do.
fn exact_if(options: &Options, profile: &Profile) -> Option<FloatControls> {
    let Arithmetic { precision, functions, .. } = options.arithmetic;
    let is_exact = profile.no_contraction && precision.rules().guards && functions == Functions::Portable;
    // float24 has no numbers that a driver may flush.
    is_exact.then_some(FloatControls { subnormals: !precision.rules().rounds, ..FloatControls::ALL })
}

/// Returns the values that binding the executable sets, by bank and register.
fn defaults(constants: &Constants, folded: &Constants, relative: u128) -> Vec<UniformDefault> {
    let floats = constants.floats.iter().zip(&folded.floats).enumerate().map(|(n, (value, folded))| {
        // Relative reads take the value from the block.
        let is_folded = folded.is_some() && relative >> n & 1 == 0;
        (format!("c{n}"), value.map(UniformValue::Float), is_folded)
    });
    let ints = constants.ints.iter().zip(&folded.ints).enumerate();
    let ints =
        ints.map(|(n, (value, folded))| (format!("i{n}"), value.map(UniformValue::Int), folded.is_some()));
    let bools = constants.bools.iter().enumerate();
    let bools = bools.map(|(n, value)| (format!("b{n}"), value.map(UniformValue::Bool), false));
    let all = floats.chain(ints).chain(bools);
    all.filter_map(|(register, value, folded)| Some(UniformDefault { register, value: value?, folded }))
        .collect()
}
