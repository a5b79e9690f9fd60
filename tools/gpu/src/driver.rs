//! Known facts about drivers: where each may differ from the interpreter, and why.
//! In: wgpu's description of an adapter. Out: the facts that the comparison of results takes into
//! account.
//! Facts: rows of `src/guide/drivers.md`, which each field cites.

use transpica_inspect::executor::Subnormals;

/// Facts about one driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Name of the driver in this table.
    pub name: &'static str,
    /// Substring, in lower case, of the adapter's or the driver's name.
    mark: &'static str,
    /// Treatment of numbers below 2^-126 in its compute stage: drivers.md#flushed-subnormals.
    pub subnormals: Subnormals,
    /// True if it folds 0 * NaN to 0 for a factor that is constant 0: drivers.md#known-zeros.
    pub folds_zero_factors: bool,
    /// True if plain forms show drivers.md#loaded-after-loop.
    pub loses_loop_values: bool,
    /// True if plain forms show drivers.md#computed-after-loop.
    pub recomputes_loop_values: bool,
    /// Number of iterations, of all its loops together, after which an invocation leaves every loop
    /// at the end of the iteration, without a report (drivers.md#loop-countdown). Invocations of
    /// one group share the count, and a loop that none of them enters counts as one.
    pub loop_rounds: Option<u32>,
}

/// One row for each driver that the tests run on.
const DRIVERS: [Facts; 3] = [
    Facts {
        name: "lavapipe",
        mark: "llvmpipe",
        // Mesa disables them in vertex stages only.
        subnormals: Subnormals::Kept,
        // Its arithmetic builder folds a product with a constant zero before it knows the other
        // factor.
        folds_zero_factors: true,
        // It loads and computes for all invocations until the last one leaves, and masks only phis
        // that it cannot remove.
        loses_loop_values: true,
        recomputes_loop_values: true,
        // Its compiler inserts a countdown into every loop, so that none hangs the process.
        loop_rounds: Some(65_535),
    },
    Facts {
        name: "SwiftShader",
        mark: "swiftshader",
        // It runs every stage with the processor's flush-to-zero modes.
        subnormals: Subnormals::Flushed,
        folds_zero_factors: false,
        // It loads for all invocations until the last one leaves, and returns 0 to those that have
        // left.
        loses_loop_values: true,
        recomputes_loop_values: false,
        loop_rounds: None,
    },
    Facts { name: "NVIDIA", mark: "nvidia", ..UNKNOWN },
];

/// Most invocations that share a count of iterations: side by side in a group of llvmpipe, or one
/// after the other in a thread.
const SHARED: u32 = 16;

/// An unknown driver.
pub(crate) const UNKNOWN: Facts = Facts {
    name: "an unknown driver",
    mark: "",
    subnormals: Subnormals::Open,
    folds_zero_factors: false,
    loses_loop_values: false,
    recomputes_loop_values: false,
    loop_rounds: None,
};

impl Facts {
    /// Returns how many invocations of a geometry program a thread may run in one dispatch.
    pub fn most_invocations(&self) -> u32 {
        self.loop_rounds.map_or(u32::MAX, |_| SHARED)
    }

    /// Returns the number of instructions of an invocation up to which those that share a count,
    /// in lockstep or by turns, stay below [`loop_rounds`](Self::loop_rounds).
    pub fn most_steps(&self) -> u64 {
        self.loop_rounds.map_or(u64::MAX, |rounds| u64::from(rounds / SHARED - 1))
    }

    /// Returns the facts about the driver of an adapter.
    pub(crate) fn from_adapter(info: &wgpu::AdapterInfo) -> Self {
        let said = format!("{} {} {}", info.name, info.driver, info.driver_info).to_lowercase();
        DRIVERS.into_iter().find(|facts| said.contains(facts.mark)).unwrap_or(UNKNOWN)
    }
}
