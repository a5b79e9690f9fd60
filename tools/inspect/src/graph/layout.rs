//! Layered layout of a directed graph.
//! In: sizes of nodes, edges. Out: places of nodes, and edges as lines of right angles. Knows no
//! text. Work is bounded: a fixed number of sweeps over nodes and at most [`MOST_BENDS`] bends.
//!
//! Ranks are longest paths without back edges. An edge across several ranks has a bend in each.
//! A tall drawing stands in columns: each takes some ranks, and edges to the next run between them.
//! Within a rank, nodes go by the mean place of their neighbors (Sugiyama, Tagawa and Toda 1981),
//! and move towards it as far as their order permits.

/// Space between nodes of a rank.
const GAP: f64 = 28.0;

/// Space between ranks, and for each edge that runs there.
const CHANNEL: f64 = 30.0;
const TRACK: f64 = 7.0;

/// Width of a bend.
const BEND: f64 = 4.0;

/// Height from which a drawing may stand in columns, and width for a height that it then has.
const TALL: f64 = 1200.0;
const ASPECT: f64 = 1.5;

/// Largest number of bends. Edges beyond it are straight lines.
const MOST_BENDS: usize = 20_000;

/// Sweeps down and up that order ranks, and as many that move nodes.
const SWEEPS: usize = 8;

/// A graph with places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// Left upper corner of each node.
    pub nodes: Vec<[f64; 2]>,
    /// Corners of each edge's line from its first node to its second.
    pub edges: Vec<Vec<[f64; 2]>>,
    /// Edges that run upwards.
    pub is_back: Vec<bool>,
}

