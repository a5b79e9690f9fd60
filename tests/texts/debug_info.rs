//! Debug information of SPIR-V modules: they stay valid, and without it each is word for word the
//! module that has none. Lines are those of the instructions that the words belong to.

use expect_test::expect;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{DebugSource, Sourced, dvle};
use transpica::isa::{Pc, Program};
use transpica::stages::backend::spirv::PlacedWords;
use transpica::{Job, Key, Options, Profile, RegisterState, Setup, Shbin, Stage, Translation, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_proof::spirv_tools;

use crate::samples::samples;

/// Opcodes.
mod op {
    pub const SOURCE: u32 = 3;
    pub const STRING: u32 = 7;
    pub const LINE: u32 = 8;
    pub const EXTENSION: u32 = 10;
    pub const EXT_INST: u32 = 12;
    pub const LABEL: u32 = 248;
}

/// Instructions of the set.
mod info {
    pub const SOURCE: u32 = 35;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
}

fn translator(debug_info: bool) -> Translator {
    Translator::new(Options::default(), Profile { debug_info, ..Profile::default() })
}

/// Returns the instructions of a module.
fn instructions(words: &[u32]) -> Vec<&[u32]> {
    let mut rest = &words[5..];
    let mut instructions = Vec::new();
    while let Some(&head) = rest.first() {
        let (instruction, after) = rest.split_at((head >> 16) as usize);
        instructions.push(instruction);
        rest = after;
    }
    instructions
}

fn opcode(instruction: &[u32]) -> u32 {
    instruction[0] & 0xFFFF
}

/// Returns the id that an instruction defines, for those that debug information may add: strings,
/// imports, types, constants, extracts, instructions of a set.
fn result(instruction: &[u32]) -> Option<u32> {
    match opcode(instruction) {
        op::STRING | 11 | 19..=39 => Some(instruction[1]),
        op::EXT_INST | 43 | 81 => Some(instruction[2]),
        _others => None,
    }
}

/// Returns the module without its debug information, and the places of what is left. `bound` is
/// that of the plain module.
fn strip(placed: &PlacedWords, bound: u32) -> PlacedWords {
    let mut words = placed.words[..5].to_vec();
    words[3] = bound;
    let mut places = Vec::new();
    for (instruction, list) in instructions(&placed.words).into_iter().zip(&placed.places) {
        let is_debug = match opcode(instruction) {
            op::SOURCE | op::LINE | op::EXTENSION => true,
            _others => result(instruction).is_some_and(|id| id >= bound),
        };
        if !is_debug {
            words.extend_from_slice(instruction);
            places.push(list.clone());
        }
    }
    PlacedWords { words, places }
}

/// Returns the value of each constant, by its id.
fn numbers(words: &[u32]) -> Vec<u32> {
    let mut numbers = vec![0; words[3] as usize];
    for instruction in instructions(words).into_iter().filter(|instruction| opcode(instruction) == 43) {
        numbers[instruction[2] as usize] = instruction[3];
    }
    numbers
}

/// Returns whether an instruction is one of the set.
fn is_info(instruction: &[u32], set: u32, number: u32) -> bool {
    opcode(instruction) == op::EXT_INST && instruction[3] == set && instruction[4] == number
}

/// Returns the import of the set.
fn set(words: &[u32]) -> u32 {
    let name = u32::from_le_bytes(*b"NonS");
    let imports = instructions(words).into_iter().find(|import| opcode(import) == 11 && import[2] == name);
    imports.expect("the set is imported")[1]
}

/// Checks that each line is one of the instructions that the words after it belong to, and returns
/// the lines.
fn check_lines(placed: &PlacedWords, source: &DebugSource) -> Vec<u32> {
    let (numbers, set) = (numbers(&placed.words), set(&placed.words));
    let (mut line, mut found) = (None, Vec::new());
    let mut instructions = instructions(&placed.words).into_iter().zip(&placed.places).peekable();
    while let Some((instruction, places)) = instructions.next() {
        let lines: Vec<u32> = places.iter().filter_map(|&pc| source.line(pc)).collect();
        match opcode(instruction) {
            op::LABEL => line = None,
            op::LINE => {
                line = Some(instruction[2]);
                let (next, _) = instructions.peek().expect("OpLine is followed by DebugLine");
                assert!(is_info(next, set, info::LINE), "{next:?}");
                assert_eq!(numbers[next[6] as usize], instruction[2]);
                assert_eq!(numbers[next[7] as usize], instruction[2]);
                found.push(instruction[2]);
            }
            _others if lines.is_empty() => {}
            // The scope of a block comes before its lines.
            op::EXT_INST if instruction[3] == set => {}
            _others => assert!(line.is_some_and(|line| lines.contains(&line)), "{line:?} {lines:?}"),
        }
    }
    found
}

/// Calls `check` with each program of the samples, each job of it, and its name.
fn each(check: &mut dyn FnMut(&Program<'_>, &FileEnvironment<'_>, Job<'_>, &str)) {
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Options::default().limits).expect("a program");
            let environment = FileEnvironment::new(&file, index, "sample").expect("an executable");
            let name = format!("{}#{index}", sample.name);
            let mut check = |job| check(&program, &environment, job, &name);
            match program.stage() {
                Stage::Vertex => [
                    Job::Vertex,
                    Job::Compute,
                    Job::BeforeGeometry { outputs: 3, vertices: 1 },
                    Job::Quaternions,
                ]
                .into_iter()
                .for_each(check),
                Stage::Geometry => {
                    let setup = Setup::of_geometry(&file, index, None).expect("a setup");
                    check(Job::Geometry(&setup));
                    if let Ok(setup) = Setup::from_file(&file, 0, Some(index), None) {
                        check(Job::GeometryStage(&setup));
                    }
                }
            }
        }
    }
}

