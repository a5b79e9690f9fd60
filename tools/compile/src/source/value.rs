//! Values while a function is lowered.
//! Host nodes as long as no attribute takes part, lanes of IR values after that; structs and arrays
//! as lists, pointers as places.

use std::rc::Rc;

use super::ir::{Lane, ScalarKind, Type};

use super::data::{Scalar, Shape};
use super::error::Result;
use super::host::NodeId;

/// Value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Computed by the host, or a constant.
    Host(NodeId),
    /// Lanes in column order.
    Lanes(Shape, Rc<[Lane]>),
    /// A struct or array.
    Many(Rc<[Value]>),
    /// A pointer.
    Pointer(Rc<Place>),
}

/// Index of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(pub(super) usize);

/// Root of a pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Root {
    Variable(Slot),
    /// Index of a variable in uniforms.
    Uniform(usize),
}

/// One step of a pointer or of an access.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Index(usize),
    /// A whole number that the program computes.
    Dynamic(Value),
}

/// A variable or part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) path: Vec<Step>,
}

impl Value {
    pub(super) fn lanes(shape: Shape, lanes: Vec<Lane>) -> Self {
        debug_assert_eq!(shape.lanes(), lanes.len());
        Self::Lanes(shape, lanes.into())
    }

    /// Collects elements.
    pub(super) fn many(elements: impl Iterator<Item = Result<Self>>) -> Result<Self> {
        Ok(Self::Many(elements.collect::<Result<_>>()?))
    }
}

impl Root {
    /// The variable, if it is none in uniforms.
    pub(super) fn slot(self) -> Option<Slot> {
        if let Self::Variable(slot) = self { Some(slot) } else { None }
    }
}

/// Type of a group of lanes.
pub(super) fn ir_type(scalar: Scalar, lanes: usize) -> Type {
    Type::new(ir_kind(scalar), lanes as u8)
}

/// Whole numbers are floats on this machine.
pub(super) fn ir_kind(scalar: Scalar) -> ScalarKind {
    match scalar {
        Scalar::Float | Scalar::Int | Scalar::Uint => ScalarKind::F32,
        Scalar::Bool => ScalarKind::Bool,
    }
}
