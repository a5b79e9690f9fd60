//! The statistics that RADV reports for the samples on two families of AMD chips are those on
//! record. They do not vary between runs, so a difference is a change of our modules.
//! They depend on Mesa, so there is a file for each version. `UPDATE_EXPECT=1` writes the one of
//! the installed version, to be read as a diff and committed.
//! Without the file of the installed version, this test is left out and says what to do.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Families of chips: RDNA with waves of 32 lanes, and GCN with waves of 64.
const FAMILIES: [&str; 2] = ["navi10", "vega10"];
const FORMS: [&str; 5] = ["fast", "exact", "not-nan", "never-nan", "finite"];
/// Statistics on record, by RADV's names.
const STATISTICS: [&str; 5] = ["Instructions", "Inverse Throughput", "Latency", "SGPRs", "VGPRs"];
const UPDATE: &str = "UPDATE_EXPECT=1 cargo test -p transpica-bench --test null_hardware";

/// Runs `transpica-bench --gpu --statistics` on all samples.
fn measure() -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_transpica-bench"));
    command.args(["--gpu", "--statistics", "--json"]);
    command.args(FAMILIES.iter().flat_map(|family| ["--family", family]));
    command.args(FORMS.iter().flat_map(|form| ["--form", form]));
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders"));
    let output = command.output().expect("transpica-bench runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Version of Mesa, which all drivers of a run share.
fn version(measured: &Value) -> &str {
    let drivers = measured["drivers"].as_array().expect("drivers");
    assert_eq!(drivers.len(), FAMILIES.len(), "missing: {}", measured["missing"]);
    let version = |driver: &'static str| {
        let text = drivers.iter().find(|known| known["name"] == driver).expect("a family")["driver"].as_str();
        let mut words = text.expect("a name").split(' ').skip_while(|word| *word != "Mesa");
        words.nth(1).unwrap_or_else(|| panic!("no version of Mesa in {text:?}"))
    };
    assert_eq!(version(FAMILIES[0]), version(FAMILIES[1]));
    version(FAMILIES[0])
}

/// Statistics of a module on a family, in the order of [`STATISTICS`].
fn statistics(module: &Value, family: &str) -> [u64; STATISTICS.len()] {
    let figures = &module["drivers"][family]["figures"];
    STATISTICS.map(|name| {
        let value = figures[name].as_u64();
        value.unwrap_or_else(|| panic!("this Mesa does not report {name:?}, only {figures}"))
    })
}

/// One line for each module and family.
fn table(measured: &Value) -> String {
    let mut text = format!("program\tlayout\tform\tfamily\t{}\n", STATISTICS.join("\t"));
    for program in measured["programs"].as_array().expect("programs") {
        for module in program["modules"].as_array().expect("modules") {
            for family in FAMILIES {
                let [name, layout, form] = [&program["program"], &module["layout"], &module["form"]]
                    .map(|value| value.as_str().expect("a name"));
                let numbers = statistics(module, family).map(|number| number.to_string());
                writeln!(text, "{name}\t{layout}\t{form}\t{family}\t{}", numbers.join("\t")).expect("memory");
            }
        }
    }
    text
}

fn file(version: &str) -> PathBuf {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/null_hardware"));
    folder.join(format!("mesa-{version}.tsv"))
}

/// Lines that differ, each with its former content.
fn differences(recorded: &str, now: &str) -> Vec<String> {
    let name = |line: &str| line.splitn(5, '\t').take(4).collect::<Vec<_>>().join(" ");
    let find = |text: &str, wanted: &str| text.lines().find(|line| name(line) == wanted).map(str::to_owned);
    let mut all = Vec::new();
    for line in now.lines() {
        let before = find(recorded, &name(line));
        if before.as_deref() != Some(line) {
            all.push(format!("was {}\nnow {line}", before.as_deref().unwrap_or("absent")));
        }
    }
    let gone = recorded.lines().filter(|line| find(now, &name(line)).is_none());
    all.extend(gone.map(|line| format!("was {line}\nnow absent")));
    all
}

#[test]
fn statistics_of_the_samples_are_those_on_record() {
    transpica_proof::needs!("radv", "spirv-val");
    let measured = measure();
    let (version, now) = (version(&measured), table(&measured));
    let path = file(version);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &now).expect("the file can be written");
    }
    let Ok(recorded) = std::fs::read_to_string(&path) else {
        return transpica_proof::needs::leave_out(&format!(
            "has no statistics of Mesa {version} on record, on which they depend: record them with `{UPDATE}` from a \
             commit whose tests pass with a version on record, and commit {}",
            path.display()
        ));
    };
    let differences = differences(&recorded, &now);
    assert!(
        differences.is_empty(),
        "{} statistics changed; if this is intended, `{UPDATE}` and read the diff:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[test]
fn a_changed_a_missing_and_a_new_line_are_reported() {
    let recorded = "program\tlayout\tform\tfamily\tInstructions\na 0\tx\texact\tf\t1\nb 0\tx\texact\tf\t2\n";
    assert_eq!(differences(recorded, recorded), Vec::<String>::new());
    let now = "program\tlayout\tform\tfamily\tInstructions\nb 0\tx\texact\tf\t3\nc 0\tx\texact\tf\t4\n";
    assert_eq!(
        differences(recorded, now),
        [
            "was b 0\tx\texact\tf\t2\nnow b 0\tx\texact\tf\t3",
            "was absent\nnow c 0\tx\texact\tf\t4",
            "was a 0\tx\texact\tf\t1\nnow absent"
        ]
    );
}
