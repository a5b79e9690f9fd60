//! `transpica asm`: sources in picasso's language to a container, and a C header.

use std::path::{Path, PathBuf};

use clap::Args;
use transpica_asm::like::keep_layout;
use transpica_asm::lint::Rule;
use transpica_asm::{Assembled, AssemblerOptions, LeftOut, SourceText, assemble_with};
#[cfg(feature = "compile")]
use transpica_compile::source::Language;

use super::bind::{self, BindingFiles};
use crate::arguments::Arguments;
use crate::files;
use crate::input::Input;
use crate::json::Schema;
use crate::lint::{self, rule_or_all};
use crate::report::{Common, Failure, Text, print_diagnostics, say};
use crate::streams::{Output, Streams};

/// Assemble sources in picasso's language into one file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica asm lights.v.pica -o lights.shbin
  transpica asm points.v.pica points.g.pica -o points.shbin --header points.h
  transpica asm points.shlist -o points.shbin --bind-c points_shbin.h -MD points.d
  transpica dis lights.shbin -o a.pica && transpica asm a.pica --like lights.shbin -o a.shbin

All files share code and operand descriptors; each becomes one executable (DVLE), in the order given. As output or header, - is standard output. picasso's -h is --header here, and its -n is --no-nop.

A program without an end causes a warning even without --lint. Warnings and lint findings do not change the exit status; findings that --deny names do, and then nothing is written.

--json lists errors or lint findings: severity, rule, message, file, line, column, help.")]
pub struct Asm {
    /// Sources, or lists of them (.shlist); - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file (.shbin)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write a C header with the uniforms' registers to this file
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
    /// Keep the layout of this file, from which dis made the sources
    ///
    /// Tables, names and descriptors keep their places, and unedited sources reproduce every byte.
    /// A warning names what could not be kept; -v lists each table that differs.
    #[arg(long, value_name = "FILE")]
    pub like: Option<PathBuf>,
    #[command(flatten)]
    pub bindings: BindingFiles,
    /// Warn where a padding NOP is needed instead of inserting it
    #[arg(long)]
    pub no_nop: bool,
    /// Warn about mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and write nothing if this rule finds something; may be repeated
    #[arg(long, value_name = "RULE", value_parser = rule_or_all())]
    pub deny: Vec<String>,
    /// Print errors and lint findings as JSON on standard output
    ///
    /// The assembler's own warnings are not included.
    #[arg(long)]
    pub json: bool,
}

impl Arguments for Asm {
    fn streams(&self) -> Streams<'_> {
        let inputs = self.files.iter().chain(&self.like);
        let streams =
            Streams::of_files(inputs, Some(&self.output)).with_extensions(["shbin", "bin"]).with_binary(
                "use -o FILE; transpica dis prints a file as text, transpica info prints its tables",
            );
        let mut streams = self.bindings.add_to(streams.and("--header", self.header.as_ref()));
        streams.outputs.extend(self.json.then(|| Output::text("--json", None)));
        streams
    }
}

/// Runs the command.
pub fn run(arguments: &Asm, common: &Common) -> Result<(), Failure> {
    let Asm { files: given, output, header, like, no_nop, deny, json, bindings, .. } = arguments;
    let paths = listed(given)?;
    let texts = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> =
        texts.iter().map(|text| SourceText { name: &text.name, text: &text.text }).collect();
    let result = assemble_with(&sources, &AssemblerOptions { no_nop: *no_nop });
    let (errors, warnings, mut left_out) = match &result {
        Ok(assembled) => (&[][..], &assembled.warnings[..], assembled.left_out),
        Err(report) => (&report.errors[..], &report.warnings[..], report.left_out),
    };
    let warnings = if common.quiet { &[][..] } else { warnings };
    left_out.warnings = if common.quiet { 0 } else { left_out.warnings };
    print_diagnostics(if *json { &[] } else { errors }, warnings, &texts, common.color);
    if left_out != LeftOut::default() {
        say(&format!("{left_out}\n"));
    }
    match result {
        Ok(mut assembled) => {
            if let Some(original) = like {
                assembled.bytes = laid_out_like(original, &assembled, common)?;
            }
            common.detail(format_args!(
                "{} code words, {} bytes; programs: {}",
                assembled.places.len(),
                assembled.bytes.len(),
                assembled.model.executables.len()
            ));
            let found = lint(&assembled, &sources, &texts, arguments, common)?;
            print_json(&found.json, *json)?;
            lint::check(found.messages.iter().map(|(_, rule)| *rule), deny)
                .map_err(|failure| failure.hint("nothing was written"))?;
            let mut results = vec![(Some(output.as_path()), &assembled.bytes[..])];
            results.extend(header.as_deref().map(|header| (Some(header), assembled.header.as_bytes())));
            let mut texts = Vec::new();
            // Files without a program are for other tools, which want no bindings.
            if *bindings != BindingFiles::default() {
                let lists = given.iter().filter(|path| is_list(path)).cloned();
                let read: Vec<PathBuf> = paths.iter().cloned().chain(lists).chain(like.clone()).collect();
                let made: Vec<&Path> = results.iter().filter_map(|(path, _)| *path).collect();
                let file = (&assembled.bytes[..], &assembled.formats[..]);
                let bound = bind::texts(bindings, file, output, &read, &made);
                texts = bound.map_err(|error| Failure::new(format!("the assembled program: {error}")))?;
            }
            results.extend(texts.iter().map(|(path, text)| (Some(*path), text.as_bytes())));
            files::write_all(&results)
        }
        Err(report) => {
            let described: Vec<_> = report.errors.iter().map(lint::describe_error).collect();
            print_json(&described, *json)?;
            let count = report.errors.len() + report.left_out.errors;
            let errors = if count == 1 { "1 error".into() } else { format!("{count} errors") };
            Err(Failure::new(format!("{errors}: nothing was written")))
        }
    }
}

