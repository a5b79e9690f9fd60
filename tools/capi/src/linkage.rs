//! Bindings, locations, varyings and names of the host's own shaders, in the form of the C
//! interface.
//! In: structures of a chain with texts of the caller. Out: the library's tables, which own what
//! they hold. What names and components are valid is the library's to check.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};

use transpica::host::{AttributeNames, BlockNames, GlslProfile, Varying, VaryingSource};
use transpica::{Binding, Bindings, Locations};

use crate::boundary::array;
use crate::chain::{TranspicaHead, structures};
use crate::enums::{TranspicaCode, TranspicaVaryingSource};
use crate::problem::Problem;
use crate::settings::{TranspicaBindings, TranspicaLocations, narrow, switch};

/// A varying of the caller's fragment shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaVarying {
    /// Its name.
    pub name: *const c_char,
    /// Its location.
    pub location: u32,
    /// Number of components, 1 to 4. 0: the two clip distances, which have this name and location
    /// if they are a varying.
    pub component_count: u32,
    /// Sources of the components: codes of the output map, 0x00 to 0x17, or values of
    /// TranspicaVaryingSource.
    pub components: [u32; 4],
}

/// Varyings of the caller's fragment shader, in place of those of TranspicaLocations.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaVaryings {
    /// TRANSPICA_TYPE_VARYINGS
    pub head: TranspicaHead,
    /// The varyings.
    pub varyings: *const TranspicaVarying,
    /// Number of varyings, at most 15.
    pub varying_count: usize,
}

/// Form and names of GLSL texts. A name of NULL is the default. Switches are 0 or 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaGlsl {
    /// TRANSPICA_TYPE_GLSL
    pub head: TranspicaHead,
    /// The uniform block; `Uniforms` by default.
    pub uniform_block: *const c_char,
    /// Its instance; `uniforms` by default. An empty text: none, members are global names.
    pub uniform_instance: *const c_char,
    /// The host block; `Host` by default.
    pub host_block: *const c_char,
    /// Its instance; `host` by default. An empty text: none.
    pub host_instance: *const c_char,
    /// Text before the names of attributes, or before their numbers; `in_` by default.
    pub attributes: *const c_char,
    /// Switch: attributes are named by the numbers of their v registers.
    pub numbered_attributes: u32,
    /// Switch: texts have no `#version` line, and the caller puts its own in front.
    pub omit_version: u32,
    /// Switch: varyings of 330 and 400 have locations, for separable programs.
    pub separable: u32,
    /// Must be 0.
    pub reserved: u32,
}

structures! {
    TranspicaVaryings => Varyings,
    TranspicaGlsl => Glsl,
}

/// Copies a text of the caller; none for NULL.
///
/// # Safety
/// `text` is NULL or ends with a zero.
unsafe fn text(name: &str, text: *const c_char) -> Result<Option<Cow<'static, str>>, Problem> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, so a text that ends with a zero.
    match unsafe { CStr::from_ptr(text) }.to_str() {
        Ok(text) => Ok(Some(Cow::Owned(text.to_owned()))),
        Err(_) => Err(Problem::argument(TranspicaCode::UnknownChoice, format!("{name} is not UTF-8"))),
    }
}

/// Converts the table of varyings.
///
/// # Safety
/// The varyings are as many as their number says, and their names end with a zero.
pub(crate) unsafe fn varyings(given: &TranspicaVaryings) -> Result<Vec<Varying>, Problem> {
    let TranspicaVaryings { head: _, varyings, varying_count } = *given;
    // SAFETY: guaranteed by the caller.
    let varyings = unsafe { array(varyings, varying_count, "TranspicaVaryings.varyings") }?;
    let varying = |given: &TranspicaVarying| {
        let TranspicaVarying { name, location, component_count, components } = *given;
        // SAFETY: guaranteed by the caller.
        let name = unsafe { text("TranspicaVarying.name", name) }?;
        let components = components.get(..component_count as usize).ok_or_else(|| {
            let text = format!("TranspicaVarying.component_count is {component_count}, must be 0 to 4");
            Problem::argument(TranspicaCode::UnknownChoice, text)
        })?;
        let components = components.iter().map(|&number| source(number)).collect::<Result<_, _>>()?;
        Ok(Varying { name: name.unwrap_or_default(), location, components })
    };
    varyings.iter().map(varying).collect()
}

fn source(number: u32) -> Result<VaryingSource, Problem> {
    const COMPLEMENT: u32 = TranspicaVaryingSource::Complement as u32;
    const ZERO: u32 = TranspicaVaryingSource::Zero as u32;
    const ONE: u32 = TranspicaVaryingSource::One as u32;
    Ok(match number {
        ZERO => VaryingSource::Zero,
        ONE => VaryingSource::One,
        COMPLEMENT..ZERO => {
            VaryingSource::Complement(narrow("TranspicaVarying.components", number - COMPLEMENT)?)
        }
        code => VaryingSource::Code(narrow("TranspicaVarying.components", code)?),
    })
}

