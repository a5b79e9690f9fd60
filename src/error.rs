//! Located errors and warnings: the fault, its place, and advice. Knows no other module; every
//! layer reports through [`Error`] and [`Warning`].

use std::fmt;

/// Result of every function that reads input.
pub type Result<T> = std::result::Result<T, Error>;

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// Absolute byte offset in the container file.
    Offset(u32),
    /// Index of a code word.
    Pc(u16),
    /// The input as a whole.
    Whole,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => write!(f, "offset {offset:#x}"),
            Self::Pc(pc) => write!(f, "pc {pc:#x}"),
            Self::Whole => write!(f, "input"),
        }
    }
}

/// Kind of an error: one variant for each cause.
///
/// | when | kinds |
/// |---|---|
/// | [`Shbin::parse`](crate::Shbin::parse) | `Truncated`, `BadMagic`, `OutOfFile`, `BadField`, `EntryOutOfCode` |
/// | selection of a program | `NoExecutable`, `BadField`, `EntryOutOfCode`, `EntryOutOfReach`, `Limit` |
/// | translation: the program | `BadOpcode`, `Limit`, `Stage`, `NoGeometryStage` |
/// | translation: options, profile, setup | as [`Code::BadOption`] |
/// | output of a translation | `TargetLacks`, `Limit`, `Backend` |
/// | interpretation and drawing | `BadOpcode`, `Stage`, `StepBudget`, `Limit`, `NoVertex`, `Setup` |
/// | a defect of this library | `Verify`, `Backend` |
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The file ends before a structure does.
    Truncated {
        /// Name of the structure.
        what: &'static str,
        /// Number of bytes it needs.
        need: u64,
        /// Number of bytes left.
        have: u64,
    },
    /// The magic number of a structure is wrong.
    BadMagic {
        /// The expected magic.
        expected: &'static str,
        /// The bytes in the file.
        found: [u8; 4],
    },
    /// A table or string lies outside the file.
    OutOfFile {
        /// Name of the table.
        what: &'static str,
        /// First byte, absolute.
        start: u64,
        /// Length in bytes.
        length: u64,
        /// Size of the file.
        file: u64,
    },
    /// A field holds an undefined value.
    BadField {
        /// Name of the field.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The allowed values.
        allowed: &'static str,
    },
    /// No executable (DVLE) has this index.
    NoExecutable {
        /// Index that the caller asked for.
        index: usize,
        /// Number of executables in the file.
        count: usize,
    },
    /// The entry point lies outside the code.
    EntryOutOfCode {
        /// Entry point.
        entry: u32,
        /// Code words.
        words: u32,
    },
    /// The entry point lies inside the code, but beyond the words that its shader unit holds.
    EntryOutOfReach {
        /// Entry point.
        entry: u32,
        /// Number of words of the unit.
        words: u32,
    },
    /// A reachable opcode that the instruction set does not define.
    BadOpcode(u8),
    /// A limit of [`crate::limits::Limits`] was exceeded.
    Limit {
        /// Name of the limit.
        name: &'static str,
        /// The value.
        value: usize,
        /// The limit.
        limit: u32,
    },
    /// The operation does not support programs of this stage.
    Stage {
        /// The operation.
        what: &'static str,
        /// The stage of the program.
        stage: &'static str,
    },
    /// The step budget of the interpreter is exhausted.
    StepBudget(u64),
    /// A uniform is both a constant and a specialization constant.
    KnownAndSpecialized {
        /// `b` or `i`.
        bank: char,
        /// Its register.
        register: u8,
    },
    /// The number of components of an attribute is not 1 to 4.
    AttributeComponents {
        /// Its register.
        register: u8,
        /// Its components.
        components: u8,
    },
    /// A tolerance of the clip volume, as bits, is not in 0.0..1.0.
    DepthTolerance(u32),
    /// A bank of a register layout is misaligned, or ends beyond the block size that every device
    /// can bind.
    MisplacedBank {
        /// Name of the bank.
        bank: &'static str,
        /// Its first byte.
        byte: u32,
        /// Required alignment.
        align: u32,
        /// Maximum size of a block in bytes.
        most: u32,
    },
    /// Two banks of a register layout overlap.
    OverlappingBanks([&'static str; 2]),
    /// Two outputs share a location.
    SharedLocation {
        /// The location.
        location: u32,
        /// Names of the outputs.
        outputs: [String; 2],
    },
    /// Two blocks share a binding.
    SharedBinding {
        /// Set or group.
        set: u32,
        /// Binding in it.
        binding: u32,
    },
    /// A name of the profile that is not allowed in texts.
    BadName {
        /// The name.
        name: String,
        /// The reason, as the predicate of a sentence.
        why: &'static str,
    },
    /// An invalid varying of the profile.
    BadVarying {
        /// Its name.
        name: String,
        /// The reason, as the predicate of a sentence.
        why: &'static str,
    },
    /// A SPIR-V version that does not exist.
    SpirvVersion {
        /// Major version.
        major: u8,
        /// Minor version.
        minor: u8,
    },
    /// The target language lacks a feature that the options, the profile or the job request.
    /// Another target may have it.
    TargetLacks {
        /// The language.
        target: &'static str,
        /// The missing feature.
        what: String,
    },
    /// A setup of a draw, or its indices, contradicts itself.
    Setup(String),
    /// An index names a vertex that does not exist.
    NoVertex {
        /// Position in the list of indices.
        place: usize,
        /// The index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// An intermediate form violates an invariant (a defect of this library).
    Verify(String),
    /// A downstream library rejected our output (a defect of this library).
    Backend(String),
    /// Any other error, as text.
    Other(String),
    /// The reason why a geometry program cannot be a native geometry stage. It can be a compute
    /// stage.
    NoGeometryStage(String),
}

macro_rules! define_codes {
    ($($code:ident = $number:literal: $($kind:ident)|+,)*) => {
        /// Groups of [`Kind`], for hosts that distinguish errors by number. The numbers are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = concat!("[`Kind::", stringify!($kind), "`]")])+ $code = $number,)*
        }

        impl Kind {
            /// Returns the group of the variant.
            pub fn code(&self) -> Code {
                match self {
                    $($(Self::$kind { .. })|+ => Code::$code,)*
                }
            }
        }
    };
}

define_codes! {
    Truncated = 1: Truncated,
    BadMagic = 2: BadMagic,
    OutOfFile = 3: OutOfFile,
    BadField = 4: BadField,
    NoExecutable = 5: NoExecutable,
    EntryOutOfCode = 6: EntryOutOfCode,
    EntryOutOfReach = 7: EntryOutOfReach,
    BadOpcode = 8: BadOpcode,
    Limit = 9: Limit,
    Stage = 10: Stage,
    StepBudget = 11: StepBudget,
    BadOption = 12: KnownAndSpecialized | AttributeComponents | DepthTolerance | MisplacedBank | OverlappingBanks
        | SharedLocation | SharedBinding | BadName | BadVarying | SpirvVersion | TargetLacks | Setup,
    Verify = 14: Verify,
    Backend = 15: Backend,
    Other = 16: NoVertex | Other,
    NoGeometryStage = 17: NoGeometryStage,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Kind::*;
        match self {
            Truncated { what, need, have } => {
                write!(f, "file ends inside {what}: {need} bytes needed, {have} left")
            }
            BadMagic { expected, found } => write!(f, "expected {expected}, found {}", found.escape_ascii()),
            OutOfFile { what, start, length, file } => write!(
                f,
                "{what} lies outside the file: {length} bytes from {start:#x}, the file has {file:#x}"
            ),
            BadField { what, value, allowed } => write!(f, "{what} is {value:#x} but must be {allowed}"),
            NoExecutable { index, count } => write!(f, "DVLE {index} does not exist; the file has {count}"),
            EntryOutOfCode { entry, words } => {
                write!(f, "entry point {entry:#x} lies outside the code of {words:#x} words")
            }
            EntryOutOfReach { entry, words } => {
                write!(f, "entry point {entry:#x} lies beyond the {words} words that the vertex unit holds")
            }
            BadOpcode(opcode) => write!(f, "opcode {opcode:#04x} is not defined"),
            Limit { name, value, limit } => write!(f, "{name}: {value} exceeds the limit of {limit}"),
            Stage { what, stage } => write!(f, "{what} does not accept a {stage} program"),
            StepBudget(steps) => write!(f, "not finished after {steps} instructions"),
            KnownAndSpecialized { bank, register } => {
                write!(f, "{bank}{register} is both known and a specialization constant")
            }
            AttributeComponents { register, components } => {
                write!(f, "attribute v{register} has {components} components but must be 1 to 4")
            }
            DepthTolerance(bits) => {
                let value = f32::from_bits(*bits);
                write!(f, "the tolerance of the clip volume is {value} but must be at least 0 and below 1")
            }
            MisplacedBank { bank, byte, align, .. } if byte % align != 0 => {
                write!(f, "register layout: {bank} at byte {byte}, not a multiple of {align}")
            }
            MisplacedBank { bank, byte, most, .. } => {
                write!(f, "register layout: {bank} at byte {byte}, beyond {most} bytes")
            }
            OverlappingBanks([a, b]) => write!(f, "register layout: {a} and {b} overlap"),
            SharedLocation { location, outputs: [a, b] } => {
                write!(f, "{a} and {b} both use location {location}")
            }
            SharedBinding { set, binding } => write!(f, "two blocks use set {set}, binding {binding}"),
            BadName { name, why } => write!(f, "the name {} {why}", name.escape_debug()),
            BadVarying { name, why } => write!(f, "the varying {} {why}", name.escape_debug()),
            SpirvVersion { major, minor } => {
                write!(f, "SPIR-V {major}.{minor} does not exist; use 1.0 to 1.6")
            }
            TargetLacks { target, what } => write!(f, "{target} has no {what}"),
            NoVertex { place, vertex, count } => {
                write!(f, "indices[{place}] is {vertex}, but there are {count} vertices")
            }
            Setup(why) | Verify(why) | Backend(why) | Other(why) => f.write_str(why),
            NoGeometryStage(why) => write!(f, "no geometry stage: {why}"),
        }
    }
}

