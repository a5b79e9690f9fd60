//! Shapes and constants of the source languages.
//! In: types of naga. Out: [`Shape`] and [`Data`]. Knows no registers.

use naga::{ScalarKind, TypeInner, VectorSize};
use smallvec::{SmallVec, smallvec};

use super::lanes::Component;

/// Kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// f32
    Float,
    /// i32
    Int,
    /// u32
    Uint,
    /// bool
    Bool,
}

/// A scalar, vector or matrix: a scalar has one column of one row, a vector one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Kind of each lane.
    pub scalar: Scalar,
    /// 1 to 4.
    pub columns: u8,
    /// 1 to 4.
    pub rows: u8,
}

/// Lanes of a value; those of scalars and vectors are within it.
pub type LaneList<L> = SmallVec<[L; 4]>;

/// A constant, or a value of each of several vertices: its lanes, column after column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Data<L = u32> {
    /// Its shape.
    pub shape: Shape,
    /// Bits of each lane; bools are 0 or 1.
    pub lanes: LaneList<L>,
}

impl Scalar {
    /// The kind of numbers of naga, if the machine can represent them.
    pub fn of(scalar: naga::Scalar) -> Option<Self> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => Some(Self::Float),
            (ScalarKind::Sint, 4) => Some(Self::Int),
            (ScalarKind::Uint, 4) => Some(Self::Uint),
            (ScalarKind::Bool, _) => Some(Self::Bool),
            _other => None,
        }
    }

    /// Bits of this kind as the float that a register holds.
    pub fn in_register(self, bits: u32) -> f32 {
        match self {
            Self::Float => f32::from_bits(bits),
            Self::Int => bits.cast_signed() as f32,
            Self::Uint | Self::Bool => bits as f32,
        }
    }
}

impl Shape {
    /// A scalar.
    pub const fn scalar(scalar: Scalar) -> Self {
        Self { scalar, columns: 1, rows: 1 }
    }
    /// A vector, or a scalar for one row.
    pub const fn vector(scalar: Scalar, rows: u8) -> Self {
        Self { scalar, columns: 1, rows }
    }
    /// The shape of a type, if it is one of numbers that the machine can represent.
    pub fn of(inner: &TypeInner) -> Option<Self> {
        Some(match inner {
            TypeInner::Scalar(scalar) => Self::scalar(Scalar::of(*scalar)?),
            TypeInner::Vector { size, scalar } => Self::vector(Scalar::of(*scalar)?, *size as u8),
            TypeInner::Matrix { columns, rows, scalar } => {
                Self { scalar: Scalar::of(*scalar)?, columns: *columns as u8, rows: *rows as u8 }
            }
            _other => return None,
        })
    }
    /// Number of lanes.
    pub fn lanes(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }
    /// Returns whether it has several columns.
    pub fn is_matrix(self) -> bool {
        self.columns > 1
    }
    /// Returns whether it has one lane.
    pub fn is_scalar(self) -> bool {
        self.lanes() == 1
    }
    /// The same size of another kind.
    #[must_use]
    pub fn with(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }
    /// One column.
    #[must_use]
    pub fn column(self) -> Self {
        Self { columns: 1, ..self }
    }
    /// Element that an index selects: a column of a matrix, a lane of a vector.
    #[must_use]
    pub fn element(self) -> Self {
        if self.is_matrix() { self.column() } else { Self::scalar(self.scalar) }
    }
    /// Number of elements that an index selects from.
    pub fn elements(self) -> usize {
        usize::from(if self.is_matrix() { self.columns } else { self.rows })
    }
}

impl<L: Component> Data<L> {
    /// A value of these lanes.
    pub fn new(shape: Shape, lanes: LaneList<L>) -> Self {
        debug_assert_eq!(shape.lanes(), lanes.len());
        Self { shape, lanes }
    }
    /// The same lane everywhere.
    pub fn splat(shape: Shape, bits: u32) -> Self {
        Self::new(shape, smallvec![L::splat(bits); shape.lanes()])
    }
    /// A scalar.
    pub fn one(scalar: Scalar, lane: L) -> Self {
        Self::new(Shape::scalar(scalar), smallvec![lane])
    }
    /// A constant, for each vertex.
    pub fn of(constant: &Data) -> Self {
        Self::new(constant.shape, constant.lanes.iter().map(|&bits| L::splat(bits)).collect())
    }
    /// These lanes.
    #[must_use]
    pub fn pick(&self, shape: Shape, lanes: impl IntoIterator<Item = usize>) -> Self {
        let at = |lane: usize| self.lanes.get(lane).cloned().unwrap_or_else(|| L::splat(0));
        Self::new(shape, lanes.into_iter().map(at).collect())
    }
}

impl Data {
    /// Floats as a vector, or one as a scalar.
    pub fn floats(values: &[f32]) -> Self {
        let rows = u8::try_from(values.len()).unwrap_or(4);
        Self::new(Shape::vector(Scalar::Float, rows), values.iter().map(|value| value.to_bits()).collect())
    }
    /// A scalar float.
    pub fn float(value: f32) -> Self {
        Self::floats(&[value])
    }
    /// A scalar int.
    pub fn int(value: i32) -> Self {
        Self::new(Shape::scalar(Scalar::Int), smallvec![value.cast_unsigned()])
    }
    /// A scalar bool.
    pub fn bool(value: bool) -> Self {
        Self::new(Shape::scalar(Scalar::Bool), smallvec![value.into()])
    }
    /// Lane `index` as a float.
    pub fn lane(&self, index: usize) -> f32 {
        f32::from_bits(self.lanes.get(index).copied().unwrap_or_default())
    }
    /// The lanes as the floats that registers hold: whole numbers and truth values as floats.
    pub fn in_registers(&self) -> Vec<f32> {
        self.lanes.iter().map(|&bits| self.shape.scalar.in_register(bits)).collect()
    }
    /// The only lane as a truth value.
    pub fn truth(&self) -> Option<bool> {
        (self.shape == Shape::scalar(Scalar::Bool)).then(|| self.lanes[0] != 0)
    }
    /// The only lane as a whole number.
    pub fn whole(&self) -> Option<i64> {
        match self.shape {
            Shape { scalar: Scalar::Int, columns: 1, rows: 1 } => Some(self.lanes[0].cast_signed().into()),
            Shape { scalar: Scalar::Uint, columns: 1, rows: 1 } => Some(self.lanes[0].into()),
            _other => None,
        }
    }
}

/// Number of lanes of a vector of naga.
pub fn size(size: VectorSize) -> usize {
    size as usize
}