/// Converts form and names.
///
/// # Safety
/// All texts are NULL or end with a zero.
pub(crate) unsafe fn glsl(given: &TranspicaGlsl) -> Result<GlslProfile, Problem> {
    let TranspicaGlsl {
        head: _,
        uniform_block,
        uniform_instance,
        host_block,
        host_instance,
        attributes,
        numbered_attributes,
        omit_version,
        separable,
        reserved,
    } = *given;
    crate::settings::reserved("TranspicaGlsl.reserved", reserved)?;
    let block = |[name, instance]: [&str; 2], [block, given]: [*const c_char; 2], default: BlockNames| {
        // SAFETY: guaranteed by the caller.
        let (block, given) = unsafe { (text(name, block)?, text(instance, given)?) };
        let instance = match given {
            None => default.instance,
            Some(none) if none.is_empty() => None,
            some => some,
        };
        Ok::<_, Problem>(BlockNames { block: block.unwrap_or(default.block), instance })
    };
    let default = GlslProfile::DEFAULT;
    // SAFETY: guaranteed by the caller.
    let before = unsafe { text("TranspicaGlsl.attributes", attributes) }?.unwrap_or(Cow::Borrowed("in_"));
    Ok(GlslProfile {
        version_line: !switch("TranspicaGlsl.omit_version", omit_version)?,
        separable: switch("TranspicaGlsl.separable", separable)?,
        uniforms: block(
            ["TranspicaGlsl.uniform_block", "TranspicaGlsl.uniform_instance"],
            [uniform_block, uniform_instance],
            default.uniforms,
        )?,
        host: block(
            ["TranspicaGlsl.host_block", "TranspicaGlsl.host_instance"],
            [host_block, host_instance],
            default.host,
        )?,
        attributes: if switch("TranspicaGlsl.numbered_attributes", numbered_attributes)? {
            AttributeNames::Numbered(before)
        } else {
            AttributeNames::Named(before)
        },
    })
}

/// Converts bindings.
pub(crate) fn bindings(given: &TranspicaBindings) -> Bindings {
    let TranspicaBindings { head: _, uniform_set, uniform_binding, host_set, host_binding } = *given;
    Bindings {
        uniforms: Binding { set: uniform_set, binding: uniform_binding },
        host: Binding { set: host_set, binding: host_binding },
    }
}

/// Converts locations.
pub(crate) fn locations(given: &TranspicaLocations) -> Result<Locations, Problem> {
    let TranspicaLocations {
        head: _,
        has_position,
        position,
        color,
        texcoord0,
        texcoord1,
        texcoord2,
        texcoord0_w,
        quaternion,
        view,
        clip_distances,
    } = *given;
    let position = switch("TranspicaLocations.has_position", has_position)?.then_some(position);
    Ok(Locations {
        position,
        color,
        texcoord0,
        texcoord1,
        texcoord2,
        texcoord0_w,
        quaternion,
        view,
        clip_distances,
    })
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::enums::TranspicaVaryingSource as Source;

    const HEAD: TranspicaHead = TranspicaHead { r#type: 0, size: 0, next: ptr::null() };

    fn table(component_count: u32, components: [u32; 4]) -> Result<Vec<Varying>, Problem> {
        let varying =
            TranspicaVarying { name: c"v_colour".as_ptr(), location: 3, component_count, components };
        let given = TranspicaVaryings { head: HEAD, varyings: &raw const varying, varying_count: 1 };
        // SAFETY: there is one varying, and its name ends with a zero.
        unsafe { varyings(&given) }
    }

    #[test]
    fn varyings_have_codes_complements_and_constants() {
        let [complement, zero, one] =
            [Source::Complement, Source::Zero, Source::One].map(|source| source as u32);
        let found = table(4, [0x0C, complement + 0x0D, zero, one]).expect("a table");
        let components = vec![
            VaryingSource::Code(0x0C),
            VaryingSource::Complement(0x0D),
            VaryingSource::Zero,
            VaryingSource::One,
        ];
        assert_eq!(found, [Varying { name: "v_colour".into(), location: 3, components }]);
        assert!(table(0, [0; 4]).is_ok_and(|found| found[0].components.is_empty()));
        assert!(table(5, [0; 4]).is_err() && table(1, [0x1000, 0, 0, 0]).is_err());
    }

    #[test]
    fn zeros_are_the_default_names_and_an_empty_instance_is_none() {
        let mut given = TranspicaGlsl {
            head: HEAD,
            uniform_block: ptr::null(),
            uniform_instance: ptr::null(),
            host_block: ptr::null(),
            host_instance: ptr::null(),
            attributes: ptr::null(),
            numbered_attributes: 0,
            omit_version: 0,
            separable: 0,
            reserved: 0,
        };
        // SAFETY: no text, or texts that end with a zero.
        let convert = |given: &TranspicaGlsl| unsafe { glsl(given) }.expect("names");
        assert_eq!(convert(&given), GlslProfile::DEFAULT);
        given.host_instance = c"".as_ptr();
        given.uniform_block = c"PICAShaderUniforms".as_ptr();
        (given.omit_version, given.numbered_attributes) = (1, 1);
        let found = convert(&given);
        assert_eq!((found.host.instance, found.version_line), (None, false));
        assert_eq!(found.uniforms.block, "PICAShaderUniforms");
        assert_eq!(found.attributes, AttributeNames::Numbered("in_".into()));
    }
}
