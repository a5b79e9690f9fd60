//! Everything that a module declares before its functions.
//! In: the interface and what of it the program reads. Out: attributes, outputs, blocks and
//! buffers. Knows no syntax.
//! Layout rules: WGSL's uniform address space (equal to std140 for the member types there are).
//! Text has no offsets in WGSL and none that all versions of GLSL know, so every gap becomes a
//! member.

use super::names::Names;
use crate::backend::interface::{
    DRAW, REGISTERS, Reads, Source, StorageBuffer, array_length, attribute_type, defect, draw_members,
    element_type, host_type, output_type,
};
use crate::error::{At, Error, Kind, Result};
use crate::host::{Binding, EntryPoint, HostField, Location, UniformBlock};
use crate::ir::Type;

/// An attribute of the vertex entry.
pub struct Attribute {
    pub register: u8,
    pub name: String,
    pub ty: Type,
}

/// An output of the vertex entry.
pub struct Port {
    pub name: String,
    pub ty: Type,
    pub location: Location,
}

/// A member of a block.
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// Number of elements; nothing where it is no array.
    pub length: Option<u32>,
}

/// A uniform block or a storage buffer.
pub struct Global {
    pub name: &'static str,
    pub binding: Binding,
    pub content: Content,
}

pub enum Content {
    /// A uniform block of this type.
    Block(&'static str, Vec<Field>),
    /// An array as long as its buffer; of vectors, or of arrays of so many.
    Buffer { element: Type, rows: Option<u32>, is_writable: bool },
}

/// All declarations of a module.
pub struct Declarations {
    pub reads: Reads,
    pub globals: Vec<Global>,
    /// Names of the members of the uniform block, as operations number them.
    pub members: Vec<String>,
    pub attributes: Vec<Attribute>,
    pub ports: Vec<Port>,
}

impl Declarations {
    /// The declarations of a module. Members and outputs get names that are not reserved.
    ///
    /// # Errors
    /// [`Kind::Verify`] for interfaces that contradict themselves, [`Kind::TargetLacks`] for entries
    /// that text has not.
    pub fn new(source: &Source<'_>, reserved: fn(&str) -> bool) -> Result<Self> {
        let reads = Reads::of(source.module)?;
        let interface = source.interface;
        let mut out = Self {
            reads,
            globals: Vec::new(),
            members: Vec::new(),
            attributes: Vec::new(),
            ports: Vec::new(),
        };
        if interface.block.size > 0 {
            let mut layout = Layout { fields: Vec::new(), end: 0, names: Names::new(reserved) };
            out.members = layout.members(&interface.block)?;
            let content = Content::Block("Uniforms", layout.fields);
            let binding = source.profile.uniforms(&interface.entry_point);
            out.globals.push(Global { name: "uniforms", binding, content });
        }
        if reads.host {
            let field = |field: HostField| Field::new(field.name(), host_type(field), None);
            let content = Content::Block("Host", HostField::ALL.map(field).into());
            out.globals.push(Global { name: "host", binding: source.host_binding()?, content });
        }
        match &interface.entry_point {
            EntryPoint::Vertex => {
                out.attributes(source);
                out.ports(source, reserved)?;
            }
            EntryPoint::Kernel(kernel) => {
                out.buffer(StorageBuffer::FEED, None);
                out.buffer(StorageBuffer::TRIANGLES, None);
                let field = |name| Field::new(name, Type::I32, None);
                let content = Content::Block("Draw", draw_members(kernel).map(field).collect());
                out.globals.push(Global { name: "draw", binding: DRAW, content });
                out.buffer(StorageBuffer::COUNTS, None);
                if let Some(state) = StorageBuffer::state(kernel) {
                    out.buffer(state, None);
                }
            }
            EntryPoint::Compute { .. } => {
                out.buffer(StorageBuffer::INPUTS, Some(REGISTERS));
                out.buffer(StorageBuffer::OUTPUTS, Some(source.vectors()));
            }
            EntryPoint::Stage(_) => {
                let what = "geometry stages; SPIR-V has them".into();
                return Err(Error::new(Kind::TargetLacks { target: "text", what }, At::Whole));
            }
        }
        Ok(out)
    }

    fn buffer(&mut self, buffer: StorageBuffer, rows: Option<u32>) {
        let StorageBuffer { name, binding, element, is_writable } = buffer;
        let content = Content::Buffer { element, rows, is_writable };
        self.globals.push(Global { name, binding: Binding { set: 0, binding }, content });
    }

