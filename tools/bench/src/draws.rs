//! Times draws of several sizes in the interpreter and in batches as a host makes them: between two
//! draws other memory is written and other code runs.
//! In: `.shbin` files. Out: nanoseconds of a draw, hot and behind each of [`evict::SIZES`]; then of
//! a menu: all programs in turn.

use std::hint::black_box;
use std::time::Instant;

use transpica::host::Environment as _;
use transpica::host::dvle::FileEnvironment;
use transpica::{Error, Machine, Options, Program};
use transpica_draw::batch::{Batch, Order, Records, VertexAttribute, Vertices};
use transpica_inspect::values::inputs;

use crate::batch::{Mesh, prepare};
use crate::evict::{self, Other};

/// Vertices of a draw.
const SIZES: [usize; 10] = [1, 2, 3, 4, 6, 8, 15, 16, 64, 256];

/// A program that is ready to draw.
pub struct Ready {
    machine: Machine,
    batch: Batch,
    mesh: Mesh,
    records: Records,
    to: Vec<f32>,
}

/// A way to draw.
#[derive(Clone, Copy)]
pub enum Who {
    /// The interpreter, vertex by vertex.
    Machine,
    /// A batch.
    Batch,
}

impl Ready {
    /// Prepares a program.
    ///
    /// # Errors
    /// A program that cannot be prepared.
    pub fn new(
        program: &Program<'_>,
        environment: &FileEnvironment<'_>,
        options: Options,
    ) -> Result<Self, Error> {
        let most = SIZES[SIZES.len() - 1];
        let (machine, batch, mesh) =
            prepare(program, environment, options.settings(1 << 24), 1, &inputs(1, most))?;
        let records = Records::from_map(&environment.output_map(), &options);
        let to = vec![0.0; most * records.stride];
        Ok(Self { machine, batch, mesh, records, to })
    }

    /// Draws the first vertices and returns the nanoseconds.
    ///
    /// # Errors
    /// A program that stops with an error.
    pub fn draw(&mut self, who: Who, size: usize) -> Result<f64, Error> {
        let Self { machine, batch, mesh, records, to } = self;
        let (attributes, input_map) = mesh.fetched();
        let start = Instant::now();
        match who {
            Who::Machine => interpret(machine, mesh, records, to, size)?,
            Who::Batch => batched(batch, &attributes, input_map, records, to, size)?,
        }
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }
}

impl Ready {
    /// Draws behind other memory and code, for tools that count.
    ///
    /// # Errors
    /// A program that stops with an error.
    pub fn work(&mut self, who: Who, size: usize) -> Result<(), Error> {
        self.draw(who, size)?;
        evict::counted(|| self.draw(who, size)).map(|_| ())
    }
}

/// Draws with the interpreter.
#[inline(never)]
fn interpret(
    machine: &mut Machine,
    mesh: &Mesh,
    records: &Records,
    to: &mut [f32],
    size: usize,
) -> Result<(), Error> {
    (0..size).try_for_each(|vertex| mesh.interpret(machine, vertex, records, to))
}

/// Draws with a batch.
#[inline(never)]
fn batched(
    batch: &mut Batch,
    attributes: &[VertexAttribute<'_>],
    input_map: [Option<u8>; 16],
    records: &Records,
    to: &mut [f32],
    size: usize,
) -> Result<(), Error> {
    let order = Order::Range { first: 0, count: size as u32 };
    batch.run_draw(&Vertices { attributes, input_map, order }, records, to).map_err(Error::from)
}

/// Prints times of a program.
///
/// # Errors
/// A program that stops with an error.
pub fn print(name: &str, ready: &mut Ready, repeat: usize) -> Result<(), Error> {
    let mut other = Other::new();
    println!(
        "{name}, ns a draw: the interpreter, a batch, and their ratio, with so many KiB of other memory before"
    );
    print!("{:>16}", "");
    evict::SIZES.iter().for_each(|size| print!("{:>24}", format!("{size} KiB")));
    println!();
    for size in SIZES {
        print!("{size:>7} vertices");
        for kilobytes in evict::SIZES {
            let rounds = if kilobytes == 0 { 20 * repeat } else { repeat };
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..rounds {
                for (who, times) in [Who::Machine, Who::Batch].into_iter().zip(&mut times) {
                    other.run(kilobytes);
                    times.push(black_box(&mut *ready).draw(who, size)?);
                }
            }
            let [machine, batch] = times.map(median);
            print!("{machine:>9.0}{batch:>8.0}{:>7.2}", machine / batch);
        }
        println!();
    }
    Ok(())
}

/// Vertices of the draws of a menu: quads as strips and as two triangles, 4.6 on average.
const MENU: [usize; 10] = [4, 4, 6, 4, 4, 4, 6, 4, 4, 6];
/// Draws of a menu.
const DRAWS: usize = 6300;

/// Prints times of a menu: programs in turn, each draw with a matrix of its own.
///
/// # Errors
/// A program that stops with an error.
pub fn print_menu(all: &mut [Ready]) -> Result<(), Error> {
    let mut other = Other::new();
    println!("{} programs in turn, {DRAWS} draws of 4.6 vertices with a matrix each, ns a draw", all.len());
    for kilobytes in evict::SIZES.into_iter().take(4) {
        // Of each program and size the median: what else runs on the processor is no part of a
        // draw.
        let kinds = all.len() * MENU.len();
        let mut times = [vec![Vec::new(); kinds], vec![Vec::new(); kinds]];
        for draw in 0..DRAWS {
            for (who, times) in [Who::Machine, Who::Batch].into_iter().zip(&mut times) {
                let (count, matrix) = (all.len(), [[draw as f32; 4]; 4]);
                let ready = &mut all[draw % count];
                other.run(kilobytes);
                let start = Instant::now();
                match who {
                    Who::Machine => ready.machine.write_floats(0, &matrix),
                    Who::Batch => ready.batch.write_floats(0, &matrix),
                }
                let written = start.elapsed().as_secs_f64() * 1e9;
                times[draw % kinds].push(written + ready.draw(who, MENU[draw % MENU.len()])?);
            }
        }
        let mean = |times: Vec<Vec<f64>>| {
            let medians = times.into_iter().filter(|times| !times.is_empty()).map(median);
            let medians: Vec<_> = medians.collect();
            medians.iter().sum::<f64>() / medians.len() as f64
        };
        let [machine, batch] = times.map(mean);
        println!(
            "{kilobytes:>6} KiB of other memory: interpreter {machine:>7.0}, batch {batch:>7.0}, ratio {:>5.2}",
            machine / batch
        );
    }
    Ok(())
}

/// The median of times.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
