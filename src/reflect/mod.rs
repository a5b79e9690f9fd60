//! Inputs and outputs of a translated program, for hosts and people.
//!
//! In: [`Translation`] and its source program. Out: [`Reflection`], plain data that serializes
//! (feature `serde`) and prints as a table. Byte offsets are those of the blocks, locations those
//! of the vertex entry.

mod geometry;
mod module;
mod places;
mod table;
#[cfg(feature = "serde")]
mod words;

pub use geometry::{BufferInfo, DependenceInfo, FeedInfo, GeometryInfo, StateInfo};
pub use module::{EntryPointNames, ModuleInfo, SymbolInfo};
pub use places::{BlockInfo, HlslRegister};

use crate::cfg::reach::reach;
use crate::container::Dvle;
use crate::fields::SpecId;
use crate::host::{
    ArrayName, Attribute, AttributeKind, Bank, Constants, HostField, Location, Member, MemberType, Options,
    Profile, Promise, Reliance, UniformBlock, Usage,
};
use crate::ir::{Op, Resource};
use crate::isa::table::Class;
use crate::isa::{FlowOp, Opcode, Program, Stage};
use crate::passes::legalize;
use crate::translate::{FileProgram, Translation};
use places::Languages;

/// Name and version of the schema of [`Reflection`].
pub const SCHEMA: &str = "transpica.reflection/7";

/// Instruction counts of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// Registers that a program still reads after dead code is removed. Ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegisterReads {
    /// v registers.
    pub v: Vec<u8>,
    /// c registers read without an address register, including folded constants.
    pub c: Vec<u8>,
    /// Range of reads through address registers.
    pub relative: Option<RelativeReads>,
    /// i registers.
    pub i: Vec<u8>,
    /// b registers.
    pub b: Vec<u8>,
}

/// Range of reads through an address register.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RelativeReads {
    /// c registers named by the operands.
    pub bases: Vec<u8>,
    /// First c register of the range.
    pub first: u8,
    /// Last c register of the range. Reads beyond c95 yield ones.
    pub last: u8,
}

/// An attribute of the vertex entry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AttributeInfo {
    /// Name.
    pub name: String,
    /// v0..v15; serialized as `"v0"`.
    #[cfg_attr(feature = "serde", serde(with = "words::input"))]
    pub register: u8,
    /// Location.
    pub location: u32,
    /// Semantic in HLSL, name and index: `LOC0`; none in a compute stage.
    pub hlsl: Option<String>,
    /// Attribute in MSL; none in a compute stage.
    pub msl: Option<u32>,
    /// Type of the input variable: `vec4f`, `vec4i` or `vec4u`.
    pub ty: String,
    /// Number of components that the program reads.
    pub components: u8,
}

/// A field of the host block that the program reads, for clip planes or a dynamic y, or of the
/// block of draw parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HostMemberInfo {
    /// Name.
    pub name: String,
    /// Type: `u32`, `i32` or `vec4f`.
    pub ty: String,
    /// Byte offset in the block.
    pub offset: u32,
}

/// A specialization constant (SPIR-V) or override (WGSL).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpecializationInfo {
    /// `SpecId`.
    pub id: u32,
    /// Name: `b3`, `i0_x`.
    pub name: String,
    /// Type: `bool`, false unless set, or `i32`, 0 unless set.
    pub ty: String,
}

/// Bytes of the uniform block that stand for registers beyond c95.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Padding {
    /// Byte offset in the block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// A member of the uniform block, or a symbol that is a name of offsets in such a member.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UniformInfo {
    /// Name.
    pub name: String,
    /// Type: `vec4f`, `array<vec4f, n>`, `vec4i`, `array<vec4i, n>`, or `u32` with one bit for each
    /// register.
    pub ty: String,
    /// Register bank: `c`, `i` or `b`.
    pub bank: String,
    /// First register.
    pub first: u8,
    /// Number of registers; those of a padded array end with c127.
    pub count: u8,
    /// Byte offset in the block.
    pub offset: u32,
    /// Name of the member that holds these registers: an array, since relative reads may reach them
    /// along with others. None for a member.
    pub array: Option<String>,
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OutputInfo {
    /// Name.
    pub name: String,
    /// `position` or `clip_distances` for built-in outputs.
    pub built_in: Option<String>,
    /// Location; none for built-in outputs.
    pub location: Option<u32>,
    /// Semantic in HLSL: `LOC0`, `SV_Position`, `SV_ClipDistance`; none in a compute stage.
    pub hlsl: Option<String>,
    /// Attribute in MSL: `user(loc0)`, `position`, `clip_distance`; none in a compute stage.
    pub msl: Option<String>,
    /// Number of components.
    pub components: u32,
    /// Sources of the components: `o0.x` for a component of an o register, `1` or `0` for a
    /// constant. Clip distances name the position from which they are computed.
    pub sources: Vec<String>,
    /// Approximate: a component depends on EX2 or LG2, whose last bits differ between drivers.
    pub approximate: bool,
}

