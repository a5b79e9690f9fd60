//! Names that a shader in WGSL, GLSL or SPIR-V declares, and values for them.
//! In: a source, tables of a test file. Out: its program as text; the registers that the host
//! computes from declared uniforms. The interface of the compiler has names, types and registers.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;
use transpica::container::SymbolBank;
use transpica::isa::Uniforms;
use transpica_compile::compile::{Compiled, Error, Report, compile_file};
use transpica_compile::source::host::Part;
use transpica_compile::source::interface::{Layout, UniformRegisters, UniformValues};
use transpica_compile::source::promises::promise;
use transpica_compile::source::{Depth, Interface, Language, Options, Role, Scalar, Shape};
use transpica_inspect::json::float;
use transpica_inspect::state::{Set, truth, unknown_word};
use transpica_inspect::symbols::Symbols;

use crate::matrix;
use crate::shader::{Choices, Lowered, Problem};
use crate::toml::{Item, Key, Reader, value};
use crate::values::{is_bank, matrix};

/// Names of a source, with their types and registers.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    interface: Interface,
    /// Depth of the clip space that it writes.
    depth: matrix::Depth,
    /// The source.
    source: String,
}

/// Values of its uniforms.
pub(crate) struct Values<'a> {
    declared: &'a Declared,
    values: UniformValues,
    /// The parts that each layer sets, with their types and paths in the file.
    layers: Vec<BTreeMap<Part, (Shape, String)>>,
}

/// A part of a uniform with its type.
type Place<'a> = (Part, &'a Layout);

/// Returns the extensions of shading languages.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    Language::extensions()
}

pub(crate) fn is_source(path: &Path) -> bool {
    Language::of(path).is_some()
}

/// Checks the name of an output's semantic.
pub(crate) fn check_role(name: &str) -> Result<(), String> {
    Role::named(name).map(drop)
}

/// Checks the spelling of a promise.
pub(crate) fn check_promise(text: &str) -> Result<(), String> {
    promise(text).map(drop)
}

/// Compiles a source, if the extension of its name is that of a shading language.
pub(crate) fn compile(name: &str, bytes: &[u8], choices: &Choices) -> Option<Result<Lowered, Problem>> {
    let mut depth = Depth::Console;
    let result = compile_file(Path::new(name), bytes, |options| {
        depth = options.depth;
        let Choices { entry, outputs, scaled, assume, .. } = choices.clone();
        let outputs = outputs.into_iter().filter_map(|(name, role)| Some((name, Role::named(&role).ok()?)));
        let assume = assume.into_iter().filter_map(|(name, range)| Some((name, promise(&range).ok()?)));
        Options { entry, outputs: outputs.collect(), scaled, assume: assume.collect(), ..options }
    })?;
    let depth = match depth {
        Depth::Console => matrix::CONSOLE,
        Depth::ZeroToW => [1.0, 1.0],
        Depth::MinusWToW => [2.0, 1.0],
    };
    Some(match result {
        Ok(Compiled { text, lines, interface, source, .. }) => {
            Ok(Lowered { text, lines, declared: Declared { interface, depth, source } })
        }
        Err(error) => {
            let Report { at, message, advice } = error.report();
            let message = advice.map_or(message.clone(), |advice| format!("{message}; {advice}"));
            let place = at.map(|at| (at.line as usize, at.column as usize));
            let option = if let Error::Source(error) = &error { error.kind.option() } else { None };
            Err(Problem { file: name.to_owned(), place, message, option: option.map(str::to_owned) })
        }
    })
}

impl Declared {
    /// Names of registers that the hosts compute in different ways.
    pub fn computed_otherwise(&self, other: &Self, first: impl Fn(char, usize) -> usize) -> Vec<String> {
        self.interface.computed_otherwise(&other.interface, first)
    }