/// Returns the bytes of a program in the layout of an original; reports what differs.
fn laid_out_like(path: &Path, assembled: &Assembled, common: &Common) -> Result<Vec<u8>, Failure> {
    let original = Input::open(path)?.remarked(common);
    let kept = keep_layout(&original.bytes, assembled).map_err(|error| original.fail(&error))?;
    for change in &kept.changes {
        common.detail(format_args!("{}: {change}", path.display()));
    }
    for lost in &kept.lost {
        common.warn(format_args!("{}: {lost}", path.display()));
    }
    Ok(kept.bytes)
}

/// Prints messages on standard output if JSON is requested.
fn print_json(list: &[serde_json::Value], json: bool) -> Result<(), Failure> {
    if !json {
        return Ok(());
    }
    files::write(None, Schema::ASM.text(serde_json::json!({ "messages": list })).as_bytes())
}

/// The rule whose findings are warnings without --lint, too: no author means such a program.
const ALWAYS: Rule = Rule::NoEnd;

/// Runs the lint rules and shows their findings on standard error, unless JSON is requested. The
/// returned findings are empty without --lint.
fn lint(
    assembled: &Assembled,
    sources: &[SourceText<'_>],
    texts: &[Text],
    arguments: &Asm,
    common: &Common,
) -> Result<lint::Findings, Failure> {
    let Asm { deny, json, .. } = arguments;
    let has_lint = arguments.lint || !deny.is_empty();
    let found = match lint::assembled(assembled, sources, deny) {
        Ok(found) => found,
        // Files without a program are for other tools.
        Err(_) if !has_lint => return Ok(lint::Findings::default()),
        Err(error) => return Err(Failure::new(format!("the assembled program: {error}"))),
    };
    let shown = found.messages.iter().filter(|(_, rule)| has_lint || *rule == ALWAYS && !common.quiet);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        shown.cloned().partition(|(_, rule)| lint::is_denied(*rule, deny));
    let [errors, warnings] =
        [errors, warnings].map(|some| some.into_iter().map(|(message, _)| message).collect::<Vec<_>>());
    if !(has_lint && *json) {
        print_diagnostics(&errors, &warnings, texts, common.color);
    }
    Ok(if has_lint { found } else { lint::Findings::default() })
}

/// Returns the sources. A list (.shlist) stands for its sources: names from its folder, separated
/// by white space.
fn listed(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for path in given {
        if !is_list(path) {
            paths.push(path.clone());
            continue;
        }
        let names = files::read(path)?;
        let names = String::from_utf8_lossy(&names);
        let before = paths.len();
        paths.extend(names.split_whitespace().map(|name| path.with_file_name(name)));
        if paths.len() == before {
            return Err(Failure::new(format!("{} lists no sources", path.display())));
        }
    }
    Ok(paths)
}

/// Returns whether a file is a list of sources.
fn is_list(path: &Path) -> bool {
    files::ending(path).as_deref() == Some("shlist")
}

/// Reads a source.
fn read(path: &Path) -> Result<Text, Failure> {
    let input = Input::read(path)?;
    if input.is_container() {
        let failure = Failure::new(format!("{} is already assembled: it is a .shbin file", path.display()));
        return Err(failure.hint("transpica dis prints its source, transpica info prints its tables"));
    }
    #[cfg(feature = "compile")]
    if Language::of(path).is_some() {
        let failure = Failure::new(format!("{} is a shader in another language", path.display()));
        return Err(failure.hint("transpica compile makes a program of it"));
    }
    Ok(input.text())
}
