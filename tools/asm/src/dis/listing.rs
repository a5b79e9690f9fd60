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
use crate::asm::syntax::{BOOL, FLOAT, INT};
use transpica::container::Model;
use transpica::isa::print::InstructionText;
use transpica::isa::sizes::FLOATS;
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
        Self::of_model(Model::from(file), index)
    }

    /// Reads the names of a file's content, such as [`Assembled::named`](crate::Assembled::named).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_model(model: Model, index: Option<usize>) -> Result<Self> {
        check_size(&model)?;
        let count = model.executables.len();
        if let Some(index) = index.filter(|&index| index >= count) {
            return Err(Error::new(Kind::NoExecutable { index, count }, At::Whole));
        }
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
        let registers = self.registers(pc).unwrap_or(&none);
        let text = |form: Form| {
            let context = Context { registers, descriptors: &self.model.descriptors, form, required: 0 };
            line(word, self.target(word), context)
        };
        let [plain, _, verbatim, ..] = FORMS;
        // Bits without syntax show in the second form only.
        text(plain).or_else(|| text(verbatim))
    }

    /// Returns the name of a register, such as `c95` or `i0`, for the instruction at an address.
    pub fn name(&self, pc: Pc, register: &str) -> Option<String> {
        let (letter, number) = register.split_at_checked(1)?;
        let number = number.parse::<u32>().ok().filter(|&number| number < FLOATS as u32)?;
        let base = [("v", 0), ("c", FLOAT), ("i", INT), ("b", BOOL)]
            .into_iter()
            .find(|(bank, _)| *bank == letter)?
            .1;
        name(self.registers(pc)?, base + number)
    }

    /// The names that an instruction has.
    fn registers(&self, pc: Pc) -> Option<&Registers> {
        let section = || self.ends.iter().position(|&end| pc.index() < end).unwrap_or_default();
        self.registers.get(self.index.unwrap_or_else(section))
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
        name(self.registers.get(self.index?)?, register)
    }
}

/// The name of a register by picasso's number.
fn name(registers: &Registers, register: u32) -> Option<String> {
    let (name, offset) = registers.find(register)?;
    Some(if offset == 0 { name.to_owned() } else { format!("{name}[{offset}]") })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceText, assemble};

    #[test]
    fn names_of_the_source_are_used() {
        let vertex = "\
.constf ambient(0.25, 0.5, 0.0, 1.0)
.consti times(1, 0, 1, 0)
.fvec _hidden[2]
.bool lit
.out - position o0
.proc scale
\tmul r0, ambient, r0
.end
.proc main
\tmov r0, _hidden[1]
\tjmpu lit, done
\tcall scale
\tfor times
\t\tadd r0, ambient, r0
\t.end
done:
\tmov o0, r0
\tend
.end
";
        let second =
            ".constf k(1.0, 2.0, 3.0, 4.0)\n.out - position o0\n.entry b\n.proc b\nmov o0, k\nend\n.end\n";
        let sources = [("a.v.pica", vertex), ("b.v.pica", second)];
        let assembled = assemble(&sources.map(|(name, text)| SourceText { name, text })).expect("assembles");
        let lines =
            |listing: &Listing| (0..).map_while(|pc| listing.line(Pc(pc))).collect::<Vec<_>>().join("\n");
        let own = Listing::of_model(assembled.named, None).expect("small");
        let text = lines(&own);
        for part in ["ambient, r0", "_hidden[1]", "jmpu lit, done", "call scale", "for times", "mov o0, k"] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        assert_eq!(own.name(Pc(0), "c95").as_deref(), Some("ambient"));
        let second = own.ends[0] as u16;
        assert_eq!((own.name(Pc(second), "c95").as_deref(), own.name(Pc(0), "c97")), (Some("k"), None));
        // The file itself has none of them.
        let file = Listing::new(&Shbin::parse(&assembled.bytes).expect("a file"), Some(0)).expect("small");
        let text = lines(&file);
        assert!(!text.contains("ambient") && text.contains("float_95"), "{text}");
    }
}
