//! Files of programs in registers: what a command list or a cache uploads, as a `.shbin`.
//! In: registers. Out: the content of a file with one executable.
//! A file has the words, the entry point and the outputs with those semantics that the format can
//! say: consecutive components.

use transpica::container::{
    DescriptorRecord, Executable, Header, Model, OutputRecord, SEMANTICS, Semantic, Version,
};
use transpica::host::Environment;
use transpica::host::dvle::FileEnvironment;
use transpica::host::registers::number;
use transpica::isa::Pc;
use transpica::{RegisterState, Shbin, Stage};

/// Returns the content of a file with the program of a unit, or `None` if the registers have none.
///
/// ```
/// use transpica::{RegisterState, Shbin, Stage};
/// use transpica::container::write;
/// use transpica_containers::shbin;
/// let bytes = std::fs::read("../../shaders/fog.shbin")?;
/// let state = RegisterState::from_dvle(&Shbin::parse(&bytes)?, 0, None)?;
/// let copy = write(&shbin::model(&state, Stage::Vertex).ok_or("no program")?);
/// assert_eq!(Shbin::parse(&copy)?.program(0)?.program(), &state.program(Stage::Vertex)?);
/// assert!(shbin::is_complete(&copy, &state, Stage::Vertex));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn model(state: &RegisterState, stage: Stage) -> Option<Model> {
    let program = state.program(stage).ok()?;
    let words = Words { code: program.code(), descriptors: program.descriptors(), entry: program.entry() };
    Some(model_of_words(state, stage, words))
}

/// Words of a program.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// Code words.
    pub code: &'a [u32],
    /// Operand descriptors.
    pub descriptors: &'a [u32],
    /// Index of the first word to run.
    pub entry: Pc,
}

/// Returns the content of a file with these words, and the outputs of the registers. The words may
/// be no program: those of one that the library refuses, for a report.
pub fn model_of_words(state: &RegisterState, stage: Stage, words: Words<'_>) -> Model {
    let (view, kind) = match stage {
        Stage::Vertex => (state.vertex(), 0),
        Stage::Geometry => (state.geometry(), 1),
    };
    let executable = Executable {
        header: Header {
            version: Version::PICASSO,
            kind,
            main: words.entry.0.into(),
            output_mask: view.output_mask(),
            ..Header::default()
        },
        outputs: outputs(state, view.output_mask()),
        ..Executable::default()
    };
    let descriptor = |&bits: &u32| DescriptorRecord { bits, ..DescriptorRecord::default() };
    Model {
        code: words.code.to_vec(),
        descriptors: words.descriptors.iter().map(descriptor).collect(),
        executables: vec![executable],
        ..Model::default()
    }
}

/// Returns whether a file with one executable says everything about the program of a unit that the
/// registers do: words, entry point, output map. It never does for a geometry program, since the
/// model lacks the mode and the vertices of its input.
pub fn is_complete(bytes: &[u8], state: &RegisterState, stage: Stage) -> bool {
    let Ok(file) = Shbin::parse(bytes) else { return false };
    let (Ok(program), Ok(own)) = (file.program(0), state.program(stage)) else { return false };
    let Ok(environment) = FileEnvironment::new(&file, 0, "") else { return false };
    let is_same = *program.program() == own && environment.output_map() == state.vertex().output_map();
    stage == Stage::Vertex && is_same
}

/// Returns the entries of the output map for these registers.
fn outputs(state: &RegisterState, mask: u16) -> Vec<OutputRecord> {
    let registers = (0..16u16).filter(|register| mask >> register & 1 != 0);
    let mut records = Vec::new();
    for (slot, register) in registers.enumerate() {
        let codes = match u16::try_from(slot) {
            Ok(slot) if usize::from(slot) < state.slots() => state.read(number::OUTMAP + slot).to_le_bytes(),
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
