//! Times the first programs of a process, which are what a host pays: it translates each once.
//! In: nothing; processes of this program translate programs of 13 to 31 instructions. Out: time
//! and page faults of a translator, of its warm-up, of the first program, and of ten programs
//! behind each of [`evict::SIZES`] of other memory, and other code. A warm time is taken from the
//! same program right afterwards.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use transpica::{Error, Options};

use crate::evict::{self, Other};
use crate::raw;

/// Name of the mode of a process that measures.
pub const WORKER: &str = "--cold-worker";
/// Sizes of the programs in instructions, in the order in which they come.
const SIZES: [usize; 10] = [21, 13, 29, 17, 25, 31, 15, 23, 19, 27];
/// Processes of each kind.
const PROCESSES: usize = 21;
/// Steps of a process: a translator, its warm-up, the first program, and for each size of other
/// memory each program cold and warm.
const STEPS: usize = 3 + evict::SIZES.len() * 2 * SIZES.len();

/// Nanoseconds and page faults of a step.
type Step = [u64; 2];

/// Measures in this process; prints a line for each step.
///
/// # Errors
/// A program that cannot be made or translated.
pub fn work(is_warm: bool) -> Result<(), String> {
    let sources = SIZES.map(raw::Source::new).into_iter().collect::<Result<Vec<_>, _>>()?;
    let text = |error: Error| error.to_string();
    let mut other = Other::new();
    other.run(evict::SIZES[evict::SIZES.len() - 1]);
    let mut steps = Vec::new();
    let (mut translator, step) = measured(|| raw::translator(Options::default()));
    steps.push(step);
    steps.push(if is_warm { measured(|| translator.warm_up()).1 } else { [0; 2] });
    let mut translate = |source: &raw::Source| {
        let (words, step) = measured(|| source.translate(&mut translator));
        black_box(words.map_err(text)?);
        steps.push(step);
        Ok::<_, String>(())
    };
    translate(&sources[0])?;
    for kilobytes in evict::SIZES {
        for source in &sources {
            other.run(kilobytes);
            translate(source)?;
            translate(source)?;
        }
    }
    for [time, faults] in steps {
        println!("{time} {faults}");
    }
    Ok(())
}

fn measured<T>(work: impl FnOnce() -> T) -> (T, Step) {
    let (faults, start) = (page_faults(), Instant::now());
    let result = work();
    let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    (result, [time, page_faults() - faults])
}

/// Returns the page faults of this process so far that read no disk; 0 where the system does not
/// say.
fn page_faults() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').nth(7).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// Runs processes of both kinds in turn and prints medians.
///
/// # Errors
/// A process that fails.
pub fn run() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut all: [Vec<Vec<Step>>; 2] = Default::default();
    for _ in 0..PROCESSES {
        for (kind, all) in ["cold", "warm"].into_iter().zip(&mut all) {
            let output = Command::new(&program).args([WORKER, kind]).output();
            let output = output.map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout);
            let step = |line: &str| -> Option<Step> {
                let (time, faults) = line.split_once(' ')?;
                Some([time.parse().ok()?, faults.parse().ok()?])
            };
            let steps: Vec<Step> = text.lines().filter_map(step).collect();
            if steps.len() != STEPS {
                return Err(format!("a process failed: {}", String::from_utf8_lossy(&output.stderr)));
            }
            all.push(steps);
        }
    }
    println!("{:<34} {:>10} {:>7}", "median of processes", "µs", "faults");
    for (kind, all) in ["", " after a warm-up"].into_iter().zip(&all) {
        let step = |step: usize| {
            let of = |number: usize| median(all.iter().map(|steps| steps[step][number]).collect());
            [of(0), of(1)]
        };
        let [translator, warm_up, first] = [0, 1, 2].map(step);
        print("a translator", translator);
        if warm_up != [0; 2] {
            print("its warm-up", warm_up);
        }
        print(&format!("the first program{kind}"), first);
        for (size, kilobytes) in evict::SIZES.into_iter().enumerate() {
            let all: Vec<Step> =
                (3..STEPS).skip(size * 2 * SIZES.len()).take(2 * SIZES.len()).map(step).collect();
            let pairs = all.as_chunks::<2>().0;
            let of =
                |place: usize, number: usize| median(pairs.iter().map(|pair| pair[place][number]).collect());
            let ratios = pairs.iter().map(|[[cold, _], [warm, _]]| 1000 * cold / warm.max(&1));
            let ratio = median(ratios.collect()) as f64 / 1000.0;
            print(&format!("a program behind {kilobytes} KiB"), [of(0, 0), of(0, 1)]);
            println!(
                "{:<34} {:>10.1} {:>7} ratio {ratio:.2}",
                "the same at once again",
                of(1, 0) as f64 / 1e3,
                of(1, 1)
            );
        }
    }
    Ok(())
}

fn print(what: &str, [time, faults]: Step) {
    println!("{what:<34} {:>10.1} {faults:>7}", time as f64 / 1e3);
}

fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or(0)
}
