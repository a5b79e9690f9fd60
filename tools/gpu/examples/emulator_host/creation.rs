//! Pipelines of new programs, created on threads of their own.
//! In: keys and the registers of programs. Out: pipelines, when they are ready. Knows no frames.
//! Modules are stored in a folder under their keys.
//!
//! Two threads create: a patient one at the lowest priority, which never takes the processor from a
//! frame, and a hurried one at normal priority. On a loaded machine the patient one hardly runs.
//! When it has finished nothing for some time, the other one creates what is drawn on the CPU, one
//! pipeline at a time.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use transpica::host::{Hook, Hooked};
use transpica::{Job, Key, RegisterState, Translator};
use transpica_gpu::picture::{Frame, Pipeline};
use transpica_gpu::{Gpu, GpuError};

use super::console;

/// Limit of further draws of a rehearsal: without a cache none is faster than the first.
const REHEARSALS: u32 = 4;

/// Result of a creation; no pipeline for a program that the translation does not support.
pub type Created = (Key, Result<Option<Pipeline>, String>);

/// A program in registers, and its hooks.
#[derive(Clone)]
struct Order {
    key: Key,
    state: RegisterState,
    hooks: Vec<Hook>,
    /// The module may rely on promises.
    relies: bool,
    /// The hurried thread has it.
    is_hurried: Arc<AtomicBool>,
}

/// Priority of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The lowest.
    Patient,
    /// The normal one.
    Hurried,
}

impl Pace {
    /// Sets the priority of this thread and of those that it starts: a driver's compiler must not
    /// take the processor from a frame.
    pub fn set(self) {
        // Linux has a priority for each thread, which may only be lowered. Elsewhere this host has
        // none to lower.
        #[cfg(target_os = "linux")]
        if self == Self::Patient {
            let _ = rustix::process::nice(19);
        }
    }
}

/// Times at which pipelines are created.
#[derive(Clone, Copy)]
pub struct Pacing {
    /// Frames wait for new pipelines.
    pub waits: bool,
    /// Time without a pipeline from the patient thread after which the hurried one creates.
    pub patience: Duration,
    /// The patient thread does nothing until the end, as on a machine that is loaded to its limit.
    pub starves: bool,
}

/// Statistics of the threads.
#[derive(Default)]
pub struct Counts {
    pub translated: usize,
    pub from_disk: usize,
    /// Pipelines that the hurried thread was asked for.
    pub hurried: usize,
}

/// A thread's side.
pub struct Worker {
    pub pace: Pace,
    pub gpu: Arc<Gpu>,
    /// A device on which a pipeline draws first, or `None` if pipelines are ready once created.
    pub rehearsal: Option<Gpu>,
    /// Without promises and with them.
    pub translators: [Translator; 2],
    pub cache: PathBuf,
    made: Made,
}

/// Programs that a thread has seen, by where their modules came from.
#[derive(Default)]
struct Made {
    translated: HashSet<Key>,
    from_disk: HashSet<Key>,
}

impl Worker {
    pub fn new(
        pace: Pace,
        gpu: &Arc<Gpu>,
        rehearsal: Option<Gpu>,
        translators: [Translator; 2],
        cache: &Path,
    ) -> Self {
        let made = Made::default();
        Self { pace, gpu: gpu.clone(), rehearsal, translators, cache: cache.to_path_buf(), made }
    }

    /// Creates what is ordered, until no order can come any more; one that starves begins then.
    fn run(mut self, orders: &Receiver<Order>, created: &Sender<(Pace, Created)>, starves: bool) -> Made {
        self.pace.set();
        // The newest program first: it is on the screen.
        let mut stack: Vec<Order> = if starves { orders.iter().collect() } else { Vec::new() };
        while let Some(order) = stack.pop().or_else(|| orders.recv().ok()) {
            stack.push(order);
            stack.extend(orders.try_iter());
            let Some(order) = stack.pop() else { continue };
            if self.pace == Pace::Patient && order.is_hurried.load(Ordering::Relaxed) {
                continue;
            }
            let result = self.create(&order).map_err(|error| error.to_string());
            if created.send((self.pace, (order.key, result))).is_err() {
                break;
            }
        }
        self.made
    }

    fn create(&mut self, order: &Order) -> Result<Option<Pipeline>, Box<dyn Error>> {
        let Some(words) = self.words(order)? else { return Ok(None) };
        let locations: Vec<u32> = (0..console::attribute_count(&order.state))
            .map(|attribute| console::attribute_register(&order.state, attribute))
            .collect();
        if let Some(rehearsal) = &self.rehearsal {
            rehearse(rehearsal, &words, &locations)?;
        }
        Ok(Some(Pipeline::of_program(&self.gpu, words, &locations)?))
    }

