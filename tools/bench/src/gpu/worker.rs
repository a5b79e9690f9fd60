//! The process that measures modules on one driver. Drivers read their environment when they are
//! opened, so each driver and each family of chips needs a process.
//! In: JSON of [`Work`] on standard input. Out: JSON of [`Reply`] on standard output.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::values;
use super::vulkan::{About, Drawing, Subject, Triangles, Vulkan};

/// Vertices of a draw: their attributes stay in the cache.
const VERTICES: usize = 3072;
/// Draws of a long submission: so many that compiling, which llvmpipe does in every submission
/// where control flow depends on uniforms, varies by less than the vertices take.
const DRAWS: u32 = 512;

/// A module to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Its words, valid SPIR-V with one vertex entry point.
    pub words: Vec<u32>,
    /// Content of its first buffers, by set and binding.
    pub buffers: Vec<Vec<u8>>,
}

/// Modules to measure and the effort.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Modules in groups. Rounds alternate within a group, so that other load on the machine
    /// affects all its modules.
    pub groups: Vec<Vec<Module>>,
    /// The tasks.
    pub tasks: Tasks,
}

/// Tasks for each module, besides its statistics. 0 draws nothing, as null hardware requires.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tasks {
    /// Pipelines timed.
    pub pipelines: usize,
    /// Pipelines whose first draws are timed.
    pub firsts: usize,
    /// Rounds in which draws of a pipeline are timed that drew before.
    pub draws: usize,
}

/// Results of one module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Nanoseconds to create its pipeline, least of all rounds; `None` if none was timed.
    pub pipeline: Option<u64>,
    /// Statistics of its vertex stage in the driver's order.
    pub statistics: Vec<(String, u64)>,
    /// Nanoseconds of its first draw, which drivers finish compiling in; least of all pipelines.
    pub first: Option<u64>,
    /// Nanoseconds of the same draw in the next submission. Most drivers need next to nothing;
    /// One compiles some modules again, it seems those whose control flow depends on uniforms
    /// (drivers.md#late-compilation).
    pub again: Option<u64>,
    /// Nanoseconds for each vertex, least of all rounds.
    pub vertex: Option<f64>,
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
    let bench = Bench { vulkan: &vulkan, tasks: work.tasks };
    let groups = work.groups.into_iter().map(|group| bench.group(group)).collect::<Result<_, _>>()?;
    Ok(Reply { about: vulkan.about.clone(), groups })
}

/// The device and the tasks.
struct Bench<'a> {
    vulkan: &'a Vulkan,
    tasks: Tasks,
}

/// Takes the lesser value.
fn least<T: PartialOrd>(slot: &mut Option<T>, value: T) {
    if slot.as_ref().is_none_or(|known| value < *known) {
        *slot = Some(value);
    }
}

impl Bench<'_> {
    fn group(&self, group: Vec<Module>) -> Result<Vec<Measured>, Failed> {
        let subject = |Module { words, buffers }| Ok((self.vulkan.subject(words)?, buffers));
        let subjects = group.into_iter().map(subject).collect::<Result<Vec<_>, Failed>>()?;
        let mut all = Vec::new();
        for (subject, _) in &subjects {
            let pipeline = self.vulkan.pipeline(subject, Triangles::Drawn)?;
            let statistics = self.vulkan.statistics(&pipeline)?;
            self.vulkan.destroy(pipeline);
            all.push(Measured { pipeline: None, statistics, first: None, again: None, vertex: None });
        }
        let clock = Clock::of_compilers();
        for _ in 0..self.tasks.pipelines {
            for ((subject, _), measured) in subjects.iter().zip(&mut all) {
                let start = clock.now();
                let pipeline = self.vulkan.pipeline(subject, Triangles::Drawn)?;
                least(&mut measured.pipeline, clock.now().saturating_sub(start));
                self.vulkan.destroy(pipeline);
            }
        }
        for _ in 0..self.tasks.firsts {
            self.first_draws(&subjects, &mut all)?;
        }
        if self.tasks.draws > 0 {
            self.draws(&subjects, &mut all)?;
        }
        Ok(all)
    }

    fn time(&self, clock: Clock, drawing: &Drawing) -> Result<u64, Failed> {
        let start = clock.now();
        self.vulkan.draw(drawing)?;
        Ok(clock.now().saturating_sub(start))
    }

    /// Times the first draws of new pipelines.
    fn first_draws(&self, subjects: &[(Subject, Vec<Vec<u8>>)], all: &mut [Measured]) -> Result<(), Failed> {
        let vertices = values::vertices(3);
        let clock = Clock::of_compilers();
        for ((subject, buffers), measured) in subjects.iter().zip(all) {
            let pipeline = self.vulkan.pipeline(subject, Triangles::Culled)?;
            let drawing = self.vulkan.drawing(subject, &pipeline, buffers, &vertices, 1)?;
            least(&mut measured.first, self.time(clock, &drawing)?);
            least(&mut measured.again, self.time(clock, &drawing)?);
            self.vulkan.destroy(pipeline);
        }
        Ok(())
    }

    /// Times vertices: the difference of a long and a short submission, since some drivers compile
    /// in every submission.
    fn draws(&self, subjects: &[(Subject, Vec<Vec<u8>>)], all: &mut [Measured]) -> Result<(), Failed> {
        let vertices = values::vertices(VERTICES);
        let clock = Clock::of_shaders(self.vulkan.about.is_cpu);
        let mut drawings = Vec::new();
        for (subject, buffers) in subjects {
            let pipeline = self.vulkan.pipeline(subject, Triangles::Culled)?;
            let short = self.vulkan.drawing(subject, &pipeline, buffers, &vertices, 1)?;
            let long = self.vulkan.drawing(subject, &pipeline, buffers, &vertices, 1 + DRAWS)?;
            self.vulkan.draw(&long)?;
            drawings.push((pipeline, [(short, None), (long, None)]));
        }
        for _ in 0..self.tasks.draws {
            for (_, submissions) in &mut drawings {
                for (drawing, time) in submissions {
                    least(time, self.time(clock, drawing)?);
                }
            }
        }
        for ((pipeline, [(_, short), (_, long)]), measured) in drawings.into_iter().zip(all) {
            self.vulkan.destroy(pipeline);
            if let (Some(short), Some(long)) = (short, long) {
                let all = VERTICES as f64 * f64::from(DRAWS);
                measured.vertex = Some(long.saturating_sub(short) as f64 / all);
            }
        }
        Ok(())
    }
}
