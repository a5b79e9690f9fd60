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
/// EMITs of a run, for the same reason: those of few lanes each may submit as many triangles.
const MOST_EMITS: u32 = 4 * 256;
/// The place of a vertex that is not there.
const NONE: u32 = u32::MAX;

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
    other: Vec<(usize, Row)>,
    /// The lanes whose next vertex goes to each slot, those that submit it, and those that reverse
    /// the triangle.
    slot_of: [u64; VERTEX_SLOTS],
    submits: u64,
    reverses: u64,
    /// The vertices in each slot, and the lanes that have one there.
    slots: [[u32; LANES]; VERTEX_SLOTS],
    filled: [u64; VERTEX_SLOTS],
    /// EMITs of the run. No lane has executed more; at the limit the machine knows whether one has
    /// executed as many.
    emits: u32,
    /// Limit of the EMITs of a lane.
    pub(super) most: u32,
    /// Number of vertices.
    count: u32,
    /// Records of the vertices; there may be room for more.
    vertices: Vec<f32>,
    records: Records,
    /// Of each EMIT with triangles the lanes that submit one, those that reverse theirs, and the
    /// vertices.
    submissions: Vec<(u64, u64, [[u32; LANES]; 3])>,
    /// The lanes that must run elsewhere.
    pub(super) left: u64,
}

impl Emission {
    pub(super) fn new(places: &Places, forwarded: u16, uninitialized: [f32; 4]) -> Self {
        let other = places.each(Bank::Output).map(|(_, place)| (place, Row::new()));
        Self {
            places: places.clone(),
            forwarded,
            unwritten: Box::new(uninitialized.map(|value| Lanes([value; LANES]))),
            other: other.collect(),
            slot_of: [0; VERTEX_SLOTS],
            submits: 0,
            reverses: 0,
            slots: [[NONE; LANES]; VERTEX_SLOTS],
            filled: [0; VERTEX_SLOTS],
            emits: 0,
            most: 0,
            count: 0,
            vertices: Vec::new(),
            records: Records::from_registers(0),
            submissions: Vec::new(),
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
        (self.slot_of, self.filled) = ([u64::MAX, 0, 0, 0], [0; VERTEX_SLOTS]);
        (self.submits, self.reverses, self.emits, self.count, self.left) = (0, 0, 0, 0, 0);
        self.submissions.clear();
    }

    /// Returns the triangles of a lane.
    pub(super) fn triangles(&self, lane: usize) -> impl Iterator<Item = Triangle> {
        let submissions = self.submissions.iter().filter(move |(lanes, ..)| lanes >> lane & 1 != 0);
        submissions
            .map(move |(_, reversed, [a, b, c])| ([a[lane], b[lane], c[lane]], reversed >> lane & 1 != 0))
    }

    /// Gives each lane a place for its next vertex, and submits triangles. Other lanes have none.
    fn take_places(&mut self, lanes: u64) -> [u32; LANES] {
        let (first, taken) = (self.count, lanes & !self.left);
        self.emits += 1;
        let count = first + taken.count_ones();
        if self.emits > self.most.min(MOST_EMITS) || count > MOST_VERTICES {
            self.left |= taken;
            return [NONE; LANES];
        }
        self.count = count;
        let mut places = [NONE; LANES];
        (first..).zip(bits(taken)).for_each(|(place, lane)| places[lane as usize % LANES] = place);
        for (slot, filled) in self.filled.iter_mut().enumerate() {
            let (lanes, slot) = (self.slot_of[slot] & taken, &mut self.slots[slot]);
            *filled |= lanes;
            bits(lanes).map(|lane| lane as usize % LANES).for_each(|lane| slot[lane] = places[lane]);
        }
        let lanes = taken & self.submits;
        if lanes != 0 {
            let [a, b, c, _] = self.filled;
            // Not in programs whose invocations are independent.
            self.left |= lanes & !(a & b & c);
            let [a, b, c, _] = self.slots;
            self.submissions.push((lanes, self.reverses, [a, b, c]));
        }
        places
    }
}

impl File {
    /// Executes EMIT: copies the outputs to a vertex, submits triangles, and swaps the banks.
    pub(super) fn emit(&mut self, at: &At<'_>) {
        let Some(mut emission) = self.emission.take() else { return };
        let lanes = at.active.lanes;
        let places = &emission.take_places(lanes)[..LANES - lanes.leading_zeros() as usize];
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
        at.wide.call(
            #[inline(always)]
            || records.write(places, lanes, vertices),
        );
        for (place, other) in other {
            let current = &mut self.sources.places[*place];
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
        if let (Action::SetEmit { slot, prim, invert }, Some(emission)) =
            (operation.action, &mut self.emission)
        {
            let replace = |to: &mut u64, is: bool| {
                *to = *to & !at.active.lanes | if is { at.active.lanes } else { 0 };
            };
            (0..).zip(&mut emission.slot_of).for_each(|(number, to)| replace(to, number == slot));
            replace(&mut emission.submits, prim);
            replace(&mut emission.reverses, invert);
        }
    }
}
