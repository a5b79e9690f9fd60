//! Declarations of a module before its functions.
//! In: the interface and what of it the program reads. Out: attributes, outputs, blocks and
//! buffers, and their text in both languages. Layout rules: WGSL's uniform address space (equal to
//! std140 for the member types there are). Text has no offsets in WGSL and none that all versions
//! of GLSL know, so every gap becomes a member.

use std::borrow::Cow;

use super::dialect::Dialect;
use super::dialect::versions::{Bindings, Row, Varyings};
use super::module::lacks;
use super::names::Names;
use super::products::{self, Product};
use super::put::put;
use crate::backend::interface::{
    BackendInput, DRAW, REGISTERS, Reads, StorageBuffer, WORKGROUP, array_length, attribute_type, defect,
    draw_members, element_type, host_type, output_type,
};
use crate::error::Result;
use crate::geometry::GeometryStage;
use crate::host::settings::{AttributeNames, Binding, BlockNames, GlslOutputs, GlslProfile};
use crate::interface::varying::forwarded_name;
use crate::interface::{ArrayName, EntryPoint, Location, Member, UniformBlock};
use crate::ir::Type;
use crate::support::fields::{HostField, SpecId, VECTOR};

/// Name of the structure that the vertex entry returns in WGSL.
pub const VERTEX_OUTPUT: &str = "VertexOutput";

/// An attribute of the vertex entry.
pub struct Attribute {
    pub register: u8,
    /// In WGSL the preferred name of a parameter.
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
struct Field {
    name: String,
    ty: Type,
    /// Number of elements, or `None` for a member that is not an array.
    length: Option<u32>,
    /// The elements are the columns of a matrix.
    is_matrix: bool,
}

/// A uniform block or a storage buffer.
struct Global {
    /// Empty for a block of GLSL without an instance.
    name: Cow<'static, str>,
    binding: Binding,
    content: Content,
}

enum Content {
    /// A uniform block of this type.
    Block(Cow<'static, str>, Vec<Field>),
    /// An array as long as its buffer; of vectors, or of arrays of so many.
    Buffer { element: Type, rows: Option<u32>, is_writable: bool },
}

/// All declarations of a module.
#[derive(Default)]
pub struct Declarations {
    pub reads: Reads,
    globals: Vec<Global>,
    /// Texts in front of members of the uniform block, of the host block and of the second uniform
    /// block: `uniforms.`
    pub prefixes: [String; 3],
    /// Names of the members of the uniform blocks, by their index in operations.
    pub members: Vec<String>,
    /// Names of the offsets of arrays of the uniform block, each with the offset.
    pub offsets: Vec<(String, u16)>,
    pub attributes: Vec<Attribute>,
    pub ports: Vec<Port>,
    /// Products of vectors and matrices of the uniform block, in the main function.
    pub products: Vec<Product>,
}

/// Returns the names of a block in a geometry stage. OpenGL links blocks of one name, and members
/// without an instance, only if those of the vertex stage are the same, which has other registers.
fn in_geometry_stage(BlockNames { block, instance }: BlockNames) -> BlockNames {
    let own = || format!("geometry_{}", block.to_lowercase()).into();
    BlockNames { instance: Some(instance.unwrap_or_else(own)), block: format!("Geometry{block}").into() }
}

impl Declarations {
    /// Collects the declarations of a module. Names in its scope come from `names`.
    ///
    /// # Errors
    /// [`Kind::Verify`](crate::error::Kind::Verify) for interfaces that contradict themselves,
    /// [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for entries that text has not.
    pub fn new(source: &BackendInput<'_>, dialect: &Dialect, names: &mut Names<'_>) -> Result<Self> {
        let reads = Reads::collect(source.module, &mut Vec::new())?;
        let interface = source.interface;
        let mut out = Self { reads, ..Self::default() };
        if dialect.has_matrices {
            out.products = products::find(&source.module.main, &interface.block);
        }
        let is_linked = interface.entry_point == EntryPoint::Vertex || interface.stage().is_some();
        if is_linked {
            out.ports(source, dialect, names)?;
        }
        let has_names = dialect.has_globals && is_linked;
        let glsl = if has_names { &source.profile.glsl } else { &GlslProfile::DEFAULT };
        let mut blocks = [glsl.uniforms.clone(), glsl.host.clone(), glsl.again.clone()];
        if has_names && interface.stage().is_some() {
            blocks = blocks.map(in_geometry_stage);
        }
        let [uniforms, host, again] = &blocks;
        let is_used = [interface.block.size > 0, reads.host > 0, interface.reads_again()];
        for (block, _) in blocks.iter().zip(is_used).filter(|(_, is_used)| *is_used && has_names) {
            names.exact(&block.block)?;
            block.instance.iter().try_for_each(|name| names.exact(name))?;
        }
        out.prefixes = blocks
            .each_ref()
            .map(|block| block.instance.as_ref().map_or_else(String::new, |name| format!("{name}.")));
        if interface.block.size > 0 {
            let binding = source.profile.uniforms(&interface.entry_point);
            out.uniforms(uniforms, binding, &interface.block, names)?;
        }
        if interface.reads_again() {
            out.uniforms(again, source.profile.bindings.again, &interface.block, names)?;
        }
        if reads.host > 0 {
            let fields = || HostField::ALL.into_iter().take(reads.host);
            if host.instance.is_none() {
                fields().try_for_each(|field| names.exact(field.name()))?;
            }
            let field = |field: HostField| Field::new(field.name(), host_type(field));
            out.block(host, source.host_binding()?, fields().map(field).collect());
        }
        out.resources(source, dialect, names)?;
        Ok(out)
    }

