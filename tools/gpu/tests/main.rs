//! The examples on a driver of Vulkan; `drivers` also runs on a second one (`cargo xtask test
//! --second-driver`).

mod drivers;