    /// Returns the first register and the type of what a key names, as `light` or
    /// `lights[0].color`.
    fn find(&self, key: &str) -> Option<Place<'_>> {
        let names: &Vec<&str> = &key.split(['.', '[']).map(|name| name.trim_end_matches(']')).collect();
        let all = self.interface.uniforms.iter().enumerate();
        let mut found = all.flat_map(|(uniform, one)| {
            let whole = (Part { uniform, offset: 0 }, &one.layout);
            let member = one.member.as_ref().map(|(variable, member)| vec![variable.as_str(), member]);
            [Some(vec![one.name.as_str()]), member].into_iter().flatten().filter_map(move |path| {
                names.strip_prefix(&path[..])?.iter().try_fold(whole, |place, name| enter(place, name))
            })
        });
        found.next()
    }

    /// Returns the members of a struct variable.
    fn members(&self, variable: &str) -> Vec<(&str, Place<'_>)> {
        let all = self.interface.uniforms.iter().enumerate();
        let member = all.filter_map(|(uniform, one)| {
            let (_, name) = one.member.as_ref().filter(|(of, _)| of == variable)?;
            Some((name.as_str(), (Part { uniform, offset: 0 }, &one.layout)))
        });
        member.collect()
    }

    /// Returns whether a key of uniforms is a name of the source.
    pub fn takes(&self, key: &str, item: &Item<'_>) -> bool {
        !is_bank(key, item) && (self.find(key).is_some() || !self.members(key).is_empty())
    }

    /// Returns a line of the source without the white space around it.
    pub fn line(&self, number: u32) -> Option<&str> {
        let number = usize::try_from(number).ok()?.checked_sub(1)?;
        self.source.lines().nth(number).map(str::trim)
    }

    /// Returns the register of an attribute, as `v0`.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let found = self.interface.attributes.iter().find(|one| one.name == name)?;
        Some(format!("v{}", found.register))
    }

    /// Returns the register of an output.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.interface.outputs.iter().position(|one| one.name == name)
    }

    /// Returns the name of a register, as `v0` or `c4`, and whether it is a vector. Rows of a
    /// matrix have its name.
    pub fn register(&self, register: &str) -> Option<(String, bool)> {
        let number: usize = register.get(1..)?.parse().ok()?;
        let is_vector = |shape: Shape| !shape.is_matrix() && !shape.is_scalar();
        if register.starts_with('v') {
            let found = self.interface.attributes.iter().find(|one| usize::from(one.register) == number)?;
            return Some((found.name.clone(), is_vector(found.shape)));
        }
        let uniforms = self.interface.uniforms.iter().filter(|_| register.starts_with('c'));
        let mut places = uniforms.filter_map(|one| Some((one, number.checked_sub(one.register?.into())?)));
        let (uniform, mut offset) = places.find(|(one, offset)| *offset < one.layout.registers())?;
        let (mut name, mut layout) = (uniform.name.clone(), &uniform.layout);
        loop {
            match layout {
                Layout::Leaf(shape) => return Some((name, is_vector(*shape))),
                Layout::Struct(members) => {
                    let (own, member) = members.iter().find(|(_, member)| {
                        let is_it = offset < member.registers();
                        offset -= if is_it { 0 } else { member.registers() };
                        is_it
                    })?;
                    (name, layout) = (format!("{name}.{own}"), member);
                }
                Layout::Array(element, _) => {
                    name = format!("{name}[{}]", offset.checked_div(element.registers())?);
                    (offset, layout) = (offset % element.registers(), element);
                }
            }
        }
    }

    /// Returns uniforms, attributes and outputs with their types.
    pub fn names(&self) -> [Vec<(String, String)>; 3] {
        let Interface { uniforms, attributes, outputs, .. } = &self.interface;
        let of_lanes = |lanes| Shape::vector(Scalar::Float, lanes).name();
        [
            uniforms.iter().map(|one| (one.name.clone(), type_name(&one.layout))).collect(),
            attributes.iter().map(|one| (one.name.clone(), one.shape.name())).collect(),
            outputs.iter().map(|one| (one.name.clone(), of_lanes(one.lanes))).collect(),
        ]
    }
}

/// Follows a member's name or the index of an element.
fn enter<'a>((part, layout): Place<'a>, name: &str) -> Option<Place<'a>> {
    let mut offset = part.offset;
    match layout {
        Layout::Leaf(_) => None,
        Layout::Struct(members) => {
            let (_, member) = members.iter().find(|(own, member)| {
                let is_it = own == name;
                offset += if is_it { 0 } else { member.registers() };
                is_it
            })?;
            Some((Part { offset, ..part }, member))
        }
        Layout::Array(element, count) => {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_digit());
            let index = name.parse::<usize>().ok().filter(|index| is_plain && index < count)?;
            Some((Part { offset: offset + index * element.registers(), ..part }, element))
        }
    }
}

/// The name of a type, for reports.
fn type_name(layout: &Layout) -> String {
    let (mut counts, mut inner) = (String::new(), layout);
    while let Layout::Array(element, count) = inner {
        (counts, inner) = (format!("{counts}[{count}]"), element);
    }
    let name = match inner {
        Layout::Leaf(shape) => shape.name(),
        Layout::Struct(_) | Layout::Array(..) => "struct".into(),
    };
    name + &counts
}

