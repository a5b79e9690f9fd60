//! A host that sets the uniforms of its shader by name. Arrays stand for the system library's
//! registers.

mod lit {
    #![allow(dead_code)]
    include!(concat!(env!("OUT_DIR"), "/lit.rs"));
}

const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn main() {
    let mut floats = [[0.0f32; 4]; 96];
    let mut bools = [false; 16];
    lit::set_projection(|register, value| floats[usize::from(register)] = value, &IDENTITY);
    lit::set_light(|register, value| floats[usize::from(register)] = value, [0.0, 0.0, 1.0, 0.0]);
    lit::set_is_lit(|register, value| bools[usize::from(register)] = value, true);
    assert_eq!(floats[usize::from(lit::PROJECTION)..][..4], IDENTITY);
    assert!(bools[usize::from(lit::IS_LIT)]);
    println!("projection c{}, light c{}, is_lit b{}", lit::PROJECTION, lit::LIGHT, lit::IS_LIT);
    println!("{} bytes of shader, {} of a vertex", lit::SHBIN.len(), size_of::<lit::Vertex>());
}
