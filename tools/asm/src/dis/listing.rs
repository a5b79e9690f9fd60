//! Single instructions in the language of the disassembler, with the names of a file: for tables,
//! traces and graphs, which are not assembled again.
//! In: a file. Out: one line for each word. Knows no blocks: targets without a name are addresses.

use std::collections::BTreeMap;

use super::instruction::{Context, Target, line};
use super::layout::{Layout, call_range};
use super::names::spelling;
use super::section::{ProcNames, proc_names, registers};
use super::symbols::Registers;
use super::{FORMS, Form, check_size};
use crate::asm::syntax::{BOOL, INT};
use transpica::container::Model;
use transpica::isa::print::InstructionText;
use transpica::isa::word::Field;
use transpica::isa::{Move, Pc, Word};
use transpica::{At, Error, Kind, Result, Shbin};

/// Texts of a file's instructions, one by one.
///
/// ```
/// use transpica::Shbin;
/// use transpica_asm::dis::Listing;
/// use transpica::isa::Pc;
/// let bytes = std::fs::read("../../shaders/textured.shbin")?;
/// let listing = Listing::new(&Shbin::parse(&bytes)?, Some(0))?;
/// assert_eq!(listing.line(Pc(7)).as_deref(), Some("dp4 o0.y, projection[1], r1"));
/// assert_eq!(listing.line(Pc(13)), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Listing {
    model: Model,
    procs: ProcNames,
    labels: BTreeMap<usize, String>,
    /// Names of each executable.
    registers: Vec<Registers>,
    /// First word after the section of each executable.
    ends: Vec<usize>,
    /// The executable whose names all words have.
    index: Option<usize>,
}

impl Listing {
    /// Reads the names of a file. All words have those of the executable of an index, 0.., or each
    /// word those of the executable whose section it is in.
    ///
    /// # Errors
    /// [`Kind::Limit`] as for [`disassemble`](super::disassemble); [`Kind::NoExecutable`].
    pub fn new(file: &Shbin<'_>, index: Option<usize>) -> Result<Self> {
        check_size(file)?;
        let count = file.executables.len();
        if let Some(index) = index.filter(|&index| index >= count) {
            return Err(Error::new(Kind::NoExecutable { index, count }, At::Whole));
        }
        let model = Model::from(file);
        let layout = Layout::new(&model);
        let [form, ..] = FORMS;
        let registers = registers(&model, form, &layout);
        let mut labels = BTreeMap::new();
        let shown = model
            .executables
            .iter()
            .enumerate()
            .filter(|(other, _)| index.is_none_or(|index| index == *other));
        for (_, executable) in shown {
            for label in &executable.labels {
                if let Some(name) = spelling(executable.names.get(label.name).0) {
                    labels.entry(label.address as usize).or_insert(name);
                }
            }
        }
        let procs = proc_names(&model, &layout);
        Ok(Self { procs, labels, registers, ends: layout.ends, model, index })
    }

    /// Returns the text of the instruction at an address, or `None` outside the code.
    pub fn line(&self, pc: Pc) -> Option<String> {
        let word = Word(*self.model.code.get(pc.index())?);
        let none = Registers::default();
        let section = || self.ends.iter().position(|&end| pc.index() < end).unwrap_or_default();
        let registers = self.registers.get(self.index.unwrap_or_else(section)).unwrap_or(&none);
        let text = |form: Form| {
            let context = Context { registers, descriptors: &self.model.descriptors, form, required: 0 };
            line(word, self.target(word), context)
        };
        let [plain, _, verbatim, ..] = FORMS;
        // Bits without syntax show in the second form only.
        text(plain).or_else(|| text(verbatim))
    }

    fn target(&self, word: Word) -> Target<'_> {
        let address = word.get(Field::Target).map_or(0, |target| target as usize);
        let name = match (call_range(word), word.moves()) {
            (Some((start, length)), _) => self.procs.name(start, start + length),
            (None, Some(Move::Jump)) => self.labels.get(&address).map(String::as_str),
            (None, _) => None,
        };
        name.map_or(Target::Number, Target::Name)
    }

    /// The name of a uniform by picasso's number.
    fn uniform(&self, register: u32) -> Option<String> {
        let (name, offset) = self.registers.get(self.index?)?.find(register)?;
        Some(if offset == 0 { name.to_owned() } else { format!("{name}[{offset}]") })
    }
}

impl InstructionText for Listing {
    fn instruction(&self, pc: Pc) -> Option<String> {
        self.line(pc)
    }
    fn bool(&self, id: u8) -> String {
        self.uniform(BOOL + u32::from(id)).unwrap_or_else(|| format!("b{id}"))
    }
    fn int(&self, id: u8) -> String {
        self.uniform(INT + u32::from(id)).unwrap_or_else(|| format!("i{id}"))
    }
}
