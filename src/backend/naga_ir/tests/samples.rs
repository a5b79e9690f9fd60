//! The sample shaders: what their WGSL says computes what their modules do.

use naga::TypeInner;

use super::machine::{Val, run};
use super::random::{Random, bits};
use crate::backend::{naga_ir, text};
use crate::container::Shbin;
use crate::host::dvle::{self, Executable};
use crate::isa::Stage;
use crate::precision::Precision;
use crate::{Options, Profile, Translator};

/// A number of the usual size, or rarely an unusual one.
fn float(random: &mut Random) -> f32 {
    match random.below(24) {
        0 => [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 1e38, 1e-38][random.below(6)],
        _ => (random.below(4001) as f32 - 2000.0) / 256.0,
    }
}

/// A value of a type.
fn value(module: &naga::Module, ty: &TypeInner, random: &mut Random) -> Val {
    match ty {
        TypeInner::Scalar(naga::Scalar::F32) => Val::F(float(random)),
        TypeInner::Scalar(naga::Scalar::I32) => Val::I(random.below(4) as i32),
        TypeInner::Scalar(naga::Scalar::U32) => Val::U(random.next()),
        TypeInner::Vector { size, scalar } => Val::List(
            (0..*size as usize).map(|_| value(module, &TypeInner::Scalar(*scalar), random)).collect(),
        ),
        TypeInner::Array { base, size: naga::ArraySize::Constant(length), .. } => {
            let base = &module.types[*base].inner;
            Val::List((0..length.get()).map(|_| value(module, base, random)).collect())
        }
        TypeInner::Struct { members, .. } => {
            let members = members.iter().map(|member| value(module, &module.types[member.ty].inner, random));
            Val::List(members.collect())
        }
        other => panic!("{other:?}"),
    }
}

/// Runs a module and its WGSL on random inputs.
fn compare(what: &str, module: &naga::Module, wgsl: &str, random: &mut Random) {
    let parsed = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|e| panic!("{}", e.emit_to_string(wgsl)));
    naga_ir::validate(&parsed).unwrap();
    for _ in 0..4 {
        let arguments: Vec<Val> = module.entry_points[0]
            .function
            .arguments
            .iter()
            .map(|argument| value(module, &module.types[argument.ty].inner, random))
            .collect();
        let uniforms = module.global_variables.iter().next();
        let uniforms =
            uniforms.map_or(Val::U(0), |(_, block)| value(module, &module.types[block.ty].inner, random));
        let outputs = |module: &naga::Module| -> Vec<Vec<u32>> {
            run(module, arguments.clone(), &uniforms).iter().map(bits).collect()
        };
        assert_eq!(outputs(&parsed), outputs(module), "{what}\n{wgsl}");
    }
}

#[test]
fn the_wgsl_of_the_samples_computes_what_their_modules_do() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "shbin"));
    paths.sort();
    assert!(paths.len() > 10);
    let mut random = Random(7);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let file = Shbin::parse(&bytes).unwrap();
        for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
            let mut translator =
                Translator::new(Options { precision, ..Options::default() }, Profile::default());
            for index in 0.. {
                let Ok(program) = dvle::program(&file, index, &Options::default().limits) else { break };
                if program.stage() == Stage::Geometry {
                    continue;
                }
                let what = format!("{} {index} {precision:?}", path.display());
                let around = Executable::new(&file, index, "sample").unwrap();
                let translated = translator.translate(&program, &around).unwrap();
                let module = translator.naga(&translated).unwrap();
                naga_ir::validate(&module).unwrap();
                let wgsl = text::wgsl(&module, &translated.interface).unwrap();
                compare(&what, &module, &wgsl, &mut random);
            }
        }
    }
}
