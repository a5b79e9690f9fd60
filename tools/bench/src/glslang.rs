//! glslang as the reference: a small C++ program, built once, that compiles GLSL in a warm process.

use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = include_str!("glslang.cpp");

/// Static libraries in link order.
const LIBRARIES: [&str; 9] = [
    "glslang",
    "SPIRV",
    "glslang-default-resource-limits",
    "MachineIndependent",
    "GenericCodeGen",
    "OSDependent",
    "OGLCompiler",
    "HLSL",
    "SPIRV-Tools-opt",
];

/// Results of glslang.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// Minimum in nanoseconds.
    pub min: u64,
    /// Median in nanoseconds.
    pub median: u64,
    /// Words of its module.
    pub words: u64,
}

/// The built program.
pub struct Glslang {
    program: PathBuf,
}

impl Glslang {
    /// Builds the program, unless it already exists.
    pub fn build() -> Result<Self, String> {
        let folder = std::env::current_exe()
            .ok()
            .and_then(|path| path.parent().map(|parent| parent.join("glslang-reference")))
            .ok_or("the folder of this program is not known")?;
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (source, program) = (folder.join("glslang.cpp"), folder.join("glslang"));
        let same = std::fs::read_to_string(&source).is_ok_and(|text| text == SOURCE);
        if !same || !program.exists() {
            std::fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
            let mut command = Command::new("g++");
            command.args(["-O2", "-o"]).arg(&program).arg(&source);
            command.args(LIBRARIES.iter().map(|library| format!("-l{library}")));
            command.args(["-lSPIRV-Tools", "-lpthread"]);
            let built = command.output().is_ok_and(|output| output.status.success());
            if !built {
                return Err(
                    "glslang cannot be built here; install it with: sudo apt-get install -y g++ glslang-dev \
                            spirv-tools (or leave it out with --no-glslang)"
                        .into(),
                );
            }
        }
        Ok(Self { program })
    }

    /// Times the compilation of a GLSL vertex shader.
    pub fn measure(&self, glsl: &str, repeat: usize) -> Result<Reference, String> {
        let file = self.program.with_file_name(format!("shader-{}.vert", std::process::id()));
        std::fs::write(&file, glsl).map_err(|error| error.to_string())?;
        let output = Command::new(&self.program).arg(&file).arg(repeat.to_string()).output();
        let output = output.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [min, median, words] if output.status.success() => Ok(Reference { min, median, words }),
            _ => Err(format!("glslang refused our GLSL: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }
}
