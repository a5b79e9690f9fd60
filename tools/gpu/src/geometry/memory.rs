//! Buffers that the draws of a chain use again.
//! In: sizes and contents of a draw. Out: buffers with enough room, parts of one upload, bind
//! groups that are made anew only if their buffers change.
//! Knows neither programs nor passes.

use std::num::NonZeroU64;
use std::sync::Arc;

use transpica_draw::gpu::ScanResult;
use wgpu::BufferUsages;

use super::stage::Stage;
use crate::{Gpu, GpuError};

/// Alignment of the parts of an upload: the largest that WebGPU permits for offsets of bindings.
const ALIGNMENT: usize = 256;
/// Buffers beyond this number of bytes get no room to grow.
const LARGE: u64 = 1 << 26;

/// A buffer to bind, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BufferRange {
    pub(super) buffer: wgpu::Buffer,
    offset: u64,
    size: Option<NonZeroU64>,
}

impl BufferRange {
    /// Returns the resource of a bind group.
    pub(super) fn resource(&self) -> wgpu::BindingResource<'_> {
        let Self { buffer, offset, size } = self;
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: *offset, size: *size })
    }
}

impl From<&wgpu::Buffer> for BufferRange {
    fn from(buffer: &wgpu::Buffer) -> Self {
        Self { buffer: buffer.clone(), offset: 0, size: None }
    }
}

/// A buffer that grows.
pub(super) struct Slot {
    usage: BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Slot {
    pub(super) fn new(usage: BufferUsages) -> Self {
        Self { usage, buffer: None }
    }
    /// Returns a buffer of at least this size: the last one, if it is large enough.
    pub(super) fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> wgpu::Buffer {
        if let Some(buffer) = &self.buffer
            && buffer.size() >= bytes
        {
            return buffer.clone();
        }
        let size = if bytes > LARGE { bytes } else { bytes.next_power_of_two() };
        let buffer = gpu.buffer(size, self.usage);
        self.buffer = Some(buffer.clone());
        buffer
    }
}

/// The data that a draw brings from the processor, written to the GPU at once.
pub(super) struct Upload {
    slot: Slot,
    bytes: Vec<u8>,
    /// Offset and size of each part.
    parts: Vec<(usize, usize)>,
}

impl Upload {
    fn new() -> Self {
        let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Self { slot: Slot::new(usage), bytes: Vec::new(), parts: Vec::new() }
    }
    /// Writes parts to the GPU, in front of the commands that are submitted next.
    pub(super) fn write<'a>(
        &mut self,
        gpu: &Gpu,
        parts: impl IntoIterator<Item = &'a [u8]>,
    ) -> Vec<BufferRange> {
        self.bytes.clear();
        self.parts.clear();
        for part in parts {
            self.parts.push((self.bytes.len(), part.len()));
            self.bytes.extend_from_slice(part);
            // Bindings take at least a vector, and their sizes are multiples of it.
            let end = self.bytes.len().max(self.parts.last().map_or(0, |part| part.0 + 1));
            self.bytes.resize(end.next_multiple_of(ALIGNMENT), 0);
        }
        let buffer = self.slot.reserve(gpu, self.bytes.len() as u64);
        gpu.queue.write_buffer(&buffer, 0, &self.bytes);
        let bound = |&(offset, size): &(usize, usize)| BufferRange {
            buffer: buffer.clone(),
            offset: offset as u64,
            size: NonZeroU64::new((size as u64).max(1).next_multiple_of(16)),
        };
        self.parts.iter().map(bound).collect()
    }
}

/// All buffers of a chain but those of its state.
pub(super) struct Memory {
    pub(super) upload: Upload,
    pub(super) shaded: Slot,
    pub(super) feed: Slot,
    pub(super) triangles: Slot,
    pub(super) counts: Slot,
    pub(super) offsets: Slot,
    /// State between two dispatches of a draw that is split.
    pub(super) between: Slot,
    list: Slot,
    arguments: Slot,
    back: Slot,
    /// Shared with the last draw's output, which the next draw must not overwrite.
    lease: Arc<()>,
    groups: Vec<Option<(Vec<BufferRange>, wgpu::BindGroup)>>,
}

/// Buffers of a finished draw, not written by other draws while this exists.
pub(super) struct Finished {
    pub(super) list: wgpu::Buffer,
    pub(super) arguments: wgpu::Buffer,
    pub(super) lease: Arc<()>,
}

impl Memory {
    pub(super) fn new() -> Self {
        let storage = || Slot::new(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        Self {
            upload: Upload::new(),
            shaded: storage(),
            feed: storage(),
            triangles: storage(),
            counts: storage(),
            offsets: storage(),
            between: Slot::new(BufferUsages::COPY_SRC | BufferUsages::COPY_DST),
            list: Slot::new(BufferUsages::STORAGE | BufferUsages::VERTEX | BufferUsages::COPY_SRC),
            arguments: Slot::new(BufferUsages::STORAGE | BufferUsages::INDIRECT | BufferUsages::COPY_SRC),
            back: Slot::new(BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            lease: Arc::default(),
            groups: Vec::new(),
        }
    }

    /// Returns buffers for the output of a draw: the last draw's, if its output is gone.
    pub(super) fn finished(&mut self, gpu: &Gpu, bytes: u64) -> Finished {
        if Arc::strong_count(&self.lease) > 1 {
            self.list.buffer = None;
            self.arguments.buffer = None;
            self.lease = Arc::default();
        }
        Finished {
            list: self.list.reserve(gpu, bytes),
            arguments: self.arguments.reserve(gpu, ScanResult::BYTES),
            lease: self.lease.clone(),
        }
    }

    /// Submits the commands of a draw and reads the result of its scan.
    pub(super) fn submit(
        &mut self,
        gpu: &Gpu,
        mut commands: wgpu::CommandEncoder,
        arguments: &wgpu::Buffer,
    ) -> Result<ScanResult, GpuError> {
        let back = self.back.reserve(gpu, ScanResult::BYTES);
        commands.copy_buffer_to_buffer(arguments, 0, &back, 0, Some(ScanResult::BYTES));
        let words = gpu.submit_and_read(commands, &back);
        back.unmap();
        Ok(ScanResult::from_words(&words?))
    }

    /// Returns the bind group of a dispatch, with which it was made for the last draw if the
    /// buffers are still the same. Each dispatch has a `place` of its own.
    pub(super) fn group(
        &mut self,
        gpu: &Gpu,
        place: usize,
        stage: &Stage,
        bound: Vec<BufferRange>,
    ) -> wgpu::BindGroup {
        if self.groups.len() <= place {
            self.groups.resize_with(place + 1, || None);
        }
        match &self.groups[place] {
            Some((last, group)) if *last == bound => group.clone(),
            _ => {
                let group = stage.group(gpu, &bound);
                self.groups[place] = Some((bound, group.clone()));
                group
            }
        }
    }
}