impl<'a> Values<'a> {
    /// Zeros for all uniforms but those that layers set, each on top of those before it.
    pub fn new<'t>(
        declared: &'a Declared,
        (reader, symbols): (Reader<'t>, &Symbols),
        layers: &[&DeTable<'t>],
    ) -> Result<Self, Problem> {
        let values = declared.interface.uniforms.iter().map(|one| vec![[0; 4]; one.layout.registers()]);
        let mut all = Self { declared, values: values.collect(), layers: Vec::new() };
        for layer in layers {
            all.layers.push(BTreeMap::new());
            layer.iter().try_for_each(|entry| all.set(reader, entry, symbols))?;
        }
        Ok(all)
    }

    /// Sets what a key names of the declared uniforms. Others must be banks or symbols of the
    /// program.
    fn set<'t>(
        &mut self,
        reader: Reader<'t>,
        (key, item): (&Key<'t>, &Item<'t>),
        symbols: &Symbols,
    ) -> Result<(), Problem> {
        let name = key.get_ref().as_ref();
        let (what, members) = (format!("uniforms.{name}"), self.declared.members(name));
        let table = item.get_ref().as_table();
        let is_member = |key: &str| members.iter().any(|(member, _)| *member == key);
        let is_whole = table.is_some_and(|table| table.keys().all(|key| is_member(key.get_ref())));
        let place = self.declared.find(name).filter(|_| members.is_empty() || !is_whole);
        if is_bank(name, item) {
            return Ok(());
        }
        if let Some(place) = place {
            return self.put(reader, (&what, item), place);
        }
        if !members.is_empty() {
            return self.put_members(reader, (&what, item), &|key| {
                let found = members.iter().find(|(member, _)| *member == key).map(|(_, place)| *place);
                found.ok_or_else(|| members.iter().map(|(member, _)| *member).collect())
            });
        }
        if symbols.as_slice().iter().any(|named| named.name == name) {
            return Ok(());
        }
        let [uniforms, ..] = self.declared.names();
        let declared = uniforms.iter().map(|(name, _)| name.as_str());
        let symbols = symbols.uniforms().map(|named| named.name.as_str());
        let mut known: Vec<&str> = ["c", "i", "b"].into_iter().chain(declared).collect();
        known.extend(symbols.filter(|name| !uniforms.iter().any(|(own, _)| own == name)));
        Err(reader.problem(key.span().start, unknown_word(("key", name), &known, "uniforms")))
    }

    /// Sets members that a table names; `find` returns their places, or the names that there are.
    fn put_members<'t>(
        &mut self,
        reader: Reader<'t>,
        (what, item): (&str, &Item<'t>),
        find: &dyn Fn(&str) -> Result<Place<'a>, Vec<&'a str>>,
    ) -> Result<(), Problem> {
        for (key, item) in reader.table(item, what)? {
            let name = key.get_ref().as_ref();
            let place = find(name).map_err(|known| {
                let message = unknown_word(("key", name), &known, what);
                reader.problem(key.span().start, message)
            })?;
            self.put(reader, (&format!("{what}.{name}"), item), place)?;
        }
        Ok(())
    }

