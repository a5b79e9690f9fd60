//! The naga types that a translated program uses, and the struct of its uniform block.
//! In: IR types and the [`UniformBlock`]. Out: handles into `naga::Module::types`. Knows no operations.
//! Layout rules: WGSL's uniform address space (equal to std140 for the member types there are).

use naga::{Handle, Scalar, Span, StructMember, TypeInner, VectorSize};

use super::broken;
use crate::error::Result;
use crate::host::{Binding, HostField, Member, MemberType, UniformBlock};
use crate::ir::{Kind, Type};

/// The scalar of a kind.
pub(super) const fn scalar(kind: Kind) -> Scalar {
    match kind {
        Kind::F32 => Scalar::F32,
        Kind::I32 => Scalar::I32,
        Kind::U32 => Scalar::U32,
        Kind::Bool => Scalar::BOOL,
    }
}

/// The vector size of 2 to 4 lanes; nothing for a scalar.
pub(super) const fn vector_size(lanes: u8) -> Option<VectorSize> {
    match lanes {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}

/// Adds an unnamed type.
pub(super) fn insert(module: &mut naga::Module, inner: TypeInner) -> Handle<naga::Type> {
    module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED)
}

/// Adds the naga form of an IR type; the arena of types keeps each one once.
pub(super) fn value_type(module: &mut naga::Module, ty: Type) -> Handle<naga::Type> {
    let scalar = scalar(ty.kind);
    insert(
        module,
        match vector_size(ty.lanes) {
            Some(size) => TypeInner::Vector { size, scalar },
            None => TypeInner::Scalar(scalar),
        },
    )
}

/// An array of 16-byte elements of known length, or as long as its buffer.
pub(super) fn array(
    module: &mut naga::Module,
    base: Handle<naga::Type>,
    length: Option<u16>,
    stride: u32,
) -> Handle<naga::Type> {
    let size = match length.and_then(|length| std::num::NonZeroU32::new(u32::from(length))) {
        Some(length) => naga::ArraySize::Constant(length),
        None => naga::ArraySize::Dynamic,
    };
    insert(module, TypeInner::Array { base, size, stride })
}

/// A member of the block as naga sees it.
#[derive(Clone, Debug)]
pub(super) struct BlockMember {
    /// Index in the struct (padding members count too).
    pub index: u32,
    /// Number of elements; nothing where the member is no array.
    pub length: Option<u16>,
    /// Name, for what is loaded from it.
    pub name: String,
    /// Its place among all members and elements, counted in that order: the member itself, then its elements.
    pub place: usize,
}

/// The uniform block as naga sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// The members that operations number.
    pub members: Vec<BlockMember>,
    /// The variable; nothing where there is no block.
    pub global: Option<Handle<naga::GlobalVariable>>,
    /// Number of members and elements.
    pub places: usize,
}

/// Adds struct and variable of the uniform block at this binding.
pub(super) fn uniform_block(
    module: &mut naga::Module,
    block: &UniformBlock,
    binding: Binding,
) -> Result<Block> {
    if block.size == 0 {
        return Ok(Block::default());
    }
    let mut layout = StructLayout::default();
    let mut members = Vec::with_capacity(block.members.len());
    let mut places = 0;
    for member in &block.members {
        let length = member_length(member);
        members.push(BlockMember { index: 0, length, name: member.name.clone(), place: places });
        places += 1 + usize::from(length.unwrap_or(0));
    }
    for number in block.by_offset() {
        let member = &block.members[number];
        layout.pad_to(module, member.offset)?;
        members[number].index = layout.index();
        let (ty, size) = member_type(module, member);
        layout.push(Some(member.name.clone()), ty, size);
    }
    layout.pad_end(module, block.size)?;
    let inner = TypeInner::Struct { members: layout.members, span: block.size };
    let ty = module.types.insert(naga::Type { name: Some("Uniforms".into()), inner }, Span::UNDEFINED);
    let global = uniform(module, "uniforms", ty, binding);
    Ok(Block { members, global: Some(global), places })
}

