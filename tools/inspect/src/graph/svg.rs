//! A graph as an SVG file.
//! In: nodes, labeled edges. Out: the text of the file. Fonts differ, so widths leave
//! room.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::layout::{Layout, layout};

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
    /// Name of the procedure that it belongs to, or `None` for main.
    pub procedure: Option<String>,
}

/// Origin of the colors of a drawing. Both have the classes `block`, `frame`, `edge`, `back`,
/// `label` and `procedure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// From the file itself, for light and dark viewers. A tall graph stands in columns.
    File,
    /// From the page around it.
    Classes,
}

/// Colors of a file. Viewers without media queries take the light ones.
const STYLE: &str = "<style>
.ground { fill: #ffffff }
text { fill: #1c2026 }
.frame { fill: #f5f6f8; stroke: #9aa3af }
.edge { stroke: #59626e }
.label { fill: #59626e }
.edge.back { stroke: #b3361f }
.label.back { fill: #b3361f }
.bar { opacity: 0.85 }
@media (prefers-color-scheme: dark) {
.ground { fill: #14171b }
text { fill: #e4e7eb }
.frame { fill: #1f242b; stroke: #515b68 }
.edge { stroke: #98a2b0 }
.label { fill: #98a2b0 }
.edge.back { stroke: #ff8a70 }
.label.back { fill: #ff8a70 }
}
</style>
<rect class=\"ground\" width=\"100%\" height=\"100%\"/>
";

/// Draws a graph. Edges name existing nodes.
pub fn draw(nodes: &[Node], edges: &[([usize; 2], String)], paint: Paint) -> String {
    let size = |node: &Node| {
        let letters = node.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let letters = letters.max(node.procedure.as_ref().map_or(0, |name| name.chars().count()));
        let lines = node.text.lines().count() + usize::from(node.procedure.is_some());
        [letters as f64 * LETTER + 2.0 * MARGIN, lines as f64 * LINE + 2.0 * MARGIN]
    };
    let sizes: Vec<[f64; 2]> = nodes.iter().map(size).collect();
    let ends: Vec<[usize; 2]> = edges.iter().map(|(ends, _)| *ends).collect();
    let laid = layout(&sizes, &ends, paint == Paint::File);
    let (width, height) = (laid.width.ceil(), laid.height.ceil());
    let style = if paint == Paint::File { STYLE } else { "" };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"{FONT}\">\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"context-stroke\"/></marker></defs>\n{style}"
    );
    draw_edges(&mut svg, &laid, edges);
    let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (number, node) in nodes.iter().enumerate() {
        groups.entry(node.procedure.as_deref()).or_default().push(number);
    }
    for (hue, (name, members)) in groups.into_iter().enumerate() {
        if let Some(name) = name {
            let _ = writeln!(svg, "<g class=\"procedure\"><title>{}</title>", escaped(name));
        }
        for number in members {
            draw_node(&mut svg, &nodes[number], (laid.nodes[number], sizes[number]), hue);
        }
        svg.push_str(if name.is_some() { "</g>\n" } else { "" });
    }
    svg + "</svg>\n"
}

/// Draws the lines of edges with their labels.
fn draw_edges(svg: &mut String, laid: &Layout, edges: &[([usize; 2], String)]) {
    for ((line, is_back), (_, label)) in laid.edges.iter().zip(&laid.is_back).zip(edges) {
        let points: Vec<String> = line.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let (points, back) = (points.join(" "), if *is_back { " back" } else { "" });
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" class=\"edge{back}\" fill=\"none\" marker-end=\"url(#head)\"/>"
        );
        // The label stands where the line leaves its node, which for a back edge is the upper side.
        if let (Some([x, y]), false) = (line.first(), label.is_empty()) {
            let (x, y) = (x + 3.0, y + if *is_back { -4.0 } else { FONT });
            let label = escaped(label);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"label{back}\" font-size=\"10\">{label}</text>"
            );
        }
    }
}

/// Draws a node in a place of a size. One of a procedure has its name, and a bar of a color that
/// its `hue` gives.
fn draw_node(svg: &mut String, node: &Node, ([x, y], [width, height]): ([f64; 2], [f64; 2]), hue: usize) {
    let pcs: Vec<String> = node.pcs.iter().map(u16::to_string).collect();
    let _ = writeln!(svg, "<g class=\"block\" data-pcs=\"{}\">", pcs.join(","));
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"frame\"/>"
    );
    if node.procedure.is_some() {
        // The golden angle keeps neighbors apart.
        let hue = hue * 137 % 360;
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {y:.1}v{height:.1}\" class=\"bar\" stroke=\"hsl({hue} 55% 50%)\" stroke-width=\"4\"/>"
        );
    }
    let name = node.procedure.as_deref().map(|name| (" class=\"label\"", name));
    let lines = name.into_iter().chain(node.text.lines().map(|line| ("", line)));
    for (number, (class, line)) in lines.enumerate() {
        let (x, y, line) = (x + MARGIN, y + MARGIN + LINE * (number as f64 + 0.8), escaped(line));
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\"{class} xml:space=\"preserve\">{line}</text>");
    }
    svg.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let node = Node { text: "a < b & c\u{1}".into(), ..Node::default() };
        let svg = draw(&[node], &[([0, 0], "x>y".into())], Paint::File);
        assert!(svg.contains("a &lt; b &amp; c?") && svg.contains("x&gt;y"), "{svg}");
    }
}
