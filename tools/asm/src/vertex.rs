//! Vertex formats: how attributes lie in a vertex buffer, and which of their components programs
//! read.
//! In: what comments beside `.in` declare, programs. Out: [`VertexFormat`], findings where the two
//! do not fit. Knows no text.
//!
//! ```
//! use transpica_asm::{SourceText, assemble};
//! let text = ".in color v1 ; @format ubyte 4\n.out - position o0\n.proc main\n\tmov o0, color\n\tend\n.end";
//! let assembled = assemble(&[SourceText { name: "a.v.pica", text }])?;
//! let format = &assembled.formats[0][0];
//! assert_eq!((format.register, format.number.libctru, format.components), (1, "GPU_UNSIGNED_BYTE", 4));
//! # Ok::<(), transpica_asm::Report>(())
//! ```
//!
//! picasso drops comments, so it accepts the declaration.
//!
//! Facts: 3dbrew "GPU/Internal Registers" (number formats, conversion, missing components).

use crate::cfg::{Action, explore};
use crate::lint::{Finding, Rule};
use transpica::container::{Dvle, ShaderType};
use transpica::host::dvle;
use transpica::isa::{Dest, Inst, Mask, Operand, Pc, Source};
use transpica::{Limits, Program, Result, Shbin};

/// A number format of attributes in vertex buffers. The GPU does not normalize integers: 255 is
/// 255.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFormat {
    /// Its name in declarations.
    pub name: &'static str,
    /// Its code in the registers of the GPU.
    pub code: u8,
    /// Bytes of a component, and the alignment of an attribute.
    pub size: u8,
    /// Its name in libctru.
    pub libctru: &'static str,
    /// The type of a component in C.
    pub c: &'static str,
    /// The type of a component in Rust.
    pub rust: &'static str,
    /// The vertex format of WebGPU for one component.
    pub webgpu: &'static str,
}

macro_rules! number_formats {
    ($($code:literal $name:literal $size:literal $libctru:literal $c:literal $rust:literal $webgpu:literal;)*) => {
        /// The number formats, by their codes.
        pub const NUMBER_FORMATS: [NumberFormat; 4] = [$(NumberFormat {
            name: $name, code: $code, size: $size, libctru: $libctru, c: $c, rust: $rust, webgpu: $webgpu,
        }),*];
    };
}
number_formats! {
    0 "byte" 1 "GPU_BYTE" "int8_t" "i8" "sint8";
    1 "ubyte" 1 "GPU_UNSIGNED_BYTE" "uint8_t" "u8" "uint8";
    2 "short" 2 "GPU_SHORT" "int16_t" "i16" "sint16";
    3 "float" 4 "GPU_FLOAT" "float" "f32" "float32";
}

/// The number format of attributes without a declaration.
pub const FLOAT: &NumberFormat = &NUMBER_FORMATS[3];

/// The word that begins a declaration in the comment beside `.in`.
pub const DECLARATION: &str = "@format";

/// The declared format of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// The name of the attribute.
    pub name: String,
    /// Its v register.
    pub register: u8,
    /// The format of its components.
    pub number: &'static NumberFormat,
    /// Number of components, 1 to 4.
    pub components: u8,
}

/// Calls `see` for each reachable read of an input register: address, register, components. What a
/// vertex program writes to components that the rasterizer does not take counts for nothing, unless
/// a geometry program of the file takes it.
///
/// # Errors
/// The file has no such executable, or a limit is exceeded.
pub fn inputs(
    file: &Shbin<'_>,
    index: usize,
    program: &Program<'_>,
    see: &mut dyn FnMut(Pc, u8, Mask),
) -> Result<()> {
    let outputs = taken(file, file.executable(index)?);
    let options = explore::ExploreOptions { permissive: true, ..Default::default() };
    let mut visit = |pc: Pc| {
        if let Some(inst) = program.inst(pc) {
            sources(&inst, &outputs, &mut |register, mask| see(pc, register, mask));
        }
    };
    match explore::explore(program, &options, &Limits::default())? {
        explore::Explored::Graph(cfg) => cfg.actions.iter().for_each(|action| match action {
            Action::Run(pc) => visit(*pc),
            Action::Loop(_) | Action::SetDispatch { .. } => {}
        }),
        // Range: code has at most 65,536 words.
        explore::Explored::TooManyNodes { .. } => {
            (0..program.code().len()).for_each(|pc| visit(Pc(pc as u16)))
        }
    }
    Ok(())
}

/// Returns the vectors of an invocation of a geometry program in point mode, after a vertex program
/// with so many outputs: as many as it reads, in whole vertices.
///
/// # Errors
/// As [`inputs`].
pub fn point_inputs(file: &Shbin<'_>, geometry: usize, outputs: u32) -> Result<u8> {
    let program = dvle::program(file, geometry, &Limits::default())?;
    let (outputs, mut read) = (outputs.clamp(1, 16) as u8, 1);
    inputs(file, geometry, &program, &mut |_, register, _| read = read.max(register + 1))?;
    Ok(read.next_multiple_of(outputs).min(16 / outputs * outputs))
}

