//! Pipelines of new programs, created on a thread of their own.
//! In: keys and the registers of programs. Out: pipelines, when they are ready. Knows no frames.
//! Modules are stored in a folder under their keys.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use transpica::host::{Hook, Hooked, RegisterState};
use transpica::{Job, Key, Translator};
use transpica_gpu::picture::{Frame, Pipeline};
use transpica_gpu::{Gpu, GpuError};

use super::console;

/// Limit of further draws of a rehearsal: without a cache none is faster than the first.
const REHEARSALS: u32 = 4;

/// Result of a creation; no pipeline for a program that the translation does not support.
pub type Created = (Key, Result<Option<Pipeline>, String>);

/// A program in registers, and its hooks.
type Order = (Key, RegisterState, Vec<Hook>);

/// Statistics of the thread.
#[derive(Default)]
pub struct Counts {
    pub translated: usize,
    pub from_disk: usize,
}

/// The thread's side.
struct Worker {
    gpu: Arc<Gpu>,
    /// A device on which a pipeline draws first; none if pipelines are ready once created.
    rehearsal: Option<Gpu>,
    translator: Translator,
    cache: PathBuf,
    counts: Counts,
}

impl Worker {
    fn create(
        &mut self,
        key: Key,
        state: &RegisterState,
        hooks: &[Hook],
    ) -> Result<Option<Pipeline>, Box<dyn Error>> {
        let Some(words) = self.words(key, state, hooks)? else { return Ok(None) };
        let locations: Vec<u32> = (0..console::attribute_count(state))
            .map(|attribute| console::attribute_register(state, attribute))
            .collect();
        if let Some(rehearsal) = &self.rehearsal {
            rehearse(rehearsal, &words, &locations)?;
        }
        Ok(Some(Pipeline::of_program(&self.gpu, words, &locations)?))
    }

    /// Returns the words of a module, from the folder if it is there.
    fn words(
        &mut self,
        key: Key,
        state: &RegisterState,
        hooks: &[Hook],
    ) -> Result<Option<Vec<u32>>, Box<dyn Error>> {
        let file = self.cache.join(format!("{key}.spv"));
        if let Ok(bytes) = fs::read(&file) {
            self.counts.from_disk += 1;
            return Ok(Some(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()));
        }
        let vertex = state.vertex();
        let hooked = Hooked { environment: &vertex, hooks };
        let translated = match self.translator.translate(&vertex.program()?, &hooked, Job::Vertex) {
            // The batch draws from here on.
            Err(error) if error.is_unsupported() => return Ok(None),
            translated => translated?,
        };
        let words = self.translator.spirv(&translated)?;
        self.counts.translated += 1;
        fs::write(&file, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
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

/// Lets all other threads run before this one and those that it starts: a driver's compiler must
/// not take the processor from a frame.
pub fn lower_priority() {
    // Linux has a priority for each thread. Elsewhere this host has none to lower.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}

/// The host's side: orders go in, pipelines come out.
pub struct Creation {
    orders: Sender<Order>,
    created: Receiver<Created>,
    thread: JoinHandle<Counts>,
}

impl Creation {
    /// Starts the thread.
    pub fn start(gpu: Arc<Gpu>, rehearsal: Option<Gpu>, translator: Translator, cache: PathBuf) -> Self {
        let (orders, incoming) = channel::<Order>();
        let (outgoing, created) = channel();
        let mut worker = Worker { gpu, rehearsal, translator, cache, counts: Counts::default() };
        let thread = std::thread::spawn(move || {
            lower_priority();
            // The newest program first: it is on the screen.
            let mut stack: Vec<Order> = Vec::new();
            while let Some(order) = stack.pop().or_else(|| incoming.recv().ok()) {
                stack.push(order);
                stack.extend(incoming.try_iter());
                let Some((key, state, hooks)) = stack.pop() else { continue };
                let result = worker.create(key, &state, &hooks).map_err(|error| error.to_string());
                if outgoing.send((key, result)).is_err() {
                    break;
                }
            }
            worker.counts
        });
        Self { orders, created, thread }
    }

    /// Orders the pipeline of the program in the registers.
    pub fn order(&self, key: Key, state: &RegisterState, hooks: &[Hook]) {
        // The thread ends only with this end of the channel.
        let _ = self.orders.send((key, state.clone(), hooks.to_vec()));
    }

    /// Returns a pipeline that is ready, if there is one.
    pub fn ready(&self) -> Option<Created> {
        self.created.try_recv().ok()
    }

    /// Waits for the next pipeline.
    pub fn wait(&self) -> Option<Created> {
        self.created.recv().ok()
    }

    /// Waits for all pipelines that were ordered.
    pub fn finish(self) -> (Vec<Created>, Counts) {
        drop(self.orders);
        let created = self.created.iter().collect();
        (created, self.thread.join().unwrap_or_default())
    }
}
