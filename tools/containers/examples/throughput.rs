//! Bytes that a scan reads in a second, on one core: `cargo run --release -p transpica-containers
//! --example throughput -- [FILE...]`. Files are read into memory first; without any, the input is
//! 512 MiB of random bytes, and one file of LZ11.

use std::time::Instant;

use transpica_containers::{Limits, Scanner};

fn main() -> std::io::Result<()> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let mut bytes = vec![0; 512 << 20];
        fastrand::Rng::with_seed(1).fill(&mut bytes);
        measure("random bytes", &bytes)?;
        measure("zeros", &vec![0; 512 << 20])?;
        measure("LZ11 of zeros", &lz11(15 << 20))?;
    }
    for file in files {
        measure(&file, &std::fs::read(&file)?)?;
    }
    Ok(())
}

/// LZ11 of zeros, in copies of 32 bytes.
fn lz11(size: u32) -> Vec<u8> {
    let mut out = (size << 8 | 0x11).to_le_bytes().to_vec();
    out.extend_from_slice(&[0b0111_1111, 0]);
    let mut left = size - 1;
    let mut bit = 1;
    while left > 0 {
        if bit == 8 {
            out.push(0xFF);
            bit = 0;
        }
        let length = left.clamp(17, 32) - 17;
        out.extend_from_slice(&[(length >> 4) as u8, (length << 4) as u8, 0]);
        left = left.saturating_sub(32);
        bit += 1;
    }
    out
}

fn measure(name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut scanner = Scanner::new(Limits::default());
    let mut best = f64::INFINITY;
    let mut hits = 0;
    for _ in 0..3 {
        let start = Instant::now();
        hits = scanner.scan(bytes, &mut |_| {})?.hits;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name}: {} bytes, {hits} hits, {:.0} MB/s", bytes.len(), bytes.len() as f64 / best / 1e6);
    Ok(())
}
