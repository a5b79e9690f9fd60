//! The animation: a tiled floor, a turning ring under three moving lights, pillars in the mist.
//! In: a time. Out: the draws of a frame. Each object has its own vertex program, all from
//! `shaders/`. For traces of frame times, rings whose programs differ in their last instructions.

use std::f64::consts::TAU;

use transpica_asm::{SourceText, assemble};
use transpica_gpu::picture::{HEIGHT, WIDTH};
use transpica_inspect::matrix::{Matrix, moved, product, projection, rows, tilted, turned};

use super::console::{CommandList, Draw, Program};

type Vector = [f32; 4];
/// The programs and shapes of the scene.
pub struct Scene {
    textured: Program,
    lights: Program,
    fog: Program,
    floor: Vec<Vector>,
    ring: Vec<Vector>,
    tiled_ring: Vec<Vector>,
    pillar: Vec<Vector>,
}

impl Scene {
    pub fn new() -> Result<Self, transpica::Error> {
        Ok(Self {
            textured: Program::new(include_bytes!("../../../../shaders/textured.shbin"), 3)?,
            lights: Program::new(include_bytes!("../../../../shaders/lights.shbin"), 2)?,
            fog: Program::new(include_bytes!("../../../../shaders/fog.shbin"), 2)?,
            floor: floor(),
            ring: ring(),
            tiled_ring: tiled_ring(),
            pillar: pillar(),
        })
    }

    /// Returns the draws at a time between 0 and 1.
    pub fn frame(&self, time: f64) -> Vec<Draw> {
        let camera = product(&moved(0.0, 0.2, -8.5), &product(&tilted(0.45), &turned(time * TAU / 4.0)));
        let mut draws = vec![self.floor(&camera), self.ring(&camera, time)];
        draws.extend((0..7).map(|number| self.pillar(&camera, number)));
        draws
    }

    /// Builds a list that uploads a program and the matrices that every program here has.
    fn list(program: &Program, model_view: &Matrix) -> CommandList {
        let mut list = program.list();
        program.set(&mut list, "projection", &rows(&projection(WIDTH, HEIGHT)));
        program.set(&mut list, "modelView", &rows(model_view));
        list
    }

    fn floor(&self, camera: &Matrix) -> Draw {
        let mut list = Self::list(&self.textured, &product(camera, &moved(0.0, -1.2, 0.0)));
        self.textured.set(&mut list, "texScale", &[[2.0, 2.0, 1.0, 1.0]]);
        Draw { list, attributes: self.floor.clone(), count: 3 }
    }

    fn ring(&self, camera: &Matrix, time: f64) -> Draw {
        let model = product(&turned(time * TAU), &tilted(0.9 + 0.3 * (time * TAU).sin()));
        let model_view = product(camera, &product(&moved(0.0, 0.6, 0.0), &model));
        let mut list = Self::list(&self.lights, &model_view);
        self.lights.set(&mut list, "normalMatrix", &rows(&model_view)[..3]);
        let direction = |angle: f64, height: f64| {
            let (s, c) = angle.sin_cos();
            let length = (1.0 + height * height).sqrt();
            [(c / length) as f32, (height / length) as f32, (s / length) as f32, 0.0]
        };
        let directions = [0.0, 2.1, 4.2].map(|offset| direction(time * TAU + offset, 0.6));
        self.lights.set(&mut list, "lightDir", &directions);
        self.lights.set(
            &mut list,
            "lightColor",
            &[[0.9, 0.3, 0.2, 0.0], [0.2, 0.8, 0.3, 0.0], [0.2, 0.3, 0.9, 0.0]],
        );
        self.lights.set(&mut list, "ambient", &[[0.15, 0.15, 0.2, 0.0]]);
        self.lights.set(&mut list, "material", &[[1.0, 0.95, 0.9, 1.0]]);
        self.lights.set(&mut list, "eye", &[[0.0, 0.0, 0.0, 1.0]]);
        // The loop runs x + 1 times, once for each light. Highlights appear in the second half of
        // the animation.
        list.int(0, [2, 0, 1, 0]);
        list.bools(u16::from(time >= 0.5));
        Draw { list, attributes: self.ring.clone(), count: 2 }
    }

    /// Returns the draws of a frame in which each of these programs draws a ring.
    pub fn rings(&self, programs: &[&Program], time: f64) -> Vec<Draw> {
        let camera = product(&moved(0.0, 0.2, -8.5), &tilted(0.45));
        let mut draws = vec![self.floor(&camera)];
        for (number, program) in (0u32..).zip(programs) {
            let angle = (f64::from(number) / programs.len() as f64 + time) * TAU;
            let place = moved(3.0 * angle.cos(), 0.0, 3.0 * angle.sin());
            let model = product(&place, &product(&turned(time * TAU), &tilted(0.9)));
            let mut list = Self::list(program, &product(&camera, &model));
            program.set(&mut list, "texScale", &[[2.0, 2.0, 1.0, 1.0]]);
            draws.push(Draw { list, attributes: self.tiled_ring.clone(), count: 3 });
        }
        draws
    }

