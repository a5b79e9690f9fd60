//! Times of frames in which new programs appear: with their first frames from the CPU, and with
//! waiting for pipelines.
//! Each way runs in a process of its own with an empty driver cache, so that neither gains from the
//! other. Frames begin at the console's rate.

use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use transpica_gpu::Gpu;
use transpica_gpu::picture::Frame;

use super::console::Program;
use super::creation::{Pace, Pacing};
use super::host::{Counts, Host};
use super::load::Ticks;
use super::plot;
use super::scene::{Scene, material};

/// Number of frames.
const FRAMES: usize = 300;
/// Number of programs, each new in some frame.
const PROGRAMS: usize = 200;
/// Programs of a frame in addition to the program of the floor.
const SHOWN: usize = 8;
/// Frames from one scene change to the next, at which all programs are new.
const CHANGE: usize = 60;
/// Time between the starts of frames.
const PERIOD: Duration = Duration::from_micros(16_743);

/// Treatment of a new program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Way {
    /// Draw on the CPU until the pipeline is ready.
    CpuFirst,
    /// Wait for the pipeline.
    Wait,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::CpuFirst => "cpu-first",
            Self::Wait => "wait",
        }
    }
}

/// Number of programs that appeared up to and including a frame: all that are shown at each change
/// of the scene, the others one by one.
fn appeared(frame: usize) -> usize {
    let (changes, since) = (frame / CHANGE, frame % CHANGE);
    let each = PROGRAMS / (FRAMES / CHANGE);
    changes * each + SHOWN + since * (each - SHOWN) / (CHANGE - 1)
}

/// A record, and the load of the machine meanwhile, where it is known.
struct Record {
    rows: Vec<Row>,
    others: Option<f64>,
}

/// A line of a record: what a frame took and showed.
struct Row {
    milliseconds: f64,
    digest: String,
    on_cpu: usize,
}

fn path(out: &Path, way: Way) -> PathBuf {
    out.join(format!("{}.tsv", way.name()))
}

/// Draws the frames in one way, and writes their times and digests.
pub fn record(out: &Path, adapter: Option<&str>, way: Way, pacing: Pacing) -> Result<(), Box<dyn Error>> {
    let cache = out.join(format!("{}-modules", way.name()));
    fs::create_dir_all(&cache)?;
    let gpu = Arc::new(Gpu::open(adapter)?);
    // Drivers on the CPU compile when a pipeline first draws, and in their queue. A second device
    // has a queue of its own; what that compiled is in the driver's cache.
    let rehearsals = match way {
        Way::Wait => [None, None],
        Way::CpuFirst => [Some(open_at(Pace::Patient, adapter)?), Some(open_at(Pace::Hurried, adapter)?)],
    };
    let mut host = Host::new(&gpu, rehearsals, &cache, Pacing { waits: way == Way::Wait, ..pacing })?;
    let scene = Scene::new()?;
    let programs: Vec<Program> = (0..PROGRAMS).map(material).collect::<Result<_, _>>()?;
    let mut lines = String::new();
    let mut next = Instant::now();
    for number in 0..FRAMES {
        let newest = appeared(number);
        let shown: Vec<&Program> = programs[newest - SHOWN..newest].iter().collect();
        let draws = scene.rings(&shown, number as f64 / FRAMES as f64);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next = Instant::now() + PERIOD;
        let (begin, before) = (Instant::now(), host.counts.on_cpu);
        host.begin_frame()?;
        let mut frame = Frame::new(&gpu);
        for draw in &draws {
            host.draw(draw, &mut frame)?;
        }
        let picture = frame.finish()?;
        let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
        let mut hasher = DefaultHasher::new();
        picture.pixels.hash(&mut hasher);
        let on_cpu = host.counts.on_cpu - before;
        lines += &format!("{milliseconds:.3}\t{:016x}\t{on_cpu}\n", hasher.finish());
    }
    let Counts { translated, hurried, .. } = host.finish()?;
    assert_eq!(translated, PROGRAMS + 1, "each program is a module of its own");
    println!("{}: {hurried} of {translated} pipelines were late and created at normal priority", way.name());
    fs::write(path(out, way), lines)?;
    Ok(())
}

