//! The outputs of a vertex entry, from the output map.
//! In: an executable. Out: the position and one varying for each semantic that occurs, at fixed locations.
//! Knows no instruction: whether the program writes what is mapped is not asked here.
//! Facts: libctru assigns a semantic's codes to the set mask bits in ascending order; the GPU takes registers in ascending
//! order and the last of two components with one code; components that nothing maps read 1.0 (hardware tests).

use super::interface::{ComponentSource, Location, Output};
use crate::container::{Dvle, Semantic, UNUSED_CODE};
use crate::error::Warning;
use crate::isa::Component;

/// Where a semantic goes and what it is called there. Names end in a letter, so that no target changes them.
struct Varying {
    semantic: Semantic,
    location: Location,
    name: &'static str,
}

/// Every semantic that the rasteriser knows, in the order of outputs.
const VARYINGS: [Varying; 8] = {
    use Semantic::*;
    const fn row(semantic: Semantic, location: Location, name: &'static str) -> Varying {
        Varying { semantic, location, name }
    }
    [
        row(Position, Location::Position, "position"),
        row(Color, Location::Varying(0), "color"),
        row(Texcoord0, Location::Varying(1), "texcoord0_uv"),
        row(Texcoord1, Location::Varying(2), "texcoord1_uv"),
        row(Texcoord2, Location::Varying(3), "texcoord2_uv"),
        row(Texcoord0W, Location::Varying(4), "texcoord0_w"),
        row(Quaternion, Location::Varying(5), "normal_quaternion"),
        row(View, Location::Varying(6), "view"),
    ]
};

/// Codes that five bits can name.
const CODES: usize = 32;

/// Which register component feeds each of the GPU's semantic codes.
fn sources(executable: &Dvle<'_>) -> [Option<ComponentSource>; CODES] {
    let mut map = [[UNUSED_CODE; 4]; 16];
    for output in executable.outputs.iter() {
        let (Some(semantic), Some(codes)) = (output.semantic(), map.get_mut(usize::from(output.register)))
        else {
            continue;
        };
        let info = semantic.info();
        let set = codes.iter_mut().enumerate().filter(|(j, _)| output.mask >> j & 1 != 0);
        set.zip(0..info.components).for_each(|((_, code), next)| *code = info.first_code + next);
    }
    let mut sources = [None; CODES];
    for (register, codes) in (0u8..).zip(map) {
        for (component, code) in Component::ALL.into_iter().zip(codes) {
            sources[usize::from(code) % CODES] = Some(ComponentSource::Register { register, component });
        }
    }
    sources[usize::from(UNUSED_CODE)] = None;
    sources
}

/// The outputs of the vertex entry. The position is always there; what the map leaves out of it is 1.0.
pub fn outputs(executable: &Dvle<'_>, warnings: &mut Vec<Warning>) -> Vec<Output> {
    warn_generic(executable, warnings);
    let sources = sources(executable);
    let mut outputs = Vec::with_capacity(VARYINGS.len());
    for varying in &VARYINGS {
        let info = varying.semantic.info();
        let first = usize::from(info.first_code);
        let codes = &sources[first..first + usize::from(info.components)];
        if varying.location != Location::Position && codes.iter().all(Option::is_none) {
            continue;
        }
        outputs.push(Output {
            name: varying.name.to_string(),
            location: varying.location,
            components: codes.iter().map(|source| source.unwrap_or(ComponentSource::One)).collect(),
            color: varying.semantic == Semantic::Color,
        });
    }
    outputs
}

/// Generic outputs feed a geometry program; a vertex entry has no place for them.
fn warn_generic(executable: &Dvle<'_>, warnings: &mut Vec<Warning>) {
    let table = &executable.outputs;
    for (index, output) in table.iter().enumerate().take(usize::from(u8::MAX)) {
        if output.semantic() == Some(Semantic::Generic) {
            let text = format!("o{} is generic: only a geometry program sees it", output.register);
            warnings.push(Warning { text, at: table.at(index) });
        }
    }
}
