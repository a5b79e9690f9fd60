//! Arguments of `cfg`.

use std::path::PathBuf;

use clap::Args;

use super::{ForForms, Form, Format, Selection, Settings};

/// Show the intermediate forms of a program
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica cfg fog.shbin --format dot | dot -Tsvg -o fog.svg
  transpica cfg lights.shbin --stage tree
  transpica cfg lights.shbin --stage ir")]
pub struct Cfg {
    /// The .shbin file; - reads standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// Intermediate form
    #[arg(long, value_enum, default_value_t = Form::Cfg)]
    pub stage: Form,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForForms>,
}

impl Cfg {
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if matches!(self.stage, Form::Tree | Form::Ir) && self.format == Format::Dot {
            return Err(
                "only the control-flow graph has a dot form; leave --stage out, or use --format text".into(),
            );
        }
        if self.stage != Form::Ir && self.settings.changes("outputs") {
            return Err(
                "--depth and other options of outputs show in the intermediate form; add --stage ir".into()
            );
        }
        Ok(())
    }
}
