//! Warnings about output maps and attributes that make no sense.
//! In: map words, tables of files, outputs of a module. Out: warnings with their places. No output
//! follows from them. Knows no instruction.
//! Facts: 3dbrew "GPU/Internal Registers" (output map, attribute permutation); hardware tests: of
//! two components with one code, the one of the higher register counts.

use super::entry_point::EntryPoint;
use super::module::Interface;
use super::output::{ComponentSource, Location, Output};
use crate::error::{At, Warning};
use crate::host::registers::output_map::CODES;
use crate::host::settings::{Profile, Varying, VaryingSource};
use crate::program::container::{
    Dvle, OutputRecord, SEMANTICS, Semantic, SemanticInfo, ShaderType, Shbin, UNUSED_CODE,
};
use crate::program::isa::Component;

/// The component of a register that each code of the output map belongs to so far.
#[derive(Default)]
struct Claims {
    of: [Option<(u8, Component)>; CODES],
}

impl Claims {
    /// Gives codes to the components of a register. Registers come in ascending order. Returns the
    /// problem of the first component that has one.
    fn add(&mut self, register: u8, codes: [u8; 4]) -> Option<String> {
        let mut problem = None;
        // The hardware reads five bits.
        for (component, code) in Component::ALL.into_iter().zip(codes.map(|code| code % CODES as u8)) {
            if code == UNUSED_CODE {
                continue;
            }
            let here = || format!("o{register}.{}", component.letter());
            let last = self.of[usize::from(code)].replace((register, component));
            let new = match (code_info(code), last) {
                (None, _) => Some(format!(
                    "{} has output code {code:#x}, which belongs to no semantic; an unused component has {UNUSED_CODE:#x}",
                    here()
                )),
                (Some(info), Some((other, letter))) => Some(format!(
                    "o{other}.{} and {here} are both {name}: the rasterizer uses {here}; set the other one to code \
                     {UNUSED_CODE:#x}",
                    letter.letter(),
                    here = here(),
                    name = code_name(info, code),
                )),
                (Some(_), None) => None,
            };
            problem = problem.or(new);
        }
        problem
    }
}

/// Returns the semantic of a code.
fn code_info(code: u8) -> Option<&'static SemanticInfo> {
    SEMANTICS.iter().find(|info| info.semantic != Semantic::Generic && info.semantic.codes().contains(&code))
}

/// Returns the name of the semantic and the component of a code.
fn code_name(info: &SemanticInfo, code: u8) -> String {
    let component = Component::ALL[usize::from(code - info.first_code)];
    match info.components {
        1 => info.name.to_owned(),
        _ => format!("{}.{}", info.name, component.letter()),
    }
}

/// Warns of the words of an output map, each with its register.
pub fn words(words: impl IntoIterator<Item = (u8, [u8; 4])>, warnings: &mut Vec<Warning>) {
    let mut claims = Claims::default();
    let problems = words.into_iter().filter_map(|(register, codes)| claims.add(register, codes));
    warnings.extend(problems.map(|text| Warning { text, at: At::Whole }));
}

/// Warns of components that two entries of a file's output table give the same code, at the entry
/// of the higher register or the later one.
pub fn repeated(executable: &Dvle<'_>, warnings: &mut Vec<Warning>) {
    let table = &executable.outputs;
    let mut entries: Vec<_> = table.iter().enumerate().take(usize::from(u8::MAX)).collect();
    entries.sort_by_cached_key(|(_, entry)| u64::from(entry.register));
    let mut claims = Claims::default();
    for (index, entry) in entries {
        let mut codes = [UNUSED_CODE; 4];
        let (Some(_), Ok(register @ 0..16)) = (entry.assign(&mut codes), u8::try_from(entry.register)) else {
            continue;
        };
        warnings.extend(claims.add(register, codes).map(|text| Warning { text, at: table.place(index) }));
    }
}

/// Warns of v registers that a program reads and that several attributes go to. `attributes` are
/// the registers of the attributes, in order; `reads` is a mask.
pub fn attributes(attributes: impl IntoIterator<Item = u8>, reads: u16, warnings: &mut Vec<Warning>) {
    let mut of = [None; 16];
    for (attribute, register) in (0u8..).zip(attributes) {
        let last = of[usize::from(register) % 16].replace(attribute);
        if let Some(last) = last
            && reads >> register & 1 != 0
        {
            let text = format!(
                "attributes {last} and {attribute} both go to v{register}, and the last one wins; give each its own register"
            );
            warnings.push(Warning { text, at: At::Whole });
        }
    }
}

