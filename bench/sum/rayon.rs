include!("../harness.rs");

use rayon::prelude::*;

fn main() {
    let pool = pool();
    let data: Vec<f64> = (0..100_000_000usize).map(|i| (i % 8) as f64).collect();
    // By chunks: a sum of floating point numbers one after the other is not vectorised.
    let sum_of = |part: &[f64]| {
        let mut lanes = [0.0f64; 16];
        let whole = part.chunks_exact(16);
        let rest: f64 = whole.remainder().iter().sum();
        for chunk in whole {
            for (lane, x) in lanes.iter_mut().zip(chunk) {
                *lane += x;
            }
        }
        lanes.iter().sum::<f64>() + rest
    };
    measure(100_000_000 / 8 * 28, || pool.install(|| data.par_chunks(16_384).map(sum_of).sum::<f64>()) as u64);
}
