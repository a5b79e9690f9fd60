//! Attributes and outputs of an entry point.
//! In: bindings of naga. Out: reads of v registers; values of outputs by semantic, with the depth
//! of the console and quaternions of normals. Rules: `compile.md` of the reference: outputs by
//! built-in, by name, by an option, then by location in the order of [`ORDER`].

use super::ir::{Binary, Lane, Op, Resource, Type, Value as IrValue};
use naga::{Binding, BuiltIn, EntryPoint, TypeInner};
use transpica::container::Semantic;
use transpica::isa::Pc;
use transpica_asm::names::snake_case;

use super::data::{Data, Scalar, Shape};
use super::error::{self, Error, Kind, Result};
use super::interface::{Attribute, Output};
use super::lower::Lowering;
use super::value::Value;
use super::{Depth, Role};

/// v0 to v11 are fetched.
const ATTRIBUTES: u32 = 12;
/// Mapped outputs.
const OUTPUTS: usize = 7;

/// Semantics of outputs that no name maps, in the order of their locations. One or two lanes are a
/// color last.
pub const ORDER: [Semantic; 5] =
    [Semantic::Color, Semantic::Texcoord0, Semantic::Texcoord1, Semantic::Texcoord2, Semantic::View];

/// Names of outputs, in lower case and without `v_`, `out_` and the like.
const NAMES: [(&[&str], Role); 9] = [
    (&["position", "gl_position"], Role::Semantic(Semantic::Position)),
    (
        &["color", "colour", "col", "color0", "colour0", "vertexcolor", "frontcolor"],
        Role::Semantic(Semantic::Color),
    ),
    (
        &["texcoord0", "texcoord", "uv0", "uv", "tc0", "tex0", "tex_coord", "texcoords", "texture_coord"],
        Role::Semantic(Semantic::Texcoord0),
    ),
    (&["texcoord1", "uv1", "tc1", "tex1", "lightmap_uv"], Role::Semantic(Semantic::Texcoord1)),
    (&["texcoord2", "uv2", "tc2", "tex2"], Role::Semantic(Semantic::Texcoord2)),
    (&["view", "view_direction", "view_dir", "viewdir"], Role::Semantic(Semantic::View)),
    (&["quaternion", "normquat", "normalquat", "quat"], Role::Semantic(Semantic::Quaternion)),
    (&["normal", "world_normal", "view_normal"], Role::Normal),
    (&["tangent", "world_tangent", "view_tangent"], Role::Tangent),
];

const PREFIXES: [&str; 8] = ["v_", "out_", "o_", "f_", "frag_", "vary_", "vs_", "vtx_"];

impl Role {
    /// The role that a name stands for.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let mut bare = name.as_str();
        if let Some(rest) = PREFIXES.iter().find_map(|prefix| bare.strip_prefix(prefix)) {
            bare = rest;
        }
        // vColor, outColor: the case is gone, the word is not.
        let joined = ["v", "out", "frag", "f"].iter().find_map(|prefix| bare.strip_prefix(prefix));
        let find = |word: &str| NAMES.iter().find(|(names, _)| names.contains(&word)).map(|(_, role)| *role);
        find(bare).or_else(|| joined.and_then(find))
    }
}

/// A member of the result with its binding.
#[derive(Clone)]
struct Varying {
    name: String,
    binding: Option<Binding>,
    value: Value,
    /// Index of the member of the result.
    member: usize,
}

impl Varying {
    /// Returns whether an option that names it by name or location means it.
    fn is_named(&self, name: &str) -> bool {
        *name == self.name || *name == location(self).to_string()
    }
}

