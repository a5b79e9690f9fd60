//! Registers of all lanes.
//! In: places, values. Out: operands, replaced registers. Knows no instruction's effect and no
//! control flow.
//!
//! Results go to spare lanes first, which then change places with the register's: all operands are
//! read before the write, and nothing is copied. Where some lanes of the run are not active, the
//! results replace the active ones instead.

use super::code::{Bank, Code, From, NONE, Operation, Places, Read};
use super::emission::Emission;
use super::lanes::{ALL, Active, LANES, Lanes, Operand, Row, Value, components, flip};
use super::small::Small;
use super::wide::Wide;
use super::window;
use crate::entity::bits;
use crate::precision::arith;
use transpica::Precision;
use transpica::interp::{Registers, Settings, flush_subnormal};
use transpica::isa::{Index, Uniforms, sizes};

/// Registers that operands are read from.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    /// The components that the program uses.
    pub(super) places: Vec<Row>,
    /// Values of a relative read whose addresses differ.
    pub(super) gathered: Box<[Lanes; 4]>,
    /// c0..c95, then the registers of ones that relative reads can reach beyond them.
    pub(super) uniforms: Box<[[f32; 4]; sizes::INDICES]>,
    /// The places of uniforms that differ between lanes, where relative reads may find them.
    pub(super) window: Option<Box<[u16; 4 * sizes::INDICES]>>,
    /// Result of the relative read of the current operation.
    found: Found,
}

/// Result of a relative read.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// All active lanes read this register.
    Register(u8),
    /// The values differ.
    Gathered,
}

impl Sources {
    /// A component of an operand.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn value(&self, read: &Read, component: usize) -> Value<'_> {
        let lane = usize::from(read.lanes[component]);
        let place = match (read.from, self.found) {
            (From::Lanes, _) => return Value::Lanes(&self.places[lane], read.sign()),
            (From::Relative(_), Found::Gathered) => {
                return Value::Lanes(&self.gathered[lane % 4].0, read.sign());
            }
            (From::Uniform, _) => lane,
            (From::Relative(_), Found::Register(register)) => 4 * usize::from(register) + lane,
        };
        let value = self.uniforms.as_flattened()[place % (4 * sizes::INDICES)];
        Value::Equal(flip(value, read.sign()))
    }

    /// All components of an operand.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn operand(&self, read: &Read) -> Operand<'_> {
        match [self.value(read, 0), self.value(read, 1), self.value(read, 2), self.value(read, 3)] {
            [Value::Lanes(x, sign), Value::Lanes(y, _), Value::Lanes(z, _), Value::Lanes(w, _)] => {
                Operand::Lanes([x, y, z, w], sign)
            }
            [x, y, z, w] => Operand::Equal([x.lane(0), y.lane(0), z.lane(0), w.lane(0)]),
        }
    }

    /// Reads the registers that addresses select, which differ between lanes.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    fn gather(&mut self, read: &Read, addresses: &[i32; LANES], active: &Active) {
        let mut registers = [0u16; LANES];
        for lane in 0..LANES {
            registers[lane] = 4 * u16::from(arith::uniform_index(read.register, addresses[lane]));
        }
        let values = self.uniforms.as_flattened();
        let mut is_read = [false; 4];
        for component in read.mask.iter() {
            is_read[usize::from(read.lanes[component.index()]) % 4] = true;
        }
        for (component, is_read) in is_read.into_iter().enumerate() {
            if !is_read {
                continue;
            }
            let to = &mut self.gathered[component].0;
            let index = |lane: usize| (usize::from(registers[lane]) + component) % (4 * sizes::INDICES);
            if let Some(window) = &self.window {
                for lane in bits(active.lanes).map(|lane| lane as usize % LANES) {
                    to[lane] = match window[index(lane)] {
                        window::NONE => values[index(lane)],
                        place => self.places[usize::from(place)][lane],
                    };
                }
            } else if active.blocks == ALL {
                for (lane, to) in to.iter_mut().enumerate() {
                    *to = values[index(lane)];
                }
            } else {
                for lane in bits(active.lanes) {
                    to[lane as usize % LANES] = values[index(lane as usize % LANES)];
                }
            }
        }
    }
}

