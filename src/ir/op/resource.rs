//! Resources that a module reads from outside, and the table with one row for each kind.
//! The verifier, the text form and the passes ask the table. Knows no values.

use std::fmt;

use crate::ir::types::{ScalarKind, Type};
use crate::program::isa::sizes::{BOOLS, FLOATS, INPUTS, INTS};
use crate::support::fields::{DrawField, HostField, SpecId};

/// Float constants that take the place of uniforms.
pub type FloatConstants = [Option<[u32; 4]>; FLOATS];

/// Resource that [`Op::Read`](crate::ir::Op::Read) reads. It stays as it is while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Input register v0..v15.
    Input(u8),
    /// Float uniform c0..c95.
    Uniform(u8),
    /// A component of an int uniform, 0..=255.
    IntUniform {
        /// i0..i3
        index: u8,
        /// 0..=3
        component: u8,
    },
    /// Bool uniform b0..b15.
    BoolUniform(u8),
    /// An element of a member of the uniform block, as `interface::layout` numbers them.
    Member {
        /// Index of the member.
        member: u16,
        /// Index of the array element; 0 where the member is not an array.
        element: u16,
    },
    /// The index of an element of an array member, as a number that text gives a name.
    Index {
        /// Index of the member.
        member: u16,
        /// Index of the array element.
        element: u16,
    },
    /// A field of the host block.
    Host(HostField),
    /// A number that a kernel reads or is.
    Draw(DrawField),
    /// A specialization constant: bool for a bool uniform, i32 for a component of an int uniform.
    Specialized(SpecId),
}

/// Array that [`Op::ReadAt`](crate::ir::Op::ReadAt) reads an element of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Array {
    /// Float uniforms from c0..c95 on: `c[uniform_index(base, index)]`, ones beyond c95
    /// (see [`crate::machine::precision::arith::uniform_index`]).
    Uniform(u8),
    /// An array member of the uniform block, by its index; the read stays within it.
    Member(u16),
    /// A buffer of a kernel; the read stays within it.
    Buffer(Buffer),
}

/// Buffer that a geometry program reads as a kernel, besides uniforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// f32x4: the vertices of each invocation, made ready for it.
    Feed,
    /// u32: what earlier invocations left.
    State,
}

impl Buffer {
    /// Its word in the text form.
    pub const fn name(self) -> &'static str {
        ["feed", "state"][self as usize]
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its word in the text form.
    pub word: &'static str,
    /// The text between the word and the number.
    pub prefix: &'static str,
    /// Its number, where it has one.
    pub number: Option<u16>,
    /// Numbers are below this.
    pub count: u32,
    /// Types that a read may give.
    pub results: &'static [Type],
    /// `legalize` removes it.
    pub pica: bool,
}

const I32X4: Type = Type::new(ScalarKind::I32, 4);
const U32X4: Type = Type::new(ScalarKind::U32, 4);

impl Resource {
    /// One of each kind.
    pub const EACH: [Self; 9] = [
        Self::Input(0),
        Self::Uniform(0),
        Self::IntUniform { index: 0, component: 0 },
        Self::BoolUniform(0),
        Self::Member { member: 0, element: 0 },
        Self::Index { member: 0, element: 0 },
        Self::Host(HostField::ClipEnabled),
        Self::Draw(DrawField::Threads),
        Self::Specialized(SpecId::bool(0)),
    ];

