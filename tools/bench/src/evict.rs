//! The work of a host between two calls: it writes other memory and runs other code, so that the
//! processor's caches hold nothing of ours.
//! In: a number of bytes. Out: nothing.

use std::hint::black_box;

/// Bytes that are written between two calls, in KiB. A driver of OpenGL writes 2 to 32 MB between
/// two draws.
pub const SIZES: [usize; 5] = [0, 512, 2048, 8192, 32_768];

/// Memory that is not ours.
pub struct Other {
    memory: Vec<u8>,
    state: u64,
}

impl Other {
    /// Memory for the largest of [`SIZES`].
    pub fn new() -> Self {
        Self { memory: vec![0; 1024 * SIZES[SIZES.len() - 1]], state: 1 }
    }

    /// Writes to each line of some KiB and, if there are any, runs half a megabyte of other code.
    pub fn run(&mut self, kilobytes: usize) {
        if kilobytes > 0 {
            self.state =
                FUNCTIONS.iter().flatten().fold(self.state, |state, function| function(black_box(state)));
        }
        for line in self.memory.chunks_mut(64).take(kilobytes * 16) {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&self.memory);
    }
}

/// KiB before work that is counted: more than the caches that valgrind simulates.
const COUNTED: usize = 4096;

/// Does some work behind other memory and code. Tools count what this function does.
#[inline(never)]
pub fn counted<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn only<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    Other::new().run(COUNTED);
    only(work)
}

/// One of many functions of about a kilobyte.
#[inline(never)]
fn other<const NUMBER: u64>(mut state: u64) -> u64 {
    macro_rules! repeat {
        ($($step:literal)*) => {
            $(
                state = (state ^ (NUMBER << 17 | $step << 40 | 0x9E37)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
                state = state.rotate_left($step) ^ (state >> 29);
            )*
        };
    }
    repeat!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
    state
}

/// Sixteen functions from a number on.
macro_rules! sixteen {
    ($base:literal: $($digit:literal)*) => { [$(other::<{ $base + $digit }>),*] };
    ($base:literal) => { sixteen!($base: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
}

type Function = fn(u64) -> u64;

/// Half a megabyte of code.
const FUNCTIONS: [[Function; 16]; 32] = [
    sixteen!(0x000),
    sixteen!(0x010),
    sixteen!(0x020),
    sixteen!(0x030),
    sixteen!(0x040),
    sixteen!(0x050),
    sixteen!(0x060),
    sixteen!(0x070),
    sixteen!(0x080),
    sixteen!(0x090),
    sixteen!(0x0A0),
    sixteen!(0x0B0),
    sixteen!(0x0C0),
    sixteen!(0x0D0),
    sixteen!(0x0E0),
    sixteen!(0x0F0),
    sixteen!(0x100),
    sixteen!(0x110),
    sixteen!(0x120),
    sixteen!(0x130),
    sixteen!(0x140),
    sixteen!(0x150),
    sixteen!(0x160),
    sixteen!(0x170),
    sixteen!(0x180),
    sixteen!(0x190),
    sixteen!(0x1A0),
    sixteen!(0x1B0),
    sixteen!(0x1C0),
    sixteen!(0x1D0),
    sixteen!(0x1E0),
    sixteen!(0x1F0),
];
