include!("../harness.rs");

use rayon::prelude::*;

const SIZE: usize = 4096;
const TILE: usize = 8;

// Some rows of the result, tile by tile. The first of them is row `first`.
fn transpose(from: &[f64], to: &mut [f64], first: usize) {
    for i in (0..SIZE).step_by(TILE) {
        for row in i..i + TILE {
            let line = &from[row * SIZE + first..row * SIZE + first + TILE];
            for (j, x) in line.iter().enumerate() {
                to[j * SIZE + row] = *x;
            }
        }
    }
}

fn main() {
    let pool = pool();
    let from: Vec<f64> = (0..SIZE * SIZE).map(|i| i as f64).collect();
    let to = std::cell::RefCell::new(vec![0f64; SIZE * SIZE]);
    measure(1, || {
        let to = &mut *to.borrow_mut();
        pool.install(|| {
            to.par_chunks_mut(TILE * SIZE).enumerate().for_each(|(band, rows)| transpose(&from, rows, band * TILE))
        });
        1
    });
    let right = to.borrow().iter().enumerate().all(|(i, x)| *x == from[i % SIZE * SIZE + i / SIZE]);
    if !right {
        eprintln!("wrong");
        std::process::exit(1);
    }
}
