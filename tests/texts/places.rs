//! Places: the instructions that each line of each form of a program belongs to.
//!
//! An instruction is *observed* if the module without it (a NOP in its place) has other words. Each
//! observed instruction has a line in the IR, in WGSL, in GLSL, among the SPIR-V instructions and
//! in their text. By rule these have none: control flow, which has lines in the graph alone; an
//! instruction that computes nothing of its own, since it moves a value, has a constant as its
//! result, or is computed by another instruction anyway.

use std::collections::BTreeSet;

use expect_test::expect;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::isa::placed::PlacedText;
use transpica::isa::{DataOp, Inst, Pc};
use transpica::settings::Arithmetic;
use transpica::stages::backend::text::Language;
use transpica::stages::cfg::dot::Dot;
use transpica::stages::cfg::reach::reach;
use transpica::stages::cfg::text::CfgText;
use transpica::stages::ir::places::Places;
use transpica::stages::ir::text::{print, print_placed};
use transpica::stages::ir::{Def, Item, Op, Resource};
use transpica::stages::structure::text::TreeText;
use transpica::stages::translate::{ControlFlow, control};
use transpica::{
    GlslVersion, Job, Options, Precision, Profile, Program, Setup, Shbin, Stage, Translation, Translator,
};
use transpica_asm::{SourceText, assemble};

use crate::samples::samples;

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
    for sample in samples() {
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

/// Returns the addresses of all forms of a translation, each with the name of the form.
fn forms(translated: &Translation) -> Vec<(&'static str, Vec<Vec<Pc>>)> {
    let spirv = translated.placed_spirv().expect("SPIR-V");
    let text = |language| translated.placed_text(language).expect("text").places;
    vec![
        ("IR", print_placed(&translated.module).places),
        ("WGSL", text(Language::Wgsl)),
        ("GLSL", text(Language::Glsl(GlslVersion::Vulkan450))),
        ("GLSL ES", text(Language::Glsl(GlslVersion::Es310))),
        ("SPIR-V text", transpica_inspect::spirv::placed_assembly(&spirv).expect("text").places),
        ("SPIR-V", spirv.places),
    ]
}

/// Observed instructions that leave nothing, by sample and address: the product is one by 1, the
/// address or the sum is a constant that no operation reads any more.
const FOLDED: &[(&str, u16)] = &[
    ("shaders/extremes.shbin#0", 0x1C),
    ("shaders/extremes.shbin#0", 0x2E),
    ("shaders/lamps.shbin#0", 0x44),
    ("shaders/library.shbin#1", 0xD0),
    ("shaders/ribbon.shbin#0", 0x39),
    ("shaders/ribbon.shbin#0", 0x3C),
];

/// Returns the observed instructions of a program that compute something.
fn observed(subject: &Subject<'_>, translator: &mut Translator, translated: &Translation) -> Vec<Pc> {
    let words = translated.spirv().expect("SPIR-V");
    let mut observed = Vec::new();
    reach(&subject.program, |pc, _| observed.push(pc));
    observed.retain(|&pc| match subject.program.inst(pc).expect("an instruction") {
        Inst::Flow(_) | Inst::SetEmit { .. } | Inst::Data { op: DataOp::Mov, .. } => false,
        Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } | Inst::Emit | Inst::Unassigned(_) => {
            let other = subject.translate(translator, &without(&subject.program, pc));
            other.is_none_or(|other| other.spirv().expect("SPIR-V") != words)
        }
    });
    observed.retain(|pc| !FOLDED.contains(&(&subject.name, pc.0)));
    observed
}

/// Returns what is wrong with the places of a translation.
fn faults(subject: &Subject<'_>, translated: &Translation, observed: &[Pc]) -> Vec<String> {
    let mut reached = BTreeSet::new();
    reach(&subject.program, |pc, _| {
        reached.insert(pc);
    });
    let main = &translated.module.main;
    let places = Places::new(main);
    let mut computed = BTreeSet::new();
    for (value, data) in main.values.iter() {
        if matches!(data.def, Def::Op(op) if !matches!(op, Op::Const(_) | Op::Read(Resource::Input(_)))) {
            computed.extend(places.get(value).iter().copied());
        }
    }
    let mut faults = Vec::new();
    for (form, lists) in forms(translated) {
        if let Some(list) = lists.iter().find(|list| !list.is_sorted_by(|a, b| a < b)) {
            faults.push(format!("{form}: {list:?} does not ascend"));
        }
        let found: BTreeSet<Pc> = lists.into_iter().flatten().collect();
        faults.extend(found.difference(&reached).map(|pc| format!("{form}: {pc} is not reached")));
        // Languages write constants and inputs where they are used; in the IR they are lines.
        let has_line = |pc: &&Pc| form == "IR" || computed.contains(pc);
        let missing = observed.iter().filter(has_line).filter(|pc| !found.contains(pc));
        faults.extend(missing.map(|pc| format!("{form}: no line for {pc}")));
    }
    faults
}

