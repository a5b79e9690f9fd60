//! Programs that cannot be written for the PICA200: why, and where.

use std::fmt;

use crate::ir::Value;
use transpica::isa::Pc;

/// Place of an error in the program that is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The instruction of the source program, if it is one.
    pub pc: Option<Pc>,
    /// The value of the intermediate form.
    pub value: Option<Value>,
}

/// Why a program cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Something that the machine or this compiler cannot do.
    Unsupported {
        /// A noun phrase.
        what: String,
        /// Its place.
        place: Place,
    },
    /// More than the machine has.
    Limit {
        /// A resource of the machine.
        what: &'static str,
        /// The amount that the program needs, if that is known.
        needed: Option<usize>,
        /// The amount that the machine has.
        limit: usize,
        /// Its present users, as text.
        taken: String,
        /// Places of the users, in order, each once.
        places: Vec<Pc>,
    },
    /// The text that was written does not assemble.
    Assembly(String),
}

/// Most entries of a list in a message.
const LISTED: usize = 8;

/// Returns the first entries of a list as text, with the number of the others.
pub(crate) fn listed<T: fmt::Display>(all: &[T]) -> String {
    let first: Vec<String> = all.iter().take(LISTED).map(ToString::to_string).collect();
    let more = all.len() - first.len();
    first.join(", ") + &if more == 0 { String::new() } else { format!(" and {more} more") }
}

impl Error {
    /// More of a resource than the machine has.
    pub(super) fn limit(what: &'static str, needed: Option<usize>, limit: usize) -> Self {
        Self::Limit { what, needed, limit, taken: String::new(), places: Vec::new() }
    }
    pub(super) fn unsupported(what: impl Into<String>, place: Place) -> Self {
        Self::Unsupported { what: what.into(), place }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pc, self.value) {
            (Some(pc), _) => write!(f, "pc {:#x}: ", pc.0),
            (None, Some(value)) => write!(f, "{value}: "),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { what, place } => write!(f, "{place}{what} is not compiled"),
            Self::Limit { what, needed, limit, taken, .. } => {
                match needed {
                    Some(needed) => write!(f, "{needed} {what} are needed, and there are {limit}")?,
                    None => write!(f, "more than {limit} {what} are needed")?,
                }
                if taken.is_empty() { Ok(()) } else { write!(f, ": {taken}") }
            }
            Self::Assembly(report) => write!(f, "the text does not assemble: {report}"),
        }
    }
}

impl std::error::Error for Error {}