/// A node, or the bend of an edge.
#[derive(Clone, Debug, Default)]
struct Place {
    rank: usize,
    size: [f64; 2],
    /// Center in x.
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Finds the edges that close a cycle, by a search in depth with a stack of its own.
fn back_edges(count: usize, edges: &[[usize; 2]]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut out = vec![Vec::new(); count];
    for (number, [from, _]) in edges.iter().enumerate() {
        out[*from].push(number);
    }
    let (mut states, mut is_back) = (vec![Visit::New; count], vec![false; edges.len()]);
    for start in 0..count {
        let mut stack = Vec::new();
        if states[start] == Visit::New {
            states[start] = Visit::Open;
            stack.push((start, 0));
        }
        while let Some((node, next)) = stack.pop() {
            let Some(&edge) = out[node].get(next) else {
                states[node] = Visit::Done;
                continue;
            };
            stack.push((node, next + 1));
            let to = edges[edge][1];
            match states[to] {
                Visit::New => {
                    states[to] = Visit::Open;
                    stack.push((to, 0));
                }
                Visit::Open => is_back[edge] = true,
                Visit::Done => {}
            }
        }
    }
    is_back
}

/// Returns the length of the longest path to each node along edges without a cycle.
fn ranks(count: usize, downwards: &[[usize; 2]]) -> Vec<usize> {
    let (mut ranks, mut waits, mut out) = (vec![0; count], vec![0; count], vec![Vec::new(); count]);
    for &[from, to] in downwards {
        waits[to] += 1;
        out[from].push(to);
    }
    let mut ready: Vec<usize> = (0..count).filter(|&node| waits[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &to in &out[node] {
            ranks[to] = ranks[to].max(ranks[node] + 1);
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
    }
    ranks
}

fn mean(places: &[Place], of: &[usize]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().map(|&place| places[place].x).sum::<f64>() / of.len() as f64)
}

/// Orders each rank by the mean of the neighbors in the rank before; the numbers of places in their
/// ranks stand in `x` meanwhile.
fn order(places: &mut [Place], rows: &mut [Vec<usize>]) {
    let number = |places: &mut [Place], row: &[usize]| {
        row.iter().enumerate().for_each(|(number, &place)| places[place].x = number as f64);
    };
    rows.iter().for_each(|row| number(places, row));
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        for step in 0..rows.len() {
            let row = if is_down { step } else { rows.len() - 1 - step };
            let mut keyed: Vec<(f64, usize)> = rows[row]
                .iter()
                .map(|&place| {
                    let Place { above, below, x, .. } = &places[place];
                    (mean(places, if is_down { above } else { below }).unwrap_or(*x), place)
                })
                .collect();
            keyed.sort_by_cached_key(|(center, _)| ascending(*center));
            rows[row] = keyed.into_iter().map(|(_, place)| place).collect();
            number(places, &rows[row]);
        }
    }
}

/// Moves the nodes of a row towards these centers without changing their order.
fn settle(places: &mut [Place], row: &[usize], wanted: &[f64]) {
    let apart = |places: &[Place], a: usize, b: usize| (places[a].size[0] + places[b].size[0]) / 2.0 + GAP;
    let (mut from_left, mut from_right) = (wanted.to_vec(), wanted.to_vec());
    for n in 1..row.len() {
        from_left[n] = wanted[n].max(from_left[n - 1] + apart(places, row[n - 1], row[n]));
    }
    for n in (1..row.len()).rev() {
        from_right[n - 1] = wanted[n - 1].min(from_right[n] - apart(places, row[n - 1], row[n]));
    }
    // Both keep the distances, and so does their mean.
    for (n, &place) in row.iter().enumerate() {
        places[place].x = (from_left[n] + from_right[n]) / 2.0;
    }
}

fn spread(places: &mut [Place], rows: &[Vec<usize>]) {
    for row in rows {
        settle(places, row, &vec![0.0; row.len()]);
    }
    for sweep in 0..2 * SWEEPS {
        for step in 0..rows.len() {
            let row = &rows[if sweep % 2 == 0 { step } else { rows.len() - 1 - step }];
            let wanted: Vec<f64> = row
                .iter()
                .map(|&place| {
                    let Place { above, below, x, .. } = &places[place];
                    let neighbors = [mean(places, above), mean(places, below)];
                    let known: Vec<f64> = neighbors.into_iter().flatten().collect();
                    if known.is_empty() { *x } else { known.iter().sum::<f64>() / known.len() as f64 }
                })
                .collect();
            settle(places, row, &wanted);
        }
    }
}

/// Returns the place along a node's side of connection `number` of `count`.
fn port(place: &Place, list: &[usize], number: usize) -> f64 {
    let count = list.len().max(1) as f64;
    let width = place.size[0].min(26.0 * count);
    place.x - width / 2.0 + width * (number as f64 + 0.5) / count
}

/// Returns the nodes and bends of each edge, downwards, and adds the bends to the places.
fn chains(places: &mut Vec<Place>, downwards: &[[usize; 2]], ranks: &[usize]) -> Vec<Vec<usize>> {
    let (count, is_loop) = (ranks.len(), |[from, to]: &[usize; 2]| from == to);
    let mut chains: Vec<Vec<usize>> = Vec::with_capacity(downwards.len());
    for edge @ &[from, to] in downwards {
        let mut chain = vec![from];
        let bends = ranks[from] + 1..ranks[to].max(1);
        if !is_loop(edge) && places.len() + bends.len() <= count + MOST_BENDS {
            for rank in bends {
                chain.push(places.len());
                places.push(Place { rank, size: [BEND, 0.0], ..Place::default() });
            }
        }
        chain.push(to);
        chains.push(chain);
    }
    chains
}

/// Columns of a drawing: what lies where after its ranks were cut apart.
struct Columns {
    /// Column of each rank.
    of: Vec<usize>,
    /// Left end of the space for edges into each column, and the top of that space.
    gutters: Vec<[f64; 2]>,
}

/// Cuts a tall drawing into columns, from `tops` and `bottoms` of its ranks and `crossings`, the
/// number of edges from each rank to the next. Moves places and ranks.
fn columns(
    places: &mut [Place],
    (tops, bottoms): (&mut [f64], &mut [f64]),
    crossings: &[usize],
    is_wrapped: bool,
) -> Columns {
    let extent = places.iter().fold([0.0, 0.0f64], |[low, high]: [f64; 2], place| {
        [low.min(place.x - place.size[0] / 2.0), high.max(place.x + place.size[0] / 2.0)]
    });
    let (width, height) = (extent[1] - extent[0], bottoms.last().copied().unwrap_or(0.0));
    let is_tall = is_wrapped && height > TALL && height > width;
    let count = if is_tall { (ASPECT * height / width.max(1.0)).sqrt().max(1.0) } else { 1.0 };
    let mut columns = Columns { of: Vec::with_capacity(bottoms.len()), gutters: vec![[0.0, GAP]] };
    let (mut base, mut column) = (0.0, 0);
    for rank in 0..bottoms.len() {
        // A little more than its share, so that no column of a few ranks is left.
        if bottoms[rank] - base > 1.1 * height / count && rank > 0 && tops[rank] > base + GAP {
            // Edges come in from above.
            let space = CHANNEL + TRACK * crossings[rank - 1] as f64;
            base = tops[rank] - GAP - space;
            columns.gutters.push([crossings[rank - 1] as f64 * TRACK + GAP, GAP + space / 2.0]);
            column += 1;
        }
        columns.of.push(column);
        tops[rank] -= base;
        bottoms[rank] -= base;
    }
    // Side by side, each as wide as its ranks are.
    let mut left = GAP;
    for (column, gutter) in columns.gutters.iter_mut().enumerate() {
        let members = || places.iter().filter(|place| columns.of[place.rank] == column);
        let low = members().map(|place| place.x - place.size[0] / 2.0).fold(f64::MAX, f64::min);
        let high = members().map(|place| place.x + place.size[0] / 2.0).fold(f64::MIN, f64::max);
        let room = std::mem::replace(&mut gutter[0], left);
        let shift = left + room - low;
        for place in places.iter_mut().filter(|place| columns.of[place.rank] == column) {
            place.x += shift;
        }
        left = high + shift + GAP;
    }
    columns
}

/// Lays a graph out, in columns if it is tall and they are allowed. Edges name existing nodes.
pub fn layout(sizes: &[[f64; 2]], edges: &[[usize; 2]], is_wrapped: bool) -> Layout {
    let is_back = back_edges(sizes.len(), edges);
    let downwards: Vec<[usize; 2]> = edges
        .iter()
        .zip(&is_back)
        .map(|(&[from, to], &back)| if back { [to, from] } else { [from, to] })
        .collect();
    let is_loop = |[from, to]: &[usize; 2]| from == to;
    let paths: Vec<[usize; 2]> = downwards.iter().copied().filter(|edge| !is_loop(edge)).collect();
    let ranks = ranks(sizes.len(), &paths);
    let mut places: Vec<Place> =
        sizes.iter().zip(&ranks).map(|(&size, &rank)| Place { rank, size, ..Place::default() }).collect();
    let chains = chains(&mut places, &downwards, &ranks);
    for pair in
        chains.iter().filter(|chain| chain[0] != chain[chain.len() - 1]).flat_map(|chain| chain.windows(2))
    {
        if places[pair[0]].rank + 1 == places[pair[1]].rank {
            places[pair[0]].below.push(pair[1]);
            places[pair[1]].above.push(pair[0]);
        }
    }
    let mut rows = vec![Vec::new(); ranks.iter().max().map_or(0, |last| last + 1)];
    places.iter().enumerate().for_each(|(number, place)| rows[place.rank].push(number));
    order(&mut places, &mut rows);
    spread(&mut places, &rows);
    sort_neighbors(&mut places);
    let crossings: Vec<usize> =
        rows.iter().map(|row| row.iter().map(|&place| places[place].below.len()).sum()).collect();
    let (mut tops, mut bottoms) = ranges(&places, &rows, &crossings);
    let columns = columns(&mut places, (&mut tops, &mut bottoms), &crossings, is_wrapped);
    let width = places.iter().map(|place| place.x + place.size[0] / 2.0).fold(0.0, f64::max) + GAP;
    let height = bottoms.iter().copied().fold(0.0, f64::max) + GAP;
    let mut laid = Layout { width, height, is_back, ..Layout::default() };
    laid.nodes =
        places[..sizes.len()].iter().map(|place| [place.x - place.size[0] / 2.0, tops[place.rank]]).collect();
    let mut lines = Lines { places: &places, columns, tops, bottoms, tracks: vec![0; rows.len()] };
    for (chain, back) in chains.iter().zip(&laid.is_back) {
        let mut line = lines.line(chain);
        if *back && chain[0] != chain[chain.len() - 1] {
            line.reverse();
        }
        laid.edges.push(line);
    }
    laid
}

/// Sorts the neighbors of each place from left to right, so that lines to them do not cross.
fn sort_neighbors(places: &mut [Place]) {
    let x: Vec<f64> = places.iter().map(|place| place.x).collect();
    for place in places {
        place.above.sort_by_cached_key(|&other| ascending(x[other]));
        place.below.sort_by_cached_key(|&other| ascending(x[other]));
    }
}

/// A number that ascends like a coordinate.
fn ascending(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// Returns the upper end of each rank, and the lower end of the space for the edges below it.
fn ranges(places: &[Place], rows: &[Vec<usize>], crossings: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (mut tops, mut bottoms) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    let mut top = GAP;
    for (row, &crossings) in rows.iter().zip(crossings) {
        let height = row.iter().map(|&place| places[place].size[1]).fold(0.0, f64::max);
        tops.push(top);
        top += height + CHANNEL + TRACK * crossings as f64;
        bottoms.push(top);
    }
    (tops, bottoms)
}

/// Lines of edges, drawn one after the other.
struct Lines<'a> {
    places: &'a [Place],
    columns: Columns,
    tops: Vec<f64>,
    bottoms: Vec<f64>,
    /// Lines so far in the space below each rank.
    tracks: Vec<usize>,
}

impl Lines<'_> {
    /// Returns the corners of an edge's line through its nodes and bends.
    fn line(&mut self, chain: &[usize]) -> Vec<[f64; 2]> {
        let (tops, columns) = (&self.tops, &self.columns);
        let mut corners = Vec::new();
        for pair in chain.windows(2) {
            let [from, to] = [&self.places[pair[0]], &self.places[pair[1]]];
            if pair[0] == pair[1] {
                let [right, top] = [from.x + from.size[0] / 2.0, tops[from.rank] + 4.0];
                let [out, bottom] = [right + GAP / 2.0, top + (from.size[1] - 8.0).clamp(4.0, 24.0)];
                corners.extend([[right, bottom], [out, bottom], [out, top], [right, top]]);
                continue;
            }
            let number = |list: &[usize], other| list.iter().position(|&place| place == other).unwrap_or(0);
            let start = port(from, &from.below, number(&from.below, pair[1]));
            let end = port(to, &to.above, number(&to.above, pair[0]));
            let track = TRACK * self.tracks[from.rank] as f64;
            self.tracks[from.rank] += 1;
            // Lines run in the lower part of the space, below the highest node of the rank.
            let lowest = self.bottoms[from.rank] - CHANNEL / 2.0;
            let turn = (lowest - track).max(tops[from.rank] + from.size[1] + 2.0);
            corners.push([start, tops[from.rank] + from.size[1]]);
            if columns.of[from.rank] != columns.of[to.rank] {
                let [left, top] = columns.gutters[columns.of[to.rank]];
                let (x, y) = (left + track, top + track / 2.0);
                corners.extend([[start, turn], [x, turn], [x, y], [end, y]]);
            } else if (start - end).abs() > 0.5 {
                corners.extend([[start, turn], [end, turn]]);
            }
            corners.push([end, tops[to.rank]]);
        }
        corners
    }
}