/// The data state of a batch.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) sources: Sources,
    /// Results of an operation.
    pub(super) results: [Row; 4],
    /// Values that are equal in all lanes, for operations without a form for them.
    pub(super) equal: Box<[Lanes; 2]>,
    /// a0.x and a0.y
    pub(super) addresses: Box<[[i32; LANES]; 2]>,
    /// cmp.x and cmp.y, bit n is lane n.
    pub(super) flags: [u64; 2],
    /// Lanes of the run, in whole blocks: the others keep what they have.
    lanes: usize,
    /// The value of registers r and o at the start.
    uninitialized: [f32; 4],
    /// The same, of outputs that the program does not write.
    unwritten: Box<[Lanes; 4]>,
    /// The registers of small runs.
    pub(super) small: Small,
    /// The state of EMIT; only of geometry programs.
    pub(super) emission: Option<Box<Emission>>,
}

impl File {
    /// Registers for a program. Uniforms are zero.
    pub(super) fn new(places: &Places, settings: &Settings) -> Self {
        let uninitialized = if settings.flush_subnormals {
            settings.uninitialized.map(flush_subnormal)
        } else {
            settings.uninitialized
        };
        let mut uniforms = Box::new([[1.0; 4]; sizes::INDICES]);
        uniforms[..sizes::FLOATS].fill([0.0; 4]);
        let places = (0..places.count.max(1)).map(|_| Row::new()).collect();
        Self {
            sources: Sources {
                places,
                gathered: Box::new([Lanes::ZERO; 4]),
                uniforms,
                window: None,
                found: Found::Gathered,
            },
            results: [Row::new(), Row::new(), Row::new(), Row::new()],
            equal: Box::new([Lanes::ZERO; 2]),
            addresses: Box::new([[0; LANES]; 2]),
            flags: [0; 2],
            lanes: LANES,
            uninitialized,
            unwritten: Box::new(uninitialized.map(|value| Lanes([value; LANES]))),
            small: Small::new(settings, uninitialized),
            emission: None,
        }
    }

    /// Replaces the float uniforms; float24 narrows them here.
    pub(super) fn set_uniforms(&mut self, uniforms: &Uniforms, settings: &Settings) {
        self.write_uniforms(0, &uniforms.floats, settings);
    }

    /// Replaces float uniforms from c`first` on.
    pub(super) fn write_uniforms(&mut self, first: usize, values: &[[f32; 4]], settings: &Settings) {
        let places = self.sources.uniforms.get_mut(first..sizes::FLOATS).unwrap_or_default();
        for (place, &value) in places.as_flattened_mut().iter_mut().zip(values.as_flattened()) {
            *place = load(value, settings);
        }
    }

    /// Begins a run of the first lanes: gives registers that the program does not write first their
    /// defaults, and rounds inputs.
    pub(super) fn begin(&mut self, code: &Code, settings: &Settings, lanes: usize) {
        let places = &code.places;
        if code.moves {
            self.addresses.iter_mut().for_each(|address| address[..lanes].fill(0));
        }
        (self.lanes, self.small.is_running) = (lanes, false);
        // The banks of geometry programs change with each EMIT.
        let outputs = if self.emission.is_some() { 0 } else { code.fresh[1] };
        let fresh = places.some(Bank::Temp, code.fresh[0]).chain(places.some(Bank::Output, outputs));
        for (component, place) in fresh {
            self.sources.places[place][..lanes].fill(self.uninitialized[component % 4]);
        }
        for (_, place) in places.each(Bank::Input).filter(|_| rounds(settings)) {
            self.sources.places[place][..lanes].iter_mut().for_each(|value| *value = load(*value, settings));
        }
    }

    /// Sets the outputs of a lane that has ended.
    pub(super) fn set_outputs(&mut self, places: &Places, lane: usize, values: &[[f32; 4]; 16]) {
        for (component, place) in places.each(Bank::Output) {
            self.sources.places[place][lane] = values.as_flattened()[component];
        }
    }

    /// Sets the inputs that the program reads in the first lanes.
    pub(super) fn load(&mut self, places: &Places, inputs: &[[[f32; 4]; 16]]) {
        for (component, place) in places.each(Bank::Input) {
            let values = inputs.iter().map(|input| input[component / 4 % 16][component % 4]);
            self.sources.places[place].iter_mut().zip(values).for_each(|(lane, value)| *lane = value);
        }
    }

