//! Defects of naga and rspirv with a workaround here: one minimal program for each, asserting
//! today's behavior. If a test fails, a newer version is better and the workaround can be removed.

use naga::valid::{Capabilities, ValidationFlags, Validator};

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::empty())
}

/// Parses and validates WGSL.
fn parse(source: &str) -> (naga::Module, naga::valid::ModuleInfo) {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let info = validator().validate(&module).unwrap();
    (module, info)
}

/// Parses SPIR-V with wgpu's options.
fn read(words: &[u8]) -> Result<naga::Module, naga::front::spv::Error> {
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..naga::front::spv::Options::default()
    };
    naga::front::spv::parse_u8_slice(words, &options)
}

/// Prints the module as WGSL.
fn wgsl(module: &naga::Module) -> String {
    let info = validator().validate(module).unwrap();
    naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}

/// Returns whether SPIR-V words contain an instruction with this opcode.
fn has_opcode(words: &[u32], opcode: u32) -> bool {
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        if first & 0xFFFF == opcode {
            return true;
        }
        rest = &rest[(first >> 16) as usize..];
    }
    false
}

/// See drivers.md#naga-not-equal.
#[test]
fn float_not_equal_is_ordered() {
    let (module, info) = parse(include_str!("../../cases/upstream/float_not_equal.wgsl"));
    let words =
        naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None).unwrap();
    let (ordered, unordered) = (182, 183);
    assert!(has_opcode(&words, ordered) && !has_opcode(&words, unordered));
}

/// See drivers.md#naga-switch-exits.
#[test]
fn leaving_a_loop_from_a_switch_leaves_the_switch() {
    let module = read(include_bytes!("../../cases/upstream/switch_break.spv")).unwrap();
    let text = wgsl(&module);
    let case = text.split("case 1: {").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(case.split_whitespace().next(), Some("break;"), "{text}");
    assert_eq!(text.matches("break;").count(), 1, "{text}");
}

/// See drivers.md#naga-unordered.
#[test]
fn unordered_comparisons_become_ordered() {
    let module = read(include_bytes!("../../cases/upstream/unordered_compare.spv")).unwrap();
    let text = wgsl(&module);
    assert!(text.contains(" < 1f)") && !text.contains('!'), "{text}");
}

/// See drivers.md#naga-undefined.
#[test]
fn an_undefined_value_makes_an_invalid_module() {
    let module = read(include_bytes!("../../cases/upstream/undefined_value.spv")).unwrap();
    let error = validator().validate(&module).unwrap_err();
    assert!(format!("{error:?}").contains("AlreadyInScope"), "{error:?}");
}

/// See drivers.md#naga-infinity.
#[test]
fn an_infinite_constant_is_refused() {
    let module = read(include_bytes!("../../cases/upstream/infinite_constant.spv")).unwrap();
    let error = validator().validate(&module).unwrap_err();
    assert!(format!("{error:?}").contains("Infinity"), "{error:?}");
}

/// A vertex function that returns the expression that `make` adds.
fn returning(make: impl FnOnce(&mut naga::Function, naga::Handle<naga::Type>)) -> naga::Module {
    let mut module = naga::Module::default();
    let inner = naga::TypeInner::Vector { size: naga::VectorSize::Quad, scalar: naga::Scalar::F32 };
    let ty = module.types.insert(naga::Type { name: None, inner }, naga::Span::UNDEFINED);
    let mut function = naga::Function::default();
    let binding = Some(naga::Binding::BuiltIn(naga::BuiltIn::Position { invariant: false }));
    function.result = Some(naga::FunctionResult { ty, binding });
    make(&mut function, ty);
    module.entry_points.push(naga::EntryPoint {
        name: "main".into(),
        stage: naga::ShaderStage::Vertex,
        early_depth_test: None,
        workgroup_size: [0; 3],
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    });
    module
}

/// See drivers.md#naga-nan: Tint rejects the text, as WGSL requires.
#[test]
fn a_constant_nan_passes_validator_and_parser() {
    let module = returning(|function, _| {
        let expressions = &mut function.expressions;
        let mut add = |expression| expressions.append(expression, naga::Span::UNDEFINED);
        let bits = add(naga::Expression::Literal(naga::Literal::U32(0x7FC0_0000)));
        let kind = naga::ScalarKind::Float;
        let nan = add(naga::Expression::As { expr: bits, kind, convert: None });
        let vector = add(naga::Expression::Splat { size: naga::VectorSize::Quad, value: nan });
        let range = naga::Range::new_from_bounds(nan, vector);
        function.body.push(naga::Statement::Emit(range), naga::Span::UNDEFINED);
        function.body.push(naga::Statement::Return { value: Some(vector) }, naga::Span::UNDEFINED);
    });
    let text = wgsl(&module);
    assert!(text.contains("bitcast<f32>(2143289344u)"), "{text}");
    assert!(naga::front::wgsl::parse_str(&text).is_ok());
}

/// See drivers.md#naga-digits.
#[test]
fn names_that_end_in_a_digit_get_an_underscore() {
    let (module, _) = parse(include_str!("../../cases/upstream/name_ending_in_digit.wgsl"));
    let text = wgsl(&module);
    assert!(text.contains("let r1_ = (v0_ * v0_);"), "{text}");
}

/// See drivers.md#naga-gaps.
#[test]
fn offsets_of_members_are_lost() {
    let (module, _) = parse(include_str!("../../cases/upstream/gap_in_uniforms.wgsl"));
    let (again, _) = parse(&wgsl(&module));
    let offset = |module: &naga::Module| {
        module.types.iter().find_map(|(_, ty)| match &ty.inner {
            naga::TypeInner::Struct { members, .. } => Some(members[1].offset),
            _ => None,
        })
    };
    assert_eq!((offset(&module), offset(&again)), (Some(64), Some(16)));
}

/// See drivers.md#naga-depth.
#[test]
fn deep_expressions_are_refused_by_the_parser() {
    let nested = |depth: usize| {
        format!(
            "@vertex fn main(@location(0) v: vec4<f32>) -> @builtin(position) vec4<f32> {{ return {}v{}; }}",
            "(v * ".repeat(depth),
            ")".repeat(depth)
        )
    };
    assert!(naga::front::wgsl::parse_str(&nested(100)).is_ok());
    assert!(naga::front::wgsl::parse_str(&nested(260)).is_err());
}

/// See drivers.md#rspirv-mode-ids.
#[test]
fn a_mode_with_ids_is_refused_by_the_loader() {
    let bytes = include_bytes!("../../cases/upstream/mode_with_ids.spv");
    let error = rspirv::dr::load_bytes(bytes).expect_err("newer versions may take it");
    assert!(format!("{error:?}").contains("DetachedInstruction"), "{error:?}");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    assert!(transpica_inspect::spirv::assembly(&words).unwrap().contains("OpExecutionModeId"));
}
