//! Every container with one program, several, and others inside it: places, names, pairs, bytes.

use transpica::{Shbin, Stage};
use transpica_containers::vbc::{ShaderStage, Vbc};
use transpica_containers::{Hit, Limits, Pair, ProgramInfo, shbin};

use crate::support::models::{bch, cgfx, gf_pack, gf_shader, mfx};
use crate::support::{archives, bytes_of, list, list_of, packed, places, sample, scan, scan_with, wrappings};

/// A sample, and zeros after it so that it can be compressed.
fn padded(name: &str) -> Vec<u8> {
    let mut bytes = sample(name);
    bytes.resize(bytes.len() + 4096, 0);
    bytes
}

/// Programs of a hit as stage, entry and instructions.
fn programs(hit: &Hit) -> Vec<(ShaderStage, Option<&str>, u32)> {
    let facts = |program: &'_ ProgramInfo| (program.stage, program.instructions);
    hit.programs
        .iter()
        .map(|program| {
            let (stage, count) = facts(program);
            (stage, program.entry.as_deref(), count)
        })
        .collect()
}

#[test]
fn bare_files_are_found_at_every_byte() {
    let shader = sample("library");
    for before in 0..64 {
        let file = [&vec![7; before][..], &shader, b"behind"].concat();
        let (found, _) = scan(&file);
        assert_eq!(found.len(), 1, "{before}");
        let hit = &found[0].hit;
        assert_eq!((hit.offset, hit.input_offset), (before as u64, Some(before as u64)));
        assert!(found[0].bytes == shader);
        assert_eq!(programs(hit)[0], (ShaderStage::Vertex, None, 167));
        assert_eq!(hit.programs.len(), 6);
        assert!(hit.programs.iter().all(|program| program.key.is_some() && program.instructions > 10));
    }
}

#[test]
fn the_samples_one_after_the_other_are_found_with_their_lengths() {
    let names = ["fog", "lights", "points", "library", "textured"];
    let all: Vec<u8> = names.into_iter().flat_map(sample).collect();
    let (found, _) = scan(&all);
    assert_eq!(found.len(), names.len());
    for (kept, name) in found.iter().zip(names) {
        assert!(kept.bytes == sample(name), "{name}");
    }
    let stages: Vec<_> = found[2].hit.programs.iter().map(|program| program.stage).collect();
    assert_eq!(stages, [ShaderStage::Vertex, ShaderStage::Geometry]);
}

#[test]
fn every_container_gives_the_bytes_of_its_programs() {
    let content = padded("lights");
    for (name, wrap) in wrappings() {
        let (found, summary) = scan(&wrap(&content));
        assert_eq!(summary.warnings, [], "{name}");
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0].hit.place(), format!("{name}/DVLB@0x0"));
        assert!(found[0].bytes == sample("lights"), "{name}");
    }
}

#[test]
fn a_dvlb_may_begin_around_the_end_of_a_window() {
    let (content, limits) = (sample("lights"), Limits { look_ahead: 1 << 16, ..Limits::default() });
    // The first window is searched up to here.
    let window = (64 << 10) + (16 << 10);
    for place in window - 4..window + 5 {
        let mut bytes = vec![0xA5; place];
        (0..2).for_each(|_| bytes.extend([&content[..], &[0xFF]].concat()));
        bytes.resize(1 << 18, 0);
        let (found, _) = scan_with(&bytes, limits);
        let offsets: Vec<_> = found.iter().map(|found| (found.hit.offset, found.bytes == content)).collect();
        assert_eq!(offsets, [(place as u64, true), ((place + content.len() + 1) as u64, true)]);
    }
}

