//! Pictures of programs: meshes, values for what a file leaves open, rasterization on the CPU.
//! In: names of a program's registers, vertices of a draw. Out: attributes and uniforms, pictures.
//! Only [`scene`] knows a machine that runs programs. Knows no GPU and no picture file.
//!
//! One path serves all combinations. A program, on either machine, gives [`Corner`]s of triangles;
//! lines of a wireframe become triangles; a rasterizer, of either machine, fills them by a row of
//! [`looks`].

pub mod adjacency;
pub mod form;
pub mod guess;
pub mod looks;
pub mod mesh;
pub mod obj;
pub mod picture;
pub mod raster;
pub mod scene;
pub mod wire;

/// A vertex of a triangle: its position in clip space, with z in 0..w, and the shown value.
pub type Corner = [[f32; 4]; 2];

/// A triangle.
pub type Triangle = [Corner; 3];

/// Largest number of triangles of a mesh or a draw.
pub const MOST_TRIANGLES: usize = 1 << 18;

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels of a row, 1 to [`Size::MOST`].
    pub width: u32,
    /// Rows, 1 to [`Size::MOST`].
    pub height: u32,
}

impl Size {
    /// Largest width and height.
    pub const MOST: u32 = 4096;
    /// The console's upper screen.
    pub const SCREEN: Self = Self { width: 400, height: 240 };
    /// A cell of a contact sheet.
    pub const CELL: Self = Self { width: 192, height: 128 };

    /// Parses WIDTHxHEIGHT.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok().filter(|pixels| (1..=Self::MOST).contains(pixels));
        let size = text
            .split_once('x')
            .and_then(|(width, height)| Some(Self { width: number(width)?, height: number(height)? }));
        size.ok_or_else(|| format!("must look like 400x240, each at most {}", Self::MOST))
    }
}
