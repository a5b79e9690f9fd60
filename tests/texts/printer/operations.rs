//! Every operation in every width.

use std::fmt::Write as _;

use super::{check, interface, main_function, translate};
use transpica::host::{EntryPoint, MemberType};
use transpica::stages::ir::op::signature::{Domain, Shape};
use transpica::stages::ir::{Binary, ScalarKind, Unary};

fn name(kind: ScalarKind, lanes: u8) -> String {
    let kind = match kind {
        ScalarKind::F32 => "f32",
        ScalarKind::I32 => "i32",
        ScalarKind::U32 => "u32",
        ScalarKind::Bool => "bool",
    };
    if lanes > 1 { format!("{kind}x{lanes}") } else { kind.to_owned() }
}

/// Two values %1 and %2 of a kind that no simplification knows, with as many lanes.
fn operands(kind: ScalarKind, lanes: u8) -> String {
    let (float, ty) = (name(ScalarKind::F32, lanes), name(kind, lanes));
    let shuffle = |value: u32| {
        let lanes: Vec<String> =
            "xyzw".chars().take(usize::from(lanes)).map(|c| format!("%{value}.{c}")).collect();
        lanes.join(" ")
    };
    let make = |value: u32, source: u32| match kind {
        ScalarKind::F32 => format!("%{value}: {ty} = shuffle {}\n", shuffle(source)),
        ScalarKind::I32 => format!(
            "%{}: {float} = shuffle {}\n%{value}: {ty} = to_int %{}\n",
            value + 4,
            shuffle(source),
            value + 4
        ),
        ScalarKind::U32 => format!(
            "%{}: {float} = shuffle {}\n%{value}: {ty} = to_bits %{}\n",
            value + 4,
            shuffle(source),
            value + 4
        ),
        ScalarKind::Bool => format!(
            "%{}: {float} = shuffle {}\n%{value}: {ty} = less %{} %{}\n",
            value + 4,
            shuffle(source),
            value + 4,
            value + 4
        ),
    };
    format!("%9: f32x4 = input v0\n%10: f32x4 = input v1\n{}{}", make(1, 9), make(2, 10))
}

/// The value %3 as the position.
fn result(kind: ScalarKind, lanes: u8) -> String {
    let bools = name(ScalarKind::Bool, lanes);
    let ty = name(kind, lanes);
    let float = name(ScalarKind::F32, lanes);
    let test = match kind {
        ScalarKind::F32 => String::new(),
        ScalarKind::I32 => format!("%11: {bools} = iequal %3 %3\n"),
        ScalarKind::U32 => format!("%11: {bools} = uequal %3 %3\n"),
        ScalarKind::Bool => format!("%11: {ty} = not %3\n"),
    };
    let ones: Vec<&str> = vec!["1"; usize::from(lanes)];
    let choose = if kind == ScalarKind::F32 {
        format!("%13: {float} = add %3 %3\n")
    } else {
        let ones = ones.join(" ");
        format!(
            "%12: {float} = const {ones}\n%14: {float} = add %12 %12\n%13: {float} = select %11 %12 %14\n"
        )
    };
    let lanes: Vec<String> = (0..4)
        .map(|lane| format!("%13.{}", ['x', 'y', 'z', 'w'][lane.min(usize::from(lanes) - 1)]))
        .collect();
    format!("{test}{choose}%15: f32x4 = shuffle {}\nyield %15\n", lanes.join(" "))
}

#[test]
fn one_operand_operations_of_every_width() {
    for &op in Unary::ALL {
        let signature = op.signature();
        for lanes in 1..=4 {
            if signature.domain != Domain::Pica {
                check(&format!(
                    "func main {{ {} %3: {} = {} %1\n{} }}",
                    operands(signature.operand, lanes),
                    name(signature.result, lanes),
                    signature.name,
                    result(signature.result, lanes)
                ));
            }
        }
    }
}

#[test]
fn two_operand_operations_of_every_width() {
    for &op in Binary::ALL {
        let signature = op.signature();
        for lanes in 1..=4 {
            let out = if signature.shape == Shape::Dot { 1 } else { lanes };
            if signature.domain != Domain::Pica && (lanes > 1 || signature.shape == Shape::Each) {
                check(&format!(
                    "func main {{ {} %3: {} = {} %1 %2\n{} }}",
                    operands(signature.operand, lanes),
                    name(signature.result, out),
                    signature.name,
                    result(signature.result, out)
                ));
            }
        }
    }
}

#[test]
fn literals_of_every_kind() {
    let wgsl = check(
        "func main {
           %0: f32x4 = const 0.5 -0 1e-40 3.4028235e38
           %1: f32x4 = const inf -inf 0x7fc00000 1
           %2: f32x4 = input v0
           %3: f32x4 = add %2 %1
           %4: f32x4 = div %3 %0
           %5: i32 = const -2147483648
           %6: f32 = shuffle %2.x
           %7: i32 = to_int %6
           %8: bool = iequal %7 %5
           %9: bool = const true
           %10: bool = or %8 %9
           %11: f32x2 = const 2 2
           %12: f32 = const 3
           %13: f32 = select %10 %6 %12
           %14: f32x4 = shuffle %11.x %11.y %13.x %0.x
           yield %4 %14 }",
    );
    assert!(wgsl.contains("var infinity_bits = 0x7f800000u;"), "{wgsl}");
    assert!(wgsl.contains("vec4f(\n        2.0,\n        2.0,\n"), "{wgsl}");
}

