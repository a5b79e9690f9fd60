//! A graph as an SVG file.
//! In: texts of nodes, labeled edges. Out: the text of the file. Fonts differ, so widths leave
//! room.

use std::fmt::Write;

use super::layout::layout;

/// Size of letters, width of one, and distance of lines, in units of the file.
const FONT: f64 = 12.0;
const LETTER: f64 = 7.8;
const LINE: f64 = 15.0;

/// Space between text and frame.
const MARGIN: f64 = 7.0;

/// Escapes a text; characters that XML forbids become question marks.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            _ if letter.is_control() || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => result.push('?'),
            _ => result.push(letter),
        }
    }
    result
}

/// Draws a graph. Edges name existing nodes.
pub fn draw(nodes: &[String], edges: &[([usize; 2], String)]) -> String {
    let size = |text: &String| {
        let letters = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        [letters as f64 * LETTER + 2.0 * MARGIN, text.lines().count() as f64 * LINE + 2.0 * MARGIN]
    };
    let sizes: Vec<[f64; 2]> = nodes.iter().map(size).collect();
    let ends: Vec<[usize; 2]> = edges.iter().map(|(ends, _)| *ends).collect();
    let laid = layout(&sizes, &ends);
    let (width, height) = (laid.width.ceil(), laid.height.ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"{FONT}\">\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"context-stroke\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for ((line, is_back), (_, label)) in laid.edges.iter().zip(&laid.is_back).zip(edges) {
        let color = if *is_back { "#b03030" } else { "#404040" };
        let mut points = String::new();
        for [x, y] in line {
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" marker-end=\"url(#head)\"/>",
            points.trim_end()
        );
        // The label stands where the line leaves its node, which for a back edge is the upper side.
        if let (Some([x, y]), false) = (line.first(), label.is_empty()) {
            let below = if *is_back { -4.0 } else { FONT };
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\" font-size=\"10\">{}</text>",
                x + 3.0,
                y + below,
                escaped(label)
            );
        }
    }
    for ((text, [x, y]), [width, height]) in nodes.iter().zip(&laid.nodes).zip(&sizes) {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#f4f4f4\" stroke=\"#404040\"/>"
        );
        for (number, line) in text.lines().enumerate() {
            let place = y + MARGIN + LINE * (number as f64 + 0.8);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{place:.1}\" xml:space=\"preserve\">{}</text>",
                x + MARGIN,
                escaped(line)
            );
        }
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use transpica::stages::cfg::dot::Dot;
    use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
    use transpica::stages::limits::Limits;
    use transpica_generate::{Kind, generate};

    use super::*;

    #[test]
    fn graphs_of_random_programs_are_drawn() {
        let (mut count, mut largest) = (0, 0);
        for seed in 0..200 {
            let kind = if seed % 2 == 0 { Kind::Wild } else { Kind::Clean };
            let generated = generate(kind, seed);
            let program = generated.program();
            let explored = explore(&program, &ExploreOptions::default(), &Limits::default());
            let Ok(Explored::Graph(cfg)) = explored else { continue };
            let graph = Dot { cfg: &cfg, program: Some(&program) };
            let (nodes, edges) = (graph.nodes(), graph.edges());
            let svg = draw(&nodes, &edges);
            assert_eq!(svg.matches("<rect").count(), nodes.len() + 1);
            assert_eq!(svg.matches("<polyline").count(), edges.len());
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
            largest = largest.max(nodes.len());
            count += 1;
        }
        assert!(count > 150 && largest > 40, "{count} graphs of at most {largest} nodes");
    }

    #[test]
    fn texts_are_escaped() {
        let svg = draw(&["a < b & c\u{1}".into()], &[([0, 0], "x>y".into())]);
        assert!(svg.contains("a &lt; b &amp; c?") && svg.contains("x&gt;y"), "{svg}");
    }
}
