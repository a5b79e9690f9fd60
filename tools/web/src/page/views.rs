//! Texts and tables of the panes.
//! In: an open program, its translation. Out: texts with the addresses that each line was made
//! from, the drawn graph, the tables of the file.

use super::backend::text::Language;
use super::cfg::explore::{Explored, explore};
use super::cfg::reach::reach;
use super::ir;
use super::structure::text::TreeText;
use super::translate::{ControlFlow, control};
use serde::Serialize;
use serde_json::{Value, json};
use transpica::isa::Pc;
use transpica::isa::placed::PlacedText;
use transpica::reflect::Reflection;
use transpica::{GlslVersion, Translation};
use transpica_inspect::graph::{draw_cfg, svg::Paint};
use transpica_inspect::reflection;
use transpica_inspect::tables::Table;

use super::engine::Open;
use super::problem::Problem;
use super::settings::Settings;

/// A text of a pane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TextView {
    /// The text.
    pub text: String,
    /// Addresses of the instructions that each line was made from.
    pub places: Vec<Vec<u16>>,
    /// Problems of the translation.
    pub problems: Vec<Problem>,
}

impl TextView {
    /// Builds a text whose lines were made from nothing that is known.
    fn new(text: String) -> Self {
        let places = vec![Vec::new(); text.lines().count()];
        Self { text, places, problems: Vec::new() }
    }
}

impl From<PlacedText> for TextView {
    fn from(placed: PlacedText) -> Self {
        let numbers = |pcs: &Vec<Pc>| pcs.iter().map(|pc| pc.0).collect();
        let places = placed.places.iter().map(numbers).collect();
        Self { text: placed.text, places, problems: Vec::new() }
    }
}

/// Text that is made from a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translated {
    /// The intermediate form.
    Ir,
    /// WGSL.
    Wgsl,
    /// GLSL.
    Glsl(GlslVersion),
    /// SPIR-V. The page has it from its second engine.
    #[cfg(feature = "extension")]
    Spirv,
    /// Tables of inputs and outputs.
    Reflection,
}

/// Returns the text of a translation.
///
/// # Errors
/// A target that cannot hold the program.
pub fn translated(open: &Open<'_>, translation: &Translation, what: Translated) -> Result<TextView, Problem> {
    let view = match what {
        Translated::Ir => ir::text::print_placed(&translation.module).into(),
        Translated::Wgsl => translation.placed_text(Language::Wgsl)?.into(),
        Translated::Glsl(version) => translation.placed_text(Language::Glsl(version))?.into(),
        #[cfg(feature = "extension")]
        Translated::Spirv => transpica_inspect::spirv::placed_assembly(&translation.placed_spirv()?)?.into(),
        Translated::Reflection => TextView::new(reflection::text(&reflect(open, translation))),
    };
    let problems = translation.warnings.iter().map(Problem::of_warning).collect();
    Ok(TextView { problems, ..view })
}

/// Returns the reflection of a translation.
fn reflect(open: &Open<'_>, translation: &Translation) -> Reflection {
    Reflection::new(&open.program, translation, &open.environment.constants())
        .with_symbols(open.environment.executable())
}

/// Returns the code, an instruction a line.
///
/// # Errors
/// More code than instructions can address.
pub fn listing(open: &Open<'_>) -> Result<TextView, Problem> {
    let listing = open.listing()?;
    let mut view = TextView::default();
    for pc in (0..u16::MAX).take(open.program.code().len()) {
        let line = listing.line(Pc(pc)).unwrap_or_default();
        view.text.push_str(&format!("{pc:#05x}: {line}\n"));
        view.places.push(vec![pc]);
    }
    Ok(view)
}

/// Returns the structured tree.
///
/// # Errors
/// A program without one.
pub fn tree(open: &Open<'_>, settings: &Settings) -> Result<TextView, Problem> {
    let listing = open.listing()?;
    match control(&open.program, &settings.values.options)? {
        ControlFlow::Tree(cfg, tree, _) => {
            let text = TreeText { tree: &tree, cfg: &cfg, program: Some(&listing) };
            Ok(text.placed().into())
        }
        ControlFlow::Code => Err(Problem::error("too many control states for a tree")),
    }
}

/// Returns the control-flow graph as SVG.
///
/// # Errors
/// A program without one.
pub fn graph(open: &Open<'_>, settings: &Settings) -> Result<Value, Problem> {
    let listing = open.listing()?;
    let options = &settings.values.options;
    match explore(&open.program, &options.control.exploration(), &options.limits)? {
        Explored::Graph(cfg) => {
            let executable = open.file.executable(open.index)?;
            let svg = draw_cfg(&cfg, &open.program, executable, &listing, Paint::Classes);
            Ok(json!({ "svg": svg, "problems": [] }))
        }
        Explored::TooManyNodes { limit } => {
            let problem = Problem::error(format!("more than {limit} control states"));
            Err(problem.hint("programs of this size have no graph; they are translated to a dispatcher"))
        }
    }
}

/// A size of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Size {
    name: &'static str,
    value: usize,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Size {
    fn new(name: &'static str, value: usize, unit: &'static str) -> Self {
        Self { name, value, unit, note: None }
    }
}

/// Returns the sizes of a file and of a program in it.
pub fn file_sizes(open: &Open<'_>, bytes: usize) -> Vec<Size> {
    let mut reached = 0;
    reach(&open.program, |_, _| reached += 1);
    vec![
        Size::new("file", bytes, "bytes"),
        Size::new("code", open.program.code().len(), "words"),
        Size::new("descriptors", open.program.descriptors().len(), "words"),
        Size::new("reachable", reached, "instructions"),
    ]
}

/// Returns the sizes of a translation in its forms.
pub fn sizes(translation: &Translation, version: GlslVersion) -> Vec<Size> {
    let tier = Some(translation.tier.to_string());
    let mut all =
        vec![Size { note: tier, ..Size::new("values", translation.module.main.values.len(), "values") }];
    if let Ok(words) = translation.spirv() {
        all.push(Size::new("SPIR-V", 4 * words.len(), "bytes"));
    }
    if let Ok(text) = translation.wgsl() {
        all.push(Size::new("WGSL", text.len(), "bytes"));
    }
    if let Ok(text) = translation.glsl(version) {
        all.push(Size::new("GLSL", text.len(), "bytes"));
    }
    all
}

/// Returns the tables of the file.
pub fn tables(open: &Open<'_>) -> Value {
    json!({ "tables": Table::of_file(open.file), "problems": [] })
}
