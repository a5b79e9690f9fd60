//! Views of the scene that its programs know nothing of: hooks change their positions.
//! In: the name of a view. Out: hooks for each eye, and one picture of all eyes.

use clap::ValueEnum;
use transpica::container::Semantic;
use transpica::host::{Hook, HookOperand, OutputHook};
use transpica::isa::Mask;
use transpica_gpu::picture::Picture;

/// From 5:3 to 20:9: what is seen is 4/3 as wide.
const WIDE: f32 = 0.75;
/// Half of the distance between the eyes, in clip coordinates at w = 1.
const EYE: f32 = 0.02;
/// Distance at which both eyes see the same.
const CONVERGENCE: f32 = 4.0;

/// A view of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// As the programs draw it
    Plain,
    /// A wider part of the scene
    Widescreen,
    /// Both eyes, for red and cyan glasses
    Stereo,
}

impl View {
    /// Returns the hooks of each eye.
    pub fn eyes(self) -> Vec<Vec<Hook>> {
        let x = |hook: fn(Mask, HookOperand) -> OutputHook, value: f32| {
            Hook::Output(Semantic::Position, hook(Mask::X, HookOperand::constant([value, 0.0, 0.0, 0.0])))
        };
        let row = |row: [f32; 4]| HookOperand::constant(row);
        // Shifts x in proportion to w, less the shift at the convergence distance.
        let eye = |side: f32| {
            let rows = [
                row([1.0, 0.0, 0.0, side]),
                row([0.0, 1.0, 0.0, 0.0]),
                row([0.0, 0.0, 1.0, 0.0]),
                row([0.0, 0.0, 0.0, 1.0]),
            ];
            let moved = Hook::Output(Semantic::Position, OutputHook::Transform(rows));
            vec![moved, x(OutputHook::Add, -side * CONVERGENCE)]
        };
        match self {
            Self::Plain => vec![Vec::new()],
            Self::Widescreen => vec![vec![x(OutputHook::Multiply, WIDE)]],
            Self::Stereo => vec![eye(EYE), eye(-EYE)],
        }
    }
}

/// Combines the pictures of the eyes: red of the left one, green and blue of the right one.
pub fn combine(mut eyes: Vec<Picture>) -> Option<Picture> {
    let mut picture = eyes.pop()?;
    if let Some(left) = eyes.pop() {
        picture.pixels.iter_mut().zip(left.pixels).for_each(|(pixel, left)| pixel[0] = left[0]);
    }
    Some(picture)
}