    /// Returns the words of a module, from the folder if it has them.
    fn words(&mut self, order: &Order) -> Result<Option<Vec<u32>>, Box<dyn Error>> {
        let Order { key, state, hooks, relies, .. } = order;
        let key = *key;
        let file = self.cache.join(format!("{key}.spv"));
        if let Ok(bytes) = fs::read(&file) {
            self.made.from_disk.insert(key);
            return Ok(Some(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()));
        }
        let vertex = state.vertex();
        let hooked = Hooked { environment: &vertex, hooks };
        let translator = &mut self.translators[usize::from(*relies)];
        let translated = match translator.translate(&vertex.program()?, &hooked, Job::Vertex) {
            // The batch draws from here on.
            Err(error) if error.is_unsupported() => return Ok(None),
            translated => translated?,
        };
        let words = translator.spirv(&translated)?;
        self.made.translated.insert(key);
        // The other thread may be reading the file.
        let part = self.cache.join(format!("{key}.{:?}", self.pace));
        fs::write(&part, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
        fs::rename(part, file)?;
        Ok(Some(words))
    }
}

/// Draws with a pipeline on a device that shows nothing, until the driver has its code in its
/// cache, which it writes in the background.
fn rehearse(gpu: &Gpu, words: &[u32], locations: &[u32]) -> Result<(), GpuError> {
    let draw = || {
        let begin = Instant::now();
        let pipeline = Pipeline::of_program(gpu, words.to_vec(), locations)?;
        draw_nothing(gpu, &pipeline, locations.len())?;
        Ok::<_, GpuError>(begin.elapsed())
    };
    let first = draw()?;
    for _ in 0..REHEARSALS {
        if draw()? < first / 2 {
            break;
        }
    }
    Ok(())
}

/// Draws one triangle that covers nothing, so that a driver that compiles at the first draw does so
/// now.
pub fn draw_nothing(gpu: &Gpu, pipeline: &Pipeline, vectors: usize) -> Result<(), GpuError> {
    let mut frame = Frame::new(gpu);
    frame.draw(pipeline, &vec![[0.0; 4]; 3 * vectors], &[0; 1616]);
    frame.finish().map(|_| ())
}

/// The host's side: orders go in, pipelines come out.
pub struct Creation {
    pacing: Pacing,
    /// To the threads of each pace.
    orders: [Sender<Order>; 2],
    created: Receiver<(Pace, Created)>,
    threads: [JoinHandle<Made>; 2],
    /// Orders without a result.
    missing: HashMap<Key, Order>,
    /// Time since which the patient thread has finished nothing, though something is missing.
    since: Instant,
    /// The program that the hurried thread creates.
    current: Option<Key>,
    /// Number of those so far.
    hurried: usize,
}

impl Creation {
    /// Starts the threads, the patient one first.
    pub fn start(workers: [Worker; 2], pacing: Pacing) -> Self {
        let (outgoing, created) = channel();
        let start = |worker: Worker| {
            let (orders, incoming) = channel();
            let outgoing = outgoing.clone();
            let starves = pacing.starves && worker.pace == Pace::Patient;
            (orders, std::thread::spawn(move || worker.run(&incoming, &outgoing, starves)))
        };
        let [(patient, first), (hurried, second)] = workers.map(start);
        Self {
            pacing,
            orders: [patient, hurried],
            created,
            threads: [first, second],
            missing: HashMap::new(),
            since: Instant::now(),
            current: None,
            hurried: 0,
        }
    }

    /// Orders the pipeline of the program in the registers.
    pub fn order(&mut self, key: Key, state: &RegisterState, hooks: &[Hook], relies: bool) {
        let is_hurried = Arc::new(AtomicBool::new(false));
        let order = Order { key, state: state.clone(), hooks: hooks.to_vec(), relies, is_hurried };
        let [patient, hurried] = &self.orders;
        // The threads end only with this end of the channel. A frame that waits is in a hurry.
        let _ = if self.pacing.waits { hurried } else { patient }.send(order.clone());
        if self.missing.is_empty() {
            self.since = Instant::now();
        }
        self.missing.insert(key, order);
    }

    /// Notes that a program is drawn without its pipeline. If the patient thread does not get on,
    /// the hurried one creates it, even if the former is at it: that may take as long as the load.
    pub fn miss(&mut self, key: Key) {
        let Some(order) = self.missing.get(&key) else { return };
        if self.current.is_none() && self.since.elapsed() >= self.pacing.patience {
            order.is_hurried.store(true, Ordering::Relaxed);
            let [_, hurried] = &self.orders;
            let _ = hurried.send(order.clone());
            self.current = Some(key);
            self.hurried += 1;
        }
    }

    /// Takes the first result of an order.
    fn accept(&mut self, (pace, created): (Pace, Created)) -> Option<Created> {
        match pace {
            Pace::Patient => self.since = Instant::now(),
            Pace::Hurried => self.current = None,
        }
        self.missing.remove(&created.0).map(|_| created)
    }

    /// Returns a pipeline that is ready, if there is one.
    pub fn ready(&mut self) -> Option<Created> {
        loop {
            let result = self.created.try_recv().ok()?;
            if let Some(created) = self.accept(result) {
                return Some(created);
            }
        }
    }

    /// Waits for the next pipeline.
    pub fn wait(&mut self) -> Option<Created> {
        loop {
            let result = self.created.recv().ok()?;
            if let Some(created) = self.accept(result) {
                return Some(created);
            }
        }
    }

    /// Waits for all pipelines that were ordered.
    pub fn finish(mut self) -> (Vec<Created>, Counts) {
        let closed = self.orders.each_ref().map(|_| channel().0);
        drop(std::mem::replace(&mut self.orders, closed));
        let created = std::iter::from_fn(|| self.wait()).collect();
        let [mut made, other] = self.threads.map(|thread| thread.join().unwrap_or_default());
        made.translated.extend(other.translated);
        made.from_disk.extend(other.from_disk);
        // A module of this run that the other thread reads from disk was translated.
        let from_disk = made.from_disk.difference(&made.translated).count();
        (created, Counts { translated: made.translated.len(), from_disk, hurried: self.hurried })
    }
}
