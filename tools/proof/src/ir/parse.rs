//! Parses a module from text.
//! In: any text. Out: a module of that shape, or an error with its place; well-formedness is
//! checked by the verifier. No recursion; memory grows with the text, the numbers of values are
//! limited.

use std::sync::Arc;

use super::lex::{Lexer, Place, Result, Token, error};
use transpica::Limits;
use transpica::stages::ir::text::COMPONENTS;
use transpica::stages::ir::{
    Array, Binary, Buffer, Def, Exit, Func, Hint, HintRegister, Item, Lane, Module, Node, NodeData, Op,
    Region, RegionData, Resource, ScalarKind, Type, Unary, Value, ValueData, ValueList,
};

/// Reads a module.
///
/// # Errors
/// The first fault, with line and column.
pub fn parse(text: &str) -> Result<Module> {
    let mut functions = Vec::new();
    let mut parser = Parser::new(text)?;
    while parser.token != Token::End {
        parser.function()?;
        functions.push(std::mem::take(&mut parser.f));
    }
    let main = functions.pop().ok_or_else(|| error(parser.place, "a function is needed"))?;
    if functions.len() > usize::from(u16::MAX) {
        return Err(error(parser.place, "too many functions"));
    }
    Ok(Module { main, helpers: functions.into_iter().map(Arc::new).collect() })
}