    /// Declares a uniform block, and adds the names of its members.
    fn uniforms(
        &mut self,
        block: &BlockNames,
        binding: Binding,
        layout: &UniformBlock,
        names: &mut Names<'_>,
    ) -> Result<()> {
        let mut inner = Names::new(names.reserved);
        let scope = if block.instance.is_some() { &mut inner } else { names };
        let mut members = Layout { fields: Vec::new(), end: 0, names: scope, products: &self.products };
        let (list, fields) = (members.members(layout)?, members.fields);
        self.members.extend(list);
        self.block(block, binding, fields);
        Ok(())
    }

    /// Declares what invocations of the entry read and write besides uniforms.
    fn resources(
        &mut self,
        source: &BackendInput<'_>,
        dialect: &Dialect,
        names: &mut Names<'_>,
    ) -> Result<()> {
        match &source.interface.entry_point {
            EntryPoint::Vertex => self.attributes(source, dialect, names)?,
            EntryPoint::Kernel(kernel) => {
                self.buffer(StorageBuffer::FEED, None);
                self.buffer(StorageBuffer::TRIANGLES, None);
                let fields = draw_members(kernel).map(|name| Field::new(name, Type::I32)).collect();
                let content = Content::Block("Draw".into(), fields);
                self.globals.push(Global { name: "draw".into(), binding: DRAW, content });
                self.buffer(StorageBuffer::COUNTS, None);
                StorageBuffer::state(kernel).into_iter().for_each(|state| self.buffer(state, None));
            }
            EntryPoint::Compute => {
                self.buffer(StorageBuffer::INPUTS, Some(REGISTERS));
                self.buffer(StorageBuffer::OUTPUTS, Some(REGISTERS));
            }
            EntryPoint::Stage(stage) if dialect.has_globals => {
                for vector in
                    (0..stage.vectors.min(16)).filter(|&vector| stage.reads(vector, self.reads.inputs))
                {
                    let name = forwarded_name(vector);
                    names.exact(&name)?;
                    self.attributes.push(Attribute { register: vector, name, ty: Type::F32X4 });
                }
            }
            EntryPoint::Stage(_) | EntryPoint::Quaternions => {
                return Err(lacks("text", "geometry stages; SPIR-V and GLSL have them"));
            }
        }
        Ok(())
    }