/// Warns of varyings of the host that are constant, although they take codes, because no output is
/// mapped to any of them.
pub fn constants(interface: &Interface, profile: &Profile, warnings: &mut Vec<Warning>) {
    let is_register = |source: &ComponentSource| matches!(source, ComponentSource::Register { .. });
    let is_constant = |varying: &&Varying| {
        // Few outputs are constant, so that is asked first.
        let mut outputs =
            interface.outputs.iter().filter(|output| !output.components.iter().any(is_register));
        outputs.any(|output| *output.name == *varying.name)
            && varying.components.iter().any(|source: &VaryingSource| source.code().is_some())
            // One that is the position has its own warning.
            && varying.semantic() != Some(Semantic::Position)
    };
    // The option asks for all varyings, whatever is mapped.
    if interface.options.outputs.all {
        return;
    }
    warnings.extend(profile.varyings.iter().filter(is_constant).map(|varying| {
        let text = format!(
            "varying {} is constant: no output is mapped to the codes that it combines with constants",
            varying.name
        );
        Warning { text, at: At::Whole }
    }));
}

/// Text about a vertex program before a geometry program.
pub const TAKEN: &str =
    "a geometry program takes the outputs of this vertex program: none of them reach the rasterizer";

/// Warns of a module whose vertices all have the same position, because no output register is
/// mapped to it. The compute entry of a vertex program has no position. That a geometry program of
/// the file makes it is a reason, and concerns no other module.
pub fn position(interface: &Interface, warnings: &mut Vec<Warning>) {
    let is_constant = |output: &Output| {
        let is_register = |source: &ComponentSource| matches!(source, ComponentSource::Register { .. });
        output.location == Location::Position && !output.components.iter().any(is_register)
    };
    let writes_position = !matches!(interface.entry_point, EntryPoint::Compute);
    if !writes_position || !interface.outputs.iter().any(is_constant) {
        warnings.retain(|warning| warning.text == TAKEN || !warning.text.starts_with(TAKEN));
    } else if !warnings.iter().any(|warning| warning.text.starts_with(TAKEN)) {
        let text = "no output is mapped to the position, so all vertices have the same position";
        warnings.push(Warning { text: text.into(), at: At::Whole });
    }
}