/// Owner of the innermost open brace.
enum Open {
    Body,
    Then(Node),
    /// The last region of a construct.
    Only(Node),
    Case(Node),
    Default(Node),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    place: Place,
    f: Func,
    open: Vec<(Open, Region)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let (token, place) = lexer.next()?;
        Ok(Self { lexer, token, place, f: Func::default(), open: Vec::new() })
    }

    fn bump(&mut self) -> Result<Token<'a>> {
        let (token, place) = self.lexer.next()?;
        self.place = place;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn wrong<T>(&self, expected: &str) -> Result<T> {
        let found = match &self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Value(number) => format!("`%{number}`"),
            Token::Arrow => "`->`".into(),
            Token::Sign(sign) => format!("`{}`", sign.escape_debug()),
            Token::End => "the end".into(),
        };
        Err(error(self.place, format!("{expected} expected, found {found}")))
    }

    fn take(&mut self, token: &Token<'_>) -> Result<bool> {
        let found = self.token == *token;
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn take_sign(&mut self, sign: char) -> Result<bool> {
        self.take(&Token::Sign(sign))
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign)? { Ok(()) } else { self.wrong(&format!("`{sign}`")) }
    }

    fn word(&mut self, expected: &str) -> Result<&'a str> {
        let Token::Word(word) = self.token else { return self.wrong(expected) };
        self.bump()?;
        Ok(word)
    }

    fn take_word(&mut self, word: &str) -> Result<bool> {
        self.take(&Token::Word(word))
    }

    /// A word that `read` understands.
    fn read<T>(&mut self, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        let found = if let Token::Word(word) = self.token { read(word) } else { None };
        match found {
            Some(found) => {
                self.bump()?;
                Ok(found)
            }
            None => self.wrong(expected),
        }
    }

    /// A value, which need not be defined yet.
    fn value(&mut self) -> Result<Value> {
        let Token::Value(number) = self.token else { return self.wrong("a value") };
        if number >= Limits::default().values {
            return self.wrong("a smaller number");
        }
        self.bump()?;
        while self.f.values.len() <= number as usize {
            self.f.value(Type::U32, Def::Dead);
        }
        Ok(Value(number))
    }

    fn values(&mut self) -> Result<ValueList> {
        let start = self.f.pool.len();
        while matches!(self.token, Token::Value(_)) {
            let value = self.value()?;
            self.f.pool.push(value);
        }
        Ok(ValueList { start: start as u32, len: (self.f.pool.len() - start) as u32 })
    }

    /// The name and type of a new value.
    fn define(&mut self, def: Def) -> Result<Value> {
        let place = self.place;
        let value = self.value()?;
        if self.f.values[value].def != Def::Dead {
            return Err(error(place, format!("{value} is defined twice")));
        }
        let hint = self.hint()?;
        self.sign(':')?;
        let ty = self.read("a type", read_type)?;
        self.f.values[value] = ValueData { ty, def, hint };
        Ok(value)
    }

    fn hint(&mut self) -> Result<Hint> {
        if !self.take_sign('@')? {
            return Ok(Hint::default());
        }
        let register = self.read("a register", read_hint)?;
        let mask = if self.take_sign('.')? { self.read("components", read_mask)? } else { 0 };
        Ok(Hint { register, mask })
    }

    /// A region that yields nothing yet.
    fn region(&mut self) -> Region {
        let exit = Exit::Yield(ValueList::EMPTY);
        self.f.regions.push(RegionData { exit, ..RegionData::default() })
    }

    fn open(&mut self, open: Open, region: Region) -> Result<()> {
        self.sign('{')?;
        self.open.push((open, region));
        Ok(())
    }

    fn open_new(&mut self, open: Open) -> Result<Region> {
        let region = self.region();
        self.open(open, region)?;
        Ok(region)
    }

    fn function(&mut self) -> Result<()> {
        if !self.take_word("func")? {
            return self.wrong("`func`");
        }
        self.f.name = match self.bump()? {
            Token::Word(word) => word.to_owned().into(),
            Token::Text(text) => text.into(),
            Token::Value(_) | Token::Arrow | Token::Sign(_) | Token::End => {
                return self.wrong("a name before this");
            }
        };
        let mut params = Vec::new();
        if self.take_sign('(')? {
            while !self.take_sign(')')? {
                params.push(self.define(Def::Param)?);
            }
        }
        self.f.params = self.f.list(params);
        let body = self.open_new(Open::Body)?;
        self.f.body = Some(body);
        while let Some(&(_, region)) = self.open.last() {
            if self.take_sign('}')? || self.exit(region)? {
                self.close()?;
            } else {
                self.item(region)?;
            }
        }
        Ok(())
    }

    /// An exit and the brace after it, if there is one here.
    fn exit(&mut self, region: Region) -> Result<bool> {
        let exit = if self.take_word("yield")? {
            Exit::Yield(self.values()?)
        } else if self.take_word("break")? {
            Exit::Break(self.values()?)
        } else if self.take_word("continue")? {
            Exit::Continue(self.values()?)
        } else if self.take_word("unreachable")? {
            Exit::Unreachable
        } else {
            return Ok(false);
        };
        self.f.regions[region].exit = exit;
        self.sign('}')?;
        Ok(true)
    }

    /// Parses what follows the closing brace of the innermost region.
    fn close(&mut self) -> Result<()> {
        let Some((open, _)) = self.open.pop() else { return Ok(()) };
        match open {
            Open::Body => Ok(()),
            Open::Then(node) => {
                if let NodeData::If { otherwise, .. } = self.f.nodes[node]
                    && self.take_word("else")?
                {
                    return self.open(Open::Only(node), otherwise);
                }
                self.results(node)
            }
            Open::Only(node) => self.results(node),
            Open::Case(node) => self.case(node),
            Open::Default(node) => {
                self.sign('}')?;
                self.results(node)
            }
        }
    }

    fn results(&mut self, node: Node) -> Result<()> {
        if self.token != Token::Arrow {
            return Ok(());
        }
        self.bump()?;
        let (mut results, mut next) = (Vec::new(), None);
        while matches!(self.token, Token::Value(_)) && next.is_none() {
            let value = self.define(Def::Result)?;
            // A definition with an operation is the item after the construct.
            if self.take_sign('=')? { next = Some(value) } else { results.push(value) }
        }
        *self.f.nodes[node].results_mut() = self.f.list(results);
        next.map_or(Ok(()), |value| self.evaluation(value))
    }

    /// The operation of a value, after the `=`.
    fn evaluation(&mut self, value: Value) -> Result<()> {
        let op = self.operation(self.f.ty(value))?;
        self.f.values[value].def = Def::Op(op);
        if let Some(&(_, region)) = self.open.last() {
            self.f.regions[region].items.push(Item::Let(value));
        }
        Ok(())
    }

    fn item(&mut self, region: Region) -> Result<()> {
        if matches!(self.token, Token::Value(_)) {
            let value = self.define(Def::Param)?;
            self.sign('=')?;
            return self.evaluation(value);
        }
        let results = ValueList::EMPTY;
        let node = self.f.nodes.next_key();
        self.f.regions[region].items.push(Item::Node(node));
        let data = if self.take_word("if")? {
            let cond = self.value()?;
            let then = self.open_new(Open::Then(node))?;
            NodeData::If { cond, then, otherwise: self.region(), results }
        } else if self.take_word("loop")? {
            let (params, inits) = self.loop_params()?;
            NodeData::Loop { params, inits, body: self.open_new(Open::Only(node))?, results }
        } else if self.take_word("block")? {
            NodeData::Block { body: self.open_new(Open::Only(node))?, results }
        } else if self.take_word("switch")? {
            let selector = self.value()?;
            self.sign('{')?;
            let default = self.region();
            self.f.nodes.push(NodeData::Switch { selector, cases: Vec::new(), default, results });
            return self.case(node);
        } else {
            return self.wrong("an item, an exit or `}`");
        };
        self.f.nodes.push(data);
        Ok(())
    }

    fn loop_params(&mut self) -> Result<(ValueList, ValueList)> {
        let (mut params, mut inits) = (Vec::new(), Vec::new());
        if self.take_sign('(')? {
            while !self.take_sign(')')? {
                params.push(self.define(Def::Param)?);
                self.sign('=')?;
                inits.push(self.value()?);
            }
        }
        Ok((self.f.list(params), self.f.list(inits)))
    }

    /// The beginning of a case or of the default.
    fn case(&mut self, node: Node) -> Result<()> {
        if self.take_word("default")? {
            return match self.f.nodes[node] {
                NodeData::Switch { default, .. } => self.open(Open::Default(node), default),
                NodeData::If { .. } | NodeData::Loop { .. } | NodeData::Block { .. } => Ok(()),
            };
        }
        if !self.take_word("case")? {
            return self.wrong("`case` or `default`");
        }
        let mut values = Vec::new();
        while matches!(self.token, Token::Word(_)) {
            values.push(self.read("an integer", |word| word.parse().ok())?);
        }
        let region = self.open_new(Open::Case(node))?;
        if let NodeData::Switch { cases, .. } = &mut self.f.nodes[node] {
            cases.push((values, region));
        }
        Ok(())
    }

    fn operation(&mut self, ty: Type) -> Result<Op> {
        let place = self.place;
        let word = self.word("an operation")?;
        Ok(match word {
            "const" => self.constant(ty)?,
            "load" => {
                let named =
                    |word: &str| [Buffer::Feed, Buffer::State].into_iter().find(|it| it.name() == word);
                let buffer = self.read("`feed` or `state`", named)?;
                self.sign('[')?;
                self.read_at(Array::Buffer(buffer))?
            }
            "submit" => Op::Submit { args: self.args()? },
            "shuffle" => self.shuffle(ty)?,
            "select" => Op::Select { cond: self.value()?, a: self.value()?, b: self.value()? },
            "call" => {
                let helper = self.read("the number of a helper", |word| word.parse().ok())?;
                Op::Call { helper, args: self.args()? }
            }
            _ if Resource::EACH.iter().any(|kind| kind.row().word == word) => self.resource(word)?,
            _ => {
                let unary = Unary::ALL.iter().find(|op| op.signature().name == word);
                let binary = Binary::ALL.iter().find(|op| op.signature().name == word);
                match (unary, binary) {
                    (Some(&op), _) => Op::Unary(op, self.value()?),
                    (None, Some(&op)) => Op::Binary(op, self.value()?, self.value()?),
                    (None, None) => return Err(error(place, format!("there is no operation `{word}`"))),
                }
            }
        })
    }

    /// The resource after its word, and the index after that.
    fn resource(&mut self, word: &str) -> Result<Op> {
        let resource = self.read(&format!("the number of a kind of `{word}`"), |name| {
            Resource::EACH.iter().find_map(|kind| {
                let row = kind.row();
                let number = name.strip_prefix(row.prefix).filter(|_| row.word == word)?;
                kind.numbered(number.parse().ok()?)
            })
        })?;
        Ok(match resource {
            Resource::IntUniform { index, .. } => {
                self.sign('.')?;
                Op::Read(Resource::IntUniform { index, component: self.component()? })
            }
            Resource::Uniform(base) if self.take_sign('[')? => self.read_at(Array::Uniform(base))?,
            Resource::Member { member, .. } if self.take_sign('[')? => {
                if matches!(self.token, Token::Value(_)) {
                    return self.read_at(Array::Member(member));
                }
                let element = self.read("an element", |word| word.parse().ok())?;
                self.sign(']')?;
                Op::Read(Resource::Member { member, element })
            }
            Resource::Index { member, .. } => {
                self.sign('[')?;
                let element = self.read("an element", |word| word.parse().ok())?;
                self.sign(']')?;
                Op::Read(Resource::Index { member, element })
            }
            _plain => Op::Read(resource),
        })
    }

    /// An element of an array; the bracket is open.
    fn read_at(&mut self, array: Array) -> Result<Op> {
        let index = self.value()?;
        self.sign(']')?;
        Ok(Op::ReadAt(array, index))
    }

    fn args(&mut self) -> Result<ValueList> {
        self.sign('(')?;
        let args = self.values()?;
        self.sign(')')?;
        Ok(args)
    }

    fn constant(&mut self, ty: Type) -> Result<Op> {
        let mut bits = [0; 4];
        for lane in bits.iter_mut().take(usize::from(ty.lanes)) {
            *lane = self.read("a literal", |word| read_literal(ty.kind, word))?;
        }
        Ok(Op::Const(bits))
    }

    fn shuffle(&mut self, ty: Type) -> Result<Op> {
        let mut lanes = [None; 4];
        for lane in lanes.iter_mut().take(usize::from(ty.lanes)) {
            let value = self.value()?;
            self.sign('.')?;
            *lane = Some(Lane::new(value, self.component()?));
        }
        match lanes {
            [Some(first), y, z, w] => {
                Ok(Op::Shuffle([first, y.unwrap_or(first), z.unwrap_or(first), w.unwrap_or(first)]))
            }
            [None, ..] => self.wrong("a type with lanes before this"),
        }
    }

    fn component(&mut self) -> Result<u8> {
        self.read("x, y, z or w", |word| {
            let index = COMPONENTS.iter().position(|&c| word.chars().eq([c]))?;
            u8::try_from(index).ok()
        })
    }
}