    /// Names the offsets in arrays, after all names that hosts link by.
    pub fn name_offsets(&mut self, block: &UniformBlock, names: &mut Names<'_>) {
        let attributes = &self.attributes;
        let named = block.names.iter().map(|named| {
            // In WGSL attributes are named later, in the function.
            let is_taken = attributes.iter().any(|attribute| attribute.name == named.name);
            let name = if is_taken { &format!("{}_offset", named.name) } else { &named.name };
            (names.unique(name), block.element(named))
        });
        self.offsets = named.collect();
    }

    /// Returns the named array that an element of a member is in, and the index of the element in
    /// that array.
    pub fn array(&self, block: &UniformBlock, member: &Member, element: u16) -> Option<(u16, u16)> {
        let register = u16::from(member.first) + element;
        // They are sorted and have no register in common.
        let after = block.names.partition_point(|named| u16::from(named.first) <= register);
        let array = after.checked_sub(1)?;
        let (ArrayName { first, count, .. }, (_, offset)) = (&block.names[array], self.offsets.get(array)?);
        let is_in = register < u16::from(*first) + u16::from(*count);
        is_in.then_some((array as u16, element.checked_sub(*offset)?)) // Range: one for a register at most.
    }

    /// Writes the offsets in arrays.
    fn write_offsets(&self, out: &mut String, dialect: &Dialect) {
        for (name, offset) in &self.offsets {
            out.push_str("const ");
            dialect.pair(out, name, Type::I32);
            put!(out, " = ", offset, ";\n");
        }
        if !self.offsets.is_empty() {
            out.push('\n');
        }
    }

    fn block(&mut self, names: &BlockNames, binding: Binding, fields: Vec<Field>) {
        let name = names.instance.clone().unwrap_or_default();
        self.globals.push(Global { name, binding, content: Content::Block(names.block.clone(), fields) });
    }

    fn buffer(&mut self, buffer: StorageBuffer, rows: Option<u32>) {
        let StorageBuffer { name, binding, element, is_writable } = buffer;
        let content = Content::Buffer { element, rows, is_writable };
        self.globals.push(Global { name: name.into(), binding: Binding { set: 0, binding }, content });
    }

    /// Adds attributes of the interface, and registers that the program reads but the interface
    /// lacks.
    fn attributes(
        &mut self,
        source: &BackendInput<'_>,
        dialect: &Dialect,
        names: &mut Names<'_>,
    ) -> Result<()> {
        let known = &source.interface.attributes;
        let is_read = |register: &u8| self.reads.inputs >> register & 1 != 0;
        let is_unbound =
            |register: &u8| is_read(register) && known.iter().all(|known| known.register != *register);
        let unbound = (0..16).filter(is_unbound).map(|register| (register, format!("v{register}_unbound")));
        let bound = known.iter().map(|attribute| (attribute.register, attribute.name.clone()));
        for (register, name) in bound.chain(unbound) {
            // Inputs are global variables in GLSL and parameters in WGSL, named in the function.
            let name = match (dialect.has_globals, &source.profile.glsl.attributes) {
                (false, _) => name,
                (true, AttributeNames::Named(before)) => names.unique(format!("{before}{name}")),
                (true, AttributeNames::Numbered(before)) => {
                    let name = format!("{before}{register}");
                    names.exact(&name)?;
                    name
                }
            };
            let ty = attribute_type(source.interface.attribute_kind(register));
            self.attributes.push(Attribute { register, name, ty });
        }
        Ok(())
    }