impl Kind {
    /// Returns advice for the author of the input.
    pub fn hint(&self) -> Option<&'static str> {
        use Code::*;
        Some(match self.code() {
            Truncated | OutOfFile => "the file is cut short or damaged; get it again from its source",
            BadMagic if matches!(self, Self::BadMagic { expected: "DVLB", .. }) => {
                "a .shbin file begins with DVLB; a BCSDR or CGFX file must be unpacked first"
            }
            BadMagic | BadField => "the file is damaged or was written by a broken tool; rebuild it",
            NoExecutable => "executables are numbered from 0, in file order",
            EntryOutOfCode => "the DVLE's main offset is wrong, or code words are missing",
            EntryOutOfReach => "the entry procedure of a vertex program must be at the front of the code",
            BadOpcode => "the permissive option treats undefined opcodes as NOP",
            Limit => "raise the limit in `Limits` if the program is meant to be this large",
            Stage => "choose an executable of the other stage, or a job for this one",
            StepBudget => "the program may never end; raise the step budget if it does",
            Verify | Backend => "this is a defect of transpica; please report it with the file",
            NoGeometryStage => "the compute form runs every geometry program",
            BadOption | Other => return None,
        })
    }
    /// Returns whether the library does not support an input that may be valid. Another way to run
    /// the program, such as `interp`, can then do better. Also true for defects of this library.
    /// Otherwise the input is invalid.
    pub fn is_unsupported(&self) -> bool {
        use Code::{Backend, BadOpcode, Limit, NoGeometryStage, Stage, StepBudget, Verify};
        matches!(self.code(), BadOpcode | Limit | Stage | StepBudget | Verify | Backend | NoGeometryStage)
    }
}

