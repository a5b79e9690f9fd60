//! x
use std::hint::black_box;
use std::time::Instant;
use transpica::host::{Environment as _, dvle};
use transpica::interp::{Registers, Uniforms};
use transpica::{Limits, Machine, Options, Shbin};
use transpica_draw::batch::*;

#[inline(never)]
fn only<T>(work: impl FnOnce() -> T) -> T {
    work()
}
fn evict() {
    let mut memory = vec![0u8; 4 << 20];
    for line in memory.chunks_mut(64) {
        line[0] = line[0].wrapping_add(1);
    }
    black_box(&memory);
}
#[inline(never)]
fn interpret(machine: &mut Machine, bytes: &[u8], records: &Records, to: &mut [f32], count: usize) {
    for vertex in 0..count {
        let mut inputs = Registers::DEFAULT_INPUTS;
        for (register, offset, n) in [(0, 0, 3), (1, 12, 2), (2, 20, 4)] {
            let bytes = &bytes[vertex * 36 + offset..][..4 * n];
            for (value, bytes) in inputs[register].iter_mut().zip(bytes.as_chunks().0) {
                *value = f32::from_le_bytes(*bytes);
            }
        }
        let outputs = machine.run(&inputs).unwrap();
        let record = &mut to[vertex * records.stride..][..records.stride];
        for field in &records.fields {
            let value = field.output.value(outputs, &records.options, &records.host);
            let count = field.output.lanes();
            record[field.offset..][..count].copy_from_slice(&value[..count]);
        }
    }
}
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1]).unwrap();
    let file = Shbin::parse(&bytes).unwrap();
    let program = dvle::program(&file, 0, &Limits::default()).unwrap();
    let environment = dvle::FileEnvironment::new(&file, 0, "x").unwrap();
    let options = Options::default();
    let settings = options.settings(1 << 24);
    let mut uniforms = Uniforms::default();
    for (n, f) in uniforms.floats.as_flattened_mut().iter_mut().enumerate() {
        *f = (n % 7) as f32 * 0.25;
    }
    environment.constants().apply(&mut uniforms);
    let mut machine = Machine::new(&program, settings).unwrap();
    machine.set_uniforms(&uniforms);
    let mut batch = Batch::new(&program, settings).unwrap();
    batch.set_uniforms(&uniforms);
    let data: Vec<u8> = (0..9 * 300).flat_map(|n| ((n % 11) as f32 * 0.5).to_le_bytes()).collect();
    let array = |offset, components| {
        VertexAttribute::Array(Array { bytes: &data, offset, stride: 36, number: Number::F32, components })
    };
    let attributes = [array(0, 3), array(12, 2), array(20, 4)];
    let records = Records::from_map(&environment.output_map(), &options);
    let mut to = vec![0.0; 300 * records.stride];
    let mut expected = to.clone();
    let draw = |batch: &mut Batch, to: &mut [f32], count| {
        batch.run_draw(&Vertices::new(&attributes, Order::Range { first: 0, count }), &records, to).unwrap()
    };
    if let Some(count) = arguments.get(2) {
        let count: u32 = count.parse().unwrap();
        if arguments.len() > 3 {
            draw(&mut batch, &mut to, count);
            evict();
            only(|| draw(&mut batch, &mut to, black_box(count)));
        } else {
            interpret(&mut machine, &data, &records, &mut to, count as usize);
            evict();
            only(|| interpret(&mut machine, &data, &records, &mut to, black_box(count as usize)));
        }
        return;
    }
    for count in [1u32, 2, 3, 4, 6, 8, 12, 15, 16, 64, 256] {
        let mut best = [f64::MAX; 2];
        for _ in 0..200 {
            let start = Instant::now();
            for _ in 0..50 {
                interpret(&mut machine, &data, &records, &mut expected, count as usize);
            }
            best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e9 / 50.0);
            let start = Instant::now();
            for _ in 0..50 {
                draw(&mut batch, &mut to, count);
            }
            best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e9 / 50.0);
        }
        let size = count as usize * records.stride;
        assert!(to[..size].iter().zip(&expected[..size]).all(|(a, b)| a.to_bits() == b.to_bits()), "{count}");
        println!("{count:>4}: machine {:.0} batch {:.0}", best[0], best[1]);
    }
}
