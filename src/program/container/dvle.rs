//! One executable (DVLE): entry point, constants, output map, names.
//! In: its offset. Out: its header and views of its tables, all offsets and names checked.
//! Knows no instruction; `records` has the semantics of entries.
//! Facts: 3dbrew "SHBIN"; libctru takes every offset from the start of the DVLE.

use super::bytes::{Extent, Name, NameOffset, Reader, Record, Strings, Table, record};
use super::dvlp::Version;
use super::labels::Labels;
use super::records::{Constant, Label, OutputRecord, Symbol};
use crate::error::{At, Error, Kind, Result};

/// Length of the header.
pub(super) const HEADER: u32 = 0x40;
/// Offset of the entry point in the header.
const MAIN: u32 = 0x08;
/// Number of output registers.
const OUTPUT_REGISTERS: u16 = 16;

/// The shader unit of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShaderType {
    /// Code 0.
    Vertex,
    /// Code 1.
    Geometry,
}

/// Source of a geometry program's vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GeometryMode {
    /// Code 0: in the input registers.
    Point,
    /// Code 1: in float uniforms; the index buffer gives the vertex count ("subdivision").
    Variable,
    /// Code 2: in float uniforms; the vertex count is fixed ("particle").
    Fixed,
}

record! {
    /// The header, without magic and table fields.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    Header {
        /// Version of the tool that made it.
        version: Version,
        /// Code of the shader type: 0 vertex, 1 geometry.
        kind: u8,
        /// Bit 0: merge the output maps of both stages; bit 1: debug build.
        flags: u8,
        /// Code word of the entry point.
        main: u32,
        /// Code word of the label `endmain`; execution does not end there.
        endmain: u32,
        /// Bit n: vn has a symbol. Programs may read more.
        input_mask: u16,
        /// Bit n: on is in the output map. Some files have 0 here anyway: use
        /// [`Dvle::output_mask`].
        output_mask: u16,
        /// Code of the geometry mode: 0 point, 1 variable, 2 fixed.
        geometry_mode: u8,
        /// Fixed mode: first float uniform that receives vertices.
        geometry_start: u8,
        /// Variable mode: number of vertices of a primitive that have all attributes.
        geometry_main_vertices: u8,
        /// Fixed mode: number of vertices of a primitive.
        geometry_fixed_vertices: u8,
    }
}

impl Header {
    /// The shader unit, or `None` for an undefined code.
    pub fn shader_type(&self) -> Option<ShaderType> {
        [ShaderType::Vertex, ShaderType::Geometry].get(usize::from(self.kind)).copied()
    }
    /// The geometry mode, or `None` for an undefined code.
    pub fn geometry_mode(&self) -> Option<GeometryMode> {
        use GeometryMode::{Fixed, Point, Variable};
        [Point, Variable, Fixed].get(usize::from(self.geometry_mode)).copied()
    }
    /// Returns whether this geometry program's output map is merged with the vertex program's.
    pub fn merges_output_maps(&self) -> bool {
        self.flags & 1 != 0
    }
    /// Returns whether this is a debug build.
    pub fn is_debug(&self) -> bool {
        self.flags & 2 != 0
    }
}

/// One executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dvle<'a> {
    /// Its offset in the file.
    pub start: u32,
    /// The header, without magic and table fields.
    pub header: Header,
    /// Constants that binding the executable loads, in file order.
    pub constants: Table<'a, Constant>,
    /// Labels.
    pub labels: Table<'a, Label>,
    /// The output map.
    pub outputs: Table<'a, OutputRecord>,
    /// Bind symbols.
    pub symbols: Table<'a, Symbol>,
    /// The names of labels and symbols. Longer than the header says if a name extends beyond it.
    pub strings: Strings<'a>,
    /// Size of the string table according to the header.
    pub strings_declared: u32,
}

impl<'a> Dvle<'a> {
    /// Parses the executable at `start`; the package has `code_words` words.
    pub(super) fn parse(reader: &mut Reader<'a>, start: u32, code_words: usize) -> Result<Self> {
        let bytes = reader.header::<{ HEADER as usize }>(start, "DVLE", "the DVLE header")?;
        let header = Header::read(&bytes[4..]);
        // A package without code has no word that could be an entry. Its program is refused on use.
        let has_entry = (header.main as usize) < code_words || (header.main, code_words) == (0, 0);
        if !has_entry {
            // The code lies in the file, so its length fits 32 bits.
            let kind = Kind::EntryOutOfCode { entry: header.main, words: code_words as u32 };
            return Err(Error::new(kind, At::Offset(start + MAIN)));
        }
        let constants = reader.table(&Extent::read(bytes, start, 0x18, "constant table"))?;
        let labels: Table<Label> = reader.table(&Extent::read(bytes, start, 0x20, "label table"))?;
        let outputs = reader.table(&Extent::read(bytes, start, 0x28, "output map"))?;
        let symbols: Table<Symbol> = reader.table(&Extent::read(bytes, start, 0x30, "symbol table"))?;
        let extent = Extent::read(bytes, start, 0x38, "string table");
        let names = symbols.iter().enumerate().map(|(index, symbol)| (symbol.name, symbols.place(index)));
        let names = names.chain(labels.iter().enumerate().map(|(index, l)| (l.name, labels.place(index))));
        let strings = reader.strings(&extent, names)?;
        check_outputs(&outputs)?;
        Ok(Self {
            start,
            header,
            constants,
            labels,
            outputs,
            symbols,
            strings,
            strings_declared: extent.count,
        })
    }
    /// Mask of the registers that the program outputs, bit n = on. The system library takes them
    /// from the output map. The header's mask counts only without an output map.
    pub fn output_mask(&self) -> u16 {
        match self.outputs.iter().fold(0, |mask, output| mask | 1 << (output.register & 15)) {
            0 => self.header.output_mask,
            mask => mask,
        }
    }
    /// The name at an offset of this executable's string table.
    pub fn name(&self, offset: NameOffset) -> Name<'a> {
        self.strings.get(offset)
    }
    /// Name of the label at the entry point; among several, the one that names a start.
    pub fn entry_label(&self) -> Option<Name<'a>> {
        self.label_at(self.header.main)
    }
    /// Name of the label at a code word; among several, the one that names a start.
    pub fn label_at(&self, address: u32) -> Option<Name<'a>> {
        let named = || self.labels.iter().map(|label| (label, self.name(label.name)));
        // Names are looked up last: most labels are elsewhere.
        let here = self.labels.iter().filter(|label| label.address == address);
        let mut here = here.map(|label| (label, self.name(label.name))).filter(|(_, name)| !name.is_empty());
        let (first, second) = (here.next()?, here.next());
        if second.is_none() {
            return Some(first.1);
        }
        let labels = Labels::new(named(), self.header.main, self.header.endmain);
        let here = [first].into_iter().chain(second).chain(here);
        here.min_by_key(|&(label, name)| labels.rank(label, name)).map(|(_, name)| name)
    }
}

/// Checks the registers of an output map.
fn check_outputs(outputs: &Table<'_, OutputRecord>) -> Result<()> {
    for (index, output) in outputs.iter().enumerate() {
        if output.register >= OUTPUT_REGISTERS {
            let value = u32::from(output.register);
            let kind = Kind::BadField { what: "output register", value, allowed: "0 to 15" };
            return Err(Error::new(kind, outputs.place(index)));
        }
    }
    Ok(())
}
