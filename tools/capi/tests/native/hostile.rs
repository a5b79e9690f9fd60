//! `hostile.cpp`: no program, however damaged, makes the interface crash, report a defect or answer
//! otherwise on another thread; valgrind finds nothing in the first of them.

use std::process::Command;

use transpica_proof::daily;

use crate::support::{built, compiler, folder, here, run, run_watched, samples, system_libraries};

/// The number of programs; of them one in 40 runs under valgrind, which is about as much slower.
const PROGRAMS: &str = "HOSTILE_PROGRAMS";

#[test]
fn hostile_programs_are_translated_or_refused() {
    needs!("c++", "valgrind");
    let programs: usize = match std::env::var(PROGRAMS) {
        Ok(number) => number.parse().unwrap_or_else(|_| panic!("{PROGRAMS} is {number:?}, no number")),
        Err(_) => daily::cases("hostile programs in C++", 500, 2_000) as usize,
    };
    let program = folder("hostile").join("hostile");
    run(compiler("c++", "c++17")
        .arg("-pthread")
        .arg(here().join("tests/native/hostile.cpp"))
        .arg(built().join("libtranspica_capi.a"))
        .args(system_libraries())
        .arg("-o")
        .arg(&program));
    let samples = samples();
    let text = run(Command::new(&program).args([programs.to_string(), "8".into()]).args(&samples));
    println!("{text}");
    let count = |part: &str| -> usize {
        let before = text.split_once(part).unwrap_or_else(|| panic!("{text}")).0;
        before.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    // Most get past the checks of arguments; each status occurs.
    assert!(count(" translated") > programs / 3, "{text}");
    for status in [" unsupported", " invalid", " wrong calls", " without memory"] {
        assert!(count(status) > programs / 200, "{text}");
    }
    let (watched, threads) = ((programs / 40).max(1).to_string(), "8".to_owned());
    let mut arguments = vec![watched.as_ref(), threads.as_ref()];
    arguments.extend(samples.iter().map(|path| path.as_path()));
    println!("under valgrind: {}", run_watched(&program, &arguments));
}
