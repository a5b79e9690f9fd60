//! Block-structured programs as an assembler makes them: nested scopes with the padding that keeps their ends apart,
//! procedures, forward jumps inside a block, END on every path.
//! In: random choices. Out: code that never passes a stack limit and always ends. Knows no values.
//! Facts: the padding rules are those that picasso uses, see [`Block::finish`].

use transpica::isa::Opcode;
use transpica::isa::word::{Field, Word};

use crate::data::DataMaker;
use crate::random::Random;

/// Entries that the hardware stacks hold.
const CALLS: u32 = 4;
const IFS: u32 = 8;
const LOOPS: u32 = 4;

/// What the target field of a word means until the pieces have their place.
#[derive(Clone, Copy)]
enum Target {
    /// Nothing to change.
    None,
    /// An index in the same piece.
    Local,
    /// The start of a procedure.
    Procedure(usize),
}

/// Main program or procedure, addresses counted from its own start.
#[derive(Default)]
struct Piece {
    words: Vec<(Word, Target)>,
    /// Stack entries that a run of it needs at most.
    needs: Depth,
}

/// Entries on the three stacks.
#[derive(Clone, Copy, Default)]
struct Depth {
    calls: u32,
    ifs: u32,
    loops: u32,
}

impl Depth {
    fn plus(self, other: Self) -> Self {
        Self { calls: self.calls + other.calls, ifs: self.ifs + other.ifs, loops: self.loops + other.loops }
    }
    fn fits(self) -> bool {
        self.calls <= CALLS && self.ifs <= IFS && self.loops <= LOOPS
    }
    fn max(self, other: Self) -> Self {
        Self {
            calls: self.calls.max(other.calls),
            ifs: self.ifs.max(other.ifs),
            loops: self.loops.max(other.loops),
        }
    }
}

/// What surrounds a block.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// Entries of this piece alone.
    depth: Depth,
    /// Whether a loop of this piece surrounds it.
    in_loop: bool,
    /// Whether the block is the body of a loop itself.
    loop_body: bool,
    /// Whether some path passes it by, so that it may end the program.
    optional: bool,
}

/// A statement.
#[derive(Clone, Copy)]
enum Statement {
    Write,
    Compare,
    Address,
    If,
    Loop,
    Call,
    Jump,
    Break,
    End,
    Nop,
    Emit,
}

/// Makes one piece.
struct Maker<'a> {
    random: &'a mut Random,
    data: &'a DataMaker,
    procedures: &'a [Piece],
    piece: Piece,
    /// How eagerly scopes nest, in percent of the statements.
    nesting: u32,
}

/// A block that is being made.
#[derive(Default)]
struct Block {
    /// Word at which it starts.
    start: usize,
    /// Whether a scope ended, or a jump arrives, right after the last word.
    label_at_end: bool,
    /// Forward jumps of this block: place of the word, statements that they still skip.
    jumps: Vec<(usize, u32)>,
}

/// Makes a program of about `size` words and returns its code and entry point.
pub(crate) fn code(random: &mut Random, data: &DataMaker, size: u32) -> (Vec<u32>, u16) {
    let nesting = random.pick(&[5, 15, 30, 50]);
    let count = random.weighted(&[(4, 0), (3, 1), (2, 2), (2, 5)]);
    let mut procedures = Vec::new();
    for _ in 0..count {
        let words = random.between(1, (size / 4).clamp(1, 100));
        let mut maker = Maker { random, data, procedures: &procedures, piece: Piece::default(), nesting };
        if !procedures.is_empty() && maker.random.chance(60) {
            maker.call_statement(Scope::default());
        }
        maker.block(Scope::default(), words);
        let piece = maker.piece;
        procedures.push(piece);
    }
    let mut maker = Maker { random, data, procedures: &procedures, piece: Piece::default(), nesting };
    let used: usize = procedures.iter().map(|piece| piece.words.len()).sum();
    maker.loads();
    maker.block(Scope::default(), size.saturating_sub(used as u32).max(1));
    maker.results();
    let main = maker.piece;
    place(random, &procedures, main)
}

/// Puts the pieces one after the other, main first or last, and makes their targets absolute.
fn place(random: &mut Random, procedures: &[Piece], main: Piece) -> (Vec<u32>, u16) {
    let main_first = random.chance(60);
    let mut address = if main_first { main.words.len() } else { 0 };
    let mut starts = Vec::new();
    for piece in procedures {
        starts.push(address);
        address += piece.words.len();
    }
    let entry = if main_first { 0 } else { address };
    let mut code = Vec::new();
    let mut put = |piece: &Piece, start: usize| {
        for &(word, target) in &piece.words {
            let local = word.get(Field::Target).unwrap_or(0);
            let word = match target {
                Target::None => word,
                Target::Local => word.with(Field::Target, local + start as u32),
                Target::Procedure(number) => word.with(Field::Target, starts[number] as u32),
            };
            code.push(word.0);
        }
    };
    if main_first {
        put(&main, entry);
    }
    procedures.iter().zip(&starts).for_each(|(piece, &start)| put(piece, start));
    if !main_first {
        put(&main, entry);
    }
    // Range: programs are far shorter than 65536 words.
    (code, entry as u16)
}

