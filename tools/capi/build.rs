//! Sets the soname of the shared library, which all compatible versions share.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // Below 1.0 every minor version may break compatibility.
    let version = match variable("CARGO_PKG_VERSION_MAJOR").as_str() {
        "0" => format!("0.{}", variable("CARGO_PKG_VERSION_MINOR")),
        major => major.to_owned(),
    };
    match variable("CARGO_CFG_TARGET_OS").as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtranspica.so.{version}");
        }
        "macos" | "ios" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libtranspica.{version}.dylib");
        }
        _ => {}
    }
}