/// Returns whether naga reads a module.
fn naga_reads(words: &[u32]) -> Result<(), String> {
    let options = naga::front::spv::Options { adjust_coordinate_space: false, ..Default::default() };
    let module = naga::front::spv::Frontend::new(words.iter().copied(), &options).parse();
    module.map(|_| ()).map_err(|error| format!("{error:?}"))
}

#[test]
fn every_sample_keeps_its_words() {
    let (mut plain, mut debug) = (translator(false), translator(true));
    let (mut modules, mut lines, mut stages) = (0, 0, 0);
    each(&mut |program, environment, job, name| {
        let Ok(expected) = plain.translate(program, environment, job) else { return };
        let translated = debug.translate(program, environment, job).expect("as without");
        let words = debug.spirv(&translated).expect("SPIR-V");
        let (expected, placed) = (expected.placed_spirv().unwrap(), translated.placed_spirv().unwrap());
        assert_eq!(placed.words, words, "{name} {job:?}");
        modules += 1;
        if job == Job::Quaternions {
            assert_eq!(words, expected.words, "no program, no debug information");
            return;
        }
        assert_eq!(strip(&placed, expected.words[3]), expected, "{name} {job:?}");
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name} {job:?}: {error}"));
        let is_stage = matches!(job, Job::GeometryStage(_));
        stages += u32::from(is_stage);
        // It has no geometry stages.
        assert_eq!(naga_reads(&words).err().is_some(), is_stage, "{name} {job:?}");
        let source = translated.debug_source.as_ref().expect("a listing");
        lines += check_lines(&placed, source).len();
    });
    assert!(modules > 100 && lines > 1000 && stages > 2, "{modules} {lines} {stages}");
}

/// Two instructions at lines 7 and 9 of a text.
const PAIR: &str = "\
.in position v0
.out - position o0



.proc main
    mul r0.xy, position, position

    add o0, r0.yyyy, position
    end
.end
";

/// Translates the pair with its own source, or with another text of it.
fn translate_pair(translator: &mut Translator, text: Option<&str>) -> (Translation, Key) {
    let assembled = assemble(&[SourceText { name: "pair.v.pica", text: PAIR }]).expect("assembles");
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let program = dvle::program(&file, 0, &Options::default().limits).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "pair").expect("an executable");
    let lines = assembled.places.iter().map(|place| place.line).collect();
    let source = DebugSource {
        name: "pair.v.pica".into(),
        text: text.unwrap_or(PAIR).into(),
        lines,
        ..DebugSource::default()
    };
    let environment = Sourced { environment, source: &source };
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("a translation");
    (translated, translator.key(&program, &environment, Job::Vertex, b"").expect("a key"))
}

