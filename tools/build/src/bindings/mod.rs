//! Typed bindings of the programs of a `.shbin` file: for a console program, in C or Rust, that
//! draws with them. In: a container and a name. Out: [`Bindings`], which [`Bindings::c`] and
//! [`Bindings::rust`] write as text.
//!
//! The text contains register numbers, so that no name is looked up on the console, and a missing
//! name is a compile error.
//!
//! ```
//! use transpica::Shbin;
//! use transpica_build::bindings::Bindings;
//! let bytes = std::fs::read("../../shaders/lights.shbin")?;
//! let bindings = Bindings::new(&Shbin::parse(&bytes)?, "lights", &[])?;
//! assert!(bindings.c(&bytes).contains("lights_projection(const C3D_Mtx *matrix)"));
//! assert!(bindings.rust("lights.shbin").contains("pub fn set_projection("));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod c;
mod layout;
mod names;
mod rust;
mod variants;

pub use variants::Variants;

use transpica::container::{Dvle, SymbolBank};
use transpica::geometry::GeometryInput;
use transpica::host::dvle;
use transpica::{Limits, Program, Result, Setup, Shbin, Stage};
use transpica_asm::names::snake_case;
use transpica_asm::vertex::{self, NumberFormat, VertexFormat};

use names::Names;

/// The names of the programs of a file that a host refers to.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// Name of the file without its ending, as an identifier.
    pub name: String,
    /// The same name for comments: letters of identifiers, `.` and `-`.
    pub file: String,
    /// The programs, in the order of the file.
    pub programs: Vec<Binding>,
}

/// The names of a program that a host refers to: identifiers of C and Rust in lower case, different
/// within the program.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its name in the file: `vertex`, `geometry`, or these with a number where there are several
    /// of them. Empty in a file of one program.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// Uniforms with names.
    pub uniforms: Vec<Uniform>,
    /// Attributes with names, which begin with `in`, by register. Geometry programs have none.
    pub attributes: Vec<Attribute>,
    /// Output registers, each with `out_` and what the rasterizer takes it for.
    pub outputs: Vec<(u8, String)>,
    /// How vertices reach geometry programs.
    pub geometry: Option<Geometry>,
}

/// Uniform registers with a name.
#[derive(Clone, Debug)]
pub struct Uniform {
    /// The name.
    pub name: String,
    /// The kind of registers: never inputs.
    pub bank: SymbolBank,
    /// The first register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
}

/// An attribute with a name.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// Its v register.
    pub register: u8,
    /// The number format of its components in a vertex buffer.
    pub number: &'static NumberFormat,
    /// Number of components in a vertex buffer: as declared, else those that the program reads, at
    /// least 1.
    pub components: u8,
}

/// Delivery of vertices to a geometry program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// `point`, `variable` or `fixed`.
    pub mode: &'static str,
    /// The system library's parameter: vectors of an invocation in point mode, uniforms of a
    /// vertex in fixed mode, else 0.
    pub stride: u8,
}

impl Bindings {
    /// Collects the bindings of a file. `name` is the file name without its extension; `formats`
    /// are those that its sources declare, as
    /// [`Assembled::formats`](transpica_asm::Assembled::formats), or none.
    ///
    /// # Errors
    /// Errors of the file: see [`dvle::program`].
    pub fn new(file: &Shbin<'_>, name: &str, formats: &[Vec<VertexFormat>]) -> Result<Self> {
        let count = file.executables.len();
        let stage = |index| Ok(dvle::program(file, index, &Limits::default())?.stage());
        let stages = (0..count).map(stage).collect::<Result<Vec<_>>>()?;
        let mut programs = Vec::with_capacity(count);
        for (index, &stage) in stages.iter().enumerate() {
            let same = |stages: &[Stage]| stages.iter().filter(|&&other| other == stage).count();
            let name = match (count, same(&stages)) {
                (1, _) => String::new(),
                (_, 1) => names::stage(stage).into(),
                _several => format!("{}{}", names::stage(stage), same(&stages[..index])),
            };
            // The vertex program before a geometry program is the one that goes with it.
            let before = stages[..index].iter().rposition(|&other| other == Stage::Vertex);
            let formats = formats.get(index).map_or(&[][..], Vec::as_slice);
            programs.push(Binding::new(file, (index, before), name, formats)?);
        }
        let shown = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
        let file = name.chars().map(|letter| if shown(letter) { letter } else { '_' }).collect();
        Ok(Self { name: snake_case(name), file, programs })
    }
}

