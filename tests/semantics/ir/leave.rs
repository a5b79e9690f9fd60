//! Rules of `leave`.

#[test]
fn a_decision_that_skips_the_exit_counts() {
    // All ask the same, but those that continue before do not ask in this iteration.
    let module = "%0: f32x4 = input v0 %1: i32 = uniform i0.x %2: i32 = const 1
         %3: f32 = shuffle %0.x %4: f32 = shuffle %0.y %5: bool = less %3 %4
         loop (%6: i32 = %1) {
           %7: i32 = isub %6 %2
           if %5 { continue %7 }
           %8: bool = iless %7 %2
           if %8 { break %7 }
           continue %7
         } -> %9: i32
         yield %0";
    let mut module = transpica_proof::ir::parse(&format!("func main {{ {module} }}")).unwrap();
    assert!(transpica::stages::passes::drivers::leave::run(&mut module.main, &[], &mut Default::default()));
}
