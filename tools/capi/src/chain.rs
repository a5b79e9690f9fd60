//! Chains of structures: how callers of this version, or of a newer one, pass programs.
//! In: a pointer to the first structure. Out: one [`Link`] after the other, checked before any of
//! its fields is read. Knows no structure except the head.
//!
//! A caller that is newer than the library may pass larger structures; the fields that the library
//! does not know must be 0. Smaller structures, of older callers, are refused (`check_size`):
//! until 1.0 every minor version may break compatibility. Unknown types are errors, since silently
//! ignored settings would go unnoticed.

use std::mem::{offset_of, size_of};

use crate::enums::{Choice, TranspicaCode};
use crate::problem::Problem;

/// The type of a structure.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaType {
    /// TranspicaRequest
    Request = 16,
    /// TranspicaRawProgram
    RawProgram = 17,
    /// TranspicaExecutable
    Executable = 18,
    /// TranspicaRegisterProgram
    RegisterProgram = 19,
    /// TranspicaRegisterWrites
    RegisterWrites = 20,
    /// TranspicaSalt
    Salt = 21,
    /// TranspicaVertexInput
    VertexInput = 22,
    /// TranspicaHooks
    Hooks = 23,
    /// TranspicaJob
    Job = 24,
    /// TranspicaDebugSource
    DebugSource = 25,
    /// TranspicaFigures
    Figures = 32,
    /// TranspicaMessage
    Message = 33,
    /// TranspicaInput
    Input = 34,
    /// TranspicaOutput
    Output = 35,
    /// TranspicaMember
    Member = 36,
    /// TranspicaKernel
    Kernel = 37,
    /// TranspicaPlanFigures
    PlanFigures = 38,
    /// TranspicaReliance
    Reliance = 39,
}

/// Common start of all structures.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaHead {
    /// A TranspicaType: the type of the structure.
    pub r#type: u32,
    /// Its size in bytes: sizeof of the structure.
    pub size: u32,
    /// The next structure of the chain, or NULL. Structures that a function fills are not chained.
    pub next: *const TranspicaHead,
}

/// A structure that begins with [`TranspicaHead`].
///
/// # Safety
/// `repr(C)`, the head is its first field, and every bit pattern is a valid value.
pub(crate) unsafe trait Structure: Copy {
    /// Its type.
    const TYPE: TranspicaType;
    /// Its name, for messages.
    const NAME: &'static str;
}

/// Implements [`Structure`] for structures and their types.
macro_rules! structures {
    ($($name:ident => $variant:ident),+ $(,)?) => {
        $(
            // SAFETY: the structure is repr(C), begins with `head` (checked here), and consists of
            // numbers, pointers and optional function pointers, for which all bit patterns are
            // values.
            unsafe impl $crate::chain::Structure for $name {
                const TYPE: $crate::chain::TranspicaType = $crate::chain::TranspicaType::$variant;
                const NAME: &'static str = stringify!($name);
            }
            const _: () = assert!(std::mem::offset_of!($name, head) == 0);
        )+
    };
}
pub(crate) use structures;

/// Length limit of a chain: more structures than there are types can only be a cycle.
const LONGEST: usize = 18;
/// Size limit of a structure, far above any real one.
const LARGEST: u32 = 1 << 16;

/// A chain during iteration.
pub(crate) struct Chain {
    next: *const TranspicaHead,
    walked: usize,
}

/// One structure of a chain.
pub(crate) struct Link {
    at: *const TranspicaHead,
    head: TranspicaHead,
}

impl Chain {
    /// Starts at the first structure.
    ///
    /// # Safety
    /// Every pointer of the chain is NULL or points to as many readable bytes as the size of its
    /// head says, until the last link is dropped.
    pub(crate) unsafe fn new(first: *const TranspicaHead) -> Self {
        Self { next: first, walked: 0 }
    }

    /// Returns the next structure.
    pub(crate) fn next(&mut self) -> Result<Option<Link>, Problem> {
        let at = self.next;
        if at.is_null() {
            return Ok(None);
        }
        if !at.is_aligned() {
            let text = "a pointer to a structure is not aligned".to_owned();
            return Err(Problem::argument(TranspicaCode::BadChain, text));
        }
        self.walked += 1;
        if self.walked > LONGEST {
            let text = format!("a chain has more than {LONGEST} structures: does it end?");
            return Err(Problem::argument(TranspicaCode::BadChain, text));
        }
        // SAFETY: not NULL and aligned; readable, as the caller of `new` guarantees.
        let head = unsafe { at.read() };
        self.next = head.next;
        Ok(Some(Link { at, head }))
    }
}

