//! Writer of files. In: [`Vbc`]. Out: bytes, or the value that no field holds.

use super::{Error, GRAPHICS, MAGIC, Member, Resource, SLOTS, SUBPASS_INPUTS, Slot, Type, Vbc};

/// Advice for too many words.
const WORDS: &str = "shorten the module: promises about numbers (--assume) and --precision fast drop guards";

fn narrow(what: &str, value: usize, hint: &'static str) -> Result<u16, Error> {
    u16::try_from(value).map_err(|_| Error::large(what, value, u16::MAX.into(), hint))
}

fn count(out: &mut Vec<u8>, what: &str, value: usize) -> Result<(), Error> {
    let count = u32::try_from(value).map_err(|_| Error::large(what, value, u32::MAX.into(), "list fewer"))?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

impl Vbc {
    /// Writes a file.
    ///
    /// # Errors
    /// [`Fault::Large`](super::Fault::Large) for a value that its field cannot hold.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        out.extend_from_slice(&MAGIC);
        out.push(GRAPHICS);
        for words in &self.stages {
            let words = narrow("the words of a stage", words.len(), WORDS)?;
            out.extend_from_slice(&words.to_le_bytes());
        }
        self.tables.iter().for_each(|size| out.extend_from_slice(&size.to_le_bytes()));
        for list in [&self.inputs, &self.outputs] {
            count(&mut out, "the inputs or outputs", list.len())?;
            for variable in list {
                out.push(variable.location);
                ty(&mut out, variable.ty);
                out.extend_from_slice(&[0; 3]);
            }
        }
        count(&mut out, "the bindings", self.bindings.len())?;
        self.bindings.iter().try_for_each(|binding| slot(&mut out, *binding))?;
        self.uniform(&mut out)?;
        if self.subpass.len() > SUBPASS_INPUTS {
            let most = SUBPASS_INPUTS as u64;
            return Err(Error::large("the inputs of a subpass", self.subpass.len(), most, "list fewer"));
        }
        count(&mut out, "the inputs of a subpass", self.subpass.len())?;
        self.subpass.iter().for_each(|input| out.extend_from_slice(&[input.base, input.components, 0, 0]));
        self.stages.iter().flatten().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        Ok(out)
    }

    /// Appends the uniform block. A block of size 0 is none.
    fn uniform(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(uniform) = self.uniform.as_ref().filter(|uniform| uniform.size > 0) else {
            out.extend_from_slice(&[0; 2]);
            return Ok(());
        };
        out.extend_from_slice(&uniform.size.to_le_bytes());
        out.extend_from_slice(&uniform.stages.to_le_bytes());
        count(out, "the members of the uniform block", uniform.members.len())?;
        for Member { name, offset, ty: of } in &uniform.members {
            let length = u8::try_from(name.len()).map_err(|_| {
                let most = u8::MAX.into();
                Error::large(format!("the name {name:.20}… in bytes"), name.len(), most, "shorten the symbol")
            })?;
            out.push(length);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&offset.to_le_bytes());
            ty(out, *of);
        }
        Ok(())
    }
}

fn ty(out: &mut Vec<u8>, ty: Type) {
    out.extend_from_slice(&[ty.base.code(), ty.rows, ty.columns, ty.array]);
}

fn slot(out: &mut Vec<u8>, Slot { slot, stages, resource }: Slot) -> Result<(), Error> {
    if slot >= SLOTS {
        let most = u64::from(SLOTS) - 1;
        return Err(Error::large("the slot of a binding", slot.into(), most, "choose bindings below 32"));
    }
    let (code, rest) = match resource {
        Resource::Sampler => (5, [0; 4]),
        Resource::Image => (6, [0; 4]),
        Resource::Buffer { is_writable, element } => {
            let [low, high] = element.to_le_bytes();
            (7 + u8::from(is_writable), [low, high, 0, 0])
        }
        Resource::Texels { is_writable, texels } => {
            (9 + u8::from(is_writable), [texels.rank, texels.base, texels.size, texels.components])
        }
    };
    let [low, high] = stages.to_le_bytes();
    out.extend_from_slice(&[slot, code, low, high]);
    out.extend_from_slice(&rest);
    Ok(())
}