    /// Adds outputs of the interface, always with a position, since WGSL requires one.
    fn ports(&mut self, source: &BackendInput<'_>, dialect: &Dialect, names: &mut Names<'_>) -> Result<()> {
        // In WGSL outputs are members of a structure, which is a scope of its own.
        let mut members = Names::new(dialect.reserved);
        let has_built_ins = !writes_globals(source);
        let mut name = |name: &str, location| -> Result<String> {
            Ok(match (dialect.has_globals, location) {
                (false, _) => members.unique(name),
                (true, Location::Position) if has_built_ins => "gl_Position".to_owned(),
                (true, Location::ClipDistances) if has_built_ins => "gl_ClipDistance".to_owned(),
                (true, _) => {
                    names.exact(name)?;
                    name.to_owned()
                }
            })
        };
        for output in &source.interface.outputs {
            let (name, ty) = (name(&output.name, output.location)?, output_type(output)?);
            self.ports.push(Port { name, ty, location: output.location });
        }
        if self.ports.iter().all(|port| port.location != Location::Position) {
            let (name, location) = (name("position", Location::Position)?, Location::Position);
            self.ports.push(Port { name, ty: Type::F32X4, location });
        }
        Ok(())
    }

    /// Returns the names that functions must not have.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let blocks = self.globals.iter().filter_map(|global| match &global.content {
            Content::Block(name, _) => Some(name.as_ref()),
            Content::Buffer { .. } => None,
        });
        let globals = self.globals.iter().map(|global| global.name.as_ref());
        blocks.chain(globals).filter(|name| !name.is_empty())
    }

    /// Returns the bindings of all blocks and buffers.
    pub fn bindings(&self) -> Vec<u32> {
        self.globals.iter().map(|global| global.binding.binding).collect()
    }

    /// Returns whether this is a vertex entry or geometry stage with clip distances.
    pub fn clips(&self) -> bool {
        self.ports.iter().any(|port| port.location == Location::ClipDistances)
    }

    /// Writes specialization constants.
    fn write_specialized(&self, out: &mut String, dialect: &Dialect) {
        for id in SpecId::of_mask(self.reads.specialized) {
            let is_int = id.component().is_some();
            let (ty, value) = if is_int { (Type::I32, "0") } else { (Type::BOOL, "false") };
            let [before, behind] = dialect.constant_id;
            put!(out, before, id.get(), behind);
            dialect.pair(out, &id.to_string(), ty);
            put!(out, " = ", value, ";\n");
        }
        if self.reads.specialized != 0 {
            out.push('\n');
        }
    }

    /// Writes everything in WGSL.
    pub fn write_wgsl(&self, out: &mut String, dialect: &Dialect, is_invariant: bool) {
        // Clip distances are an optional feature of WGSL.
        if self.clips() {
            out.push_str("enable clip_distances;\n\n");
        }
        for global in &self.globals {
            let Content::Block(name, fields) = &global.content else { continue };
            put!(out, "struct ", name.as_ref(), " {\n");
            for Field { name, ty, length, is_matrix } in fields {
                let ty = dialect.ty(*ty);
                put!(out, "    ", name);
                match length {
                    Some(length) if *is_matrix => put!(out, ": mat", length, "x4f,\n"),
                    Some(length) => put!(out, ": array<", ty, ", ", length, ">,\n"),
                    None => put!(out, ": ", ty, ",\n"),
                }
            }
            out.push_str("}\n\n");
        }
        if !self.ports.is_empty() {
            put!(out, "struct ", VERTEX_OUTPUT, " {\n");
            for Port { name, ty, location } in &self.ports {
                let ty = dialect.ty(*ty);
                match location {
                    Location::Position if is_invariant => {
                        put!(out, "    @builtin(position) @invariant ", name, ": ", ty, ",\n");
                    }
                    Location::Position => put!(out, "    @builtin(position) ", name, ": ", ty, ",\n"),
                    Location::ClipDistances => {
                        put!(out, "    @builtin(clip_distances) ", name, ": array<f32, 2>,\n");
                    }
                    Location::Varying(index) => {
                        put!(out, "    @location(", index, ") ", name, ": ", ty, ",\n");
                    }
                }
            }
            out.push_str("}\n\n");
        }
        self.write_specialized(out, dialect);
        self.write_offsets(out, dialect);
        for Global { name, binding, content } in &self.globals {
            put!(out, "@group(", binding.set, ") @binding(", binding.binding, ") var<");
            match content {
                Content::Block(ty, _) => put!(out, "uniform> ", name.as_ref(), ": ", ty.as_ref(), ";\n"),
                Content::Buffer { element, rows, is_writable } => {
                    let access = if *is_writable { "read_write" } else { "read" };
                    let element = dialect.ty(*element);
                    put!(out, "storage, ", access, "> ", name.as_ref(), ": array<");
                    match rows {
                        Some(rows) => put!(out, "array<", element, ", ", rows, ">>;\n"),
                        None => put!(out, element, ">;\n"),
                    }
                }
            }
        }
        if !self.globals.is_empty() {
            out.push('\n');
        }
    }

    /// Writes everything in GLSL.
    pub fn write_glsl(&self, out: &mut String, dialect: &Dialect, row: &Row, source: &BackendInput<'_>) {
        let profile = source.profile;
        self.write_specialized(out, dialect);
        self.write_offsets(out, dialect);
        self.globals.iter().for_each(|global| global.write_glsl(out, dialect, row));
        if self.ports.is_empty() {
            put!(out, "layout(local_size_x = ", WORKGROUP, ") in;\n\n");
            return;
        }
        let is_located = match row.varyings {
            Varyings::Named => false,
            Varyings::Extended => profile.glsl.separable,
            Varyings::Located => true,
        };
        let stage = source.interface.stage();
        if let Some(stage) = stage {
            write_stage(out, stage);
        }
        for Attribute { register, name, ty } in &self.attributes {
            if stage.is_none() || is_located {
                put!(out, "layout(location = ", register, ") ");
            }
            let array = if stage.is_some() { "[]" } else { "" };
            put!(out, "in ", dialect.ty(*ty), " ", name, array, ";\n");
        }
        if !self.attributes.is_empty() {
            out.push('\n');
        }
        if writes_globals(source) {
            for Port { name, ty, .. } in &self.ports {
                dialect.pair(out, name, *ty);
                out.push_str(";\n");
            }
            out.push('\n');
            return;
        }
        let start = out.len();
        for Port { name, ty, location } in &self.ports {
            let Location::Varying(location) = location else { continue };
            if is_located {
                put!(out, "layout(location = ", location, ") ");
            }
            put!(out, "out ", dialect.ty(*ty), " ", name, ";\n");
        }
        if out.len() > start {
            out.push('\n');
        }
        // OpenGL ES has the block with an extension only, and separable programs do without.
        self.write_position(out, is_located && !row.is_es, profile.invariant_position);
    }

    /// Declares the position and clip distances, where the language does not by itself.
    fn write_position(&self, out: &mut String, is_block: bool, is_invariant: bool) {
        let distances = if self.clips() { "float gl_ClipDistance[2];\n" } else { "" };
        if is_block {
            let indent = if distances.is_empty() { "" } else { "    " };
            put!(out, "out gl_PerVertex {\n    vec4 gl_Position;\n", indent, distances, "};\n");
        } else if !distances.is_empty() {
            put!(out, "out ", distances);
        }
        if is_invariant {
            out.push_str("invariant gl_Position;\n");
        }
        if is_block || is_invariant || !distances.is_empty() {
            out.push('\n');
        }
    }
}

