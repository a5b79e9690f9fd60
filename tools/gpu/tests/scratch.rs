#[path = "support/opengl.rs"]
mod opengl;
use opengl::{Api, Draw, OpenGl};
#[test]
fn scratch() {
    let driver = OpenGl::open(Api::Core).unwrap();
    let fragment = "#version 430 core\nlayout(location = 0) out vec4 p;\nvoid main() { p = vec4(0.0); }\n";
    let head = "#version 430 core\nlayout(binding = 0, std140) uniform U { vec4 c; };\nlayout(location = 0) in vec4 a;\n";
    for (name, decl, body) in [
        ("plain", "out vec4 o;", "float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("precise r", "out vec4 o;", "precise float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("precise bool", "out vec4 o;", "precise bool t = c.w > a.y; float r = t ? c.w : a.y; o = vec4(r);"),
        ("precise both", "out vec4 o;", "precise bool t = c.w > a.y; precise float r = t ? c.w : a.y; o = vec4(r);"),
        ("precise out", "precise out vec4 o;", "float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("precise out and r", "precise out vec4 o;", "precise float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("invariant out", "invariant out vec4 o;", "float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("invariant out precise r", "invariant out vec4 o;", "precise float r = c.w > a.y ? c.w : a.y; o = vec4(r);"),
        ("precise if", "out vec4 o;", "precise bool t = c.w > a.y; precise float r; if (t) { r = c.w; } else { r = a.y; } o = vec4(r);"),
        ("mix scalar", "out vec4 o;", "precise float r = mix(a.y, c.w, c.w > a.y); o = vec4(r);"),
        ("mix scalar inv", "invariant out vec4 o;", "float r = mix(a.y, c.w, c.w > a.y); o = vec4(r);"),
        ("mix inv", "invariant out vec4 o;", "vec4 r = mix(a.yyyy, c.wwww, greaterThan(c.wwww, a.yyyy)); o = r;"),
        ("bool inv", "invariant out vec4 o;", "bool t = c.w > a.y; float r = t ? c.w : a.y; o = vec4(r);"),
        ("if inv", "invariant out vec4 o;", "bool t = c.w > a.y; float r; if (t) { r = c.w; } else { r = a.y; } o = vec4(r);"),
        ("mul", "out vec4 o;", "precise float r = (a.y == 0.0 ? 0.0 : c.w) * (c.w == 0.0 ? 0.0 : a.y); o = vec4(r);"),
        ("not", "out vec4 o;", "precise bool t = c.w > a.y; precise vec4 r; if (!t) { r = vec4(5.0); } else { r = vec4(6.0); } o = r;"),
        ("not plain", "out vec4 o;", "precise vec4 r; if (!(c.w > a.y)) { r = vec4(5.0); } else { r = vec4(6.0); } o = r;"),
        ("mix", "out vec4 o;", "precise vec4 r = mix(a.yyyy, c.wwww, greaterThan(c.wwww, a.yyyy)); o = r;"),
    ] {
        let vertex = format!("{head}{decl}\nvoid main() {{ {body} gl_Position = vec4(0.0); }}\n");
        let stages = driver.together([&vertex, fragment], &["o"]).unwrap();
        let mut v = [[0u32; 4]; 16];
        v[0] = [f32::NAN.to_bits(); 4];
        let block: Vec<u8> = [1.0f32; 4].iter().flat_map(|f| f.to_ne_bytes()).collect();
        let draw = Draw { vertices: &[v], attributes: &[0], blocks: &[("U", &block)], binds_by_name: false };
        let found = driver.capture(stages, &draw, 4).unwrap();
        println!("{name}: {:?}", found[0].iter().map(|b| f32::from_bits(*b)).collect::<Vec<_>>());
    }
}