#[test]
fn every_container_is_opened_inside_of_every_other() {
    let content = padded("textured");
    for (outer, wrap_outer) in wrappings() {
        for (inner, wrap_inner) in wrappings() {
            let mut file = wrap_inner(&content);
            // What is compressed already cannot be compressed backwards without anything after it,
            // and that would be in front of its footer.
            if outer == "backward-LZ" && inner != "backward-LZ" {
                file.resize(file.len() + 15, 0);
            }
            if outer == "backward-LZ" && ["backward-LZ", "LZ10", "LZ11", "Yaz0"].contains(&inner) {
                continue;
            }
            let (found, summary) = scan(&wrap_outer(&file));
            assert_eq!(summary.warnings, [], "{inner} in {outer}");
            let places: Vec<_> = found.iter().map(|kept| kept.hit.place()).collect();
            assert_eq!(places, [format!("{outer}/{inner}/DVLB@0x0")]);
            assert!(found[0].bytes == sample("textured"));
        }
    }
}

#[test]
fn archives_name_each_of_several_entries() {
    let [fog, lights] = ["fog", "lights"].map(sample);
    let text = b"no shader".to_vec();
    let files = [("a/fog.shbin", &fog[..]), ("readme.txt", &text), ("b/lights.shbin", &lights)];
    assert_eq!(
        places(&archives::sarc(&files)),
        ["SARC:a/fog.shbin/DVLB@0x0", "SARC:b/lights.shbin/DVLB@0x0"]
    );
    let unnamed = places(&archives::sarc_of(&files, false));
    assert_eq!(unnamed.len(), 2);
    assert!(unnamed[0].starts_with("SARC:") && unnamed[0].len() == "SARC:01234567/DVLB@0x0".len());
    let tree = archives::darc(&[("a", &[("fog.shbin", &fog)]), ("b", &[("c", &text), ("d", &lights)])]);
    assert_eq!(places(&tree), ["darc:a/fog.shbin/DVLB@0x0", "darc:b/d/DVLB@0x0"]);
    let garc = archives::garc(&[&[&fog], &[&text, &lights], &[]]);
    assert_eq!(places(&garc), ["GARC:0/DVLB@0x0", "GARC:1.1/DVLB@0x0"]);
    let exefs = archives::exefs(&[(".code", &fog), ("banner", &text), ("icon", &lights)]);
    assert_eq!(places(&exefs), ["ExeFS:.code/DVLB@0x0", "ExeFS:icon/DVLB@0x0"]);
    let package = archives::package(*b"PC", &[&fog, &text, &lights]);
    assert_eq!(places(&package), ["GFL:0/DVLB@0x0", "GFL:2/DVLB@0x0"]);
}

#[test]
fn code_is_unpacked_with_its_bare_part() {
    let code = [&[1; 64][..], &sample("fog"), &[1; 64], &padded("lights")].concat();
    let second = sample("fog").len() + 128;
    let expected = [
        "ExeFS:.code/backward-LZ/DVLB@0x40".to_string(),
        format!("ExeFS:.code/backward-LZ/DVLB@{second:#x}"),
    ];
    for bare in [0, 1 << 8, second] {
        let file = archives::exefs(&[(".code", &packed::backward(&code, bare))]);
        assert_eq!(places(&file), expected, "{bare}");
    }
}

#[test]
fn models_name_and_pair_programs() {
    let (points, fog) = (sample("points"), sample("fog"));
    let (found, _) = scan(&cgfx(&[("sky", &fog), ("grass", &points)]));
    let names: Vec<_> = found.iter().map(|kept| kept.hit.name.as_deref()).collect();
    assert_eq!(names, [Some("sky"), Some("grass")]);
    assert!(found.iter().all(|kept| kept.hit.place().starts_with("CGFX/DVLB@")));
    assert!(found[1].bytes == points);

    let shaders = [("sky", 0, 0, -1), ("grass", 1, 0, 1), ("again", 1, 0, -1)];
    let (found, _) = scan(&bch(&[&fog, &points], &shaders));
    let pair = |name: &str, vertex, geometry| Pair { name: Some(name.into()), vertex, geometry };
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].hit.pairs, [pair("sky", Some(0), None)]);
    assert_eq!(found[1].hit.pairs, [pair("grass", Some(0), Some(1)), pair("again", Some(0), None)]);
    assert!(found[1].hit.place().starts_with("BCH/DVLB@"));

    assert_eq!(places(&mfx(&points)), ["MFX/DVLB@0x80"]);
    let nested = archives::sarc(&[("m.bcmdl", &cgfx(&[("sky", &fog)])), ("n.bch", &bch(&[&fog], &[]))]);
    let places = places(&nested);
    assert!(places[0].starts_with("SARC:m.bcmdl/CGFX/") && places[1].starts_with("SARC:n.bch/BCH/"));
}