    /// Its row.
    pub const fn row(self) -> Row {
        let (word, prefix, number, count, results): (_, _, _, _, &[Type]) = match self {
            Self::Input(number) => ("input", "v", number as u16, INPUTS, &[Type::F32X4]),
            Self::Uniform(number) => ("uniform", "c", number as u16, FLOATS, &[Type::F32X4]),
            Self::IntUniform { index, .. } => ("uniform", "i", index as u16, INTS, &[Type::I32]),
            Self::BoolUniform(number) => ("uniform", "b", number as u16, BOOLS, &[Type::BOOL]),
            Self::Member { member, .. } => {
                ("member", "", member, 1 << 16, &[Type::F32X4, I32X4, U32X4, Type::U32])
            }
            Self::Index { member, .. } => ("index", "", member, 1 << 16, &[Type::I32]),
            Self::Host(field) => {
                let results: &[Type] = match field {
                    HostField::ClipEnabled | HostField::FlipY => &[Type::U32],
                    HostField::ClipPlane | HostField::Parameter(_) => &[Type::F32X4],
                };
                ("host", "", field.index() as u16, HostField::ALL.len(), results)
            }
            Self::Draw(field) => ("draw", "", field as u16, DrawField::ALL.len(), &[Type::I32]),
            Self::Specialized(id) => {
                let results = Self::specialized(id).row().results;
                ("specialized", "", id.get() as u16, SpecId::COUNT as usize, results)
            }
        };
        Row { word, prefix, number: Some(number), count: count as u32, results, pica: self.is_pica() }
    }

    /// Returns whether `legalize` removes it.
    #[inline]
    pub const fn is_pica(self) -> bool {
        match self {
            Self::Uniform(_) | Self::IntUniform { .. } | Self::BoolUniform(_) => true,
            Self::Input(_)
            | Self::Member { .. }
            | Self::Index { .. }
            | Self::Host(_)
            | Self::Draw(_)
            | Self::Specialized(_) => false,
        }
    }

    /// The register that a specialization constant stands for.
    pub const fn specialized(id: SpecId) -> Self {
        match id.component() {
            Some((index, component)) => Self::IntUniform { index, component },
            None => Self::BoolUniform(id.get()),
        }
    }

    /// The one of the same kind with a number, if numbers go as far; the first component or element
    /// of it.
    pub fn numbered(self, number: u16) -> Option<Self> {
        let byte = u8::try_from(number).ok();
        Some(match self {
            Self::Input(_) => Self::Input(byte?),
            Self::Uniform(_) => Self::Uniform(byte?),
            Self::IntUniform { .. } => Self::IntUniform { index: byte?, component: 0 },
            Self::BoolUniform(_) => Self::BoolUniform(byte?),
            Self::Member { .. } => Self::Member { member: number, element: 0 },
            Self::Index { .. } => Self::Index { member: number, element: 0 },
            Self::Host(_) => Self::Host(*HostField::ALL.get(usize::from(number))?),
            Self::Draw(_) => Self::Draw(*DrawField::ALL.get(usize::from(number))?),
            Self::Specialized(_) => Self::Specialized(SpecId::new(byte?)?),
        })
    }
}

impl Array {
    /// Its row.
    pub const fn row(self) -> Row {
        match self {
            Self::Uniform(base) => Resource::Uniform(base).row(),
            Self::Member(member) => {
                Row { results: &[Type::F32X4, I32X4], ..Resource::Member { member, element: 0 }.row() }
            }
            Self::Buffer(buffer) => {
                let results: &[Type] = match buffer {
                    Buffer::Feed => &[Type::F32X4],
                    Buffer::State => &[Type::U32],
                };
                Row { word: "load", prefix: buffer.name(), number: None, count: 1, results, pica: false }
            }
        }
    }

    /// Returns whether `legalize` removes it.
    #[inline]
    pub const fn is_pica(self) -> bool {
        match self {
            Self::Uniform(_) => true,
            Self::Member(_) | Self::Buffer(_) => false,
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.row())?;
        if let Self::IntUniform { component, .. } = *self {
            write!(f, ".{}", ["x", "y", "z", "w"].get(usize::from(component)).unwrap_or(&"?"))?;
        }
        if let Self::Member { element: element @ 1.., .. } | Self::Index { element, .. } = *self {
            write!(f, "[{element}]")?;
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word, self.prefix)?;
        self.number.map_or(Ok(()), |number| write!(f, "{number}"))
    }
}