#[test]
fn every_observed_instruction_has_a_line_in_every_form() {
    let (mut count, mut faulty) = (0, Vec::new());
    each(&mut |subject| {
        for precision in [Precision::Exact, Precision::Fast] {
            let mut translator = translator(precision);
            let translated = subject.translate(&mut translator, &subject.program).expect("translates");
            let observed = observed(subject, &mut translator, &translated);
            count += observed.len();
            let faults = faults(subject, &translated, &observed);
            faulty.extend(faults.into_iter().map(|fault| format!("{} {precision:?} {fault}", subject.name)));
        }
    });
    assert_eq!(faulty, Vec::<String>::new());
    assert!(count > 3_500, "only {count} instructions are observed");
}

#[test]
fn a_wrong_place_is_found() {
    let mut planted = 0;
    each(&mut |subject| {
        let mut translator = translator(Precision::Exact);
        let translated = subject.translate(&mut translator, &subject.program).expect("translates");
        let observed = observed(subject, &mut translator, &translated);
        for (index, place) in translated.module.main.places.iter().enumerate() {
            let Some(pc) = place.pc.filter(|pc| observed.contains(pc)) else { continue };
            let marks = &translated.module.main.places;
            // Code that several callers share has several places.
            if index % 7 != 0 || marks.iter().filter(|mark| mark.pc == Some(pc)).count() > 1 {
                continue;
            }
            let mut wrong = translated.clone();
            wrong.module.main.places[index].pc = Some(subject.program.entry());
            if pc == subject.program.entry() {
                wrong.module.main.places[index].pc = None;
            }
            assert_ne!(faults(subject, &wrong, &observed), [""; 0], "{} {pc}", subject.name);
            planted += 1;
        }
    });
    assert!(planted > 100, "only {planted} faults");
}

/// Counts the items of final modules that have a place, and all; constants are none.
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
                placed += usize::from(!places.get(value).is_empty());
            }
        }
    });
    // The others are conditions and counters of control flow, conversions of outputs, and constants
    // that are hidden at the begin.
    assert!(placed * 100 >= all * 86, "{placed} of {all} items");
}

const SOURCE: &str = "
.fvec scale
.constf half(0.5, 1.0, 2.0, 0.0)
.in inpos v0
.out outpos position
.out outcol color
.proc main
    mul r0, scale, inpos
    add r1, half.x, r0
    rcp r2.x, r1.w
    mul r1, r1, r2.x
    cmp half.ww, lt, lt, r1.xy
    ifc cmp.x && cmp.y
        add r1, r1, r0
    .end
    mov outpos, r1
    max outcol, r0, r1
    end
.end
";

/// Returns the lines of a text that have places, each with them in front.
fn joined(placed: &PlacedText) -> String {
    assert_eq!(placed.text.lines().count(), placed.places.len());
    let lines = placed.text.lines().zip(&placed.places).filter(|(_, pcs)| !pcs.is_empty());
    lines.map(|(line, pcs)| format!("{pcs:?} {}\n", line.trim()).replace("Pc", "")).collect()
}

