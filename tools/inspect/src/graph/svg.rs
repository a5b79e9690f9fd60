//! A graph as an SVG file.
//! In: nodes, labeled edges. Out: the text of the file. Fonts differ, so widths leave
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

/// A node of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its lines.
    pub text: String,
    /// Addresses of its instructions.
    pub pcs: Vec<u16>,
}

/// Origin of the colors of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// From the file itself, for any viewer.
    File,
    /// From the page around it, by the classes `block`, `frame`, `edge`, `back` and `label`.
    Classes,
}

impl Paint {
    /// Returns what stands in front of everything.
    fn background(self) -> &'static str {
        match self {
            Self::File => "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            Self::Classes => "",
        }
    }

    /// Returns the attributes of a line.
    fn edge(self, is_back: bool) -> &'static str {
        match (self, is_back) {
            (Self::File, true) => "fill=\"none\" stroke=\"#b03030\"",
            (Self::File, false) => "fill=\"none\" stroke=\"#404040\"",
            (Self::Classes, true) => "class=\"edge back\" fill=\"none\"",
            (Self::Classes, false) => "class=\"edge\" fill=\"none\"",
        }
    }

    /// Returns the attributes of the label of a line.
    fn label(self, is_back: bool) -> &'static str {
        match (self, is_back) {
            (Self::File, true) => "fill=\"#b03030\"",
            (Self::File, false) => "fill=\"#404040\"",
            (Self::Classes, true) => "class=\"label back\"",
            (Self::Classes, false) => "class=\"label\"",
        }
    }

    /// Returns the attributes of a frame.
    fn frame(self) -> &'static str {
        match self {
            Self::File => "fill=\"#f4f4f4\" stroke=\"#404040\"",
            Self::Classes => "class=\"frame\"",
        }
    }

    /// Returns the tags around a node.
    fn group(self, node: &Node) -> [String; 2] {
        match self {
            Self::File => [String::new(), String::new()],
            Self::Classes => {
                let pcs: Vec<String> = node.pcs.iter().map(u16::to_string).collect();
                [format!("<g class=\"block\" data-pcs=\"{}\">\n", pcs.join(",")), "</g>\n".into()]
            }
        }
    }
}

/// Draws a graph. Edges name existing nodes.
pub fn draw(nodes: &[Node], edges: &[([usize; 2], String)], paint: Paint) -> String {
    let size = |node: &Node| {
        let letters = node.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        [letters as f64 * LETTER + 2.0 * MARGIN, node.text.lines().count() as f64 * LINE + 2.0 * MARGIN]
    };
    let sizes: Vec<[f64; 2]> = nodes.iter().map(size).collect();
    let ends: Vec<[usize; 2]> = edges.iter().map(|(ends, _)| *ends).collect();
    let laid = layout(&sizes, &ends);
    let (width, height) = (laid.width.ceil(), laid.height.ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"{FONT}\">\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"context-stroke\"/></marker></defs>\n{}",
        paint.background()
    );
    for ((line, is_back), (_, label)) in laid.edges.iter().zip(&laid.is_back).zip(edges) {
        let mut points = String::new();
        for [x, y] in line {
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let points = points.trim_end();
        let attributes = paint.edge(*is_back);
        let _ = writeln!(svg, "<polyline points=\"{points}\" {attributes} marker-end=\"url(#head)\"/>");
        // The label stands where the line leaves its node, which for a back edge is the upper side.
        if let (Some([x, y]), false) = (line.first(), label.is_empty()) {
            let (x, y) = (x + 3.0, y + if *is_back { -4.0 } else { FONT });
            let (attributes, label) = (paint.label(*is_back), escaped(label));
            let _ =
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes} font-size=\"10\">{label}</text>");
        }
    }
    for ((node, place), size) in nodes.iter().zip(&laid.nodes).zip(&sizes) {
        draw_node(&mut svg, node, (*place, *size), paint);
    }
    svg + "</svg>\n"
}

/// Draws a node in a place of a size.
fn draw_node(svg: &mut String, node: &Node, ([x, y], [width, height]): ([f64; 2], [f64; 2]), paint: Paint) {
    let (attributes, [open, close]) = (paint.frame(), paint.group(node));
    svg.push_str(&open);
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {attributes}/>"
    );
    for (number, line) in node.text.lines().enumerate() {
        let (x, y) = (x + MARGIN, y + MARGIN + LINE * (number as f64 + 0.8));
        let _ =
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>", escaped(line));
    }
    svg.push_str(&close);
}

#[cfg(test)]
mod tests {
    use crate::cfg::dot::Dot;
    use crate::cfg::explore::{ExploreOptions, Explored, explore};
    use transpica::Limits;
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
            let nodes = graph.nodes().into_iter().map(|text| Node { text, pcs: vec![1, 2] });
            let (nodes, edges) = (nodes.collect::<Vec<_>>(), graph.edges());
            let svg = draw(&nodes, &edges, Paint::File);
            let classes = draw(&nodes, &edges, Paint::Classes);
            assert_eq!(classes.matches("<g class=\"block\" data-pcs=\"1,2\">").count(), nodes.len());
            assert!(!classes.contains("=\"#"), "a color");
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
        let node = Node { text: "a < b & c\u{1}".into(), ..Node::default() };
        let svg = draw(&[node], &[([0, 0], "x>y".into())], Paint::File);
        assert!(svg.contains("a &lt; b &amp; c?") && svg.contains("x&gt;y"), "{svg}");
    }
}
