//! Results of a scan: programs with their place, and warnings.

use std::fmt;
use std::rc::Rc;

use transpica::Key;

use crate::unpack::Packing;
use crate::vbc::ShaderStage;

/// Formats that a scan knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A `.shbin` file.
    Dvlb,
    /// A list of GPU commands that uploads a program.
    Commands,
    /// Vega ByteCode: SPIR-V and reflection.
    Vbc,
    /// Archive with names or hashes.
    Sarc,
    /// Archive with a tree of names.
    Darc,
    /// Archive of numbered entries, some in several languages.
    Garc,
    /// Sections of a program, among them `.code`.
    ExeFs,
    /// Package of numbered entries after two letters.
    Package,
    /// Models, textures and shaders by name.
    Pack,
    /// One shader with its command list.
    GfShader,
    /// Models and shaders.
    Cgfx,
    /// Models and shaders, with pairs of programs.
    Bch,
    /// Effects with one file of programs.
    Mfx,
    /// Compressed data.
    Packed(Packing),
}

impl Kind {
    /// Returns the name in places of hits.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dvlb => "DVLB",
            Self::Commands => "commands",
            Self::Vbc => "VBC",
            Self::Sarc => "SARC",
            Self::Darc => "darc",
            Self::Garc => "GARC",
            Self::ExeFs => "ExeFS",
            Self::Package => "GFL",
            Self::Pack => "GFPack",
            Self::GfShader => "GFShader",
            Self::Cgfx => "CGFX",
            Self::Bch => "BCH",
            Self::Mfx => "MFX",
            Self::Packed(packing) => packing.name(),
        }
    }
}

/// A container on the way to a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its format.
    pub kind: Kind,
    /// First byte in the container around it.
    pub offset: u64,
    /// Name or number of the entry that was opened, or `None` where a format has no entries.
    pub entry: Option<String>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.offset != 0 {
            write!(f, "@{:#x}", self.offset)?;
        }
        self.entry.iter().try_for_each(|entry| write!(f, ":{entry}"))
    }
}

/// The containers around a view, innermost first.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    pub outer: Option<Rc<Trail>>,
    pub step: Step,
}

impl Trail {
    /// Returns the containers, outermost first.
    pub fn steps(trail: Option<&Rc<Self>>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut next = trail;
        while let Some(trail) = next {
            steps.push(trail.step.clone());
            next = trail.outer.as_ref();
        }
        steps.reverse();
        steps
    }
}

/// A program of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInfo {
    /// Its stage.
    pub stage: ShaderStage,
    /// Name of its entry point, if the file has one.
    pub entry: Option<String>,
    /// Code word of its entry point; 0 in Vega ByteCode.
    pub start: u32,
    /// Instructions that can be reached from there; of Vega ByteCode the words of SPIR-V.
    pub instructions: u32,
    /// The library's key for default options, or `None` if it refuses the program.
    pub key: Option<Key>,
    /// Digest that equal programs share: the key, or a hash of the words.
    pub identity: [u8; 16],
}

/// A pair of programs of a file, as a model binds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Name of the shader in the model.
    pub name: Option<String>,
    /// Index of the vertex program.
    pub vertex: Option<u16>,
    /// Index of the geometry program.
    pub geometry: Option<u16>,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The containers around it, outermost first.
    pub containers: Vec<Step>,
    /// Its format.
    pub kind: Kind,
    /// First byte in the innermost container.
    pub offset: u64,
    /// First byte in the input; nothing inside compressed data.
    pub input_offset: Option<u64>,
    /// Its length in bytes.
    pub length: u64,
    /// Name by the nearest container that has one for it.
    pub name: Option<String>,
    /// Its programs.
    pub programs: Vec<ProgramInfo>,
    /// Pairs of its programs.
    pub pairs: Vec<Pair>,
    /// Digest of its bytes.
    pub digest: [u8; 16],
    /// Digest that hits with equal programs share.
    pub identity: [u8; 16],
    /// Remarks about its content.
    pub warnings: Vec<String>,
}

impl Hit {
    /// Returns the place in the input, like `SARC:shader/a.bcsdr/DVLB@0x40`.
    pub fn place(&self) -> String {
        let steps: String = self.containers.iter().map(|step| format!("{step}/")).collect();
        format!("{steps}{}@{:#x}", self.kind.name(), self.offset)
    }
}

/// A remark about a part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The place, as that of a hit.
    pub place: String,
    /// The remark.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
