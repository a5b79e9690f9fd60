//! Geometry programs: configuration, compute shader, geometry stage, and analyses.
//!
//! * [`input`]: how vertices come in and triangles are assembled; [`kernel`], [`stage`]: the
//!   compute shader and the geometry stage that a program becomes. Plain data.
//! * `flow`, `observe`, `bounds`: data dependences between invocations, and bounds of
//!   their EMITs.
//!
//! In: a geometry [`Program`](crate::program::isa::Program) and its `Cfg`. Out:
//! [`Observation`]s, [`Bounds`]. Knows no arithmetic, no uniform's value but known int uniforms,
//! and not how vertices come in. Facts: the carried state is that of
//! [`interp::GeometryMachine`](crate::machine::interp::GeometryMachine) (registers, both banks of
//! outputs, vertex slots, the setting of SETEMIT, b15).
//!
//! The analyses follow all paths of the graph from the beginning of an invocation, component by
//! component.

// Files: `input.rs`, `kernel.rs`, `stage.rs` configuration and results as data; `flow.rs` what has
// surely happened at each place; `observe.rs` state that carries over, where to begin reading;
// `bounds.rs` EMITs and triangles.
//
// State that carries over becomes the parameters of a loop over invocations in `lift`; if nothing
// does, each thread runs one. A triangle is the one operation with an effect, `submit`: it takes
// the number of triangles so far and gives the next one, so that passes need no order of effects in
// addition to the order of values. `passes::analyze::dependence` asks of the finished loop how many
// invocations before its own a thread must run. Back ends write what is submitted to a buffer, or
// as a strip of three vertices in a native stage.

mod bounds;
mod flow;
#[doc(hidden)]
pub mod input;
#[doc(hidden)]
pub mod kernel;
mod observe;
#[doc(hidden)]
pub mod stage;

use std::fmt;

#[doc(hidden)]
pub use bounds::{Bounds, bounds};
pub use input::{Dependence, GeometryInput, GeometrySetup, Primitive, Primitives, Topology};
pub use kernel::{FIRST_THREAD, GeometryKernel, RECORDED, StateWord, bindings};
#[doc(hidden)]
pub use observe::observe;
pub use stage::{GeometryStage, StagePrimitive};

use crate::program::isa::{Component, Mask, Pc};

/// An item of the state that carries over from one invocation to the next.
///
/// ```
/// use transpica::geometry::StateItem;
/// use transpica::isa::Component;
/// let register = StateItem::Temp { register: 3, component: Component::Y };
/// assert_eq!(register.to_string(), "r3.y");
/// assert_eq!(StateItem::Slot(1).to_string(), "vertex slot 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateItem {
    /// A component of r0..r15.
    Temp {
        /// The register.
        register: u8,
        /// Its component.
        component: Component,
    },
    /// a0.x or a0.y.
    Address(Component),
    /// aL
    Counter,
    /// cmp.x or cmp.y.
    Flag(Component),
    /// A component of o0..o15 in the bank that is active when the invocation begins.
    Current {
        /// The register.
        register: u8,
        /// Its component.
        component: Component,
    },
    /// A component of o0..o15 in the bank that is active after the first EMIT.
    Other {
        /// The register.
        register: u8,
        /// Its component.
        component: Component,
    },
    /// The vertex in slot 0, 1 or 2.
    Slot(u8),
    /// The setting of SETEMIT.
    Setting,
    /// b15: true after any invocation.
    Ran,
}

impl StateItem {
    /// Lists all state that may carry over in a program that forwards these components of o0..o15.
    pub fn list(outputs: &[Mask; 16]) -> Vec<Self> {
        let pair = [Component::X, Component::Y];
        let mut all = Vec::new();
        for register in 0..16 {
            all.extend(Component::ALL.map(|component| Self::Temp { register, component }));
        }
        all.extend(pair.map(Self::Address));
        all.push(Self::Counter);
        all.extend(pair.map(Self::Flag));
        for (register, mask) in (0..).zip(outputs) {
            for component in mask.iter() {
                let banks = [Self::Current { register, component }, Self::Other { register, component }];
                all.extend(banks);
            }
        }
        all.extend((0..3).map(Self::Slot));
        all.extend([Self::Setting, Self::Ran]);
        all
    }
}

impl fmt::Display for StateItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Temp { register, component } => write!(f, "r{register}.{}", component.letter()),
            Self::Address(component) => write!(f, "a0.{}", component.letter()),
            Self::Counter => f.write_str("aL"),
            Self::Flag(component) => write!(f, "cmp.{}", component.letter()),
            Self::Current { register, component } => {
                write!(f, "o{register}.{} (this bank)", component.letter())
            }
            Self::Other { register, component } => {
                write!(f, "o{register}.{} (other bank)", component.letter())
            }
            Self::Slot(slot) => write!(f, "vertex slot {slot}"),
            Self::Setting => f.write_str("SETEMIT"),
            Self::Ran => f.write_str("b15"),
        }
    }
}

/// A place where an invocation may depend on state of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Observation {
    /// The item of state.
    #[cfg_attr(feature = "serde", serde(rename = "what"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub item: StateItem,
    /// The first instruction, by address, that reads it.
    #[cfg_attr(feature = "serde", serde(rename = "at"))]
    pub pc: Pc,
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.item, self.pc)
    }
}
