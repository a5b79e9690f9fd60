//! What the lines of a draft say about its expressions and variables: where each is evaluated, used, stored.
//! In: a draft. Out: a [`Survey`] for `inline`. Knows no syntax and decides nothing but which values go by a variable's name.

use super::draft::{Draft, Expr, Form, Line, Operand, Place, Variable, View};

/// No line, no block, no span.
pub const NONE: u32 = u32::MAX;

/// What is known of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Line that evaluates it; nothing else evaluates it.
    pub at: u32,
    /// Innermost loop around that line; 0 outside of all.
    home: u32,
    /// Last line that its text may stand in.
    last: u32,
    /// No use comes before this line.
    first: u32,
    /// Block of the line that evaluates it.
    block: u32,
    /// The first store of it, its variable and its block.
    pub store: Option<(u32, Variable, u32)>,
    /// The line that stores it in the variable whose name it goes by afterwards.
    pub kept: u32,
    /// Number of uses.
    pub uses: u32,
    /// The last of its spans.
    spans: u32,
    /// Whether another loop than its own uses it.
    pub crosses: bool,
}

impl Fact {
    const NEW: Self = Self {
        at: NONE,
        home: 0,
        last: 0,
        first: NONE,
        block: 0,
        store: None,
        kept: NONE,
        uses: 0,
        spans: NONE,
        crosses: false,
    };
    /// Whether a line evaluates it.
    pub const fn is_evaluated(&self) -> bool {
        self.at != NONE
    }
}

/// First and last line that one use may be written in, and the span of the same expression before.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    last: u32,
    previous: u32,
}

/// Lines in one pair of braces.
#[derive(Clone, Copy)]
struct Block {
    /// The line of the construct; its block is `parent`.
    owner: u32,
    parent: u32,
    depth: u32,
    begin: u32,
    end: u32,
    /// Innermost loop.
    home: u32,
    /// Whether it is one of several that exclude each other.
    is_arm: bool,
}

/// Where a variable is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Before this line, or by it.
    pub at: u32,
    /// Which.
    pub variable: Variable,
    /// Whether the line is the store that gives its first value.
    pub by_store: bool,
}

/// The survey of a function.
pub struct Survey<'d> {
    draft: &'d Draft,
    pub facts: Vec<Fact>,
    /// For each `If`, the line that ends it.
    pub ends: Vec<u32>,
    spans: Vec<Span>,
    blocks: Vec<Block>,
    /// Lines that store each variable, ascending, and their blocks.
    stores: Vec<Vec<(u32, u32)>>,
    block: u32,
}

impl<'d> Survey<'d> {
    /// Walks over all lines, then from users to their operands. `twice`: operands of `Outputs` that are written twice.
    pub fn new(draft: &'d Draft, twice: impl Fn(usize) -> bool) -> Self {
        let function = Block { owner: 0, parent: 0, depth: 0, begin: 0, end: NONE, home: 0, is_arm: false };
        let mut survey = Self {
            draft,
            facts: vec![Fact::NEW; draft.nodes.len()],
            ends: vec![0; draft.lines.len()],
            spans: Vec::new(),
            blocks: vec![function],
            stores: vec![Vec::new(); draft.variables.len()],
            block: 0,
        };
        for (at, line) in (0..).zip(&draft.lines) {
            survey.line(at, line, &twice);
        }
        survey.count_uses();
        survey
    }