#[test]
fn cgfx_of_the_first_revision_has_no_names() {
    let fog = sample("fog");
    let mut file = cgfx(&[("sky", &fog)]);
    file[20..24].copy_from_slice(b"NONE");
    let (found, _) = scan(&file);
    assert_eq!((found.len(), found[0].hit.name.as_deref()), (1, None));
}

#[test]
fn command_lists_become_programs() {
    let commands = bytes_of(&list_of("fog"));
    let file = [&[0xFF; 100][..], &commands, &[0xFF; 40]].concat();
    let (found, _) = scan(&file);
    assert_eq!(found.len(), 1);
    let (hit, state) = (&found[0].hit, found[0].state.as_ref().expect("registers"));
    assert_eq!(hit.place(), "commands@0x64");
    assert_eq!((hit.length as usize, &hit.warnings[..]), (commands.len(), &[][..]));
    let bytes = sample("fog");
    let file = Shbin::parse(&bytes).expect("a sample");
    let own = state.program(Stage::Vertex).expect("a program");
    assert_eq!(own.code(), file.program(0).expect("there").program().code());
    let model = shbin::model(state, Stage::Vertex).expect("a program");
    let written = transpica::container::write(&model);
    assert!(shbin::is_complete(&written, state, Stage::Vertex));
    assert!(!shbin::is_complete(&bytes, state, Stage::Vertex));
}

#[test]
fn a_list_without_outputs_has_a_warning_and_one_without_an_end_is_none() {
    let code = [0x4C00_0000, 0x8800_0000];
    let whole = list(0x2B0, &code, &[0x36F], 0);
    let (found, _) = scan(&bytes_of(&whole[..whole.len() - 4]));
    assert_eq!(found[0].hit.warnings, ["the list does not set the output map"]);
    assert_eq!(places(&bytes_of(&list(0x2B0, &code[..1], &[0x36F], 0))), [""; 0]);
    let geometry = [whole, list(0x280, &[0x4C00_0000, 0xA800_0000, 0x8800_0000], &[0x36F], 0)].concat();
    let (found, _) = scan(&bytes_of(&geometry));
    let stages: Vec<_> = found[0].hit.programs.iter().map(|program| program.stage).collect();
    assert_eq!((found.len(), stages), (1, vec![ShaderStage::Vertex, ShaderStage::Geometry]));
}

#[test]
fn shaders_of_game_freak_are_command_lists_by_name() {
    let [fog, lights] = ["fog", "lights"].map(|name| bytes_of(&list_of(name)));
    assert_eq!(places(&gf_shader("Sky", &fog)), ["GFShader:Sky/commands@0x0"]);
    let pack = gf_pack(&[("sky", &gf_shader("Sky", &fog)), ("grass", &gf_shader("Grass", &lights))]);
    let names = ["GFPack:sky/GFShader:Sky/commands@0x0", "GFPack:grass/GFShader:Grass/commands@0x0"];
    assert_eq!(places(&pack), names);
    let garc = archives::garc(&[&[&archives::package(*b"GR", &[&packed::lz11(&pack)])]]);
    assert_eq!(places(&garc), names.map(|name| format!("GARC:0/GFL:0/LZ11/{name}")));
}

