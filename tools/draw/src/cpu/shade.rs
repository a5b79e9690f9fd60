//! The vertex stage of a draw, a batch at a time.
//! In: vertices, and which of them the draw names in which order. Out: a record for each that is
//! named. Knows no primitive.
//!
//! Vertices run before the draw comes to them. What they spend and their errors count when it does,
//! as if each ran when it is first named.

use std::mem;

use crate::batch::{Batch, LANES, Records, Vertices};
use transpica::geometry::input::no_vertex;
use transpica::{Error, Result};

/// A vertex that has not run.
const NONE: u32 = u32::MAX;

/// Vertices as a draw names them.
pub(super) struct Named<'a> {
    pub(super) vertices: &'a Vertices<'a>,
    /// Number of vertices in the buffers.
    pub(super) count: usize,
    /// The vertices in the order in which the draw names them, without those that have run.
    pub(super) order: &'a [u32],
    /// Vertices that may run at once.
    pub(super) at_once: usize,
}

/// The vertex program and its results.
pub(super) struct Shaded<'a> {
    batch: &'a mut Batch,
    records: &'a Records,
    named: Named<'a>,
    /// The record of each vertex.
    found: Vec<u32>,
    /// Floats of all records.
    values: Vec<f32>,
    /// Instructions of each record that do not count yet.
    steps: Vec<u64>,
    /// Instructions that count since they were last taken.
    spent: u64,
    /// The record of the first vertex that failed. No draw goes beyond it.
    failure: Option<(u32, Error)>,
    /// Vertices of a batch.
    next: Vec<u32>,
}

impl<'a> Shaded<'a> {
    pub(super) fn new(batch: &'a mut Batch, named: Named<'a>, records: &'a Records) -> Self {
        let found = vec![NONE; named.count];
        batch.begin();
        // Most draws name each vertex, and none runs more often than it is named.
        let most = named.count.min(named.order.len());
        let values = Vec::with_capacity(most.saturating_mul(records.stride));
        let (steps, next) = (Vec::with_capacity(most), Vec::with_capacity(LANES));
        Self { batch, records, named, found, values, steps, spent: 0, failure: None, next }
    }

    /// Returns the number of the record of a vertex; `place` is its index in the index buffer, if
    /// there is one.
    #[inline(always)]
    pub(super) fn get(&mut self, vertex: u32, place: usize) -> Result<u32> {
        let count = self.found.len();
        let record = *self.found.get(vertex as usize).ok_or_else(|| no_vertex(place, vertex, count))?;
        let record = if record == NONE { self.run() } else { record };
        self.spent += self.steps.get_mut(record as usize).map_or(0, mem::take);
        match &self.failure {
            Some((failed, error)) if *failed == record => Err(error.clone()),
            Some(_) | None => Ok(record),
        }
    }

    /// Runs the next vertices and returns the record of the first. The draw has come to that one,
    /// since those before it in the order have run.
    #[inline(never)]
    fn run(&mut self) -> u32 {
        // Range: vertices take 256 bytes each, so memory ends before 32 bits do.
        let record = self.steps.len() as u32;
        self.next.clear();
        while self.next.len() < self.named.at_once.min(LANES)
            && let [vertex, rest @ ..] = self.named.order
            && let Some(found) = self.found.get_mut(*vertex as usize)
        {
            if *found == NONE {
                *found = record + self.next.len() as u32;
                self.next.push(*vertex);
            }
            self.named.order = rest;
        }
        let start = self.values.len();
        self.values.resize(start + self.next.len() * self.records.stride, 0.0);
        let to = &mut self.values[start..];
        let ran = self.batch.shade(self.named.vertices, &self.next, self.records, to);
        self.steps.extend((0..self.next.len()).map(|lane| self.batch.steps(lane)));
        if let Err(failed) = ran {
            // Range: less than the number of lanes.
            self.failure = Some((record + failed.vertex as u32, failed.error));
        }
        record
    }

    /// Returns the vectors of a record of whole vectors.
    pub(super) fn record(&self, record: u32) -> &[[f32; 4]] {
        let size = self.records.stride;
        let values = self.values.get(record as usize * size..).and_then(|values| values.get(..size));
        values.unwrap_or_default().as_chunks().0
    }

    /// Returns the instructions of vertices named since the last call.
    pub(super) fn take_spent(&mut self) -> u64 {
        mem::take(&mut self.spent)
    }

    /// Returns all records.
    pub(super) fn into_values(self) -> Vec<f32> {
        self.values
    }
}
