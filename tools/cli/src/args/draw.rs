//! Arguments of `draw`.

use std::path::{Path, PathBuf};

use clap::Args;
use transpica_inspect::draw::Size;
use transpica_inspect::draw::looks::By;
use transpica_inspect::draw::mesh::BuiltIn;

use super::Machine;
use crate::streams::{Output, Streams};

/// Draw a mesh with a program, as a PNG file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica draw lights.shbin -o lights.png
  transpica draw textured.shbin --mesh cube --by texcoord0 -o coordinates.png
  transpica draw toon.shbin --mesh head.obj --state toon.json -o toon.png
  transpica draw water.shbin --mesh quad --frames 24 -o water.png       an animated PNG
  transpica draw uber.shbin --difference -o compared.png                CPU, GPU, difference
  transpica draw uber.shbin --difference --deny=200 -o compared.png     fails if more pixels differ
  transpica draw shaders -o sheet.png                                   a cell for each program

A program with a geometry program behind it is drawn with that; --dvle selects a program alone.

Attributes come from the mesh by their names in the file: position, normal, texture coordinate, color, \
tangent, weights; in this order where the file names none. Uniforms that no state file sets are guessed \
by name, too: matrices so that the mesh is in view.")]
pub struct Draw {
    /// The .shbin file or .pica source, - reads standard input; or a folder, for a sheet
    ///
    /// A source is assembled first. A file around one container, such as a BCSDR, is opened. The
    /// sheet has a cell for each program below the folder.
    pub file: PathBuf,
    /// Number of the executable (DVLE) in the file
    #[arg(long, value_name = "N")]
    pub dvle: Option<usize>,
    /// quad, cube, sphere, lathe, or an OBJ file
    #[arg(long, value_name = "MESH", default_value = "lathe", value_parser = MeshName::parse)]
    pub mesh: MeshName,
    /// Uniforms, as for `run`; those it leaves out are guessed from names
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Executor of the program, and of the rasterizer
    #[arg(long, value_enum, default_value_t = Machine::Cpu, conflicts_with = "difference")]
    pub on: Machine,
    /// Part of the name of the GPU
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Shown output: color, texcoord0 to texcoord2, normalquat, view, position, o0 to o15; if
    /// absent the first of color, texcoord0, normalquat, position that the program has
    #[arg(long, value_name = "OUTPUT", value_parser = By::parse)]
    pub by: Option<By>,
    /// Edges of triangles instead of their surface
    #[arg(long)]
    pub wireframe: bool,
    /// Pictures of CPU and GPU side by side, and the pixels in which they differ
    ///
    /// A note has their number.
    #[arg(long)]
    pub difference: bool,
    /// Exit 1 if --difference finds pixels, or more than N
    ///
    /// The picture is written all the same.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "0", requires = "difference")]
    pub deny: Option<usize>,
    /// Number of frames of a turn around the mesh, as an animated PNG
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=360))]
    pub frames: u32,
    /// Width and height in pixels; of a cell for a folder. 400x240 if absent, 192x128 for a folder
    #[arg(long, value_name = "WxH", value_parser = Size::parse)]
    pub size: Option<Size>,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `--mesh`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshName {
    BuiltIn(BuiltIn),
    /// An OBJ file.
    File(PathBuf),
}

impl MeshName {
    fn parse(text: &str) -> Result<Self, String> {
        if let Some(name) = BuiltIn::named(text) {
            return Ok(Self::BuiltIn(name));
        }
        let path = Path::new(text);
        let is_obj = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
        is_obj
            .then(|| Self::File(path.into()))
            .ok_or_else(|| "must be quad, cube, sphere, lathe, or the name of an .obj file".to_owned())
    }
}

impl Draw {
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if self.difference && self.frames > 1 {
            return Err("--difference is one picture; leave --frames out".into());
        }
        if self.file.is_dir() {
            let single = [
                (self.dvle.is_some(), "--dvle"),
                (self.state.is_some(), "--state"),
                (self.difference, "--difference"),
                (self.frames > 1, "--frames"),
            ];
            if let Some((_, option)) = single.into_iter().find(|(is_given, _)| *is_given) {
                return Err(format!("{option} is for one file; {} is a folder", self.file.display()));
            }
        }
        Ok(())
    }

    /// Returns the files that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let mesh = match &self.mesh {
            MeshName::File(path) => Some(path),
            MeshName::BuiltIn(_) => None,
        };
        let (inputs, trees) = if self.file.is_dir() {
            (None, std::slice::from_ref(&self.file))
        } else {
            (Some(&self.file), &[][..])
        };
        let inputs = inputs.into_iter().chain(mesh).chain(&self.state).map(PathBuf::as_path);
        let binary = Some("name a file with -o");
        let output = Output { option: "-o", path: self.output.as_deref(), binary };
        Streams { inputs: inputs.collect(), trees, outputs: vec![output], reads_any: false }
    }

    /// Returns whether it uses a GPU.
    #[cfg(feature = "gpu")]
    pub fn opens_gpu(&self) -> bool {
        self.difference || self.on == Machine::Gpu
    }
}