impl Binding {
    fn new(
        file: &Shbin<'_>,
        (index, before): (usize, Option<usize>),
        name: String,
        formats: &[VertexFormat],
    ) -> Result<Self> {
        let program = dvle::program(file, index, &Limits::default())?;
        let executable = file.executable(index)?;
        let stage = program.stage();
        let components = components(file, index, &program)?;
        let mut names = Names::new(names::RESERVED);
        let (mut uniforms, mut attributes) = (Vec::new(), Vec::new());
        for symbol in executable.symbols.iter() {
            let Some(range) = symbol.range() else { continue };
            let name = executable.name(symbol.name).to_text();
            if range.bank != SymbolBank::Input {
                let uniform = Uniform {
                    name: names.add("", &name, &["_count", "_at", "_mtx"]),
                    bank: range.bank,
                    first: range.first,
                    count: range.count,
                };
                uniforms.push(uniform);
            } else if stage == Stage::Vertex && range.count == 1 {
                let read = components[usize::from(range.first & 15)].max(1);
                let declared = formats.iter().find(|format| format.register == range.first);
                let (number, components) =
                    declared.map_or((vertex::FLOAT, read), |format| (format.number, format.components));
                let name = names.add(names::prefix(&name), &name, &[]);
                attributes.push(Attribute { name, register: range.first, number, components });
            }
        }
        attributes.sort_by_key(|attribute| attribute.register);
        // A register with two names is one attribute.
        attributes.dedup_by_key(|attribute| attribute.register);
        let outputs = outputs(executable, &mut names);
        let geometry = match stage {
            Stage::Vertex => None,
            Stage::Geometry => geometry(file, index, before),
        };
        Ok(Self { name, stage, uniforms, attributes, outputs, geometry })
    }
}

/// Returns the outputs that the rasterizer takes, each once for what it is.
fn outputs(executable: &Dvle<'_>, names: &mut Names) -> Vec<(u8, String)> {
    let outputs = executable.outputs.iter().filter_map(|output| {
        // Range: a register is one of sixteen.
        Some((output.register as u8 & 15, names.add("out_", output.semantic()?.info().name, &[])))
    });
    outputs.collect()
}

/// Returns how vertices reach a geometry program, or `None` for a configuration that the system
/// library refuses.
fn geometry(file: &Shbin<'_>, index: usize, before: Option<usize>) -> Option<Geometry> {
    let setup = match before {
        Some(vertex) => Setup::from_file(file, vertex, Some(index), None),
        None => Setup::of_geometry(file, index, None),
    };
    let setup = setup.ok()?;
    Some(match setup.geometry?.input {
        GeometryInput::Point { .. } => {
            let stride = vertex::point_inputs(file, index, setup.vertex_outputs.count_ones()).ok()?;
            Geometry { mode: "point", stride }
        }
        GeometryInput::Variable { main: _ } => Geometry { mode: "variable", stride: 0 },
        GeometryInput::Fixed { first: _, vertices: _, stride } => Geometry { mode: "fixed", stride },
    })
}

/// Returns for each of v0 to v15 the number of components up to the last that is read.
fn components(file: &Shbin<'_>, index: usize, program: &Program<'_>) -> Result<[u8; 16]> {
    let mut read = [0; 16];
    vertex::inputs(file, index, program, &mut |_, register, mask| {
        let last = mask.iter().map(|component| component as u8 + 1).max();
        let seen = &mut read[usize::from(register)];
        *seen = (*seen).max(last.unwrap_or(0));
    })?;
    Ok(read)
}
