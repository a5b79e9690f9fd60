//! Every program that fits into memory is translated within the limits. The worst known programs,
//! at full size, stay below 64 MiB and, in a release build, below a quarter of a second. A program
//! beyond a limit takes a fallback tier and has a warning.
//!
//! `cargo test --release -p transpica --test semantics limits -- --nocapture` prints the cost
//! of each program.

use std::time::Duration;

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::Arithmetic;
use transpica::{
    At, Error, Job, Kind, Limits, Options, Precision, Profile, Result, Shbin, Tier, Translation, Translator,
};
use transpica_proof::{daily, spirv_tools};

use super::worst::{PATTERNS, Pattern, STRAIGHT, TOWERS, compare, plain, program};
use crate::MEMORY;
use crate::again::again;

/// The largest number of code words.
const WORDS: usize = 4096;

const MOST_BYTES: usize = 64 << 20;

/// A quarter of a second; far more for a debug build, on a machine under load.
const MOST_TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 250 });

/// Translates to SPIR-V; returns the words as well.
fn translate(bytes: &[u8], job: Job<'_>, options: Options) -> Result<(Translation, Vec<u32>)> {
    let file = Shbin::parse(bytes)?;
    let program = dvle::program(&file, 0, &options.limits)?;
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &FileEnvironment::new(&file, 0, "file")?, job)?;
    let words = translator.spirv(&translated)?;
    Ok((translated, words))
}

fn tier(bytes: &[u8], limits: Limits) -> Result<Tier> {
    translate(bytes, Job::Vertex, Options { limits, ..Options::default() })
        .map(|(translated, _)| translated.tier)
}

/// Time of this process on a CPU, which tests beside it do not prolong.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.try_into().expect("a clock that counts from 0")
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    std::time::UNIX_EPOCH.elapsed().expect("a date after 1970")
}

/// Cost of a translation, the best of some.
#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    bytes: usize,
    tier: Tier,
    words: usize,
}

