//! Parts of the input that are searched: of the window, or of unpacked data.
//! Unpacked data live as long as a view of them; their size counts until then.

use std::cell::Cell;
use std::rc::Rc;

use crate::hit::{Kind, Step, Trail};
use crate::models::Notes;

/// Unpacked data.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// Bytes of all such data.
    live: Rc<Cell<usize>>,
}

impl Buffer {
    pub fn new(bytes: Vec<u8>, live: &Rc<Cell<usize>>) -> Rc<Self> {
        live.set(live.get() + bytes.capacity());
        Rc::new(Self { bytes, live: Rc::clone(live) })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.live.set(self.live.get().saturating_sub(self.bytes.capacity()));
    }
}

/// A part of the input.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Unpacked data; the window without.
    buffer: Option<Rc<Buffer>>,
    start: usize,
    end: usize,
    /// Offset of its first byte in the innermost container: that of the window in the input, else
    /// 0.
    base: u64,
    /// Offset of its first byte in the input, unless it was unpacked.
    input: Option<u64>,
    trail: Option<Rc<Trail>>,
    /// Containers around it.
    pub depth: u8,
    /// Content of the container about programs in it.
    pub notes: Option<Rc<Notes>>,
}

impl View {
    /// Builds the view of the window, which begins at an offset of the input.
    pub fn of_window(length: usize, base: u64) -> Self {
        Self {
            buffer: None,
            start: 0,
            end: length,
            base,
            input: Some(base),
            trail: None,
            depth: 0,
            notes: None,
        }
    }
    /// Returns its bytes.
    pub fn bytes<'a>(&'a self, window: &'a [u8]) -> &'a [u8] {
        let bytes = self.buffer.as_ref().map_or(window, |buffer| &buffer.bytes);
        bytes.get(self.start..self.end).unwrap_or_default()
    }
    pub fn len(&self) -> usize {
        self.end - self.start
    }
    /// Returns whether this is the window itself.
    pub fn is_window(&self) -> bool {
        self.buffer.is_none() && self.depth == 0
    }
    /// Returns the offset of one of its bytes in the innermost container.
    pub fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }
    /// Returns the offset of one of its bytes in the input.
    pub fn input_offset(&self, at: usize) -> Option<u64> {
        self.input.map(|input| input + at as u64)
    }
    /// Returns the containers around it, outermost first.
    pub fn steps(&self) -> Vec<Step> {
        Trail::steps(self.trail.as_ref())
    }
    /// Returns the place of one of its bytes in words.
    pub fn place(&self, at: usize) -> String {
        let steps = self.steps().iter().map(|step| format!("{step}/")).collect::<String>();
        format!("{steps}{:#x}", self.offset(at))
    }
    /// Builds the view of a container's part. `at` is the place of the container here.
    pub fn part(&self, kind: Kind, at: usize, part: (usize, usize), entry: Option<String>) -> Self {
        let (start, end) = (self.start + part.0, self.start + part.1);
        Self {
            buffer: self.buffer.clone(),
            start: start.min(self.end),
            end: end.min(self.end),
            base: 0,
            input: self.input_offset(part.0),
            ..self.inside(kind, at, entry)
        }
    }
    /// Builds the view of data that were unpacked here.
    pub fn unpacked(&self, kind: Kind, at: usize, buffer: Rc<Buffer>) -> Self {
        let end = buffer.bytes.len();
        Self { buffer: Some(buffer), start: 0, end, base: 0, input: None, ..self.inside(kind, at, None) }
    }
    fn inside(&self, kind: Kind, at: usize, entry: Option<String>) -> Self {
        let step = Step { kind, offset: self.offset(at), entry };
        Self {
            trail: Some(Rc::new(Trail { outer: self.trail.clone(), step })),
            depth: self.depth.saturating_add(1),
            notes: None,
            ..self.clone()
        }
    }
}
