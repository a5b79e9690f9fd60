// Lays out the inputs of each invocation of a geometry program: `window` vectors, from the outputs of vertices.
// One thread for each vector. One more record than there are invocations, where there are `records` of them, is the
// input of an invocation after the last one: the register file after the draw.

struct Parameters {
    // 0 point, 1 variable, 2 fixed.
    mode: u32,
    records: u32,
    // Vectors of a record.
    window: u32,
    // Outputs of a vertex that are passed on, and which registers they are: four bits each.
    outputs: u32,
    registers_low: u32,
    registers_high: u32,
    // The float uniform that the first vector of a record is.
    first: u32,
    // Vertices of a primitive that come with all outputs.
    vertices: u32,
    // Uniforms from one vertex to the next.
    stride: u32,
    // Vertices of the draw.
    total: u32,
    // Whether the index buffer says which vertices they are.
    indexed: u32,
    reserved: u32,
}

// Of variable mode: a primitive. After the last one comes one that is empty.
struct Primitive {
    // Where its first index is.
    first: u32,
    size: u32,
    // Vectors that it fills, c0 among them.
    vectors: u32,
    // The nearest one before it that fills more, or itself if none does.
    larger: u32,
}

// Bits, not numbers: copies must not touch them. o0 to o15 of each vertex.
@group(0) @binding(0) var<storage, read> vertices: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> feed: array<vec4u>;
@group(0) @binding(2) var<uniform> parameters: Parameters;
@group(0) @binding(3) var<storage, read> indices: array<u32>;
@group(0) @binding(4) var<storage, read> primitives: array<Primitive>;
// c0 to c95 before the draw, as registers of the precision hold them.
@group(0) @binding(5) var<storage, read> file: array<vec4u>;

// An output of the vertex at a place of the index buffer, or of the draw if it has none.
fn output_of(place: u32, output: u32) -> vec4u {
    var vertex = place;
    if parameters.indexed != 0u {
        vertex = indices[place];
    }
    var packed = parameters.registers_low;
    if output >= 8u {
        packed = parameters.registers_high;
    }
    return vertices[vertex * 16u + ((packed >> ((output & 7u) * 4u)) & 15u)];
}

fn point(record: u32, vector: u32) -> vec4u {
    let number = record * parameters.window + vector;
    return output_of(number / parameters.outputs, number % parameters.outputs);
}

fn variable(record: u32, vector: u32) -> vec4u {
    // Whose vector it is: that of the nearest primitive that has so many.
    var owner = record;
    var primitive = primitives[owner];
    while vector >= primitive.vectors {
        if primitive.larger == owner {
            return file[vector];
        }
        owner = primitive.larger;
        primitive = primitives[owner];
    }
    if vector == 0u {
        return vec4u(bitcast<u32>(f32(primitive.size)));
    }
    let number = vector - 1u;
    let whole = parameters.vertices * parameters.outputs;
    if number < whole {
        return output_of(primitive.first + number / parameters.outputs, number % parameters.outputs);
    }
    return output_of(primitive.first + parameters.vertices + number - whole, 0u);
}

fn fixed(record: u32, vector: u32) -> vec4u {
    // Of this primitive, or of the one before it where this one is cut short.
    for (var back = 0u; back <= min(record, 1u); back += 1u) {
        let start = (record - back) * parameters.vertices;
        let count = min(parameters.total - start, parameters.vertices);
        if count > 0u {
            // The last vertex that reaches so far: vertices may overlap, and leave gaps.
            let vertex = min(vector / parameters.stride, count - 1u);
            let output = vector - vertex * parameters.stride;
            if output < parameters.outputs {
                return output_of(start + vertex, output);
            }
        }
    }
    return file[parameters.first + vector];
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let element = id.x + id.y * 2097152u;
    if element >= parameters.records * parameters.window {
        return;
    }
    let record = element / parameters.window;
    let vector = element % parameters.window;
    switch parameters.mode {
        case 0u: {
            feed[element] = point(record, vector);
        }
        case 1u: {
            feed[element] = variable(record, vector);
        }
        default: {
            feed[element] = fixed(record, vector);
        }
    }
}
