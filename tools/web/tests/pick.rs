//! Pixels of pictures: the vertices of the triangle there, and the invocation that made it.

use serde_json::json;
use transpica_web::page::Engine;

use crate::engine::{good, request, samples};

#[test]
fn a_pixel_leads_to_the_vertices_of_its_triangle() {
    let mut engine = Engine::default();
    good(&engine.open("lights.shbin", include_bytes!("../../../shaders/lights.shbin")));
    engine.set_mesh("cube");
    let picked = good(&engine.pick(&request("color"), 20.0, 12.0));
    let vertices = picked["vertices"].as_array().expect("vertices");
    assert_eq!((vertices.len(), &picked["emits"]), (3, &json!([])), "{picked}");
    assert_eq!(good(&engine.pick(&request("color"), 0.5, 0.5)), json!({ "vertices": [], "emits": [] }));
    for vertex in vertices {
        let vertex = vertex.as_u64().expect("a number") as usize;
        let recorded = good(&engine.record(vertex, true));
        assert!(vertex < recorded["count"].as_u64().expect("a number") as usize);
    }
    assert!(engine.record(1 << 20, true).contains("does not exist"));
}

/// In the modes point, variable and fixed, the named EMITs made a triangle at the pixel.
#[test]
fn a_pixel_leads_to_the_invocation_of_its_triangle() {
    let mut engine = Engine::default();
    let mut modes = [0; 3];
    for (name, bytes) in samples() {
        let opened = good(&engine.open(&name, &bytes));
        let programs = opened["programs"].as_array().expect("programs");
        let Some(geometry) = programs.iter().find(|program| program["stage"] == "geometry") else { continue };
        let index = geometry["index"].as_u64().expect("a number") as usize;
        good(&engine.select(index));
        engine.set_mesh("cube");
        let found = match &name[..] {
            "fireworks.shbin" => 2,
            "subdivision.shbin" => 1,
            _point => 0,
        };
        for place in (0..40 * 24).step_by(7) {
            let pixel = [f64::from(place % 40) + 0.5, f64::from(place / 40) + 0.5];
            let picked = good(&engine.pick(&request(""), pixel[0], pixel[1]));
            let emits = picked["emits"].as_array().expect("a list");
            let Some(invocation) = picked["invocation"].as_u64().filter(|_| emits.len() == 3) else {
                continue;
            };
            let recorded = good(&engine.record(invocation as usize, true));
            let corners: Vec<[f64; 2]> = emits
                .iter()
                .map(|emit| {
                    let step = recorded["emits"][emit.as_u64().expect("a number") as usize].as_u64();
                    let state = good(&engine.step(step.expect("a step") as usize));
                    let [x, y, w] = [0, 1, 3].map(|at| state["o"][0][at].as_f64().expect("a number"));
                    [(1.0 + x / w) * 20.0, (1.0 - y / w) * 12.0]
                })
                .collect();
            let side = |a: [f64; 2], b: [f64; 2]| {
                (b[0] - a[0]) * (pixel[1] - a[1]) - (b[1] - a[1]) * (pixel[0] - a[0])
            };
            let sides = [0, 1, 2].map(|n| side(corners[n], corners[(n + 1) % 3]));
            let is_inside = |sign: f64| sides.iter().all(|side| side * sign >= -1e-3);
            assert!(is_inside(1.0) || is_inside(-1.0), "{name}: {pixel:?} in {corners:?}");
            modes[found] += 1;
        }
    }
    assert!(modes.iter().all(|&count| count > 10), "{modes:?}");
}
