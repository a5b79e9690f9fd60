//! The boundary between the caller and the library: converts results, errors and panics to
//! statuses.
//! In: work that may fail or panic. Out: a status, and a result if the caller wants one. No panic
//! crosses the boundary.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::enums::TranspicaStatus;
use crate::memory::Memory;
use crate::problem::Problem;
use crate::result::TranspicaResult;

#[cfg(panic = "abort")]
compile_error!("the C interface catches panics: build it with panic = \"unwind\", which is Cargo's default");

/// Runs the body of a call; a panic becomes a problem.
fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Problem::internal(words(&*panic))))
}

/// Returns the message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a defect of transpica, please report it: {}", text.as_deref().unwrap_or("no words"))
}

/// Runs a call that returns only a status.
pub(crate) fn plain(work: impl FnOnce() -> Result<(), Problem>) -> TranspicaStatus {
    guarded(work).map_or_else(|problem| problem.status, |()| TranspicaStatus::Ok)
}

/// Runs a call that returns a value; a problem or a panic returns `otherwise`.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> Result<T, Problem>) -> T {
    guarded(work).unwrap_or(otherwise)
}

/// Runs a call that provides a result: `None` provides nothing, and a problem provides its
/// messages.
///
/// # Safety
/// `result` is NULL or a place for a pointer.
pub(crate) unsafe fn answer(
    result: *mut *mut TranspicaResult,
    memory: Memory,
    work: impl FnOnce() -> Result<Option<TranspicaResult>, Problem>,
) -> TranspicaStatus {
    let answer = guarded(work).unwrap_or_else(|problem| Some(TranspicaResult::of_problem(problem, memory)));
    let status = answer.as_ref().map_or(TranspicaStatus::Ok, TranspicaResult::status);
    if !result.is_null() {
        let handle = answer.map_or(std::ptr::null_mut(), |answer| Box::into_raw(Box::new(answer)));
        // SAFETY: not NULL, so a place for a pointer.
        unsafe { result.write(handle) };
    }
    status
}

/// Runs a call that provides a result only if it fails.
///
/// # Safety
/// `errors` is NULL or a place for a pointer.
pub(crate) unsafe fn done(
    errors: *mut *mut TranspicaResult,
    work: impl FnOnce() -> Result<(), Problem>,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe { answer(errors, Memory::default(), || work().map(|()| None)) }
}

/// Runs a call that creates a handle through `place`, or writes NULL there and provides a result.
///
/// # Safety
/// `place` and `errors` are NULL or places for pointers.
pub(crate) unsafe fn create<T>(
    place: *mut *mut T,
    name: &str,
    errors: *mut *mut TranspicaResult,
    make: impl FnOnce() -> Result<T, Problem>,
) -> TranspicaStatus {
    let work = || {
        if place.is_null() {
            return Err(Problem::null(name));
        }
        // SAFETY: not NULL, so a place for a pointer; so below.
        unsafe { place.write(std::ptr::null_mut()) };
        let new = Box::new(make()?);
        // SAFETY: as above.
        unsafe { place.write(Box::into_raw(new)) };
        Ok(())
    };
    // SAFETY: guaranteed by the caller.
    unsafe { done(errors, work) }
}

/// Borrows a handle of the caller.
///
/// # Safety
/// `handle` is NULL or was made by this library and not freed.
pub(crate) unsafe fn shared<'a, T>(handle: *const T, name: &str) -> Result<&'a T, Problem> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| Problem::null(name))
}

/// Borrows a handle of the caller exclusively.
///
/// # Safety
/// `handle` is NULL or was made by this library and not freed, and no other call uses it now.
pub(crate) unsafe fn exclusive<'a, T>(handle: *mut T, name: &str) -> Result<&'a mut T, Problem> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_mut() }.ok_or_else(|| Problem::null(name))
}

/// Borrows an array of the caller; NULL is accepted only if it is empty.
///
/// # Safety
/// `first` is NULL or the first of `count` elements that stay unchanged while the slice is used.
pub(crate) unsafe fn array<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T], Problem> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Problem::null(name));
    }
    let most = isize::MAX as usize / size_of::<T>();
    if count > most || !first.is_aligned() {
        let text = format!("{name} is not aligned, or has {count} elements");
        return Err(Problem::size(text));
    }
    // SAFETY: not NULL, aligned, and `count` elements long, which no object exceeds in bytes.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// Borrows an array of the caller to write to it; NULL is accepted only if it is empty.
///
/// # Safety
/// `first` is NULL or the first of `count` elements that no other call uses while the slice is
/// used.
pub(crate) unsafe fn array_mut<'a, T>(
    first: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [T], Problem> {
    // SAFETY: guaranteed by the caller.
    let count = unsafe { array(first.cast_const(), count, name)? }.len();
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: checked by `array`; exclusive, as the caller guarantees.
    Ok(unsafe { std::slice::from_raw_parts_mut(first, count) })
}

/// Copies to an array of the same length, which `name` gives.
pub(crate) fn copy<T: Copy>(from: &[T], to: &mut [T], name: &str) -> Result<(), Problem> {
    if from.len() != to.len() {
        return Err(Problem::size(format!("{name} is {} but must be {}", to.len(), from.len())));
    }
    to.copy_from_slice(from);
    Ok(())
}

/// Frees a handle.
///
/// # Safety
/// `handle` is NULL, or came from `Box::into_raw` and is no longer used.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: guaranteed by the caller.
        let handle = unsafe { Box::from_raw(handle) };
        value((), move || {
            drop(handle);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_and_a_message() {
        let mut result = std::ptr::null_mut();
        // SAFETY: the place is a local variable.
        let status = unsafe { answer(&mut result, Memory::default(), || panic!("for the test")) };
        assert_eq!(status, TranspicaStatus::Internal);
        // SAFETY: `answer` made it.
        unsafe { free(result) };
        assert_eq!(plain(|| panic!("for the test")), TranspicaStatus::Internal);
        assert_eq!(value(3, || panic!("for the test")), 3);
    }
}
