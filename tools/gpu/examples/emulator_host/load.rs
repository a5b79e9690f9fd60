//! Load of a machine: the share of its processors that other processes take.
//! Facts: proc(5). `/proc/stat` counts ticks of all processors since the start of the machine,
//! `/proc/<pid>/stat` counts the ticks of a process and of its children that ended.

use std::fs;

/// Ticks so far.
#[derive(Clone, Copy)]
pub struct Ticks {
    all: u64,
    idle: u64,
    own: u64,
}

impl Ticks {
    /// Counts, where the system does.
    pub fn now() -> Option<Self> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        Self::read(&machine, &own)
    }

    fn read(machine: &str, own: &str) -> Option<Self> {
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
        let numbers = |text: &str| text.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let times: Vec<u64> = numbers(machine.lines().next()?.strip_prefix("cpu ")?);
        let times = times.get(..8)?;
        // After the name in parentheses and the state: utime is the 11th number, then stime,
        // cutime, cstime.
        let rest = own.rsplit_once(')')?.1.trim_start().split_once(' ')?.1;
        let rest: Vec<i64> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let own = rest.get(10..14)?.iter().map(|ticks| ticks.unsigned_abs()).sum();
        Some(Self { all: times.iter().sum(), idle: times[3] + times[4], own })
    }

    /// Returns the share of all processors' time since then that other processes took.
    pub fn others_since(&self, then: &Self) -> f64 {
        let [all, idle, own] = [(self.all, then.all), (self.idle, then.idle), (self.own, then.own)]
            .map(|(now, then)| now.saturating_sub(then));
        all.saturating_sub(idle + own) as f64 / all.max(1) as f64
    }
}
