//! Failures at the interface: errors of the library, and invalid calls.
//! In: errors, descriptions of calls. Out: [`Problem`], from which a result is built. Knows no
//! pointer.

use transpica::{At, Error};

use crate::enums::{TranspicaCode, TranspicaStatus};

/// Reason why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: TranspicaStatus,
    pub(crate) code: TranspicaCode,
    pub(crate) at: At,
    pub(crate) text: String,
}

impl Problem {
    /// Builds the problem of an invalid call.
    #[cold]
    pub(crate) fn argument(code: TranspicaCode, text: String) -> Self {
        Self { status: TranspicaStatus::BadArgument, code, at: At::Whole, text }
    }
    /// Builds the problem of a size or an index that is out of range.
    #[cold]
    pub(crate) fn size(text: String) -> Self {
        Self::argument(TranspicaCode::BadSize, text)
    }
    /// Builds the problem of a number that stands for nothing.
    #[cold]
    pub(crate) fn choice(text: String) -> Self {
        Self::argument(TranspicaCode::UnknownChoice, text)
    }
    /// Builds the problem of a NULL argument.
    #[cold]
    pub(crate) fn null(name: &str) -> Self {
        Self::argument(TranspicaCode::NullArgument, format!("{name} is NULL"))
    }
    /// Builds the problem of a failed allocation by the caller's hooks.
    #[cold]
    pub(crate) fn out_of_memory() -> Self {
        Self {
            status: TranspicaStatus::OutOfMemory,
            code: TranspicaCode::OutOfMemory,
            at: At::Whole,
            text: String::new(),
        }
    }
    /// Builds the problem of a panic.
    #[cold]
    pub(crate) fn internal(text: String) -> Self {
        Self { status: TranspicaStatus::Internal, code: TranspicaCode::Internal, at: At::Whole, text }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (code, at, text) = (error.kind.code().into(), error.at, format!("{error:#}"));
        let status =
            if error.is_unsupported() { TranspicaStatus::Unsupported } else { TranspicaStatus::Invalid };
        Self { status, code, at, text }
    }
}
