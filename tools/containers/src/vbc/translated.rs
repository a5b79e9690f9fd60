//! Files of translated programs.
//! In: a translation, its reflection, its words. Out: [`Vbc`], and what it leaves out.

use transpica::Translation;
use transpica::host::{EntryPoint, MemberType};
use transpica::reflect::Reflection;
use transpica::settings::AttributeKind;

use super::{Base, Error, Fault, Member, Resource, ShaderStage, Slot, Type, Uniform, Variable, Vbc};

/// Advice for a block that is too large.
const BLOCK: &str = "--layout symbols makes a block of only the registers that the program reads";

/// A vector of four components.
fn vector(base: Base, array: u8) -> Type {
    Type { base, rows: 4, columns: 1, array }
}

fn narrow<T: TryFrom<u32>>(what: &str, value: u32, most: u64, hint: &'static str) -> Result<T, Error> {
    T::try_from(value).map_err(|_| Error::large(what, value as usize, most, hint))
}

impl Vbc {
    /// Builds the file of a translation, and lists what of its interface the file leaves out. See
    /// the [module](super) for what no file says.
    ///
    /// ```
    /// use transpica::{Options, Shbin};
    /// use transpica_containers::vbc::Vbc;
    /// let bytes = std::fs::read("../../shaders/textured.shbin")?;
    /// let file = Shbin::parse(&bytes)?;
    /// let program = file.program(0)?;
    /// let module = program.translate(&Options::default())?;
    /// let reflection = program.reflect(&module);
    /// let (vbc, left_out) = Vbc::from_translation(&module, &reflection, module.spirv()?)?;
    /// let names: Vec<_> = vbc.uniform.iter().flat_map(|block| &block.members).map(|m| &m.name).collect();
    /// assert_eq!(names, ["projection", "modelView", "texScale"]);
    /// assert!(left_out.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A compute stage, or a value that no field holds, with a hint.
    pub fn from_translation(
        translation: &Translation,
        reflection: &Reflection,
        words: Vec<u32>,
    ) -> Result<(Self, Vec<String>), Error> {
        let stage = match translation.interface.entry_point {
            EntryPoint::Vertex => ShaderStage::Vertex,
            EntryPoint::Stage(_) | EntryPoint::Quaternions => ShaderStage::Geometry,
            EntryPoint::Compute | EntryPoint::Kernel(_) => {
                return Err(Error { fault: Fault::Compute, at: None });
            }
        };
        let mut file = Self::default();
        file.stages[stage as usize] = words;
        for attribute in &translation.interface.attributes {
            let base = match attribute.format.kind {
                AttributeKind::Float => Base::Float,
                AttributeKind::Int => Base::Signed,
                AttributeKind::Uint => Base::Unsigned,
            };
            file.inputs.push(Variable { location: attribute.register, ty: vector(base, 1) });
        }
        file.uniform = uniform(translation, stage.mask())?;
        if let Some(host) = &reflection.host_block {
            let slot = narrow("the slot of a binding", host.binding, 31, "choose bindings below 32")?;
            let element =
                narrow("the size of the host block", host.size, u16::MAX.into(), "bind fewer parameters")?;
            let resource = Resource::Buffer { is_writable: false, element };
            file.bindings.push(Slot { slot, stages: stage.mask(), resource });
        }
        for binding in &file.bindings {
            let size = &mut file.tables[binding.resource.table()];
            *size = (*size).max(u16::from(binding.slot) + 1);
        }
        // A module that no file holds is an error here rather than where it is written.
        file.write()?;
        Ok((file, left_out(reflection)))
    }
}

fn uniform(translation: &Translation, stages: u16) -> Result<Option<Uniform>, Error> {
    let block = &translation.interface.block;
    if block.size == 0 {
        return Ok(None);
    }
    let most = u64::from(u16::MAX);
    let size = narrow("the uniform block in bytes", block.size, most, BLOCK)?;
    let mut members = Vec::new();
    for index in block.by_offset() {
        let Some(member) = block.members.get(index) else { continue };
        let array = |count: u16| {
            narrow("the elements of an array", count.into(), u8::MAX.into(), "choose another layout")
        };
        let ty = match member.ty {
            MemberType::Vec4 => vector(Base::Float, 1),
            MemberType::Vec4Array(count) => vector(Base::Float, array(count)?),
            MemberType::IVec4 => vector(Base::Signed, 1),
            MemberType::IVec4Array(count) => vector(Base::Signed, array(count)?),
            MemberType::PackedInts => vector(Base::Unsigned, 1),
            MemberType::Bits => Type { base: Base::Unsigned, rows: 1, columns: 1, array: 1 },
        };
        let offset = narrow("the offset of a uniform", member.offset, most, BLOCK)?;
        members.push(Member { name: member.name.clone(), offset, ty });
    }
    Ok(Some(Uniform { size, stages, members }))
}

/// Lists what the file does not say about a program, in addition to the names of all attributes.
fn left_out(reflection: &Reflection) -> Vec<String> {
    let mut left_out = Vec::new();
    if !reflection.specialization.is_empty() {
        left_out.push("specialization constants".to_string());
    }
    if !reflection.interface.block.names.is_empty() {
        left_out.push("names of parts of arrays".to_string());
    }
    if reflection.defaults.iter().any(|value| !value.folded) {
        left_out.push("values that binding the executable sets".to_string());
    }
    let places = [("uniform", &reflection.uniform_block), ("host", &reflection.host_block)];
    for (name, block) in places {
        if let Some(block) = block.as_ref().filter(|block| block.set != 0) {
            left_out.push(format!("set {} of the {name} block", block.set));
        }
    }
    left_out
}