/// Returns the components of each output register that something takes.
fn taken(file: &Shbin<'_>, executable: &Dvle<'_>) -> [Mask; 16] {
    let is_geometry = |other: &Dvle<'_>| other.header.shader_type() != Some(ShaderType::Vertex);
    if file.executables.iter().any(is_geometry) {
        return [Mask::XYZW; 16];
    }
    let mut taken = [Mask::NONE; 16];
    for output in executable.outputs.iter() {
        // Dummy outputs have no semantics: a geometry program of another file takes them.
        let mask = output.semantic().map_or(Mask::XYZW, |_| Mask(output.mask as u8 & 15));
        taken[usize::from(output.register & 15)].0 |= mask.0;
    }
    taken
}

/// Calls `see` for each input register that an instruction reads, with its components.
fn sources(inst: &Inst, outputs: &[Mask; 16], see: &mut dyn FnMut(u8, Mask)) {
    let mut add = |operand: &Operand, mask: Mask| {
        let Source::Input(register) = operand.register else { return };
        let read = mask.iter().fold(0, |read, component| read | 1 << operand.swizzle.get(component).index());
        see(register & 15, Mask(read));
    };
    match inst {
        Inst::Data { op, dest, mask, sources, .. } => {
            let mask = match dest {
                Dest::Output(register) => Mask(mask.0 & outputs[usize::from(register & 15)].0),
                Dest::Temp(_) => *mask,
            };
            sources.iter().zip(op.reads()).for_each(|(source, reads)| add(source, reads.for_mask(mask)));
        }
        Inst::Mova { mask, source } => add(source, *mask),
        Inst::Cmp { sources, .. } => sources.iter().for_each(|source| add(source, Mask(3))),
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
    }
}

impl VertexFormat {
    /// Returns a finding about the format, at its declaration without an address.
    fn finding(&self, pc: Option<Pc>, what: &str) -> Finding {
        let Self { name, number, components, .. } = self;
        let message = format!("{what}, and the format of {name} is {} {components}", number.name);
        let declared = pc.is_none().then(|| name.clone());
        Finding { pc, rule: Rule::VertexFormat, message, declared }
    }
}

