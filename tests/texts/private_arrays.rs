//! Modules and texts have no large array in private or function memory, and store no lane of an
//! element of such an array: compilers of phones crash on that (drivers.md#private-arrays).
//! Checked in SPIR-V: ours, that of naga for WGSL, that of glslang for GLSL and HLSL.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, dvle};
use transpica::stages::backend::text::Language;
use transpica::{
    GlslVersion, Job, Limits, Options, Profile, Program, RegisterState, Setup, Shbin, Stage, Translation,
    Translator,
};
use transpica_proof::generate::{Kind, generate};
use transpica_proof::{daily, glslang};

use crate::products::with_products;
use crate::samples::samples;

/// Largest array in private or function memory.
const MOST: u32 = 16;

/// Facts about the ids of a module.
#[derive(Default)]
struct Ids {
    /// Values of integer constants.
    constants: BTreeMap<u32, u32>,
    /// Elements of the longest array within each type.
    longest: BTreeMap<u32, u32>,
    /// Pointee of each pointer type to private or function memory.
    pointees: BTreeMap<u32, u32>,
    /// Element type of each array type.
    elements: BTreeMap<u32, u32>,
    /// Member types of each structure.
    members: BTreeMap<u32, Vec<u32>>,
    /// Type of each variable in private or function memory.
    variables: BTreeMap<u32, u32>,
    /// Pointers to parts of an element of an array in such memory.
    parts: Vec<u32>,
}

impl Ids {
    fn longest(&self, ty: u32) -> u32 {
        self.longest.get(&ty).copied().unwrap_or(0)
    }

    /// Reads one instruction; a fault if it is one.
    fn read(&mut self, opcode: u32, words: &[u32]) -> Option<String> {
        match (opcode, words) {
            // OpConstant
            (43, &[_, id, value, ..]) => drop(self.constants.insert(id, value)),
            // OpTypeArray
            (28, &[id, element, length]) => {
                let length = self.constants.get(&length).copied().unwrap_or(u32::MAX);
                self.longest.insert(id, length.max(self.longest(element)));
                self.elements.insert(id, element);
            }
            // OpTypeStruct
            (30, [id, members @ ..]) => {
                let longest = members.iter().map(|&member| self.longest(member)).max();
                self.longest.insert(*id, longest.unwrap_or(0));
                self.members.insert(*id, members.to_vec());
            }
            // OpTypePointer to private or function memory
            (32, &[id, 6 | 7, ty]) => drop(self.pointees.insert(id, ty)),
            // OpVariable
            (59, &[ty, id, 6 | 7, ..]) => {
                let ty = self.pointees[&ty];
                self.variables.insert(id, ty);
                let longest = self.longest(ty);
                if longest > MOST {
                    return Some(format!("variable {id} has an array of {longest} elements"));
                }
            }
            // OpAccessChain, OpInBoundsAccessChain
            (65 | 66, [_, id, base, indices @ ..]) => {
                if let Some(&ty) = self.variables.get(base)
                    && self.is_part(ty, indices)
                {
                    self.parts.push(*id);
                }
            }
            // OpStore
            (62, &[pointer, ..]) if self.parts.contains(&pointer) => {
                return Some(format!("a store to {pointer}, a part of an element of an array"));
            }
            _others => {}
        }
        None
    }

    /// Returns whether indices lead into an element of an array.
    fn is_part(&self, mut ty: u32, indices: &[u32]) -> bool {
        for (place, index) in indices.iter().enumerate() {
            if let Some(&element) = self.elements.get(&ty) {
                let is_vector = !self.elements.contains_key(&element) && !self.members.contains_key(&element);
                if is_vector && place + 1 < indices.len() {
                    return true;
                }
                ty = element;
            } else if let Some(members) = self.members.get(&ty) {
                ty = members[self.constants[index] as usize];
            } else {
                return false;
            }
        }
        false
    }
}

/// The first fault of a module.
fn fault(words: &[u32]) -> Option<String> {
    let (mut ids, mut rest) = (Ids::default(), &words[5..]);
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        if let Some(fault) = ids.read(first & 0xFFFF, &instruction[1..]) {
            return Some(fault);
        }
        rest = after;
    }
    None
}

#[track_caller]
fn check(name: &str, words: &[u32]) {
    if let Some(fault) = fault(words) {
        panic!("{name}: {fault}");
    }
}

