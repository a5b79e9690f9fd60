//! Cases with a picture: a mesh drawn with the programs of a shader.
//! In: uniforms over those that a drawing guesses from names. Out: a picture to compare with a kept
//! one. Reads and writes no file: the caller has the format of pictures.

use std::path::{Path, PathBuf};

use toml::de::DeTable;
use transpica::Shbin;
use transpica::isa::uniforms::Uniforms;
use transpica_inspect::draw::Size;
use transpica_inspect::draw::guess::Camera;
use transpica_inspect::draw::mesh::{BuiltIn, Mesh};
use transpica_inspect::draw::picture::Picture;
use transpica_inspect::draw::raster::{self, Samples};
use transpica_inspect::draw::scene::{Pick, Scene, SceneError};
use transpica_inspect::state::unknown_word;

use crate::keys::Place;
use crate::shader::{Problem, Shader};
use crate::toml::{Item, Reader};
use crate::values::{Defaults, Layers, state};

/// A case with a picture.
#[derive(Clone, Debug)]
pub struct PictureCase {
    /// Its name.
    pub name: String,
    /// Its line in the file.
    pub line: usize,
    /// Path of the kept picture.
    pub path: PathBuf,
    /// Most pixels that may differ.
    pub differing: u64,
    mesh: BuiltIn,
    pick: Pick,
    uniforms: [Uniforms; 2],
}

impl PictureCase {
    /// Reads the keys of a case. `file` is the path of the test file.
    pub(crate) fn parse<'t>(
        (reader, file): (Reader<'t>, &Path),
        (table, item): (&DeTable<'t>, &Item<'t>),
        layers: &Layers<'_, 't>,
        shader: &Shader,
    ) -> Result<Self, Problem> {
        let start = item.span().start;
        reader.check_keys(table, Place::Picture, "a case with a picture")?;
        let name = table.get("name").ok_or_else(|| reader.problem(start, "the case has no name"))?;
        let picture = table.get("picture").unwrap_or(item);
        let ending = ".png";
        let path = reader.text(picture, "picture")?;
        if !path.ends_with(ending) {
            return Err(reader.problem(picture.span().start, "picture must be the name of a .png file"));
        }
        let mesh = table.get("mesh").map_or(Ok(BuiltIn::Lathe), |item| {
            let name = reader.text(item, "mesh")?;
            let known = || unknown_word(("mesh", name), &BuiltIn::ALL.map(|(name, _)| name), "mesh");
            BuiltIn::named(name).ok_or_else(|| reader.problem(item.span().start, known()))
        })?;
        let differing = table.get("differing").map_or(Ok(0), |item| reader.count(item, "differing"))?;
        let pixels = u64::from(Size::SCREEN.width) * u64::from(Size::SCREEN.height);
        if let Some(item) = table.get("differing").filter(|_| differing >= pixels) {
            let message =
                format!("differing must be at least 0 and less than {pixels}, all pixels of the picture");
            return Err(reader.problem(item.span().start, message));
        }
        let failed = |error: transpica::Error| reader.problem(start, error.to_string());
        let container = Shbin::parse(&shader.bytes).map_err(failed)?;
        let no_vertex = || reader.problem(start, "a picture needs a vertex program");
        let pick = Pick::new(&container, None).ok_or_else(no_vertex)?;
        let shape = Mesh::built_in(mesh);
        let guessed = Scene::new(&container, pick, &shape, &camera()).map_err(failed)?.states;
        let [mut vertex, mut geometry] = guessed.map(|state| state.uniforms);
        for (index, uniforms) in [(Some(pick.vertex), &mut vertex), (pick.geometry, &mut geometry)] {
            if let Some(index) = index {
                let guessed = Defaults { uniforms: uniforms.clone(), are_zero: false };
                *uniforms = state(reader, layers, (shader, index), guessed, start)?.uniforms;
            }
        }
        Ok(Self {
            name: reader.text(name, "name")?.to_owned(),
            line: reader.place(name.span().start).0,
            path: file.with_file_name(path),
            differing,
            mesh,
            pick,
            uniforms: [vertex, geometry],
        })
    }

    /// Draws the mesh on the reference machine, 400 by 240 pixels.
    ///
    /// # Errors
    /// A program that cannot run, or has no end.
    pub fn draw(&self, shader: &Shader) -> Result<Picture, String> {
        let file = Shbin::parse(&shader.bytes).map_err(|error| error.to_string())?;
        let mesh = Mesh::built_in(self.mesh);
        let mut scene = Scene::new(&file, self.pick, &mesh, &camera()).map_err(|error| error.to_string())?;
        for (state, uniforms) in scene.states.iter_mut().zip(&self.uniforms) {
            state.uniforms = uniforms.clone();
        }
        let shown = scene.shown().map_err(|error| match error {
            SceneError::Program(error) => error.to_string(),
            SceneError::Choice(message, _) => message,
        })?;
        let too_much = |raster::TooMuch| "the triangles cover more than 2^31 pixels".to_owned();
        raster::paint(&shown.triangles, shown.look, Size::SCREEN, Samples::One).map_err(too_much)
    }
}

/// The view of a test's picture: the one that `transpica draw` has before it frames the mesh.
fn camera() -> Camera {
    Camera::new(Size::SCREEN, Camera::START)
}