impl<'a> Lowering<'a> {
    /// Values of the arguments of an entry point.
    pub(super) fn inputs(&mut self, entry: &'a EntryPoint) -> Result<Vec<Value>> {
        self.span = self.entry_span(entry);
        let module = self.module;
        let mut values = Vec::new();
        for argument in &entry.function.arguments {
            let inner = &module.types[argument.ty].inner;
            let value = match (inner, &argument.binding) {
                (TypeInner::Struct { members, .. }, None) => {
                    self.span = module.types.get_span(argument.ty);
                    Value::many(members.iter().map(|member| {
                        let inner = &module.types[member.ty].inner;
                        self.input(member.name.as_deref(), member.binding.as_ref(), inner)
                    }))?
                }
                (inner, binding) => self.input(argument.name.as_deref(), binding.as_ref(), inner)?,
            };
            values.push(value);
        }
        self.interface.attributes.sort_by_key(|attribute| attribute.register);
        if self.interface.attributes.is_empty() {
            return Err(self.error(Kind::NoAttributes));
        }
        let known = || self.interface.attributes.iter().map(|attribute| &attribute.name);
        if let Some(name) = self.options.scaled.iter().find(|name| known().all(|known| known != *name)) {
            let (name, known) = (name.clone(), known().cloned().collect());
            return Err(Error { kind: Kind::Unknown { what: "attribute", name, known }, at: None });
        }
        Ok(values)
    }

    fn input(&mut self, name: Option<&str>, binding: Option<&Binding>, inner: &TypeInner) -> Result<Value> {
        let location = match binding {
            Some(Binding::Location { location, .. }) => *location,
            Some(Binding::BuiltIn(built_in)) => {
                let name = format!("{built_in:?}");
                let words = [snake_case(&name), format!("gl_{name}"), name.replace("Index", "ID")];
                self.span = error::find(self.text, &words).unwrap_or(self.span);
                return Err(self.error(Kind::BuiltIn(format!("input {name}"))));
            }
            None => return self.internal("an attribute without location"),
        };
        let Some(shape) = Shape::of(inner).filter(|shape| shape.is_numeric()) else {
            let name = name.unwrap_or("without name");
            return Err(self.error(Kind::Format(format!("the type of attribute {name}"))));
        };
        let taken = |one: &Attribute| u32::from(one.register) == location;
        if location >= ATTRIBUTES || self.interface.attributes.iter().any(taken) {
            let message = format!("location {location} is no attribute register of its own");
            return Err(self.error(Kind::Attribute(message)));
        }
        let register = location as u8;
        let name = name.map_or_else(|| format!("attribute{register}"), str::to_string);
        let is_scaled = self.options.scaled.contains(&name);
        let read = self.b.read(Type::F32X4, Op::Read(Resource::Input(register)));
        self.interface.attributes.push(Attribute { register, name, shape, is_scaled, is_read: false });
        let mut lanes: Vec<Lane> = (0..shape.rows).map(|lane| Lane::new(read, lane)).collect();
        if is_scaled {
            let factor = self.b.float(1.0 / 255.0);
            lanes = self.b.at_start(|b| b.binary(Binary::MulP, &lanes, &[factor], 4));
        }
        Ok(Value::lanes(shape, lanes))
    }

    /// Values of the outputs, in the order of the interface.
    pub(super) fn outputs(&mut self, entry: &'a EntryPoint, result: Value) -> Result<Vec<IrValue>> {
        let varyings = self.varyings(entry, result)?;
        self.check_roles(&varyings)?;
        let mut roles: Vec<Option<Role>> = varyings.iter().map(|varying| self.role(varying)).collect();
        let mut by_location: Vec<usize> = (0..roles.len()).filter(|&index| roles[index].is_none()).collect();
        by_location.sort_by_key(|&index| location(&varyings[index]));
        for index in by_location {
            let rows = self.shape(&varyings[index].value)?.rows;
            let is_free = |semantic: &Semantic| !roles.contains(&Some(Role::Semantic(*semantic)));
            let mut free: Vec<Semantic> = ORDER.into_iter().filter(is_free).collect();
            // Two lanes are texture coordinates before they are a color.
            free.sort_by_key(|semantic| rows <= 2 && *semantic == Semantic::Color);
            match free.into_iter().find(|&semantic| rows <= capacity(semantic)) {
                Some(semantic) => roles[index] = Some(Role::Semantic(semantic)),
                None => return self.output_error(&varyings[index], "has no semantic that is free"),
            }
        }
        let mut outputs = Vec::new();
        let mut tangent = self.tangent(&varyings, &roles)?;
        for (varying, role) in varyings.into_iter().zip(roles) {
            match role {
                Some(Role::Ignored | Role::Tangent) | None => {}
                Some(role) => outputs.push(self.output(varying, role, &mut tangent)?),
            }
        }
        if let Some(varying) = tangent {
            return self.output_error(&varying, "has no normal beside it");
        }
        // Position first, as programs have it.
        outputs.sort_by_key(|(output, _)| output.semantic as u8);
        if outputs.first().is_none_or(|(output, _)| output.semantic != Semantic::Position) {
            return Err(self.error(Kind::Output("the program has no position".into())));
        }
        if let Some(pair) = outputs.windows(2).find(|pair| pair[0].0.semantic == pair[1].0.semantic) {
            let (a, b) = (&pair[0].0, &pair[1].0);
            let message = format!("`{}` and `{}` are both {}", a.name, b.name, a.semantic.info().name);
            return self.error_at(&b.name, message);
        }
        if outputs.len() > OUTPUTS {
            return self.limit("outputs", outputs.len(), OUTPUTS);
        }
        let (outputs, lanes): (Vec<Output>, Vec<Vec<Lane>>) = outputs.into_iter().unzip();
        self.interface.outputs = outputs;
        Ok(lanes.iter().map(|lanes| self.b.gather(lanes)).collect())
    }

