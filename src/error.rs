//! Located errors and warnings: what is wrong, where, and what to do about it.
//! Knows no other module; every layer reports through [`Error`] and [`Warning`].

use std::fmt;

/// Result of everything that reads input.
pub type Result<T> = std::result::Result<T, Error>;

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// Absolute byte offset in the container file.
    Offset(u32),
    /// Index of a code word.
    Pc(u16),
    /// Line and column of a text, both from 1.
    Text {
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// The input as a whole.
    Whole,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => write!(f, "offset {offset:#x}"),
            Self::Pc(pc) => write!(f, "pc {pc:#x}"),
            Self::Text { line, column } => write!(f, "{line}:{column}"),
            Self::Whole => write!(f, "input"),
        }
    }
}

/// What is wrong. One variant for each way to be malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The file ends before a structure does.
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes it needs.
        need: u64,
        /// Bytes there are.
        have: u64,
    },
    /// Four bytes that name a structure differ from what they must be.
    BadMagic {
        /// The magic that must stand here.
        expected: &'static str,
        /// What stands here.
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
    /// A field holds a value that has no meaning.
    BadField {
        /// Name of the field.
        what: &'static str,
        /// Its value.
        value: u32,
        /// What is allowed.
        allowed: &'static str,
    },
    /// There is no executable (DVLE) with this number.
    NoExecutable {
        /// The number asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The entry point lies outside the code.
    EntryOutOfCode {
        /// Entry point.
        entry: u32,
        /// Code words.
        words: u32,
    },
    /// The entry point lies in the code, but beyond the words that its shader unit holds.
    EntryOutOfReach {
        /// Entry point.
        entry: u32,
        /// Words of the unit.
        words: u32,
    },
    /// A reachable opcode that the instruction set does not define.
    BadOpcode(u8),
    /// A limit of [`crate::limits::Limits`] was passed.
    Limit {
        /// Name of the limit.
        name: &'static str,
        /// The value.
        value: usize,
        /// The limit.
        limit: u32,
    },
    /// The program is of a stage that the operation does not handle.
    Stage {
        /// The operation.
        what: &'static str,
        /// The stage it was given.
        stage: &'static str,
    },
    /// The step budget of the interpreter was used up.
    StepBudget(u64),
    /// A uniform is both known and a specialisation constant.
    KnownAndSpecialized {
        /// `b` or `i`.
        bank: char,
        /// Its register.
        register: u8,
    },
    /// An attribute has another number of components than 1 to 4.
    AttributeComponents {
        /// Its register.
        register: u8,
        /// Its components.
        components: u8,
    },
    /// A bank of a register layout is not aligned, or ends beyond what every device can bind.
    MisplacedBank {
        /// Name of the bank.
        bank: &'static str,
        /// Its first byte.
        byte: u32,
        /// What that must be a multiple of.
        align: u32,
        /// Bytes that a block can have.
        most: u32,
    },
    /// Two banks of a register layout overlap.
    OverlappingBanks([&'static str; 2]),
    /// Two outputs have one location.
    SharedLocation {
        /// The location.
        location: u32,
        /// Their names.
        outputs: [String; 2],
    },
    /// Uniform block and host block have one place.
    SharedBinding {
        /// Set or group.
        set: u32,
        /// Binding in it.
        binding: u32,
    },
    /// A SPIR-V version that does not exist.
    SpirvVersion {
        /// Its first number.
        major: u8,
        /// Its second number.
        minor: u8,
    },
    /// The target language has no means for what the options, the profile or the job ask for; another target may.
    TargetLacks {
        /// The language.
        target: &'static str,
        /// What it has not.
        what: String,
    },
    /// A setup of a draw, or its indices, that contradicts itself.
    Setup(String),
    /// An index names a vertex that does not exist.
    NoVertex {
        /// Which index.
        place: usize,
        /// Its value.
        vertex: u32,
        /// Vertices there are.
        count: usize,
    },
    /// Text that is not what its grammar says.
    Syntax(String),
    /// An intermediate form breaks one of its own rules (a defect of this library).
    Verify(String),
    /// A downstream library refused our output (a defect of this library).
    Backend(String),
    /// Anything else, in words.
    Other(String),
    /// A geometry program that cannot be a geometry stage of the host's API, and why; it can be a compute stage.
    NoGeometryStage(String),
}

/// The variants of [`Kind`] without what they hold, for hosts that tell errors apart by number. The numbers stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// [`Kind::Truncated`]
    Truncated = 1,
    /// [`Kind::BadMagic`]
    BadMagic = 2,
    /// [`Kind::OutOfFile`]
    OutOfFile = 3,
    /// [`Kind::BadField`]
    BadField = 4,
    /// [`Kind::NoExecutable`]
    NoExecutable = 5,
    /// [`Kind::EntryOutOfCode`]
    EntryOutOfCode = 6,
    /// [`Kind::EntryOutOfReach`]
    EntryOutOfReach = 7,
    /// [`Kind::BadOpcode`]
    BadOpcode = 8,
    /// [`Kind::Limit`]
    Limit = 9,
    /// [`Kind::Stage`]
    Stage = 10,
    /// [`Kind::StepBudget`]
    StepBudget = 11,
    /// Options, a profile or a setup that contradict themselves, or that a target cannot express: the kinds from
    /// [`Kind::KnownAndSpecialized`] to [`Kind::Setup`].
    BadOption = 12,
    /// [`Kind::Syntax`]
    Syntax = 13,
    /// [`Kind::Verify`]
    Verify = 14,
    /// [`Kind::Backend`]
    Backend = 15,
    /// [`Kind::Other`]
    Other = 16,
    /// [`Kind::NoGeometryStage`]
    NoGeometryStage = 17,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, need, have } => {
                write!(f, "file ends inside {what}: {need} bytes needed, {have} left")
            }
            Self::BadMagic { expected, found } => {
                write!(f, "{expected} expected, found {}", found.escape_ascii())
            }
            Self::OutOfFile { what, start, length, file } => write!(
                f,
                "{what} lies outside the file: {length} bytes from {start:#x}, the file has {file:#x}"
            ),
            Self::BadField { what, value, allowed } => write!(f, "{what} is {value:#x}, must be {allowed}"),
            Self::NoExecutable { index, count } => {
                write!(f, "there is no DVLE {index}, the file has {count}")
            }
            Self::EntryOutOfCode { entry, words } => {
                write!(f, "entry point {entry:#x} lies outside the code of {words:#x} words")
            }
            Self::EntryOutOfReach { entry, words } => {
                write!(f, "entry point {entry:#x} lies beyond the {words} words that the vertex unit holds")
            }
            Self::BadOpcode(opcode) => write!(f, "opcode {opcode:#04x} is not defined"),
            Self::Limit { name, value, limit } => write!(f, "{name}: {value} is over the limit of {limit}"),
            Self::Stage { what, stage } => write!(f, "{what} does not take a {stage} program"),
            Self::StepBudget(steps) => write!(f, "not finished after {steps} instructions"),
            Self::KnownAndSpecialized { bank, register } => {
                write!(f, "{bank}{register} is both known and a specialisation constant")
            }
            Self::AttributeComponents { register, components } => {
                write!(f, "attribute v{register} has {components} components, must be 1 to 4")
            }
            Self::MisplacedBank { bank, byte, align, .. } if byte % align != 0 => {
                write!(f, "register layout: {bank} at byte {byte}, which is no multiple of {align}")
            }
            Self::MisplacedBank { bank, byte, most, .. } => {
                write!(f, "register layout: {bank} at byte {byte}, beyond {most} bytes")
            }
            Self::OverlappingBanks([a, b]) => write!(f, "register layout: {a} and {b} overlap"),
            Self::SharedLocation { location, outputs: [a, b] } => {
                write!(f, "{a} and {b} have location {location}")
            }
            Self::SharedBinding { set, binding } => {
                write!(f, "both blocks have set {set}, binding {binding}")
            }
            Self::SpirvVersion { major, minor } => {
                write!(f, "SPIR-V {major}.{minor} is not known; 1.0 to 1.6 are")
            }
            Self::TargetLacks { target, what } => write!(f, "{target} has no {what}"),
            Self::NoVertex { place, vertex, count } => {
                write!(f, "indices[{place}] is {vertex}, there are {count} vertices")
            }
            Self::Setup(text)
            | Self::Syntax(text)
            | Self::Verify(text)
            | Self::Backend(text)
            | Self::Other(text) => f.write_str(text),
            Self::NoGeometryStage(why) => write!(f, "no geometry stage: {why}"),
        }
    }
}

