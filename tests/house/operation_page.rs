//! `src/ir/README.md` contains the tables of operations and reads: this test generates the page,
//! and `UPDATE_EXPECT=1` rewrites it.

use std::fmt::Write as _;

use transpica::stages::ir::op::resource::Row;
use transpica::stages::ir::{
    Array, Binary, Buffer, Domain, Resource, ScalarKind, Shape, Signature, Type, Unary,
};

const HEAD: &str = "\
# Operations of the intermediate form

This page is made from `signature.rs` and `resource.rs`; `UPDATE_EXPECT=1 cargo test -p transpica --test house operation_page` rewrites it.

A value has a type of one to four lanes and is defined once: `%7: f32x4 = mulp %2 %3`. The grammar of the text form stands
in `text.rs`, the rules for functions in `verify.rs`. `legalize` removes the reads that the column `legal` leaves open, and
operations of the domain `pica`.

## Shape

| text | result |
|---|---|
| `const 1.0, 2.0` | a constant for each lane |
| `shuffle %0.x %1.w` | these lanes: extracts, swizzles, splats and vectors |
| `select %0 %1 %2` | each lane of `%1` where that of `%0` is true, else of `%2` |
| `call 0(%1, %2)` | the output of helper function 0 |
| `submit(%0, %1, %2, %3)` | the number of triangles after this one: `%0` were before it; then the outputs of its vertices |

## Reads

`%0` is an index that the program computes.

| text | n | types | legal |
|---|---|---|---|
";

fn check(is_legal: bool) -> &'static str {
    if is_legal { "yes" } else { "" }
}

fn domain(domain: Domain) -> String {
    format!("{domain:?}").to_lowercase()
}

/// The type of a value with as many lanes as its neighbors.
fn lanes(kind: ScalarKind, count: &str) -> String {
    format!("{}{count}", Type::new(kind, 1))
}

/// The line of a read whose rows are those of all its numbers.
fn read(page: &mut String, index: &str, rows: &[Row]) {
    let Some(first) = rows.first() else { return };
    let mut types: Vec<String> = Vec::new();
    for ty in rows.iter().flat_map(|row| row.results).map(Type::to_string) {
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    let number = first.number.map_or("", |_| "n");
    let numbers = first.number.map_or(String::new(), |_| format!("0..{}", first.count - 1));
    let text = format!("{} {}{number}{index}", first.word, first.prefix);
    // Writing to a string cannot fail.
    let _ = writeln!(page, "| `{text}` | {numbers} | {} | {} |", types.join(", "), check(!first.pica));
}

fn reads(page: &mut String) {
    for kind in Resource::EACH {
        let count = kind.row().count.min(256) as u16;
        let rows: Vec<Row> =
            (0..count).filter_map(|number| kind.numbered(number)).map(Resource::row).collect();
        let component = if let Resource::IntUniform { .. } = kind { ".x" } else { "" };
        read(page, component, &rows);
    }
    let buffers = [Buffer::Feed, Buffer::State].map(Array::Buffer);
    for array in [Array::Uniform(0), Array::Member(0)].into_iter().chain(buffers) {
        read(page, "[%0]", &[array.row()]);
    }
}

fn operations<'a>(page: &mut String, operands: usize, rows: impl Iterator<Item = &'a Signature>) {
    *page += "\n| text | operands | result | exchangeable | domain | meaning |\n|---|---|---|---|---|---|\n";
    for row in rows {
        let values = ["", " %0", " %0 %1"][operands];
        let (operand, result) = match row.shape {
            Shape::Each => (lanes(row.operand, "xN"), lanes(row.result, "xN")),
            Shape::Dot => (lanes(row.operand, "xN"), lanes(row.result, "")),
        };
        let _ = writeln!(
            page,
            "| `{}{values}` | {operand} | {result} | {} | {} | {} |",
            row.name,
            if row.commutes { "yes" } else { "" },
            domain(row.domain),
            row.meaning.trim().replace('|', "\\|"),
        );
    }
}

/// The operations as a Markdown page.
fn markdown() -> String {
    let mut page = HEAD.to_string();
    reads(&mut page);
    page += "\n## One operand\n";
    operations(&mut page, 1, Unary::ALL.iter().map(|op| op.signature()));
    page += "\n## Two operands\n";
    operations(&mut page, 2, Binary::ALL.iter().map(|op| op.signature()));
    page
}

#[test]
fn the_page_shows_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ir/README.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, markdown()).expect("the page can be written");
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(page, markdown(), "UPDATE_EXPECT=1 rewrites the page");
}
