//! The modules of a program that are compared: its forms in each layout.
//! In: a program of a file. Out: SPIR-V and the content of its uniform block.

use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::settings::{Arithmetic, Assume, Block, Layout, Promise, VertexInput};
use transpica::stages::backend::text::Language;
use transpica::{
    Error, GlslVersion, Job, Options, Precision, Profile, Program, Translation, Translator, host,
};
use transpica_prove::{glslang, spirv_tools};

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
    /// Sets the options that distinguish it.
    options: fn(Options) -> Options,
    /// The compiler of its module.
    pub compiler: Compiler,
}

/// All forms. The first is the one that ratios refer to.
pub const FORMS: [Form; 10] = [
    Form { name: "fast", options: |options| with(options, Precision::Fast), compiler: Compiler::Own },
    Form { name: "exact", options: |options| with(options, Precision::Exact), compiler: Compiler::Own },
    Form { name: "not-nan", options: |options| promised(options, Promise::NotNan), compiler: Compiler::Own },
    Form {
        name: "never-nan",
        options: |options| with_results(promised(options, Promise::NotNan), Promise::NotNan),
        compiler: Compiler::Own,
    },
    Form {
        name: "below-32",
        options: |options| promised(options, Promise::Below(32)),
        compiler: Compiler::Own,
    },
    Form {
        name: "between",
        options: |options| promised(options, Promise::Between(-20, 32)),
        compiler: Compiler::Own,
    },
    Form {
        name: "finite",
        options: |options| with_results(promised(options, Promise::FINITE), Promise::FINITE),
        compiler: Compiler::Own,
    },
    Form { name: "f24", options: |options| with(options, Precision::F24), compiler: Compiler::Own },
    Form {
        name: "fast-glsl",
        options: |options| with(options, Precision::Fast),
        compiler: Compiler::Glslang,
    },
    Form {
        name: "exact-glsl",
        options: |options| with(options, Precision::Exact),
        compiler: Compiler::Glslang,
    },
];

fn with(options: Options, precision: Precision) -> Options {
    Options { arithmetic: Arithmetic { precision, ..options.arithmetic }, ..options }
}

/// Exact arithmetic with a promise about all numbers of the host.
fn promised(options: Options, promise: Promise) -> Options {
    let assume = Assume { uniforms: promise, ..Assume::default() };
    let input = VertexInput { promises: [promise; 16], ..options.input };
    Options { assume, input, ..with(options, Precision::Exact) }
}

/// The same with a promise about the results of arithmetic.
fn with_results(options: Options, results: Promise) -> Options {
    Options { assume: Assume { results, ..options.assume }, ..options }
}

/// Layouts with their names. The last differs from the first in that the bools come first: llvmpipe
/// compiles a module again for each value of the word there, without the arms that it rules out.
/// To null hardware both are the same.
pub const LAYOUTS: [(&str, Layout); 3] =
    [("registers", Layout::Registers), ("symbols", Layout::Symbols), ("azahar", Layout::Azahar)];

/// A module of a program.
pub struct Built {
    /// Name of the layout.
    pub layout: &'static str,
    /// Name of the form.
    pub form: &'static str,
    /// SPIR-V.
    pub words: Vec<u32>,
    /// Content of the uniform block.
    pub uniforms: Vec<u8>,
}

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
) -> Result<Vec<Built>, String> {
    around.constants().apply(&mut uniforms);
    let mut all = Vec::new();
    for &(layout_name, layout) in layouts {
        for form in forms {
            let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
            let mut translator = Translator::new((form.options)(options), Profile::default());
            let translated = translator.translate(program, around, Job::Vertex).map_err(text)?;
            all.push(Built {
                layout: layout_name,
                form: form.name,
                words: words(form.compiler, &mut translator, &translated)?,
                uniforms: host::pack(&translated.interface.block, &uniforms),
            });
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
