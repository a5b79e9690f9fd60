//! Outputs of an entry point: where each goes, what its components are and how they are converted.
//! In and out: plain data. Knows no program and no option.

use std::fmt;

use crate::host::hooks::OutputHook;
use crate::program::container::Semantic;
use crate::program::isa::{Component, Mask};

/// Source of one component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentSource {
    /// Component of an o register.
    Register {
        /// o0..o15
        register: u8,
        /// Component.
        component: Component,
    },
    /// 1.0, the default of an unmapped component.
    One,
    /// 0.0, for an unmapped component under
    /// [`UndefinedValue::Zero`](crate::settings::UndefinedValue::Zero).
    Zero,
}

impl fmt::Display for ComponentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register { register, component } => write!(f, "o{register}.{}", component.letter()),
            Self::One => f.write_str("1"),
            Self::Zero => f.write_str("0"),
        }
    }
}

/// Destination of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Location {
    /// The position built-in.
    Position,
    /// The clip distance built-in.
    ClipDistances,
    /// A varying location.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Varying(u32),
}

/// Conversion of an output on its way to the rasterizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum OutputValue {
    /// None.
    #[default]
    Plain,
    /// Depth convention and y mirroring of the options.
    Position,
    /// Color clamp.
    Color,
    /// Color clamp of some components, and then one minus some.
    Mixed {
        /// Components that are clamped like colors.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
        colors: Mask,
        /// Components that become one minus their value.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
        complements: Mask,
    },
    /// Distances from the planes z = 0 and the user plane (0 while disabled). The four components
    /// are the position as the program writes it.
    ClipDistances,
    /// None; the value comes from a [tap](crate::host::Hook::Tap), by its number. The four
    /// components are 0, as on the CPU.
    Tap(u8),
    /// As of the position; the components come from a [second
    /// evaluation](crate::host::Hook::Again).
    Again,
}

impl OutputValue {
    /// Returns whether the components are a position in the clip volume of the console, which the
    /// module converts.
    pub(crate) fn is_position(self) -> bool {
        matches!(self, Self::Position | Self::ClipDistances | Self::Again)
    }
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Output {
    /// Name: `position`, `color`, `texcoord0_uv`, …
    pub name: String,
    /// Destination.
    pub location: Location,
    /// Sources of its components, one to four.
    #[cfg_attr(feature = "serde", serde(rename = "sources"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::texts"))]
    pub components: Vec<ComponentSource>,
    /// Conversion of the components.
    pub value: OutputValue,
    /// Semantic of the components, if all have the same; clip distances have the position's.
    pub semantic: Option<Semantic>,
    /// Changes of the components before the conversion, first to last.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub hooks: Vec<OutputHook>,
}

impl Output {
    /// An output whose components are its value, of no semantic and without hooks.
    pub(super) fn plain(name: String, location: Location, components: Vec<ComponentSource>) -> Self {
        Self { name, location, components, value: OutputValue::Plain, semantic: None, hooks: Vec::new() }
    }
    /// Returns whether the components are the value.
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        self.hooks.is_empty() && matches!(self.value, OutputValue::Plain | OutputValue::Tap(_))
    }
    /// Returns the number of components of the output.
    pub fn lanes(&self) -> usize {
        if self.value == OutputValue::ClipDistances { 2 } else { self.components.len() }
    }
}
