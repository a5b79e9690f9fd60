//! The circle of the compiler: a shader, its program, our WGSL of that, a driver; and the shader
//! itself on the same driver.
//! The source runs in a compute entry that naga writes around it: uniforms are private variables
//! that are read from the block, inputs and outputs are rows of the buffers of [`run_compute`].
//!
//! Both compute in f32. They differ by the order of sums, by reciprocals and by functions such as
//! exp2, so the limit is that of the compiler, [`MOST`] of the largest component. Where the source
//! on the driver is itself so far from the source on the CPU, the shader has a step or subtracts
//! large numbers there, and the vertex is left out.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use naga::{AddressSpace, FunctionArgument, Handle, TypeInner};
use transpica::host::{WORKGROUP, dvle, dvle::FileEnvironment};
use transpica::interp::Uniforms;
use transpica::{Options as Settings, Shbin};
use transpica_compile::compile::{MOST, compile_with};
use transpica_compile::source::data::LaneList;
use transpica_compile::source::evaluate::{Inputs, console, evaluate};
use transpica_compile::source::interface::{Interface, UniformValues};
use transpica_compile::source::{Language, Options, Scalar, Shape, Source, read};
use transpica_gpu::compare::{Case, run};
use transpica_gpu::{Gpu, Registers, Route, Shader, run_compute};
use transpica_inspect::values::Random;
use transpica_proof::daily;

/// Values of uniforms for each shader, and vertices for each of them.
const BLOCKS: usize = 6;
const VERTICES: usize = 48;
/// Register of the tangent of the output in register 0; a program has at most seven outputs.
const TANGENTS: usize = 8;
/// Shaders that are left out: a pipeline sets the overrides of one, and naga writes no cases that
/// fall through, which the other has.
const LEFT_OUT: [&str; 2] = ["switches.wgsl", "sway.vert"];

/// Returns a source as a compute entry for [`run_compute`], and the lanes of its outputs.
fn compute_entry(source: &Source, interface: &Interface) -> (String, Vec<usize>) {
    let mut module = source.module.clone();
    let (mut loads, mut row) = (String::new(), 0);
    name_types(&mut module);
    for (index, (_, global)) in module.global_variables.iter_mut().enumerate() {
        let is_uniform = matches!(global.space, AddressSpace::Uniform | AddressSpace::Immediate);
        global.name = Some(format!("{}{index}g", if is_uniform { "uniform_" } else { "own_" }));
        if is_uniform {
            (global.space, global.binding) = (AddressSpace::Private, None);
            let name = global.name.clone().unwrap_or_default();
            load(&module.types, &name, global.ty, &mut row, &mut loads);
        }
    }
    let entry = module.entry_points.remove(0);
    let mut function = entry.function;
    let arguments: Vec<String> =
        function.arguments.iter().map(|argument| input(&module.types, argument)).collect();
    function.arguments.iter_mut().for_each(|argument| argument.binding = None);
    let result = function.result.as_mut().expect("outputs");
    result.binding = None;
    let members: Vec<(String, Handle<naga::Type>)> = match &module.types[result.ty].inner {
        TypeInner::Struct { members, .. } => members
            .iter()
            .map(|member| (format!(".{}", member.name.as_deref().unwrap_or_default()), member.ty))
            .collect(),
        _vector => vec![(String::new(), result.ty)],
    };
    function.name = Some("source".into());
    for (index, (_, function)) in module.functions.iter_mut().enumerate() {
        function.name = Some(format!("function_{index}f"));
    }
    module.functions.append(function, naga::Span::UNDEFINED);
    let flags = naga::valid::ValidationFlags::all();
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module);
    let flags = naga::back::wgsl::WriterFlags::empty();
    let mut text =
        naga::back::wgsl::write_string(&module, &info.expect("valid"), flags).expect("WGSL has it all");
    let _ = write!(
        text,
        "\n@group(0) @binding(0) var<storage, read> inputs: array<vec4<f32>>;\n\
         @group(0) @binding(1) var<storage, read_write> outputs: array<vec4<f32>>;\n\
         @group(0) @binding(2) var<uniform> block: array<vec4<u32>, {}>;\n\
         @compute @workgroup_size({WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
         if id.x * 16u >= arrayLength(&inputs) {{ return; }}\n{loads}let result = source({});\n",
        row.max(1),
        arguments.join(", "),
    );
    let mut counts = Vec::new();
    for (register, output) in interface.outputs.iter().enumerate() {
        let (name, ty) = &members[output.member];
        let lanes = Shape::of(&module.types[*ty].inner).expect("a vector").lanes();
        let zeros = ", 0.0".repeat(4 - lanes);
        let _ = writeln!(text, "outputs[id.x * 16u + {register}u] = vec4<f32>(result{name}{zeros});");
        counts.push(lanes);
        if let Some(tangent) = output.tangent {
            let (name, place) = (&members[tangent].0, register + TANGENTS);
            let _ = writeln!(text, "outputs[id.x * 16u + {place}u] = vec4<f32>(result{name}, 0.0);");
        }
    }
    (text + "}\n", counts)
}

