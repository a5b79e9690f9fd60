//! The line between the caller and the library: what a call returns, whatever happens behind it.
//! In: work that may fail or panic. Out: a status, and a result where the caller wants one. No panic gets across.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::enums::TranspicaStatus;
use crate::memory::Memory;
use crate::problem::Problem;
use crate::result::TranspicaResult;

/// Runs what a call does; a panic is a problem.
fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Problem::internal(words(&*panic))))
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a defect of transpica, please report it: {}", text.as_deref().unwrap_or("no words"))
}

/// A call that gives nothing but a status.
pub(crate) fn plain(work: impl FnOnce() -> Result<(), Problem>) -> TranspicaStatus {
    guarded(work).map_or_else(|problem| problem.status, |()| TranspicaStatus::Ok)
}

/// A call that gives a value; a panic gives `otherwise`.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    guarded(|| Ok(work())).unwrap_or(otherwise)
}

/// A call that gives a result: what is there if it succeeds (`None`: nothing), and what went wrong if not.
///
/// # Safety
/// `result` is NULL or a place for a pointer.
pub(crate) unsafe fn answer(
    result: *mut *mut TranspicaResult,
    memory: Memory,
    work: impl FnOnce() -> Result<Option<TranspicaResult>, Problem>,
) -> TranspicaStatus {
    let answer = match guarded(work) {
        Ok(answer) => answer,
        Err(problem) => Some(TranspicaResult::of_problem(problem, memory)),
    };
    let status = answer.as_ref().map_or(TranspicaStatus::Ok, TranspicaResult::status);
    if !result.is_null() {
        let handle = answer.map_or(std::ptr::null_mut(), |answer| Box::into_raw(Box::new(answer)));
        // SAFETY: not NULL, so a place for a pointer.
        unsafe { result.write(handle) };
    }
    status
}

/// A handle of the caller, to look at.
///
/// # Safety
/// `handle` is NULL or was made by this library and not freed.
pub(crate) unsafe fn shared<'a, T>(handle: *const T, name: &str) -> Result<&'a T, Problem> {
    // SAFETY: as the caller says.
    unsafe { handle.as_ref() }.ok_or_else(|| Problem::null(name))
}

/// A handle of the caller, to change.
///
/// # Safety
/// `handle` is NULL or was made by this library and not freed, and no other call uses it now.
pub(crate) unsafe fn exclusive<'a, T>(handle: *mut T, name: &str) -> Result<&'a mut T, Problem> {
    // SAFETY: as the caller says.
    unsafe { handle.as_mut() }.ok_or_else(|| Problem::null(name))
}

/// An array of the caller; NULL only if it is empty.
///
/// # Safety
/// `first` is NULL or the first of `count` elements that nobody changes while the slice is used.
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
        return Err(Problem::argument(crate::enums::TranspicaCode::BadSize, text));
    }
    // SAFETY: not NULL, aligned, and `count` elements long, which no object exceeds in bytes.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// Frees a handle.
///
/// # Safety
/// `handle` is NULL or came from `Box::into_raw` and is used no more.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: as the caller says.
        let handle = unsafe { Box::from_raw(handle) };
        value((), move || drop(handle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_and_a_message() {
        let mut result = std::ptr::null_mut();
        // SAFETY: the place is a local one.
        let status = unsafe { answer(&mut result, Memory::default(), || panic!("for the test")) };
        assert_eq!(status, TranspicaStatus::Internal);
        // SAFETY: `answer` made it.
        unsafe { free(result) };
        assert_eq!(plain(|| panic!("for the test")), TranspicaStatus::Internal);
        assert_eq!(value(3, || panic!("for the test")), 3);
    }
}