    /// Attributes of the interface, and registers that the program reads though the interface lacks
    /// them.
    fn attributes(&mut self, source: &Source<'_>) {
        let mut add = |register: u8, name: String| {
            let ty = attribute_type(source.interface.attribute_kind(register));
            self.attributes.push(Attribute { register, name, ty });
        };
        let known = &source.interface.attributes;
        known.iter().for_each(|attribute| add(attribute.register, attribute.name.clone()));
        for register in (0..16).filter(|register| self.reads.inputs >> register & 1 != 0) {
            if known.iter().all(|attribute| attribute.register != register) {
                add(register, format!("v{register}_unbound"));
            }
        }
    }

    /// Outputs of the interface; with a position in any case, since WGSL asks for one.
    fn ports(&mut self, source: &Source<'_>, reserved: fn(&str) -> bool) -> Result<()> {
        let mut names = Names::new(reserved);
        for output in &source.interface.outputs {
            let (name, ty) = (names.unique(&output.name), output_type(output)?);
            self.ports.push(Port { name, ty, location: output.location });
        }
        if self.ports.iter().all(|port| port.location != Location::Position) {
            let (name, location) = (names.unique("position"), Location::Position);
            self.ports.push(Port { name, ty: Type::F32X4, location });
        }
        Ok(())
    }

    /// The ids of the specialisation constants that are read.
    pub fn specialized(&self) -> impl Iterator<Item = u8> + use<> {
        let mask = self.reads.specialized;
        (0..32).filter(move |id| mask >> id & 1 != 0)
    }

    /// Checks that no specialisation constant is left, for languages that have none.
    #[cfg(feature = "glsl")]
    pub fn no_specialized(&self, target: &'static str) -> Result<()> {
        match self.reads.specialized {
            0 => Ok(()),
            _ => Err(super::unspecialized(target)),
        }
    }

    /// Checks that no two blocks have one binding, for languages without sets.
    #[cfg(feature = "glsl")]
    pub fn no_shared_bindings(&self, target: &'static str) -> Result<()> {
        super::no_shared_bindings(target, self.globals.iter().map(|global| global.binding.binding).collect())
    }
}

impl Field {
    fn new(name: &str, ty: Type, length: Option<u32>) -> Self {
        Self { name: name.to_owned(), ty, length }
    }
}

/// Members of a block so far.
struct Layout {
    fields: Vec<Field>,
    end: u32,
    names: Names<'static>,
}

impl Layout {
    /// Adds the members of the uniform block by ascending offset, and members in the gaps; their
    /// names by number.
    fn members(&mut self, block: &UniformBlock) -> Result<Vec<String>> {
        let mut names = vec![String::new(); block.members.len()];
        for number in block.by_offset() {
            let member = &block.members[number];
            self.pad_to(member.offset)?;
            let length = array_length(member.ty);
            if length == Some(0) {
                return Err(defect(format!("uniform member {} has no elements", member.name)));
            }
            self.push(&member.name, element_type(member.ty), length.map(u32::from), member.ty.size());
            names[number] = self.fields.last().map(|field| field.name.clone()).unwrap_or_default();
        }
        // A rest of less than a vector is alignment.
        if block.size.checked_sub(self.end).is_none_or(|rest| rest >= 16) {
            self.pad_to(block.size)?;
        }
        Ok(names)
    }

    fn push(&mut self, name: &str, ty: Type, length: Option<u32>, size: u32) {
        self.fields.push(Field { name: self.names.unique(name), ty, length });
        self.end = self.end.saturating_add(size);
    }

    /// Fills the bytes up to `offset`.
    fn pad_to(&mut self, offset: u32) -> Result<()> {
        if offset < self.end || !offset.is_multiple_of(4) {
            return Err(defect(format!("the uniform block has a member at the impossible offset {offset}")));
        }
        self.words(offset.min(self.end.next_multiple_of(16)));
        let vectors = (offset - self.end) / 16;
        if vectors > u32::from(u16::MAX) {
            return Err(defect(format!("the uniform block has a gap of {vectors} vectors")));
        }
        if vectors > 0 {
            self.push("padding", Type::F32X4, Some(vectors), vectors * 16);
        }
        self.words(offset);
        Ok(())
    }

    /// Fills the bytes up to `offset`, fewer than 16, with words.
    fn words(&mut self, offset: u32) {
        while self.end < offset {
            self.push("padding", Type::U32, None, 4);
        }
    }
}
