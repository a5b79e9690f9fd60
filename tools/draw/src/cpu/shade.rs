//! The vertex stage of a draw, a batch at a time.
//! In: vertices, and which of them the draw names in which order. Out: a record for each that is
//! named. Knows no primitive.
//!
//! Vertices run before the draw comes to them. What they spend and their errors count when it does,
//! as if each ran when it is first named.

use crate::batch::{Batch, LANES, Records};
use transpica::geometry::input::no_vertex;
use transpica::{Error, Options, Result};

/// A vertex that has not run.
const NONE: u32 = u32::MAX;

/// Vertices as a draw names them.
pub(super) struct Named<'a> {
    pub(super) vertices: &'a [[[f32; 4]; 16]],
    /// The vertices in the order in which the draw names them.
    pub(super) order: Box<dyn Iterator<Item = u32> + 'a>,
    /// Vertices that may run at once.
    pub(super) at_once: usize,
}

/// The vertex program and its results.
pub(super) struct Shaded<'a> {
    batch: &'a mut Batch,
    options: &'a Options,
    records: &'a Records,
    named: Named<'a>,
    /// The record of each vertex.
    found: Vec<u32>,
    /// Vectors of all records.
    values: Vec<[f32; 4]>,
    /// Instructions of each record that do not count yet.
    steps: Vec<u64>,
    /// Instructions that count since they were last taken.
    spent: u64,
    /// The record of the first vertex that failed. No draw goes beyond it.
    failure: Option<(u32, Error)>,
    /// Inputs of a batch.
    inputs: Vec<[[f32; 4]; 16]>,
}

impl<'a> Shaded<'a> {
    /// Records are whole vectors.
    pub(super) fn new(
        batch: &'a mut Batch,
        named: Named<'a>,
        records: &'a Records,
        options: &'a Options,
    ) -> Self {
        let found = vec![NONE; named.vertices.len()];
        let (values, steps, inputs) = (Vec::new(), Vec::new(), Vec::with_capacity(LANES));
        Self { batch, options, records, named, found, values, steps, spent: 0, failure: None, inputs }
    }

    /// Returns the number of the record of a vertex; `place` is its index in the index buffer, if
    /// there is one.
    pub(super) fn get(&mut self, vertex: u32, place: usize) -> Result<u32> {
        let count = self.named.vertices.len();
        let record = *self.found.get(vertex as usize).ok_or_else(|| no_vertex(place, vertex, count))?;
        let record = if record == NONE { self.run(vertex) } else { record };
        self.spent += self.steps.get_mut(record as usize).map_or(0, std::mem::take);
        match &self.failure {
            Some((failed, error)) if *failed == record => Err(error.clone()),
            Some(_) | None => Ok(record),
        }
    }

    /// Runs the next vertices, of which `first` is the first one.
    fn run(&mut self, first: u32) -> u32 {
        // Range: vertices take 256 bytes each, so memory ends before 32 bits do.
        let record = self.steps.len() as u32;
        self.inputs.clear();
        self.add(first);
        while self.inputs.len() < self.named.at_once.min(LANES)
            && let Some(vertex) = self.named.order.next()
        {
            match self.found.get(vertex as usize) {
                Some(&NONE) => self.add(vertex),
                Some(_) => {}
                None => break,
            }
        }
        let size = self.records.stride / 4;
        let start = self.values.len();
        self.values.resize(start + self.inputs.len() * size, [0.0; 4]);
        let ran = self.batch.shade(&self.inputs, self.records, self.values[start..].as_flattened_mut());
        self.steps.extend((0..self.inputs.len()).map(|lane| self.batch.steps(lane)));
        if let Err(failed) = ran {
            // Range: less than the number of lanes.
            self.failure = Some((record + failed.vertex as u32, failed.error));
        }
        record
    }

    /// Adds a vertex to those of the next batch.
    fn add(&mut self, vertex: u32) {
        self.found[vertex as usize] = (self.steps.len() + self.inputs.len()) as u32;
        self.inputs.push(self.options.attributes_seen(self.named.vertices[vertex as usize]));
    }

    /// Returns the vectors of a record.
    pub(super) fn record(&self, record: u32) -> &[[f32; 4]] {
        let size = self.records.stride / 4;
        self.values.get(record as usize * size..).and_then(|values| values.get(..size)).unwrap_or_default()
    }

    /// Returns the instructions of vertices named since the last call.
    pub(super) fn take_spent(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }

    /// Returns the vectors of all records.
    pub(super) fn into_values(self) -> Vec<[f32; 4]> {
        self.values
    }
}