/// Returns the findings about declared formats, which are by executable.
pub(crate) fn findings(bytes: &[u8], formats: &[Vec<VertexFormat>]) -> Vec<Finding> {
    let mut all = Vec::new();
    let Ok(file) = Shbin::parse(bytes) else { return all };
    let formats = formats.iter().enumerate().flat_map(|(index, list)| list.iter().map(move |it| (index, it)));
    for (index, format) in formats {
        let Ok(program) = dvle::program(&file, index, &Limits::default()) else { continue };
        let VertexFormat { name, register, number, components } = format;
        let mut read = Mask::NONE;
        // A program that cannot be explored has other findings.
        let _ = inputs(&file, index, &program, &mut |pc, input, mask| {
            let mask = if input == *register { mask } else { Mask::NONE };
            read.0 |= mask.0;
            // w alone is 1, which programs may want.
            if mask.0 & ((1 << components) - 1) == 0 && mask.0 & 7 != 0 {
                all.push(format.finding(Some(pc), &format!("reads {name}.{mask}")));
            }
        });
        let last = (1..=*components).rev().find(|&last| read.0 >> (last - 1) & 1 != 0).unwrap_or(1);
        // Components that would be padding to four bytes cost nothing.
        let words = |count: u8| (count * number.size).div_ceil(4);
        if !read.is_empty() && words(last) < words(*components) {
            let plural = if last == 1 { "" } else { "s" };
            all.push(format.finding(None, &format!("nothing reads past {last} component{plural} of {name}")));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::{Assembled, Report, SourceText, assemble};

    fn assembled(text: &str) -> Result<Assembled, Report> {
        assemble(&[SourceText { name: "a.v.pica", text }])
    }

    /// Assembles declarations and instructions after `.out o`, at line 10.
    fn source(head: &str, instructions: &str) -> String {
        format!("{head}\n.out - position o0\n.out o texcoord0.xy\n.proc main\n{instructions}\nend\n.end")
    }

    #[test]
    fn comments_beside_inputs_declare_formats() {
        for (line, expected) in [
            (".in p v3 ; @format byte 1", Some((3, "byte", 1))),
            (".in p v3;@format ubyte 4", Some((3, "ubyte", 4))),
            (".IN p ; \t@format\tshort  2\t; of the sheet", Some((0, "short", 2))),
            ("a: .in p v14 ;; @format float 3", Some((14, "float", 3))),
            (".in p v3 ; the format is @format float 3", None),
            (".in p v3 ; @author somebody", None),
            (".in p v3 ; painted ; @format float 3", Some((3, "float", 3))),
        ] {
            let text = source(line, "mov o, p");
            let done = assembled(&text).unwrap_or_else(|report| panic!("{report}"));
            let found = done.formats[0].first().map(|it| (it.register, it.number.name, it.components));
            assert_eq!((found, done.warnings.len()), (expected, 0), "{line}");
            // picasso sees no comment, and writes the same.
            let bare = source(line.split(';').next().expect("a statement"), "mov o, p");
            assert_eq!(done.bytes, assembled(&bare).expect("the same").bytes, "{line}");
        }
    }

    #[test]
    fn mistakes_in_declarations_have_places_and_hints() {
        let form = "declare `@format NUMBER COUNT`, as `@format ubyte 4`; another `;` ends it";
        let names = "formats: byte, ubyte, short, float";
        for (line, expected, hint) in [
            (".in p ; @format", "1:16: missing parameter", form),
            (".in p ; @format ubyte", "1:17: missing parameter", form),
            (".in p ; @format ubyte 4 color", "1:25: too many parameters", form),
            (".in p ; @format u8 4", "1:17: invalid number format: u8", names),
            (".in p ; @format Float 4", "1:17: invalid number format: Float", "did you mean `float`?"),
            (".in p ; @format float 0", "1:23: invalid number of components: 0", "an attribute has 1 to 4"),
            (".in p ; @format float 5", "1:23: invalid number of components: 5", "an attribute has 1 to 4"),
            (".in p ; @format float 04", "1:23: invalid number of components: 04", "an attribute has 1 to 4"),
        ] {
            let report = assembled(&source(line, "mov o, p")).expect_err(line);
            let [error] = &report.errors[..] else { panic!("{report}") };
            assert_eq!(error.to_string(), format!("a.v.pica:{expected}"), "{line}");
            assert_eq!(error.hint.as_deref().unwrap_or_default(), hint, "{line}");
        }
        for (line, expected) in [
            (".in p ; @formt ubyte 4", "1:9: this declares no format, did you mean `@format`?"),
            (".in p\n; @format ubyte 4", "2:3: this declares no format, write it in the comment of an `.in`"),
            (
                ".gsh\n.in p ; @format ubyte 4",
                "2:9: a geometry program has no vertex buffer, declare it in the vertex program before it",
            ),
        ] {
            let done = assembled(&source(line, "mov o, p")).unwrap_or_else(|report| panic!("{report}"));
            let [warning] = &done.warnings[..] else { panic!("{:?}", done.warnings) };
            let text = format!("{warning}, {}", warning.hint.as_deref().unwrap_or_default());
            assert_eq!(text, format!("a.v.pica:{expected}"), "{line}");
        }
    }

    #[test]
    fn formats_that_do_not_fit_are_found() {
        for (format, instructions, expected) in [
            ("float 3", "dp4 r0, k, p", ""),
            ("float 4", "dp4 r0, k, p", ""),
            // w is 1 without a value, z is 0 and hardly meant to be.
            (
                "float 3",
                "mov r0.w, p.w",
                "nothing reads past 1 component of p, and the format of p is float 3",
            ),
            ("float 1", "mov r0.w, p.w\nmov r0.x, p.x", ""),
            ("float 2", "mov r0.xy, p\nmov r0.z, p.z", "reads p.z, and the format of p is float 2"),
            ("float 3", "mov r0.xy, p\nmov r0.z, p.z", ""),
            ("ubyte 1", "mov r0.x, p.x\nmov r0.y, p.y", "reads p.y, and the format of p is ubyte 1"),
            ("ubyte 1", "mov r0, p.xyyy", ""),
            (
                "float 4",
                "dp3 r0, k, p",
                "nothing reads past 3 components of p, and the format of p is float 4",
            ),
            ("float 2", "mov r0, p.x", "nothing reads past 1 component of p, and the format of p is float 2"),
            // Four bytes stay four bytes.
            ("ubyte 4", "mov r0, p.x", ""),
            ("short 2", "mov r0, p.x", ""),
            ("short 3", "dp3 r0, k, p", ""),
            ("short 4", "dp3 r0, k, p", ""),
            (
                "short 3",
                "mov r0.xy, p",
                "nothing reads past 2 components of p, and the format of p is short 3",
            ),
            // The output has x and y only.
            ("float 3", "mov o, p", "nothing reads past 2 components of p, and the format of p is float 3"),
            ("float 2", "mov o, p", ""),
            // Lint has a rule of its own for what nothing reads.
            ("float 4", "nop", ""),
            ("float 4", "end\nmov r0, p", ""),
        ] {
            let text = source(&format!(".fvec k\n.in p v1 ; @format {format}"), instructions);
            let done = assembled(&text).unwrap_or_else(|report| panic!("{report}"));
            let found: Vec<&str> = done.findings.iter().map(|finding| finding.message.as_str()).collect();
            assert!(found.len() == usize::from(!expected.is_empty()), "{format}, {instructions}: {found:?}");
            assert!(found.iter().all(|found| found.starts_with(expected)), "{instructions}: {found:?}");
        }
    }
}
