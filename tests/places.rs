//! Places: the instructions that each line of each form of a program belongs to.
//!
//! An instruction is *observed* if the module without it (a NOP in its place) has other words. Each
//! observed instruction has a line in the IR, in WGSL, in GLSL, among the SPIR-V instructions and
//! in their text. By rule these have none: control flow, which has lines in the graph alone; an
//! instruction that computes nothing of its own, since it moves a value, has a constant as its
//! result, or is computed by another instruction anyway.

mod samples;

use std::collections::BTreeSet;

use transpica::stages::backend::text::{GlslVersion, Language};
use transpica::stages::cfg::reach::reach;
use transpica::stages::container::Shbin;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::stages::host::{Job, Setup};
use transpica::stages::ir::places::Places;
use transpica::stages::ir::text::print_placed;
use transpica::stages::ir::{Def, Item, Op};
use transpica::stages::isa::{DataOp, Inst, Pc, Program, Stage};
use transpica::stages::precision::Precision;
use transpica::{Arithmetic, Options, Profile, Translation, Translator};

/// A program with what its translation needs.
struct Subject<'a> {
    name: String,
    program: Program<'static>,
    environment: FileEnvironment<'a>,
    setup: Option<Setup>,
}

impl Subject<'_> {
    fn translate(&self, translator: &mut Translator, program: &Program<'_>) -> Option<Translation> {
        let job = self.setup.as_ref().map_or(Job::Vertex, Job::Geometry);
        translator.translate(program, &self.environment, job).ok()
    }
}

/// Calls `check` with each program of the samples.
fn each(check: &mut dyn FnMut(&Subject<'_>)) {
    for sample in samples::samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Options::default().limits).expect("a program");
            let setup = match program.stage() {
                Stage::Vertex => None,
                Stage::Geometry => Some(Setup::of_geometry(&file, index, None).expect("a setup")),
            };
            let environment = FileEnvironment::new(&file, index, "sample").expect("an executable");
            check(&Subject { name: format!("{}#{index}", sample.name), program, environment, setup });
        }
    }
}

fn translator(precision: Precision) -> Translator {
    let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
    Translator::new(Options { arithmetic, ..Options::default() }, Profile::default())
}

/// Returns a program with a NOP at an address.
fn without(program: &Program<'_>, pc: Pc) -> Program<'static> {
    const NOP: u32 = 0x21 << 26;
    let mut code = program.code().to_vec();
    code[usize::from(pc.0)] = NOP;
    let descriptors = program.descriptors().to_vec();
    Program::new(code, descriptors, program.entry(), program.stage(), &Options::default().limits)
        .expect("a program")
}

/// Returns the addresses that the lines of a form have.
fn union<'a>(lists: impl IntoIterator<Item = &'a Vec<Pc>>) -> BTreeSet<Pc> {
    lists.into_iter().flatten().copied().collect()
}

/// Returns the addresses of all forms of a translation, each with the name of the form.
fn forms(translated: &Translation) -> Vec<(&'static str, Vec<Vec<Pc>>)> {
    let spirv = translated.placed_spirv().expect("SPIR-V");
    let text = |language| translated.placed_text(language).expect("text").places;
    vec![
        ("IR", print_placed(&translated.module).places),
        ("WGSL", text(Language::Wgsl)),
        ("GLSL", text(Language::Glsl(GlslVersion::Vulkan450))),
        ("GLSL ES", text(Language::Glsl(GlslVersion::Es310))),
        ("SPIR-V text", spirv.text().expect("text").places),
        ("SPIR-V", spirv.places),
    ]
}

#[test]
fn every_observed_instruction_has_a_line_in_every_form() {
    let mut observed = 0;
    let mut missing = Vec::new();
    each(&mut |subject| {
        for precision in [Precision::Exact, Precision::Fast] {
            let mut translator = translator(precision);
            let translated = subject.translate(&mut translator, &subject.program).expect("translates");
            let words = translated.spirv().expect("SPIR-V");
            let forms = forms(&translated);
            let mut data = Vec::new();
            reach(&subject.program, |pc, _| data.push(pc));
            for (form, places) in &forms {
                for pc in union(places) {
                    assert!(data.contains(&pc), "{} {form}: {pc} is not reached", subject.name);
                }
            }
            let found: Vec<_> = forms.iter().map(|(form, places)| (form, union(places))).collect();
            for pc in data {
                let inst = subject.program.inst(pc).expect("an instruction");
                if matches!(inst, Inst::Flow(_) | Inst::SetEmit{..} | Inst::Data { op: DataOp::Mov, .. }) {
                    continue;
                }
                let other = subject.translate(&mut translator, &without(&subject.program, pc));
                if other.is_some_and(|other| other.spirv().expect("SPIR-V") == words) {
                    continue;
                }
                observed += 1;
                for (form, found) in &found {
                    if !found.contains(&pc) {
                        missing.push(format!("{} {precision:?} {form} {pc}: {inst:?}", subject.name));
                    }
                }
            }
        }
    });
    eprintln!("{observed} observed, {} missing", missing.len());
    for line in &missing { eprintln!("{line}"); }
    assert!(missing.is_empty());
}

#[test]
fn most_items_have_a_place() {
    let (mut placed, mut all) = (0, 0);
    each(&mut |subject| {
        for precision in [Precision::Exact, Precision::Fast] {
            let mut translator = translator(precision);
            let translated = subject.translate(&mut translator, &subject.program).expect("translates");
            let main = &translated.module.main;
            let places = Places::new(main);
            for item in main.regions.values().iter().flat_map(|region| &region.items) {
                let Item::Let(value) = *item else { continue };
                if matches!(main.values[value].def, Def::Op(Op::Const(_))) {
                    continue;
                }
                all += 1;
                placed += usize::from(!places.of(value).is_empty());
            }
        }
    });
    eprintln!("{placed} of {all} items");
    assert!(placed * 100 > all * 90);
}