/// The value of a uniform register after the executable is bound.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "words::StoredDefault", into = "words::StoredDefault")
)]
pub struct UniformDefault {
    /// `c95`, `i3`, `b15`
    pub register: String,
    /// f32 bits of a float register, serialized as `"0x3f800000"`; the four bytes of an int
    /// register; 0 or 1 of a bool register.
    pub value: Vec<u32>,
    /// Folded: the program holds the value as a constant, so the host need not set it.
    pub folded: bool,
}

/// Promises of the host that a module relies on, by register. Ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PromiseInfo {
    /// c registers, and the promise about them.
    pub c: Vec<u8>,
    /// Promise about c registers: `not NaN` or `below 2^n`; none without c registers.
    pub uniforms: Option<String>,
    /// v registers with the promise about each.
    pub v: Vec<(u8, String)>,
    /// Promise about results of arithmetic.
    pub results: Option<String>,
}

/// Operations that the rules of PICA200 products cost, each of up to four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GuardCounts {
    /// Products and dot products with a guard of 0 · ∞.
    pub products: u32,
    /// Tests of operands for NaN.
    pub nan_tests: u32,
}

/// Inputs and outputs of a translated program.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reflection {
    /// `SCHEMA`.
    pub schema: String,
    /// Name of the source file.
    pub source: String,
    /// Index of the executable in it, if known.
    pub dvle: Option<u32>,
    /// Stage of the program: `vertex` or `geometry`.
    pub stage: String,
    /// Label of the entry point, or its code word without one, if known.
    pub entry: Option<String>,
    /// The module.
    pub module: ModuleInfo,
    /// `structured`, `block dispatcher` or `pc dispatcher`.
    pub tier: String,
    /// Instruction counts.
    pub instructions: InstructionCounts,
    /// Registers read.
    pub reads: RegisterReads,
    /// Attributes read.
    pub attributes: Vec<AttributeInfo>,
    /// The uniform block; none if the program reads no uniform.
    pub uniform_block: Option<BlockInfo>,
    /// Members of the uniform block, each before the symbols in it.
    pub uniforms: Vec<UniformInfo>,
    /// Bytes of the uniform block that the host fills with ones (f32), if an array is padded.
    pub padding: Option<Padding>,
    /// The host block; none if the program reads none of its fields.
    pub host_block: Option<BlockInfo>,
    /// Fields of the host block that are read.
    pub host_members: Vec<HostMemberInfo>,
    /// Specialization constants that are read.
    pub specialization: Vec<SpecializationInfo>,
    /// Outputs.
    pub outputs: Vec<OutputInfo>,
    /// Storage buffers of a compute stage, without the blocks.
    pub buffers: Vec<BufferInfo>,
    /// Compute form of a geometry program; none for a vertex program.
    pub geometry: Option<GeometryInfo>,
    /// Setup constants.
    pub defaults: Vec<UniformDefault>,
    /// Symbols of the file beside the names of the module; empty unless
    /// [`with_symbols`](Self::with_symbols) adds them.
    pub symbols: Vec<SymbolInfo>,
    /// Promises of the host that the module relies on.
    pub promises: PromiseInfo,
    /// Operations that exact products cost.
    pub guards: GuardCounts,
    /// Warnings of the translation.
    pub warnings: Vec<String>,
    /// Options in effect.
    pub options: Options,
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
    /// println!("{reflection}");
    /// # Ok::<(), transpica::Error>(())
    /// ```
    pub fn new(program: &Program<'_>, translated: &Translation, constants: &Constants) -> Self {
        let interface = &translated.interface;
        let profile = &translated.profile;
        let host_inputs = HostInputs::of(translated);
        let size = interface.block.size;
        let uniform_place = (size > 0).then(|| profile.uniforms(&interface.entry_point));
        let host = host_inputs.size.map(|size| (profile.host(&interface.entry_point), size));
        let bindings: Vec<_> = uniform_place.into_iter().chain(host.map(|(host, _)| host)).collect();
        let is_specialized = !host_inputs.specialization.is_empty();
        let languages = Languages::of(&interface.entry_point, &bindings, is_specialized);
        Self {
            schema: SCHEMA.into(),
            source: interface.source.clone(),
            dvle: interface.executable.and_then(|index| u32::try_from(index).ok()),
            stage: match program.stage() {
                Stage::Vertex => "vertex",
                Stage::Geometry => "geometry",
            }
            .into(),
            entry: interface.entry_name(),
            module: ModuleInfo::new(&interface.entry_point, languages),
            tier: translated.tier.to_string(),
            instructions: instructions(program),
            reads: reads(&translated.usage),
            attributes: interface.attributes.iter().map(|one| described(one, languages)).collect(),
            uniform_block: uniform_place.map(|place| languages.block(place, size, interface.block.used())),
            uniforms: uniforms(&interface.block),
            padding: interface.block.padding().map(|(offset, size)| Padding { offset, size }),
            host_block: host.map(|(place, size)| languages.block(place, size, size)),
            host_members: host_inputs.host_members,
            specialization: host_inputs.specialization,
            outputs: outputs(translated, languages),
            buffers: geometry::buffers(&interface.entry_point, languages),
            geometry: interface.kernel().map(|kernel| geometry::info(kernel, languages)),
            defaults: defaults(constants, &interface.folded, translated.usage.relative),
            symbols: Vec::new(),
            promises: promises(&translated.relies_on),
            guards: guards(translated),
            warnings: translated.warnings.iter().map(ToString::to_string).collect(),
            options: translated.options,
            profile: profile.clone(),
        }
    }

    /// Adds the symbols of the program's executable: names as the file has them beside those that
    /// the module has, which every target accepts.
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
        self.symbols = module::symbols(executable, &self.attributes, &self.uniforms);
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
    /// assert_eq!((&reflection.source[..], reflection.defaults.is_empty()), ("executable 0", false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reflect(&self, translation: &Translation) -> Reflection {
        let environment = self.environment();
        let mut reflection = Reflection::new(self.program(), translation, &environment.constants())
            .with_symbols(environment.executable());
        if reflection.source.is_empty() {
            reflection.source = format!("executable {}", self.index());
        }
        reflection
    }
}

