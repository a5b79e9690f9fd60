//! A reflection as text: one table for each kind of entry.
//! In: [`Reflection`]. Out: text, with nothing that the data lacks.

use std::fmt::{Display, Write};

use transpica::geometry::{Dependence, GeometryInput, GeometryKernel};
use transpica::host::{Location, Padding, Uniform, Usage};
use transpica::reflect::{BlockInfo, Guards, InstructionCounts, Reflection, UniformDefault, UniformValue};
use transpica::settings::{AttributeKind, FloatControls, Promise};

use crate::tables::{Table, run};

/// Returns what a program reads and writes, as text.
pub fn text(reflection: &Reflection) -> String {
    let Reflection { interface, instructions, guards, .. } = reflection;
    let InstructionCounts { code, reached, arithmetic, control, nop } = instructions;
    let entry = reflection.entry.as_ref().map(|entry| format!(", entry {entry}")).unwrap_or_default();
    let source = if interface.source.is_empty() { "program from registers" } else { &interface.source };
    let (stage, tier) = (reflection.module.stage, reflection.tier);
    let mut out = format!(
        "{source}{entry}: {stage} stage, {tier}\n\
         {reached} of {code} words reached: {arithmetic} arithmetic, {control} control, {nop} nop\n\
         reads {}\n",
        reads(&reflection.usage)
    );
    inputs(&mut out, reflection);
    outputs(&mut out, reflection);
    reliance(&mut out, reflection);
    let Guards { products, nan_tests } = guards;
    if products + nan_tests > 0 {
        let _ = writeln!(out, "\n{products} products with a guard of 0 · inf, {nan_tests} tests for NaN");
    }
    if let Some(FloatControls { subnormals, .. }) = reflection.exact_if {
        let all = if subnormals { "nan, subnormals, rounding" } else { "nan, rounding" };
        let _ = writeln!(out, "\nas SPIR-V exact on every driver that the declarations bind: {all}");
    }
    if !interface.warnings.is_empty() {
        out.push_str("\nwarnings\n");
    }
    for warning in &interface.warnings {
        let _ = writeln!(out, "  {warning}");
    }
    out
}

/// Appends a table with a blank line above it, unless it has no rows.
fn table(out: &mut String, title: &str, columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let table = Table::new(title, columns, rows);
    if !table.rows.is_empty() {
        let _ = write!(out, "\n{table}");
    }
}

/// Formats registers of a bank, with runs abbreviated: `c0..c3 c8`.
fn registers(bank: char, mask: impl Into<u128>) -> String {
    let mask = mask.into();
    let all: Vec<u8> = (0..128).filter(|register| mask >> register & 1 != 0).collect();
    // Range: at most 128.
    let runs = all.chunk_by(|a, b| a + 1 == *b).map(|all| run(bank, all[0], all.len() as u8));
    runs.collect::<Vec<_>>().join(" ")
}

fn reads(usage: &Usage) -> String {
    let reached = usage.relative & Usage::EVERYTHING.floats;
    let relative = match reached {
        0 => String::new(),
        _ => format!(
            "{} with an address, which reaches c{}..c{}",
            registers('c', usage.relative_bases),
            reached.trailing_zeros(),
            reached.ilog2()
        ),
    };
    let mut parts = vec![registers('v', usage.inputs), registers('c', usage.floats), relative];
    parts.extend([registers('i', usage.ints), registers('b', usage.bools)]);
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { "nothing".into() } else { parts.join("; ") }
}

/// Formats what a language may lack.
fn cell(place: Option<impl Display>) -> String {
    place.map_or_else(|| "-".into(), |place| place.to_string())
}

/// Formats a buffer slot of MSL.
fn slot(slot: Option<u32>) -> String {
    cell(slot.map(|slot| format!("buffer {slot}")))
}

/// Formats the place and size of a block.
fn block(block: &BlockInfo) -> String {
    let BlockInfo { set, binding, hlsl, msl, size, used } = block;
    let place = format!("set {set}, binding {binding}, HLSL {}, MSL {}", cell(*hlsl), slot(*msl));
    let part = if used == size { String::new() } else { format!(", of which {used} are used") };
    format!("{place}, {size} bytes{part}")
}

