//! `transpica cfg`: the intermediate forms of a program.

use crate::cfg::{Cfg as Graph, dot, explore, text};
use crate::ir;
use crate::structure;
use crate::translate::{ControlFlow, control};
use transpica::container::Dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Job, Profile, Program, Stage, Translator};
use transpica_asm::dis::Listing;

use super::{Input, translated};
use crate::args::{Cfg, Common, Form, Format, GeometryOptions, NO_OUTPUTS};
use crate::files;
use crate::report::Failure;
use transpica_inspect::graph::{draw_cfg, svg::Paint};

pub fn run(arguments: Cfg, common: &Common) -> Result<(), Failure> {
    let format = arguments.format();
    let Cfg { file, selection, stage, output, settings, .. } = arguments;
    let input = Input::open(&file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, &selection, common);
    let options = settings.resolve_for(&input.symbols(&container, dvle)?)?.options;
    let program = input.program(&container, dvle, &options.limits)?;
    let listing = Listing::new(&container, Some(dvle)).map_err(|error| input.fail(&error))?;
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
            let environment =
                FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
            let mut translator = Translator::new(options, Profile::default());
            let translated = translated(
                &mut translator,
                &container,
                dvle,
                &environment,
                Job::Vertex,
                GeometryOptions::default(),
            );
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
