//! Local symbols of a static library in ELF: all except the functions of the header.
//! Two Rust libraries in one program define the symbols of Rust's runtime twice otherwise.
//! In: library, header. Out: the library, with one object. The linker and objcopy are those of the
//! Rust toolchain, so that foreign targets work alike.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns whether objects of a target are ELF, which alone has tools here.
pub fn is_elf(triple: &str) -> bool {
    ["-linux-", "-android", "bsd"].iter().any(|part| triple.contains(part))
}

/// Returns what the compiler prints, without the line's end.
pub fn rustc(arguments: &[&str]) -> Result<String, String> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("rustc: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the target of this machine.
pub fn host() -> Result<String, String> {
    let text = rustc(&["-vV"])?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| format!("rustc does not name this machine: {text}"))
}

/// Links a static library to one object, and makes every symbol local that the header does not
/// declare. Debug information and bitcode are removed.
pub fn make_local(library: &Path, header: &Path) -> Result<(), String> {
    let sysroot = PathBuf::from(rustc(&["--print", "sysroot"])?);
    let tools = sysroot.join("lib/rustlib").join(host()?).join("bin");
    let text = fs::read_to_string(header).map_err(|error| format!("{}: {error}", header.display()))?;
    let functions = functions(&text);
    let (linked, object) = (library.with_extension("linked.o"), library.with_extension("o"));
    let run = |command: &mut Command| {
        // The tools share LLVM's library with the compiler.
        let output = command.env("LD_LIBRARY_PATH", sysroot.join("lib")).output();
        let output = output.map_err(|error| format!("{command:?}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {text}")) }
    };
    // The linker would keep one group of two with the same name, even if their symbols are local.
    run(Command::new(tools.join("gcc-ld/ld.lld"))
        .args(["-r", "--force-group-allocation", "--strip-debug", "--whole-archive"])
        .arg(library)
        .arg("-o")
        .arg(&linked))?;
    let keep = functions.iter().map(|name| format!("--keep-global-symbol={name}"));
    // Tools of another LLVM fail on the standard library's bitcode.
    run(Command::new(tools.join("rust-objcopy"))
        .args(keep)
        .args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"])
        .arg(&linked)
        .arg(&object))?;
    let bytes = fs::read(&object).map_err(|error| format!("{}: {error}", object.display()))?;
    for path in [&linked, &object] {
        fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    fs::write(library, one_object(&functions, &bytes)?)
        .map_err(|error| format!("{}: {error}", library.display()))
}

/// Names of the functions that a header declares.
fn functions(header: &str) -> BTreeSet<&str> {
    let names = header.match_indices("transpica_").filter_map(|(at, _)| {
        let rest = &header[at..];
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
        rest[end..].starts_with('(').then_some(&rest[..end])
    });
    names.collect()
}

/// Returns a static library (System V) with one object and the index of its functions.
fn one_object(functions: &BTreeSet<&str>, object: &[u8]) -> Result<Vec<u8>, String> {
    let mut names: Vec<u8> = functions.iter().flat_map(|name| name.bytes().chain([0])).collect();
    let count = u32::try_from(functions.len()).map_err(|error| error.to_string())?;
    let start = 8 + 60 + 4 + 4 * functions.len() + names.len();
    names.resize(names.len() + start % 2, 0);
    let start = u32::try_from(start.next_multiple_of(2)).map_err(|error| error.to_string())?;
    let mut index = count.to_be_bytes().to_vec();
    functions.iter().for_each(|_| index.extend(start.to_be_bytes()));
    index.append(&mut names);
    let mut file = b"!<arch>\n".to_vec();
    for (name, bytes) in [("/", &index[..]), ("transpica.o/", object)] {
        let size = bytes.len();
        file.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).bytes());
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(2), b'\n');
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_types_are_no_functions() {
        let text = "/* transpica_a, see transpica_b. */ typedef int transpica_t; int transpica_c1(void);";
        assert_eq!(functions(text), BTreeSet::from(["transpica_c1"]));
    }

    #[test]
    fn the_index_points_at_the_object() {
        for name in ["transpica_a", "transpica_ab"] {
            let file = one_object(&BTreeSet::from([name]), b"object").expect("small");
            let at = u32::from_be_bytes(file[72..76].try_into().expect("four bytes")) as usize;
            assert!(file[at..].starts_with(b"transpica.o/"), "{name}");
        }
    }
}