/// Appends attributes, blocks and specialization constants.
fn inputs(out: &mut String, reflection: &Reflection) {
    let interface = &reflection.interface;
    let attributes = interface.attributes.iter().zip(&reflection.places.attributes);
    let attributes = attributes.map(|(attribute, place)| {
        let number = attribute.register;
        let ty = match attribute.format.kind {
            AttributeKind::Float => "vec4f",
            AttributeKind::Int => "vec4i",
            AttributeKind::Uint => "vec4u",
        };
        let msl = cell(place.msl.as_ref().map(|_| format!("attribute {number}")));
        let (register, lanes) = (format!("v{number}"), attribute.format.components.to_string());
        let hlsl = cell(place.hlsl.as_ref());
        vec![number.to_string(), hlsl, msl, register, ty.into(), lanes, attribute.name.clone()]
    });
    let columns = ["location", "HLSL", "MSL", "register", "type", "components", "name"];
    table(out, "attributes", &columns, attributes);
    let titled = |what: &str, place: &Option<BlockInfo>| {
        place.as_ref().map_or(what.into(), |place| format!("{what}: {}", block(place)))
    };
    let mut uniforms = interface.block.uniforms();
    uniforms.sort_by_cached_key(|uniform| u64::from(uniform.member.offset));
    let uniforms = uniforms.into_iter().map(|Uniform { member, array }| {
        let name = array.map_or_else(|| member.name.clone(), |array| format!("{} in {array}", member.name));
        let registers = run(member.bank, member.first, member.count);
        vec![member.offset.to_string(), registers, member.ty.to_string(), name]
    });
    let title = titled("uniform block", &reflection.uniform_block);
    table(out, &title, &["offset", "registers", "type", "name"], uniforms);
    if let Some(Padding { offset, size }) = interface.block.padding() {
        let _ = writeln!(out, "  ones: {size} bytes at {offset}");
    }
    let host = reflection.host_members.iter();
    let host = host.map(|one| vec![one.offset.to_string(), one.ty.into(), one.name.into()]);
    table(out, &titled("host block", &reflection.host_block), &["offset", "type", "name"], host);
    let constants = reflection.specialization.iter();
    let constants = constants.map(|one| vec![one.id.to_string(), one.ty.into(), one.name.clone()]);
    table(out, "specialization constants", &["id", "type", "name"], constants);
}

/// Appends what the stage writes: outputs and buffers.
fn outputs(out: &mut String, reflection: &Reflection) {
    let outputs = reflection.interface.outputs.iter().zip(&reflection.places.outputs);
    let outputs = outputs.map(|(output, place)| {
        let location = match output.location {
            Location::Varying(location) => location.to_string(),
            Location::Position | Location::ClipDistances => "built in".into(),
        };
        let from: Vec<_> = output.components.iter().map(ToString::to_string).collect();
        let (hlsl, msl) = (cell(place.hlsl.as_ref()), cell(place.msl.as_ref()));
        let lanes = output.lanes().to_string();
        vec![location, hlsl, msl, lanes, from.join(" "), output.name.clone()]
    });
    table(out, "outputs", &["location", "HLSL", "MSL", "components", "from", "name"], outputs);
    if let Some(kernel) = reflection.interface.kernel() {
        geometry(out, kernel, reflection.draw_block.as_ref());
    }
    let buffers = reflection.buffers.iter().map(|buffer| {
        let access = if buffer.written { "written" } else { "read" };
        let bytes = buffer.stride.map_or("as set by the draw".into(), |bytes| bytes.to_string());
        let bytes = format!("{bytes} per {}", buffer.per);
        let (binding, hlsl) = (buffer.binding.to_string(), cell(buffer.hlsl));
        vec![binding, hlsl, slot(buffer.msl), buffer.ty.into(), access.into(), bytes, buffer.name.into()]
    });
    table(out, "buffers", &["binding", "HLSL", "MSL", "type", "", "bytes", "name"], buffers);
    if let Some(slot) = reflection.module.msl_sizes {
        let _ = writeln!(out, "  sizes of these buffers: MSL buffer {slot}");
    }
}

