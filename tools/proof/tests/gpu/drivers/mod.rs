//! Comparisons that hold on any driver of Vulkan.

mod exponentials;
mod geometry_chain;
mod geometry_passes;
mod geometry_pictures;
mod glslang;
mod literal_zeros;
mod long_loops;
mod loop_values;
mod optimized;
mod peers;
mod random_programs;
mod verdict;
mod vertex_stage;

pub(crate) use transpica::stages::backend::text::Language;
