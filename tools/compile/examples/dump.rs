use transpica::Shbin;
use transpica_compile::optimize::{Known, written};
fn main() {
    let print = std::env::var_os("TEXT").is_some();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let file = Shbin::parse(&bytes).unwrap();
        if file.executables[0].header.kind != 0 { continue }
        let before = file.package.code.len();
        match written(&file, &Known::default()) {
            Ok(Ok((bytes, text))) => {
                let after = Shbin::parse(&bytes).unwrap().package.code.len();
                println!("{path} [{}] {before} -> {after}", file.executables.len());
                if print { println!("{text}") }
            }
            Ok(Err(reason)) => println!("{path} {before}: {reason}"),
            Err(error) => println!("{path}: {error}"),
        }
    }
}
