//! `src/README.md` shows one program in every form that it takes, and the pipeline as a picture.
//! This test makes both from the library's output; `UPDATE_EXPECT=1` rewrites them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use transpica::host::FileEnvironment;
use transpica::stages::cfg::explore::{Explored, explore};
use transpica::stages::cfg::text::CfgText;
use transpica::stages::ir::{Phase, text, verify};
use transpica::stages::lift::{self, Context, OutputSelection};
use transpica::stages::structure::text::TreeText;
use transpica::stages::structure::{Structured, structure};
use transpica::{Job, Options, Profile, Program, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_inspect::graph::svg::{Node, Paint, draw};

/// A product, whose exact form needs a helper, in one arm of an IF.
const SOURCE: &str = "\
.in normal v0
.in light v1
.out color color
.bool lit
.proc main
  mov r0, normal
  ifu lit
    mul r0, light, r0
  .end
  mov color, r0
  end
.end
";

/// Lines of the page around the forms.
const MARKS: [&str; 2] = ["<!-- forms: made by `tests/house/walkthrough.rs` -->", "<!-- end of forms -->"];

/// The wings that a program passes, and what goes from one to the next.
const PIPELINE: ([&str; 9], [(usize, usize, &str); 10]) = (
    [
        "program\nfile, instructions",
        "flow\ngraph, tree",
        "lift\nSSA, PICA200 arithmetic",
        "passes\noptimize, legalize",
        "backend\nwords and texts",
        "host\noptions, registers, layout",
        "machine\nthe reference",
        "geometry\ncarried state",
        "SPIR-V, WGSL, GLSL\nHLSL, MSL by naga",
    ],
    [
        (0, 1, "Program"),
        (1, 2, "Tree"),
        (2, 3, "ir::Module"),
        (3, 4, "legal Module"),
        (4, 8, ""),
        (5, 3, "block"),
        (5, 4, "Interface"),
        (0, 6, "Program"),
        (1, 7, "Cfg"),
        (7, 2, "state"),
    ],
);

fn pipeline() -> String {
    let (nodes, edges) = PIPELINE;
    let nodes = nodes.map(|text| Node { text: text.into(), ..Node::default() });
    let edges = edges.map(|(from, to, what)| ([from, to], what.to_owned()));
    draw(&nodes, &edges, Paint::File)
}

/// Appends a form under its name, in a block of code.
fn show(page: &mut String, name: &str, language: &str, text: &str) {
    write!(page, "{name}\n\n```{language}\n{}\n```\n\n", text.trim_end()).expect("to a string");
}

/// Returns the part of a text that begins with a line.
fn since<'t>(text: &'t str, line: &str) -> &'t str {
    &text[text.rfind(line).expect("the text has the line")..]
}

fn forms() -> String {
    let source = SourceText { name: "lit.v.pica", text: SOURCE };
    let bytes = assemble(&[source]).expect("assembles").bytes;
    let file = Shbin::parse(&bytes).expect("parses");
    let selected = file.program(0).expect("has one");
    let program: &Program<'_> = selected.program();
    let environment = FileEnvironment::new(&file, 0, "lit.v.pica").expect("has one");
    let options = Options::default();
    let mut page = String::new();

    let words: Vec<String> = program.code().iter().map(|word| format!("{word:08X}")).collect();
    show(&mut page, "`program`: bytes to code words,", "text", &words.join(" "));

    let explored = explore(program, &options.control.exploration(), &options.limits).expect("explored");
    let Explored::Graph(cfg) = explored else { panic!("few states") };
    let graph = CfgText { cfg: &cfg, program: Some(program) }.to_string();
    show(&mut page, "`flow`: decoded, explored to a graph,", "text", &graph);
    let Structured::Tree(tree) = structure(&cfg, &options.limits) else { panic!("a tree") };
    let structured = TreeText { tree: &tree, cfg: &cfg, program: Some(program) }.to_string();
    show(&mut page, "placed in a tree.", "text", &structured);

    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program, &environment, Job::Vertex).expect("translates");
    let context = Context {
        program,
        constants: &[None; transpica::isa::sizes::FLOATS],
        outputs: OutputSelection::Semantics(&translated.interface.outputs),
        geometry: None,
        options: &options,
        hooks: &[],
    };
    let module = lift::structured(context, &cfg, &tree).expect("is lifted");
    show(
        &mut page,
        "`lift`: SSA values with PICA200 arithmetic (`mulp`, `minp`).",
        "text",
        &text::print(&module),
    );
    let legal = text::print(&translated.module);
    let legal = since(&legal, "func main");
    show(&mut page, "`passes`: smaller, and plain operations; function 0 is the product.", "text", legal);
    let wgsl = translated.wgsl().expect("is written");
    let wgsl = since(&wgsl, "fn pica_");
    show(&mut page, "`backend`: WGSL, without its declarations.", "wgsl", wgsl);
    page
}

/// Returns the page with the forms between its marks.
fn page(old: &str) -> String {
    let (before, rest) = old.split_once(MARKS[0]).expect("the first mark");
    let (_, after) = rest.split_once(MARKS[1]).expect("the second mark");
    [before, MARKS[0], "\n\n", &forms(), MARKS[1], after].concat()
}

/// Compares a file with its new text, or writes that.
fn check(path: &str, text: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
    let old = fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, text(&old)).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, text(&found), "UPDATE_EXPECT=1 rewrites {}", path.display());
}

#[test]
fn the_architecture_page_shows_a_program_in_every_form() {
    check("README.md", page);
}

#[test]
fn the_picture_of_the_pipeline_is_laid_out_by_our_code() {
    check("guide/pipeline.svg", |_| pipeline());
}

/// The page on regions explains with a function that the reader and the verifier accept.
#[test]
fn the_function_on_the_page_of_regions_is_well_formed() {
    let page = include_str!("../../src/ir/regions.md");
    let (_, rest) = page.split_once("```text\nfunc main").expect("a function");
    let (body, _) = rest.split_once("\n```").expect("an end of the function");
    let source = format!("func main{body}\n");
    let module = transpica_proof::ir::parse(&source).expect("is read");
    verify(&module, Phase::Pica).expect("is well-formed");
    assert_eq!(text::print(&module), source);
}