    /// Sets a part. Types, which recursion follows, nest to a limit.
    fn put<'t>(
        &mut self,
        reader: Reader<'t>,
        (what, item): (&str, &Item<'t>),
        place: Place<'a>,
    ) -> Result<(), Problem> {
        match place.1 {
            Layout::Leaf(shape) => self.put_leaf(reader, (what, item), place.0, *shape),
            Layout::Struct(members) => self.put_members(reader, (what, item), &|name| {
                enter(place, name).ok_or_else(|| members.iter().map(|(name, _)| name.as_str()).collect())
            }),
            Layout::Array(_, count) => {
                let list = item.get_ref().as_array().into_iter().flat_map(|list| list.iter().enumerate());
                let list = list.map(|(index, element)| (index.to_string(), element));
                let table = item.get_ref().as_table().into_iter().flatten();
                let table = table.map(|(key, element)| (key.get_ref().to_string(), element));
                let elements: Vec<(String, &Item<'t>)> = list.chain(table).collect();
                let form =
                    format!("{what} must be a list of at most {count} values, or a table of them by index");
                let wrong = |at: &Item<'t>| reader.problem(at.span().start, form.clone());
                for (index, element) in &elements {
                    let place = enter(place, index).ok_or_else(|| wrong(element))?;
                    self.put(reader, (&format!("{what}[{index}]"), element), place)?;
                }
                if elements.is_empty() { Err(wrong(item)) } else { Ok(()) }
            }
        }
    }

    /// Sets a scalar, vector or matrix.
    fn put_leaf<'t>(
        &mut self,
        reader: Reader<'t>,
        (what, item): (&str, &Item<'t>),
        part: Part,
        shape: Shape,
    ) -> Result<(), Problem> {
        let (columns, count) = (usize::from(shape.columns), usize::from(shape.rows));
        let matrix = match shape.is_matrix() {
            true => matrix(reader, item, what, self.declared.depth)?,
            false => None,
        };
        let rows: Option<Vec<Vec<u32>>> = match (matrix, shape.is_matrix()) {
            (Some(rows), _) => {
                let row = |row: &[f32; 4]| row.iter().take(columns).map(|lane| lane.to_bits()).collect();
                Some(rows.iter().take(count).map(row).collect())
            }
            (None, true) => {
                let list = item.get_ref().as_array().filter(|list| list.len() == count);
                list.and_then(|list| list.iter().map(|row| lanes(row, columns, shape.scalar)).collect())
            }
            (None, false) if shape.is_scalar() => {
                let flag = || self.flag(item, part, shape);
                lane(item, shape.scalar).or_else(flag).map(|lane| vec![vec![lane]])
            }
            (None, false) => lanes(item, count, shape.scalar).map(|lanes| vec![lanes]),
        };
        let kind = match shape.scalar {
            Scalar::Float => "number",
            Scalar::Int => "whole number from -2147483648 to 2147483647",
            Scalar::Uint => "whole number from 0 to 4294967295",
            Scalar::Bool => "truth value",
        };
        let rows = rows.ok_or_else(|| {
            let form = match (shape.is_matrix(), shape.is_scalar()) {
                (true, _) => format!("a matrix, or {count} rows of {columns} numbers"),
                (false, true) => format!("a {kind}"),
                (false, false) => format!("a list of {count}, each a {kind}"),
            };
            reader.problem(item.span().start, format!("{what} is a {}: it must be {form}", shape.name()))
        })?;
        let registers = self.values.get_mut(part.uniform).into_iter().flatten().skip(part.offset);
        for (register, row) in registers.zip(rows) {
            register.iter_mut().zip(row).for_each(|(to, lane)| *to = lane);
        }
        let set = self.layers.last_mut().and_then(|set| set.insert(part, (shape, what.to_owned())));
        set.map_or(Ok(()), |(_, other)| {
            let message = format!("{what}: the file sets it twice, also as {other}");
            Err(reader.problem(item.span().start, message))
        })
    }

    /// The bits of a truth value for a number that only bool registers depend on.
    fn flag(&self, item: &Item<'_>, part: Part, shape: Shape) -> Option<u32> {
        let truth = item.get_ref().as_bool()?;
        let registers = self.declared.interface.registers_of(part, shape);
        let is_flag = !registers.is_empty() && registers.iter().all(|&(bank, _)| bank == SymbolBank::Bool);
        let bits = if shape.scalar == Scalar::Float { 1f32.to_bits() } else { 1 };
        is_flag.then_some(if truth { bits } else { 0 })
    }

    /// Computes the registers of the host that depend on a layer on top of others, and returns them
    /// by the names that set them. With zeros the first layer computes all, without them those
    /// whose uniforms have values. Returns `None` where the host has no value.
    pub fn onto(&self, to: &mut Uniforms, are_zero: bool, layer: usize) -> Option<Set> {
        let (ints, bools, interface) = (to.ints, to.bools, &self.declared.interface);
        let mut all = UniformRegisters { floats: to.floats.to_vec(), ints, bools };
        let own = self.layers.get(layer)?;
        let is_known = |part| are_zero || self.layers.iter().any(|set| set.contains_key(&part));
        let is_own = |part| own.contains_key(&part);
        let is_own = (layer > 0 || !are_zero).then_some(&is_own as &dyn Fn(Part) -> bool);
        interface.registers_onto(&self.values, is_known, is_own, &mut all)?;
        to.floats.iter_mut().zip(all.floats).for_each(|(to, from)| *to = from);
        (to.ints, to.bools) = (all.ints, all.bools);
        let mut set = Set::new();
        for (&part, (shape, what)) in own {
            let registers = interface.registers_of(part, *shape).into_iter();
            set.extend(registers.map(|register| (register, what.clone())));
        }
        Some(set)
    }
}

/// The bits of a number or truth value.
fn lane(item: &Item<'_>, scalar: Scalar) -> Option<u32> {
    let value = value(item);
    match scalar {
        Scalar::Float => match value.as_str() {
            Some(text) => float(text),
            None => value.as_f64().map(|number| (number as f32).to_bits()),
        },
        Scalar::Int => value.as_i64().and_then(|number| i32::try_from(number).ok()).map(i32::cast_unsigned),
        Scalar::Uint => value.as_u64().and_then(|number| u32::try_from(number).ok()),
        Scalar::Bool => truth(&value).map(u32::from),
    }
}

fn lanes(item: &Item<'_>, count: usize, scalar: Scalar) -> Option<Vec<u32>> {
    let list = item.get_ref().as_array().filter(|list| list.len() == count)?;
    list.iter().map(|item| lane(item, scalar)).collect()
}

#[cfg(test)]
mod tests;