#[test]
fn a_pair_of_instructions_has_lines_and_registers() {
    needs!("spirv-dis");
    let (translated, _) = translate_pair(&mut translator(true), None);
    let placed = translated.placed_spirv().expect("SPIR-V");
    let source = translated.debug_source.as_ref().expect("that of the host");
    assert_eq!(check_lines(&placed, source), [7, 9]);
    let text = spirv_tools::tool("spirv-dis", &["--raw-id", "-"], &spirv_tools::bytes(&placed.words));
    let text = String::from_utf8(text.expect("text")).expect("UTF-8");
    let is_shown = |line: &&str| {
        let parts = ["OpLine", "OpSource", "OpString", "Debug", "emantic", "OpFMul", "OpFAdd", "OpComposite"];
        parts.iter().any(|part| line.contains(part))
    };
    let placed = transpica_inspect::spirv::placed_assembly(&placed).expect("text of rspirv");
    assert!(placed.text.contains("%26 = OpExtInst %8 %23 35 %24 %25"), "{}", placed.text);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: Vec<String> = text.lines().filter(is_shown).map(words).collect();
    expect![[r#"
        OpExtension "SPV_KHR_non_semantic_info"
        %23 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
        %24 = OpString "pair.v.pica"
        OpSource Unknown 0 %24
        %25 = OpString ".in position v0
        %35 = OpString "main"
        %37 = OpString "float"
        %45 = OpString "r0"
        %50 = OpString "o0"
        %26 = OpExtInst %8 %23 DebugSource %24 %25
        %31 = OpExtInst %8 %23 DebugCompilationUnit %28 %29 %26 %30
        %34 = OpExtInst %8 %23 DebugTypeFunction %32 %8
        %36 = OpExtInst %8 %23 DebugFunction %35 %34 %26 %33 %30 %31 %35 %32 %33
        %39 = OpExtInst %8 %23 DebugTypeBasic %37 %38 %32 %30
        %40 = OpExtInst %8 %23 DebugTypeVector %39 %29
        %41 = OpExtInst %8 %23 DebugExpression
        %46 = OpExtInst %8 %23 DebugLocalVariable %45 %40 %26 %33 %30 %36 %29
        %51 = OpExtInst %8 %23 DebugLocalVariable %50 %40 %26 %33 %30 %36 %29
        %42 = OpExtInst %8 %23 DebugFunctionDefinition %36 %10
        %43 = OpExtInst %8 %23 DebugScope %36
        OpLine %24 7 0
        %44 = OpExtInst %8 %23 DebugLine %26 %33 %33 %30 %30
        %13 = OpCompositeExtract %2 %12 1
        %14 = OpFMul %2 %13 %13
        %47 = OpExtInst %8 %23 DebugValue %46 %14 %41 %28
        OpLine %24 9 0
        %49 = OpExtInst %8 %23 DebugLine %26 %48 %48 %30 %30
        %15 = OpCompositeConstruct %3 %14 %14 %14 %14
        %16 = OpFAdd %3 %15 %12
        %52 = OpExtInst %8 %23 DebugValue %51 %16 %41
        %17 = OpCompositeExtract %2 %16 2
        %21 = OpCompositeExtract %2 %16 3
        %22 = OpCompositeConstruct %3 %20 %18 %21"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn long_texts_are_split_at_characters() {
    // Characters of three bytes: no piece ends at its last possible byte.
    let text = format!("a{}", "€".repeat(200_000));
    let (translated, _) = translate_pair(&mut translator(true), Some(&text));
    let words = translated.spirv().expect("SPIR-V");
    spirv_tools::validate(&words).unwrap();
    naga_reads(&words).unwrap();
    let set = set(&words);
    let string = |id: u32| {
        let all = instructions(&words);
        let found = all.into_iter().find(|string| opcode(string) == op::STRING && string[1] == id);
        let bytes: Vec<u8> =
            found.expect("defined")[2..].iter().flat_map(|word| word.to_le_bytes()).collect();
        String::from_utf8(bytes).expect("whole characters").trim_end_matches('\0').to_owned()
    };
    let mut joined = String::new();
    let mut pieces = 0;
    for instruction in instructions(&words) {
        if is_info(instruction, set, info::SOURCE) {
            assert_eq!(string(instruction[5]), "pair.v.pica");
            joined += &string(instruction[6]);
        } else if is_info(instruction, set, info::SOURCE_CONTINUED) {
            joined += &string(instruction[5]);
            pieces += 1;
        }
    }
    assert!(joined == text && pieces == 3, "{pieces}");
}

#[test]
fn a_text_counts_as_words_of_the_module() {
    let limits = transpica::Limits { output_words: 10_000, ..transpica::Limits::default() };
    let options = Options { limits, ..Options::default() };
    let mut translator = Translator::new(options, Profile { debug_info: true, ..Profile::default() });
    let (translated, _) = translate_pair(&mut translator, Some(&"a".repeat(30_000)));
    assert!(translated.spirv().is_ok());
    let (translated, _) = translate_pair(&mut translator, Some(&"a".repeat(41_000)));
    assert_eq!(translated.spirv().unwrap_err().kind.code(), transpica::Code::Limit);
}

#[test]
fn the_source_is_a_part_of_keys_only_where_modules_have_it() {
    let key = |debug_info, text| translate_pair(&mut translator(debug_info), text).1;
    assert_eq!(key(false, None), key(false, Some("other")));
    assert_ne!(key(true, None), key(true, Some("other")));
    assert_ne!(key(true, None), key(false, None));
}

#[test]
fn a_program_without_a_source_has_a_listing() {
    // mov o0, v0; end; nop, which nothing reaches
    let code = &[0x4C00_0000, 0x8800_0000, 0x8400_0000][..];
    let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex).expect("a program");
    let state = RegisterState::default();
    let translated = translator(true).translate(&program, &state.vertex(), Job::Vertex).expect("one");
    let source = translated.debug_source.expect("a listing");
    expect![[r#"
        0x0: mov o0, v0
        0x1: end
        [1, 2]"#]]
    .assert_eq(&format!("{}\n{:?}", source.text, source.lines));
}
