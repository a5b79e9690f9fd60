//! `--gpu`: the costs of a program's forms for driver and GPU, side by side.
//! In: programs, or modules of any compiler. Out: words, times of the Vulkan driver, statistics of
//! null hardware.

mod clock;
mod content;
mod drivers;
mod forms;
mod interface;
mod table;
mod values;
mod vulkan;
pub mod worker;

use std::path::{Path, PathBuf};

use clap::Args;
use transpica::host::dvle::{self, FileEnvironment};
use transpica::interp::Uniforms;
use transpica::settings::Layout;
use transpica::{Options, Shbin, Stage};
use transpica_proof::spirv_tools;

use drivers::Driver;
pub use drivers::WORKER;
use forms::{Compiler, FORMS, Form, LAYOUTS};
use worker::{Measured, Module, Tasks};

/// Options of `--gpu`.
#[derive(Args)]
pub struct Settings {
    /// Costs for driver and GPU: words, pipelines and vertices on the Vulkan driver, statistics of
    /// AMD chips without hardware (RADV). Takes `.spv` modules too, and fills their buffers by the
    /// types of their members
    #[arg(long)]
    pub gpu: bool,
    /// Family of AMD chips, as RADV_FORCE_FAMILY names it
    #[arg(long = "family", requires = "gpu", value_name = "NAME", default_values = ["navi10", "vega10"])]
    families: Vec<String>,
    /// Only these forms; ratios refer to the first
    #[arg(long = "form", requires = "gpu", value_name = "NAME", value_parser = FORMS.map(|form| form.name))]
    forms: Vec<String>,
    /// Only the statistics, which do not vary between runs
    #[arg(long, requires = "gpu")]
    statistics: bool,
    /// Pipelines created of each module; the least time counts
    #[arg(long, requires = "gpu", default_value_t = 5, value_name = "N")]
    pipelines: usize,
    /// Bool uniforms of draws: bit n is bn
    #[arg(long, requires = "gpu", default_value_t = 0x5555, value_name = "MASK")]
    bools: u16,
    /// Rounds of each LOOP in draws
    #[arg(long, requires = "gpu", default_value_t = 2, value_name = "N")]
    rounds: u8,
    /// Also print pipeline time and time of a vertex relative to this program's
    #[arg(long, requires = "gpu", value_name = "PROGRAM")]
    beside: Option<String>,
}

/// A module and its figures.
pub struct Row {
    /// Name of the layout; `-` for a module from a file.
    pub layout: &'static str,
    /// Name of the form; `module` for a module from a file.
    pub form: &'static str,
    /// Words after `spirv-opt -O`.
    pub optimized: Option<usize>,
    module: Module,
}

/// A program and its modules.
pub struct Program {
    /// Name of the file without extension, and index of the executable.
    pub name: String,
    /// Its modules. Modules of one layout are adjacent, the first form first.
    pub rows: Vec<Row>,
}

/// Figures of one driver: in the order of programs and their rows.
pub struct Column {
    /// Name of the driver.
    pub name: String,
    /// Device and driver, as the driver describes itself.
    pub about: vulkan::About,
    /// Figures.
    pub programs: Vec<Vec<Measured>>,
}

/// Everything measured.
pub struct Results {
    pub programs: Vec<Program>,
    pub columns: Vec<Column>,
    /// Drivers that are missing, and why.
    pub missing: Vec<String>,
}

/// Measures and prints.
///
/// # Errors
/// Files that cannot be read; missing tools; no driver at all.
pub fn run(
    settings: &Settings,
    files: &[PathBuf],
    dvle: Option<usize>,
    with_glslang: bool,
    as_json: bool,
) -> Result<(), String> {
    let is_chosen = |form: &&Form| {
        (settings.forms.is_empty() || settings.forms.iter().any(|name| name == form.name))
            && (with_glslang || form.compiler == Compiler::Own)
    };
    let forms: Vec<Form> = FORMS.iter().filter(is_chosen).copied().collect();
    let layouts = if settings.statistics { &LAYOUTS[..2] } else { &LAYOUTS[..] };
    let mut programs = Vec::new();
    for path in files {
        programs.extend(load(
            path,
            dvle,
            &forms,
            layouts,
            &values::uniforms(settings.bools, settings.rounds),
        )?);
    }
    let mut results = Results { programs, columns: Vec::new(), missing: Vec::new() };
    if !settings.statistics {
        for row in results.programs.iter_mut().flat_map(|program| &mut program.rows) {
            row.optimized = Some(spirv_tools::optimize(&row.module.words)?.len());
        }
        results.ask(&Driver::Present, Tasks { pipelines: settings.pipelines, ..DRAWS });
    }
    let pipelines = if settings.statistics { 0 } else { settings.pipelines };
    for family in &settings.families {
        results.ask(&Driver::Null(family.clone()), Tasks { pipelines, firsts: 0, draws: 0 });
    }
    if results.columns.is_empty() {
        return Err(results.missing.join("\n"));
    }
    if as_json {
        return crate::print_json(&table::to_json(&results));
    }
    table::print(&results, settings.beside.as_deref());
    Ok(())
}

/// Draws timed of each module.
const DRAWS: Tasks = Tasks { pipelines: 0, firsts: 1, draws: 8 };

impl Results {
    /// Measures all modules on a driver.
    fn ask(&mut self, driver: &Driver, tasks: Tasks) {
        let modules = |program: &Program| program.rows.iter().map(|row| row.module.clone()).collect();
        let groups = self.programs.iter().map(modules).collect();
        match driver.measure(groups, tasks) {
            Ok(reply) => {
                let name = driver.name().to_owned();
                self.columns.push(Column { name, about: reply.about, programs: reply.groups });
            }
            Err(text) => self.missing.push(text),
        }
    }
}

/// Reads a file: its vertex programs, or a module.
fn load(
    path: &Path,
    only: Option<usize>,
    forms: &[Form],
    layouts: &[(&'static str, Layout)],
    uniforms: &Uniforms,
) -> Result<Vec<Program>, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = std::fs::read(path).map_err(|error| at(&error))?;
    if crate::has_ending(path, "spv") {
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        spirv_tools::validate(&words).map_err(|error| at(&error))?;
        let buffers = content::of_module(&words, uniforms).map_err(|error| at(&error))?;
        let module = Module { words, buffers };
        let row = Row { layout: "-", form: "module", optimized: None, module };
        return Ok(vec![Program { name, rows: vec![row] }]);
    }
    let file = Shbin::parse(&bytes).map_err(|error| at(&error))?;
    let mut programs = Vec::new();
    for index in (0..file.executables.len()).filter(|&index| only.is_none_or(|only| only == index)) {
        let program = dvle::program(&file, index, &Options::default().limits).map_err(|error| at(&error))?;
        if program.stage() == Stage::Vertex {
            let around = FileEnvironment::new(&file, index, &name).map_err(|error| at(&error))?;
            let rows = forms::build(&program, &around, forms, layouts, uniforms.clone())
                .map_err(|error| at(&error))?;
            programs.push(Program { name: format!("{name} {index}"), rows });
        }
    }
    Ok(programs)
}