/// Returns whether outputs are variables that a `main` of the host reads.
pub fn writes_globals(source: &BackendInput<'_>) -> bool {
    source.profile.glsl.outputs == GlslOutputs::Globals && source.interface.stage().is_none()
}

/// Writes the layouts of a geometry stage.
fn write_stage(out: &mut String, stage: &GeometryStage) {
    let primitives = ["points", "lines", "triangles", "lines_adjacency", "triangles_adjacency"];
    let (primitive, most) = (primitives[stage.primitive as usize], stage.emitted());
    put!(out, "layout(", primitive, ") in;\nlayout(triangle_strip, max_vertices = ", most, ") out;\n\n");
}

impl Global {
    fn write_glsl(&self, out: &mut String, dialect: &Dialect, row: &Row) {
        let Self { name, binding: Binding { set, binding }, content } = self;
        out.push_str("layout(");
        match row.bindings {
            Bindings::InSets => put!(out, "set = ", set, ", binding = ", binding, ", "),
            Bindings::Bound => put!(out, "binding = ", binding, ", "),
            Bindings::Named => {}
        }
        match content {
            Content::Block(block, fields) => {
                put!(out, "std140) uniform ", block.as_ref(), " {\n");
                for Field { name, ty, length, .. } in fields {
                    put!(out, "    ", dialect.ty(*ty), " ", name);
                    match length {
                        Some(length) => put!(out, "[", length, "];\n"),
                        None => out.push_str(";\n"),
                    }
                }
                put!(out, if name.is_empty() { "}" } else { "} " }, name.as_ref(), ";\n\n");
            }
            Content::Buffer { element, rows, is_writable } => {
                // `Inputs` of `inputs`, `Feed` of `feed`.
                let (first, rest) = name.split_at(1);
                let block = first.to_ascii_uppercase();
                let access = if *is_writable { "" } else { "readonly " };
                put!(out, "std430) ", access, "buffer ", block, rest, " {\n");
                // The lengths follow the name: elsewhere ES accepts no unsized array.
                put!(out, "    ", dialect.ty(*element), " ", name.as_ref(), "[]");
                rows.iter().for_each(|rows| put!(out, "[", rows, "]"));
                out.push_str(";\n};\n\n");
            }
        }
    }
}