    fn line(&mut self, at: u32, line: &Line, twice: &impl Fn(usize) -> bool) {
        match *line {
            Line::Evaluate(expr) => {
                let (home, block) = (self.blocks[self.block as usize].home, self.block);
                self.facts[expr as usize] = Fact { at, home, last: at, block, ..Fact::NEW };
            }
            Line::Store { place, value } => {
                self.used(value, at);
                match place {
                    Place::Variable(variable) => {
                        if let View::Whole(expr) = value.view {
                            let store = &mut self.facts[expr as usize].store;
                            *store = store.or(Some((at, variable, self.block)));
                        }
                        self.stores[variable as usize].push((at, self.block));
                    }
                    Place::Element(_, index) => self.used(index, at),
                    Place::Output(_) => {}
                }
            }
            Line::If { condition } => {
                self.used(condition, at);
                self.begin(at, at, true);
            }
            Line::Else => {
                let owner = self.end(at);
                self.begin(owner, at, true);
            }
            Line::Loop { .. } => {
                self.begin(at, at, false);
                self.blocks[self.block as usize].home = self.block;
            }
            // Cases are arms of the switch; its own block has nothing else.
            Line::Switch { selector, .. } => {
                self.used(selector, at);
                self.begin(at, at, false);
            }
            Line::Case { .. } | Line::Default => {
                let switch = self.blocks[self.block as usize].owner;
                self.begin(switch, at, true);
            }
            Line::End => {
                let owner = self.end(at);
                self.ends[owner as usize] = at;
            }
            Line::Return(operand) => self.used(operand, at),
            Line::Outputs { first, count } => {
                for (index, &operand) in self.draft.list(first, count).iter().enumerate() {
                    self.used(operand, at);
                    if twice(index) {
                        self.used(operand, at);
                    }
                }
            }
            Line::Break | Line::Continue | Line::Leave => {}
        }
    }

    fn begin(&mut self, owner: u32, begin: u32, is_arm: bool) {
        let parent = self.block;
        let Block { depth, home, .. } = self.blocks[parent as usize];
        self.block = self.blocks.len() as u32;
        self.blocks.push(Block { owner, parent, depth: depth + 1, begin, end: NONE, home, is_arm });
    }

    /// Ends a block; gives the line of its construct.
    fn end(&mut self, at: u32) -> u32 {
        let block = &mut self.blocks[self.block as usize];
        block.end = at;
        self.block = block.parent;
        block.owner
    }

    /// A use by a line.
    fn used(&mut self, operand: Operand, at: u32) {
        if let Some(expr) = operand.view.expr() {
            self.use_in(expr, (at, at), self.blocks[self.block as usize].home, 1);
        }
    }

    /// A use in text that stands between two lines.
    fn use_in(&mut self, expr: Expr, (first, last): (u32, u32), home: u32, times: u32) {
        let is_repeatable = self.is_repeatable(expr);
        let fact = &mut self.facts[expr as usize];
        fact.uses = fact.uses.saturating_add(times);
        fact.last = fact.last.max(last);
        fact.first = fact.first.min(first);
        fact.crosses |= fact.is_evaluated() && fact.home != home;
        if fact.is_evaluated() && (fact.store.is_some() || is_repeatable) {
            let previous = std::mem::replace(&mut fact.spans, self.spans.len() as u32);
            self.spans.push(Span { first, last, previous });
        }
    }