impl Kind {
    /// Which variant it is.
    pub fn code(&self) -> Code {
        match self {
            Self::Truncated { .. } => Code::Truncated,
            Self::BadMagic { .. } => Code::BadMagic,
            Self::OutOfFile { .. } => Code::OutOfFile,
            Self::BadField { .. } => Code::BadField,
            Self::NoExecutable { .. } => Code::NoExecutable,
            Self::EntryOutOfCode { .. } => Code::EntryOutOfCode,
            Self::EntryOutOfReach { .. } => Code::EntryOutOfReach,
            Self::BadOpcode(_) => Code::BadOpcode,
            Self::Limit { .. } => Code::Limit,
            Self::Stage { .. } => Code::Stage,
            Self::StepBudget(_) => Code::StepBudget,
            Self::KnownAndSpecialized { .. }
            | Self::AttributeComponents { .. }
            | Self::MisplacedBank { .. }
            | Self::OverlappingBanks(_)
            | Self::SharedLocation { .. }
            | Self::SharedBinding { .. }
            | Self::SpirvVersion { .. }
            | Self::TargetLacks { .. }
            | Self::Setup(_) => Code::BadOption,
            Self::Syntax(_) => Code::Syntax,
            Self::Verify(_) => Code::Verify,
            Self::Backend(_) => Code::Backend,
            Self::NoVertex { .. } | Self::Other(_) => Code::Other,
            Self::NoGeometryStage(_) => Code::NoGeometryStage,
        }
    }
    /// What the person who gave the input can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Truncated { .. } | Self::OutOfFile { .. } => {
                Some("the file is cut short or damaged; get it again from its source")
            }
            Self::BadMagic { expected: "DVLB", .. } => {
                Some("a .shbin file begins with DVLB; a BCSDR or CGFX file must be unpacked first")
            }
            Self::BadMagic { .. } | Self::BadField { .. } => {
                Some("the file is damaged or was written by a broken tool; rebuild it")
            }
            Self::NoExecutable { .. } => Some("`transpica info FILE` lists the executables"),
            Self::EntryOutOfCode { .. } => {
                Some("the DVLE's main offset is wrong, or code words have not been handed over")
            }
            Self::EntryOutOfReach { .. } => {
                Some("the entry procedure of a vertex program must stand at the front of the code")
            }
            Self::BadOpcode(_) => Some("the lenient option treats undefined opcodes as NOP"),
            Self::Limit { .. } => {
                Some("raise the limit in `Limits` if the program is meant to be this large")
            }
            Self::Stage { .. } => {
                Some("choose an executable of the other stage (--dvle on the command line)")
            }
            Self::StepBudget(_) => Some("the program may never end; raise the step budget if it does"),
            Self::Verify(_) | Self::Backend(_) => {
                Some("this is a defect of transpica; please report it with the file")
            }
            Self::NoGeometryStage(_) => Some("the compute form runs every geometry program"),
            Self::KnownAndSpecialized { .. }
            | Self::AttributeComponents { .. }
            | Self::MisplacedBank { .. }
            | Self::OverlappingBanks(_)
            | Self::SharedLocation { .. }
            | Self::SharedBinding { .. }
            | Self::SpirvVersion { .. }
            | Self::TargetLacks { .. }
            | Self::Setup(_)
            | Self::NoVertex { .. }
            | Self::Syntax(_)
            | Self::Other(_) => None,
        }
    }
    /// Returns whether the input may well be sound and this library does not handle it: running the program otherwise, with
    /// [`interp`](crate::interp) say, can do better. Defects of this library count, too. Otherwise the input contradicts itself.
    pub fn is_unsupported(&self) -> bool {
        match self.code() {
            Code::BadOpcode
            | Code::Limit
            | Code::Stage
            | Code::StepBudget
            | Code::Verify
            | Code::Backend
            | Code::NoGeometryStage => true,
            Code::Truncated
            | Code::BadMagic
            | Code::OutOfFile
            | Code::BadField
            | Code::NoExecutable
            | Code::EntryOutOfCode
            | Code::EntryOutOfReach
            | Code::BadOption
            | Code::Syntax
            | Code::Other => false,
        }
    }
}

/// An error with its place.
///
/// ```
/// use transpica::{At, Error, Kind};
/// let error = Error::new(Kind::BadOpcode(0x2f), At::Pc(0x1c));
/// assert_eq!(error.to_string(), "pc 0x1c: opcode 0x2f is not defined");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: Kind,
    /// Where.
    pub at: At,
}

impl Error {
    /// An error at a place.
    #[cold]
    pub fn new(kind: Kind, at: At) -> Self {
        Self { kind, at }
    }
    /// An error in words about the setup of a draw.
    #[cold]
    pub fn setup(text: impl Into<String>) -> Self {
        Self::new(Kind::Setup(text.into()), At::Whole)
    }
    /// Returns whether running the program otherwise can do better: [`Kind::is_unsupported`].
    pub fn is_unsupported(&self) -> bool {
        self.kind.is_unsupported()
    }
    /// Returns whether the input contradicts itself, so that no other way of running it does better.
    pub fn is_input(&self) -> bool {
        !self.is_unsupported()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.kind)
    }
}

impl std::error::Error for Error {}

/// Something suspicious that does not stop the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What was noticed, in words.
    pub text: String,
    /// Where.
    pub at: At,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.text)
    }
}
