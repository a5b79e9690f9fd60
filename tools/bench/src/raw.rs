//! Times an emulator's work on a program: code words to SPIR-V words, and the key. Programs of
//! several sizes, all of one kind, show how the time grows.
//! In: sizes. Out: nanoseconds. The programs resemble shaders of game engines: products with
//! matrices and vectors of uniforms, sums, clamps, and a bool that switches some of it. Each
//! instruction affects the outputs.

use std::hint::black_box;

use transpica::host::Environment;
use transpica::host::registers::number;
use transpica::isa::Pc;
use transpica::settings::{AttributeFormat, AttributeKind, Block, Layout, VertexInput};
use transpica::{Error, Job, Options, Profile, Program, RegisterState, Stage, Translator};
use transpica_asm::{SourceText, assemble};

use crate::stages::Timing;

/// Instructions of the programs, including END.
pub const SIZES: [usize; 4] = [13, 50, 150, 500];

/// Results of one size.
pub struct Raw {
    /// Instructions.
    pub instructions: usize,
    /// Time from code words to SPIR-V words.
    pub to_spirv: Timing,
    /// Time of the key.
    pub key: Timing,
    /// Time of the key with a draw's vertex input, of integers.
    pub draw_key: Timing,
    /// Words of the module.
    pub words: usize,
}

/// Repeated lines of the body; `N` is another register each time.
const BODY: [&str; 10] = [
    "mul r2, c[N], r1",
    "mad r1, r2, c[M], r1",
    "dp3 r3.x, c[N], r1",
    "max r3.x, c4.x, r3.x",
    "mad r1.xyz, r3.xxx, c[M].xyz, r1.xyz",
    "ifu b0",
    "add r1.xy, c[N].xy, r1.xy",
    "mul r1.zw, c[M].zw, r1.zw",
    ".end",
    "min r1, c5, r1",
];
/// Lines before and after the body: eight words.
const HEAD: &str = "dp4 r0.x, c0, v0\ndp4 r0.y, c1, v0\ndp4 r0.z, c2, v0\ndp4 r0.w, c3, v0\nmov r1, v1\n";

/// Builds assembler text with this many lines of the body.
fn text(lines: usize) -> String {
    let mut text = format!(".out pos position\n.out col color\n.bool b\n.proc main\n{HEAD}");
    let mut open = 0;
    for line in 0..lines {
        let (first, second) = (6 + line % 40, 46 + line % 40);
        let line = BODY[line % BODY.len()];
        open += usize::from(line.starts_with("ifu"));
        open -= usize::from(line == ".end");
        text += &line.replace("c[N]", &format!("c{first}")).replace("c[M]", &format!("c{second}"));
        text.push('\n');
    }
    text += &".end\n".repeat(open);
    text + "mov pos, r0\nmov col, r1\nend\n.end\n"
}

/// A program of some size, with the registers of a draw.
pub struct Source {
    code: Vec<u32>,
    descriptors: Vec<u32>,
    state: RegisterState,
}

impl Source {
    /// Makes the program of a size.
    pub fn new(instructions: usize) -> Result<Self, String> {
        let (code, descriptors) = program(instructions)?;
        let mut state = RegisterState::default();
        state.write(number::vertex::OUTPUT_MASK, 3);
        state.write(number::OUTMAP_TOTAL, 2);
        state.write(number::OUTMAP, 0x0302_0100);
        state.write(number::OUTMAP + 1, 0x0B0A_0908);
        Ok(Self { code, descriptors, state })
    }

    fn program(&self) -> Result<Program<'_>, Error> {
        Program::from_raw(&self.code[..], &self.descriptors[..], Pc(0), Stage::Vertex)
    }

    /// Translates code words to SPIR-V words.
    pub fn translate(&self, translator: &mut Translator) -> Result<Vec<u32>, Error> {
        let translated = translator.translate(&self.program()?, &self.state.vertex(), Job::Vertex)?;
        translator.spirv(&translated)
    }
}

/// Returns a translator as emulators configure it.
pub fn translator(options: Options) -> Translator {
    let options = Options { block: Block { layout: Layout::Registers, ..options.block }, ..options };
    Translator::new(options, Profile { names: false, ..Profile::default() })
}

/// Returns code words and descriptors of a program of a size.
fn program(instructions: usize) -> Result<(Vec<u32>, Vec<u32>), String> {
    let assemble = |lines| {
        let text = text(lines);
        assemble(&[SourceText { name: "raw.pica", text: &text }]).map_err(|report| report.to_string())
    };
    // No line has more than one word, and a further line never takes one away.
    let (mut few, mut enough) = (0, 2 * instructions);
    while few < enough {
        let lines = few.midpoint(enough);
        // What has no room has enough.
        let is_short = assemble(lines).is_ok_and(|program| program.model.code.len() < instructions);
        if is_short { few = lines + 1 } else { enough = lines }
    }
    let model = assemble(enough)?.model;
    let descriptors = model.descriptors.iter().map(|descriptor| descriptor.bits).collect();
    Ok((model.code, descriptors))
}

/// Times one size.
pub fn measure(instructions: usize, repeat: usize, options: Options) -> Result<Raw, String> {
    let source = Source::new(instructions)?;
    let state = &source.state;
    let mut translator = translator(options);
    let text = |error: Error| error.to_string();
    let mut words = 0;
    let to_spirv = Timing::of(repeat, || {
        words = black_box(source.translate(&mut translator)?).len();
        Ok(())
    });
    // Hosts compute keys at every draw, but translate only now and then.
    let program = source.program().map_err(text)?;
    let key = Timing::of(repeat, || {
        translator.key(&program, &state.vertex(), Job::Vertex, &[]).map(|key| _ = black_box(key))
    });
    let format = AttributeFormat { kind: AttributeKind::Int, components: 3 };
    let input = VertexInput { formats: [format; 16], ..VertexInput::default() };
    let draw_key = Timing::of(repeat, || {
        let vertex = state.vertex();
        translator.key(&program, &vertex.with_input(input), Job::Vertex, &[]).map(|key| _ = black_box(key))
    });
    let (to_spirv, key) = (to_spirv.map_err(text)?, key.map_err(text)?);
    Ok(Raw { instructions: source.code.len(), to_spirv, key, draw_key: draw_key.map_err(text)?, words })
}