#[cfg(test)]
mod tests {
    use crate::values::Random;

    use super::*;

    fn check(sizes: &[[f64; 2]], edges: &[[usize; 2]]) -> Layout {
        check_one(sizes, edges, true);
        check_one(sizes, edges, false)
    }

    fn check_one(sizes: &[[f64; 2]], edges: &[[usize; 2]], is_wrapped: bool) -> Layout {
        let laid = layout(sizes, edges, is_wrapped);
        assert_eq!((laid.nodes.len(), laid.edges.len()), (sizes.len(), edges.len()));
        let inside = |&[x, y]: &[f64; 2]| (0.0..=laid.width).contains(&x) && (0.0..=laid.height).contains(&y);
        assert!(laid.nodes.iter().chain(laid.edges.iter().flatten()).all(inside));
        for (a, (place, size)) in laid.nodes.iter().zip(sizes).enumerate() {
            for (other, size_of_other) in laid.nodes.iter().zip(sizes).skip(a + 1) {
                let apart =
                    |k: usize| place[k] + size[k] <= other[k] || other[k] + size_of_other[k] <= place[k];
                assert!(apart(0) || apart(1), "nodes overlap");
            }
        }
        for (line, &[from, to]) in laid.edges.iter().zip(edges) {
            let touches = |end: &[f64; 2], node: usize| {
                (0..2).all(|k| {
                    end[k] >= laid.nodes[node][k] - 0.01
                        && end[k] <= laid.nodes[node][k] + sizes[node][k] + 0.01
                })
            };
            assert!(touches(&line[0], from) && touches(&line[line.len() - 1], to), "{line:?}");
        }
        laid
    }

