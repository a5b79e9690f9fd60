//! What is known of drivers: where each may differ from the interpreter, and why.
//! In: what an adapter says of itself. Out: the facts by which results on it are judged.
//! Facts: measured with programs whose arithmetic carries NoContraction, on Mesa 22.3 and on SwiftShader of 2024 and later.

/// What a driver's compute stage makes of numbers below 2^-126.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subnormals {
    /// They stay.
    Kept,
    /// All arithmetic takes and gives zero for them.
    Flushed,
    /// It is not known; Vulkan lets a driver do either at every operation.
    Open,
}

/// What is known of one driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is called here.
    pub name: &'static str,
    /// How it is recognised: part of the adapter's name or of the driver's, in lower case.
    mark: &'static str,
    /// What its compute stage makes of numbers below 2^-126.
    pub subnormals: Subnormals,
    /// Whether it gives 0 for 0 * NaN where it finds out at compile time that the factor is 0, NoContraction or not.
    pub folds_zero_factors: bool,
    /// Whether its Exp2 gives NaN for NaN, and its Log2 NaN for NaN and negative numbers and -infinity for zeros. Vulkan demands
    /// neither: unless a module declares SignedZeroInfNanPreserve, a driver may take it that no operand and no result is NaN or
    /// infinite. Of translated programs those in `fast` alone have what it gives there.
    pub ieee_exponentials: bool,
    /// Whether invocations that left a loop may get 0 for a value that the loop loads and that is used behind it as it is.
    /// Translated programs use none where that could be.
    pub loses_loop_values: bool,
    /// Whether invocations that left a loop may get that of a later iteration for a value that the loop computes and that is used
    /// behind it as it is. Translated programs use none where that could be.
    pub recomputes_loop_values: bool,
    /// After how many rounds of all its loops together an invocation leaves every loop at the end of the round, without a word.
    /// Invocations that run together share the count, and a loop that none of them enters counts one.
    pub loop_rounds: Option<u32>,
}

/// One row for each driver that the tests run on.
const DRIVERS: [Facts; 2] = [
    Facts {
        name: "lavapipe",
        mark: "llvmpipe",
        // Mesa switches them off for vertex stages alone.
        subnormals: Subnormals::Kept,
        // Its arithmetic builder answers a product with a constant zero before it knows the other factor.
        folds_zero_factors: true,
        ieee_exponentials: true,
        // It loads and computes for all invocations until the last one leaves, and masks only phis that it cannot remove.
        loses_loop_values: true,
        recomputes_loop_values: true,
        // Its compiler puts a count down into every loop, so that none hangs the process.
        loop_rounds: Some(65_535),
    },
    Facts {
        name: "SwiftShader",
        mark: "swiftshader",
        // It runs every stage in the processor's modes for that.
        subnormals: Subnormals::Flushed,
        folds_zero_factors: false,
        // Its Log2 takes the bits of all operands but +infinity for those of a positive number. Its Exp2 of NaN is infinite.
        ieee_exponentials: false,
        // It loads for all invocations until the last one leaves, and that gives 0 to those that have left.
        loses_loop_values: true,
        recomputes_loop_values: false,
        loop_rounds: None,
    },
];

/// A driver of which nothing is known.
pub(crate) const UNKNOWN: Facts = Facts {
    name: "a driver of which nothing is known",
    mark: "",
    subnormals: Subnormals::Open,
    folds_zero_factors: false,
    ieee_exponentials: false,
    loses_loop_values: false,
    recomputes_loop_values: false,
    loop_rounds: None,
};

impl Facts {
    /// The facts of the driver that says this of itself.
    pub(crate) fn of(info: &wgpu::AdapterInfo) -> Self {
        let said = format!("{} {} {}", info.name, info.driver, info.driver_info).to_lowercase();
        DRIVERS.into_iter().find(|facts| said.contains(facts.mark)).unwrap_or(UNKNOWN)
    }
}