#[test]
fn lanes_are_written_in_the_shortest_form() {
    let wgsl = check(
        "func main {
           %0: f32x4 = input v0
           %1: f32x4 = input v1
           %2: f32 = shuffle %0.x
           %3: f32x4 = shuffle %2.x %2.x %2.x %2.x
           %4: f32x4 = mul %1 %3
           %5: f32x4 = shuffle %1.y %1.x %0.z %2.x
           %6: f32x2 = shuffle %5.x %5.y
           %7: f32x4 = shuffle %6.x %6.y %6.y %6.x
           %8: f32x4 = add %7 %4
           %9: f32x4 = shuffle %8.x %8.y %8.z %8.w
           yield %9 %5 }",
    );
    assert!(wgsl.contains("color * position.x"), "{wgsl}");
    assert!(wgsl.contains("vec4f(color.yx, position.zx)"), "{wgsl}");
    assert!(wgsl.contains("out_varying_1.xyyx + "), "{wgsl}");
}

#[test]
fn uniforms_are_read_where_they_are_used() {
    let wgsl = check(
        "func main {
           %0: f32x4 = member 0[1]
           %1: f32x4 = member 0[3]
           %2: f32x4 = member 1[7]
           %3: f32x4 = member 2
           %4: i32x4 = member 3
           %5: u32 = member 4
           %6: i32 = shuffle %4.x
           %7: f32x4 = member 1[%6]
           %8: f32x4 = add %0 %1
           %9: f32x4 = add %2 %3
           %10: f32x4 = add %7 %8
           %11: f32x4 = add %9 %10
           %12: u32 = const 4
           %13: u32 = bit_and %5 %12
           %14: bool = uequal %13 %12
           if %14 { %15: f32x4 = member 1[7] yield %15 } else { %16: f32x4 = member 2 yield %16 } -> %17: f32x4
           %18: f32x4 = add %17 %11
           yield %18 }",
    );
    for (text, times) in [
        ("uniforms.projection[1] + uniforms.projection[3]", 1),
        ("uniforms.bones[7]", 2),
        ("uniforms.bones[uniforms.counts.x]", 1),
        ("uniforms.light", 2),
    ] {
        assert_eq!(wgsl.matches(text).count(), times, "{text}\n{wgsl}");
    }
}

/// Returns the WGSL of dot products of the position with rows of a member of this length.
fn dots(length: u16, rows: &[u16]) -> String {
    let (mut source, mut results) = (String::from("func main { %0: f32x4 = input v0"), String::new());
    for (number, row) in (1..).step_by(2).zip(rows) {
        let dot = number + 1;
        write!(source, " %{number}: f32x4 = member 0[{row}] %{dot}: f32 = dot %0 %{number}").expect("fits");
        write!(results, " %{dot}").expect("fits");
    }
    let module = transpica_proof::ir::parse(&format!("{source} yield{results} }}")).expect("reads");
    let mut interface = interface(&module);
    interface.block.members[0].ty = MemberType::Vec4Array(length);
    interface.block.members.retain(|member| member.name == "projection");
    interface.block.size = 16 * u32::from(length);
    translate(&module, &interface, EntryPoint::Vertex)
}

#[test]
fn dot_products_with_every_row_are_one_product() {
    for (length, rows) in [(2, &[0, 1][..]), (3, &[0, 1, 2]), (4, &[0, 1, 2, 3]), (4, &[3, 1, 0, 2])] {
        let wgsl = dots(length, rows);
        assert!(wgsl.contains(&format!("projection: mat{length}x4f,")), "{wgsl}");
        assert_eq!(wgsl.matches("position * uniforms.projection;").count(), 1, "{wgsl}");
        assert!(!wgsl.contains("dot("), "{wgsl}");
    }
    for (length, rows) in [(1, &[0][..]), (4, &[0, 1, 2]), (5, &[0, 1, 2, 3, 4])] {
        let wgsl = dots(length, rows);
        assert!(wgsl.contains(&format!("projection: array<vec4f, {length}>,")), "{wgsl}");
        assert_eq!(wgsl.matches("dot(").count(), rows.len(), "{wgsl}");
    }
}

#[test]
fn matrices_are_indexed_too_and_products_stay_in_their_region() {
    let wgsl = main_function(
        "func main {
           %0: f32x4 = input v0
           %1: f32x4 = input v1
           %2: f32x4 = member 0
           %3: f32x4 = member 0[1]
           %4: f32x4 = member 0[2]
           %5: f32x4 = member 0[3]
           %6: f32 = dot %2 %0
           %7: f32 = dot %2 %1
           %8: f32 = dot %1 %3
           %9: f32 = dot %3 %0
           %10: f32 = dot %4 %0
           %11: f32 = dot %5 %0
           %12: f32 = dot %4 %1
           %13: i32x4 = member 3
           %14: i32 = shuffle %13.x
           %15: f32x4 = member 0[%14]
           %16: bool = less %6 %7
           if %16 { %17: f32 = dot %5 %1 yield %17 } else { yield %8 } -> %18: f32
           %19: f32x4 = shuffle %11.x %6.x %9.x %10.x
           %20: f32x4 = shuffle %18.x %8.x %12.x %7.x
           %21: f32x4 = mul %19 %15
           %22: f32x4 = mul %21 %3
           %23: f32x4 = add %22 %20
           yield %23 }",
    );
    for (text, times) in [
        ("position * uniforms.projection;", 1),
        ("dot(", 4),
        ("uniforms.projection[uniforms.counts.x]", 1),
        ("uniforms.projection[1]", 2),
    ] {
        assert_eq!(wgsl.matches(text).count(), times, "{text}\n{wgsl}");
    }
}