    /// Place of an entry point, of which naga keeps none.
    pub(super) fn entry_span(&self, entry: &EntryPoint) -> naga::Span {
        error::entry_span(self.text, &entry.name)
    }

    fn varyings(&mut self, entry: &'a EntryPoint, result: Value) -> Result<Vec<Varying>> {
        let module = self.module;
        let Some(declared) = &entry.function.result else { return Ok(Vec::new()) };
        self.span = module.types.get_span(declared.ty);
        if !self.span.is_defined() {
            self.span = self.entry_span(entry);
        }
        match (&module.types[declared.ty].inner, result) {
            (TypeInner::Struct { members, .. }, Value::Many(values)) => {
                let all = members.iter().zip(values.iter()).enumerate();
                let varying = all.map(|(index, (member, value))| Varying {
                    name: member.name.clone().unwrap_or_default(),
                    binding: member.binding.clone(),
                    value: value.clone(),
                    member: index,
                });
                Ok(varying.collect())
            }
            (_, value) => {
                let binding = declared.binding.clone();
                Ok(vec![Varying { name: "position".into(), binding, value, member: 0 }])
            }
        }
    }

    fn role(&self, varying: &Varying) -> Option<Role> {
        match varying.binding {
            Some(Binding::BuiltIn(BuiltIn::Position { .. })) => {
                return Some(Role::Semantic(Semantic::Position));
            }
            // The console draws no points.
            Some(Binding::BuiltIn(_)) => return Some(Role::Ignored),
            Some(Binding::Location { .. }) | None => {}
        }
        let mapped = |(name, role): &(String, Role)| varying.is_named(name).then_some(*role);
        self.options.outputs.iter().find_map(mapped).or_else(|| Role::of(&varying.name))
    }