fn promises(relies_on: &Reliance) -> PromiseInfo {
    let c = set(relies_on.uniforms);
    let text = |promise: Promise| (promise != Promise::Nothing).then(|| promise.to_string());
    let of = |register: u8| relies_on.promises.attributes.get(usize::from(register)).copied();
    let v = set(relies_on.attributes.into()).into_iter();
    PromiseInfo {
        uniforms: (!c.is_empty()).then(|| text(relies_on.promises.uniforms)).flatten(),
        c,
        v: v.filter_map(|register| Some((register, of(register).and_then(text)?))).collect(),
        results: relies_on.results.then(|| text(relies_on.promises.results)).flatten(),
    }
}

fn guards(translated: &Translation) -> GuardCounts {
    let legalize::Guards { products, nan_tests } = legalize::guards(&translated.module);
    GuardCounts { products, nan_tests }
}

/// Inputs of a module besides registers.
struct HostInputs {
    /// Size of the host block in bytes, if it is read.
    size: Option<u32>,
    host_members: Vec<HostMemberInfo>,
    specialization: Vec<SpecializationInfo>,
}

impl HostInputs {
    fn of(translated: &Translation) -> Self {
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
                parameters => HostField::BLOCK_SIZE + 16 * parameters,
            }),
            host_members: host.map(|(_, field)| host_member(field)).collect(),
            specialization: SpecId::of_mask(ids)
                .map(|id| SpecializationInfo {
                    id: id.get().into(),
                    name: id.to_string(),
                    ty: if id.component().is_some() { "i32" } else { "bool" }.into(),
                })
                .collect(),
        }
    }
}

fn host_member(field: HostField) -> HostMemberInfo {
    let ty = match field {
        HostField::ClipEnabled | HostField::FlipY => "u32",
        HostField::ClipPlane | HostField::Parameter(_) => "vec4f",
    };
    HostMemberInfo { name: field.name().into(), ty: ty.into(), offset: field.offset() }
}

/// Returns the registers of a mask, ascending.
fn set(bits: u128) -> Vec<u8> {
    (0..128u8).filter(|register| bits >> register & 1 != 0).collect()
}