/// Opens a device whose threads run at the priority of a pace.
fn open_at(pace: Pace, adapter: Option<&str>) -> Result<Gpu, Box<dyn Error>> {
    let open = || {
        pace.set();
        Gpu::open(adapter)
    };
    let opened = std::thread::scope(|scope| scope.spawn(open).join());
    Ok(opened.map_err(|_| "the thread that opens a device panicked")??)
}

/// Runs this program again for one way, with a driver cache of its own.
fn recorded(out: &Path, adapter: Option<&str>, way: Way, pacing: Pacing) -> Result<Record, Box<dyn Error>> {
    for folder in ["modules", "driver"].map(|name| out.join(format!("{}-{name}", way.name()))) {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
    }
    let driver = fs::canonicalize(out.join(format!("{}-driver", way.name())))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--trace-way", way.name(), "--out"]).arg(out);
    command.arg(format!("--patience={}", pacing.patience.as_millis()));
    command.args(adapter.map(|adapter| format!("--adapter={adapter}")));
    command.env("MESA_SHADER_CACHE_DIR", &driver).env("__GL_SHADER_DISK_CACHE_PATH", &driver);
    let begin = Ticks::now();
    let status = command.status()?;
    let others = begin.zip(Ticks::now()).map(|(begin, end)| end.others_since(&begin));
    if !status.success() {
        return Err(format!("the trace of {} failed", way.name()).into());
    }
    let row = |line: &str| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().ok_or("a record has three cells");
        Ok(Row { milliseconds: cell()?.parse()?, digest: cell()?.into(), on_cpu: cell()?.parse()? })
    };
    let rows = fs::read_to_string(path(out, way))?.lines().map(row).collect::<Result<_, Box<dyn Error>>>()?;
    Ok(Record { rows, others })
}

/// Times both ways and plots them. Returns an error if a pixel differs.
pub fn compare(out: &Path, adapter: Option<&str>, pacing: Pacing) -> Result<usize, Box<dyn Error>> {
    fs::create_dir_all(out)?;
    let ways = [Way::Wait, Way::CpuFirst];
    let [waiting, first] = ways.map(|way| recorded(out, adapter, way, pacing));
    let (waiting, first) = (waiting?, first?);
    println!("milliseconds a frame; the share of all processors that other processes took");
    println!(
        "{:10} {:>7} {:>7} {:>7} {:>18} {:>13} {:>7}",
        "", "median", "99 %", "most", "over 2 x median", "draws on CPU", "others"
    );
    for (way, Record { rows, others }) in ways.iter().zip([&waiting, &first]) {
        let mut times: Vec<f64> = rows.iter().map(|row| row.milliseconds).collect();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let over = times.iter().filter(|&&time| time > 2.0 * median).count();
        println!(
            "{:10} {median:7.2} {:7.2} {:7.2} {over:18} {:13} {:>7}",
            way.name(),
            times[times.len() * 99 / 100],
            times[times.len() - 1],
            rows.iter().map(|row| row.on_cpu).sum::<usize>(),
            others.map_or("-".into(), |others| format!("{:.0} %", 100.0 * others))
        );
    }
    let [waiting, first] = [waiting.rows, first.rows];
    let times = [&waiting, &first].map(|rows| rows.iter().map(|row| row.milliseconds).collect::<Vec<_>>());
    let picture = out.join("frame_times.png");
    plot::bars(&times).save(&picture)?;
    println!("plot: {}", picture.display());
    match waiting.iter().zip(&first).filter(|(one, other)| one.digest != other.digest).count() {
        0 => Ok(0),
        frames => Err(format!("{frames} frames differ").into()),
    }
}