fn read_type(word: &str) -> Option<Type> {
    let (kind, lanes) = match word.split_once('x') {
        Some((kind, lanes)) => (kind, lanes.parse().ok().filter(|lanes| (2..=4).contains(lanes))?),
        None => (word, 1),
    };
    let kind = match kind {
        "f32" => ScalarKind::F32,
        "i32" => ScalarKind::I32,
        "u32" => ScalarKind::U32,
        "bool" => ScalarKind::Bool,
        _ => return None,
    };
    Some(Type::new(kind, lanes))
}

fn read_hint(word: &str) -> Option<HintRegister> {
    let number = |prefix: &str| word.strip_prefix(prefix)?.parse().ok();
    match word {
        "none" => Some(HintRegister::None),
        "a0" => Some(HintRegister::Address),
        "al" => Some(HintRegister::Counter),
        "cmp" => Some(HintRegister::Flags),
        "invocation" => Some(HintRegister::Invocation),
        "count" => Some(HintRegister::Count),
        _ => (number("r").map(HintRegister::Temp))
            .or_else(|| number("o").map(HintRegister::Output))
            .or_else(|| number("left").map(HintRegister::LoopLeft)),
    }
}

fn read_mask(word: &str) -> Option<u8> {
    word.chars().try_fold(0, |mask, c| {
        let bit = COMPONENTS.iter().position(|&component| component == c)?;
        Some(mask | 1 << bit)
    })
}

fn read_literal(kind: ScalarKind, word: &str) -> Option<u32> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    match kind {
        ScalarKind::F32 => Some(word.parse::<f32>().ok()?.to_bits()),
        ScalarKind::I32 => Some(word.parse::<i32>().ok()?.cast_unsigned()),
        ScalarKind::U32 => word.parse().ok(),
        ScalarKind::Bool => match word {
            "false" => Some(0),
            "true" => Some(1),
            _ => None,
        },
    }
}