/// Warns of generic outputs, which feed a geometry program, if the file has no geometry program,
/// and of a vertex program with only those if it has one.
pub fn generic(file: &Shbin<'_>, executable: &Dvle<'_>, warnings: &mut Vec<Warning>) {
    let is_geometry = |other: &Dvle<'_>| other.header.shader_type() == Some(ShaderType::Geometry);
    if let Some(index) = file.executables.iter().position(is_geometry) {
        let is_generic = |output: OutputRecord| output.semantic() == Some(Semantic::Generic);
        if !is_geometry(executable)
            && !executable.outputs.is_empty()
            && executable.outputs.iter().all(is_generic)
        {
            let text = format!("{TAKEN}; DVLE {index} is that program");
            warnings.push(Warning { text, at: At::Whole });
        }
        return;
    }
    let table = &executable.outputs;
    for (index, output) in table.iter().enumerate().take(usize::from(u8::MAX)) {
        if output.semantic() == Some(Semantic::Generic) {
            let text = format!("o{} is generic: only a geometry program can read it", output.register);
            warnings.push(Warning { text, at: table.place(index) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::registers::RegisterState;
    use crate::host::settings::{Job, Options};
    use crate::interface::{Environment, FileEnvironment, Usage};
    use crate::program::container::{Executable, Model, OutputRecord, write};
    use crate::program::isa::{Pc, Program, Stage};
    use crate::translate::Translator;

    fn texts(warnings: &[Warning]) -> Vec<String> {
        warnings.iter().map(ToString::to_string).collect()
    }

    /// A state with outputs at o5 and on, with attributes at these registers, in order.
    fn state(words: &[u32], attributes: &[u32]) -> RegisterState {
        let mut state = RegisterState::default();
        let count = words.len() as u32;
        state.write(0x2BD, ((1 << count) - 1) << 5);
        state.write(0x04F, count);
        (0x050..).zip(words).for_each(|(number, &word)| state.write(number, word));
        state.write(0x2B9, attributes.len() as u32 - 1);
        state.write(0x2BB, attributes.iter().rev().fold(0, |all, register| all << 4 | register));
        state
    }

    fn warn(state: &RegisterState, inputs: u16) -> Vec<String> {
        let usage = Usage { inputs, ..Usage::default() };
        texts(&state.vertex().interface(&usage, &Options::default()).expect("an interface").warnings)
    }

    #[test]
    fn a_semantic_of_two_components_and_an_unknown_code_warn() {
        assert_eq!(warn(&state(&[0x0302_0100, 0x0B0A_0908, 0x1F1F_1F10], &[0]), 1), [""; 0]);
        assert_eq!(
            warn(&state(&[0x0302_0100, 0x0B0A_0908, 0x1F1F_1F08], &[0]), 1),
            [
                "input: o6.x and o7.x are both color.x: the rasterizer uses o7.x; set the other one to code 0x1f"
            ]
        );
        assert_eq!(
            warn(&state(&[0x0302_0100, 0x1F1F_1F10, 0x1F10_1F1F, 0x3F1F_111F], &[0]), 1),
            [
                "input: o6.x and o7.z are both texcoord0.w: the rasterizer uses o7.z; set the other one to code 0x1f",
                "input: o8.y has output code 0x11, which belongs to no semantic; an unused component has 0x1f",
            ]
        );
    }

    #[test]
    fn attributes_for_one_register_warn_if_it_is_read() {
        let state = state(&[0x0302_0100], &[2, 1, 2]);
        assert_eq!(warn(&state, 0b011), [""; 0]);
        assert_eq!(
            warn(&state, 0b100),
            ["input: attributes 0 and 2 both go to v2, and the last one wins; give each its own register"]
        );
    }

    #[test]
    fn outputs_before_a_geometry_program_reach_no_rasterizer_twice() {
        let mut state = state(&[0x0302_0100, 0x0302_0100], &[0]);
        assert_eq!(warn(&state, 1).len(), 1);
        [(0x244, 1), (0x229, 2)].into_iter().for_each(|(number, value)| state.write(number, value));
        assert!(!warn(&state, 1).iter().any(|text| text.contains("both")), "{:?}", warn(&state, 1));
    }

    #[test]
    fn a_repeated_entry_of_a_file_warns_at_its_offset() {
        let entry = |register, mask| OutputRecord { kind: 2, register, mask, reserved: 0 };
        let outputs = vec![entry(6, 1), entry(5, 15), entry(7, 0)];
        let executables = vec![Executable { outputs, ..Executable::default() }];
        let bytes = write(&Model { code: vec![0x8800_0000; 4], executables, ..Model::default() });
        let file = Shbin::parse(&bytes).expect("valid");
        let environment = FileEnvironment::new(&file, 0, "test").expect("there");
        let interface = environment.interface(&Usage::default(), &Options::default()).expect("an interface");
        assert_eq!(interface.warnings.len(), 1, "{:?}", interface.warnings);
        assert_eq!(interface.warnings[0].at, file.executables[0].outputs.place(0));
        assert!(interface.warnings[0].text.starts_with("o5.x and o6.x are both color.x"));
    }

    #[test]
    fn a_joined_varying_without_outputs_warns() {
        let components = vec![VaryingSource::Code(0x0C), VaryingSource::One].into();
        let varying = Varying { name: "uv".into(), location: 3, components };
        let profile = Profile { varyings: vec![varying].into(), ..Profile::default() };
        let program =
            Program::from_raw(&[0x8800_0000][..], &[][..], Pc(0), Stage::Vertex).expect("a program");
        let translated = |words: &[u32], options: Options| {
            let mut translator = Translator::new(options, profile.clone());
            let state = state(words, &[0]);
            texts(&translator.translate(&program, &state.vertex(), Job::Vertex).expect("translates").warnings)
        };
        let mut options = Options::default();
        assert_eq!(
            translated(&[0x0302_0100], options),
            [
                "input: varying uv is constant: no output is mapped to the codes that it combines with constants"
            ]
        );
        assert_eq!(translated(&[0x0302_0100, 0x1F1F_0D0C], options), [""; 0]);
        options.outputs.all = true;
        assert_eq!(translated(&[0x0302_0100], options), [""; 0]);
    }
}
