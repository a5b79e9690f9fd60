//! The examples on a driver of Vulkan; `drivers` also runs on a second one (`cargo xtask test
//! --second-driver`).

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "`cargo xtask` installs what it lists")]
mod needs;

mod drivers;
