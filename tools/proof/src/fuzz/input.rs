//! Decodes bytes to a program with options and bindings, and encodes the seeds of a fuzzer.
//! In: bytes. Out: [`Input`]. Every byte string is valid; missing bytes are defaults.
//!
//! ```text
//! head  = precision job layout depth flags version limits[9] target start[2] seed[4]
//! entry = tag value[4]            the value of most entries is all they have; see `Input::entry`, `Input::option` and `hook`
//! ```

use arbitrary::{Result, Unstructured};
use transpica::container::{
    Constant, DescriptorRecord, Executable, Header, Label, Model, NameOffset, OutputRecord, SEMANTICS,
    Symbol, Version,
};
use transpica::host::{Hook, HookOperand, OutputHook};
use transpica::isa::{Mask, Pc, Uniforms};
use transpica::settings::{Arithmetic, Block, Control, DepthRange, Layout, Outputs};
use transpica::{Job, Limits, Options, Precision, Profile};
use transpica_settings::Settings;
use transpica_settings::table::{ROWS, Row};

use crate::generate::{inputs, special_inputs, special_uniforms, uniforms};

/// Largest number of code words in one input.
pub const CODE: usize = 600;
/// Bits of the head's flags.
const NO_CLAMP: u8 = 1;
const NO_FOLD: u8 = 2;
const PERMISSIVE: u8 = 4;
const PADDED: u8 = 128;
const CONTRACT: u8 = 8;
const VARIANT: u8 = 16;
const NAMELESS: u8 = 32;
const GEOMETRY: u8 = 64;

/// The first tag of an option.
const OPTION: u8 = 0xF0;
/// The tag of a hook.
const HOOK: u8 = 0xFF;
/// Largest number of hooks in one input; their number has no limit of its own.
const HOOKS: usize = 40;

/// Names with a meaning to some component; longer and stranger ones come from the input.
const NAMES: [&[u8]; 16] = [
    b"projection",
    b"main",
    b"",
    b"float",
    b"vec4f",
    b"gl_Position",
    b"c0",
    b"_hidden",
    b"a__b",
    b"uniforms",
    b"position",
    b"pica_mul_vec4f",
    b"r0_x",
    b"light.color",
    b"out_color",
    b"v0_unbound",
];

/// A program in a container, with its translation settings.
#[derive(Debug)]
pub struct Input {
    /// Options and target settings of the translation.
    pub settings: Settings,
    /// Job of a vertex program.
    pub job: Job<'static>,
    /// Changes of the program, some of which name nothing.
    pub hooks: Vec<Hook>,
    /// Selects the target and the checks of the result.
    pub target: u8,
    /// Seed of values that the input does not contain.
    pub seed: u32,
    /// A file of one executable.
    pub model: Model,
}

impl Input {
    /// Decodes an input.
    ///
    /// # Errors
    /// None for any byte string.
    pub fn read(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let [precision, job, layout, depth, flags, version]: [u8; 6] = bytes.arbitrary()?;
        let options = Options {
            arithmetic: Arithmetic {
                precision: [Precision::Exact, Precision::Fast, Precision::F24][usize::from(precision % 3)],
                ..Arithmetic::default()
            },
            block: Block {
                layout: [Layout::Symbols, Layout::Registers][usize::from(layout % 2)],
                fold_constants: flags & NO_FOLD == 0,
                padded: flags & PADDED != 0,
            },
            outputs: Outputs {
                depth: [DepthRange::ZeroToW, DepthRange::Raw][usize::from(depth % 2)],
                clamp_colors: flags & NO_CLAMP == 0,
                ..Outputs::default()
            },
            control: Control { permissive: flags & PERMISSIVE != 0, ..Control::default() },
            limits: limits(bytes.arbitrary()?),
            ..Options::default()
        };
        let profile = Profile {
            spirv_version: [(1, 3), (1, 0), (1, 1), (1, 2), (1, 4), (1, 5), (1, 6)][usize::from(version % 7)],
            no_contraction: flags & CONTRACT == 0,
            invariant_position: flags & VARIANT == 0,
            names: flags & NAMELESS == 0,
            ..Profile::default()
        };
        let job = [Job::Vertex, Job::Compute][usize::from(job % 2)];
        let target = bytes.arbitrary()?;
        let start: u16 = bytes.arbitrary()?;
        let seed: u32 = bytes.arbitrary()?;
        let header = Header {
            version: Version::PICASSO,
            kind: u8::from(flags & GEOMETRY != 0),
            main: start.into(),
            ..Header::default()
        };
        let executables = vec![Executable { header, ..Executable::default() }];
        let model = Model { executables, ..Model::default() };
        let settings = Settings { options, profile };
        let mut input = Self { settings, job, hooks: Vec::new(), target, seed, model };
        input.entries(bytes)?;
        Ok(input)
    }

