//! The uniform block: members, offsets, and the bytes that fill it.
//! In: registers read by a program, its bind symbols, its folded constants. Out: [`UniformBlock`]
//! in std140 layout; [`pack`]. Knows neither instructions nor the IR.
//! Facts: WGSL "Memory Layout" and GLSL std140 agree if arrays have a stride of 16 and bools are
//! packed into `u32`.

use super::block::{ArrayName, Bank, Member, MemberType, UniformBlock};
use super::usage::Usage;
use crate::host::settings::{Block, IntPacking, RegisterLayout};
use crate::program::container::{Dvle, Name, NameOffset, Strings, SymbolBank, SymbolRange};
use crate::program::isa::{Uniforms, sizes};
use crate::support::fields::VECTOR;
use crate::support::names;

/// A symbol that names registers.
#[derive(Clone, Copy)]
pub(super) struct BoundSymbol {
    /// Offset of its name in the file.
    pub name: NameOffset,
    /// Registers.
    pub range: SymbolRange,
}

/// Symbols that name registers, in file order. Names are looked up on demand.
pub(super) struct BoundSymbols<'a> {
    strings: Strings<'a>,
    pub list: Vec<BoundSymbol>,
}

impl<'a> BoundSymbols<'a> {
    /// Collects them.
    pub fn new(executable: &Dvle<'a>) -> Self {
        let mut list = Vec::with_capacity(executable.symbols.len());
        for symbol in executable.symbols.iter() {
            if let Some(range) = symbol.range() {
                list.push(BoundSymbol { name: symbol.name, range });
            }
        }
        Self { strings: executable.strings, list }
    }
    /// Returns the symbols of one bank.
    pub fn in_bank(&self, bank: SymbolBank) -> impl Iterator<Item = &BoundSymbol> {
        self.list.iter().filter(move |symbol| symbol.range.bank == bank)
    }
    /// Returns the name of a symbol.
    pub fn name(&self, symbol: &BoundSymbol) -> Name<'a> {
        self.strings.get(symbol.name)
    }
}

/// Mask of the existing float registers.
const FLOATS: u128 = (1 << sizes::FLOATS) - 1;

/// Returns the mask of `count` registers from `first`.
fn run(first: u8, count: u8) -> u128 {
    let bits = if count < 128 { (1u128 << count) - 1 } else { u128::MAX };
    bits.checked_shl(u32::from(first)).unwrap_or(0)
}

/// Registers that the block must hold.
struct Needed {
    /// By bank.
    banks: [(Bank, u128); 3],
    /// Bit n: cn and the next register lie in one array.
    joined: u128,
}

impl Needed {
    /// Registers that do not exist are not needed, unless an array is padded with them.
    fn new(usage: &Usage, is_padded: bool) -> Self {
        let indices = if is_padded { u128::MAX } else { FLOATS };
        let relative = usage.relative & indices;
        let (ints, bools) = (u128::from(usage.ints & 15), u128::from(usage.bools));
        Self {
            banks: [(Bank::Float, usage.floats | relative), (Bank::Int, ints), (Bank::Bool, bools)],
            joined: usage.joined & relative & relative >> 1,
        }
    }

    fn is_empty(&self) -> bool {
        self.banks.iter().all(|&(_, registers)| registers == 0)
    }
}

/// Builds the uniform block of a program; empty if it reads no uniform. `members` builds it where
/// the layout has no register banks.
fn build(usage: &Usage, options: &Block, members: impl FnOnce(&Needed) -> UniformBlock) -> UniformBlock {
    let needed = Needed::new(usage, options.padded);
    match options.registers() {
        _ if needed.is_empty() => UniformBlock::default(),
        Some(layout) => file(&layout, options.padded),
        None => members(&needed),
    }
}

/// Builds the uniform block of a program with symbols.
pub(super) fn block(symbols: &BoundSymbols<'_>, usage: &Usage, options: &Block) -> UniformBlock {
    build(usage, options, |needed| by_symbols(symbols, needed))
}

