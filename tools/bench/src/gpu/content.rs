//! Content for the buffers of a module of any compiler, by the types of their members.
//! In: SPIR-V, uniforms. Out: bytes. Floats, vectors of ints and single ints are taken from the
//! uniforms in their order, the bools as one word. So a register layout gets what our forms get.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op};
use transpica::interp::Uniforms;

use super::interface::{Buffer, Interface, Types};
use super::vulkan::BUFFER;

/// A buffer that is being filled.
struct Content<'a> {
    types: &'a Types,
    uniforms: &'a Uniforms,
    /// Numbers of floats and of vectors of ints so far.
    taken: [usize; 2],
    bytes: Vec<u8>,
}

impl Content<'_> {
    /// Fills what has this type at this offset. `stride` is that between columns of a matrix.
    /// Returns `None` for a type without a size or of other than 32 bits.
    fn fill(&mut self, ty: u32, at: u64, stride: u64) -> Option<()> {
        let types = self.types;
        let number = |id, member, decoration| types.decoration(id, member, decoration).map_or(0, u64::from);
        let (op, operands) = types.types.get(&ty)?;
        match (op, &operands[..]) {
            (Op::TypeFloat, [Operand::LiteralBit32(32), ..]) => {
                let [floats, _] = &mut self.taken;
                let all = self.uniforms.floats.as_flattened();
                let value = all[*floats % all.len()];
                *floats += 1;
                self.word(at, value.to_bits())
            }
            (Op::TypeInt, [Operand::LiteralBit32(32), ..]) => self.word(at, u32::from(self.uniforms.bools)),
            (Op::TypeVector, &[Operand::IdRef(element), Operand::LiteralBit32(count)]) => {
                if let (Op::TypeFloat, _) = types.types.get(&element)? {
                    return (0..u64::from(count)).try_for_each(|lane| self.fill(element, at + 4 * lane, 0));
                }
                let [_, ints] = &mut self.taken;
                let value = self.uniforms.ints[*ints % self.uniforms.ints.len()];
                *ints += 1;
                let mut lanes = (0..u64::from(count)).zip(value);
                lanes.try_for_each(|(lane, value)| self.word(at + 4 * lane, u32::from(value)))
            }
            (Op::TypeMatrix, &[Operand::IdRef(column), Operand::LiteralBit32(count)]) => {
                (0..u64::from(count)).try_for_each(|index| self.fill(column, at + stride * index, 0))
            }
            (Op::TypeArray, &[Operand::IdRef(element), Operand::IdRef(count)]) => {
                let step = number(ty, 0, Decoration::ArrayStride);
                let mut all = 0..u64::from(*types.constants.get(&count)?);
                all.try_for_each(|index| self.fill(element, at + step * index, stride))
            }
            (Op::TypeStruct, members) => (0..).zip(members).try_for_each(|(index, member)| {
                let &Operand::IdRef(member) = member else { return None };
                let [offset, stride] = [Decoration::Offset, Decoration::MatrixStride]
                    .map(|decoration| number(ty, index, decoration));
                self.fill(member, at + offset, stride)
            }),
            _without_size => None,
        }
    }

    /// Writes a word. Returns `None` if it is past the end of a buffer.
    fn word(&mut self, at: u64, value: u32) -> Option<()> {
        let start = usize::try_from(at).ok()?;
        if at + 4 > BUFFER {
            return None;
        }
        self.bytes.resize(self.bytes.len().max(start + 4), 0);
        self.bytes[start..start + 4].copy_from_slice(&value.to_le_bytes());
        Some(())
    }
}

/// Returns the content of each buffer of a valid module, in the order of
/// [`Interface::buffers`](Interface).
///
/// # Errors
/// Words that are not a vertex module; a buffer whose content does not follow from its type.
pub fn of_module(words: &[u32], uniforms: &Uniforms) -> Result<Vec<Vec<u8>>, String> {
    let interface = Interface::read(words)?;
    let module = rspirv::dr::load_words(words).map_err(|error| format!("not SPIR-V: {error}"))?;
    let types = &Types::from_module(&module);
    let content = |&Buffer { set, binding, block, .. }: &Buffer| {
        let mut content = Content { types, uniforms, taken: [0; 2], bytes: Vec::new() };
        content.fill(block, 0, 0).ok_or_else(|| {
            format!(
                "the buffer at set {set}, binding {binding} is not filled: it has a part without a fixed size, of \
                 other than 32 bits, or beyond {BUFFER} bytes; with an empty buffer, other arms \
                 and loops would be timed"
            )
        })?;
        Ok(content.bytes)
    };
    interface.buffers.iter().map(content).collect()
}

#[cfg(test)]
mod tests {
    use transpica::host::dvle;
    use transpica::host::dvle::FileEnvironment;
    use transpica::settings::{Block, Layout};
    use transpica::{Job, Options, Profile, Shbin, Translator, host};

    use super::*;
    use crate::gpu::forms::LAYOUTS;
    use crate::gpu::values;

    #[test]
    fn a_register_layout_from_a_file_has_the_content_of_our_forms() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/uber.shbin");
        let bytes = std::fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Options::default().limits).expect("a program");
        let around = FileEnvironment::new(&file, 0, "uber").expect("a vertex program");
        let uniforms = values::uniforms(0x5555, 2);
        for (name, layout) in LAYOUTS {
            let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
            let mut translator = Translator::new(options, Profile::default());
            let translated = translator.translate(&program, &around, Job::Vertex).expect("it translates");
            let words = translator.spirv(&translated).expect("a module");
            let mut found = of_module(&words, &uniforms).expect("one block");
            let packed = host::pack(&translated.interface.block, &uniforms);
            assert!(found[0].len() <= packed.len() && found[0].len() + 16 > packed.len(), "{name}");
            found[0].resize(packed.len(), 0);
            // In symbol layouts members have other registers.
            let is_equal = found[0] == packed;
            assert_eq!(is_equal, layout != Layout::Symbols, "{name}: {found:?}");
            assert!(found[0].iter().any(|byte| *byte != 0), "{name}");
        }
    }

    #[test]
    fn a_buffer_without_a_size_is_refused() {
        let text = "#version 450\nlayout(set = 0, binding = 2) buffer B { vec4 all[]; };\n\
                    void main() { gl_Position = all[gl_VertexIndex]; }";
        let words = transpica_proof::glslang::spirv(text, transpica_proof::glslang::Stage::Vertex);
        let refused = of_module(&words.expect("it compiles"), &Uniforms::default()).expect_err("no size");
        assert!(refused.contains("binding 2 is not filled"), "{refused}");
    }
}
