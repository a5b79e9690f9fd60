//! Entry points of modules, and the bindings of their blocks.
//! In: a profile. Out: plain data. Knows no program.

#[cfg(feature = "spirv")]
use crate::geometry::StagePrimitive;
use crate::geometry::kernel::bindings;
use crate::geometry::{GeometryKernel, GeometryStage};
use crate::host::settings::{Binding, Profile};

/// Entry point of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum EntryPoint {
    /// A vertex stage.
    #[default]
    Vertex,
    /// A compute stage that runs a vertex program.
    Compute,
    /// A compute stage that runs a geometry program.
    #[cfg_attr(feature = "serde", serde(rename = "geometry"))]
    Kernel(GeometryKernel),
    /// A geometry stage of the host's API.
    Stage(GeometryStage),
    /// The geometry stage that brings quaternions to one side.
    Quaternions,
}

impl EntryPoint {
    /// Returns whether this is a compute stage.
    pub fn is_compute(&self) -> bool {
        matches!(self, Self::Compute | Self::Kernel(_))
    }
    /// Returns the shape of a geometry stage of the host's API.
    #[cfg(feature = "spirv")]
    pub(crate) fn geometry_stage(&self) -> Option<GeometryStage> {
        match self {
            Self::Stage(stage) => Some(*stage),
            Self::Quaternions => {
                Some(GeometryStage { primitive: StagePrimitive::Triangles, vectors: 0, triangles: 1 })
            }
            Self::Vertex | Self::Compute | Self::Kernel(_) => None,
        }
    }
}

impl Profile {
    /// Returns the binding of the uniform block of an entry point.
    pub fn uniforms(&self, entry_point: &EntryPoint) -> Binding {
        if entry_point.is_compute() {
            Binding { set: 0, binding: bindings::UNIFORMS }
        } else {
            self.bindings.uniforms
        }
    }
    /// Returns the binding of the host block of an entry point.
    pub fn host(&self, entry_point: &EntryPoint) -> Binding {
        if entry_point.is_compute() {
            Binding { set: 0, binding: bindings::HOST }
        } else {
            self.bindings.host
        }
    }
}
