//! Products of a vector and a matrix: dot products of the vector with every row of a uniform.
//! In: a legalized function and the uniform block. Out: the products, which `build/operations.rs`
//! builds as one expression, and whose uniforms `declarations.rs` declares as matrices. Knows no
//! text.
//!
//! Languages leave the order of the sums in such a product open, as the IR does for those of
//! [`Binary::Dot`], which only `fast` has.

use crate::interface::{MemberType, UniformBlock};
use crate::ir::{Binary, Def, Func, Item, Op, Resource, Value};

/// Products of one region among which the row of another dot product is looked for.
const OPEN: usize = 16;

/// A vector times a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// The member of the uniform block: an array, whose elements are the columns of the matrix.
    pub member: u16,
    pub vector: Value,
    /// The dot products by element.
    pub dots: [Option<Value>; 4],
    /// The dot product that is evaluated first.
    pub first: Value,
    /// Number of elements.
    pub lanes: u8,
}

impl Product {
    /// Returns whether there is a dot product with each element.
    fn is_complete(&self) -> bool {
        self.dots[..usize::from(self.lanes)].iter().all(Option::is_some)
    }
}

/// Finds the products of a function, ascending by [`Product::first`].
pub fn find(ir: &Func, block: &UniformBlock) -> Vec<Product> {
    let mut found: Vec<Product> = Vec::new();
    for region in ir.regions.values() {
        let start = found.len();
        for item in &region.items {
            let Item::Let(value) = *item else { continue };
            let Some((new, element)) = dot(ir, block, value) else { continue };
            let is_same = |known: &Product| known.member == new.member && known.vector == new.vector;
            let open = start.max(found.len().saturating_sub(OPEN));
            let index = found[open..].iter().position(is_same).map_or(found.len(), |index| open + index);
            if index == found.len() {
                found.push(new);
            }
            found[index].dots[usize::from(element)].get_or_insert(value);
        }
    }
    found.retain(Product::is_complete);
    found.sort_by_cached_key(|product| u64::from(product.first.0));
    found
}

/// Returns the product that a dot product is a lane of, and which lane.
fn dot(ir: &Func, block: &UniformBlock, value: Value) -> Option<(Product, u16)> {
    let def = |value: Value| ir.values.get(value).map(|data| data.def);
    let Def::Op(Op::Binary(Binary::Dot, a, b)) = def(value)? else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(row, vector)| {
        let Def::Op(Op::Read(Resource::Member { member, element })) = def(row)? else { return None };
        let MemberType::Vec4Array(count @ 2..=4) = block.members.get(usize::from(member))?.ty else {
            return None;
        };
        let product = Product { member, vector, dots: [None; 4], first: value, lanes: count as u8 };
        (element < count).then_some((product, element))
    })
}
