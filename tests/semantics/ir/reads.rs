//! Places of the reads of uniforms.

use transpica::stages::ir::{Def, Item, Op, Region, Resource};
use transpica::{Limits, Options, Shbin, Tier};
use transpica_asm::{SourceText, assemble};

const SOURCE: &str = ".fvec near, far
.in inpos
.out outpos position
.proc main
    mov r0, inpos
    cmp inpos.xx, lt, lt, inpos.yz
    ifc cmp.x
        add r0, near, r0
        ifc cmp.y
            mul r0, near, r0
        .end
    .else
        mul r0, far, r0
    .end
    mov outpos, r0
    end
.end
";

/// Numbers of the reads of uniforms in the body of the main function, and in all other regions.
fn reads(limits: Limits) -> (Tier, [usize; 2]) {
    let assembled = assemble(&[SourceText { name: "source", text: SOURCE }]).expect("assembles");
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let translated = program.translate(&Options { limits, ..Options::default() }).expect("translates");
    let main = &translated.module.main;
    let mut counts = [0; 2];
    for (region, data) in (0..).map(Region).zip(main.regions.values()) {
        let is_read = |item: &&Item| match **item {
            Item::Let(value) => {
                matches!(main.values[value].def, Def::Op(Op::Read(Resource::Member { .. })))
                    && main.values[value].ty.lanes == 4
            }
            Item::Node(_) => false,
        };
        counts[usize::from(Some(region) != main.body)] += data.items.iter().filter(is_read).count();
    }
    (translated.tier, counts)
}

#[test]
fn a_uniform_is_read_once_in_front_of_the_constructs() {
    assert_eq!(reads(Limits::default()), (Tier::Structured, [2, 0]));
}

#[test]
fn a_dispatcher_reads_where_a_case_needs_the_uniform() {
    let (tier, [body, inside]) = reads(Limits { depth: 0, ..Limits::default() });
    assert_eq!((tier, body), (Tier::BlockDispatcher, 0));
    assert!(inside >= 3, "{inside}");
}
