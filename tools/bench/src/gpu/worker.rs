//! The process that measures modules on one driver. Drivers read their environment when they are
//! opened, so each driver and each family of chips needs a process.
//! In: JSON of [`Work`] on standard input. Out: JSON of [`Reply`] on standard output.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::vulkan::{About, Pipeline, Subject, Triangles, Vulkan};

/// Vertices of a draw: their attributes stay in the cache.
const VERTICES: usize = 3072;
/// Draws of a submission, so that its own cost does not matter.
const DRAWS: u32 = 16;

/// A module to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Its words, valid SPIR-V with one vertex entry point.
    pub words: Vec<u32>,
    /// Content of its first buffer.
    pub uniforms: Vec<u8>,
}

/// Modules to measure and the effort.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Modules in groups. Rounds alternate within a group, so that other load on the machine
    /// affects all its modules.
    pub groups: Vec<Vec<Module>>,
    /// Pipelines timed of each module.
    pub pipelines: usize,
    /// Submissions timed of each module; 0 draws nothing, as null hardware requires.
    pub submissions: usize,
}

/// Results of one module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Nanoseconds to create its pipeline, least of all rounds; `None` if none was timed.
    pub pipeline: Option<u64>,
    /// Statistics of its vertex stage in the driver's order.
    pub statistics: Vec<(String, u64)>,
    /// Times of draws, if the driver can draw.
    pub draws: Option<Draws>,
}

/// Times of draws.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Draws {
    /// Nanoseconds that the first draw takes longer than later ones, least of all pipelines:
    /// drivers finish compiling in it.
    pub first: u64,
    /// Nanoseconds for each vertex, least of all rounds.
    pub vertex: f64,
}

/// Results of one driver.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The device.
    pub about: About,
    /// Results in the order of the work.
    pub groups: Vec<Vec<Measured>>,
}

/// Runs the process.
///
/// # Errors
/// Work that cannot be read; no device; errors of the driver.
pub fn run() -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let work: Work = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let reply = measure(work).map_err(|error| error.to_string())?;
    println!("{}", serde_json::to_string(&reply).map_err(|error| error.to_string())?);
    Ok(())
}

type Failed = Box<dyn std::error::Error>;

fn measure(work: Work) -> Result<Reply, Failed> {
    let vulkan = Vulkan::open()?;
    let bench = Bench { vulkan: &vulkan, pipelines: work.pipelines, submissions: work.submissions };
    let groups = work.groups.into_iter().map(|group| bench.group(group)).collect::<Result<_, _>>()?;
    Ok(Reply { about: vulkan.about.clone(), groups })
}

/// The device and the effort.
struct Bench<'a> {
    vulkan: &'a Vulkan,
    pipelines: usize,
    submissions: usize,
}

impl Bench<'_> {
    fn group(&self, group: Vec<Module>) -> Result<Vec<Measured>, Failed> {
        let mut subjects = Vec::new();
        for Module { words, uniforms } in group {
            subjects.push((self.vulkan.subject(words)?, uniforms));
        }
        let mut all = Vec::new();
        for (subject, _) in &subjects {
            let pipeline = self.vulkan.pipeline(subject, Triangles::Drawn)?;
            let statistics = self.vulkan.statistics(&pipeline)?;
            self.vulkan.destroy(pipeline);
            all.push(Measured { pipeline: None, statistics, draws: None });
        }
        let clock = Clock::of_compilers();
        for _ in 0..self.pipelines {
            for ((subject, _), measured) in subjects.iter().zip(&mut all) {
                let start = clock.now();
                let pipeline = self.vulkan.pipeline(subject, Triangles::Drawn)?;
                let time = clock.now().saturating_sub(start);
                measured.pipeline = Some(measured.pipeline.map_or(time, |least| least.min(time)));
                self.vulkan.destroy(pipeline);
            }
        }
        if self.submissions > 0 {
            for (draws, measured) in self.draws(&subjects)?.into_iter().zip(&mut all) {
                measured.draws = Some(draws);
            }
        }
        Ok(all)
    }

    /// Times draws of a group.
    fn draws(&self, subjects: &[(Subject, Vec<u8>)]) -> Result<Vec<Draws>, Failed> {
        let vertices = transpica_generate::inputs(0, VERTICES);
        let clock = Clock::of_shaders(self.vulkan.about.is_cpu);
        let mut drawings = Vec::new();
        for (subject, uniforms) in subjects {
            let pipeline = self.vulkan.pipeline(subject, Triangles::Culled)?;
            let drawing = self.vulkan.drawing(subject, &pipeline, uniforms, &vertices, DRAWS)?;
            let start = clock.now();
            self.vulkan.draw(&drawing)?;
            drawings.push((drawing, pipeline, clock.now().saturating_sub(start), u64::MAX));
        }
        for _ in 0..self.submissions {
            for (drawing, _, _, least) in &mut drawings {
                let start = clock.now();
                self.vulkan.draw(drawing)?;
                *least = (*least).min(clock.now().saturating_sub(start));
            }
        }
        let finish = |(_, pipeline, first, least): (_, Pipeline, u64, u64)| {
            self.vulkan.destroy(pipeline);
            let vertices = VERTICES as f64 * f64::from(DRAWS);
            Draws { first: first.saturating_sub(least), vertex: least as f64 / vertices }
        };
        Ok(drawings.into_iter().map(finish).collect())
    }
}
