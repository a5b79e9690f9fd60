//! Limits of a scan. A scan that meets one says so and goes on without the rest.

/// Limits for one input.
///
/// Memory is at most `2 * look_ahead + unpacked`, and a few bytes for each entry of the archives
/// that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Containers inside each other.
    pub depth: u8,
    /// Bytes after the start of a container that are in memory, so the size in bytes of the
    /// largest one that is opened in a larger input. Shaders in larger archives are found all the
    /// same, without the names of entries.
    pub look_ahead: usize,
    /// Unpacked bytes that are in memory at the same time.
    pub unpacked: usize,
    /// Unpacked bytes of all compressed parts together.
    pub unpacked_total: u64,
    /// Entries of one archive.
    pub entries: usize,
    /// Programs and groups of programs that are reported.
    pub hits: usize,
    /// Bytes of the input that are read.
    pub input: u64,
    /// Bytes that may be searched, unpacked or analyzed for each byte of the input, on top of
    /// [`BASE_WORK`](Self::BASE_WORK). Archives whose entries overlap come near it.
    pub work_per_byte: u64,
}

impl Limits {
    /// Bytes that may be searched, unpacked or analyzed whatever the length of the input.
    pub const BASE_WORK: u64 = 64 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 8,
            look_ahead: 16 << 20,
            unpacked: 64 << 20,
            unpacked_total: 16 << 30,
            entries: 1 << 16,
            hits: 1 << 20,
            input: 64 << 30,
            work_per_byte: 32,
        }
    }
}