    /// Checks that options name outputs, each once, and leave the position what it is.
    fn check_roles(&self, varyings: &[Varying]) -> Result<()> {
        for (index, (name, role)) in self.options.outputs.iter().enumerate() {
            let Some(varying) = varyings.iter().find(|varying| varying.is_named(name)) else {
                let known = varyings.iter().map(|varying| varying.name.clone()).collect();
                let kind = Kind::Unknown { what: "output", name: name.clone(), known };
                return Err(Error { kind, at: None });
            };
            let is_position = matches!(varying.binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })));
            if is_position && *role != Role::Semantic(Semantic::Position) {
                return self.output_error(varying, "is the position, and stays it");
            }
            if self.options.outputs[..index].iter().any(|(other, _)| varying.is_named(other)) {
                return self.output_error(varying, "has two semantics");
            }
        }
        Ok(())
    }

    fn output_error<T>(&self, varying: &Varying, message: &str) -> Result<T> {
        self.error_at(&varying.name, format!("output `{}` {message}", varying.name))
    }

    /// An error about an output, at its declaration if that is found.
    fn error_at<T>(&self, name: &str, message: String) -> Result<T> {
        let start = self.span.to_range().map_or(0, |range| range.start);
        let found = [start, 0].into_iter().find_map(|start| error::find_name(self.text, start, name));
        Err(error::at(Kind::Output(message), found.unwrap_or(self.span), self.text))
    }

    /// The output that is the tangent of the normal.
    fn tangent(&self, varyings: &[Varying], roles: &[Option<Role>]) -> Result<Option<Varying>> {
        let is_tangent = |(_, role): &(&Varying, &Option<Role>)| **role == Some(Role::Tangent);
        let mut tangents = varyings.iter().zip(roles).filter(is_tangent).map(|(varying, _)| varying);
        let (first, second) = (tangents.next(), tangents.next());
        match second {
            Some(second) => self.output_error(second, "is a second tangent"),
            None => Ok(first.cloned()),
        }
    }

    fn output(
        &mut self,
        varying: Varying,
        role: Role,
        tangent: &mut Option<Varying>,
    ) -> Result<(Output, Vec<Lane>)> {
        let shape = self.shape(&varying.value)?;
        if shape.is_matrix() || shape.scalar != Scalar::Float {
            return self.output_error(&varying, "is no vector of floats");
        }
        let mut beside = None;
        let (semantic, value) = match role {
            Role::Semantic(Semantic::Position) => (Semantic::Position, self.position(&varying.value)?),
            Role::Semantic(semantic) if semantic != Semantic::Quaternion || shape.rows != 3 => {
                (semantic, varying.value.clone())
            }
            Role::Normal | Role::Semantic(_) => {
                beside = tangent.take();
                for vector in [Some(&varying), beside.as_ref()].into_iter().flatten() {
                    if self.shape(&vector.value)? != Shape::vector(Scalar::Float, 3) {
                        return self.output_error(vector, "is no vector of three floats");
                    }
                }
                let value = match &beside {
                    Some(tangent) => self.quaternion_of_axes(&varying.value, &tangent.value)?,
                    None => self.quaternion(&varying.value)?,
                };
                (Semantic::Quaternion, value)
            }
            Role::Tangent | Role::Ignored => return self.internal("an output that is ignored"),
        };
        let tangent = beside.map(|tangent| tangent.member);
        let (shape, lanes) = self.lanes(&value)?;
        if shape.rows > capacity(semantic) {
            let message = format!("has more lanes than {}", semantic.info().name);
            return self.output_error(&varying, &message);
        }
        let name = if varying.name.is_empty() { semantic.info().name.to_string() } else { varying.name };
        let line = self.stored_line(&varying.value).map(|line| line.0.into());
        Ok((Output { semantic, name, lanes: shape.rows, member: varying.member, tangent, line }, lanes))
    }

    /// The line of the statement that stores a value, or of the end.
    fn stored_line(&self, value: &Value) -> Option<Pc> {
        let stored = self.stored.iter().rev().find(|(stored, _)| stored == value);
        stored.map_or_else(|| self.b.place(), |(_, line)| *line)
    }

    /// A position with the depth of the console: -w at the near plane, 0 at the far one. It has the
    /// line of the statement that stores the position, or of the end.
    fn position(&mut self, value: &Value) -> Result<Value> {
        if self.options.depth == Depth::Console {
            return Ok(value.clone());
        }
        let scalar = Shape::scalar(Scalar::Float);
        let (z, w) = (self.pick(value, scalar, &[2])?, self.pick(value, scalar, &[3])?);
        let end = self.b.place();
        self.b.begin_place(self.stored_line(value));
        let mut z = self.subtract(&z, &w)?;
        if self.options.depth == Depth::MinusWToW {
            let half = self.data(Data::float(0.5));
            z = self.multiply(&z, &half)?;
        }
        self.b.begin_place(end);
        let xy = self.pick(value, Shape::vector(Scalar::Float, 2), &[0, 1])?;
        self.join(Shape::vector(Scalar::Float, 4), &[xy, z, w])
    }
}

fn location(varying: &Varying) -> u32 {
    match varying.binding {
        Some(Binding::Location { location, .. }) => location,
        Some(Binding::BuiltIn(_)) | None => u32::MAX,
    }
}

/// Lanes that an output of a semantic may have: texcoord0 has w, too.
fn capacity(semantic: Semantic) -> u8 {
    semantic.info().components + u8::from(semantic == Semantic::Texcoord0)
}
