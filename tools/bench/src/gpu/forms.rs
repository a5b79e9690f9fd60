//! The modules of a program that are compared: its forms in each layout.
//! In: a program of a file. Out: SPIR-V and the content of its uniform block.

use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::settings::{Arithmetic, Assume, Block, Layout, Promise, VertexInput};
use transpica::stages::backend::text::Language;
use transpica::{
    Error, GlslVersion, Job, Options, Precision, Profile, Program, Translation, Translator, host,
};
use transpica_proof::{glslang, spirv_tools};

use super::Row;
use super::worker::Module;

/// Compiler of a form's module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// The SPIR-V generator.
    Own,
    /// glslang, from our GLSL 450.
    Glslang,
}

/// A form of a program.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// Its arithmetic.
    precision: Precision,
    /// The promise about all numbers of the host.
    promise: Promise,
    /// The promise about the results of arithmetic.
    results: Promise,
    /// The compiler of its module.
    pub compiler: Compiler,
}

const EXACT: Form = Form {
    name: "exact",
    precision: Precision::Exact,
    promise: Promise::Nothing,
    results: Promise::Nothing,
    compiler: Compiler::Own,
};

/// All forms. The first is the one that ratios refer to.
pub const FORMS: [Form; 10] = [
    Form { name: "fast", precision: Precision::Fast, ..EXACT },
    EXACT,
    Form { name: "not-nan", promise: Promise::NotNan, ..EXACT },
    Form { name: "never-nan", promise: Promise::NotNan, results: Promise::NotNan, ..EXACT },
    Form { name: "below-32", promise: Promise::Below(32), ..EXACT },
    Form { name: "between", promise: Promise::Between(-20, 32), ..EXACT },
    Form { name: "finite", promise: Promise::FINITE, results: Promise::FINITE, ..EXACT },
    Form { name: "f24", precision: Precision::F24, ..EXACT },
    Form { name: "fast-glsl", precision: Precision::Fast, compiler: Compiler::Glslang, ..EXACT },
    Form { name: "exact-glsl", compiler: Compiler::Glslang, ..EXACT },
];

impl Form {
    /// Returns its options in a layout.
    fn options(self, layout: Layout) -> Options {
        Options {
            block: Block { layout, ..Block::default() },
            arithmetic: Arithmetic { precision: self.precision, ..Arithmetic::default() },
            assume: Assume { uniforms: self.promise, results: self.results },
            input: VertexInput { promises: [self.promise; 16], ..VertexInput::default() },
            ..Options::default()
        }
    }
}

/// Layouts with their names. The last differs from the first in that the bools come first
/// (drivers.md#first-word). To null hardware both are the same.
pub const LAYOUTS: [(&str, Layout); 3] =
    [("registers", Layout::Registers), ("symbols", Layout::Symbols), ("azahar", Layout::Azahar)];

/// Builds the chosen forms of a program in these layouts, for draws with these uniforms.
///
/// # Errors
/// Programs that cannot be translated; messages of glslang.
pub fn build(
    program: &Program<'_>,
    around: &FileEnvironment<'_>,
    forms: &[Form],
    layouts: &[(&'static str, Layout)],
    mut uniforms: Uniforms,
) -> Result<Vec<Row>, String> {
    around.constants().apply(&mut uniforms);
    let mut all = Vec::new();
    for &(layout_name, layout) in layouts {
        for form in forms {
            let mut translator = Translator::new(form.options(layout), Profile::default());
            let translated = translator.translate(program, around, Job::Vertex).map_err(text)?;
            let words = words(form.compiler, &mut translator, &translated)?;
            let buffers = vec![host::pack(&translated.interface.block, &uniforms)];
            let module = Module { words, buffers };
            all.push(Row { layout: layout_name, form: form.name, optimized: None, module });
        }
    }
    Ok(all)
}

fn words(
    compiler: Compiler,
    translator: &mut Translator,
    translated: &Translation,
) -> Result<Vec<u32>, String> {
    let words = match compiler {
        Compiler::Own => translator.spirv(translated).map_err(text)?,
        Compiler::Glslang => {
            let glsl = translated.text(Language::Glsl(GlslVersion::Vulkan450)).map_err(text)?;
            glslang::spirv(&glsl, glslang::Stage::Vertex)?
        }
    };
    // Drivers take words unchecked.
    spirv_tools::validate(&words)?;
    Ok(words)
}

fn text(error: Error) -> String {
    error.to_string()
}