    /// Generates uniforms and vertices from the seed: moderate values, or those at which rewrite
    /// rules fail.
    pub fn state(&self, vertices: usize) -> (Uniforms, Vec<[[f32; 4]; 16]>) {
        let seed = u64::from(self.seed);
        if self.target & 1 == 0 {
            (uniforms(seed), inputs(seed, vertices))
        } else {
            (special_uniforms(seed), special_inputs(seed, vertices))
        }
    }

    fn entries(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let mut control_flow = Vec::new();
        let mut names: Vec<Vec<u8>> = NAMES.map(<[u8]>::to_vec).to_vec();
        let mut last = 0;
        while !bytes.is_empty() && self.model.code.len() < CODE {
            let (tag, value): (u8, u32) = bytes.arbitrary()?;
            if tag == HOOK {
                if self.hooks.len() < HOOKS {
                    self.hooks.push(hook(value.to_le_bytes()));
                }
                continue;
            }
            if tag >= OPTION {
                self.option(value.to_le_bytes());
                continue;
            }
            let tag = tag % 8;
            match tag {
                1 => control_flow.push(self.model.code.len()),
                7 if last == 7 => names.last_mut().expect("never empty").extend(value.to_le_bytes()),
                7 => names.push(value.to_le_bytes().to_vec()),
                _ => {}
            }
            self.entry(tag, value, &names, bytes)?;
            last = tag;
        }
        // An unrestricted target would leave most programs at once.
        let words = self.model.code.len() as u32 + 1; // Range: `CODE`.
        self.model.executables[0].header.main %= words;
        for index in control_flow {
            let word = &mut self.model.code[index];
            *word = *word & !0x003F_FC00 | ((*word >> 10 & 0xFFF) % words) << 10;
        }
        Ok(())
    }

    /// Sets an option by a row of the table: a number field to any number, others to a value of the
    /// row. Numbers that a field does not hold set nothing.
    fn option(&mut self, [row, field, a, b]: [u8; 4]) {
        // The head has the limits.
        let rows: Vec<&Row> = ROWS.iter().filter(|row| row.flag != "limit").collect();
        let pick = |index: u8, count: usize| usize::from(index) % count;
        let row = rows[pick(row, rows.len())];
        let path = row.fields[pick(field, row.fields.len())].replace('*', &(a % 16).to_string());
        let is_number = self.settings.get(&path).is_ok_and(|text| text.parse::<u32>().is_ok());
        let _ = if is_number {
            self.settings.set(
                &path,
                &if b < 128 { u32::from(a) } else { u16::from_le_bytes([a, b]).into() }.to_string(),
            )
        } else {
            let values = row.values();
            self.settings.set(row.path(), values[pick(a, values.len())])
        };
    }

