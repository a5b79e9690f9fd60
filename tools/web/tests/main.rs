//! The engine of the page, and the draws that it hands to WebGPU.

mod engine;
mod gpu_draw;
