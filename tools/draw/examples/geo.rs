use std::time::Instant;
use transpica::{Options, Profile, Shbin, Stage};
use transpica_asm::{SourceText, assemble};
use transpica_draw::batch::*;
use transpica_draw::cpu::Pipeline;

fn voxel() -> String {
    let mut text = String::from(
        ".gsh point c0\n.fvec projection[4]\n.fvec light\n.entry gmain\n.out outpos position\n.out outcol color\n.out outuv texcoord0.xy\n.constf corner(-1.0, 1.0, 0.0, 1.0)\n.proc gmain\n",
    );
    // eight vertices of two vectors
    let faces = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 3, 1]];
    for face in faces {
        for (n, corner) in face.into_iter().enumerate() {
            let (slot, rest) = [("0", ""), ("1", ""), ("2", ", prim"), ("0", ", prim inv")][n];
            text += &format!(
                "setemit {slot}{rest}\nmov outpos, v{}\nmul outcol, light, v{}\nmov outuv.xy, corner.{}\nemit\n",
                2 * corner,
                2 * corner + 1,
                ["xx", "yx", "xy", "yy"][n]
            );
        }
    }
    text + "end\n.end\n"
}
const VERTEX: &str = ".fvec projection[4]\n.entry vmain\n.in inpos v0\n.in incol v1\n.out outpos position\n.out outcol color\n.proc vmain\ndp4 outpos.x, projection[0], inpos\ndp4 outpos.y, projection[1], inpos\ndp4 outpos.z, projection[2], inpos\ndp4 outpos.w, projection[3], inpos\nmov outcol, incol\nend\n.end\n";

fn main() {
    let voxel = voxel();
    let sources = [SourceText { name: "v", text: VERTEX }, SourceText { name: "g", text: &voxel }];
    let voxels = assemble(&sources).unwrap_or_else(|r| panic!("{r}")).bytes;
    let points = std::fs::read("shaders/points.shbin").unwrap();
    let work = std::env::args().nth(1).map(|a| a.parse::<usize>().unwrap());
    for (name, bytes, count) in [("voxel", &voxels, 20_000u32), ("points", &points, 15_000)] {
        let file = Shbin::parse(bytes).unwrap();
        let options = Options::default();
        let mut setup = transpica::Setup::from_file(&file, 0, Some(1), None).unwrap();
        if name == "voxel" {
            setup.geometry.as_mut().unwrap().input = transpica_draw::cpu::GeometryInput::Point {
                inputs: 8,
                registers: std::array::from_fn(|n| n as u8),
            };
        }
        let program = |n| transpica::host::dvle::program(&file, n, &options.limits).unwrap();
        let mut pipeline = Pipeline::new(&program(0), Some(&program(1)), setup, &options).unwrap();
        let _ = (Profile::default(), Stage::Vertex, 0);
        for stage in [Stage::Vertex, Stage::Geometry] {
            let mut uniforms = pipeline.uniforms(stage);
            for row in 0..4 {
                uniforms.floats[row][row] = 1.0;
            }
            if stage == Stage::Geometry {
                uniforms.floats[0] = [0.5; 4];
                uniforms.floats[4] = [0.5; 4];
            }
            pipeline.set_uniforms(stage, &uniforms);
        }
        let bytes: Vec<u8> = (0..count * 7).flat_map(|n| ((n % 97) as f32 * 0.01).to_le_bytes()).collect();
        let array = |offset, components| {
            VertexAttribute::Array(Array {
                bytes: &bytes,
                offset,
                stride: 28,
                number: Number::F32,
                components,
            })
        };
        let attributes = [array(0, 3), array(12, 4)];
        let vertices = Vertices::new(&attributes, Order::Range { first: 0, count });
        let mut records = Records::from_map(&pipeline.setup().map, &options);
        // A host's vertex of 96 bytes.
        for (n, f) in records.fields.iter_mut().enumerate() {
            f.offset = 4 * n;
        }
        records.stride = 24;
        let mut to = vec![0.0f32; 24 * 130_000];
        let (mut best, mut old) = (f64::MAX, f64::MAX);
        let mut all = Vec::new();
        for _ in 0..work.unwrap_or(60) {
            let start = Instant::now();
            let (n, rest) = pipeline.draw_records(&vertices, &records, &mut to).unwrap();
            let t = start.elapsed().as_secs_f64() * 1e3;
            all.push(t);
            best = best.min(t);
            assert!(rest.triangles().len() == 0, "{name} {n} {}", rest.triangles().len());
            if work.is_some() {
                println!("{}", 3 * n);
                continue;
            }
            let start = Instant::now();
            let rest = pipeline.draw_buffers(&vertices).unwrap();
            rest.write(&records, &mut to).unwrap();
            old = old.min(start.elapsed().as_secs_f64() * 1e3);
            assert_eq!(rest.triangles().len(), n);
        }
        all.sort_by(f64::total_cmp);
        let sum = to.iter().fold(0u64, |s, f| s.wrapping_mul(31).wrapping_add(u64::from(f.to_bits())));
        println!(
            "{name}: one pass {best:.2} (median {:.2}) ms, two {old:.2}, sum {sum:x}",
            all[all.len() / 2]
        );
    }
}
