//! Block-structured programs like those of an assembler: nested scopes with the padding that
//! separates their ends, procedures, forward jumps inside a block, END on every path.
//! In: random choices. Out: code that never exceeds a stack limit and always ends. Knows no values.
//! Facts: the padding rules are picasso's, see [`Block::pad`].

use transpica::isa::word::{Field, Word};
use transpica::isa::{Move, Opcode};

use super::Random;
use super::data::DataMaker;

/// Entries of the hardware stacks.
const CALLS: u32 = 4;
const IFS: u32 = 8;
const LOOPS: u32 = 4;

/// Meaning of a word's target field until the pieces are placed.
#[derive(Clone, Copy)]
enum Target {
    /// No target.
    None,
    /// An index in the same piece.
    Local,
    /// The start of a procedure.
    Procedure(usize),
}

/// Main program or procedure, with addresses relative to its start.
#[derive(Default)]
pub(crate) struct Piece {
    words: Vec<(Word, Target)>,
    /// Stack entries that a run of it needs at most.
    needs: Depth,
    /// EMITs that a run of it executes at most, if loops run [`ROUNDS`] times.
    pub(crate) emits: u32,
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

/// Context of a block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Scope {
    /// Stack entries of this piece alone.
    depth: Depth,
    /// True inside a loop of this piece.
    in_loop: bool,
    /// True if the block is itself the body of a loop.
    loop_body: bool,
    /// True if some path bypasses the block, so that it may end the program.
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
    Vertex,
}

/// Largest number of iterations of loops in geometry programs.
pub(crate) const ROUNDS: u32 = 3;

/// Parameters of a kind of block-structured programs.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Percentage of statements that are a single EMIT or SETEMIT.
    pub(crate) emit: u32,
    /// Percentage of statements that write outputs, then SETEMIT and EMIT.
    pub(crate) vertex: u32,
    /// Largest number of EMITs of a piece.
    pub(crate) most_emits: u32,
    /// The outputs that are passed on, and the percentage of them that such a vertex writes.
    pub(crate) outputs: u16,
    pub(crate) written: u32,
    /// True if branches may end the program.
    pub(crate) may_end: bool,
    /// True if other statements leave outputs and registers r12 to r15 alone.
    pub(crate) keeps: bool,
    /// Percentage of bool tests that read b15; `None` for the bools of vertex programs.
    pub(crate) ran: Option<u32>,
}

impl Style {
    /// Style of vertex programs, in which EMIT has no effect.
    const VERTEX: Self = Self {
        emit: 1,
        vertex: 0,
        most_emits: u32::MAX,
        outputs: 0,
        written: 0,
        may_end: true,
        keeps: false,
        ran: None,
    };
}

/// Generator of one piece.
pub(crate) struct Maker<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) data: &'a DataMaker,
    procedures: &'a [Piece],
    pub(crate) piece: Piece,
    /// Percentage of statements that open a scope.
    nesting: u32,
    pub(crate) style: Style,
}

/// A block under construction.
#[derive(Default)]
struct Block {
    /// Index of its first word.
    start: usize,
    /// True if a scope ended, or a jump arrives, right after the last word.
    label_at_end: bool,
    /// Pending forward jumps of this block: index of the word, statements that they still skip.
    jumps: Vec<(usize, u32)>,
}

/// Builds a program of about `size` words and returns its code and entry point.
pub(crate) fn code(random: &mut Random, data: &DataMaker, size: u32) -> (Vec<u32>, u16) {
    let main = |maker: &mut Maker<'_>, size| {
        maker.loads();
        maker.block(Scope::default(), size);
        maker.results();
    };
    let (code, entry, _) = code_with(random, data, size, Style::VERTEX, main);
    (code, entry)
}

