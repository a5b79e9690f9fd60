//! Outputs of a vertex entry, from the output map.
//! In: the register component of each semantic, options, the profile. Out: the position and one
//! varying for each semantic. Knows no instruction; mapped registers need not be written by the
//! program.
//! Facts: libctru assigns a semantic's codes to the set mask bits in ascending order. The GPU takes
//! registers in ascending order and the last of two components with one code. Unmapped components
//! read 1.0 (hardware tests).

use super::hooks::Hook;
use super::interface::{ComponentSource, Location, Output, OutputValue};
use super::settings::linkage::{Varying, VaryingSource};
use super::settings::options::{ClipPlanes, Options, UndefinedValue};
use super::settings::profile::{Locations, Profile};
use crate::error::{At, Error, Kind, Result};
use crate::program::container::{Dvle, Semantic, UNUSED_CODE};
use crate::program::isa::{Component, Mask};

/// Rasterizer semantics in the order of outputs. Names end in a letter, so that no target renames
/// them.
const VARYINGS: [(Semantic, &str); 8] = [
    (Semantic::Position, "position"),
    (Semantic::Color, "color"),
    (Semantic::Texcoord0, "texcoord0_uv"),
    (Semantic::Texcoord1, "texcoord1_uv"),
    (Semantic::Texcoord2, "texcoord2_uv"),
    (Semantic::Texcoord0W, "texcoord0_w"),
    (Semantic::Quaternion, "normal_quaternion"),
    (Semantic::View, "view"),
];

/// Returns the components of o0..o15 that some output takes, of the registers in `forwarded`.
pub fn components(outputs: &[Output], forwarded: u16) -> [Mask; 16] {
    let mut seen = [Mask::NONE; 16];
    for source in outputs.iter().flat_map(|output| &output.components) {
        if let ComponentSource::Register { register, component } = *source
            && forwarded >> (register & 15) & 1 != 0
        {
            seen[usize::from(register & 15)].0 |= 1 << component.index();
        }
    }
    seen
}

/// Returns the destination of a semantic.
fn location(semantic: Semantic, locations: &Locations) -> Option<Location> {
    match semantic {
        Semantic::Position => Some(Location::Position),
        Semantic::Color => Some(Location::Varying(locations.color)),
        Semantic::Texcoord0 => Some(Location::Varying(locations.texcoord0)),
        Semantic::Texcoord1 => Some(Location::Varying(locations.texcoord1)),
        Semantic::Texcoord2 => Some(Location::Varying(locations.texcoord2)),
        Semantic::Texcoord0W => Some(Location::Varying(locations.texcoord0_w)),
        Semantic::Quaternion => Some(Location::Varying(locations.quaternion)),
        Semantic::View => Some(Location::Varying(locations.view)),
        Semantic::Generic => None,
    }
}

/// Number of codes of five bits.
const CODES: usize = 32;

/// Register component of each of the GPU's semantic codes (0 position.x … 0x17 texcoord2.v).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputMap {
    sources: [Option<(u8, Component)>; CODES],
}

impl OutputMap {
    /// Builds the map from map words: byte j of a register's word is the code of its component j.
    /// The last component of a code counts, so words must come by ascending register.
    pub fn from_words(words: impl IntoIterator<Item = (u8, [u8; 4])>) -> Self {
        let mut map = Self::default();
        for (register, codes) in words {
            for (component, code) in Component::ALL.into_iter().zip(codes) {
                map.sources[usize::from(code) % CODES] = Some((register, component));
            }
        }
        map.sources[usize::from(UNUSED_CODE)] = None;
        map
    }

    /// Replaces the components of a semantic by those of a register, x first.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, semantic: Semantic, register: u8) -> Self {
        let info = semantic.info();
        let codes = self.sources.iter_mut().skip(info.first_code.into()).take(info.components.into());
        for (source, component) in codes.zip(Component::ALL) {
            *source = Some((register & 15, component));
        }
        self
    }

    /// Appends the map.
    #[doc(hidden)]
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { sources } = self;
        for source in sources {
            // Register and component take six bits, so 0xFF is free for unmapped codes.
            out.push(source.map_or(0xFF, |(register, component)| register << 2 | component as u8));
        }
    }

    /// Builds the map that libctru programs from the output table of an executable.
    pub fn from_executable(executable: &Dvle<'_>) -> Self {
        let mut words = [[UNUSED_CODE; 4]; 16];
        for output in executable.outputs.iter() {
            let (Some(semantic), Some(codes)) =
                (output.semantic(), words.get_mut(usize::from(output.register)))
            else {
                continue;
            };
            let info = semantic.info();
            let set = codes.iter_mut().enumerate().filter(|(j, _)| output.mask >> j & 1 != 0);
            set.zip(0..info.components).for_each(|((_, code), next)| *code = info.first_code + next);
        }
        Self::from_words((0..).zip(words))
    }
}