    /// The innermost block around two blocks.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let deeper =
                if self.blocks[a as usize].depth >= self.blocks[b as usize].depth { &mut a } else { &mut b };
            *deeper = self.blocks[*deeper as usize].parent;
        }
        a
    }

    /// Counts the uses by expressions that are used themselves, users first.
    fn count_uses(&mut self) {
        let draft = self.draft;
        for expr in (0..draft.nodes.len() as Expr).rev() {
            let fact = self.facts[expr as usize];
            if fact.uses == 0 {
                continue;
            }
            let is_access = matches!(draft.nodes[expr as usize].form, Form::ElementOf(_));
            // What is written in place takes its operands along; what has a name leaves them.
            let last = match self.kept(expr) {
                Some(store) => {
                    self.facts[expr as usize].kept = store;
                    store
                }
                None if !is_access && (fact.uses > 1 || fact.crosses) && !self.is_repeatable(expr) => fact.at,
                None => fact.last,
            };
            let times = if is_access { fact.uses } else { 1 };
            for operand in draft.operands(expr).iter().filter_map(|operand| operand.view.expr()) {
                self.use_in(operand, (fact.at, last), fact.home, times);
                let crosses = is_access && fact.crosses && self.facts[operand as usize].is_evaluated();
                self.facts[operand as usize].crosses |= crosses;
            }
        }
    }

    /// The store whose variable's name an expression may go by: its first use, in its own block, and no other store comes
    /// before its last use.
    fn kept(&self, expr: Expr) -> Option<u32> {
        let fact = &self.facts[expr as usize];
        let (at, variable, block) = fact.store?;
        let fits = fact.is_evaluated() && !fact.crosses && fact.first == at && fact.block == block;
        let is_access = matches!(self.draft.nodes[expr as usize].form, Form::ElementOf(_));
        (fits
            && !is_access
            && fact.uses > 1
            && !self.is_repeatable(expr)
            && !self.stored_between(variable, at, expr))
        .then_some(at)
    }

    /// Whether it may be written more than once: a variable's name is no longer than that of a constant.
    fn is_repeatable(&self, expr: Expr) -> bool {
        matches!(self.draft.nodes[expr as usize].form, Form::Variable(_))
    }

    /// Whether the variable may be stored after the line `from` and before a use of the expression.
    pub fn stored_between(&self, variable: Variable, from: u32, expr: Expr) -> bool {
        let stores = &self.stores[variable as usize];
        let next = stores.partition_point(|(at, _)| *at <= from);
        let last = self.facts[expr as usize].last;
        let between = stores[next..].iter().take_while(|(at, _)| *at < last);
        between.into_iter().any(|&(at, block)| {
            let mut span = self.facts[expr as usize].spans;
            while span != NONE {
                let Span { first, last, previous } = self.spans[span as usize];
                if at < last && !self.excludes(block, first) {
                    return true;
                }
                span = previous;
            }
            false
        })
    }

    /// Whether a line in a block never runs before a use in the same iteration, because the use stands in another arm of the
    /// same construct.
    fn excludes(&self, mut block: u32, used: u32) -> bool {
        while block != 0 {
            let Block { owner, parent, begin, end, is_arm, .. } = self.blocks[block as usize];
            if begin < used && used < end {
                return false;
            }
            if is_arm && owner < used && used < self.ends[owner as usize] {
                return true;
            }
            block = parent;
        }
        false
    }

    /// Where the variables are declared: by the first store if it stands in the innermost block that has all occurrences, else
    /// before the line with the first occurrence, outside of loops.
    pub fn declarations(&self) -> Vec<Declaration> {
        // For each variable the first line, its block, and the innermost block that has all.
        let mut found: Vec<Option<(u32, u32, u32)>> = Vec::with_capacity(self.stores.len());
        for stores in &self.stores {
            let first = stores.first().map(|&(at, block)| (at, block, block));
            let common =
                |(at, first, common), &(_, block): &(u32, u32)| (at, first, self.common(common, block));
            found.push(first.map(|first| stores.iter().fold(first, common)));
        }
        for (node, fact) in self.draft.nodes.iter().zip(&self.facts).filter(|(_, fact)| fact.uses > 0) {
            if let Form::Variable(variable) | Form::NotFinite(variable) = node.form {
                let place = &mut found[variable as usize];
                let (at, first, common) = place.unwrap_or((fact.at, fact.block, fact.block));
                let (at, first) = if fact.at < at { (fact.at, fact.block) } else { (at, first) };
                *place = Some((at, first, self.common(common, fact.block)));
            }
        }
        let mut declarations = Vec::new();
        for (variable, found) in (0..).zip(found) {
            let Some((first, block, common)) = found else { continue };
            let stores = &self.stores[variable as usize];
            let by_store = block == common && stores.first().is_some_and(|&(at, _)| at == first);
            let at = if by_store { first } else { self.outside(first, block, common) };
            declarations.push(Declaration { at, variable, by_store });
        }
        declarations.sort_by_key(|declaration| declaration.at);
        declarations
    }

    /// The line of a block around `common`, or `common` itself, that has the line `at` of `block` in it and is in no loop.
    fn outside(&self, mut at: u32, mut block: u32, common: u32) -> u32 {
        let mut climb = |block: &mut u32| {
            let Block { owner, parent, .. } = self.blocks[*block as usize];
            (at, *block) = (owner, parent);
        };
        while block != common {
            climb(&mut block);
        }
        while self.blocks[block as usize].home != 0 {
            climb(&mut block);
        }
        at
    }
}
