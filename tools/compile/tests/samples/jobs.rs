//! Jobs of samples with the values that their names do not suggest.

/// A shader for the job of the sample with the same name.
pub struct Job {
    /// Its file.
    pub file: &'static str,
    /// Attributes of bytes.
    pub scaled: &'static [&'static str],
    /// Most words, in those of the sample.
    pub ratio: f64,
    /// Most vertices that differ, of 4,000: steps, where a comparison has another result.
    pub others: usize,
    /// Most pixels that differ by more than a level.
    pub pixels: usize,
    /// Ranges of uniforms and attributes of the sample.
    pub ranges: &'static [(&'static str, [f32; 4], [f32; 4])],
    /// Attributes that are whole numbers, with their lanes.
    pub whole: &'static [(&'static str, usize)],
}

/// Words that are allowed, in those of a sample.
const RATIO: f64 = 1.3;

const PLAIN: Job = Job { file: "", scaled: &[], ratio: RATIO, others: 0, pixels: 0, ranges: &[], whole: &[] };

/// All jobs.
pub const JOBS: &[Job] = &[
    Job {
        file: "textured.vert",
        scaled: &["incol"],
        ranges: &[("incol", [0.0; 4], [255.0; 4])],
        whole: &[("incol", 0), ("incol", 1), ("incol", 2), ("incol", 3)],
        ..PLAIN
    },
    Job {
        file: "lights.wgsl",
        ranges: &[("ambient", [0.0; 4], [0.2; 4]), ("lightColor", [0.0; 4], [0.4; 4])],
        ..PLAIN
    },
    Job { file: "fog.wgsl", ranges: &[("layers", [0.0; 4], [1.5, 2.0, 0.0, 0.0])], ..PLAIN },
    Job { file: "skinning.wgsl", ..PLAIN },
    Job {
        file: "toon.wgsl",
        ranges: &[
            ("inuv", [0.0; 4], [1.0, 1.0, 20.0, 1.0]),
            ("bandEdge", [0.1, 0.3, 0.6, 0.1], [0.3, 0.6, 0.9, 0.3]),
            ("gloss", [4.0, 0.0, 0.0, 1.0], [32.0, 1.0, 1.0, 16.0]),
            ("rim", [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 4.0]),
            ("outlineFar", [0.0, 0.0, 0.1, 0.5], [1.0, 0.5, 0.2, 1.0]),
            ("nearFade", [0.0, 1.0, 0.0, 0.5], [0.5, 2.0, 0.5, 1.0]),
            ("lightDir", [-1.0, -1.0, -1.0, 0.0], [1.0; 4]),
        ],
        whole: &[("inuv", 2)],
        ..PLAIN
    },
    Job {
        file: "billboard.wgsl",
        ranges: &[
            ("corner", [-1.0, -1.0, 0.5, -1.0], [1.0, 1.0, 2.0, 1.0]),
            ("kind", [0.0; 4], [16.0, 9.0, 0.0, 0.0]),
            ("clock", [0.0, 16.0, 0.0625, 0.0], [100.0, 16.0, 0.0625, 0.0]),
        ],
        whole: &[("kind", 0), ("kind", 1)],
        ..PLAIN
    },
    Job { file: "outline.wgsl", ranges: &[("screen", [0.002; 4], [0.01; 4])], ..PLAIN },
    Job {
        file: "morph.vert",
        ranges: &[
            ("weights", [-0.5; 4], [1.5; 4]),
            ("lightDir", [-1.0, -1.0, -1.0, 0.0], [1.0, 1.0, 1.0, 0.5]),
        ],
        ..PLAIN
    },
    Job {
        file: "particles.wgsl",
        ranges: &[
            ("time", [1.0, 0.05, 20.0, 4.0], [5.0, 0.05, 20.0, 4.0]),
            ("gravity", [-0.5, -2.0, -0.5, 0.0], [0.5, 0.0, 0.5, 0.2]),
            ("walls", [-1.0, -1.0, -1.0, 0.0], [1.0; 4]),
            ("inpos", [-1.0, 0.0, -1.0, 0.0], [1.0; 4]),
            ("invel", [-1.0; 4], [1.0; 4]),
        ],
        ..PLAIN
    },
    Job {
        file: "terrain.wgsl",
        ranges: &[
            ("incell", [0.0; 4], [8.0, 8.0, 2.0, 2.0]),
            ("innrm", [-0.6, -0.6, 0.0, 0.0], [0.6, 0.6, 0.0, 23.9]),
            ("bandSlope", [0.5; 4], [4.0; 4]),
            ("sun", [-1.0, 0.0, -1.0, 0.0], [1.0, 1.0, 1.0, 0.5]),
        ],
        ..PLAIN
    },
    Job {
        file: "water.wgsl",
        // The sample's cosines are up to 7.6e-5 off.
        pixels: 30,
        ranges: &[
            ("inside", [0.0, 0.5, 0.0, 0.0], [2.0, 3.0, 1.0, 0.0]),
            ("wavePhase", [-1.0; 4], [1.0; 4]),
            ("waveMove", [-0.05; 4], [0.05; 4]),
            ("waveSlope", [-0.1; 4], [0.1; 4]),
            ("eyePos", [-2.0, 2.0, -2.0, 1.0], [2.0, 4.0, 2.0, 1.0]),
            ("sunDir", [-0.6, 0.1, -0.6, 0.0], [0.6, 0.5, 0.6, 1.0]),
            ("shallow", [0.0; 4], [1.0; 4]),
            ("refraction", [0.0; 4], [0.5; 4]),
            ("foam", [0.0, -0.2, 0.0, 0.5], [1.0, 0.2, 1.0, 1.0]),
        ],
        ..PLAIN
    },
    Job { file: "mirror.wgsl", ..PLAIN },
    Job { file: "projector.wgsl", ranges: &[("shadowMatrix", [-1.0; 4], [1.0; 4])], ..PLAIN },
    Job { file: "quaternion.wgsl", ..PLAIN },
    Job {
        file: "lamps.vert",
        ranges: &[
            ("lampPos", [-2.0; 4], [2.0; 4]),
            ("lampColor", [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 32.0]),
            ("ambient", [0.0; 4], [0.2; 4]),
            ("attenuation", [0.5, 0.0, 0.0, 0.0], [1.0; 4]),
        ],
        ..PLAIN
    },
    Job { file: "vegetation.wgsl", ranges: &[("gusts", [-1.0, -1.0, -1.0, 0.1], [1.0; 4])], ..PLAIN },
];