#[test]
fn vbc_is_found_with_its_stages() {
    let mut file = Vbc::default();
    file.stages[0] = vec![0x0723_0203, 0x0001_0300, 0, 1, 0];
    file.stages[4] = vec![0x0723_0203, 0x0001_0300, 0, 1, 0, 1];
    let bytes = [&[0; 8][..], &file.write().expect("small"), b"behind"].concat();
    let (found, _) = scan(&bytes);
    let stages: Vec<_> = found[0].hit.programs.iter().map(|one| (one.stage, one.instructions)).collect();
    assert_eq!(stages, [(ShaderStage::Vertex, 5), (ShaderStage::Fragment, 6)]);
    assert_eq!(found[0].hit.place(), "VBC@0x8");
    assert_eq!(found[0].bytes, file.write().expect("small"));
}

#[test]
fn equal_programs_have_one_identity_in_every_form() {
    let (fog, lights) = (sample("fog"), sample("lights"));
    // Another version of the tool: other bytes, the same module.
    let mut other = fog.clone();
    let at = other.windows(4).position(|magic| magic == b"DVLE").expect("an executable");
    other[at + 4] ^= 1;
    let (found, _) = scan(&[&fog[..], &other, &lights].concat());
    let [first, second, third] = [0, 1, 2].map(|index| &found[index].hit);
    assert!(first.digest != second.digest && first.identity == second.identity);
    assert_ne!(first.identity, third.identity);
}

#[test]
fn limits_end_a_scan_with_a_warning() {
    let fog = sample("fog");
    let deep = (0..6).fold(fog.clone(), |inner, _| archives::sarc(&[("a", &inner)]));
    let limits = Limits { depth: 5, ..Limits::default() };
    let (found, summary) = scan_with(&deep, limits);
    assert_eq!((found.len(), summary.is_cut), (0, true));
    assert!(summary.warnings[0].text.contains("nested too deep"), "{:?}", summary.warnings);
    assert_eq!(scan_with(&deep, Limits { depth: 6, ..limits }).0.len(), 1);

    let many = fog.repeat(10);
    let (found, summary) = scan_with(&many, Limits { hits: 3, ..Limits::default() });
    assert_eq!((found.len(), summary.is_cut), (3, true));

    let (found, summary) = scan_with(&many, Limits { input: 2 * fog.len() as u64 + 8, ..Limits::default() });
    assert_eq!((found.len(), summary.is_cut), (2, true));
    assert_eq!(summary.bytes, 2 * fog.len() as u64 + 8);

    let zeros = packed::yaz0(&vec![0; 1 << 16]);
    let (_, summary) = scan_with(&zeros, Limits { unpacked: 1 << 15, ..Limits::default() });
    assert!(summary.warnings[0].text.contains("65536 bytes"), "{:?}", summary.warnings);

    let (found, summary) = scan_with(
        &archives::package(*b"PT", &[&fog, &fog, &fog]),
        Limits { entries: 2, ..Limits::default() },
    );
    assert_eq!((found.len(), summary.warnings.len()), (2, 1));
}

/// A damaged program costs little, so that those after it are still found.
#[test]
fn programs_behind_many_damaged_ones_are_found() {
    let fog = sample("fog");
    let mut damaged = fog.clone();
    let at = damaged.windows(4).position(|magic| magic == b"DVLE").expect("an executable");
    damaged[at + 3] = b'X';
    let file = [damaged.repeat(2000), fog].concat();
    let (found, summary) = scan(&file);
    assert_eq!((found.len(), summary.is_cut, summary.warnings.len()), (1, false, 100));
}

/// A library whose code begins after the first bytes that are tried.
#[test]
fn programs_of_any_length_are_found() {
    let bytes = sample("fog");
    let mut model = transpica::container::Model::from(&Shbin::parse(&bytes).expect("a sample"));
    for names in [1 << 16, 1 << 20] {
        model.executables[0].names.bytes.resize(names, b'x');
        model.executables[0].names.bytes.push(0);
        let long = transpica::container::write(&model);
        let (found, _) = scan(&[&long[..], &bytes].concat());
        assert_eq!(found.len(), 2, "{names}");
        assert!(found[0].bytes == long && found[1].bytes == bytes);
    }
}
