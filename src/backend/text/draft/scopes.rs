//! Pairs of braces of a draft, as a tree.
//! In: their first and last lines. Out: answers about two lines: what contains both, and whether
//! one can run before the other. Knows no expression.

/// Lines in one pair of braces. The alignment is for indexing, as an expression's.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Block {
    /// The line of the construct; its block is `parent`.
    pub owner: u32,
    pub parent: u32,
    /// Number of blocks around it.
    pub depth: u32,
    begin: u32,
    end: u32,
    /// Innermost loop; 0 outside all.
    pub home: u32,
    /// One of several arms that exclude each other.
    is_arm: bool,
}

/// The blocks of a function; block 0 is its body.
#[derive(Debug, Default)]
pub struct Scopes {
    pub blocks: Vec<Block>,
    /// For each construct, by its line, the line that ends it.
    pub ends: Vec<u32>,
}

impl Scopes {
    /// Begins with the body of a function of this number of lines.
    pub fn begin_function(&mut self, lines: usize) {
        let end = u32::MAX;
        self.blocks.clear();
        self.blocks.push(Block { owner: 0, parent: 0, depth: 0, begin: 0, end, home: 0, is_arm: false });
        self.ends.clear();
        self.ends.resize(lines, 0);
    }

    /// Begins a block inside another.
    pub fn begin(&mut self, parent: u32, owner: u32, begin: u32, is_arm: bool) -> u32 {
        let Block { depth, home, .. } = self.blocks[parent as usize];
        let block = Block { owner, parent, depth: depth + 1, begin, end: u32::MAX, home, is_arm };
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    /// Begins the body of a loop, which blocks inside inherit as their innermost one.
    pub fn begin_loop(&mut self, parent: u32, at: u32) -> u32 {
        let inside = self.begin(parent, at, at, false);
        self.blocks[inside as usize].home = inside;
        inside
    }

    /// Ends a block at a line, and its construct unless a later block ends that.
    pub fn end(&mut self, block: u32, at: u32) -> Block {
        let block = &mut self.blocks[block as usize];
        block.end = at;
        self.ends[block.owner as usize] = at;
        *block
    }

    /// Returns whether a line in a block never runs before a use in the same iteration, because the
    /// use stands in another arm of the same construct.
    pub fn excludes(&self, mut block: u32, used: u32) -> bool {
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

    /// Returns the innermost common block of two blocks.
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let deeper =
                if self.blocks[a as usize].depth >= self.blocks[b as usize].depth { &mut a } else { &mut b };
            *deeper = self.blocks[*deeper as usize].parent;
        }
        a
    }

    /// Returns the line, outside loops and in `common` or a block around it, that contains the
    /// line `at` of `block`.
    pub fn outside(&self, mut at: u32, mut block: u32, common: u32) -> u32 {
        let mut has_all = false;
        loop {
            has_all |= block == common;
            let Block { owner, parent, home, .. } = self.blocks[block as usize];
            if has_all && home == 0 {
                return at;
            }
            (at, block) = (owner, parent);
        }
    }
}
