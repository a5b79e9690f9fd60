//! Hooks: changes that a host makes to programs.
//! In: structures. Out: hooks of the library.

use transpica::container::Semantic;
use transpica::host::{Hook, HookOperand, OutputHook};
use transpica::isa::{Mask, Pc};

use crate::boundary::array;
use crate::chain::{TranspicaHead, structures};
use crate::enums::TranspicaHookKind;
use crate::problem::Problem;
use crate::settings::{choice, narrow, reserved, switch};

/// An operand of a hook: four floats.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaHookOperand {
    /// 0: `value` counts and is part of the module. 1: `parameter` counts and is read at draw time.
    pub is_parameter: u32,
    /// Number of the parameter, 0 to 15: the vector at byte 32 + 16 * n of the host block.
    pub parameter: u32,
    /// The constant.
    pub value: [f32; 4],
}

/// A change of a program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaHook {
    /// A TranspicaHookKind.
    pub kind: u32,
    /// A TranspicaSemantic: the output. 0 for other hooks.
    pub semantic: u32,
    /// The components, bit 0 is x. 0 for matrices and hooks of no output.
    pub mask: u32,
    /// For a redirected uniform, its register, 0 to 95; for a tap, the address of the instruction.
    pub number: u32,
    /// Location of the varying of a tap or a second evaluation.
    pub location: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The rows of a matrix; only the first is the operand of other hooks.
    pub operands: [TranspicaHookOperand; 4],
}

/// Hooks of a program, first to last. They come with the program, and are part of its key.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaHooks {
    /// TRANSPICA_TYPE_HOOKS
    pub head: TranspicaHead,
    /// The hooks.
    pub hooks: *const TranspicaHook,
    /// Number of hooks.
    pub hook_count: usize,
}

structures! { TranspicaHooks => Hooks }

impl TranspicaHooks {
    /// Returns the hooks of the library.
    ///
    /// # Safety
    /// `hooks` is NULL or points to as many hooks.
    pub(crate) unsafe fn read(&self) -> Result<Vec<Hook>, Problem> {
        // SAFETY: guaranteed by the caller.
        let hooks = unsafe { array(self.hooks, self.hook_count, "TranspicaHooks.hooks")? };
        hooks.iter().map(TranspicaHook::read).collect()
    }
}

impl TranspicaHook {
    fn read(&self) -> Result<Hook, Problem> {
        let Self { kind, semantic, mask, number, location, reserved: rest, operands } = *self;
        reserved("TranspicaHook.reserved", rest)?;
        let output = |hook| Ok(Hook::Output(choice::<Semantic>("TranspicaHook.semantic", semantic)?, hook));
        let mask = || match mask {
            0..16 => Ok(Mask(mask as u8)), // Range: the pattern.
            _ => Err(Problem::choice(format!(
                "TranspicaHook.mask is {mask:#x}, but there are four components"
            ))),
        };
        match choice("TranspicaHook.kind", kind)? {
            TranspicaHookKind::Set => output(OutputHook::Set(mask()?, operands[0].read()?)),
            TranspicaHookKind::Add => output(OutputHook::Add(mask()?, operands[0].read()?)),
            TranspicaHookKind::Multiply => output(OutputHook::Multiply(mask()?, operands[0].read()?)),
            TranspicaHookKind::Transform => {
                let mut rows = [HookOperand::constant([0.0; 4]); 4];
                for (row, operand) in rows.iter_mut().zip(&operands) {
                    *row = operand.read()?;
                }
                output(OutputHook::Transform(rows))
            }
            TranspicaHookKind::Redirect => {
                Ok(Hook::Redirect(narrow("TranspicaHook.number", number)?, operands[0].read()?))
            }
            TranspicaHookKind::Tap => Ok(Hook::Tap(Pc(narrow("TranspicaHook.number", number)?), location)),
            TranspicaHookKind::Again => Ok(Hook::Again(location)),
        }
    }
}

impl TranspicaHookOperand {
    fn read(&self) -> Result<HookOperand, Problem> {
        if switch("TranspicaHookOperand.is_parameter", self.is_parameter)? {
            narrow("TranspicaHookOperand.parameter", self.parameter).map(HookOperand::Parameter)
        } else {
            Ok(HookOperand::constant(self.value))
        }
    }
}