/// naga's SPIR-V of a translation's WGSL.
fn of_naga(translated: &Translation) -> Vec<u32> {
    let module = translated.naga().expect("a module");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).expect("valid");
    spv::write_vec(&module, &info, &spv::Options::default(), None).expect("written")
}

#[test]
fn faults_are_found() {
    needs!("glslangValidator");
    let text = |length: u32, store: &str| {
        format!(
            "#version 450\nlayout(location = 0) in vec4 i;\nvec4 r[{length}];\n
             void main() {{ r[2] = i; {store} gl_Position = r[int(i.x) & 3]; }}"
        )
    };
    let found =
        |length, store| fault(&glslang::spirv(&text(length, store), glslang::Stage::Vertex).expect("text"));
    assert_eq!(found(MOST, "r[3] = i;"), None);
    assert!(found(MOST + 1, "").is_some_and(|fault| fault.contains("an array of 17")));
    assert!(found(4, "r[3].x = i.y;").is_some_and(|fault| fault.contains("a part of an element")));
    assert!(found(4, "r[3].x += i.y;").is_some_and(|fault| fault.contains("a part of an element")));
}

#[test]
fn no_translation_of_a_sample_has_a_large_private_array() {
    needs!("glslangValidator");
    let compiled = AtomicUsize::new(0);
    let count = with_products(|name, translated| {
        check(name, &translated.spirv().expect("SPIR-V"));
        check(&format!("{name}, WGSL"), &of_naga(translated));
        if !(name.starts_with("shaders") && name.contains(" Symbols Exact ")) {
            return;
        }
        compiled.fetch_add(1, Ordering::Relaxed);
        let stage = if translated.interface.entry_point.is_compute() {
            glslang::Stage::Compute
        } else {
            glslang::Stage::Vertex
        };
        let text = translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect("GLSL");
        check(&format!("{name}, GLSL"), &glslang::spirv(&text, stage).expect("glslang takes it"));
        let text = translated.text(Language::Hlsl).expect("HLSL");
        check(&format!("{name}, HLSL"), &glslang::hlsl(&text, stage).expect("glslang takes it"));
    });
    let compiled = compiled.into_inner();
    assert!(count > 130 && compiled > 25, "{count} modules, {compiled} compiled texts");
}

/// Limits that lead to each tier.
fn tiers() -> [Limits; 3] {
    let shallow = Limits { depth: 0, ..Limits::default() };
    let none = Limits { nodes_per_instruction: 0, nodes_base: 0, ..Limits::default() };
    [Limits::default(), shallow, none]
}

/// Checks the translation of a program.
fn of_job(
    translator: &mut Translator,
    name: &str,
    program: &Program<'_>,
    around: &dyn Environment,
    job: Job<'_>,
) {
    let translated = translator.translate(program, around, job).expect("translates");
    let name = format!("{name}, {}", translated.tier);
    check(&name, &translated.spirv().expect("SPIR-V"));
    check(&format!("{name}, WGSL"), &of_naga(&translated));
}

#[test]
fn no_tier_has_a_large_private_array() {
    let mut kernels = 0;
    for limits in tiers() {
        let options = Options { limits, ..Options::default() };
        let mut translator = Translator::new(options, Profile::default());
        for seed in 0..daily::cases("programs without large private arrays, in each tier", 6, 60) {
            let kind = Kind::ALL[seed as usize % Kind::ALL.len()];
            let program = generate(kind, seed);
            let program = Program::from_raw(program.code, program.descriptors, program.entry, Stage::Vertex);
            let state = RegisterState::default();
            of_job(
                &mut translator,
                &format!("{kind:?} {seed}"),
                &program.expect("a program"),
                &state.vertex(),
                Job::Compute,
            );
        }
        for sample in samples() {
            let file = Shbin::parse(&sample.bytes).expect("a file");
            for index in 0..file.executables.len() {
                let program = dvle::program(&file, index, &limits).expect("a program");
                if program.stage() == Stage::Geometry && sample.name.starts_with("shaders") {
                    let setup = Setup::of_geometry(&file, index, None).expect("a setup");
                    let around = FileEnvironment::new(&file, index, &sample.name).expect("an executable");
                    of_job(&mut translator, &sample.name, &program, &around, Job::Geometry(&setup));
                    kernels += 1;
                }
            }
        }
    }
    assert!(kernels >= 24, "{kernels} kernels");
}
