//! What the lines of a draft say about its expressions and variables: where each is evaluated,
//! used, stored.
//! In: a draft. Out: a [`Survey`] for `inline`. Knows no syntax and decides nothing but which
//! values go by a variable's name.

use super::draft::{Draft, Expr, Form, Line, Operand, Place, Variable, View};

/// No line, no block, no span.
pub const NONE: u32 = u32::MAX;

/// A name that has no number yet.
pub const UNNUMBERED: u32 = u32::MAX - 1;

/// Length and depth of an expression, and whether there is arithmetic on floats in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub length: u32,
    pub depth: u32,
    pub is_exact: bool,
}

/// Everything that is known of an expression. The last three are `inline`'s.
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
    /// Its name in [`Plan::words`](super::inline::Plan::words); [`NONE`] where it is written in
    /// place.
    pub name: u32,
    pub size: Size,
    /// Whether each of its parts has a line of its own.
    pub is_broken: bool,
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
        name: NONE,
        size: Size { length: 0, depth: 0, is_exact: false },
        is_broken: false,
    };
    /// Whether it is written by a name.
    pub const fn is_named(&self) -> bool {
        self.name != NONE
    }
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

/// A store to a variable.
#[derive(Clone, Copy)]
struct Store {
    variable: Variable,
    at: u32,
    block: u32,
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
    /// By variable, then by line.
    stores: Vec<Store>,
    block: u32,
}

impl<'d> Survey<'d> {
    /// Walks over all lines, then from users to their operands. `twice`: operands of `Outputs` that
    /// are written twice.
    pub fn new(draft: &'d Draft, twice: impl Fn(usize) -> bool) -> Self {
        let function = Block { owner: 0, parent: 0, depth: 0, begin: 0, end: NONE, home: 0, is_arm: false };
        let mut survey = Self {
            draft,
            facts: vec![Fact::NEW; draft.nodes.len()],
            ends: vec![0; draft.lines.len()],
            spans: Vec::new(),
            blocks: vec![function],
            stores: Vec::new(),
            block: 0,
        };
        for (at, line) in (0..).zip(&draft.lines) {
            survey.line(at, line, &twice);
        }
        survey.stores.sort_by_key(|store| store.variable);
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
                        self.stores.push(Store { variable, at, block: self.block });
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
            self.use_in(expr, (at, at), self.blocks[self.block as usize].home);
        }
    }

    /// A use in text that stands between two lines.
    fn use_in(&mut self, expr: Expr, (first, last): (u32, u32), home: u32) {
        let is_repeatable = self.is_repeatable(expr);
        let fact = &mut self.facts[expr as usize];
        fact.uses = fact.uses.saturating_add(1);
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
            // What is written in place takes its operands along; what has a name leaves them.
            let last = match self.kept(expr) {
                Some(store) => {
                    self.facts[expr as usize].kept = store;
                    store
                }
                None if (fact.uses > 1 || fact.crosses) && !self.is_repeatable(expr) => fact.at,
                None => fact.last,
            };
            for operand in draft.operands(expr).iter().filter_map(|operand| operand.view.expr()) {
                self.use_in(operand, (fact.at, last), fact.home);
            }
        }
    }

    /// The store whose variable's name an expression may go by: its first use, in its own block,
    /// and no other store comes before its last use.
    fn kept(&self, expr: Expr) -> Option<u32> {
        let fact = &self.facts[expr as usize];
        let (at, variable, block) = fact.store?;
        let fits = fact.is_evaluated() && !fact.crosses && fact.first == at && fact.block == block;
        (fits && fact.uses > 1 && !self.is_repeatable(expr) && !self.stored_between(variable, at, expr))
            .then_some(at)
    }

    /// Whether it may be written more than once: a variable's name is no longer than that of a
    /// constant.
    fn is_repeatable(&self, expr: Expr) -> bool {
        matches!(self.draft.nodes[expr as usize].form, Form::Variable(_))
    }

    fn stores_of(&self, variable: Variable) -> &[Store] {
        let start = self.stores.partition_point(|store| store.variable < variable);
        let stores = &self.stores[start..];
        &stores[..stores.partition_point(|store| store.variable == variable)]
    }

    /// Whether the variable may be stored after the line `from` and before a use of the expression.
    pub fn stored_between(&self, variable: Variable, from: u32, expr: Expr) -> bool {
        let stores = self.stores_of(variable);
        let next = stores.partition_point(|store| store.at <= from);
        let last = self.facts[expr as usize].last;
        let mut between = stores[next..].iter().take_while(|store| store.at < last);
        between.any(|&Store { at, block, .. }| {
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

    /// Whether a line in a block never runs before a use in the same iteration, because the use
    /// stands in another arm of the same construct.
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

    /// Where the variables are declared: by the first store if it stands in the innermost block
    /// that has all occurrences, else before the line with the first occurrence, outside of loops.
    pub fn declarations(&self) -> Vec<Declaration> {
        // For each variable the first line, its block, and the innermost block that has all.
        let mut found: Vec<Option<(u32, u32, u32)>> = vec![None; self.draft.variables.len()];
        for &Store { variable, at, block } in &self.stores {
            let place = &mut found[variable as usize];
            let (at, first, common) = place.unwrap_or((at, block, block));
            *place = Some((at, first, self.common(common, block)));
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
            let first_store = self.stores_of(variable).first();
            let by_store = block == common && first_store.is_some_and(|store| store.at == first);
            let at = if by_store { first } else { self.outside(first, block, common) };
            declarations.push(Declaration { at, variable, by_store });
        }
        declarations.sort_by_key(|declaration| declaration.at);
        declarations
    }

    /// The line of a block around `common`, or `common` itself, that has the line `at` of `block`
    /// in it and is in no loop.
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
