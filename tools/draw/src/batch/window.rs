//! Float uniforms that vertices are delivered to, which differ between lanes.
//! In: delivered values. Out: lanes of the components that the program can read. Knows no mode of
//! delivery.

use std::ops::Range;

use super::code::{Code, From};
use super::lanes::{LANES, Row};
use super::register_file::{File, Sources, load};
use transpica::interp::{GeometryMachine, Settings};
use transpica::isa::sizes::{FLOATS, INDICES};

/// The place of a component that is the same in all lanes.
pub(super) const NONE: u16 = u16::MAX;

/// The uniforms of a geometry program that differ between invocations.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// A component of a uniform among those of all, and its place.
    places: Vec<(u16, u16)>,
    /// The values of the next invocation.
    pub(super) floats: [[f32; 4]; FLOATS],
    /// The registers delivered to since all were set. All lanes of others are the same.
    delivered: Range<usize>,
}

impl Window {
    /// Gives a place to each component that the program can read of the registers in `delivered`.
    pub(super) fn new(code: &mut Code, file: &mut File, delivered: u128) -> Self {
        let mut found = Box::new([NONE; 4 * INDICES]);
        let mut window = Self { places: Vec::new(), floats: [[0.0; 4]; FLOATS], delivered: 0..0 };
        let is_delivered =
            |component: u16| component < 4 * FLOATS as u16 && delivered >> (component / 4) & 1 != 0;
        let mut place = |component: u16| {
            let found = &mut found[usize::from(component) % (4 * INDICES)];
            if *found == NONE {
                *found = file.sources.add();
                window.places.push((component, *found));
            }
            *found
        };
        let mut is_relative = false;
        for read in code.operations.iter_mut().flat_map(|operation| &mut operation.reads) {
            match read.from {
                From::Lanes => {}
                From::Relative(_) => is_relative |= !read.mask.is_empty(),
                From::Uniform if read.mask.is_empty() || !is_delivered(read.lanes[0]) => {}
                From::Uniform => {
                    read.from = From::Lanes;
                    read.lanes = read.lanes.map(&mut place);
                }
            }
        }
        if is_relative && delivered != 0 {
            (0..4 * FLOATS as u16).filter(|&component| is_delivered(component)).for_each(|component| {
                place(component);
            });
            file.sources.window = Some(found);
        }
        window
    }

    /// Sets all values, for all lanes.
    pub(super) fn set_uniforms(&mut self, floats: &[[f32; 4]; FLOATS], file: &mut File, settings: &Settings) {
        (self.floats, self.delivered) = (*floats, 0..0);
        for &(component, place) in &self.places {
            let value = floats.as_flattened()[usize::from(component)];
            **file.lanes_mut(place) = [load(value, settings); LANES];
        }
    }

    /// Sets registers from `first` on for the lanes to come.
    pub(super) fn deliver(&mut self, first: usize, values: &[[f32; 4]]) {
        let registers = self.floats.iter_mut().skip(first);
        registers.zip(values).for_each(|(register, value)| *register = *value);
        let (end, Range { start, end: last }) = (first + values.len(), self.delivered.clone());
        self.delivered = if start == last { first..end } else { start.min(first)..last.max(end) };
    }

    /// Stores the values of a lane.
    pub(super) fn store(&self, file: &mut File, lane: usize, settings: &Settings) {
        let values = self.floats.as_flattened();
        for &(component, place) in &self.places {
            if self.delivered.contains(&usize::from(component / 4)) {
                file.lanes_mut(place)[lane] = load(values[usize::from(component)], settings);
            }
        }
    }

    /// Sets the values of the next invocation to those of a lane.
    pub(super) fn restore(&mut self, file: &File, lane: usize) {
        for &(component, place) in &self.places {
            self.floats.as_flattened_mut()[usize::from(component)] = file.lanes(place)[lane % LANES];
        }
    }

    /// Delivers the values of a lane to a machine.
    pub(super) fn deliver_to(&self, file: &File, lane: usize, machine: &mut GeometryMachine) {
        // What the program cannot read may have any value.
        let mut registers = [[0.0; 4]; FLOATS];
        let mut delivered = 0u128;
        for &(component, place) in &self.places {
            registers.as_flattened_mut()[usize::from(component)] = file.lanes(place)[lane];
            delivered |= 1 << (component / 4);
        }
        for (register, value) in registers.iter().enumerate() {
            if delivered >> register & 1 != 0 {
                // Range: c0 to c95.
                machine.deliver(register as u8, std::slice::from_ref(value));
            }
        }
    }
}

impl Sources {
    /// Adds a place.
    fn add(&mut self) -> u16 {
        self.places.push(Row::new());
        // Range: at most 192 of registers and 384 of uniforms.
        (self.places.len() - 1) as u16
    }
}