/// Appends the compute form of a geometry program.
fn geometry(out: &mut String, kernel: &GeometryKernel, draw: Option<&BlockInfo>) {
    let mode = match kernel.setup.input {
        GeometryInput::Point { .. } => "point",
        GeometryInput::Variable { .. } => "variable",
        GeometryInput::Fixed { .. } => "fixed",
    };
    let triangles = match kernel.triangles {
        Some(most) => format!("at most {most} triangles per invocation"),
        None => "no proven bound on the triangles per invocation".into(),
    };
    let runs = match kernel.dependence {
        Dependence::None | Dependence::Depth(0) => "each invocation runs on its own".into(),
        Dependence::Depth(warm) => format!("a thread runs {warm} invocations before its own"),
        Dependence::Unbounded => "one thread runs all invocations".into(),
    };
    let vectors = kernel.vectors;
    let _ = writeln!(
        out,
        "\ngeometry program, {mode} mode, {vectors} vectors per vertex\n  {triangles}\n  {runs}"
    );
    let _ = writeln!(out, "  numbers of the draw: {}", cell(draw.map(block)));
    let seen = kernel.observations.iter();
    let seen = seen.map(|seen| vec![seen.item.to_string(), format!("{:#x}", seen.pc.0)]);
    table(out, "state carried from earlier invocations", &["what", "code word"], seen);
    let state =
        kernel.state.iter().enumerate().map(|(number, word)| {
            vec![number.to_string(), word.to_string(), format!("{:#010x}", word.initial)]
        });
    table(out, "state", &["word", "of", "at first"], state);
}

/// Appends the values and promises that the module relies on.
fn reliance(out: &mut String, reflection: &Reflection) {
    let defaults = reflection.defaults.iter().map(|UniformDefault { register, value, folded }| {
        let numbers = match value {
            UniformValue::Float(bits) => bits.map(|bits| f32::from_bits(bits).to_string()).to_vec(),
            UniformValue::Int(bytes) => bytes.map(|byte| byte.to_string()).to_vec(),
            UniformValue::Bool(value) => vec![u8::from(*value).to_string()],
        };
        let note = if *folded { "a literal" } else { "set by the host" };
        vec![register.clone(), numbers.join(" "), note.into()]
    });
    table(out, "setup constants", &["register", "value", ""], defaults);
    let relies_on = &reflection.relies_on;
    let promises = &relies_on.promises;
    let of_attributes = (0..).zip(relies_on.attribute_promises);
    let of_attributes = of_attributes.filter(|(register, _)| relies_on.attributes >> register & 1 != 0);
    let rows = (relies_on.uniforms != 0)
        .then(|| (registers('c', relies_on.uniforms), promises.uniforms))
        .into_iter()
        .chain(of_attributes.map(|(register, promise): (u8, _)| (format!("v{register}"), promise)))
        .chain(relies_on.results.then(|| ("results".into(), promises.results)))
        .filter(|(_, promise)| *promise != Promise::Nothing);
    let rows = rows.map(|(registers, promise)| vec![registers, promise.to_string()]);
    table(out, "promises of the host that it relies on", &["registers", "promise"], rows);
}

#[cfg(test)]
mod tests {
    use transpica::settings::{
        Assume, AttributeFormat, Block, BoolUniforms, ClipPlanes, Control, FlipY, IntUniforms, Layout,
        Outputs,
    };
    use transpica::{Options, Shbin};

    use super::*;

