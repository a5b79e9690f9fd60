//! Arguments of `cfg`.

use std::path::PathBuf;

use clap::Args;

use super::{Form, Format, Position, Selection};

/// Show the intermediate forms of a program
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica cfg fog.shbin --format svg -o fog.svg
  transpica cfg fog.shbin --format dot | dot -Tpdf -o fog.pdf
  transpica cfg lights.shbin --stage tree
  transpica cfg lights.shbin --stage ir")]
pub struct Cfg {
    /// The .shbin file; - reads standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub position: Position,
    /// Intermediate form
    #[arg(long, value_enum, default_value_t = Form::Cfg)]
    pub stage: Form,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Cfg {
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        let is_graph = match self.format {
            Format::Dot | Format::Svg => true,
            Format::Text => false,
        };
        if matches!(self.stage, Form::Tree | Form::Ir) && is_graph {
            return Err(
                "only the control-flow graph has a dot or svg form; leave --stage out, or use --format text"
                    .into(),
            );
        }
        if self.stage != Form::Ir && self.position.is_given() {
            return Err("--depth, --flip-y and --clip show in the intermediate form; add --stage ir".into());
        }
        Ok(())
    }
}