/// Returns the mask of the mapped codes, on which depends which outputs there are; 0 if there are
/// all.
pub(crate) fn mapped(map: &OutputMap, options: &Options) -> u32 {
    let codes = (0..CODES).filter(|&code| !options.outputs.all && map.sources[code].is_some());
    codes.fold(0, |mask, code| mask | 1 << code)
}

/// Returns the outputs of the vertex entry. The position is always present; its unmapped components
/// are 1.0.
///
/// The varyings are those of the profile's table, or else one for each mapped semantic.
pub fn outputs(map: &OutputMap, options: &Options, profile: &Profile) -> Vec<Output> {
    let locations = &profile.locations;
    let unmapped = match options.outputs.unmapped {
        UndefinedValue::Default => ComponentSource::One,
        UndefinedValue::Zero => ComponentSource::Zero,
    };
    let mut outputs = Vec::with_capacity(VARYINGS.len() + 2);
    let semantics = if profile.varyings.is_empty() { VARYINGS.len() } else { 1 };
    for &(semantic, name) in &VARYINGS[..semantics] {
        let info = semantic.info();
        let first = usize::from(info.first_code);
        let codes = &map.sources[first..first + usize::from(info.components)];
        let Some(location) = location(semantic, locations) else { continue };
        let is_wanted = location == Location::Position || options.outputs.all;
        if !is_wanted && codes.iter().all(Option::is_none) {
            continue;
        }
        let source = |source: &Option<(u8, Component)>| {
            source.map_or(unmapped, |(register, component)| ComponentSource::Register { register, component })
        };
        outputs.push(Output {
            name: name.to_string(),
            location,
            components: codes.iter().map(source).collect(),
            value: match semantic {
                Semantic::Position => OutputValue::Position,
                Semantic::Color => OutputValue::Color,
                _other_semantics => OutputValue::Plain,
            },
            semantic: Some(semantic),
            hooks: Vec::new(),
        });
    }
    let position = outputs[0].components.clone();
    let rows = profile.varyings.iter();
    outputs.extend(rows.clone().filter_map(|varying| shaped(varying, map, options, unmapped)));
    if let Some(location) = locations.position
        && profile.varyings.is_empty()
    {
        outputs.push(Output {
            name: "position_raw".to_string(),
            location: Location::Varying(location),
            components: position.clone(),
            value: OutputValue::Plain,
            semantic: Some(Semantic::Position),
            hooks: Vec::new(),
        });
    }
    let row = rows.clone().find(|row| row.components.is_empty());
    let distances = match options.outputs.clip_planes {
        ClipPlanes::None => None,
        ClipPlanes::BuiltIn => Some(Location::ClipDistances),
        ClipPlanes::Varying => {
            Some(Location::Varying(row.map_or(locations.clip_distances, |row| row.location)))
        }
    };
    outputs.extend(distances.map(|location| Output {
        name: row.map_or("clip_distances", |row| &row.name).to_string(),
        location,
        components: position,
        value: OutputValue::ClipDistances,
        semantic: Some(Semantic::Position),
        hooks: Vec::new(),
    }));
    outputs
}

/// Place of an output in a record, and of the attribute that forwards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Location of the attribute.
    pub location: u8,
    /// First float in the record.
    pub offset: usize,
    /// Number of floats, and components of the attribute.
    pub lanes: u8,
}

/// Returns the places of outputs that lie one behind the other.
pub fn places(outputs: &[Output]) -> impl Iterator<Item = Place> {
    outputs.iter().zip(0..).scan(0, |next, (output, location)| {
        // Range: at most four.
        let (offset, lanes) = (*next, output.lanes() as u8);
        *next += usize::from(lanes);
        Some(Place { location, offset, lanes })
    })
}