/// Gives members names that the writer keeps.
fn name_types(module: &mut naga::Module) {
    let handles: Vec<Handle<naga::Type>> = module.types.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        let mut ty = module.types[handle].clone();
        if let TypeInner::Struct { members, .. } = &mut ty.inner {
            for (index, member) in members.iter_mut().enumerate() {
                member.name = Some(format!("member_{index}m"));
            }
            ty.name = Some(format!("Struct_{}s", handle.index()));
            module.types.replace(handle, ty);
        }
    }
}

/// Writes the loads of a variable from the rows of the block, as an interface counts them.
fn load(
    types: &naga::UniqueArena<naga::Type>,
    name: &str,
    ty: Handle<naga::Type>,
    row: &mut usize,
    text: &mut String,
) {
    let inner = &types[ty].inner;
    if let Some(shape) = Shape::of(inner) {
        let rows = if shape.is_matrix() { usize::from(shape.rows) } else { 1 };
        let lane = |lane: usize| {
            let (row, lane) = match shape.is_matrix() {
                true => (*row + lane % rows, lane / rows),
                false => (*row, lane),
            };
            let bits = format!("block[{row}][{lane}]");
            match shape.scalar {
                Scalar::Float => format!("bitcast<f32>({bits})"),
                Scalar::Int => format!("bitcast<i32>({bits})"),
                Scalar::Uint => bits,
                Scalar::Bool => format!("({bits} != 0u)"),
            }
        };
        let lanes: Vec<String> = (0..shape.lanes()).map(lane).collect();
        let _ = writeln!(text, "{name} = {}({});", shape.name(), lanes.join(", "));
        *row += rows;
        return;
    }
    match inner {
        TypeInner::Struct { members, .. } => {
            for member in members {
                load(
                    types,
                    &format!("{name}.{}", member.name.as_deref().unwrap_or_default()),
                    member.ty,
                    row,
                    text,
                );
            }
        }
        TypeInner::Array { base, size: naga::ArraySize::Constant(count), .. } => {
            for index in 0..count.get() {
                load(types, &format!("{name}[{index}]"), *base, row, text);
            }
        }
        other => panic!("a uniform of {other:?}"),
    }
}

/// The value of an argument of the entry point.
fn input(types: &naga::UniqueArena<naga::Type>, argument: &FunctionArgument) -> String {
    let value = |ty: Handle<naga::Type>, binding: &Option<naga::Binding>| {
        let Some(naga::Binding::Location { location, .. }) = binding else { panic!("{binding:?}") };
        let shape = Shape::of(&types[ty].inner).expect("an attribute");
        let lanes = &"xyzw"[..shape.lanes()];
        format!("{}(inputs[id.x * 16u + {location}u].{lanes})", shape.name())
    };
    match &types[argument.ty].inner {
        TypeInner::Struct { members, .. } => {
            let members: Vec<String> =
                members.iter().map(|member| value(member.ty, &member.binding)).collect();
            let name = types[argument.ty].name.as_deref().unwrap_or_default();
            format!("{name}({})", members.join(", "))
        }
        _vector => value(argument.ty, &argument.binding),
    }
}

/// One shader, compiled.
struct Circle<'a> {
    gpu: &'a Gpu,
    name: &'a str,
    source: Source,
    options: Options,
}

/// Vertices compared, left out, and the largest distance.
#[derive(Debug, Default)]
struct Found {
    compared: usize,
    left_out: usize,
    most: f64,
}

