//! What goes wrong at the interface: the library's errors, and calls that are not as they must be.
//! In: errors, words about calls. Out: [`Problem`], from which a result is made. Knows no pointer.

use transpica::stages::error::{At, Error};

use crate::enums::{TranspicaCode, TranspicaStatus};

/// Why a call did not do what it should.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: TranspicaStatus,
    pub(crate) code: TranspicaCode,
    pub(crate) at: At,
    pub(crate) text: String,
}

impl Problem {
    /// A wrong call.
    #[cold]
    pub(crate) fn argument(code: TranspicaCode, text: String) -> Self {
        Self { status: TranspicaStatus::BadArgument, code, at: At::Whole, text }
    }
    /// NULL where something must be.
    #[cold]
    pub(crate) fn null(name: &str) -> Self {
        Self::argument(TranspicaCode::NullArgument, format!("{name} is NULL"))
    }
    /// The caller's allocator failed.
    #[cold]
    pub(crate) fn out_of_memory() -> Self {
        Self {
            status: TranspicaStatus::OutOfMemory,
            code: TranspicaCode::OutOfMemory,
            at: At::Whole,
            text: String::new(),
        }
    }
    /// A panic.
    #[cold]
    pub(crate) fn internal(text: String) -> Self {
        Self { status: TranspicaStatus::Internal, code: TranspicaCode::Internal, at: At::Whole, text }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (code, at, text) = (error.kind.code().into(), error.at, error.to_string());
        let status = match error.is_unsupported() {
            true => TranspicaStatus::Unsupported,
            false => TranspicaStatus::Invalid,
        };
        Self { status, code, at, text }
    }
}