    fn pillar(&self, camera: &Matrix, number: u32) -> Draw {
        let angle = f64::from(number) * TAU / 7.0;
        let place = moved(4.5 * angle.cos(), -1.2, 4.5 * angle.sin());
        let mut list = Self::list(&self.fog, &product(camera, &place));
        let layers = [[2.0, 0.05], [6.0, 0.12], [9.0, 0.2], [100.0, 0.3]];
        self.fog.set(&mut list, "layers", &layers.map(|[start, density]| [start, density, 0.0, 0.0]));
        self.fog.set(&mut list, "fogColor", &[[1.0, 0.8, 0.5, 1.0]]);
        list.int(0, [3, 0, 1, 0]);
        list.bools(1 << 14);
        Draw { list, attributes: self.pillar.clone(), count: 2 }
    }
}

/// Builds program `number` of 256: `textured`, with instructions of its own that change the color.
pub fn material(number: usize) -> Result<Program, Box<dyn std::error::Error>> {
    const LAST: &str = "\tmul outcol, one.wwww, incol\n";
    let mut lines = String::from("\tmul r7, one.wwww, incol\n");
    let places = [("x", "one.zzzz"), ("y", "one.zzzz"), ("z", "one.zzzz"), ("x", "texScale")];
    for (place, (component, operand)) in places.into_iter().enumerate() {
        // Two bits of the number.
        if let Some(name) = [None, Some("add"), Some("mul"), Some("max")][number >> (2 * place) & 3] {
            lines += &format!("\t{name} r7.{component}, {operand}, r7\n");
        }
    }
    lines += "\tmov outcol, r7\n";
    let text = include_str!("../../../../shaders/textured.v.pica").replace(LAST, &lines);
    let assembled = assemble(&[SourceText { name: "material.v.pica", text: &text }]);
    let assembled = assembled.map_err(|report| report.to_string())?;
    Ok(Program::new(&assembled.bytes, 3)?)
}

/// Builds two triangles for each cell of a grid; `point` returns the attributes of a corner.
fn grid(columns: u32, rows: u32, point: impl Fn(u32, u32) -> Vec<Vector>) -> Vec<Vector> {
    let cells = (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y)));
    let corners =
        cells.flat_map(|(x, y)| [(x, y), (x + 1, y), (x + 1, y + 1), (x, y), (x + 1, y + 1), (x, y + 1)]);
    corners.flat_map(|(x, y)| point(x, y)).collect()
}

fn floor() -> Vec<Vector> {
    grid(12, 12, |x, y| {
        let (x, z) = (f64::from(x) - 6.0, f64::from(y) - 6.0);
        let shade = 255.0 * (-(x * x + z * z) / 40.0).exp();
        let color = [shade * 0.7, shade * 0.8, shade, 255.0].map(|c| c as f32);
        vec![[x as f32, 0.0, z as f32, 1.0], [x as f32 / 2.0, z as f32 / 2.0, 0.0, 1.0], color]
    })
}

fn ring() -> Vec<Vector> {
    const AROUND: u32 = 48;
    const ACROSS: u32 = 20;
    grid(AROUND, ACROSS, |x, y| {
        let (s, c) = (f64::from(x % AROUND) * TAU / f64::from(AROUND)).sin_cos();
        let (t, d) = (f64::from(y % ACROSS) * TAU / f64::from(ACROSS)).sin_cos();
        let position = [(1.3 + 0.5 * d) * c, (1.3 + 0.5 * d) * s, 0.5 * t, 1.0];
        vec![position.map(|x| x as f32), [(d * c) as f32, (d * s) as f32, t as f32, 0.0]]
    })
}

/// A ring with the attributes of the floor: texture coordinates, and a color of each place.
fn tiled_ring() -> Vec<Vector> {
    const AROUND: u32 = 24;
    const ACROSS: u32 = 12;
    grid(AROUND, ACROSS, |x, y| {
        let (s, c) = (f64::from(x % AROUND) * TAU / f64::from(AROUND)).sin_cos();
        let (t, d) = (f64::from(y % ACROSS) * TAU / f64::from(ACROSS)).sin_cos();
        let position = [(1.3 + 0.5 * d) * c, (1.3 + 0.5 * d) * s, 0.5 * t, 1.0];
        let color = [90.0 + 80.0 * c, 90.0 + 80.0 * s, 120.0 + 80.0 * t, 255.0];
        let tile = [x as f32 / 2.0, y as f32 / 2.0, 0.0, 1.0];
        vec![position.map(|x| x as f32), tile, color.map(|x| x as f32)]
    })
}

fn pillar() -> Vec<Vector> {
    const AROUND: u32 = 16;
    grid(AROUND, 6, |x, y| {
        let (s, c) = (f64::from(x % AROUND) * TAU / f64::from(AROUND)).sin_cos();
        let height = f64::from(y) / 6.0;
        let radius = 0.3 + 0.1 * (height * 9.0).sin();
        let position = [radius * c, height * 3.0, radius * s, 1.0];
        vec![position.map(|x| x as f32), [c as f32, 0.0, s as f32, 0.0]]
    })
}