/// An error with its place. The alternate form `{error:#}` adds the advice of [`Kind::hint`] in a
/// line of its own.
///
/// ```
/// use transpica::{At, Error, Kind};
/// let error = Error::new(Kind::BadOpcode(0x2f), At::Pc(0x1c));
/// assert_eq!(format!("{error}"), "pc 0x1c: opcode 0x2f is not defined");
/// let advice = "help: the permissive option treats undefined opcodes as NOP";
/// assert_eq!(format!("{error:#}"), format!("{error}\n{advice}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind.
    pub kind: Kind,
    /// The place.
    pub at: At,
}

impl Error {
    /// Creates an error at a place.
    #[cold]
    pub fn new(kind: Kind, at: At) -> Self {
        Self { kind, at }
    }
    /// Creates an error about the setup of a draw.
    #[cold]
    pub fn setup(text: impl Into<String>) -> Self {
        Self::new(Kind::Setup(text.into()), At::Whole)
    }
    /// Returns whether another way to run the program can do better: [`Kind::is_unsupported`].
    pub fn is_unsupported(&self) -> bool {
        self.kind.is_unsupported()
    }
    /// Returns whether the input is invalid, so that no other way to run the program does better.
    pub fn is_input(&self) -> bool {
        !self.is_unsupported()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.kind)?;
        match self.kind.hint() {
            Some(hint) if f.alternate() => write!(f, "\nhelp: {hint}"),
            Some(_) | None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// A problem that does not stop the translation.
///
/// [`Shbin::warnings`](crate::Shbin::warnings) lists entries of a file that have no effect;
/// [`Program::warnings`](crate::Program::warnings) words with missing descriptors or ignored bits,
/// and vertex code that the unit cannot hold. A [`Translation`](crate::Translation) warns of a tier
/// other than the first, of outputs without a position, of generic outputs without a geometry
/// program, of a vertex program in registers whose outputs go to a geometry program, of output maps
/// that name a component of a semantic twice or a code without a semantic, of attributes that go to
/// one register, and of varyings of a host that are left with only constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The problem as text.
    pub text: String,
    /// The place.
    pub at: At,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.text)
    }
}
