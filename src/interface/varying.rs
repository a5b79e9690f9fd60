//! Outputs of a vertex entry, from the output map.
//! In: the register component of each semantic, options, the profile's table of varyings. Out: the
//! position, varyings, clip distances. Knows no instruction; mapped registers need not be written
//! by the program.
//! Facts: unmapped components read 1.0 (hardware tests).

use super::output::{ComponentSource, Location, Output, OutputValue};
use crate::error::{At, Error, Kind, Result};
use crate::host::hooks::Hook;
use crate::host::registers::OutputMap;
use crate::host::registers::output_map::CODES;
use crate::host::settings::linkage::{self, Varying, VaryingSource};
use crate::host::settings::{ClipPlanes, Options, Profile, UndefinedValue};
use crate::program::container::Semantic;
use crate::program::isa::{Component, Mask};

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

/// Returns the mask of the mapped codes, which decides which outputs exist, or 0 if all do.
pub(crate) fn mapped(map: &OutputMap, options: &Options) -> u32 {
    let codes = (0..CODES as u8).filter(|&code| !options.outputs.all && map.get(code).is_some());
    codes.fold(0, |mask, code| mask | 1 << code)
}

/// Returns the source of a component of a varying.
fn component(map: &OutputMap, source: VaryingSource, options: &Options) -> ComponentSource {
    match source {
        VaryingSource::Zero => ComponentSource::Zero,
        VaryingSource::One => ComponentSource::One,
        VaryingSource::Code(code) | VaryingSource::Complement(code) => {
            match (map.get(code), options.outputs.unmapped) {
                (Some((register, component)), _) => ComponentSource::Register { register, component },
                (None, UndefinedValue::Default) => ComponentSource::One,
                (None, UndefinedValue::Zero) => ComponentSource::Zero,
            }
        }
    }
}

/// Returns the outputs of the vertex entry: the position, the profile's varyings that the map has,
/// the clip distances. The position is always present; its unmapped components are 1.0.
pub fn outputs(map: &OutputMap, options: &Options, profile: &Profile) -> Vec<Output> {
    let of_position = |name: &str, location, value| {
        let components = (0..4).map(|code| component(map, VaryingSource::Code(code), options)).collect();
        let semantic = Some(Semantic::Position);
        Output { value, semantic, ..Output::plain(name.to_string(), location, components) }
    };
    let row = linkage::distances(&profile.varyings);
    let distances = match options.outputs.clip_planes {
        ClipPlanes::None => None,
        ClipPlanes::BuiltIn => Some(Location::ClipDistances),
        ClipPlanes::Varying => Some(Location::Varying(row.location)),
    };
    let mut outputs = Vec::with_capacity(profile.varyings.len() + 2);
    outputs.push(of_position("position", Location::Position, OutputValue::Position));
    outputs.extend(profile.varyings.iter().filter_map(|row| varying(row, map, options)));
    outputs.extend(distances.map(|location| of_position(&row.name, location, OutputValue::ClipDistances)));
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

/// Returns the places of outputs that lie one after the other.
pub fn places(outputs: &[Output]) -> impl Iterator<Item = Place> {
    outputs.iter().zip(0..).scan(0, |next, (output, location)| {
        // Range: at most four.
        let (offset, lanes) = (*next, output.lanes() as u8);
        *next += usize::from(lanes);
        Some(Place { location, offset, lanes })
    })
}

/// Returns the output of a row of the table, or `None` if nothing is mapped to it.
fn varying(row: &Varying, map: &OutputMap, options: &Options) -> Option<Output> {
    let semantic = row.semantic();
    // The position is always there, so its copy is.
    let is_copy = semantic == Some(Semantic::Position);
    let has_value = |source: &VaryingSource| source.code().is_none_or(|code| map.get(code).is_some());
    let is_wanted = options.outputs.all || is_copy || row.components.iter().any(has_value);
    if !is_wanted || row.components.is_empty() {
        return None;
    }
    let mask = |is: &dyn Fn(&VaryingSource) -> bool| {
        Mask(row.components.iter().rev().fold(0, |mask, source| mask << 1 | u8::from(is(source))))
    };
    let codes = Semantic::Color.codes();
    let colors = mask(&|source| source.code().is_some_and(|code| codes.contains(&code)));
    let complements = mask(&|source| matches!(source, VaryingSource::Complement(_)));
    let value = match (semantic, colors, complements) {
        (Some(Semantic::Color), _, Mask::NONE) => OutputValue::Color,
        (_, Mask::NONE, Mask::NONE) => OutputValue::Plain,
        _some => OutputValue::Mixed { colors, complements },
    };
    let components = row.components.iter().map(|&source| component(map, source, options)).collect();
    let output = Output::plain(row.name.to_string(), Location::Varying(row.location), components);
    Some(Output { value, semantic, ..output })
}

/// Checks that each output that a hook changes is a varying of its own.
///
/// # Errors
/// [`Kind::Setup`] for an output that a varying of the profile joins with others.
pub(crate) fn check_hooked(hooks: &[Hook], profile: &Profile) -> Result<()> {
    for (number, hook) in hooks.iter().enumerate() {
        let &Hook::Output(hooked, _) = hook else { continue };
        let codes = hooked.codes();
        let takes = |varying: &&Varying| {
            let mut all = varying.components.iter().filter_map(|source| source.code());
            all.any(|code| codes.contains(&code)) && varying.semantic() != Some(hooked)
        };
        if let Some(varying) = profile.varyings.iter().find(takes) {
            let text = format!("hook {number}: varying {} combines its output with others", varying.name);
            return Err(Error::setup(text));
        }
    }
    Ok(())
}

/// Returns the name of a vector that a geometry stage takes. It ends in a letter, so that no target
/// renames it.
pub(crate) fn forwarded_name(vector: u8) -> String {
    format!("vector_{}", char::from(b'a' + vector % 16))
}

/// Returns the output registers of the mask, unchanged, the n-th at location n. The inputs of the
/// geometry stage have the same names.
pub fn passed_on(outputs: u16) -> Vec<Output> {
    let registers = (0u8..16).filter(|register| outputs >> register & 1 != 0);
    let output = |(location, register): (u32, u8)| {
        let components = Component::ALL.map(|component| ComponentSource::Register { register, component });
        // Range: at most sixteen.
        Output::plain(forwarded_name(location as u8), Location::Varying(location), components.into())
    };
    (0..).zip(registers).map(output).collect()
}

/// Returns the outputs of a point of so many vertices, those of each one after the other.
pub(crate) fn of_point(outputs: u16, vertices: u8) -> Vec<Output> {
    let all = (0..vertices).flat_map(|_| passed_on(outputs)).zip(0..);
    let place = |(output, location): (Output, u32)| {
        // Range: at most sixteen.
        let name = forwarded_name(location as u8);
        Output { name, location: Location::Varying(location), ..output }
    };
    all.map(place).collect()
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