impl Maker<'_> {
    fn here(&self) -> usize {
        self.piece.words.len()
    }
    fn push(&mut self, word: Word) {
        self.piece.words.push((word, Target::None));
    }
    fn nop(&mut self) {
        self.push(Word::new(Opcode::Nop));
    }
    /// Points a word of this piece at the next word.
    fn aim_here(&mut self, at: usize) {
        let here = self.here() as u32;
        let (word, target) = &mut self.piece.words[at];
        *word = word.with(Field::Target, here);
        *target = Target::Local;
    }

    /// A condition on the flags, for a word of format 2.
    fn condition(&mut self, opcode: Opcode) -> Word {
        Word::new(opcode)
            .with(Field::ConditionOp, self.random.below(4))
            .with(Field::RefX, self.random.below(2))
            .with(Field::RefY, self.random.below(2))
    }

    /// A word with a condition or with a bool uniform.
    fn test(&mut self, by_flags: Opcode, by_bool: Opcode) -> Word {
        if self.random.chance(60) {
            self.condition(by_flags)
        } else {
            Word::new(by_bool).with(Field::Id, self.random.below(16))
        }
    }

    /// Statements up to about `size` words, then the padding.
    fn block(&mut self, scope: Scope, size: u32) {
        let mut block = Block { start: self.here(), ..Block::default() };
        while self.here() < block.start + size as usize {
            let left = (block.start + size as usize - self.here()) as u32;
            let statement = self.choose(scope, left);
            self.statement(statement, scope, left, &mut block);
            self.land_jumps(&mut block, false);
        }
        self.land_jumps(&mut block, true);
        block.finish(self, scope);
    }

    /// Lets the jumps arrive that have skipped enough statements, or all of them.
    fn land_jumps(&mut self, block: &mut Block, all: bool) {
        let jumps = std::mem::take(&mut block.jumps);
        for (at, statements) in jumps {
            if all || statements == 0 {
                self.aim_here(at);
                block.label_at_end = true;
            } else {
                block.jumps.push((at, statements - 1));
            }
        }
    }

    /// What comes next; only what the stacks, the scope and the space allow.
    fn choose(&mut self, scope: Scope, left: u32) -> Statement {
        if left > 2 && self.random.chance(self.nesting) {
            let nested = self.random.weighted(&[
                (5, Statement::If),
                (3, Statement::Loop),
                (3, Statement::Call),
                (3, Statement::Jump),
            ]);
            let depth = scope.depth;
            let possible = match nested {
                Statement::If => depth.ifs < IFS,
                Statement::Loop => depth.loops < LOOPS,
                Statement::Call => !self.procedures.is_empty(),
                // Nothing else is in the list above.
                Statement::Jump
                | Statement::Write
                | Statement::Compare
                | Statement::Address
                | Statement::Break
                | Statement::End
                | Statement::Nop
                | Statement::Emit => true,
            };
            if possible {
                return nested;
            }
        }
        let end = if scope.optional { 1 } else { 0 };
        let leave = if scope.in_loop { 5 } else { 0 };
        let statement = self.random.weighted(&[
            (70, Statement::Write),
            (14, Statement::Compare),
            (6, Statement::Address),
            (leave, Statement::Break),
            (end, Statement::End),
            (2, Statement::Nop),
            (1, Statement::Emit),
        ]);
        let after_address = self.piece.words.last().and_then(|(word, _)| word.opcode()) == Some(Opcode::Mova);
        match statement {
            // Two in a row hang hardware.
            Statement::Address if after_address => Statement::Write,
            other => other,
        }
    }

    fn statement(&mut self, statement: Statement, scope: Scope, left: u32, block: &mut Block) {
        block.label_at_end = false;
        let word = match statement {
            Statement::Write => self.data.write(self.random),
            Statement::Compare => self.data.compare(self.random),
            Statement::Address => self.data.address(self.random),
            Statement::If => return self.if_statement(scope, left, block),
            Statement::Loop => return self.loop_statement(scope, left, block),
            Statement::Call => return self.call_statement(scope),
            Statement::Jump => {
                let mut word = self.test(Opcode::Jmpc, Opcode::Jmpu);
                if word.opcode() == Some(Opcode::Jmpu) {
                    word = word.with(Field::Num, self.random.below(2));
                }
                block.jumps.push((self.here(), self.random.between(1, 5)));
                word
            }
            // Without a condition what follows in the block is dead: rare.
            Statement::Break if self.random.chance(15) => Word::new(Opcode::Break),
            Statement::Break => self.condition(Opcode::Breakc),
            Statement::End => Word::new(Opcode::End),
            Statement::Nop => Word::new(Opcode::Nop),
            Statement::Emit if self.random.chance(50) => Word::new(Opcode::Emit),
            Statement::Emit => {
                let word = Word::new(Opcode::Setemit).with(Field::Vertex, self.random.below(4));
                word.with(Field::Prim, self.random.below(2)).with(Field::Invert, self.random.below(2))
            }
        };
        self.push(word);
    }

    /// IF with or without an else-part.
    fn if_statement(&mut self, scope: Scope, left: u32, block: &mut Block) {
        let head = self.here();
        let word = self.test(Opcode::Ifc, Opcode::Ifu);
        self.push(word);
        let mut inner = Scope { loop_body: false, optional: true, ..scope };
        inner.depth.ifs += 1;
        self.piece.needs = self.piece.needs.max(inner.depth);
        let then_size = self.random.between(1, (left - 2).min(200));
        self.block(inner, then_size);
        self.aim_here(head);
        if self.random.chance(50) {
            let start = self.here();
            // The else-part needs no entry of its own.
            inner.depth.ifs -= 1;
            let size = left.saturating_sub(then_size + 2).clamp(1, 100);
            let size = self.random.between(1, size);
            self.block(inner, size);
            let length = (self.here() - start) as u32;
            let (word, _) = &mut self.piece.words[head];
            *word = word.with(Field::Num, length);
        }
        block.label_at_end = true;
    }

    fn loop_statement(&mut self, scope: Scope, left: u32, block: &mut Block) {
        let head = self.here();
        let word = Word::new(Opcode::Loop).with(Field::Id, self.random.below(4));
        self.push(word);
        let mut inner = Scope { in_loop: true, loop_body: true, ..scope };
        inner.depth.loops += 1;
        self.piece.needs = self.piece.needs.max(inner.depth);
        let size = self.random.between(1, left - 1);
        self.block(inner, size);
        let last = self.here() as u32 - 1;
        let (word, target) = &mut self.piece.words[head];
        *word = word.with(Field::Target, last);
        *target = Target::Local;
        block.label_at_end = true;
    }

    /// A call of a procedure that still fits on the stacks; a plain instruction if none does.
    fn call_statement(&mut self, scope: Scope) {
        let count = self.procedures.len();
        // The newest one calls the others: chains of calls grow to the depth of the stack.
        let number =
            if self.random.chance(60) { count - 1 } else { self.random.below(count as u32) as usize };
        let procedure = &self.procedures[number];
        let mut depth = scope.depth.plus(procedure.needs);
        depth.calls += 1;
        if !depth.fits() {
            let word = self.data.write(self.random);
            return self.push(word);
        }
        self.piece.needs = self.piece.needs.max(depth);
        let word = match self.random.below(3) {
            0 => Word::new(Opcode::Call),
            1 => self.condition(Opcode::Callc),
            _ => Word::new(Opcode::Callu).with(Field::Id, self.random.below(16)),
        };
        let word = word.with(Field::Num, procedure.words.len() as u32);
        self.piece.words.push((word, Target::Procedure(number)));
    }

    /// Copies inputs to temporaries, so that what follows depends on them.
    fn loads(&mut self) {
        for number in 0..self.random.between(1, 4) {
            let word = self.data.copy(0x10 + number, number);
            self.push(word);
        }
    }

    /// Copies temporaries to outputs, so that they can be seen, and ends the program.
    fn results(&mut self) {
        for number in 0..self.random.between(1, 4) {
            let word = self.data.copy(number, 0x10 + number);
            self.push(word);
        }
        self.push(Word::new(Opcode::End));
    }
}

impl Block {
    /// Pads a block that is complete: where it is empty; where its last word steers, so that the end of the scope would
    /// override it; where a label stands at its end or an inner scope ended there, so that no two ends coincide.
    fn finish(&self, maker: &mut Maker<'_>, scope: Scope) {
        let last = maker.piece.words[self.start..].last().and_then(|(word, _)| word.opcode());
        let steers = match last {
            None => true,
            Some(Opcode::Jmpc | Opcode::Jmpu | Opcode::Call | Opcode::Callc | Opcode::Callu) => true,
            Some(Opcode::Break | Opcode::Breakc) => scope.loop_body,
            Some(_) => false,
        };
        if steers || self.label_at_end {
            maker.nop();
        }
    }
}
