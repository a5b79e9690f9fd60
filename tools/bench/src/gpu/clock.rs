//! Clocks. CPU time of the process does not count other load on the machine, so it is taken
//! wherever the work is the CPU's.

use std::time::Instant;

/// A clock.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// CPU time of all threads of the process.
    Process,
    /// Time since this start.
    Wall(Instant),
}

impl Clock {
    /// Returns the clock for work of the driver's compiler.
    pub fn of_compilers() -> Self {
        if cfg!(unix) { Self::Process } else { Self::Wall(Instant::now()) }
    }

    /// Returns the clock for shaders.
    pub fn of_shaders(run_on_cpu: bool) -> Self {
        if run_on_cpu { Self::of_compilers() } else { Self::Wall(Instant::now()) }
    }

    /// Returns nanoseconds since some start.
    pub fn now(self) -> u64 {
        match self {
            Self::Process => process(),
            Self::Wall(start) => u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(unix)]
fn process() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    // Range: the clock counts from 0, and its seconds fit.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(not(unix))]
fn process() -> u64 {
    unreachable!("`of_compilers` takes another clock here")
}
