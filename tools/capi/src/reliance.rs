//! Promises that a module relies on, and the check of uniforms against them.
//! In: a result, float uniforms. Out: masks of registers.

use transpica::isa::limits::FLOATS;
use transpica::settings::Reliance;

use crate::boundary::{array, plain, shared};
use crate::chain::{TranspicaHead, fill, structures};
use crate::enums::TranspicaCode;
use crate::problem::Problem;
use crate::result::TranspicaResult;

/// Registers whose promises (`assume` of TranspicaSettings) a module relies on. While those are
/// kept, it computes what it computes without them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaReliance {
    /// TRANSPICA_TYPE_RELIANCE
    pub head: TranspicaHead,
    /// Mask of float uniforms: bit n % 32 of word n / 32 stands for cn.
    pub uniforms: [u32; 3],
    /// Mask of attributes: bit n stands for vn.
    pub attributes: u32,
    /// 1 if the promise about results is needed, else 0.
    pub results: u32,
    /// Must be 0.
    pub reserved: u32,
}

structures! {
    TranspicaReliance => Reliance,
}

/// Splits a mask of registers into words.
fn words(mask: u128) -> [u32; 3] {
    [0, 32, 64].map(|shift| (mask >> shift) as u32)
}

/// Joins the words of a mask.
fn mask(words: [u32; 3]) -> u128 {
    words.iter().rev().fold(0, |mask, &word| mask << 32 | u128::from(word))
}

/// Returns what the program of a result relies on.
fn reliance(result: &TranspicaResult) -> Result<&Reliance, Problem> {
    result.relies_on().ok_or_else(|| {
        let text = "the result has no program".to_owned();
        Problem::argument(TranspicaCode::NoProgram, text)
    })
}

/// Fills `reliance`, whose head has type and size, with the promises that the module relies on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_reliance(
    result: *const TranspicaResult,
    reliance: *mut TranspicaReliance,
) -> crate::TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a result.
        let found = self::reliance(unsafe { shared(result, "result")? })?;
        let &Reliance { uniforms, attributes, results, promises: _, attribute_promises: _ } = found;
        let make = |head| TranspicaReliance {
            head,
            uniforms: words(uniforms),
            attributes: attributes.into(),
            results: results.into(),
            reserved: 0,
        };
        // SAFETY: NULL or such a structure.
        unsafe { fill(reliance, make) }
    })
}

/// Checks `count` float uniforms from c`first` on, four floats each, after they were written.
/// `broken` is the mask of uniforms that break a promise, three words as in TranspicaReliance; bits
/// of other uniforms stay. Zeros and all 96 uniforms are the start. The module may be used while
/// all words are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_check_uniforms(
    result: *const TranspicaResult,
    first: u32,
    uniforms: *const f32,
    count: usize,
    broken: *mut u32,
) -> crate::TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a result.
        let reliance = reliance(unsafe { shared(result, "result")? })?;
        let end = usize::try_from(first).ok().and_then(|first| first.checked_add(count));
        if end.is_none_or(|end| end > FLOATS) {
            let text = format!("first is {first} and count {count}, but there are {FLOATS} float uniforms");
            return Err(Problem::argument(TranspicaCode::BadSize, text));
        }
        // SAFETY: NULL or that many floats; the product is at most 384.
        let uniforms = unsafe { array(uniforms, 4 * count, "uniforms")? };
        if broken.is_null() {
            return Err(Problem::null("broken"));
        }
        let broken = broken.cast::<[u32; 3]>();
        // SAFETY: not NULL, so three words.
        let before = mask(unsafe { broken.read() });
        let (registers, _rest) = uniforms.as_chunks::<4>();
        // Range: below 96.
        let all = (first as u8..).zip(registers);
        let after = all.fold(before, |broken, (register, value)| reliance.update(broken, register, *value));
        // SAFETY: as above.
        unsafe { broken.write(words(after)) };
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::{mask, words};

    #[test]
    fn masks_survive_their_words() {
        for bit in 0..96 {
            let mut expected = [0; 3];
            expected[bit / 32] = 1 << (bit % 32);
            assert_eq!(words(1 << bit), expected);
            assert_eq!(mask(expected), 1 << bit);
        }
    }
}
