//! Arguments of `draw`.

use std::path::{Path, PathBuf};

use clap::Args;
use transpica_inspect::draw::Size;
use transpica_inspect::draw::looks::By;
use transpica_inspect::draw::mesh::BuiltIn;

use super::Machine;
use crate::streams::{Output, Streams};

/// Draw a mesh with a program, to a PNG file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica draw lights.shbin -o lights.png
  transpica draw textured.shbin --mesh cube --by texcoord0 -o coordinates.png
  transpica draw toon.shbin --mesh head.obj --state toon.json -o toon.png
  transpica draw water.shbin --mesh quad --frames 24 -o water.png       an animated PNG
  transpica draw uber.shbin --difference --deny=200 -o compared.png     fails above 200 pixels
  transpica draw shaders -o sheet.png                                   a cell for each program

A vertex program that a geometry program follows is drawn with it; --dvle draws one program alone.

Attributes are taken from the mesh by their names in the file: position, normal, texture coordinate, color, tangent, weights; or in this order if the file names none. Uniforms that no state file sets are guessed by name as well, matrices so that the mesh is in view. A program with one color everywhere gets a light, and a note says so.")]
pub struct Draw {
    /// A .shbin file or .pica source, - reads standard input; or a folder, for a sheet
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened. The
    /// sheet has one cell per program in the folder.
    pub file: PathBuf,
    /// Number of the executable (DVLE) in the file
    #[arg(long, value_name = "N")]
    pub dvle: Option<usize>,
    /// Mesh: quad, cube, sphere, lathe, hills, or an OBJ file [default: lathe]
    ///
    /// A state file may name another default: `"mesh": "hills"`.
    #[arg(long, value_name = "MESH", value_parser = MeshName::parse)]
    pub mesh: Option<MeshName>,
    /// State file with uniforms, as for `run`; the rest are guessed by name
    ///
    /// The default is NAME.state.json beside NAME.shbin, if it exists. For DVLE N of a file with
    /// several, NAME.N.state.json takes precedence.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Run the program and the rasterizer on CPU or GPU
    #[arg(long, value_enum, default_value_t = Machine::Cpu, conflicts_with = "difference")]
    pub on: Machine,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Output: color, texcoord0 to texcoord2, normalquat, view, position, o0 to o15; or normal
    /// [default: first in the program of color, texcoord0, normalquat, position]
    ///
    /// `normal` is that of the drawn triangles, which no program computes.
    #[arg(long, value_name = "OUTPUT", value_parser = By::parse)]
    pub by: Option<By>,
    /// Draw the edges of triangles instead of their surfaces
    #[arg(long)]
    pub wireframe: bool,
    /// Draw on CPU and GPU side by side, and show the pixels that differ
    ///
    /// A note counts them and has their largest distance. Edges are not smoothed.
    #[arg(long)]
    pub difference: bool,
    /// Exit with status 1 if more than N pixels differ; --deny alone means 0
    ///
    /// The picture is written either way.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "0", requires = "difference")]
    pub deny: Option<usize>,
    /// Turn once around the mesh in N frames, as an animated PNG
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=360))]
    pub frames: u32,
    /// Width and height in pixels; for a folder, of a cell [default: 400x240, folder 192x128]
    #[arg(long, value_name = "WxH", value_parser = Size::parse)]
    pub size: Option<Size>,
    /// Output file [default: standard output]
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
            .ok_or_else(|| "must be quad, cube, sphere, lathe, hills, or the name of an .obj file".to_owned())
    }
}

impl Draw {
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if self.difference && self.frames > 1 {
            return Err("--difference draws one picture; drop --frames".into());
        }
        if self.file.is_dir() {
            let single = [
                (self.dvle.is_some(), "--dvle"),
                (self.state.is_some(), "--state"),
                (self.difference, "--difference"),
                (self.frames > 1, "--frames"),
            ];
            if let Some((_, option)) = single.into_iter().find(|(is_given, _)| *is_given) {
                return Err(format!("{option} needs a single file, but {} is a folder", self.file.display()));
            }
        }
        Ok(())
    }

    /// Returns the files that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let mesh = match &self.mesh {
            Some(MeshName::File(path)) => Some(path),
            Some(MeshName::BuiltIn(_)) | None => None,
        };
        let (inputs, trees) = if self.file.is_dir() {
            (None, std::slice::from_ref(&self.file))
        } else {
            (Some(&self.file), &[][..])
        };
        let inputs = inputs.into_iter().chain(mesh).chain(&self.state).map(PathBuf::as_path);
        let binary = Some("use -o FILE");
        let output = Output { option: "-o", path: self.output.as_deref(), binary };
        Streams { inputs: inputs.collect(), trees, outputs: vec![output], reads_any: false }
    }

    /// Returns whether it uses a GPU.
    #[cfg(feature = "gpu")]
    pub fn opens_gpu(&self) -> bool {
        self.difference || self.on == Machine::Gpu
    }
}
