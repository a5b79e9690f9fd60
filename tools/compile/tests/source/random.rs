//! Random programs, compared with their sources.

use transpica_compile::source::{Kind, Language, Options, lower, read};
use transpica_proof::daily::cases;

use super::compare::compare;
use super::generate::program;

#[test]
fn random_programs_of_exact_operations_agree_in_each_bit() {
    let (mut compared, mut refused) = (0, 0);
    let options = Options::default();
    let count = cases("random shaders, lowered", 300, 4000);
    for seed in 0..count {
        let text = program(seed);
        let source = read(Language::Wgsl, text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        match lower(&source, &options) {
            Err(error) if matches!(error.kind, Kind::Limit { .. }) => {
                assert!(error.at.is_some(), "{error}\n{text}");
                refused += 1;
            }
            Err(error) => panic!("{seed}: {error}\n{text}"),
            Ok(_) => {
                let (lowered, distances) = compare(&source, &options, 20);
                for (output, distance) in lowered.interface.outputs.iter().zip(distances) {
                    assert_eq!(distance.ulp, 0, "{seed}: {}\n{text}", output.name);
                    assert_eq!(distance.vertices, 20, "{seed}: finite");
                }
                compared += 1;
            }
        }
    }
    assert!(refused * 5 < compared, "{refused} refused, {compared} compared");
}
