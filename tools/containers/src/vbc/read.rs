//! Reader of files. In: bytes, not trusted. Out: [`Vbc`]. A count is a claim: no memory is taken
//! for records that are not there.

use super::{
    Base, Error, Fault, GRAPHICS, MAGIC, Member, Resource, SLOTS, SPIRV, SUBPASS_INPUTS, Slot, SubpassInput,
    Texels, Type, Uniform, Variable, Vbc,
};
use crate::bytes::words;

/// Sizes of the record of an input of a subpass, in bytes: the documented one, then those of
/// writers that store an object.
const RECORDS: [usize; 7] = [4, 8, 12, 16, 20, 24, 32];

/// Bytes that are read in order.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(Error::read(Fault::Truncated(what), self.at))?;
        self.at += count;
        Ok(taken)
    }
    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let taken = self.take(N, what)?;
        taken.first_chunk().copied().ok_or(Error::read(Fault::Truncated(what), self.at))
    }
    fn u16(&mut self, what: &'static str) -> Result<u16, Error> {
        self.array(what).map(u16::from_le_bytes)
    }
    /// Reads a count of records, each of at least some bytes; they have to be there.
    fn count(&mut self, least: usize, what: &'static str) -> Result<usize, Error> {
        let count = u32::from_le_bytes(self.array(what)?);
        let left = self.bytes.len() - self.at;
        let count = usize::try_from(count).ok().filter(|count| *count <= left / least);
        count.ok_or(Error::read(Fault::Truncated(what), self.at))
    }
    fn field<T>(&self, what: &'static str, value: u8, of: Option<T>, back: usize) -> Result<T, Error> {
        of.ok_or(Error::read(Fault::Field { what, value: value.into() }, self.at - back))
    }
    fn ty(&mut self) -> Result<Type, Error> {
        let [code, rows, columns, array] = self.array("a type")?;
        let base = self.field("base type", code, Base::of_code(code), 4)?;
        Ok(Type { base, rows, columns, array })
    }
    fn variables(&mut self) -> Result<Vec<Variable>, Error> {
        let count = self.count(8, "the inputs and outputs")?;
        let variable = |_| {
            let [location] = self.array("a variable")?;
            let ty = self.ty()?;
            self.take(3, "a variable")?;
            Ok(Variable { location, ty })
        };
        (0..count).map(variable).collect()
    }
    fn slot(&mut self) -> Result<Slot, Error> {
        let [slot, code, low, high, a, b, c, d] = self.array("a binding")?;
        self.field("slot", slot, (slot < SLOTS).then_some(()), 8)?;
        let texels = Texels { rank: a, base: b, size: c, components: d };
        let resource = match code {
            5 => Some(Resource::Sampler),
            6 => Some(Resource::Image),
            7 | 8 => Some(Resource::Buffer { is_writable: code == 8, element: u16::from_le_bytes([a, b]) }),
            9 | 10 => Some(Resource::Texels { is_writable: code == 10, texels }),
            _undefined => None,
        };
        let resource = self.field("base type of a binding", code, resource, 7)?;
        Ok(Slot { slot, stages: u16::from_le_bytes([low, high]), resource })
    }
    fn uniform(&mut self) -> Result<Option<Uniform>, Error> {
        const WHAT: &str = "the uniform block";
        let size = self.u16(WHAT)?;
        if size == 0 {
            return Ok(None);
        }
        let stages = self.u16(WHAT)?;
        let count = self.count(7, WHAT)?;
        let mut members = Vec::new();
        for _ in 0..count {
            let [length] = self.array(WHAT)?;
            let name = String::from_utf8_lossy(self.take(length.into(), WHAT)?).into_owned();
            members.push(Member { name, offset: self.u16(WHAT)?, ty: self.ty()? });
        }
        Ok(Some(Uniform { size, stages, members }))
    }
    /// Reads the inputs of the subpass, whose records have the size after which SPIR-V begins.
    fn subpass(&mut self, has_words: bool) -> Result<Vec<SubpassInput>, Error> {
        const WHAT: &str = "the inputs of the subpass";
        let count = self.count(4, WHAT)?;
        if count > SUBPASS_INPUTS {
            // Range: at most the length of the file.
            let value = u32::try_from(count).unwrap_or(u32::MAX);
            return Err(Error::read(Fault::Field { what: "number of subpass inputs", value }, self.at - 4));
        }
        let begins = |record: &&usize| {
            let words = self.bytes.get(self.at + count * **record..).and_then(|rest| rest.first_chunk());
            words.is_some_and(|word| u32::from_le_bytes(*word) == SPIRV)
        };
        let record = RECORDS.iter().find(begins).filter(|_| has_words).copied().unwrap_or(RECORDS[0]);
        let input = |record: &[u8]| SubpassInput { base: record[0], components: record[1] };
        (0..count).map(|_| self.take(record, WHAT).map(input)).collect()
    }
}

impl Vbc {
    /// Reads an entire file.
    ///
    /// # Errors
    /// A damaged file, or bytes after it. The error has an offset.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let (file, length) = Self::read_start(bytes)?;
        match bytes.len() - length {
            0 => Ok(file),
            rest => Err(Error::read(Fault::Trailing(rest), length)),
        }
    }

    /// Reads the file that bytes begin with, and returns its length.
    ///
    /// # Errors
    /// A damaged file. The error has an offset.
    pub fn read_start(bytes: &[u8]) -> Result<(Self, usize), Error> {
        let mut reader = Reader { bytes, at: 0 };
        let magic: [u8; 5] = reader.array("the header")?;
        if magic[..4] != MAGIC || magic[4] != GRAPHICS {
            return Err(Error::read(Fault::Magic, 0));
        }
        let mut sizes = [0; 5];
        for size in &mut sizes {
            *size = reader.u16("the header")?;
        }
        let mut file = Self::default();
        for table in &mut file.tables {
            *table = reader.u16("the header")?;
        }
        file.inputs = reader.variables()?;
        file.outputs = reader.variables()?;
        let count = reader.count(8, "the bindings")?;
        for _ in 0..count {
            file.bindings.push(reader.slot()?);
        }
        file.uniform = reader.uniform()?;
        file.subpass = reader.subpass(sizes.iter().any(|&size| size > 0))?;
        for (stage, size) in file.stages.iter_mut().zip(sizes) {
            *stage = words(reader.take(4 * usize::from(size), "a stage")?);
            if stage.first().is_some_and(|&word| word != SPIRV) {
                let value = stage[0];
                return Err(Error::read(Fault::Field { what: "first word of a stage", value }, reader.at));
            }
        }
        Ok((file, reader.at))
    }
}
