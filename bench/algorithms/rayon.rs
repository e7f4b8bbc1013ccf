// The same as algorithms.hpp, for what Rayon's iterators say in a line. For the others the program prints {}.
include!("../harness.rs");

use rayon::prelude::*;

// Repeats like algorithms.hpp: the median of some batches, as the time of 1000 calls.
fn batches<T: Sync + Send>(pool: &rayon::ThreadPool, count: usize, out: &mut Vec<T>, f: impl Fn(&mut Vec<T>) -> u64 + Sync) {
    let calls = std::cmp::max(5_000_000 / count, 1);
    let mut results = Vec::new();
    for batch in 0..6 {
        let before = usage();
        let start = std::time::Instant::now();
        pool.install(|| {
            for _ in 0..calls {
                std::hint::black_box(f(out));
            }
        });
        let took = start.elapsed().as_nanos() as u64;
        let after = usage();
        if batch != 0 {
            results.push((took * 1000 / calls as u64, after.0 - before.0, after.1 - before.1));
        }
    }
    results.sort();
    print(results[2].0, 0, results[2].1, results[2].2);
}

fn random(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 1u64;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 44
    })
}

fn main() {
    let name = std::env::args().nth(2).expect("an algorithm");
    let count: usize = std::env::args().nth(3).and_then(|a| a.parse().ok()).expect("a size");
    let pool = pool();
    let numbers = || random(count).map(|x| x as f64).collect::<Vec<f64>>();
    let whole = || random(count).map(|x| x as i64).collect::<Vec<i64>>();
    let on_numbers = |out: usize, f: &(dyn Fn(&[f64], &mut Vec<f64>) -> u64 + Sync)| {
        let a = numbers();
        batches(&pool, count, &mut vec![1.0; out], |out| f(&a, out));
    };
    let on_whole = |out: usize, f: &(dyn Fn(&[i64], &mut Vec<i64>) -> u64 + Sync)| {
        let a = whole();
        batches(&pool, count, &mut vec![1; out], |out| f(&a, out));
    };
    match name.as_str() {
        "for_each" => on_numbers(count, &|_, out| {
            out.par_iter_mut().for_each(|x| *x = 0.5 * *x + 1.0);
            0
        }),
        "transform" => on_numbers(count, &|a, out| {
            out.par_iter_mut().zip(a).for_each(|(o, x)| *o = 0.5 * x + 1.0);
            0
        }),
        "transform2" => {
            let b = numbers();
            on_numbers(count, &|a, out| {
                out.par_iter_mut().zip(a).zip(&b).for_each(|((o, x), y)| *o = 0.5 * x + y);
                0
            })
        }
        "reduce" => on_numbers(0, &|a, _| a.par_iter().sum::<f64>() as u64),
        "transform_reduce" => on_numbers(0, &|a, _| a.par_iter().map(|x| x * x).sum::<f64>() as u64),
        "dot" => {
            let b = numbers();
            on_numbers(0, &|a, _| a.par_iter().zip(&b).map(|(x, y)| x * y).sum::<f64>() as u64)
        }
        "find" | "find_if" => {
            on_whole(0, &|a, _| a.par_iter().position_first(|x| *x == -1).unwrap_or(0) as u64)
        }
        "count_if" => on_whole(0, &|a, _| a.par_iter().filter(|x| **x % 2 != 0).count() as u64),
        "fill" => on_whole(count, &|_, out| {
            out.par_iter_mut().for_each(|x| *x = 7);
            0
        }),
        "copy" => on_whole(count, &|a, out| {
            out.par_iter_mut().zip(a).for_each(|(o, x)| *o = *x);
            0
        }),
        "copy_if" => on_whole(0, &|a, out| {
            *out = a.par_iter().copied().filter(|x| x % 2 != 0).collect();
            out.len() as u64
        }),
        _ => println!("{{}}"),
    }
}