    /// The inputs of a lane; those that the program does not read have their default.
    pub(super) fn inputs(&self, places: &Places, lane: usize) -> [[f32; 4]; 16] {
        let mut inputs = Registers::DEFAULT_INPUTS;
        for (component, place) in places.each(Bank::Input) {
            inputs.as_flattened_mut()[component] = self.sources.places[place][lane];
        }
        inputs
    }

    /// The uniforms, as registers hold them.
    pub(super) fn uniforms(&self) -> &[[f32; 4]] {
        &self.sources.uniforms[..sizes::FLOATS]
    }

    /// The lanes of a component of an input, if the program reads it.
    pub(super) fn input_mut(&mut self, places: &Places, component: usize) -> Option<&mut [f32; LANES]> {
        let place = places.get(Bank::Input, component);
        Some(self.sources.places.get_mut(usize::from(place))?)
    }

    /// The lanes of a component of an output.
    pub(super) fn output(&self, places: &Places, component: usize) -> &[f32; LANES] {
        match places.get(Bank::Output, component) {
            NONE => &self.unwritten[component % 4].0,
            place => &self.sources.places[usize::from(place)],
        }
    }

    /// The lanes of a place.
    pub(super) fn lanes(&self, place: u16) -> &[f32; LANES] {
        &self.sources.places[usize::from(place)]
    }
    pub(super) fn lanes_mut(&mut self, place: u16) -> &mut Row {
        &mut self.sources.places[usize::from(place)]
    }

    /// Prepares the relative read of an operation.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn prepare(&mut self, operation: &Operation, counter: i32, at: &At<'_>) {
        if let Some(read) = operation.relative {
            self.sources.found = self.relative(&operation.reads[usize::from(read) % 3], counter, at);
        }
    }

    /// Finds the registers of a relative read.
    #[inline(never)]
    fn relative(&mut self, read: &Read, counter: i32, at: &At<'_>) -> Found {
        let (sources, counters) = (&mut self.sources, [counter; LANES]);
        let addresses = match read.from {
            From::Relative(Index::A0x) => &self.addresses[0],
            From::Relative(Index::A0y) => &self.addresses[1],
            From::Relative(Index::Al | Index::None) | From::Lanes | From::Uniform => {
                if sources.window.is_none() {
                    return Found::Register(arith::uniform_index(read.register, counter));
                }
                &counters
            }
        };
        at.wide.call(
            #[inline(always)]
            || match at.active.common(addresses) {
                Some(address) if sources.window.is_none() => {
                    Found::Register(arith::uniform_index(read.register, address))
                }
                Some(_) | None => {
                    sources.gather(read, addresses, at.active);
                    Found::Gathered
                }
            },
        )
    }

    /// Writes the results to the destination.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn write(&mut self, operation: &Operation, at: &At<'_>) {
        for component in components(operation.mask) {
            let place = &mut self.sources.places[usize::from(operation.dest[component])];
            let result = &mut self.results[component];
            if at.active.is_whole { std::mem::swap(place, result) } else { at.active.blend(place, result) }
        }
    }

    /// Writes the same result, the first, to each component.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn write_equal(&mut self, operation: &Operation, at: &At<'_>) {
        let mut mask = operation.mask.0;
        while mask != 0 {
            let place = operation.dest[mask.trailing_zeros() as usize % 4];
            let place = &mut self.sources.places[usize::from(place)];
            mask &= mask - 1;
            if !at.active.is_whole {
                at.active.blend(place, &self.results[0]);
            } else if mask == 0 {
                std::mem::swap(place, &mut self.results[0]);
            } else {
                **place = *self.results[0];
            }
        }
    }
}

/// Circumstances of an operation.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) wide: Wide,
    pub(super) active: &'a Active,
}

/// Returns whether inputs are rounded.
pub(super) fn rounds(settings: &Settings) -> bool {
    settings.precision == Precision::F24 || settings.flush_subnormals
}

/// An input or uniform as the registers hold it.
pub(super) fn load(value: f32, settings: &Settings) -> f32 {
    let value = arith::load(settings.precision, value);
    if settings.flush_subnormals { flush_subnormal(value) } else { value }
}