/// Builds the block of the complete register file, each bank at the offset of the layout. The
/// members are `c`, `i` and `b`.
pub fn registers(layout: &RegisterLayout) -> UniformBlock {
    file(layout, false)
}

/// As [`registers`], with or without padding of `c`.
pub(super) fn file(layout: &RegisterLayout, is_padded: bool) -> UniformBlock {
    let complete = |name: &str, bank, count, offset| Member { offset, ..member(name.into(), bank, 0, count) };
    let floats = complete("c", Bank::Float, layout.float_count(is_padded) as u8, layout.floats);
    let mut ints = complete("i", Bank::Int, sizes::INTS as u8, layout.ints);
    if layout.packing == IntPacking::Bytes {
        ints.ty = MemberType::PackedInts;
    }
    let bools = complete("b", Bank::Bool, sizes::BOOLS as u8, layout.bools);
    UniformBlock { members: vec![floats, ints, bools], names: Vec::new(), size: layout.block_size(is_padded) }
}

/// Builds one member for each symbol with a needed register, and one for each run of needed
/// registers without a symbol. If symbols share registers, only the first has a member. What
/// one relative read may reach is one array, in which symbols are names.
fn by_symbols(symbols: &BoundSymbols<'_>, needed: &Needed) -> UniformBlock {
    let mut members: Vec<Member> = Vec::with_capacity(symbols.list.len());
    let mut unnamed = needed.banks;
    for (bank, left) in &mut unnamed {
        let mut taken = 0;
        for symbol in symbols.in_bank(symbol_bank(*bank)) {
            let range = symbol.range;
            let registers = run(range.first, range.count);
            if registers & *left == 0 || registers & taken != 0 {
                continue;
            }
            taken |= registers;
            let is_taken = |name: &str| members.iter().any(|member| member.name == name);
            let name = names::from_file(symbols.name(symbol).0, || unbound(*bank, range.first), is_taken);
            members.push(member(name, *bank, range.first, range.count));
        }
        *left &= !taken;
    }
    for (bank, left) in unnamed {
        for (first, count) in runs(left) {
            let is_taken = |name: &str| members.iter().any(|member| member.name == name);
            let name = names::unique(unbound(bank, first), is_taken);
            members.push(member(name, bank, first, count));
        }
    }
    members.sort_by_cached_key(|member| (member.bank as u64) << 8 | u64::from(member.first));
    let names = join(&mut members, needed.joined, unnamed[0].1);
    let size = place(&mut members);
    UniformBlock { members, names, size }
}

/// Makes one array of float members that relative reads join. Returns the names of its parts, apart
/// from those without a symbol.
fn join(members: &mut Vec<Member>, joined: u128, unnamed: u128) -> Vec<ArrayName> {
    let mut names = Vec::new();
    if joined == 0 {
        return names;
    }
    let mut merged: Vec<Member> = Vec::with_capacity(members.len());
    let is_joined = |left: &Member, right: &Member| {
        let last = left.first + (left.count - 1);
        right.bank == Bank::Float && last + 1 == right.first && joined >> last & 1 != 0
    };
    let name_of = |part: &Member| {
        let Member { name, first, count, .. } = part;
        (unnamed >> first & 1 == 0).then(|| ArrayName { name: name.clone(), first: *first, count: *count })
    };
    for parts in members.chunk_by(is_joined) {
        let [first, .., last] = parts else {
            merged.extend_from_slice(parts);
            continue;
        };
        names.extend(parts.iter().filter_map(name_of));
        let count = last.first + last.count - first.first;
        let is_taken = |name: &str| members.iter().chain(&merged).any(|member| member.name == name);
        merged.push(member(names::unique("c".into(), is_taken), Bank::Float, first.first, count));
    }
    *members = merged;
    names
}

impl UniformBlock {
    /// Builds the uniform block of a program without symbols. If the layout has no register banks,
    /// it has one member for each run of needed registers, named after the first register.
    pub fn without_symbols(usage: &Usage, options: &Block) -> Self {
        build(usage, options, |needed| {
            let each = needed.banks.into_iter().flat_map(|(bank, set)| runs(set).map(move |run| (bank, run)));
            let member = |(bank, (first, count))| member(format!("{bank}{first}"), bank, first, count);
            let mut members: Vec<Member> = each.map(member).collect();
            let size = place(&mut members);
            Self { members, names: Vec::new(), size }
        })
    }
}

