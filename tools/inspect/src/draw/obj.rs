//! Meshes of Wavefront OBJ files.
//! In: the bytes of a file. Out: a [`Mesh`], or an error with the line at fault. Materials are not
//! read.

use tobj::{LoadError, LoadOptions, Model};

use super::MOST_TRIANGLES;
use super::mesh::{Has, Mesh, Vertex};

/// Largest accepted file. An error costs a parse for each bit of its line's number.
const MOST_BYTES: usize = 16 << 20;

/// Parses a file; polygons become triangles.
pub fn parse(bytes: &[u8]) -> Result<Mesh, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("larger than {} MiB", MOST_BYTES >> 20));
    }
    let models = load(bytes).map_err(|error| format!("line {}: {error}", line_of_error(bytes)))?;
    let count: usize = models.iter().map(|model| model.mesh.indices.len() / 3).sum();
    if count == 0 {
        return Err("no triangle".into());
    }
    if count > MOST_TRIANGLES {
        return Err(format!("{count} triangles; the maximum is {MOST_TRIANGLES}"));
    }
    let mut mesh = Mesh::default();
    let all = |has: fn(&tobj::Mesh) -> bool| models.iter().all(|model| has(&model.mesh));
    let has = Has {
        normals: all(|mesh| mesh.normals.len() == mesh.positions.len()),
        texcoords: all(|mesh| mesh.texcoords.len() / 2 == mesh.positions.len() / 3),
        colors: all(|mesh| mesh.vertex_color.len() == mesh.positions.len()),
    };
    models.iter().for_each(|model| append(&mut mesh, &model.mesh));
    let numbers = mesh.vertices.iter().flat_map(|vertex| vertex.position.into_iter().chain(vertex.normal));
    if let Some(number) = numbers.into_iter().find(|x| x.is_nan() || x.abs() > 1e18) {
        return Err(format!("a coordinate is {number} but must be within 1e18"));
    }
    mesh.complete(has);
    Ok(mesh)
}

fn load(bytes: &[u8]) -> Result<Vec<Model>, LoadError> {
    let options =
        LoadOptions { triangulate: true, single_index: true, ignore_points: true, ignore_lines: true };
    // Materials that cannot be read are not an error.
    tobj::load_obj_buf(&mut &bytes[..], &options, |_| Err(LoadError::OpenFileFailed))
        .map(|(models, _)| models)
}

/// Returns the number of the line that makes a faulty file faulty: the shortest faulty start of the
/// file ends there. The reader does not say, and reports an index that is out of range at the end
/// of a group.
fn line_of_error(bytes: &[u8]) -> usize {
    let ends: Vec<usize> = (1..=bytes.len()).filter(|&end| bytes[end - 1] == b'\n').collect();
    1 + ends.partition_point(|&end| load(&bytes[..end]).is_ok())
}

fn append(to: &mut Mesh, from: &tobj::Mesh) {
    // Range: a file of 16 MiB has fewer vertices.
    let first = to.vertices.len() as u32;
    let ([positions, normals, colors], [texcoords]) = (
        [&from.positions, &from.normals, &from.vertex_color].map(|list| list.as_chunks::<3>().0),
        [from.texcoords.as_chunks::<2>().0],
    );
    to.vertices.extend(positions.iter().enumerate().map(|(place, &position)| Vertex {
        position,
        normal: normals.get(place).copied().unwrap_or_default(),
        texcoord: texcoords.get(place).copied().unwrap_or_default(),
        color: colors.get(place).copied().unwrap_or_default(),
    }));
    let count = positions.len() as u32;
    let triangles = from.indices.as_chunks::<3>().0.iter();
    let exist = triangles.filter(|triangle| triangle.iter().all(|&index| index < count));
    to.triangles.extend(exist.map(|triangle| triangle.map(|index| first + index)));
}

#[cfg(test)]
mod tests {
    use crate::values::Random;

    use super::*;

    const SQUARE: &str = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nvt 0 0\nvt 1 1\nf 1/1 2/1 3/2 4/2\n";

    #[test]
    fn a_polygon_becomes_triangles_with_all_attributes() {
        let mesh = parse(SQUARE.as_bytes()).expect("an OBJ file");
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2));
        assert_eq!(mesh.vertices[2].texcoord, [1.0, 1.0]);
        assert_eq!(mesh.vertices[0].normal, [0.0, 0.0, 1.0]);
        assert_eq!(mesh.vertices[0].position, [-1.1, -1.1, 0.0]);
    }

    #[test]
    fn errors_name_their_line() {
        for (line, text) in [
            (3, "v 0 0 0\n\nv 1 x 0\nv 1 1 1\n"),
            (8, &format!("{SQUARE}f 1 2 9\nv 0 0 0\n")),
            (8, &format!("{SQUARE}f 1 2 x\n")),
            (1, "v 1\n"),
        ] {
            let error = parse(text.as_bytes()).expect_err("a fault");
            assert!(error.starts_with(&format!("line {line}: ")), "{text}: {error}");
        }
        for (text, said) in [("v 0 0 0\n", "no triangle"), ("v 0 0 0\nv nan 0 0\nv 1 1 1\nf 1 2 3\n", "NaN")]
        {
            let error = parse(text.as_bytes()).expect_err("a fault");
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn no_file_panics() {
        let mut random = Random::new(1, "OBJ files");
        let words = [
            "v ",
            "vt ",
            "vn ",
            "f ",
            "o",
            "g ",
            "usemtl",
            "mtllib ",
            "s ",
            "l ",
            "p ",
            "0 ",
            "1 ",
            "-1 ",
            "2/2/2 ",
            "3//1 ",
            "1e39 ",
            "nan ",
            "9999999999999999999999 ",
            "-9223372036854775808 ",
            "/",
            "\\\n",
            "é",
            "\0",
            "#",
            "\n",
            "\n",
            "\r\n",
            "\u{2003}",
        ];
        let mut accepted = 0;
        for round in 0..2_000 {
            let mut text = if round % 2 == 0 { SQUARE.as_bytes().to_vec() } else { Vec::new() };
            for _ in 0..random.below(60) {
                text.extend(words[random.below(words.len() as u32) as usize].bytes());
            }
            for _ in 0..random.below(4) {
                let place = random.below(text.len().max(1) as u32) as usize;
                if let Some(byte) = text.get_mut(place) {
                    *byte = random.bits() as u8;
                }
            }
            if let Ok(mesh) = parse(&text) {
                accepted += 1;
                let count = mesh.vertices.len() as u32;
                assert!(mesh.triangles.iter().flatten().all(|&index| index < count));
            }
        }
        assert!((100..1_900).contains(&accepted), "{accepted} accepted");
    }
}
