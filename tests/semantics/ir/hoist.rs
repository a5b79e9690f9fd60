//! Rules of `hoist`.

use transpica::stages::ir::text;
use transpica::stages::passes::Tables;
use transpica::stages::passes::optimize::hoist::run;
use transpica_prove::ir::parse;

/// Runs the pass on the body of a function; returns whether it says that it changed anything.
fn hoist(body: &str) -> (bool, String) {
    let mut module = parse(&format!("func main {{ {body} }}")).unwrap();
    let changed = run(&mut module.main, &mut Tables::default());
    assert!(!run(&mut module.main, &mut Tables::default()), "nothing is left to do");
    (changed, text::print(&module))
}

fn printed(body: &str) -> String {
    text::print(&parse(&format!("func main {{ {body} }}")).unwrap())
}

#[test]
fn reads_move_in_front_of_the_outermost_construct() {
    let (changed, after) = hoist(
        "%0: bool = const true
        %1: f32x4 = member 0[1]
        if %0 {
            %2: f32x4 = member 0[2]
            %3: f32x4 = add %1 %2
            if %0 { %4: f32x4 = member 0[3] yield %4 } else { yield %3 } -> %6: f32x4
            yield %6
        } else { %7: f32x4 = member 0[4] yield %7 } -> %8: f32x4
        %9: f32x4 = member 0[5]
        %10: f32x4 = add %8 %9
        yield %10",
    );
    assert!(changed);
    let expected = "%0: bool = const true
        %1: f32x4 = member 0[1]
        %2: f32x4 = member 0[2]
        %4: f32x4 = member 0[3]
        %7: f32x4 = member 0[4]
        if %0 {
            %3: f32x4 = add %1 %2
            if %0 { yield %4 } else { yield %3 } -> %6: f32x4
            yield %6
        } else { yield %7 } -> %8: f32x4
        %9: f32x4 = member 0[5]
        %10: f32x4 = add %8 %9
        yield %10";
    assert_eq!(after, printed(expected));
}

#[test]
fn bools_and_what_a_switch_reads_stay() {
    for body in [
        "%0: bool = const true
        %1: u32 = const 0
        if %0 { %2: u32 = member 1[0] yield %2 } else { yield %1 } -> %5: u32
        yield %5",
        "%0: i32 = const 0
        switch %0 {
            case 1 { %1: f32x4 = member 0[2] yield %1 }
            default { %2: f32x4 = member 0[3] yield %2 }
        } -> %3: f32x4
        yield %3",
    ] {
        assert_eq!(hoist(body), (false, printed(body)), "{body}");
    }
}
