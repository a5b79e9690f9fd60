//! glslang, the reference GLSL compiler, for tests: text in, SPIR-V or error messages out.
//! It compiles texts without extra definitions. In GLSL 330 it does not know `precise`, so texts of
//! that version omit it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::spirv_tools::{tool, words};

const VALIDATOR: &str = "glslangValidator";
/// Arguments for GLSL for Vulkan 1.1.
const VULKAN: [&str; 3] = ["-V", "--target-env", "vulkan1.1"];

/// Stage of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A vertex shader.
    Vertex,
    /// A geometry shader.
    Geometry,
    /// A fragment shader.
    Fragment,
    /// A compute shader.
    Compute,
}

impl Stage {
    const fn name(self) -> &'static str {
        ["vert", "geom", "frag", "comp"][self as usize]
    }
}

/// Passes a text to glslang and returns its output. The same text with the same arguments is passed
/// once in a process: many programs and options differ in nothing that a text shows, and glslang
/// takes longer to start than to compile.
fn compile(arguments: &[&str], text: &str) -> Result<Vec<u8>, String> {
    static ACCEPTED: Mutex<BTreeMap<(String, String), Vec<u8>>> = Mutex::new(BTreeMap::new());
    let accepted = || ACCEPTED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (arguments.join(" "), text.to_owned());
    let known = accepted().get(&key).cloned();
    if let Some(output) = known {
        return Ok(output);
    }
    let output = tool(VALIDATOR, arguments, text.as_bytes())?;
    accepted().insert(key, output.clone());
    Ok(output)
}

/// Compiles GLSL for Vulkan to SPIR-V 1.3.
///
/// # Errors
/// The messages of glslang, or how to install it.
pub fn spirv(text: &str, stage: Stage) -> Result<Vec<u32>, String> {
    let arguments = [&VULKAN[..], &["--stdin", "-S", stage.name(), "--quiet", "-o", "/dev/stdout"]].concat();
    compile(&arguments, text).map(|bytes| words(&bytes))
}

/// Compiles HLSL with the entry point `main` to SPIR-V 1.3.
///
/// # Errors
/// As [`spirv`].
pub fn hlsl(text: &str, stage: Stage) -> Result<Vec<u32>, String> {
    let arguments = ["-D", "-e", "main", "--quiet", "-o", "/dev/stdout", "--stdin", "-S", stage.name()];
    compile(&[&VULKAN[..], &arguments].concat(), text).map(|bytes| words(&bytes))
}

/// Checks a text for OpenGL or OpenGL ES.
///
/// # Errors
/// As [`spirv`].
pub fn read(text: &str, stage: Stage) -> Result<(), String> {
    compile(&["-l", "--stdin", "-S", stage.name()], text).map(|_| ())
}

/// Preprocesses a text with these names defined.
///
/// # Errors
/// As [`spirv`].
pub fn preprocessed(text: &str, stage: Stage, defined: &[&str]) -> Result<String, String> {
    let defined: Vec<String> = defined.iter().map(|name| format!("-D{name}=1")).collect();
    let mut arguments = vec!["-E", "--stdin", "-S", stage.name()];
    arguments.extend(defined.iter().map(String::as_str));
    let text = tool(VALIDATOR, &arguments, text.as_bytes())?;
    String::from_utf8(text).map_err(|error| format!("{VALIDATOR}: {error}"))
}

/// Returns the block members of a vertex shader for OpenGL or OpenGL ES as drivers report them:
/// each member that the shader uses, prefixed with the name of its block, and its byte offset.
///
/// # Errors
/// As [`spirv`].
pub fn members(text: &str) -> Result<Vec<(String, u32)>, String> {
    let arguments = ["-l", "-q", "--stdin", "-S", Stage::Vertex.name()];
    let said = tool(VALIDATOR, &arguments, text.as_bytes())?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let member = |line: &str| {
        let (name, rest) = line.split_once(": offset ")?;
        let offset = rest.split(',').next()?.parse().ok()?;
        name.contains('.').then(|| (name.to_owned(), offset))
    };
    Ok(said.lines().filter_map(member).collect())
}

/// Links a vertex shader with the shader of a later stage, for Vulkan or else for OpenGL or OpenGL
/// ES. An input that the vertex shader lacks goes unnoticed.
///
/// # Errors
/// As [`spirv`].
pub fn link(vertex: &str, (stage, later): (Stage, &str), vulkan: bool) -> Result<(), String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("transpica-{}-{number}", std::process::id());
    let folder = std::env::temp_dir();
    let place = |stage: Stage| folder.join(format!("{name}.{}", stage.name()));
    let files = [(place(Stage::Vertex), vertex), (place(stage), later)];
    let written = files.iter().try_for_each(|(path, text)| std::fs::write(path, text));
    let linked = written.map_err(|error| format!("{}: {error}", folder.display())).and_then(|()| {
        let language = if vulkan { &VULKAN[..] } else { &[] };
        let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        let output = folder.join(&name).display().to_string();
        let mut arguments = [language, &["-l"]].concat();
        arguments.extend(paths.iter().map(String::as_str));
        if vulkan {
            arguments.extend(["-o", &output]);
        }
        tool(VALIDATOR, &arguments, b"").map(|_| ())
    });
    for path in files.iter().map(|(path, _)| path).chain([&folder.join(&name)]) {
        let _ = std::fs::remove_file(path);
    }
    linked
}
