//! Programs of caches as `.shbin` files, which the other commands read.
//! In: an examination. Out: a file for each failed program, named by its key.
//! A file has the words, the entry point and the outputs with those semantics that the format can
//! say: consecutive components.

use std::path::Path;

use transpica::stages::container::{
    DescriptorRecord, Executable, Header, Model, OutputRecord, SEMANTICS, Semantic, Version,
    write as bytes_of,
};
use transpica::stages::host::RegisterState;
use transpica::stages::isa::limits::VERTEX_WORDS;

use super::Examination;
use crate::caches::StoredProgram;
use crate::report::Failure;

/// Number of the register with the first word of the output map.
const OUTMAP: u16 = 0x50;
/// Number of the register with the entry point.
const ENTRY: u16 = 0x2BA;

/// Writes the failed programs below a folder, which is created.
pub(super) fn write(examination: &Examination<'_>, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    for (distinct, _) in examination.failed() {
        let path = folder.join(format!("{}.shbin", distinct.key));
        let bytes = bytes_of(&model(distinct.program));
        std::fs::write(&path, bytes).map_err(|error| Failure::io("write", &path, &error))?;
    }
    Ok(())
}

/// Returns the content of a file with this program.
fn model(stored: &StoredProgram) -> Model {
    let state = stored.state();
    let executable = Executable {
        header: Header {
            version: Version::PICASSO,
            // As many bits as the vertex unit has addresses.
            main: state.read(ENTRY) & (VERTEX_WORDS - 1),
            output_mask: state.vertex().output_mask(),
            ..Header::default()
        },
        outputs: outputs(&state),
        ..Executable::default()
    };
    let descriptor = |&bits: &u32| DescriptorRecord { bits, ..DescriptorRecord::default() };
    Model {
        code: stored.words.code.clone(),
        descriptors: stored.words.descriptors.iter().map(descriptor).collect(),
        executables: vec![executable],
        ..Model::default()
    }
}

/// Returns the entries of the output map.
fn outputs(state: &RegisterState) -> Vec<OutputRecord> {
    let mask = state.vertex().output_mask();
    let registers = (0..16u16).filter(|register| mask >> register & 1 != 0);
    let mut records = Vec::new();
    for (slot, register) in registers.enumerate() {
        let codes = match u16::try_from(slot) {
            Ok(slot) if usize::from(slot) < state.slots() => state.read(OUTMAP + slot).to_le_bytes(),
            Ok(_) | Err(_) => [0x1F; 4],
        };
        let before = records.len();
        for info in SEMANTICS.iter().filter(|info| info.components > 0) {
            let is_own = |code: &u8| (info.first_code..info.first_code + info.components).contains(code);
            let own = codes.iter().enumerate().filter(|(_, code)| is_own(code));
            // Component n of a semantic is the n-th one of its mask.
            let mask = own.fold(0u16, |mask, (component, _)| mask | 1 << component);
            let found = codes.iter().filter(|code| is_own(code)).copied();
            // Range of the count: four components.
            if mask != 0 && found.eq(info.first_code..info.first_code + mask.count_ones() as u8) {
                records.push(OutputRecord { kind: info.kind, register, mask, reserved: 0 });
            }
        }
        if records.len() == before {
            let kind = Semantic::Generic.info().kind;
            records.push(OutputRecord { kind, register, mask: 15, reserved: 0 });
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use transpica::stages::container::Shbin;
    use transpica::stages::host::Environment;
    use transpica::stages::host::dvle::{self, FileEnvironment};
    use transpica::stages::isa::Stage;
    use transpica::stages::limits::Limits;

    use super::*;
    use crate::caches::Words;

    #[test]
    fn a_file_has_the_program_and_its_output_map() {
        let words =
            Arc::new(Words { code: vec![0x8400_0000, 0x4C00_0000, 0x8800_0000], descriptors: vec![0x36F] });
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
