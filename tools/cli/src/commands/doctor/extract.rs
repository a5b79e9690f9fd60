//! Programs of caches as `.shbin` files, which the other commands read.
//! In: an examination. Out: a file for each failed program, named by its key.

use std::path::Path;

use transpica::Stage;
use transpica::container::{Model, write as bytes_of};
use transpica::host::number::vertex::ENTRY;
use transpica::isa::Pc;
use transpica::isa::sizes::VERTEX_WORDS;
use transpica_containers::shbin::{self, Words};

use super::examination::{Examination, Row};
use crate::caches::StoredProgram;
use crate::report::Failure;

/// Writes the failed programs below a folder, which is created.
pub(super) fn write(examination: &Examination<'_>, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    for Row { program, .. } in examination.rows.iter().filter(|row| row.class.fails()) {
        let path = folder.join(format!("{}.shbin", program.key));
        let bytes = bytes_of(&model(program.program));
        std::fs::write(&path, bytes).map_err(|error| Failure::io("write", &path, &error))?;
    }
    Ok(())
}

/// Returns the content of a file with this program.
fn model(stored: &StoredProgram) -> Model {
    let state = stored.state();
    // Range: as many bits as the vertex unit has addresses.
    let entry = Pc((state.read(ENTRY) & (VERTEX_WORDS - 1)) as u16);
    let words = Words { code: &stored.words.code, descriptors: &stored.words.descriptors, entry };
    shbin::model_of_words(&state, Stage::Vertex, words)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use transpica::host::dvle::FileEnvironment;
    use transpica::host::registers::number::OUTMAP;
    use transpica::host::{Environment, dvle};
    use transpica::{Limits, Shbin};

    use super::*;
    use crate::caches;

    #[test]
    fn a_file_has_the_program_and_its_output_map() {
        let words = Arc::new(caches::Words {
            code: vec![0x8400_0000, 0x4C00_0000, 0x8800_0000],
            descriptors: vec![0x36F],
        });
        // The entry has the upper bits that the system library sets; o3 has no semantic.
        let mut registers = vec![(ENTRY, 0x7FFF_0001), (0x2BD, 0b1000_0000_0000_1111), (0x4F, 5)];
        let semantics = [0x0302_0100, 0x1F1F_0D0C, 0x100B_0A09, 0x1F1F_1F1F, 0x1F14_1312];
        registers.extend((OUTMAP..).zip(semantics));
        let stored =
            StoredProgram { words, registers, has_values: false, formats: Default::default(), offset: 0 };
        let bytes = bytes_of(&model(&stored));
        let file = Shbin::parse(&bytes).expect("valid");
        let state = stored.state();
        let program = dvle::program(&file, 0, &Limits::default()).expect("valid");
        assert_eq!(Ok(program), state.program(Stage::Vertex));
        assert_eq!(file.executables[0].output_mask(), state.vertex().output_mask());
        let environment = FileEnvironment::new(&file, 0, "name").expect("valid");
        let mut expected = state.clone();
        // The format cannot say that a color begins with its second component.
        expected.write(OUTMAP + 2, 0x101F_1F1F);
        assert_eq!(environment.output_map(), expected.vertex().output_map());
    }
}