/// Builds a program of about `size` words from procedures and a main part of the remaining words,
/// ending with END. Returns its code, its entry point and the largest number of EMITs that it
/// executes.
pub(crate) fn code_with(
    random: &mut Random,
    data: &DataMaker,
    size: u32,
    style: Style,
    main: impl FnOnce(&mut Maker<'_>, u32),
) -> (Vec<u32>, u16, u32) {
    let nesting = random.pick(&[5, 15, 30, 50]);
    let count = random.weighted(&[(4, 0), (3, 1), (2, 2), (2, 5)]);
    let mut procedures = Vec::new();
    for _ in 0..count {
        let words = random.between(1, (size / 4).clamp(1, 100));
        let style = Style { most_emits: style.most_emits / 4, ..style };
        let mut maker =
            Maker { random, data, procedures: &procedures, piece: Piece::default(), nesting, style };
        if !procedures.is_empty() && maker.random.chance(60) {
            maker.call_statement(Scope::default());
        }
        maker.block(Scope::default(), words);
        let piece = maker.piece;
        procedures.push(piece);
    }
    let mut maker = Maker { random, data, procedures: &procedures, piece: Piece::default(), nesting, style };
    let used: usize = procedures.iter().map(|piece| piece.words.len()).sum();
    main(&mut maker, size.saturating_sub(used as u32).max(1));
    let main = maker.piece;
    let emits = main.emits;
    let (code, entry) = place(random, &procedures, main);
    (code, entry, emits)
}

/// Places the pieces one after the other, main first or last, and makes their targets absolute.
fn place(random: &mut Random, procedures: &[Piece], main: Piece) -> (Vec<u32>, u16) {
    let main_first = random.chance(60);
    let place_of_main = if main_first { 0 } else { procedures.len() };
    let mut pieces: Vec<&Piece> = procedures.iter().collect();
    pieces.insert(place_of_main, &main);
    let ends =
        pieces.iter().scan(0, |end, piece| Some(std::mem::replace(end, *end + piece.words.len() as u32)));
    let starts: Vec<u32> = ends.collect();
    let mut code = Vec::new();
    for (piece, start) in pieces.iter().zip(&starts) {
        code.extend(piece.words.iter().map(|&(word, target)| match target {
            Target::None => word.0,
            Target::Local => word.with(Field::Target, word.get(Field::Target).unwrap_or(0) + start).0,
            Target::Procedure(number) => word.with(Field::Target, starts[number + usize::from(main_first)]).0,
        }));
    }
    // Range: programs are far shorter than 65536 words.
    (code, starts[place_of_main] as u16)
}

impl Maker<'_> {
    pub(crate) fn here(&self) -> usize {
        self.piece.words.len()
    }
    /// Appends a word that targets another word of this piece.
    pub(crate) fn push_local(&mut self, word: Word, target: u32) {
        self.piece.words.push((word.with(Field::Target, target), Target::Local));
    }
    pub(crate) fn push(&mut self, word: Word) {
        self.piece.words.push((word, Target::None));
    }
    fn nop(&mut self) {
        self.push(Word::new(Opcode::Nop));
    }
    /// Points a word of this piece at another.
    fn aim(&mut self, at: usize, to: usize) {
        let word = self.piece.words[at].0.with(Field::Target, to as u32);
        self.piece.words[at] = (word, Target::Local);
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
            Word::new(by_bool).with(Field::Id, self.bool())
        }
    }

    /// The number of a bool uniform.
    fn bool(&mut self) -> u32 {
        match self.style.ran {
            None => self.random.below(16),
            Some(percent) if self.random.chance(percent) => 15,
            Some(_) => self.random.below(15),
        }
    }

    /// Reserves `count` EMITs in a scope, or returns false if that exceeds the limit.
    fn emits(&mut self, scope: Scope, count: u32) -> bool {
        let executed = count.saturating_mul(ROUNDS.pow(scope.depth.loops));
        let emits = self.piece.emits.saturating_add(executed);
        let fits = emits <= self.style.most_emits;
        if fits {
            self.piece.emits = emits;
        }
        fits
    }

    /// Builds statements up to about `size` words, then the padding.
    pub(crate) fn block(&mut self, scope: Scope, size: u32) {
        let mut block = Block { start: self.here(), ..Block::default() };
        while self.here() < block.start + size as usize {
            let left = (block.start + size as usize - self.here()) as u32;
            let statement = self.choose(scope, left);
            self.statement(statement, scope, left, &mut block);
            self.land_jumps(&mut block, false);
        }
        self.land_jumps(&mut block, true);
        block.pad(self, scope);
    }

    /// Resolves the jumps that have skipped enough statements, or all of them.
    fn land_jumps(&mut self, block: &mut Block, all: bool) {
        let jumps = std::mem::take(&mut block.jumps);
        for (at, statements) in jumps {
            if all || statements == 0 {
                self.aim(at, self.here());
                block.label_at_end = true;
            } else {
                block.jumps.push((at, statements - 1));
            }
        }
    }

    /// Chooses the next statement among those that the stacks, the scope and the space permit.
    fn choose(&mut self, scope: Scope, left: u32) -> Statement {
        if left > 2 && self.random.chance(self.nesting) {
            let (nested, is_possible) = self.random.weighted(&[
                (5, (Statement::If, scope.depth.ifs < IFS)),
                (3, (Statement::Loop, scope.depth.loops < LOOPS)),
                (3, (Statement::Call, !self.procedures.is_empty())),
                (3, (Statement::Jump, true)),
            ]);
            if is_possible {
                return nested;
            }
        }
        let end = if scope.optional && self.style.may_end { 1 } else { 0 };
        let leave = if scope.in_loop { 5 } else { 0 };
        let statement = self.random.weighted(&[
            (70, Statement::Write),
            (14, Statement::Compare),
            (6, Statement::Address),
            (leave, Statement::Break),
            (end, Statement::End),
            (2, Statement::Nop),
            (self.style.emit, Statement::Emit),
            (self.style.vertex, Statement::Vertex),
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
            Statement::Write => self.write(),
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
            // Rare, since an unconditional BREAK makes the rest of the block dead.
            Statement::Break if self.random.chance(15) => Word::new(Opcode::Break),
            Statement::Break => self.condition(Opcode::Breakc),
            Statement::End => Word::new(Opcode::End),
            Statement::Nop => Word::new(Opcode::Nop),
            Statement::Emit if self.random.chance(50) && self.emits(scope, 1) => Word::new(Opcode::Emit),
            Statement::Emit => self.setemit(),
            Statement::Vertex if self.emits(scope, 1) => {
                self.outputs(self.style.outputs);
                if self.random.chance(85) {
                    let word = self.setemit();
                    self.push(word);
                }
                Word::new(Opcode::Emit)
            }
            Statement::Vertex => self.write(),
        };
        self.push(word);
    }

    /// A random instruction that writes a register.
    fn write(&mut self) -> Word {
        let word = self.data.write(self.random);
        match word.get(Field::Dest) {
            Some(dest) if self.style.keeps && !(0x10..0x1C).contains(&dest) => {
                word.with(Field::Dest, 0x10 + dest % 12)
            }
            Some(_) | None => word,
        }
    }

    /// A random SETEMIT.
    fn setemit(&mut self) -> Word {
        let word = Word::new(Opcode::Setemit).with(Field::Vertex, self.random.below(4));
        word.with(Field::Prim, self.random.below(2)).with(Field::Invert, self.random.below(2))
    }

    /// Writes all components of some outputs, or of the style's share of them.
    pub(crate) fn outputs(&mut self, outputs: u16) {
        for output in (0..16).filter(|output| outputs >> output & 1 != 0) {
            if self.random.chance(self.style.written) {
                let word = self.data.whole(self.random, output);
                self.push(word);
            }
        }
    }

    /// A SETEMIT followed by an EMIT; the caller ensures that there are not too many.
    pub(crate) fn emit(&mut self, slot: u32, prim: bool) {
        let invert = self.random.below(2);
        let word = Word::new(Opcode::Setemit).with(Field::Vertex, slot).with(Field::Invert, invert);
        self.push(word.with(Field::Prim, prim.into()));
        self.push(Word::new(Opcode::Emit));
        self.piece.emits += 1;
    }

    /// IF with or without an else part.
    fn if_statement(&mut self, scope: Scope, left: u32, block: &mut Block) {
        let head = self.here();
        let word = self.test(Opcode::Ifc, Opcode::Ifu);
        self.push(word);
        let mut inner = Scope { loop_body: false, optional: true, ..scope };
        inner.depth.ifs += 1;
        self.piece.needs = self.piece.needs.max(inner.depth);
        let then_size = self.random.between(1, (left - 2).min(200));
        self.block(inner, then_size);
        self.aim(head, self.here());
        if self.random.chance(50) {
            let start = self.here();
            // The else part needs no stack entry.
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
        self.aim(head, self.here() - 1);
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
        let emits = procedure.emits;
        if !depth.fits() || !self.emits(scope, emits) {
            let word = self.write();
            return self.push(word);
        }
        self.piece.needs = self.piece.needs.max(depth);
        let word = match self.random.below(3) {
            0 => Word::new(Opcode::Call),
            1 => self.condition(Opcode::Callc),
            _ => Word::new(Opcode::Callu).with(Field::Id, self.bool()),
        };
        let word = word.with(Field::Num, procedure.words.len() as u32);
        self.piece.words.push((word, Target::Procedure(number)));
    }

    /// Copies inputs to temporaries, so that later results depend on them.
    fn loads(&mut self) {
        for number in 0..self.random.between(1, 4) {
            self.push(self.data.copy(0x10 + number, number));
        }
    }

    /// Copies temporaries to outputs, to make them visible, and ends the program.
    fn results(&mut self) {
        for number in 0..self.random.between(1, 4) {
            self.push(self.data.copy(number, 0x10 + number));
        }
        self.push(Word::new(Opcode::End));
    }
}

impl Block {
    /// Pads a complete block in three cases: it is empty; its last word is a control-flow
    /// instruction, which the end of the scope would override; a label or the end of an inner scope
    /// is at its end, and two ends must not coincide.
    fn pad(&self, maker: &mut Maker<'_>, scope: Scope) {
        let is_overridden =
            maker.piece.words[self.start..].last().is_none_or(|(word, _)| match word.moves() {
                Some(Move::Jump | Move::Call) => true,
                Some(Move::Break) => scope.loop_body,
                Some(Move::Next | Move::End | Move::If | Move::Loop) | None => false,
            });
        if is_overridden || self.label_at_end {
            maker.nop();
        }
    }
}