impl Link {
    /// Returns the type of the structure.
    pub(crate) fn which(&self) -> Result<TranspicaType, Problem> {
        TranspicaType::read(self.head.r#type).ok_or_else(|| {
            let text = format!("a structure has type {}, which this library does not know", self.head.r#type);
            Problem::argument(TranspicaCode::UnknownType, text)
        })
    }

    /// Builds the problem of a structure of a known type that does not belong here.
    #[cold]
    pub(crate) fn misplaced(&self, which: TranspicaType, call: &str) -> Problem {
        Problem::argument(TranspicaCode::MisplacedType, format!("{call} does not take Transpica{which:?}"))
    }

    /// Copies the structure to its place, which must be empty.
    pub(crate) fn read_into<T: Structure>(&self, place: &mut Option<T>) -> Result<(), Problem> {
        if place.is_some() {
            let text = format!("a chain has two of {}", T::NAME);
            return Err(Problem::argument(TranspicaCode::RepeatedType, text));
        }
        *place = Some(self.read()?);
        Ok(())
    }

    /// Copies the structure.
    pub(crate) fn read<T: Structure>(&self) -> Result<T, Problem> {
        debug_assert_eq!(self.head.r#type, T::TYPE as u32, "the caller looked at the type");
        let rest = check_size::<T>(self.head.size)?;
        // SAFETY: `size` bytes are readable, as the caller of `Chain::new` guarantees, and T takes
        // no more; all bits are values of T. The pointer is aligned for the head; T may need a
        // larger alignment, hence the unaligned read.
        let value = unsafe { self.at.cast::<T>().read_unaligned() };
        // SAFETY: the bytes between the end of T and `size` are readable as well.
        let unknown = unsafe { std::slice::from_raw_parts(self.at.cast::<u8>().add(size_of::<T>()), rest) };
        if unknown.iter().any(|&byte| byte != 0) {
            let text = format!("{} has fields that this library does not know, and they are not 0", T::NAME);
            return Err(Problem::argument(TranspicaCode::UnknownField, text));
        }
        Ok(value)
    }
}

/// Checks the size of a structure; returns the number of its bytes that are unknown.
fn check_size<T: Structure>(size: u32) -> Result<usize, Problem> {
    let known = size_of::<T>();
    if (size as usize) < known || size > LARGEST {
        return Err(Problem::size(format!("{} has size {size} but must be {known}", T::NAME)));
    }
    Ok(size as usize - known)
}

/// Fills a structure of the caller: its head stays, and unknown fields become 0.
///
/// # Safety
/// `out` is NULL or points to a readable head and as many writable bytes as its size says.
pub(crate) unsafe fn fill<T: Structure>(
    out: *mut T,
    make: impl FnOnce(TranspicaHead) -> T,
) -> Result<(), Problem> {
    if out.is_null() {
        return Err(Problem::null(T::NAME));
    }
    if !out.is_aligned() {
        let text = format!("{} is not aligned", T::NAME);
        return Err(Problem::argument(TranspicaCode::BadChain, text));
    }
    // SAFETY: not NULL, aligned, readable.
    let head = unsafe { out.cast::<TranspicaHead>().read() };
    if head.r#type != T::TYPE as u32 {
        let text = format!("{} has type {} but must be {}", T::NAME, head.r#type, T::TYPE as u32);
        return Err(Problem::argument(TranspicaCode::MisplacedType, text));
    }
    let rest = check_size::<T>(head.size)?;
    let value = make(head);
    // SAFETY: `size` bytes are writable; T and the rest are as many.
    unsafe {
        out.write(value);
        out.add(1).cast::<u8>().write_bytes(0, rest);
    }
    Ok(())
}

const _: () = assert!(offset_of!(TranspicaHead, size) == 4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_by_their_numbers() {
        let known: Vec<u32> = (0..64).filter(|&number| TranspicaType::read(number).is_some()).collect();
        assert_eq!(known, (16..=25).chain(32..=39).collect::<Vec<_>>());
        assert!(known.iter().all(|&number| TranspicaType::read(number).map(|it| it as u32) == Some(number)));
        assert_eq!(known.len(), LONGEST);
    }
}
