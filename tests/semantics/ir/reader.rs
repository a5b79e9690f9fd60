use transpica::stages::ir::text::{print, print_renumbered};
use transpica::stages::ir::{Def, Item, Op, Value};
use transpica_proof::ir::parse;

/// Printing what was parsed gives the text back.
fn check(text: &str) {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&module), text);
}

#[test]
fn every_operation_survives() {
    check(
        "func helper(%0: f32x4, %1 @r3.xz: f32x2) {
  %2: f32 = shuffle %0.w
  yield %2
}
func main {
  %0: f32x4 = input v15
  %1: f32x4 = uniform c95
  %2: i32 = uniform i3.w
  %3: f32x4 = uniform c7[%2]
  %4: bool = uniform b15
  %5: f32x4 = member 3
  %6: i32x4 = member 2[7]
  %7: f32x4 = member 1[%2]
  %8 @r0.xy: f32x2 = shuffle %0.y %1.w
  %9: f32 = call 0(%0, %8)
  %10: f32 = rcpp %9
  %11: f32 = mulp %9 %10
  %12: f32 = select %4 %11 %9
  %13 @left2: i32 = isub %2 %2
  %14 @none.w: f32 = sqrt %12
  %15 @a0.x: i32 = addressp %14
  %16 @cmp.y: bool = less %12 %14
  %17: u32 = host 1
  %18: f32x4 = host 2
  %19: i32 = draw 7
  %20: bool = specialized 3
  %21: i32 = specialized 31
  %22: f32x4 = load feed[%2]
  %23 @count: u32 = load state[%2]
  %24 @invocation: i32 = submit(%2, %0, %1, %3)
  yield %12
}
",
    );
}

#[test]
fn every_construct_survives() {
    check(
        "func \"ma\\\"in\\u{1}\" {
  %0: i32 = const 1
  %1: bool = const true
  loop (%2 @al: i32 = %0, %3: i32 = %0) {
    if %1 {
      break %2, %3
    }
    if %1 {
      continue %3, %2
    } else {
      %4: i32 = iadd %2 %3
      yield %4
    } -> %5: i32
    switch %5 {
      case -1, 4 {
        break %0
      }
      case 7 {
        yield %5
      }
      default {
        continue %5, %5
      }
    } -> %6: i32
    block {
      loop {
        continue
      }
      unreachable
    }
    unreachable
  } -> %7: i32, %8: i32
  yield %7, %8
}
",
    );
}

#[test]
fn every_float_survives() {
    check(
        "func main {
  %0: f32x4 = const -0.0, inf, -inf, 0x7fc00001
  %1: f32x4 = const 1e-45, 3.4028235e38, 0.1, -1.1754944e-38
  %2: u32x2 = const 0x0, 0xffffffff
  %3: i32 = const -2147483648
  %4: boolx2 = const false, true
}
",
    );
}

#[test]
fn results_end_where_the_next_item_begins() {
    check(
        "func main {\n  block {\n    yield %9\n  } -> %0: f32, %1 @r0.x: f32\n  %2 @r1.y: f32 = neg %0\n}\n",
    );
}

#[test]
fn renumbering_follows_the_definitions() {
    let module = parse("func main { %7: f32x4 = input v0 %3: f32x4 = neg %7 yield %3 }").unwrap();
    let expected = "func main {\n  %0: f32x4 = input v0\n  %1: f32x4 = neg %0\n  yield %1\n}\n";
    assert_eq!(print_renumbered(&module), expected);
}

#[test]
fn errors_name_their_place() {
    for (text, line, column) in [
        ("", 1, 1),
        ("func main {", 1, 12),
        ("func main {\n  %0: f32x5 = input v0\n}", 2, 7),
        ("func main {\n  ; comment }\n  %0: f32 = bogus %1\n}", 3, 13),
        ("func main { %0: f32 = const 1 %0: f32 = const 1 }", 1, 31),
        ("func main { %1048576: f32 = const 1 }", 1, 13),
        ("func main { %99999999999: f32 = const 1 }", 1, 13),
        ("func main { yield yield }", 1, 19),
        ("func \"ma", 1, 6),
        ("func main { %0: bool = const 2 }", 1, 30),
        ("func main { switch %0 { } }", 1, 25),
        ("func main { %0: f32 = shuffle %1.q }", 1, 34),
        ("func main { %0: i32 = draw 8 }", 1, 28),
        ("func main { %0: u32 = host 19 }", 1, 28),
        ("func main { %0: f32x4 = load input[%1] }", 1, 30),
        ("func main { %0: f32x4 = input v0[%1] }", 1, 33),
    ] {
        assert_eq!(parse(text).unwrap_err().place, (line, column), "{text}");
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    let nested =
        |depth| parse(&("func main {".to_owned() + &"block {".repeat(depth) + &"}".repeat(depth + 1)));
    assert_eq!(nested(100_000).unwrap().main.nodes.len(), 100_000);
    // Indentation makes the text grow with the square of the depth.
    assert_eq!(print(&nested(2_000).unwrap()).matches('{').count(), 2_001);
}

#[test]
fn every_escape_in_a_name_survives() {
    check("func \"line\\n tab\\t return\\r nothing\\0 back\\\\ quote\\\" bell\\u{7}\" {\n}\n");
    for unknown in ["\\q", "\\u7", "\\u{110000}", "\\u{g}", "\\"] {
        let text = format!("func \"{unknown}\" {{ }}");
        assert_eq!(parse(&text).unwrap_err().place, (1, 6), "{text}");
    }
}

#[test]
fn errors_name_the_unexpected_token() {
    for (text, expected) in [
        ("bogus", "`func` expected, found `bogus`"),
        ("func \"a\" \"b\"", "`{` expected, found \"b\""),
        ("func main { block { } -> -> }", "an item, an exit or `}` expected, found `->`"),
        ("func main %4", "`{` expected, found `%4`"),
        ("func main", "`{` expected, found the end"),
    ] {
        let found = parse(text).unwrap_err().to_string();
        assert!(found.ends_with(expected), "{text}: {found}");
    }
}

#[test]
fn a_damaged_function_can_still_be_printed() {
    let mut module = parse("func main { %0: f32 = const 1 %1: bool = const true }").unwrap();
    module.main.values[Value(0)].def = Def::Dead;
    module.main.values[Value(1)].def = Def::Op(Op::Const([2, 0, 0, 0]));
    let body = module.main.body.unwrap();
    module.main.regions[body].items.push(Item::Let(Value(9)));
    let text = module.to_string();
    assert_eq!(text, "func main {\n  %0: f32 = Dead\n  %1: bool = const 0x2\n  %9 = ?\n}\n");
    assert_eq!(module.main.to_string(), text);
}
