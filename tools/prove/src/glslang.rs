//! glslang, the reference reader of GLSL, for tests: text in, SPIR-V out, or what it has against the text.
//! It does not know `precise` in 330, so the macro for it is empty here.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::spirv_tools::tool;

const VALIDATOR: &str = "glslangValidator";
/// Arguments that make it read GLSL for Vulkan 1.1.
const VULKAN: [&str; 3] = ["-V", "--target-env", "vulkan1.1"];

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A vertex shader.
    Vertex,
    /// A fragment shader.
    Fragment,
    /// A compute shader.
    Compute,
}

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vert",
            Self::Fragment => "frag",
            Self::Compute => "comp",
        }
    }
}

/// The SPIR-V 1.3 module of a text for Vulkan.
///
/// # Errors
/// What glslang has against it, or how to install glslang.
pub fn spirv(text: &str, stage: Stage) -> Result<Vec<u32>, String> {
    let arguments = [&VULKAN[..], &["--stdin", "-S", stage.name(), "--quiet", "-o", "/dev/stdout"]].concat();
    let bytes = tool(VALIDATOR, &arguments, text.as_bytes())?;
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Reads a text for OpenGL or OpenGL ES.
///
/// # Errors
/// As [`spirv`].
pub fn read(text: &str, stage: Stage) -> Result<(), String> {
    tool(VALIDATOR, &["-l", "-DPRECISE=", "--stdin", "-S", stage.name()], text.as_bytes()).map(|_| ())
}

/// The blocks and members of a vertex shader for OpenGL or OpenGL ES as drivers report them: each member that the shader uses, with
/// the name of its block before it, and its byte offset.
///
/// # Errors
/// As [`spirv`].
pub fn members(text: &str) -> Result<Vec<(String, u32)>, String> {
    let arguments = ["-l", "-q", "-DPRECISE=", "--stdin", "-S", Stage::Vertex.name()];
    let said = tool(VALIDATOR, &arguments, text.as_bytes())?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let member = |line: &str| {
        let (name, rest) = line.split_once(": offset ")?;
        let offset = rest.split(',').next()?.parse().ok()?;
        name.contains('.').then(|| (name.to_owned(), offset))
    };
    Ok(said.lines().filter_map(member).collect())
}

/// Links a vertex with a fragment shader, for Vulkan or else for OpenGL or OpenGL ES. Inputs of the latter that the former does not
/// have are not noticed.
///
/// # Errors
/// As [`spirv`].
pub fn link(vertex: &str, fragment: &str, vulkan: bool) -> Result<(), String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("transpica-{}-{number}", std::process::id());
    let folder = std::env::temp_dir();
    let place = |stage: Stage| folder.join(format!("{name}.{}", stage.name()));
    let files = [(place(Stage::Vertex), vertex), (place(Stage::Fragment), fragment)];
    let written = files.iter().try_for_each(|(path, text)| std::fs::write(path, text));
    let linked = written.map_err(|error| format!("{}: {error}", folder.display())).and_then(|()| {
        let language = if vulkan { &VULKAN[..] } else { &["-DPRECISE="] };
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
