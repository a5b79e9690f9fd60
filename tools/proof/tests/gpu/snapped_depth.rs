//! Triangles a hair outside the clip volume in z: with `Outputs::snap_depth` they cover the
//! picture; without it they are clipped. The positions are from shipped games.

use transpica::host::HostValues;
use transpica::isa::builder::Builder;
use transpica::isa::{DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Source};
use transpica::settings::{ClipPlanes, DepthSnap, Outputs};
use transpica::{Job, Limits, Options, Profile, Program, Stage, Translator};
use transpica_gpu::Shader;
use transpica_proof::spirv_tools;
use transpica_proof::unnamed::BARE;

use crate::native::{Native, Picture, SIZE};

const FRAGMENT: &str = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";

/// o0 = v0, the position.
fn copy() -> Program<'static> {
    let mut builder = Builder::new();
    let position = Operand::new(Source::Input(0));
    builder.push(Inst::data(DataOp::Mov, Dest::Output(0), Mask::XYZW, &[position]));
    builder.push(Inst::Flow(Flow::End));
    let (code, descriptors) = builder.finish().expect("builds");
    Program::new(code, descriptors, Pc(0), Stage::Vertex, &Limits::default()).expect("a program")
}

/// Two triangles that cover the picture at a depth z/w.
fn screen(z: f32, w: f32) -> Vec<[[f32; 4]; 16]> {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    let vertex = |[x, y]: [f32; 2]| {
        let mut registers = [[0.0; 4]; 16];
        registers[0] = [x * w, y * w, z * w, w];
        registers
    };
    corners.map(vertex).to_vec()
}

/// The number of pixels that the triangles cover.
fn pixels(device: &Native, options: Options, vertices: &[[[f32; 4]; 16]]) -> usize {
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&copy(), &*BARE, Job::Vertex).expect("translates");
    let words = translator.spirv(&translated).expect("SPIR-V");
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}"));
    let Ok(Shader::Passthrough(fragment)) = Shader::spirv_of_wgsl(FRAGMENT) else {
        panic!("the fragment stage is SPIR-V")
    };
    let host = HostValues { clip_enabled: true, clip_plane: [0.0, 0.0, -1.0, 0.0], ..HostValues::default() };
    let picture = Picture {
        vertex: &words,
        geometry: None,
        fragment: &fragment,
        vertices,
        attributes: &[0],
        blocks: [&[], &host.pack()],
    };
    let drawn = device.picture(&picture).unwrap_or_else(|error| panic!("{error}"));
    drawn.iter().filter(|pixel| pixel[0] == 1.0).count()
}

#[test]
fn triangles_a_hair_outside_of_the_clip_volume_cover_the_screen() {
    needs!("vulkan");
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    let all = (SIZE * SIZE) as usize;
    assert_eq!(all, 16_384);
    for clip_planes in [ClipPlanes::None, ClipPlanes::BuiltIn] {
        let count = |snap_depth, z, w| {
            let outputs = Outputs { clip_planes, snap_depth, ..Outputs::default() };
            pixels(&device, Options { outputs, ..Options::default() }, &screen(z, w))
        };
        for w in [1.0, 37.5] {
            // Full-screen triangles of three games.
            for z in [5e-8, 9e-7, -1.000_002_1] {
                let [with, without] = [DepthSnap::AZAHAR, DepthSnap::OFF].map(|snap| count(snap, z, w));
                assert_eq!([with, without], [all, 0], "{clip_planes:?}: z/w = {z}, w = {w}");
            }
            for z in [2e-6, -1.000_02] {
                let [with, without] = [DepthSnap::AZAHAR, DepthSnap::OFF].map(|snap| count(snap, z, w));
                assert_eq!([with, without], [0, 0], "{clip_planes:?}: z/w = {z}, w = {w}");
            }
            assert_eq!(count(DepthSnap::AZAHAR, -0.5, w), all);
        }
    }
}
