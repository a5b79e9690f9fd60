//! Register states: the content of the GPU's registers for its shader units, updated by raw writes.
//! In: writes, command lists. Out: a program to translate (see [`source`](crate::source)), bytes
//! for the uniform buffer.

use std::ptr::null_mut;

use transpica::RegisterState;
use transpica::host::pack;

use crate::batch::TranspicaUniforms;
use crate::boundary::{answer, array, array_mut, create, exclusive, free, plain, shared, value};
use crate::chain::{Chain, TranspicaType};
use crate::enums::TranspicaStatus;
use crate::memory::Memory;
use crate::problem::Problem;
use crate::result::TranspicaResult;
use crate::settings::choice;
use crate::source::{TranspicaRawProgram, load, write};

/// The registers of the shader units and of the output map. They start as 0. Writes to other
/// registers have no effect.
#[derive(Clone, Default)]
pub struct TranspicaRegisters {
    pub(crate) state: RegisterState,
}

/// Creates a state through `registers`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_create(
    registers: *mut *mut TranspicaRegisters,
) -> TranspicaStatus {
    // SAFETY: NULL or a place for a pointer.
    unsafe { create(registers, "registers", null_mut(), || Ok(TranspicaRegisters::default())) }
}

/// Creates a copy of `registers` through `copy`, so that another thread can translate from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_copy(
    registers: *const TranspicaRegisters,
    copy: *mut *mut TranspicaRegisters,
) -> TranspicaStatus {
    // SAFETY: NULL or a place for a pointer; NULL or a state that no other call changes.
    unsafe { create(copy, "registers", null_mut(), || Ok(shared(registers, "registers")?.clone())) }
}

/// Writes `value` to register `number`, like the console's program: uploads go through the FIFO
/// registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_write(
    registers: *mut TranspicaRegisters,
    number: u32,
    value: u32,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe { transpica_registers_write_masked(registers, number, value, 15) }
}

/// Writes those bytes of `value` that the low four bits of `bytes` enable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_write_masked(
    registers: *mut TranspicaRegisters,
    number: u32,
    value: u32,
    bytes: u32,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a state that no other call uses.
        let registers = unsafe { exclusive(registers, "registers")? };
        write(&mut registers.state, number, value, bytes);
        Ok(())
    })
}

/// Writes a program to the memory of its unit: code, operand descriptors, entry point, outputs and
/// their map, as TranspicaRawProgram has them. Words beyond them stay. A host that keeps programs
/// in arrays can so create a pipeline, or ask for keys and setups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_load(
    registers: *mut TranspicaRegisters,
    program: *const TranspicaRawProgram,
) -> TranspicaStatus {
    plain(|| {
        let mut raw = None;
        // SAFETY: NULL or a state that no other call uses; NULL or a structure with a head.
        let registers = unsafe {
            let link = Chain::new(program.cast()).next()?.ok_or_else(|| Problem::null("program"))?;
            match link.which()? {
                TranspicaType::RawProgram => link.read_into(&mut raw)?,
                other => return Err(link.misplaced(other, "transpica_registers_load")),
            }
            exclusive(registers, "registers")?
        };
        // SAFETY: arrays of the sizes that the structure says.
        raw.map_or(Ok(()), |raw| unsafe { load(&raw, &mut registers.state) })
    })
}

/// Replaces the uniforms of the unit `stage` (a TranspicaStage).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_set_uniforms(
    registers: *mut TranspicaRegisters,
    stage: u32,
    uniforms: *const TranspicaUniforms,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a state that no other call uses; NULL or uniforms.
        let (registers, uniforms) =
            unsafe { (exclusive(registers, "registers")?, shared(uniforms, "uniforms")?) };
        registers.state.set_uniforms(choice("stage", stage)?, &uniforms.read()?);
        Ok(())
    })
}

/// Executes a command list of `word_count` words: each command is a parameter, a header and further
/// parameters, padded to eight bytes. An incomplete command at the end is not executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_commands(
    registers: *mut TranspicaRegisters,
    words: *const u32,
    word_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a state that no other call uses; NULL or an array of that length.
        let (registers, words) =
            unsafe { (exclusive(registers, "registers")?, array(words, word_count, "words")?) };
        registers.state.commands(words);
        Ok(())
    })
}

/// Executes a command list, as transpica_registers_commands does, and provides through `result`
/// what hangs a console or surprises there as warnings, each at the byte of its command: draws
/// without a geometry program behind one with it, counts of vertex outputs that do not fit,
/// overwritten uniforms of a geometry program, a command that goes on past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_check(
    registers: *mut TranspicaRegisters,
    words: *const u32,
    word_count: usize,
    result: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let check = || {
        // SAFETY: NULL or a state that no other call uses; NULL or an array of that length.
        let (registers, words) =
            unsafe { (exclusive(registers, "registers")?, array(words, word_count, "words")?) };
        let found = registers.state.check_commands(words);
        TranspicaResult::of_warnings(&found, Memory::default()).map(Some)
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { answer(result, Memory::default(), check) }
}

/// Returns the last value written to a register; 0 for data registers, for registers outside the
/// state, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_read(registers: *const TranspicaRegisters, number: u32) -> u32 {
    value(0, || {
        // SAFETY: NULL or a state that no other call changes.
        let registers = unsafe { shared(registers, "registers")? };
        Ok(u16::try_from(number).map_or(0, |number| registers.state.read(number)))
    })
}

/// Fills a uniform buffer for a translated program with the uniforms of the unit `stage` (a
/// TranspicaStage). `size` is at least TranspicaFigures.uniform_minimum; bytes beyond the block
/// stay unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_pack(
    registers: *const TranspicaRegisters,
    stage: u32,
    result: *const TranspicaResult,
    bytes: *mut u8,
    size: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL, or a state that no other call changes and a result.
        let (registers, result) = unsafe { (shared(registers, "registers")?, shared(result, "result")?) };
        let uniforms = registers.state.uniforms(choice("stage", stage)?);
        let block = result.block()?;
        if size < block.used() as usize {
            return Err(Problem::size(format!("size is {size} but must be {}", block.used())));
        }
        let content = pack(block, &uniforms);
        let count = content.len().min(size);
        // SAFETY: NULL or `size` writable bytes, and `count` is not more.
        unsafe { array_mut(bytes, count, "bytes")? }.copy_from_slice(&content[..count]);
        Ok(())
    })
}

/// Frees a state. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_free(registers: *mut TranspicaRegisters) {
    // SAFETY: NULL or a state that is no longer used.
    unsafe { free(registers) }
}