impl Circle<'_> {
    /// Outputs of the source on the driver, as the console takes them.
    fn source(
        &self,
        interface: &Interface,
        uniforms: &UniformValues,
        inputs: &[Registers],
    ) -> Vec<Vec<LaneList<f32>>> {
        let (text, counts) = compute_entry(&self.source, interface);
        let rows: Vec<u8> = uniforms.iter().flatten().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let rows = if rows.is_empty() { vec![0; 16] } else { rows };
        let outputs = run_compute(self.gpu, Shader::Wgsl(text.clone()), &rows, inputs);
        let outputs = outputs.unwrap_or_else(|error| panic!("{}: {error}\n{text}", self.name));
        let output = |registers: &Registers| {
            let lanes = |count: usize, register: usize| -> LaneList<f32> {
                registers[register][..count].iter().map(|bits| f32::from_bits(*bits)).collect()
            };
            let all = interface.outputs.iter().zip(&counts).enumerate();
            all.map(|(register, (output, &count))| {
                let tangent = output.tangent.map(|_| lanes(3, register + TANGENTS));
                console(output.semantic, lanes(count, register), tangent, self.options.depth)
                    .expect("an output with its tangent")
            })
            .collect()
        };
        outputs.iter().map(output).collect()
    }

    /// Compares the program's outputs on the driver with the source's.
    fn compare(&self, program: &[u8], interface: &Interface) -> Found {
        let file = Shbin::parse(program).expect("a file");
        let settings = Settings::default();
        let parsed = dvle::program(&file, 0, &settings.limits).expect("a program");
        let around = FileEnvironment::new(&file, 0, self.name).expect("there");
        let mut random = Random::new(0, self.name);
        let mut found = Found::default();
        for _ in 0..BLOCKS {
            let shared = Inputs::random(&mut random, interface).uniforms;
            let vertices: Vec<Inputs> = (0..VERTICES)
                .map(|_| Inputs { uniforms: shared.clone(), ..Inputs::random(&mut random, interface) })
                .collect();
            let expected = evaluate(&self.source, &self.options, interface, &vertices);
            // Random numbers lead to indices outside of arrays, where the source has no value.
            let expected = expected.into_iter().zip(&vertices);
            let expected = expected.filter_map(|(expected, inputs)| Some((expected?, inputs.attributes)));
            let (expected, inputs): (Vec<_>, Vec<[[f32; 4]; 16]>) = expected.unzip();
            let registers = interface.registers(&shared).expect("values");
            let mut uniforms =
                Uniforms { ints: registers.ints, bools: registers.bools, ..Uniforms::default() };
            uniforms.floats.iter_mut().zip(&registers.floats).for_each(|(to, from)| *to = *from);
            around.constants().apply(&mut uniforms);
            let case = Case {
                program: &parsed,
                environment: &around,
                uniforms: &uniforms,
                inputs: &inputs,
                options: settings,
                budget: 1 << 16,
            };
            let own =
                run(self.gpu, &case, Route::Wgsl).unwrap_or_else(|error| panic!("{}: {error}", self.name));
            let bits: Vec<Registers> = inputs.iter().map(transpica_inspect::state::bits).collect();
            let source = self.source(interface, &shared, &bits);
            for ((own, source), expected) in own.iter().zip(&source).zip(&expected) {
                for ((own, source), expected) in own.iter().zip(source).zip(expected) {
                    let own = own.map(f32::from_bits);
                    let far = distance(source, &own);
                    let is_open = source.iter().chain(expected).any(|lane| !lane.is_finite());
                    if is_open || far > MOST && distance(expected, source) > MOST / 8.0 {
                        found.left_out += 1;
                    } else {
                        found.compared += 1;
                        found.most = found.most.max(far);
                    }
                }
            }
        }
        found
    }
}

/// The largest difference, relative to the largest component.
fn distance(expected: &[f32], found: &[f32]) -> f64 {
    let size = expected.iter().fold(1e-3_f64, |size, lane| size.max(f64::from(lane.abs())));
    let differences = expected.iter().zip(found).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs() / size);
    differences.fold(0.0, |most, one| if one.is_nan() { f64::INFINITY } else { one.max(most) })
}

/// Names and texts of the compiler's shaders.
fn shaders() -> Vec<(String, String)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../compile/tests/shaders"));
    let entries = fs::read_dir(folder).expect("shaders").map(|entry| entry.expect("entry").path());
    let text = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("readable"))
    };
    let mut all: Vec<_> = entries.map(text).filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())).collect();
    all.sort();
    all
}

fn circle<'a>(gpu: &'a Gpu, name: &'a str, text: &str) -> Circle<'a> {
    let language = Language::of(Path::new(name)).expect("a language");
    let source = read(language, text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
    Circle { gpu, name, source, options: Options::of(language) }
}

#[test]
fn compiled_programs_are_their_sources_on_a_driver() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let mut all = Found::default();
    let shaders = daily::some("shaders compiled, translated and run", 4, shaders());
    for (name, text) in &shaders {
        let circle = circle(&gpu, name, text);
        let compiled = compile_with(&circle.source, &circle.options, 8)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = circle.compare(&compiled.bytes, &compiled.interface);
        assert!(found.most <= MOST, "{name}: {found:?}\n{}", compiled.text);
        assert!(found.compared > 3 * found.left_out && found.compared > BLOCKS, "{name}: {found:?}");
        println!("{name}: {found:?}");
        all.compared += found.compared;
        all.most = all.most.max(found.most);
    }
    println!("{} values of {} shaders on {}: {:.1e}", all.compared, shaders.len(), gpu.name(), all.most);
    assert!(all.compared > 200 * shaders.len(), "{all:?}");
}

/// Programs of changed sources are far from the sources.
#[test]
fn other_programs_are_far_from_the_source() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let source = |uniform: &str, attribute: &str| {
        format!(
            "@group(0) @binding(0) var<uniform> m: mat4x4f;
             @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{
                 return ({uniform}) * ({attribute});
             }}"
        )
    };
    let plain = source("m", "p");
    for (uniform, attribute, is_same) in [
        ("m", "p", true),
        ("m", "p * 1.004", false),
        ("m * 1.004", "p", false),
        ("transpose(m)", "p", false),
        ("m", "p.yxzw", false),
        ("m", "abs(p)", false),
    ] {
        let changed = circle(&gpu, "changed.wgsl", &source(uniform, attribute));
        let compiled = compile_with(&changed.source, &changed.options, 8).expect("in the subset");
        let found = circle(&gpu, "plain.wgsl", &plain).compare(&compiled.bytes, &compiled.interface);
        assert_eq!(found.most <= MOST, is_same, "{uniform} {attribute}: {found:?}");
    }
}
