//! The scanner: a window over the input, and a list of parts that are still to be searched.
//!
//! In: anything that reads. Out: [`Hit`]s in the order of the input, each with its bytes. Memory
//! and work are bounded by [`Limits`].
//!
//! A DVLB is found at every byte of the input and of each part, if the library parses it, other
//! formats with a magic at every fourth: VBC, CGFX, BCH, MFX, SARC, darc, GARC, ExeFS and Yaz0, and
//! bare command lists by the command that begins an upload of code. Other formats are recognized
//! only where an input, an entry or unpacked data begin: LZ10, LZ11, backward LZ (which has to end
//! there, too), packages, packs and shaders of Game Freak.

mod open;
mod search;
mod view;

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use transpica::RegisterState;

use crate::bare_lists::BEHIND;
use crate::hit::{Hit, Warning};
use crate::limits::Limits;
use crate::programs::Analyst;
use open::{Session, Task};
use view::View;

/// Least that is read ahead, in bytes.
const LEAST_AHEAD: usize = 64 << 10;
/// Most warnings of one input.
const WARNINGS: usize = 100;

/// Something found, with its bytes.
pub struct Found<'a> {
    /// Its description.
    pub hit: Hit,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Registers after a command list.
    pub state: Option<&'a RegisterState>,
}

/// Result of a scan, without its hits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Bytes that were read.
    pub bytes: u64,
    /// Number of hits.
    pub hits: usize,
    /// Remarks about parts of the input, at most a hundred.
    pub warnings: Vec<Warning>,
    /// True if a limit ended the scan before the input did.
    pub is_cut: bool,
}

impl Summary {
    pub(crate) fn warn(&mut self, place: String, text: String) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push(Warning { place, text });
        }
    }
}

/// A scanner, which reuses its memory from input to input.
///
/// ```
/// use transpica_containers::{Limits, Scanner};
/// let shader = std::fs::read("../../shaders/library.shbin")?;
/// let mut scanner = Scanner::new(Limits { look_ahead: 1 << 20, ..Limits::default() });
/// let mut keys = Vec::new();
/// let summary = scanner.scan(&shader[..], &mut |found| {
///     keys.extend(found.hit.programs.into_iter().filter_map(|program| program.key));
/// })?;
/// assert_eq!((summary.bytes, keys.len()), (shader.len() as u64, 6));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Scanner {
    limits: Limits,
    window: Vec<u8>,
    analyst: Analyst,
}

impl Scanner {
    /// Creates a scanner.
    pub fn new(limits: Limits) -> Self {
        let limits = Limits { look_ahead: limits.look_ahead.max(LEAST_AHEAD), ..limits };
        Self { limits, window: Vec::new(), analyst: Analyst::default() }
    }

    /// Scans one input and calls `found` for each hit, in the order of the input.
    ///
    /// # Errors
    /// Errors of the reader. What was found before stays found.
    pub fn scan(&mut self, mut input: impl Read, found: &mut dyn FnMut(Found<'_>)) -> io::Result<Summary> {
        let Self { limits, window, analyst } = self;
        window.clear();
        let mut session = Session {
            limits: *limits,
            analyst,
            found,
            tasks: Vec::new(),
            work: Limits::BASE_WORK,
            unpacked_left: limits.unpacked_total,
            live: Rc::new(Cell::new(0)),
            summary: Summary::default(),
            limit: 0,
            is_whole: false,
            reached: 0,
            floor: 0,
            over: false,
        };
        let (mut base, mut from) = (0, 0);
        loop {
            let before = window.len();
            let is_whole = fill(&mut input, window, limits, base)?;
            let read = (window.len() - before) as u64;
            session.summary.bytes += read;
            session.work = session.work.saturating_add(read.saturating_mul(limits.work_per_byte));
            session.is_whole = is_whole;
            session.limit =
                if is_whole { window.len() } else { window.len().saturating_sub(limits.look_ahead) };
            let view = View::of_window(window.len(), base);
            // Only a complete input can be one compressed file or package.
            session.tasks.push(match (base, from, is_whole) {
                (0, 0, true) => Task::Open(view),
                _later => Task::Search { view, at: from, floor: session.floor },
            });
            session.run(window);
            if is_whole || session.over {
                break;
            }
            // After the start of an upload there may be more of its list.
            let keep = session.reached.min(window.len()).saturating_sub(BEHIND) / 16 * 16;
            window.drain(..keep);
            base += keep as u64;
            from = session.reached.saturating_sub(keep);
            session.floor = session.floor.saturating_sub(keep);
        }
        let Session { mut summary, over, .. } = session;
        if !over && base + window.len() as u64 >= limits.input {
            summary.is_cut = true;
            summary.warn(format!("{:#x}", limits.input), "the input is longer than the limit".into());
        }
        Ok(summary)
    }
}

/// Reads until the window is full; returns whether the input or the limit ends in it.
fn fill(input: &mut impl Read, window: &mut Vec<u8>, limits: &Limits, base: u64) -> io::Result<bool> {
    let full = 2 * limits.look_ahead + BEHIND;
    // Most inputs are small, so memory for a full window is not taken at first.
    for most in [LEAST_AHEAD.min(full), full] {
        let left = limits.input.saturating_sub(base + window.len() as u64);
        let wanted = (most.saturating_sub(window.len()) as u64).min(left);
        if most == full {
            window.reserve_exact(usize::try_from(wanted).unwrap_or(0));
        }
        let read = input.by_ref().take(wanted).read_to_end(window)? as u64;
        if read < wanted || read == left {
            return Ok(true);
        }
    }
    Ok(false)
}