#[test]
fn lines_of_one_program() {
    let assembled = assemble(&[SourceText { name: "source", text: SOURCE }]).expect("assembles");
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let translated = program.translate(&Options::default()).expect("translates");
    expect![[r#"
        [(0)] let r0 = pica_mul_either_nan_vec4f(uniforms.scale, inpos);
        [(1)] let r1_1 = vec4f(0.5) + r0;
        [(2), (3)] let r1_2 = pica_mul_either_nan_vec4f(r1_1, vec4f(pica_rcp(r1_1.w)));
        [(4)] if 0.0 < r1_2.x && 0.0 < r1_2.y {
        [(6)] r1 = r1_2 + r0;
        [(8)] let color_magnitude = abs(select(r1, r0, r0 > r1));
    "#]]
    .assert_eq(&joined(&translated.placed_text(Language::Wgsl).expect("WGSL")));
    let spirv = translated.placed_spirv().expect("SPIR-V");
    assert_eq!(spirv.words, translated.spirv().expect("SPIR-V"));
    expect![[r#"
        [(0)] %99 = OpAccessChain %98 %11 %73
        [(0)] %100 = OpLoad %3 %99
        [(0)] %101 = OpFunctionCall %3 %13 %100 %94
        [(1)] %102 = OpFAdd %3 %96 %101
        [(2)] %103 = OpCompositeExtract %2 %102 3
        [(2)] %104 = OpFunctionCall %2 %37 %103
        [(3)] %105 = OpCompositeConstruct %3 %104 %104 %104 %104
        [(3)] %106 = OpFunctionCall %3 %13 %102 %105
        [(4)] %107 = OpCompositeExtract %2 %106 0
        [(4)] %108 = OpFOrdLessThan %17 %27 %107
        [(4)] %109 = OpCompositeExtract %2 %106 1
        [(4)] %110 = OpFOrdLessThan %17 %27 %109
        [(6)] %114 = OpFAdd %3 %106 %101
        [(8)] %116 = OpFOrdGreaterThan %18 %101 %115
        [(8)] %117 = OpSelect %3 %116 %101 %115
    "#]]
    .assert_eq(&joined(&transpica_inspect::spirv::placed_assembly(&spirv).expect("text")));
}

#[test]
fn texts_with_places_are_the_texts() {
    each(&mut |subject| {
        let mut translator = translator(Precision::Exact);
        let translated = subject.translate(&mut translator, &subject.program).expect("translates");
        let name = &subject.name;
        for language in [Language::Wgsl, Language::Glsl(GlslVersion::Es300)] {
            let Ok(text) = translated.text(language) else { continue };
            let placed = translated.placed_text(language).expect("text");
            assert_eq!((placed.places.len(), &placed.text), (text.lines().count(), &text), "{name}");
        }
        let spirv = translated.placed_spirv().expect("SPIR-V");
        assert_eq!(spirv.words, translated.spirv().expect("SPIR-V"), "{name}");
        let text = transpica_inspect::spirv::placed_assembly(&spirv).expect("text").text;
        let instructions = text.lines().filter(|line| !line.starts_with(';')).count();
        assert_eq!(instructions, spirv.places.len(), "{name}");
        assert_eq!(print_placed(&translated.module).text, print(&translated.module), "{name}");
    });
}

/// Lines of graph and tree begin with the address of their instruction.
#[test]
fn graphs_and_trees_have_the_addresses_of_their_lines() {
    let mut lines = 0;
    each(&mut |subject| {
        let options = Options::default();
        let structured = control(&subject.program, &options).expect("structured");
        let ControlFlow::Tree(cfg, tree, _) = structured else { return };
        let graph = CfgText { cfg: &cfg, program: None }.placed();
        let tree = TreeText { tree: &tree, cfg: &cfg, program: None };
        let tree_text = tree.placed();
        assert_eq!(tree_text.text, tree.to_string());
        for placed in [&graph, &tree_text] {
            assert_eq!(placed.text.lines().count(), placed.places.len(), "{}", subject.name);
            for (line, pcs) in placed.text.lines().zip(&placed.places) {
                if let Some(pc) = line.trim().strip_prefix("run ") {
                    assert_eq!(pcs.iter().map(Pc::to_string).collect::<Vec<_>>(), [pc]);
                    lines += 1;
                }
            }
        }
        let nodes = Dot { cfg: &cfg, program: None };
        for (text, pcs) in nodes.nodes().iter().zip(nodes.places()) {
            let runs = text.lines().filter_map(|line| line.strip_prefix("run "));
            let missing = runs.filter(|run| !pcs.iter().any(|pc| pc.to_string() == **run)).count();
            assert_eq!(missing, 0, "{}: {text}", subject.name);
        }
    });
    assert!(lines > 1_000, "only {lines} lines");
}
