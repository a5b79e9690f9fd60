//! Memory of results: the library's own, or memory from the caller's hooks.
//! In: vectors. Out: [`Buffer`], a slice that returns to its allocator.

use std::ffi::c_void;
use std::mem::{align_of, size_of};
use std::ops::Deref;
use std::ptr::NonNull;

use crate::enums::TranspicaCode;
use crate::problem::Problem;

/// The caller's allocator, for the words and texts of results. Temporary memory is the library's
/// own, bounded by `limits` of TranspicaSettings. Both functions NULL: the library's. They must not
/// throw, and must be callable from every thread that translates or frees results.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaAllocator {
    /// Returns `size` bytes at a multiple of `alignment`, or NULL.
    pub allocate:
        Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>,
    /// Frees these bytes.
    pub free: Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void, size: usize)>,
    /// Passed to both.
    pub user: *mut c_void,
}

/// The caller's functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hooks {
    allocate: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void, usize),
    user: *mut c_void,
}

/// Allocator of results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory(Option<Hooks>);

impl Memory {
    /// Checks the caller's functions.
    ///
    /// # Safety
    /// The functions do what their comments say as long as there are buffers made of this memory.
    pub(crate) unsafe fn new(allocator: &TranspicaAllocator) -> Result<Self, Problem> {
        match (allocator.allocate, allocator.free) {
            (None, None) => Ok(Self(None)),
            (Some(allocate), Some(free)) => Ok(Self(Some(Hooks { allocate, free, user: allocator.user }))),
            (None, Some(_)) => Err(Problem::null("TranspicaAllocator.allocate")),
            (Some(_), None) => Err(Problem::null("TranspicaAllocator.free")),
        }
    }

    /// Moves the content of a vector into this memory.
    pub(crate) fn keep<T: Copy>(self, content: Vec<T>) -> Result<Buffer<T>, Problem> {
        let Self(Some(hooks)) = self else { return Ok(Buffer::Own(content)) };
        if content.is_empty() {
            return Ok(Buffer::Own(Vec::new()));
        }
        // A vector has fewer than isize::MAX bytes.
        let size = content.len() * size_of::<T>();
        // SAFETY: the hook accepts any size and alignment (`new`).
        let memory = unsafe { (hooks.allocate)(hooks.user, size, align_of::<T>()) }.cast::<T>();
        let Some(start) = NonNull::new(memory) else { return Err(Problem::out_of_memory()) };
        if !start.is_aligned() {
            // SAFETY: it came from the hook just now.
            unsafe { (hooks.free)(hooks.user, memory.cast(), size) };
            let text = "TranspicaAllocator.allocate returned memory that is not aligned".to_owned();
            return Err(Problem::argument(TranspicaCode::OutOfMemory, text));
        }
        // SAFETY: `size` fresh bytes, aligned; the vector is elsewhere.
        unsafe { start.as_ptr().copy_from_nonoverlapping(content.as_ptr(), content.len()) };
        Ok(Buffer::Hooked { start, length: content.len(), hooks })
    }
}

/// A slice in some memory.
#[derive(Debug)]
pub(crate) enum Buffer<T: Copy> {
    /// In the library's memory.
    Own(Vec<T>),
    /// In the caller's memory.
    Hooked { start: NonNull<T>, length: usize, hooks: Hooks },
}

impl<T: Copy> Default for Buffer<T> {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl<T: Copy> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::Own(content) => content,
            // SAFETY: `Memory::keep` filled that many elements; the buffer owns them until it is
            // dropped.
            Self::Hooked { start, length, .. } => unsafe {
                std::slice::from_raw_parts(start.as_ptr(), *length)
            },
        }
    }
}

impl<T: Copy> Drop for Buffer<T> {
    fn drop(&mut self) {
        match self {
            Self::Own(_) => {}
            // SAFETY: the memory came from these hooks with this size, and goes back once.
            Self::Hooked { start, length, hooks } => unsafe {
                (hooks.free)(hooks.user, start.as_ptr().cast(), *length * size_of::<T>());
            },
        }
    }
}
