//! Rules of `uncalled`.

use transpica::stages::ir::text;
use transpica::stages::passes::optimize::uncalled::run;
use transpica_proof::ir::parse;

#[test]
fn uncalled_helpers_are_removed() {
    let helper = |name, op| format!("func {name}(%0: f32) {{ %1: f32 = {op} yield %1 }}\n");
    let before = helper("a", "neg %0")
        + &helper("b", "abs %0")
        + &helper("c", "call 0(%0)")
        + &helper("d", "call 2(%0)");
    let after = helper("a", "neg %0") + &helper("c", "call 0(%0)");
    let main = |call| format!("func main {{ %0: f32 = const 1 %1: f32 = call {call}(%0) yield %1 }}");
    let mut module = parse(&(before + &main(2))).unwrap();
    assert!(run(&mut module));
    assert_eq!(text::print(&module), text::print(&parse(&(after + &main(1))).unwrap()));
    assert!(!run(&mut module));
}
