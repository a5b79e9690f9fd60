//! Values of 128 vertices, and parts of them that each vertex selects.
//! In: values, indices, sets of vertices. Out: elements; changed values. Knows no expressions.
//! Recursion follows nesting, which is limited.

use std::rc::Rc;

use naga::Literal;

use super::data::{Data, Scalar, Shape};
use super::interface::Layout;
use super::lanes::{Lanes, Set};

/// A value of each vertex. Clones share it.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Data(Data<Lanes>),
    Many(Rc<Vec<Value>>),
    /// Index of a variable, and the way to a part of it.
    Pointer(usize, Vec<Index>),
}

/// Index of an element.
#[derive(Clone, Debug)]
pub(super) enum Index {
    Fixed(usize),
    /// Another one for each vertex.
    Lanes(Lanes),
}

impl Index {
    /// The elements of so many that vertices select, each with its vertices.
    fn each(&self, count: usize, within: Set) -> impl Iterator<Item = (usize, Set)> + '_ {
        let all = match self {
            Self::Fixed(index) => *index..count.min(index.saturating_add(1)),
            Self::Lanes(_) => 0..count,
        };
        let own = move |element: usize| match self {
            Self::Fixed(_) => within,
            // Range: elements of registers.
            Self::Lanes(lanes) => within & lanes.equal(element as u32),
        };
        all.map(move |element| (element, own(element))).filter(|(_, own)| *own != 0)
    }
}

/// The value of a literal.
pub(super) fn literal_data(literal: Literal) -> Option<Data<Lanes>> {
    let data = match literal {
        Literal::F32(value) => Data::float(value),
        Literal::I32(value) => Data::int(value),
        Literal::U32(value) => Data::one(Scalar::Uint, value),
        Literal::Bool(value) => Data::bool(value),
        _other => return None,
    };
    Some(Data::of(&data))
}

impl Value {
    /// Zeros of a type.
    pub fn zero(layout: &Layout) -> Self {
        match layout {
            Layout::Leaf(shape) => Self::Data(Data::splat(*shape, 0)),
            Layout::Struct(members) => {
                Self::Many(Rc::new(members.iter().map(|(_, member)| Self::zero(member)).collect()))
            }
            Layout::Array(element, count) => Self::Many(Rc::new(vec![Self::zero(element); *count])),
        }
    }

    /// Collects elements.
    pub fn many(elements: impl Iterator<Item = Option<Self>>) -> Option<Self> {
        Some(Self::Many(Rc::new(elements.collect::<Option<_>>()?)))
    }

    /// An element, or a pointer to it, and the vertices whose index is outside.
    pub fn element(&self, index: &Index) -> Option<(Self, Set)> {
        let count = match self {
            Self::Pointer(variable, path) => {
                let path = path.iter().chain([index]).cloned().collect();
                return Some((Self::Pointer(*variable, path), 0));
            }
            Self::Many(elements) => elements.len(),
            Self::Data(data) => data.shape.elements(),
        };
        let mut found: Option<Self> = None;
        let mut outside = Set::MAX;
        for (element, vertices) in index.each(count, Set::MAX) {
            let element = match self {
                Self::Many(elements) => elements.get(element)?.clone(),
                Self::Data(data) => {
                    let (shape, count) = (data.shape.element(), data.shape.element().lanes());
                    Self::Data(data.pick(shape, element * count..(element + 1) * count))
                }
                Self::Pointer(..) => return None,
            };
            outside &= !vertices;
            match &mut found {
                Some(found) => found.replace(&element, vertices),
                None => found = Some(element),
            }
        }
        Some((found?, outside))
    }

    /// Replaces it for some vertices.
    pub fn replace(&mut self, value: &Self, within: Set) {
        match (&mut *self, value) {
            (Self::Data(old), Self::Data(new)) if old.shape == new.shape => {
                old.lanes.iter_mut().zip(&new.lanes).for_each(|(old, new)| old.replace(within, new));
            }
            (Self::Many(old), Self::Many(new)) if within != Set::MAX => {
                Rc::make_mut(old).iter_mut().zip(&**new).for_each(|(old, new)| old.replace(new, within));
            }
            _other => *self = value.clone(),
        }
    }

    /// Stores a part of it for some vertices. Returns those with such a part.
    pub fn store(&mut self, path: &[Index], value: &Self, within: Set) -> Set {
        match (path, &mut *self, value) {
            ([index, rest @ ..], Self::Many(elements), _) => {
                let elements = Rc::make_mut(elements);
                let each = index.each(elements.len(), within);
                each.fold(0, |stored, (at, own)| stored | elements[at].store(rest, value, own))
            }
            ([_, ..], Self::Data(data), Self::Data(new)) => {
                store(&mut data.lanes, data.shape, path, &new.lanes, within)
            }
            ([], ..) => {
                self.replace(value, within);
                within
            }
            _other => 0,
        }
    }
}

/// Stores a part of a scalar, vector or matrix for some vertices. Returns those with such a part.
fn store(lanes: &mut [Lanes], shape: Shape, path: &[Index], value: &[Lanes], within: Set) -> Set {
    let Some((index, rest)) = path.split_first() else {
        lanes.iter_mut().zip(value).for_each(|(old, new)| old.replace(within, new));
        return within;
    };
    let (element, count) = (shape.element(), shape.element().lanes());
    let each = index.each(shape.elements(), within);
    each.fold(0, |stored, (at, own)| {
        stored | store(&mut lanes[at * count..(at + 1) * count], element, rest, value, own)
    })
}
