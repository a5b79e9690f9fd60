//! Options that differ from the defaults, as text for header comments.
//! In: options. Out: their names and values. Knows nothing of what they do.

use super::options::{Arithmetic, Assume, Block, Control, Options, Outputs};
use super::vertex_input::{AttributeFormat, Promise, VertexInput};
use crate::host::constants::Constants;
use crate::limits::Limits;

/// Lists the fields of each group that differ. The patterns name every field, so that a new one
/// cannot be forgotten.
macro_rules! list_differences {
    ($out:ident, $options:ident, $default:ident, $($group:ident: $ty:ident { $($field:ident),* })*) => {
        let Options { $($group: $ty { $($field: _),* },)* input: _ } = $options;
        $($(
            if $options.$group.$field != $default.$group.$field {
                let name = concat!(stringify!($group), ".", stringify!($field));
                $out.push(format!("{name} = {:?}", $options.$group.$field));
            }
        )*)*
    };
}

impl Options {
    /// Returns the options that differ from the defaults: `arithmetic.precision = Fast`. Int
    /// uniforms that `folded` bakes are not options.
    #[doc(hidden)]
    pub fn differences(&self, folded: &Constants) -> String {
        let mut default = Self::default();
        default.control = default.control.with_ints(&folded.ints);
        if *self == default {
            return String::new();
        }
        let mut out = Vec::new();
        list_differences! {
            out, self, default,
            arithmetic: Arithmetic { precision, functions, uninitialized }
            control: Control { bools, ints, loop_guard, permissive }
            outputs: Outputs { all, depth, snap_depth, flip_y, clip_planes, clamp_colors, unmapped, reverse_ends }
            block: Block { layout, fold_constants, padded }
            assume: Assume { uniforms, results }
            limits: Limits {
                code_words, descriptors, nodes_per_instruction, nodes_base, depth, steps, values, output_words,
                executables
            }
        }
        let VertexInput { formats, promises } = self.input;
        for (register, (format, promise)) in formats.iter().zip(promises).enumerate() {
            if *format != AttributeFormat::default() {
                out.push(format!("input.formats[{register}] = {:?} x {}", format.kind, format.components));
            }
            if promise != Promise::Nothing {
                out.push(format!("input.promises[{register}] = {promise:?}"));
            }
        }
        out.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::precision::Precision;

    #[test]
    fn only_options_that_differ_are_named() {
        let none = Constants::NONE;
        assert_eq!(Options::default().differences(&none), "");
        let mut options = Options::default();
        options.arithmetic.precision = Precision::Fast;
        options.block.padded = true;
        options.input.formats[3].components = 2;
        options.input.promises[4] = Promise::NotNan;
        let text = "arithmetic.precision = Fast, block.padded = true, \
                    input.formats[3] = Float x 2, input.promises[4] = NotNan";
        assert_eq!(options.differences(&none), text);
    }

    #[test]
    fn integers_of_the_file_are_no_options() {
        let mut folded = Constants::NONE;
        folded.ints[1] = Some([3, 0, 1, 0]);
        let mut options = Options::default();
        options.control = options.control.with_ints(&folded.ints);
        assert_eq!(options.differences(&folded), "");
        assert_eq!(
            options.differences(&Constants::NONE),
            "control.ints = IntUniforms { baked: [None, Some([3, 0, 1, 0]), None, None], specialized: 0 }"
        );
    }
}
