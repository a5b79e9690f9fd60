//! The vertex stage of a draw, a batch at a time.
//! In: vertices, and which of them the draw names in which order. Out: a record for each that is
//! named. Knows no primitive.
//!
//! Vertices run before the draw comes to them. What they spend and their errors count when it does,
//! as if each ran when it is first named.

use crate::batch::{Batch, LANES, Records, Vertices};
use transpica::geometry::input::no_vertex;
use transpica::{Error, Options, Result};

/// A vertex that has not run.
const NONE: u32 = u32::MAX;

/// Place of the vertices of a draw.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// v0..v15 of each.
    Registers(&'a [[[f32; 4]; 16]]),
    /// Buffers with so many vertices.
    Buffers(&'a Vertices<'a>, usize),
}

impl Source<'_> {
    /// Returns the number of vertices.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Registers(vertices) => vertices.len(),
            Self::Buffers(_, count) => *count,
        }
    }
}

/// Vertices as a draw names them.
pub(super) struct Named<'a> {
    pub(super) source: Source<'a>,
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
    /// Vertices of a batch.
    next: Vec<u32>,
    /// Their inputs, of registers.
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
        let found = vec![NONE; named.source.count()];
        if let Source::Buffers(vertices, _) = named.source {
            batch.fill(vertices);
        }
        // Most draws name each vertex, and none runs more often than it is named.
        let most = named.source.count().min(named.order.size_hint().0);
        let values = Vec::with_capacity(most.saturating_mul(records.stride / 4));
        let (steps, next) = (Vec::with_capacity(most), Vec::with_capacity(LANES));
        let (spent, failure, inputs) = (0, None, Vec::new());
        Self { batch, options, records, named, found, values, steps, spent, failure, next, inputs }
    }

    /// Returns the number of the record of a vertex; `place` is its index in the index buffer, if
    /// there is one.
    pub(super) fn get(&mut self, vertex: u32, place: usize) -> Result<u32> {
        let count = self.found.len();
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
        self.next.clear();
        self.add(first);
        while self.next.len() < self.named.at_once.min(LANES)
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
        self.values.resize(start + self.next.len() * size, [0.0; 4]);
        let to = self.values[start..].as_flattened_mut();
        let ran = match self.named.source {
            Source::Registers(vertices) => {
                self.inputs.clear();
                let inputs = self.next.iter().map(|&vertex| vertices[vertex as usize]);
                self.inputs.extend(inputs.map(|inputs| self.options.attributes_seen(inputs)));
                self.batch.shade(&self.inputs, self.records, to)
            }
            Source::Buffers(vertices, _) => self.batch.shade_fetched(vertices, &self.next, self.records, to),
        };
        self.steps.extend((0..self.next.len()).map(|lane| self.batch.steps(lane)));
        if let Err(failed) = ran {
            // Range: less than the number of lanes.
            self.failure = Some((record + failed.vertex as u32, failed.error));
        }
        record
    }

    /// Adds a vertex to those of the next batch.
    fn add(&mut self, vertex: u32) {
        self.found[vertex as usize] = (self.steps.len() + self.next.len()) as u32;
        self.next.push(vertex);
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
