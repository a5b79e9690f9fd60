//! Assembles the shader and writes its bindings.

fn main() -> Result<(), transpica_build::Failure> {
    transpica_build::shader("shaders/lit.v.pica").deny("all").bind()?;
    Ok(())
}