impl Field {
    fn new(name: &str, ty: Type) -> Self {
        Self { name: name.to_owned(), ty, length: None, is_matrix: false }
    }
}

/// Members of a block so far.
struct Layout<'a, 'o> {
    fields: Vec<Field>,
    end: u32,
    /// Names of its scope.
    names: &'a mut Names<'o>,
    products: &'a [Product],
}

impl Layout<'_, '_> {
    /// Adds the members of the uniform block by ascending offset, and padding in the gaps. Returns
    /// their names by index.
    fn members(&mut self, block: &UniformBlock) -> Result<Vec<String>> {
        let mut members = vec![String::new(); block.members.len()];
        for number in block.by_offset() {
            let member = &block.members[number];
            self.pad_to(member.offset)?;
            let length = array_length(member.ty);
            if length == Some(0) {
                return Err(defect(format!("uniform member {} has no elements", member.name)));
            }
            let name = self.names.unique(&member.name);
            self.push(name.clone(), element_type(member.ty), length.map(u32::from), member.ty.size());
            if let Some(field) = self.fields.last_mut() {
                field.is_matrix = self.products.iter().any(|product| usize::from(product.member) == number);
            }
            members[number] = name;
        }
        // A remainder of less than a vector is alignment.
        if block.size.checked_sub(self.end).is_none_or(|rest| rest >= 16) {
            self.pad_to(block.size)?;
        }
        Ok(members)
    }

    fn push(&mut self, name: String, ty: Type, length: Option<u32>, size: u32) {
        self.fields.push(Field { name, ty, length, is_matrix: false });
        self.end = self.end.saturating_add(size);
    }

    /// Fills the bytes up to `offset`.
    fn pad_to(&mut self, offset: u32) -> Result<()> {
        if offset < self.end || !offset.is_multiple_of(4) {
            return Err(defect(format!("the uniform block has a member at the impossible offset {offset}")));
        }
        // Words up to the next vector, then vectors, then words: few members fill a large gap.
        self.words(offset.min(self.end.next_multiple_of(VECTOR)));
        let vectors = (offset - self.end) / VECTOR;
        if vectors > u32::from(u16::MAX) {
            return Err(defect(format!("the uniform block has a gap of {vectors} vectors")));
        }
        if vectors > 0 {
            let name = self.names.unique("padding");
            self.push(name, Type::F32X4, Some(vectors), vectors * 16);
        }
        self.words(offset);
        Ok(())
    }

    /// Fills the bytes up to `offset`, fewer than 16, with words.
    fn words(&mut self, offset: u32) {
        while self.end < offset {
            let name = self.names.unique("padding");
            self.push(name, Type::U32, None, 4);
        }
    }
}