/// Adds a variable in the uniform address space.
pub(super) fn uniform(
    module: &mut naga::Module,
    name: &str,
    ty: Handle<naga::Type>,
    binding: Binding,
) -> Handle<naga::GlobalVariable> {
    let variable = naga::GlobalVariable {
        name: Some(name.into()),
        space: naga::AddressSpace::Uniform,
        binding: Some(naga::ResourceBinding { group: binding.set, binding: binding.binding }),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// Adds a storage buffer in group 0.
pub(super) fn storage(
    module: &mut naga::Module,
    name: &str,
    binding: u32,
    access: naga::StorageAccess,
    ty: Handle<naga::Type>,
) -> Handle<naga::GlobalVariable> {
    let variable = naga::GlobalVariable {
        name: Some(name.to_owned()),
        space: naga::AddressSpace::Storage { access },
        binding: Some(naga::ResourceBinding { group: 0, binding }),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// Adds struct and variable of the host block. The gap before the plane is what its alignment asks for.
pub(super) fn host_block(module: &mut naga::Module, binding: Binding) -> Handle<naga::GlobalVariable> {
    let members = HostField::ALL.map(|field| {
        let ty = match field {
            HostField::ClipEnabled | HostField::FlipY => Type::U32,
            HostField::ClipPlane => Type::F32X4,
        };
        let ty = value_type(module, ty);
        StructMember { name: Some(field.name().into()), ty, binding: None, offset: field.offset() }
    });
    let inner = TypeInner::Struct { members: members.into(), span: HostField::BLOCK_SIZE };
    let ty = module.types.insert(naga::Type { name: Some("Host".into()), inner }, Span::UNDEFINED);
    uniform(module, "host", ty, binding)
}

/// Adds a specialisation constant: a bool below 16, else an i32; false or 0 unless set.
pub(super) fn specialized(module: &mut naga::Module, id: u8) -> Handle<naga::Override> {
    let (ty, literal) = match id {
        0..16 => (Type::BOOL, naga::Literal::Bool(false)),
        _ => (Type::I32, naga::Literal::I32(0)),
    };
    let ty = value_type(module, ty);
    let init = module.global_expressions.append(naga::Expression::Literal(literal), Span::UNDEFINED);
    let name = Some(crate::host::profile::specialized_name(id));
    let constant = naga::Override { name, id: Some(id.into()), ty, init: Some(init) };
    module.overrides.append(constant, Span::UNDEFINED)
}

/// Number of elements of an array member.
const fn member_length(member: &Member) -> Option<u16> {
    match member.ty {
        MemberType::Vec4Array(length) | MemberType::IVec4Array(length) if length > 0 => Some(length),
        MemberType::Vec4Array(_) | MemberType::IVec4Array(_) => Some(1),
        MemberType::Vec4 | MemberType::IVec4 | MemberType::PackedInts | MemberType::Bits => None,
    }
}

/// Type and size of a member.
fn member_type(module: &mut naga::Module, member: &Member) -> (Handle<naga::Type>, u32) {
    let kind = match member.ty {
        MemberType::Vec4 | MemberType::Vec4Array(_) => Kind::F32,
        MemberType::IVec4 | MemberType::IVec4Array(_) => Kind::I32,
        MemberType::PackedInts => Kind::U32,
        MemberType::Bits => return (value_type(module, Type::U32), 4),
    };
    let element = value_type(module, Type::new(kind, 4));
    match member_length(member) {
        Some(length) => (array(module, element, Some(length), 16), u32::from(length) * 16),
        None => (element, 16),
    }
}

/// Name of a member that only fills a gap.
fn gap() -> Option<String> {
    Some("padding".into())
}

/// Members of a struct as they are placed. naga's text has no offsets, so every gap becomes a member.
#[derive(Default)]
struct StructLayout {
    members: Vec<StructMember>,
    end: u32,
}

impl StructLayout {
    /// Index of the next member.
    fn index(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }
    /// Places a member at the end.
    fn push(&mut self, name: Option<String>, ty: Handle<naga::Type>, size: u32) {
        self.members.push(StructMember { name, ty, binding: None, offset: self.end });
        self.end = self.end.saturating_add(size);
    }
    /// Fills the bytes up to `offset`.
    fn pad_to(&mut self, module: &mut naga::Module, offset: u32) -> Result<()> {
        if offset < self.end || !offset.is_multiple_of(4) {
            return Err(broken(format!("the uniform block has a member at the impossible offset {offset}")));
        }
        self.words(module, offset.min(self.end.next_multiple_of(16)));
        let vectors = (offset - self.end) / 16;
        if vectors > 0 {
            let length = u16::try_from(vectors)
                .map_err(|_| broken(format!("the uniform block has a gap of {vectors} vectors")))?;
            let vector = value_type(module, Type::F32X4);
            let ty = array(module, vector, Some(length), 16);
            self.push(gap(), ty, vectors * 16);
        }
        self.words(module, offset);
        Ok(())
    }
    /// Fills the bytes up to `offset`, fewer than 16, with words.
    fn words(&mut self, module: &mut naga::Module, offset: u32) {
        while self.end < offset {
            let ty = value_type(module, Type::U32);
            self.push(gap(), ty, 4);
        }
    }
    /// Fills the bytes up to the size of the struct, unless alignment does.
    fn pad_end(&mut self, module: &mut naga::Module, size: u32) -> Result<()> {
        if size.checked_sub(self.end).is_none_or(|rest| rest >= 16) {
            self.pad_to(module, size)?;
        }
        Ok(())
    }
}
