//! Arguments of `cfg`.

use std::path::PathBuf;

use clap::Args;

use super::endings::disagreement;
use super::{ForForms, Form, Format, Selection, Settings};

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
    /// Format that the extension of -o names.
    #[arg(skip)]
    pub named: Option<Format>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForForms>,
}

impl Cfg {
    /// Returns the chosen format.
    pub fn format(&self) -> Format {
        self.format.or(self.named).unwrap_or(Format::Text)
    }
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if let (Some(given), Some(named), Some(path)) = (self.format, self.named, &self.output)
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
