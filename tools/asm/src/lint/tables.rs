//! Checks of the tables of an executable: missing position, semantics and inputs with two entries.
//! In: an executable and the others of its file. Out: findings about the program as a whole. Knows
//! no code. Facts: 3dbrew "SHBIN"; libctru assigns the components of a semantic to the bits of an
//! entry's mask in ascending order.

use super::{Findings, Rule};
use transpica::container::{Dvle, OutputRecord, Semantic, ShaderType, SymbolBank};
use transpica::isa::Mask;
use transpica::{Shbin, Stage};

pub(super) fn run(stage: Stage, file: &Shbin<'_>, executable: &Dvle<'_>, findings: &mut Findings) {
    if !draws(stage, file, executable) {
        findings.add_without_place(Rule::NoPosition, "no output is the position");
    }
    kinds(executable, findings);
    inputs(executable, findings);
}

/// Returns whether a position comes from this program, or may come from elsewhere.
fn draws(stage: Stage, file: &Shbin<'_>, executable: &Dvle<'_>) -> bool {
    let has = |executable: &Dvle<'_>, wanted: Semantic| {
        let mut outputs = executable.outputs.iter();
        outputs.any(|output| output.semantic() == Some(wanted) && output.mask & 15 != 0)
    };
    let of_kind = |kind: ShaderType| {
        file.executables.iter().filter(move |other| other.header.shader_type() == Some(kind))
    };
    has(executable, Semantic::Position)
        || match stage {
            Stage::Vertex => {
                has(executable, Semantic::Generic) || of_kind(ShaderType::Geometry).next().is_some()
            }
            Stage::Geometry => {
                // The map of the vertex program counts as well, and it may be in another file.
                let mut vertex = of_kind(ShaderType::Vertex).peekable();
                executable.header.merges_output_maps()
                    && (vertex.peek().is_none() || vertex.any(|vertex| has(vertex, Semantic::Position)))
            }
        }
}

/// Finds components to which two entries of the output map give the same semantic.
fn kinds(executable: &Dvle<'_>, findings: &mut Findings) {
    let meant: Vec<OutputRecord> = executable.outputs.iter().filter(|output| output.mask & 15 != 0).collect();
    for (index, output) in meant.iter().enumerate() {
        let Some(semantic) = output.semantic() else { continue };
        let info = semantic.info();
        for other in meant[..index].iter().filter(|other| other.kind == output.kind) {
            let [first, second] = [other, output].map(|output| components(*output));
            let shared = first.count_ones().min(second.count_ones()).min(info.components.into());
            // A repeated identical entry changes nothing.
            if shared > 0 && (other.register, first) != (output.register, second) {
                let name = info.name;
                let message = format!(
                    "o{}.{} and o{}.{} are both {name}",
                    other.register,
                    Mask(first),
                    output.register,
                    Mask(second)
                );
                findings.add_without_place(Rule::OutputKindTwice, message);
            }
        }
    }
}

/// The components of an entry of the output map.
fn components(output: OutputRecord) -> u8 {
    (output.mask & 15) as u8 // Range: the mask.
}

/// Finds input registers that two symbols name.
fn inputs(executable: &Dvle<'_>, findings: &mut Findings) {
    let mut names = [None; 16];
    for symbol in executable.symbols.iter() {
        let Some(range) = symbol.range().filter(|range| range.bank == SymbolBank::Input) else { continue };
        for register in range.first..range.first + range.count {
            let Some(place) = names.get_mut(usize::from(register)) else { continue };
            let name = executable.name(symbol.name);
            if let Some(first) = place.replace(name) {
                let message = format!("v{register} is both {} and {}", first.to_text(), name.to_text());
                findings.add_without_place(Rule::InputTwice, message);
            }
        }
    }
}