fn measure(name: &str, bytes: &[u8], job: Job<'_>, options: Options, times: u32) -> Cost {
    let mut cost = Cost { time: Duration::MAX, bytes: 0, tier: Tier::Structured, words: 0 };
    for number in 0..times {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let start = cpu_time();
        let result = translate(bytes, job, options);
        cost.time = cost.time.min(cpu_time() - start);
        cost.bytes = cost.bytes.max(MEMORY.peak_usage().saturating_sub(before));
        let (translated, words) = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        (cost.tier, cost.words) = (translated.tier, words.len());
        if number == 0 {
            spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let warned = translated.warnings.iter().any(|warning| warning.text.contains(&cost.tier.to_string()));
        assert_eq!(warned, cost.tier != Tier::Structured, "{name}: {:?}", translated.warnings);
    }
    cost
}

/// Translates every pattern at full size, with `between` words of `other` after each, and prints
/// and checks its cost.
fn check(patterns: &[(&str, Pattern)], between: usize, other: Pattern) {
    let mut failures = Vec::new();
    let what = format!("worst programs such as {}, {between} between", patterns[0].0);
    for (number, &(name, pattern)) in daily::some(&what, 4, patterns.iter().enumerate().collect()) {
        let options = Options {
            arithmetic: Arithmetic {
                precision: [Precision::Exact, Precision::F24][number % 2],
                ..Arithmetic::default()
            },
            ..Options::default()
        };
        let times = if cfg!(debug_assertions) { 1 } else { 3 };
        let cost = measure(name, &program(pattern, WORDS, between, other), Job::Compute, options, times);
        let text = format!(
            "{:7.1} ms {:5.1} MiB {:7} words  {}  {name}, {between} between",
            cost.time.as_secs_f64() * 1e3,
            cost.bytes as f64 / f64::from(1 << 20),
            cost.words,
            cost.tier,
        );
        println!("{text}");
        if cost.time > MOST_TIME || cost.bytes > MOST_BYTES {
            failures.push(text);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_of_control_flow_alone_stay_within_the_limits() {
    if again(programs_of_control_flow_alone_stay_within_the_limits, []).is_some() {
        return;
    }
    check(PATTERNS, 0, |n, _| plain(n));
}

#[test]
fn control_flow_of_unknown_uniforms_stays_within_the_limits() {
    if again(control_flow_of_unknown_uniforms_stays_within_the_limits, []).is_some() {
        return;
    }
    check(PATTERNS, 1, |n, _| compare(n));
}

#[test]
fn deep_nesting_and_entangled_jumps_stay_within_the_limits() {
    if again(deep_nesting_and_entangled_jumps_stay_within_the_limits, []).is_some() {
        return;
    }
    check(TOWERS, 0, |n, _| plain(n));
}

#[test]
fn deep_nesting_and_entangled_jumps_between_comparisons_stay_within_the_limits() {
    if again(deep_nesting_and_entangled_jumps_between_comparisons_stay_within_the_limits, []).is_some() {
        return;
    }
    check(TOWERS, 1, |n, _| compare(n));
}

#[test]
fn code_without_jumps_stays_within_the_limits() {
    if again(code_without_jumps_stays_within_the_limits, []).is_some() {
        return;
    }
    check(STRAIGHT, 0, |n, _| plain(n));
}

/// Returns the pattern of a name.
fn pattern(name: &str) -> Pattern {
    let mut all = PATTERNS.iter().chain(TOWERS).chain(STRAIGHT);
    all.find(|(other, _)| *other == name).map(|(_, pattern)| *pattern).expect("a pattern of that name")
}

/// A program of a pattern with a comparison after each of its words.
fn compared(name: &str, words: usize) -> Vec<u8> {
    program(pattern(name), words, 1, |n, _| compare(n))
}

/// Smallest value of a limit with which a program is structured: one less takes another tier.
fn threshold(bytes: &[u8], limits: impl Fn(u32) -> Limits) -> u32 {
    let structured = |value: u32| tier(bytes, limits(value)) == Ok(Tier::Structured);
    let (mut below, mut above) = (0, 1 << 24);
    assert!(structured(above) && !structured(below));
    while below + 1 < above {
        let middle = below + (above - below) / 2;
        if structured(middle) { above = middle } else { below = middle }
    }
    above
}

/// Reason why a program was not structured.
fn why(bytes: &[u8], limits: Limits) -> (Tier, At, String) {
    let (translated, words) =
        translate(bytes, Job::Vertex, Options { limits, ..Options::default() }).expect("a simpler tier");
    let [warning] = &translated.warnings[..] else { panic!("{:?}", translated.warnings) };
    let (text, size) = warning.text.rsplit_once("; ").expect("the words of the module");
    assert!(size.contains(&format!(" {} words of SPIR-V", words.len())), "{}", warning.text);
    (translated.tier, warning.at, text.to_string())
}

#[test]
fn nesting_deeper_than_the_limit_takes_a_block_dispatcher() {
    let bytes = compared("towers of 12 skips", 200);
    let limits = |depth: u32| Limits { depth, ..Limits::default() };
    let depth = threshold(&bytes, limits);
    let text = format!(
        "translated with a block dispatcher, which runs slower, because its structure is {depth} levels deep, and the limit is {}",
        depth - 1
    );
    assert_eq!(why(&bytes, limits(depth - 1)), (Tier::BlockDispatcher, At::Pc(0), text));
}

#[test]
fn more_control_states_than_the_limit_take_a_pc_dispatcher() {
    let bytes = compared("towers of 12 skips", 200);
    let limits = |nodes_base: u32| Limits { nodes_base, nodes_per_instruction: 0, ..Limits::default() };
    let nodes = threshold(&bytes, limits);
    let text = format!(
        "translated with a pc dispatcher, which runs slower, because it has more than {} control states",
        nodes - 1
    );
    assert_eq!(why(&bytes, limits(nodes - 1)), (Tier::PcDispatcher, At::Pc(0), text));
}

#[test]
fn more_values_or_steps_than_the_limit_take_a_dispatcher() {
    // Four calls of the same code: the structured program contains it four times.
    let bytes = program(pattern("loops left for two places, called four times"), 400, 0, |n, _| plain(n));
    let values = |values: u32| Limits { values, ..Limits::default() };
    let least = threshold(&bytes, values);
    let (tier, _, text) = why(&bytes, values(least - 1));
    assert_ne!(tier, Tier::Structured);
    assert!(text.ends_with(&format!("lowering it takes more than {} values", least - 1)), "{text}");
    let steps = |steps: u32| Limits { steps, ..Limits::default() };
    let least = threshold(&bytes, steps);
    let (tier, _, text) = why(&bytes, steps(least - 1));
    assert_ne!(tier, Tier::Structured);
    assert!(text.ends_with(&format!("lowering it takes more than {} steps", least - 1)), "{text}");
    // The pc dispatcher needs no steps.
    assert_eq!(why(&bytes, steps(0)).0, Tier::PcDispatcher);
}

#[test]
fn values_beyond_the_limit_in_the_last_tier_are_an_error() {
    let limits = Limits { values: 20, ..Limits::default() };
    let error = tier(&compared("towers of 12 skips", 200), limits).map_err(|error| (error.kind, error.at));
    assert!(
        matches!(error, Err((Kind::Limit { name: "values", value: 21.., limit: 20 }, At::Whole))),
        "{error:?}"
    );
}

#[test]
fn code_and_output_beyond_the_limit_are_an_error() {
    let bytes = compared("towers of 12 skips", 200);
    let refused = |limits: Limits| match tier(&bytes, limits) {
        Err(Error { kind: Kind::Limit { name, value, limit }, .. }) => (name, value > limit as usize),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Limits { code_words: 199, ..Limits::default() }), ("code words", true));
    assert_eq!(refused(Limits { output_words: 500, ..Limits::default() }), ("output_words", true));
}

#[test]
fn a_block_dispatcher_has_at_most_1024_blocks() {
    if again(a_block_dispatcher_has_at_most_1024_blocks, []).is_some() {
        return;
    }
    // Each level of these jumps is a block, and they nest as deep as there are levels.
    let tier_of = |words: usize| tier(&compared("jumps to the mirror image", words), Limits::default());
    assert_eq!(tier_of(2062), Ok(Tier::BlockDispatcher));
    assert_eq!(tier_of(2064), Ok(Tier::PcDispatcher));
    for words in [2062, 2064] {
        let bytes = compared("jumps to the mirror image", words);
        let cost = measure("threshold", &bytes, Job::Vertex, Options::default(), 2);
        println!("{words} words: {:?}, {} KiB, {}", cost.time, cost.bytes >> 10, cost.tier);
        assert!(cost.time < MOST_TIME && cost.bytes < MOST_BYTES);
    }
}

#[test]
fn a_large_dispatcher_has_a_warning_of_the_time_that_drivers_take() {
    let warning = |words: usize| {
        let bytes = compared("jumps to the mirror image", words);
        let (translated, words) = translate(&bytes, Job::Vertex, Options::default()).expect("it translates");
        let [warning] = &translated.warnings[..] else { panic!("{:?}", translated.warnings) };
        (words.len(), warning.text.clone())
    };
    let (words, text) = warning(256);
    assert!(text.ends_with(&format!("; it takes {words} words of SPIR-V")), "{text}");
    let (words, text) = warning(1024);
    let end = format!("; its {words} words of SPIR-V may take a driver half a minute to compile");
    assert!(text.ends_with(&end), "{text}");
}

/// Permitted superlinear growth: at full size a tenth of the time limit, as dominators of a long
/// chain of jumps to one place need.
const UNNOTICED: Duration = Duration::from_millis(if cfg!(debug_assertions) { 3 } else { 25 });

/// Twice the program may take three and a half times as long: four would be quadratic. If nesting
/// grows with the program, so does the output for each of its words, up to the depth limit; this
/// takes time in proportion.
#[test]
fn time_does_not_grow_with_the_square_of_the_program() {
    if again(time_does_not_grow_with_the_square_of_the_program, []).is_some() {
        return;
    }
    let mut failures = Vec::new();
    let all = PATTERNS.iter().chain(TOWERS).chain(STRAIGHT).collect();
    let whole = if cfg!(debug_assertions) { WORDS / 4 } else { WORDS };
    for &(name, pattern) in daily::some("worst programs of two lengths", 4, all) {
        let cost = |words: usize, times: u32| {
            let bytes = program(pattern, words, 1, |n, _| compare(n));
            measure(name, &bytes, Job::Vertex, Options::default(), times)
        };
        let (mut half, mut full) = (cost(whole / 2, 1), cost(whole, 1));
        let factor = 1.75 * (full.words as f64 / half.words as f64).max(2.0);
        let grows = |half: Cost, full: Cost| {
            let allowed = half.time.mul_f64(factor) + UNNOTICED;
            half.tier == full.tier && full.time > allowed
        };
        // Other processes interfere, so a slow case gets more chances.
        for _ in 0..12 {
            if !grows(half, full) {
                break;
            }
            half.time = half.time.min(cost(whole / 2, 4).time);
            full.time = full.time.min(cost(whole, 4).time);
        }
        if grows(half, full) {
            let found = (half.time, full.time, full.tier);
            failures.push(format!("{name}: {found:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
