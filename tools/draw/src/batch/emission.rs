//! EMIT and SETEMIT of all lanes.
//! In: outputs, the setting of each lane. Out: vertices as records, and the triangles of each lane.
//! Knows no program. Facts are those of [`GeometryMachine`](transpica::interp::GeometryMachine).
//!
//! Nothing carries over from run to run: invocations are independent, so what a lane finds in its
//! slots and banks at the beginning never shows.

use super::code::{Action, Bank, Operation, Places};
use super::lanes::{LANES, Lanes, Row};
use super::records::Records;
use super::register_file::{At, File};
use crate::entity::bits;
use transpica::isa::sizes::VERTEX_SLOTS;

/// Vertices of a run, so that their memory has a fixed size.
const MOST_VERTICES: u32 = 256 * LANES as u32;
/// The place of a vertex that is not there.
const NONE: u32 = u32::MAX;

/// The setting of SETEMIT.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setting {
    pub(super) slot: u8,
    pub(super) prim: bool,
    pub(super) invert: bool,
}

/// A triangle: its vertices, and whether its winding is to be reversed.
pub(crate) type Triangle = ([u32; 3], bool);

/// The state of EMIT and SETEMIT, and what lanes have emitted.
#[derive(Clone, Debug)]
pub(super) struct Emission {
    places: Places,
    /// Mask of the forwarded outputs.
    forwarded: u16,
    /// The value of the components of other outputs.
    unwritten: Box<[Lanes; 4]>,
    /// The inactive bank of each output component that has a place.
    other: Vec<(u8, Row)>,
    settings: [Setting; LANES],
    slots: [[u32; LANES]; VERTEX_SLOTS],
    emits: [u32; LANES],
    /// Limit of the EMITs of a lane.
    pub(super) most: u32,
    /// Number of vertices.
    count: u32,
    /// Records of the vertices; there may be room for more.
    vertices: Vec<f32>,
    records: Records,
    pub(super) triangles: Vec<Vec<Triangle>>,
    /// The lanes that must run elsewhere.
    pub(super) left: u64,
}

impl Emission {
    pub(super) fn new(places: &Places, forwarded: u16, uninitialized: [f32; 4]) -> Self {
        let other = bits(places.used(Bank::Output))
            .map(|component| (places.get(Bank::Output, component as usize), Row::new()));
        Self {
            places: places.clone(),
            forwarded,
            unwritten: Box::new(uninitialized.map(|value| Lanes([value; LANES]))),
            other: other.collect(),
            settings: [Setting::default(); LANES],
            slots: [[NONE; LANES]; VERTEX_SLOTS],
            emits: [0; LANES],
            most: 0,
            count: 0,
            vertices: Vec::new(),
            records: Records::from_registers(0),
            triangles: vec![Vec::new(); LANES],
            left: 0,
        }
    }

    /// Sets the layout of records.
    pub(super) fn set_records(&mut self, records: &Records) {
        self.records = records.clone();
        self.vertices.clear();
    }

    /// Returns the records of all vertices.
    pub(super) fn vertices(&self) -> &[f32] {
        let size = self.records.stride * self.count as usize;
        self.vertices.get(..size).unwrap_or_default()
    }

    /// Begins a run.
    pub(super) fn begin(&mut self) {
        self.settings = [Setting::default(); LANES];
        self.slots = [[NONE; LANES]; VERTEX_SLOTS];
        self.emits = [0; LANES];
        (self.count, self.left) = (0, 0);
        self.triangles.iter_mut().for_each(Vec::clear);
    }

    /// Gives each lane a place for its next vertex, and submits triangles. Other lanes have none.
    fn take_places(&mut self, lanes: u64) -> [u32; LANES] {
        let mut places = [NONE; LANES];
        for lane in bits(lanes & !self.left) {
            let index = lane as usize % LANES;
            self.emits[index] += 1;
            if self.emits[index] > self.most || self.count == MOST_VERTICES {
                self.left |= 1 << lane;
                continue;
            }
            let Setting { slot, prim, invert } = self.settings[index];
            places[index] = self.count;
            self.slots[usize::from(slot) % VERTEX_SLOTS][index] = self.count;
            self.count += 1;
            if prim {
                let [a, b, c, _] = &self.slots;
                let triangle = [a[index], b[index], c[index]];
                // Not in programs whose invocations are independent.
                if triangle.contains(&NONE) {
                    self.left |= 1 << lane;
                }
                self.triangles[index].push((triangle, invert));
            }
        }
        places
    }
}

impl File {
    /// Executes EMIT: copies the outputs to a vertex, submits triangles, and swaps the banks.
    pub(super) fn emit(&mut self, at: &At<'_>) {
        let Some(mut emission) = self.emission.take() else { return };
        let (lanes, before) = (at.active.lanes, emission.count);
        let places = emission.take_places(lanes);
        let count = lanes.count_ones();
        // The lanes from the first one on, each with a place.
        let is_row = lanes & lanes.wrapping_add(1) == 0 && emission.count - before == count;
        let size = emission.count as usize * emission.records.stride;
        if emission.vertices.len() < size {
            // Components beyond the width of an output stay 0.
            emission.vertices.resize(size, 0.0);
        }
        let Emission { places: file, forwarded, unwritten, vertices, records, other, .. } = &mut *emission;
        let lanes = |register: u8, component: usize| match *forwarded >> (register & 15) & 1 {
            0 => &unwritten[component % 4].0,
            _ => self.output(file, 4 * usize::from(register & 15) + component),
        };
        if is_row {
            records.write::<true, _>(&places[..count as usize], lanes, vertices);
        } else {
            records.write::<false, _>(&places, lanes, vertices);
        }
        for (place, other) in other {
            let current = self.lanes_mut((*place).into());
            if at.active.is_whole {
                std::mem::swap(current, other);
            } else {
                for lane in bits(at.active.lanes) {
                    let lane = lane as usize % LANES;
                    std::mem::swap(&mut current[lane], &mut other[lane]);
                }
            }
        }
        self.emission = Some(emission);
    }

    /// Executes SETEMIT.
    pub(super) fn set_emit(&mut self, operation: &Operation, at: &At<'_>) {
        if let (Action::SetEmit(setting), Some(emission)) = (operation.action, &mut self.emission) {
            for lane in bits(at.active.lanes) {
                emission.settings[lane as usize % LANES] = setting;
            }
        }
    }
}
