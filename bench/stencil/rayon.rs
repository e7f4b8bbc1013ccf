include!("../harness.rs");

use rayon::prelude::*;

const SIZE: usize = 4096;
const SWEEPS: usize = 10;

// Row `i`, which is not at the border.
fn row(from: &[f32], out: &mut [f32], i: usize) {
    let above = &from[(i - 1) * SIZE..i * SIZE];
    let here = &from[i * SIZE..(i + 1) * SIZE];
    let below = &from[(i + 1) * SIZE..(i + 2) * SIZE];
    let out = &mut out[..SIZE];
    for j in 1..SIZE - 1 {
        out[j] = 0.5 * here[j] + 0.125 * ((above[j] + below[j]) + (here[j - 1] + here[j + 1]));
    }
}

fn main() {
    let pool = pool();
    let even: Vec<f32> = (0..SIZE * SIZE).map(|i| (i / SIZE + 2 * (i % SIZE)) as f32).collect();
    let grids = std::cell::RefCell::new((even.clone(), even.clone()));
    {
        let b = &mut grids.borrow_mut().1;
        for i in 1..SIZE - 1 {
            b[i * SIZE + 1..(i + 1) * SIZE - 1].fill(0.0);
        }
    }
    measure(1, || {
        let (a, b) = &mut *grids.borrow_mut();
        for _ in 0..SWEEPS {
            pool.install(|| {
                b[SIZE..(SIZE - 1) * SIZE]
                    .par_chunks_mut(SIZE)
                    .enumerate()
                    .for_each(|(i, out)| row(a, out, i + 1))
            });
            std::mem::swap(a, b);
        }
        1
    });
    let (a, b) = &*grids.borrow();
    if *a != even || *b != even {
        eprintln!("wrong");
        std::process::exit(1);
    }
}
