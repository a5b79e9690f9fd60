//! The engine of the page, the draws that it hands to WebGPU, and pixels of pictures.

mod engine;
mod gpu_draw;
mod pick;