/// Returns the symbol bank of a bank.
pub(crate) fn symbol_bank(bank: Bank) -> SymbolBank {
    match bank {
        Bank::Float => SymbolBank::Float,
        Bank::Int => SymbolBank::Int,
        Bank::Bool => SymbolBank::Bool,
    }
}

/// Returns the name of registers without a symbol. It ends in a letter, so that no target renames
/// it.
fn unbound(bank: Bank, first: u8) -> String {
    format!("{bank}{first}_unbound")
}

/// Iterates over the maximal runs of a mask, ascending: first register and length.
fn runs(mut set: u128) -> impl Iterator<Item = (u8, u8)> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        // Range: positions and lengths in 128 bits.
        let first = set.trailing_zeros() as u8;
        let count = (set >> first).trailing_ones() as u8;
        set &= !run(first, count);
        Some((first, count))
    })
}

/// Builds a member without an offset.
fn member(name: String, bank: Bank, first: u8, count: u8) -> Member {
    let ty = match (bank, count) {
        (Bank::Float, 1) => MemberType::Vec4,
        (Bank::Float, count) => MemberType::Vec4Array(u16::from(count)),
        (Bank::Int, 1) => MemberType::IVec4,
        (Bank::Int, count) => MemberType::IVec4Array(u16::from(count)),
        (Bank::Bool, _) => MemberType::Bits,
    };
    Member { name, bank, first, count, offset: 0, ty }
}

/// Assigns offsets to members and returns the size of the block.
fn place(members: &mut [Member]) -> u32 {
    let mut end = 0u32;
    for member in members {
        member.offset = end.next_multiple_of(member.ty.align());
        end = member.offset + member.ty.size();
    }
    end.next_multiple_of(VECTOR)
}

/// Returns the bytes of the uniform buffer.
///
/// ```
/// use transpica::host::RegisterLayout;
/// use transpica::host::layout::registers;
/// use transpica::host::pack;
/// use transpica::isa::Uniforms;
/// let mut uniforms = Uniforms::default();
/// uniforms.floats[1] = [1.0, 0.0, 0.0, 0.0];
/// uniforms.bools = 0b101;
/// let bytes = pack(&registers(&RegisterLayout::REGISTERS), &uniforms);
/// assert_eq!(bytes.len(), 1616);
/// assert_eq!((&bytes[16..20], &bytes[1600..1604]), (&1f32.to_le_bytes()[..], &[5, 0, 0, 0][..]));
/// ```
pub fn pack(block: &UniformBlock, uniforms: &Uniforms) -> Vec<u8> {
    let mut out = vec![0; block.size as usize];
    for member in &block.members {
        let place = out.get_mut(member.offset as usize..).unwrap_or_default();
        let first = usize::from(member.first);
        let registers = first..first + usize::from(member.count);
        match member.bank {
            Bank::Float => {
                let exists = |register| uniforms.floats.get(register).copied();
                // Registers that do not exist read as ones.
                let floats = registers.map(|register| exists(register).unwrap_or([1.0; 4]));
                fill(place, floats.flatten().map(f32::to_bits));
            }
            Bank::Int if member.ty == MemberType::PackedInts => {
                let ints = uniforms.ints.get(registers).unwrap_or_default();
                fill(place, ints.iter().copied().map(u32::from_le_bytes));
            }
            Bank::Int => {
                let ints = uniforms.ints.get(registers).unwrap_or_default();
                fill(place, ints.as_flattened().iter().copied().map(u32::from));
            }
            Bank::Bool => {
                let mask = (1 << member.count.min(16)) - 1;
                fill(place, std::iter::once(u32::from(uniforms.bools) >> (member.first & 15) & mask));
            }
        }
    }
    out
}

/// Writes words to the start of `place`.
fn fill(place: &mut [u8], words: impl Iterator<Item = u32>) {
    for (bytes, word) in place.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}