    fn tables(name: &str, index: usize, options: &Options) -> String {
        let path = format!("{}/../../shaders/{name}.shbin", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a file");
        let program = file.program(index).expect("a program").named(name);
        text(&program.reflect(&program.translate(options).expect("translates")))
    }

    /// The default, and options that enable all features of reflection at once.
    #[test]
    fn the_tables_show_everything() {
        assert_eq!(tables("lights", 0, &Options::default()), LIGHTS);
        let bools = BoolUniforms { specialized: 0xFFFF, ..BoolUniforms::default() };
        let ints = IntUniforms { specialized: 0xF, ..IntUniforms::default() };
        let mut options = Options {
            block: Block { layout: Layout::Panda3ds, fold_constants: false, ..Block::default() },
            outputs: Outputs {
                flip_y: FlipY::Dynamic,
                clip_planes: ClipPlanes::Varying,
                ..Outputs::default()
            },
            control: Control { bools, ints, ..Control::default() },
            ..Options::default()
        };
        options.input.formats[0] = AttributeFormat { kind: AttributeKind::Int, components: 3 };
        options.input.formats[1].kind = AttributeKind::Uint;
        assert_eq!(tables("lights", 0, &options), EVERYTHING);
    }

    #[test]
    fn geometry_programs_and_promises_have_tables() {
        let counter = tables("counter", 1, &Options::default());
        for line in
            ["geometry program, ", "numbers of the draw: set 0, binding 3", "\nstate\n", "\nbuffers\n"]
        {
            assert!(counter.contains(line), "{line}: {counter}");
        }
        let assume = Assume { uniforms: Promise::Below(20), ..Assume::default() };
        let promised = tables("lights", 0, &Options { assume, ..Options::default() });
        let table = "promises of the host that it relies on\n  registers  promise\n  c0..c94    below 2^20\n";
        assert!(promised.contains(table), "{promised}");
    }

    const LIGHTS: &str = "\
lights, entry code word 0xe: vertex stage, structured
47 of 47 words reached: 38 arithmetic, 6 control, 3 nop
reads v0..v1; c0..c10 c27..c29; c11 c19 with an address, which reaches c0..c95; i0; b0

attributes
  location  HLSL  MSL          register  type   components  name
  0         LOC0  attribute 0  v0        vec4f  4           inpos
  1         LOC1  attribute 1  v1        vec4f  4           innrm

uniform block: set 0, binding 0, HLSL b0, MSL buffer 0, 1568 bytes, of which 1556 are used
  offset  registers  type              name
  0       c0..c95    array<vec4f, 96>  c
  0       c0..c3     array<vec4f, 4>   projection in c
  64      c4..c7     array<vec4f, 4>   modelView in c
  128     c8..c10    array<vec4f, 3>   normalMatrix in c
  176     c11..c18   array<vec4f, 8>   lightDir in c
  304     c19..c26   array<vec4f, 8>   lightColor in c
  432     c27        vec4f             ambient in c
  448     c28        vec4f             material in c
  464     c29        vec4f             eye in c
  1536    i0         vec4i             lightLoop
  1552    b0         u32               useSpecular

outputs
  location  HLSL         MSL         components  from                 name
  built in  SV_Position  position    4           o0.x o0.y o0.z o0.w  position
  0         LOC0         user(loc0)  4           o1.x o1.y o1.z o1.w  color
  6         LOC6         user(loc6)  3           o2.x o2.y o2.z       view

setup constants
  register  value
  c95       0 1 0.5 16  set by the host

18 products with a guard of 0 · inf, 24 tests for NaN

as SPIR-V exact on every driver that the declarations bind: nan, subnormals, rounding
";

    const EVERYTHING: &str = "\
lights, entry code word 0xe: vertex stage, structured
47 of 47 words reached: 38 arithmetic, 6 control, 3 nop
reads v0..v1; c0..c10 c27..c29 c95; c11 c19 with an address, which reaches c0..c95

attributes
  location  HLSL  MSL  register  type   components  name
  0         -     -    v0        vec4i  3           inpos
  1         -     -    v1        vec4u  4           innrm

uniform block: set 0, binding 0, HLSL -, MSL -, 1568 bytes, of which 1556 are used
  offset  registers  type              name
  0       c0..c95    array<vec4f, 96>  c
  1536    i0..i3     vec4u             i
  1552    b0..b15    u32               b

host block: set 0, binding 1, HLSL -, MSL -, 32 bytes
  offset  type   name
  0       u32    clip_enabled
  4       u32    flip_y
  16      vec4f  clip_plane

specialization constants
  id  type  name
  0   bool  b0
  16  i32   i0_x
  17  i32   i0_y
  18  i32   i0_z

outputs
  location  HLSL  MSL  components  from                 name
  built in  -     -    4           o0.x o0.y o0.z o0.w  position
  0         -     -    4           o1.x o1.y o1.z o1.w  color
  6         -     -    3           o2.x o2.y o2.z       view
  7         -     -    2           o0.x o0.y o0.z o0.w  clip_distances

setup constants
  register  value
  c95       0 1 0.5 16  set by the host

22 products with a guard of 0 · inf, 31 tests for NaN

as SPIR-V exact on every driver that the declarations bind: nan, subnormals, rounding
";
}
