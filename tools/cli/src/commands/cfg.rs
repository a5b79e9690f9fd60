//! `transpica cfg`: the intermediate forms of a program.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use transpica::container::Dvle;
use transpica::{Job, Profile, Program, Stage, Translator};
use transpica_asm::dis::Listing;
use transpica_inspect::graph::{draw_cfg, svg::Paint};

use crate::arguments::Arguments;
use crate::cfg::{Cfg as Graph, dot, explore, text};
use crate::files;
use crate::input::{Input, Selection};
use crate::ir;
use crate::jobs::{GeometryOptions, NO_OUTPUTS, Translatable};
use crate::report::{Common, Failure};
use crate::settings::{ForForms, Settings};
use crate::streams::{Streams, disagreement, named};
use crate::structure;
use crate::translate::{ControlFlow, control};

/// Show a program's control-flow graph, structured tree or IR
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica cfg fog.shbin -o fog.svg
  transpica cfg fog.shbin --format dot | dot -Tpdf -o fog.pdf
  transpica cfg lights.shbin --stage tree
  transpica cfg lights.shbin --stage ir")]
pub struct Cfg {
    /// A .shbin file or .pica source; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// Intermediate form
    #[arg(long, value_enum, default_value_t = Form::Cfg)]
    pub stage: Form,
    /// Output format [default: by the extension of -o (.dot .gv, .svg, .txt), else text]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForForms>,
}

/// `--stage`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The control-flow graph
    Cfg,
    /// The structured tree
    Tree,
    /// The intermediate representation after the passes
    Ir,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Graphviz (control-flow graph only)
    Dot,
    /// A picture, SVG (control-flow graph only)
    Svg,
    /// Text
    Text,
}

impl Format {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        ["dot", "svg", "text"][self as usize]
    }
}

/// Extensions of forms.
const EXTENSIONS: &[(&str, Format)] =
    &[("dot", Format::Dot), ("gv", Format::Dot), ("svg", Format::Svg), ("txt", Format::Text)];

impl Cfg {
    /// Returns the format that the extension of `-o` names.
    fn named(&self) -> Option<Format> {
        named(self.output.as_deref(), EXTENSIONS)
    }
    /// Returns the chosen format.
    fn format(&self) -> Format {
        self.format.or(self.named()).unwrap_or(Format::Text)
    }
}

impl Arguments for Cfg {
    fn streams(&self) -> Streams<'_> {
        let inputs = self.settings.files().chain([&self.file]);
        let extensions = EXTENSIONS.iter().map(|(name, _)| *name);
        Streams::of_files(inputs, self.output.as_deref()).with_extensions(extensions)
    }
    fn check(&self) -> Result<(), String> {
        if let (Some(given), Some(named), Some(path)) = (self.format, self.named(), &self.output)
            && given != named
        {
            return Err(disagreement(path, named.name(), "--format", given.name()));
        }
        let is_graph = match self.format() {
            Format::Dot | Format::Svg => true,
            Format::Text => false,
        };
        if matches!(self.stage, Form::Tree | Form::Ir) && is_graph {
            return Err(
                "only the control-flow graph can be written as dot or svg; drop --stage, or use --format text"
                    .into(),
            );
        }
        if self.stage != Form::Ir && self.settings.changes("outputs") {
            return Err("--depth and other output options affect only the IR; add --stage ir".into());
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(arguments: &Cfg, common: &Common) -> Result<(), Failure> {
    let format = arguments.format();
    let Cfg { file, selection, stage, output, settings, .. } = arguments;
    let input = Input::open(file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, selection, common);
    let options = settings.resolve_for(&input.symbols(&container, dvle)?)?.options;
    let program = input.program(&container, dvle, &options.limits)?;
    let listing = input.listing(&container, dvle)?;
    let text = match stage {
        Form::Cfg => {
            let explored = explore::explore(&program, &options.control.exploration(), &options.limits);
            match explored.map_err(|error| input.fail(&error))? {
                explore::Explored::Graph(cfg) => {
                    let executable = container.executable(dvle).map_err(|error| input.fail(&error))?;
                    print(&cfg, &program, executable, &listing, format)
                }
                explore::Explored::TooManyNodes { limit } => {
                    let message = format!("{}: more than {limit} control states", file.display());
                    let hint = "programs of this size have no graph; they are translated to a dispatcher";
                    return Err(Failure::new(message).hint(hint));
                }
            }
        }
        Form::Tree => match control(&program, &options).map_err(|error| input.fail(&error))? {
            ControlFlow::Tree(cfg, tree, _) => {
                structure::text::TreeText { tree: &tree, cfg: &cfg, program: Some(&listing) }.to_string()
            }
            ControlFlow::Code => {
                return Err(Failure::new(format!("{}: too many control states for a tree", file.display())));
            }
        },
        Form::Ir if program.stage() == Stage::Geometry && settings.changes("outputs") => {
            return Err(Failure::usage(format!("{NO_OUTPUTS}; this is a geometry program")));
        }
        Form::Ir => {
            let name = input.name();
            let job = (Job::Vertex, GeometryOptions::default());
            let source = Translatable::new(&container, dvle, &name, &options.limits, job);
            let source = source.map_err(|error| input.fail(&error))?;
            let mut translator = Translator::new(options, Profile::default());
            let translated = translator.translate(&source.program, &source.environment, source.job());
            let translated = translated.map_err(|error| input.fail(&error))?;
            ir::text::print(&translated.module)
        }
    };
    common.detail(format_args!(
        "{}: DVLE {dvle}, {} code words, {} lines",
        file.display(),
        program.code().len(),
        text.lines().count()
    ));
    files::write(output.as_deref(), text.as_bytes())
}

fn print(cfg: &Graph, program: &Program<'_>, file: &Dvle<'_>, listing: &Listing, format: Format) -> String {
    match format {
        Format::Dot => dot::Dot { cfg, program: Some(listing) }.to_string(),
        Format::Svg => draw_cfg(cfg, program, file, listing, Paint::File),
        Format::Text => text::CfgText { cfg, program: Some(listing) }.to_string(),
    }
}
