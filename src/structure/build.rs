//! Writes the finished statements as a tree.
//! In: [`Items`] without labels. Out: [`Tree`], or how deep it would be. Knows only statements.

use super::items::{Items, Kind, NONE, Seq};
use super::tree::{List, Stmt, Tree};
use crate::entity::{Arena, Handle};

/// The tree of a list, and the depth of its nesting. A breakable and a switch count twice: they and their case.
pub(super) fn build(items: &Items, root: Seq, vars: u32) -> (Tree, u32) {
    // The list of the tree and the depth, for lists that are part of it. Inner lists have higher numbers.
    let mut places = vec![None; items.seqs.len()];
    let mut tree = Tree { lists: Arena::new(), root: None, vars };
    let mut deepest = 0;
    for index in root.0..items.seqs.len() as u32 {
        let seq = Seq(index);
        let depth = match places[index as usize] {
            Some((_, depth)) => depth,
            None if seq == root => 0,
            None => continue,
        };
        deepest = deepest.max(depth);
        let list = match places[index as usize] {
            Some((list, _)) => list,
            None => tree.lists.push(Vec::new()),
        };
        let mut place = |seq: Seq, levels: u32| {
            let list = tree.lists.push(Vec::new());
            places[seq.0 as usize] = Some((list, depth + levels));
            list
        };
        let mut stmts = Vec::with_capacity(length(items, seq));
        let mut at = items.seq(seq).first;
        while at != NONE {
            let item = items.item(at);
            stmts.extend(statement(item.kind, &mut place));
            at = item.next;
        }
        tree.lists[list] = stmts;
    }
    tree.root = (!tree.lists.is_empty()).then(|| List::from_index(0));
    (tree, deepest)
}

fn length(items: &Items, seq: Seq) -> usize {
    let mut count = 0;
    let mut at = items.seq(seq).first;
    while at != NONE {
        count += 1;
        at = items.item(at).next;
    }
    count
}

fn statement(kind: Kind, place: &mut impl FnMut(Seq, u32) -> List) -> Option<Stmt> {
    Some(match kind {
        Kind::Nothing => return None,
        Kind::Block(block) => Stmt::Block(block),
        Kind::Set { var, value } => Stmt::Set { var, value },
        Kind::If { cond, negate, then, otherwise } => {
            Stmt::If { cond, negate, then: place(then, 1), otherwise: place(otherwise, 1) }
        }
        Kind::Loop { body, .. } => Stmt::Loop(place(body, 1)),
        Kind::Breakable(body) => Stmt::Breakable(place(body, 2)),
        Kind::Switch { var, first, count } => {
            // The variable has no other value, so the last case needs no test.
            let last = count - 1;
            let cases = (0..last).map(|value| (vec![value], place(Seq(first.0 + value), 2))).collect();
            Stmt::Switch { var, cases, default: place(Seq(first.0 + last), 2) }
        }
        Kind::Break => Stmt::Break,
        Kind::Continue => Stmt::Continue,
        Kind::Br(_) => {
            unreachable!("every label belongs to a scope or loop, and closing it lowers its exits")
        }
    })
}
