//! Promises that a module relies on, and the check of uniforms against them.
//! In: a result, float uniforms. Out: masks of registers.

use transpica::isa::sizes::{FLOATS, INPUTS};
use transpica::settings::{Magnitudes, Reliance, Watch};

use crate::boundary::{array, exclusive, plain, shared, value};
use crate::chain::{TranspicaHead, fill, structures};
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

structures! { TranspicaReliance => Reliance }

/// Splits a mask of registers into words.
fn words(mask: u128) -> [u32; 3] {
    [0, 32, 64].map(|shift| (mask >> shift) as u32)
}

/// Joins the words of a mask.
fn mask(words: [u32; 3]) -> u128 {
    words.iter().rev().fold(0, |mask, &word| mask << 32 | u128::from(word))
}

/// Fills `reliance`, whose head has type and size, with the promises that the module relies on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_reliance(
    result: *const TranspicaResult,
    reliance: *mut TranspicaReliance,
) -> crate::TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a result.
        let found = unsafe { shared(result, "result")? }.relies_on()?;
        let &Reliance { uniforms, attributes, results, .. } = found;
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
        let reliance = unsafe { shared(result, "result")? }.relies_on()?;
        let end = usize::try_from(first).ok().and_then(|first| first.checked_add(count));
        if end.is_none_or(|end| end > FLOATS) {
            let text = format!("first is {first} and count {count}, but there are {FLOATS} float uniforms");
            return Err(Problem::size(text));
        }
        // SAFETY: NULL or that many floats; the product is at most 384.
        let uniforms = unsafe { array(uniforms, 4 * count, "uniforms")? };
        // SAFETY: NULL or three words.
        let broken = unsafe { exclusive(broken.cast::<[u32; 3]>(), "broken")? };
        let (registers, _rest) = uniforms.as_chunks::<4>();
        // Range: below 96.
        let all = (first as u8..).zip(registers);
        let mut watch = Watch::resume(reliance.promises.uniforms, mask(*broken));
        all.for_each(|(register, value)| watch.write(register, *value));
        // Registers that the program does not read may hold anything.
        *broken = words(reliance.broken(&watch));
        Ok(())
    })
}

/// The largest and the least magnitude of some numbers. Zeros are those of no numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaMagnitudes {
    /// Bits of the largest magnitude as a float.
    pub largest: u32,
    /// Bits of the least magnitude other than 0; 0 if there is none.
    pub least: u32,
}

impl TranspicaMagnitudes {
    fn read(self) -> Magnitudes {
        Magnitudes::from_bits([self.largest, self.least])
    }
}

/// Adds the numbers of an attribute in little-endian vertex data of `size` bytes to `magnitudes`:
/// `components` floats at `offset` plus n times `stride` bytes for each vertex n; with a stride of
/// 0 all vertices have the first one. A host does this once, when vertices are uploaded. Neither
/// integers nor attributes without a promise need it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_magnitudes_add(
    magnitudes: *mut TranspicaMagnitudes,
    bytes: *const u8,
    size: usize,
    stride: usize,
    offset: usize,
    components: usize,
) -> crate::TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or that many bytes.
        let bytes = unsafe { array(bytes, size, "bytes")? };
        // SAFETY: NULL or such a structure.
        let all = unsafe { exclusive(magnitudes, "magnitudes")? };
        let found = all.read().or(Magnitudes::from_records(bytes, stride, offset, components));
        let [largest, least] = found.to_bits();
        *all = TranspicaMagnitudes { largest, least };
        Ok(())
    })
}

/// Returns whether a draw may use the module of a result: 1 if `broken`, see
/// transpica_result_check_uniforms, is 0 and `attributes`, the magnitudes of v0 to v15, keep the
/// promises that the module relies on, else 0. Returns 0 for a result without a program. Promises
/// about results of arithmetic are up to the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_allows(
    result: *const TranspicaResult,
    broken: *const u32,
    attributes: *const TranspicaMagnitudes,
) -> u32 {
    value(0, || {
        // SAFETY: NULL or a result.
        let relies_on = unsafe { shared(result, "result")? }.relies_on()?;
        // SAFETY: NULL or three words.
        let broken = unsafe { array(broken, 3, "broken")? };
        // SAFETY: NULL or one for each attribute.
        let attributes = unsafe { array(attributes, INPUTS, "attributes")? };
        let attributes = std::array::from_fn(|register| attributes[register].read());
        let watch = Watch::resume(relies_on.promises.uniforms, mask([broken[0], broken[1], broken[2]]));
        Ok(relies_on.allows(&watch, &attributes).into())
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