fn reads(usage: &Usage) -> RegisterReads {
    let registers = usage.relative & Usage::EVERYTHING.floats;
    let relative = (registers != 0).then(|| RelativeReads {
        bases: set(usage.relative_bases),
        // Range: 0..=95.
        first: registers.trailing_zeros() as u8,
        last: registers.ilog2() as u8,
    });
    RegisterReads {
        v: set(usage.inputs.into()),
        c: set(usage.floats),
        relative,
        i: set(usage.ints.into()),
        b: set(usage.bools.into()),
    }
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

fn described(attribute: &Attribute, languages: Languages) -> AttributeInfo {
    let (hlsl, msl) = languages.attribute(attribute.register.into());
    let ty = match attribute.format.kind {
        AttributeKind::Float => "vec4f",
        AttributeKind::Int => "vec4i",
        AttributeKind::Uint => "vec4u",
    };
    AttributeInfo {
        name: attribute.name.clone(),
        register: attribute.register,
        location: attribute.register.into(),
        hlsl,
        msl,
        ty: ty.into(),
        components: attribute.format.components,
    }
}

fn uniforms(block: &UniformBlock) -> Vec<UniformInfo> {
    let mut uniforms = Vec::with_capacity(block.members.len() + block.names.len());
    for member in &block.members {
        uniforms.push(uniform(member));
        uniforms.extend(block.names_in(member).iter().map(|named| {
            let ArrayName { name, first, count } = named;
            let ty = match count {
                1 => MemberType::Vec4,
                count => MemberType::Vec4Array(u16::from(*count)),
            };
            let offset = member.offset + 16 * u32::from(first - member.first);
            let part = Member { name: name.clone(), first: *first, count: *count, offset, ty, ..*member };
            UniformInfo { array: Some(member.name.clone()), ..uniform(&part) }
        }));
    }
    uniforms
}

fn uniform(member: &Member) -> UniformInfo {
    UniformInfo {
        name: member.name.clone(),
        ty: match member.ty {
            MemberType::Vec4 => "vec4f".into(),
            MemberType::Vec4Array(n) => format!("array<vec4f, {n}>"),
            MemberType::IVec4 => "vec4i".into(),
            MemberType::IVec4Array(n) => format!("array<vec4i, {n}>"),
            MemberType::PackedInts => "vec4u".into(),
            MemberType::Bits => "u32".into(),
        },
        bank: match member.bank {
            Bank::Float => "c",
            Bank::Int => "i",
            Bank::Bool => "b",
        }
        .into(),
        first: member.first,
        count: member.count,
        offset: member.offset,
        array: None,
    }
}

fn outputs(translated: &Translation, languages: Languages) -> Vec<OutputInfo> {
    let approximate = translated.approximate();
    let outputs = translated.interface.outputs.iter().enumerate();
    outputs
        .map(|(index, output)| (index, output, languages.output(output.location)))
        .map(|(index, output, (hlsl, msl))| OutputInfo {
            name: output.name.clone(),
            built_in: match output.location {
                Location::Position => Some("position".into()),
                Location::ClipDistances => Some("clip_distances".into()),
                Location::Varying(_) => None,
            },
            location: match output.location {
                Location::Position | Location::ClipDistances => None,
                Location::Varying(location) => Some(location),
            },
            hlsl,
            msl,
            components: output.lanes() as u32,
            sources: output.components.iter().map(ToString::to_string).collect(),
            approximate: approximate.get(index).is_some_and(|lanes| *lanes != 0),
        })
        .collect()
}

fn defaults(constants: &Constants, folded: &Constants, relative: u128) -> Vec<UniformDefault> {
    let floats =
        constants.floats.iter().zip(&folded.floats).enumerate().filter_map(|(n, (value, folded))| {
            let value = (*value)?.to_vec();
            // Relative reads take the value from the block.
            let is_folded = folded.is_some() && relative >> n & 1 == 0;
            Some(UniformDefault { register: format!("c{n}"), value, folded: is_folded })
        });
    let ints = constants.ints.iter().zip(&folded.ints).enumerate().filter_map(|(n, (value, folded))| {
        let value = (*value)?.map(u32::from).to_vec();
        Some(UniformDefault { register: format!("i{n}"), value, folded: folded.is_some() })
    });
    let bools = constants.bools.iter().enumerate().filter_map(|(n, value)| {
        Some(UniformDefault { register: format!("b{n}"), value: vec![u32::from((*value)?)], folded: false })
    });
    floats.chain(ints).chain(bools).collect()
}