/// Returns the output of a varying of the host; none if nothing is mapped to it.
fn shaped(
    varying: &Varying,
    map: &OutputMap,
    options: &Options,
    unmapped: ComponentSource,
) -> Option<Output> {
    let (mut colors, mut complements) = (Mask::NONE, Mask::NONE);
    let is_wanted = options.outputs.all || is_mapped(varying, map);
    let mut components = Vec::with_capacity(varying.components.len());
    for (index, source) in varying.components.iter().enumerate() {
        let mapped = source.code().and_then(|code| map.sources[usize::from(code) % CODES]);
        let bit = 1 << index;
        complements.0 |= if matches!(source, VaryingSource::Complement(_)) { bit } else { 0 };
        let info = Semantic::Color.info();
        let codes = info.first_code..info.first_code + info.components;
        colors.0 |= if source.code().is_some_and(|code| codes.contains(&code)) { bit } else { 0 };
        components.push(match (source, mapped) {
            (VaryingSource::Zero, _) => ComponentSource::Zero,
            (VaryingSource::One, _) => ComponentSource::One,
            (VaryingSource::Code(_) | VaryingSource::Complement(_), None) => unmapped,
            (VaryingSource::Code(_) | VaryingSource::Complement(_), Some((register, component))) => {
                ComponentSource::Register { register, component }
            }
        });
    }
    let value = match (colors, complements) {
        (Mask::NONE, Mask::NONE) => OutputValue::Plain,
        _some => OutputValue::Mixed { colors, complements },
    };
    (is_wanted && !components.is_empty()).then(|| Output {
        name: varying.name.to_string(),
        location: Location::Varying(varying.location),
        components,
        value,
        semantic: semantic(varying),
        hooks: Vec::new(),
    })
}

/// Returns whether a varying of the host has a value: a mapped component, or a constant.
fn is_mapped(varying: &Varying, map: &OutputMap) -> bool {
    let has_value = |source: &VaryingSource| match source.code() {
        Some(code) => map.sources[usize::from(code) % CODES].is_some(),
        None => true,
    };
    varying.components.iter().any(has_value)
}

/// Checks that hooks change outputs that are varyings of their own.
///
/// # Errors
/// [`Kind::Setup`] for an output that a varying of the profile joins with others.
pub(crate) fn check_hooked(hooks: &[Hook], profile: &Profile) -> Result<()> {
    for (number, hook) in hooks.iter().enumerate() {
        let &Hook::Output(hooked, _) = hook else { continue };
        let info = hooked.info();
        let codes = info.first_code..info.first_code + info.components;
        let takes = |varying: &&Varying| {
            let mut all = varying.components.iter().filter_map(|source| source.code());
            all.any(|code| codes.contains(&code)) && semantic(varying) != Some(hooked)
        };
        if let Some(varying) = profile.varyings.iter().find(takes) {
            let text = format!("hook {number}: varying {} joins its output with others", varying.name);
            return Err(Error::setup(text));
        }
    }
    Ok(())
}

/// Returns the semantic whose components, all of them and in order, are those of a varying.
fn semantic(varying: &Varying) -> Option<Semantic> {
    let is_one = |(semantic, _): &(Semantic, &str)| {
        let info = semantic.info();
        let codes = (info.first_code..).take(varying.components.len());
        varying.components.len() == usize::from(info.components)
            && varying.components.iter().map(|source| source.code()).eq(codes.map(Some))
    };
    VARYINGS.into_iter().find(is_one).map(|(semantic, _)| semantic)
}

/// Returns the output registers of the mask, unchanged, the n-th at location n.
pub fn passed_on(outputs: u16) -> Vec<Output> {
    let registers = (0u8..16).filter(|register| outputs >> register & 1 != 0);
    let output = |(location, register): (u32, u8)| Output {
        name: format!("o{register}"),
        location: Location::Varying(location),
        components: Component::ALL.map(|component| ComponentSource::Register { register, component }).into(),
        value: OutputValue::Plain,
        semantic: None,
        hooks: Vec::new(),
    };
    (0..).zip(registers).map(output).collect()
}

/// Checks that no two outputs share a location.
///
/// # Errors
/// [`Kind::SharedLocation`] with both names.
pub fn check_locations(outputs: &[Output]) -> Result<()> {
    for (index, output) in outputs.iter().enumerate() {
        let Location::Varying(location) = output.location else { continue };
        if let Some(other) = outputs[..index].iter().find(|other| other.location == output.location) {
            let outputs = [other.name.clone(), output.name.clone()];
            return Err(Error::new(Kind::SharedLocation { location, outputs }, At::Whole));
        }
    }
    Ok(())
}