    #[test]
    fn nodes_are_apart_and_edges_touch_both() {
        let laid = check(&[[50.0, 20.0]; 4], &[[0, 1], [1, 2], [2, 1], [1, 3], [0, 3], [3, 3]]);
        assert_eq!(laid.is_back, [false, false, true, false, false, true]);
        let rows: Vec<f64> = laid.nodes.iter().map(|[_, y]| *y).collect();
        assert!(rows[0] < rows[1] && rows[1] < rows[2] && rows[2] == rows[3], "{rows:?}");
        check(&[], &[]);
    }

    #[test]
    fn a_tall_graph_stands_in_columns() {
        let edges: Vec<[usize; 2]> = (0..59).flat_map(|n| [[n, n + 1], [n, (n + 5).min(59)]]).collect();
        let laid = check(&[[120.0, 60.0]; 60], &edges);
        let wrapped = layout(&[[120.0, 60.0]; 60], &edges, true);
        assert!(laid.height > 8.0 * laid.width, "{} x {}", laid.width, laid.height);
        assert!(wrapped.height < wrapped.width, "{} x {}", wrapped.width, wrapped.height);
    }

    #[test]
    fn random_graphs_come_out_soon() {
        let mut random = Random::new(2, "graphs");
        for round in 0..200 {
            let count = 1 + random.below(if round == 0 { 400 } else { 60 });
            let sizes: Vec<[f64; 2]> = (0..count)
                .map(|_| [f64::from(10 + random.below(200)), f64::from(10 + random.below(90))])
                .collect();
            let edge = |random: &mut Random| [random.below(count) as usize, random.below(count) as usize];
            let edges: Vec<[usize; 2]> =
                (0..random.below(2 * count + 1)).map(|_| edge(&mut random)).collect();
            check(&sizes, &edges);
        }
        let start = std::time::Instant::now();
        let long: Vec<[usize; 2]> =
            (0..4999).flat_map(|node| [[node, node + 1], [node, 4999], [node + 1, node / 2]]).collect();
        let laid = layout(&[[40.0, 20.0]; 5000], &long, true);
        assert_eq!(laid.edges.len(), long.len());
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