    /// Applies one entry.
    fn entry(&mut self, tag: u8, value: u32, names: &[Vec<u8>], bytes: &mut Unstructured<'_>) -> Result<()> {
        let [a, b, c, d] = value.to_le_bytes();
        let executable = &mut self.model.executables[0];
        let mut name = |index: u8| -> NameOffset {
            executable.names.add(&names[names.len() - 1 - usize::from(index) % names.len()])
        };
        match tag {
            2 => self.model.descriptors.push(DescriptorRecord { bits: value, ..DescriptorRecord::default() }),
            3 => {
                let (name, first) = (name(b), u16::from(a));
                executable.symbols.push(Symbol { name, first, last: first.wrapping_add(u16::from(c)) });
            }
            4 => executable.outputs.push(OutputRecord {
                kind: a.into(),
                register: b.into(),
                mask: c.into(),
                reserved: d.into(),
            }),
            5 => {
                let (kind, register) = (a.into(), b.into());
                executable.constants.push(Constant { kind, register, words: bytes.arbitrary()? });
            }
            6 => {
                let (address, name) = (a.into(), name(b));
                executable.labels.push(Label { id: c.into(), address, length: d.into(), name });
            }
            7 => {}
            _ => self.model.code.push(value),
        }
        Ok(())
    }

    /// Encodes a program, with default options, so that [`read`](Self::read) returns it.
    pub fn write(model: &Model, index: usize) -> Vec<u8> {
        let executable = &model.executables[index];
        let Header { main, kind, .. } = executable.header;
        let mut bytes = vec![0; 16];
        bytes[4] = if kind == 0 { 0 } else { GEOMETRY };
        bytes.extend((main as u16).to_le_bytes());
        bytes.extend([0; 4]);
        let mut put = |tag: u8, value: [u8; 4]| {
            bytes.push(tag);
            bytes.extend(value);
        };
        for symbol in &executable.symbols {
            for part in executable.names.get(symbol.name).0.chunks(4) {
                let mut text = [0; 4];
                text[..part.len()].copy_from_slice(part);
                put(7, text);
            }
            put(3, [symbol.first as u8, 0, symbol.last.wrapping_sub(symbol.first) as u8, 0]);
        }
        for output in &executable.outputs {
            put(4, [output.kind as u8, output.register as u8, output.mask as u8, 0]);
        }
        model.descriptors.iter().for_each(|descriptor| put(2, descriptor.bits.to_le_bytes()));
        model.code.iter().for_each(|word| put(0, word.to_le_bytes()));
        for constant in &executable.constants {
            bytes.extend([5, constant.kind as u8, constant.register as u8, 0, 0]);
            bytes.extend(constant.words.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }
}

/// Returns a hook. Registers, parameters, addresses and locations reach just beyond those that
/// there are.
fn hook([kind, a, b, c]: [u8; 4]) -> Hook {
    const VALUES: [f32; 8] = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0e38, f32::INFINITY, f32::NAN];
    let operand = |number: u8| match kind & 128 {
        0 => HookOperand::Parameter(number % 17),
        _ => HookOperand::constant(std::array::from_fn(|lane| VALUES[usize::from(number >> lane & 7)])),
    };
    let output = |hook| Hook::Output(SEMANTICS[usize::from(a & 15) % SEMANTICS.len()].semantic, hook);
    let mask = Mask(a >> 4);
    match kind % 8 {
        0 => output(OutputHook::Set(mask, operand(b))),
        1 => output(OutputHook::Add(mask, operand(b))),
        2 => output(OutputHook::Multiply(mask, operand(b))),
        3 => output(OutputHook::Transform([b, c, b ^ c, b & c].map(operand))),
        4 | 5 => Hook::Redirect(a % 97, operand(b)),
        6 => Hook::Tap(Pc(u16::from_le_bytes([a, b]) % (CODE as u16 + 1)), u32::from(c % 32)),
        _ => Hook::Again(u32::from(c % 32)),
    }
}

/// Returns limits at most as high as the defaults: each is divided by a power of two, by default 1.
fn limits(shifts: [u8; 9]) -> Limits {
    let usual = Limits::default();
    let [code, descriptors, nodes, base, depth, steps, values, output, executables] = shifts;
    let part = |value: u32, shift: u8| value >> (shift % 24);
    Limits {
        code_words: part(usual.code_words, code),
        descriptors: part(usual.descriptors, descriptors),
        nodes_per_instruction: part(usual.nodes_per_instruction, nodes),
        nodes_base: part(usual.nodes_base, base),
        depth: part(usual.depth, depth),
        steps: part(usual.steps, steps),
        values: part(usual.values, values),
        output_words: part(usual.output_words, output),
        executables: part(usual.executables, executables),
    }
}
