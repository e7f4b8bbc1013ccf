// The same as algorithms.hpp, for what Rayon's iterators say in a line or two: the same arrays, the same numbers of calls,
// and each result is checked. For other algorithms the program prints {}.
include!("../harness.rs");

use rayon::prelude::*;

#[derive(Clone, Copy, PartialEq)]
enum Given {
    Random,
    Rising,
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    Nothing,
    Output,
    InPlace,
}

trait Number: Copy + PartialEq + Send + Sync {
    const SHIFT: u32;
    fn of(x: u64) -> Self;
}
impl Number for f64 {
    const SHIFT: u32 = 54;
    fn of(x: u64) -> f64 {
        x as f64
    }
}
impl Number for i64 {
    const SHIFT: u32 = 44;
    fn of(x: u64) -> i64 {
        x as i64
    }
}

fn fill<T: Number>(array: &mut [T], given: Given, state: &mut u64) {
    for (i, x) in array.iter_mut().enumerate() {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *x = T::of(if given == Given::Random { *state >> T::SHIFT } else { i as u64 });
    }
}

struct Bench<'a, T> {
    pool: &'a rayon::ThreadPool,
    name: &'a str,
    count: usize,
    given: Given,
    target: Target,
    zero: T,
}

impl<T: Number> Bench<'_, T> {
    // Both functions get the input, a copy of it, and what is written or changed in place. They must return the same and
    // leave the same behind.
    fn run<R: PartialEq + Send>(
        &self,
        serial: impl Fn(&[T], &[T], &mut Vec<T>) -> R,
        parallel: impl Fn(&[T], &[T], &mut Vec<T>) -> R + Sync,
    ) {
        let zero = vec![self.zero; self.count];
        let mut state = 1;
        let mut input = vec![zero.clone(); std::cmp::max(100_000 / self.count, 1)];
        input.iter_mut().for_each(|array| fill(array, self.given, &mut state));
        let second = input.clone();
        let arrays = if self.target == Target::InPlace { std::cmp::max(2_000_000 / self.count, 1) } else { 1 };
        let mut work = vec![if self.target == Target::Nothing { Vec::new() } else { zero }; arrays];
        let mut restore = |work: &mut Vec<Vec<T>>| {
            if self.target == Target::InPlace {
                work.iter_mut().for_each(|array| fill(array, self.given, &mut state));
            }
        };

        restore(&mut work);
        let mut expected = work[0].clone();
        let right = serial(&input[0], &second[0], &mut expected);
        let got = self.pool.install(|| parallel(&input[0], &second[0], &mut work[0]));
        if got != right || work[0] != expected {
            eprintln!("wrong: {} {}", self.name, self.count);
            std::process::exit(1);
        }

        let calls = if arrays > 1 { arrays } else { std::cmp::max(5_000_000 / self.count, 1) };
        let mut results = Vec::new();
        for batch in 0..6 {
            restore(&mut work);
            let before = usage();
            let start = std::time::Instant::now();
            self.pool.install(|| {
                for call in 0..calls {
                    let from = call % input.len();
                    std::hint::black_box(parallel(&input[from], &second[from], &mut work[call % arrays]));
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
}

fn halve(x: &mut f64) {
    *x = 0.5 * *x + 1.0
}
fn half(x: &f64) -> f64 {
    0.5 * x + 1.0
}
fn mix(x: &f64, y: &f64) -> f64 {
    0.5 * x + y
}
fn square(x: &f64) -> f64 {
    x * x
}
fn is_odd(x: &i64) -> bool {
    x % 2 != 0
}
fn seven() -> i64 {
    7
}
const BINS: usize = 256;
const COLUMNS: usize = 1000;

fn count_in(mut counts: Vec<u64>, x: &i64) -> Vec<u64> {
    counts[*x as usize % BINS] += 1;
    counts
}
fn add_counts(mut a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
    a
}
fn both(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn on_numbers(b: &Bench<f64>) -> bool {
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    match b.name {
        "for_each" => b.run(
            |_, _, out| out.iter_mut().for_each(halve),
            |_, _, out| out.par_iter_mut().for_each(halve),
        ),
        "transform" => b.run(
            |a, _, out| out.iter_mut().zip(a).for_each(|(o, x)| *o = half(x)),
            |a, _, out| out.par_iter_mut().zip(a).for_each(|(o, x)| *o = half(x)),
        ),
        "transform2" => b.run(
            |a, b, out| out.iter_mut().zip(a).zip(b).for_each(|((o, x), y)| *o = mix(x, y)),
            |a, b, out| out.par_iter_mut().zip(a).zip(b).for_each(|((o, x), y)| *o = mix(x, y)),
        ),
        "reduce" | "flat" => b.run(|a, _, _| a.iter().sum::<f64>(), |a, _, _| a.par_iter().sum::<f64>()),
        "reduce_closure" => b.run(
            |a, _, _| a.iter().sum::<f64>(),
            |a, _, _| a.par_iter().copied().reduce(|| 0.0, |x, y| x + y),
        ),
        "transform_reduce" | "flat_closure" => b.run(
            |a, _, _| a.iter().map(square).sum::<f64>(),
            |a, _, _| a.par_iter().map(square).sum::<f64>(),
        ),
        "dot" => b.run(
            |a, b, _| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>(),
            |a, b, _| a.par_iter().zip(b).map(|(x, y)| x * y).sum::<f64>(),
        ),
        "nested" => b.run(
            |a, _, _| a.iter().sum::<f64>(),
            |a, _, _| a.par_chunks(COLUMNS).map(|row| row.par_iter().sum::<f64>()).sum::<f64>(),
        ),
        "nested_closure" => b.run(
            |a, _, _| a.iter().map(square).sum::<f64>(),
            |a, _, _| a.par_chunks(COLUMNS).map(|row| row.par_iter().map(square).sum::<f64>()).sum::<f64>(),
        ),
        "minmax_element" => b.run(
            |a, _, _| a.iter().map(|x| (*x, *x)).fold(nothing, both),
            |a, _, _| a.par_iter().map(|x| (*x, *x)).reduce(|| nothing, both),
        ),
        _ => return false,
    }
    true
}

fn on_whole(b: &Bench<i64>) -> bool {
    match b.name {
        "find" | "find_if" => b.run(
            |a, _, _| a.iter().position(|x| *x == -1),
            |a, _, _| a.par_iter().position_first(|x| *x == -1),
        ),
        "find_if_1pct" => b.run(
            |a, _, _| a.iter().position(|x| *x == a.len() as i64 / 100),
            |a, _, _| a.par_iter().position_first(|x| *x == a.len() as i64 / 100),
        ),
        "find_if_not" => b.run(
            |a, _, _| a.iter().position(|x| !(*x != -1)),
            |a, _, _| a.par_iter().position_first(|x| !(*x != -1)),
        ),
        "any_of" => b.run(|a, _, _| a.iter().any(|x| *x == -1), |a, _, _| a.par_iter().any(|x| *x == -1)),
        "all_of" => b.run(|a, _, _| a.iter().all(|x| *x != -1), |a, _, _| a.par_iter().all(|x| *x != -1)),
        "none_of" => b.run(|a, _, _| !a.iter().any(|x| *x == -1), |a, _, _| !a.par_iter().any(|x| *x == -1)),
        "min_element" => b.run(|a, _, _| a.iter().min().copied(), |a, _, _| a.par_iter().min().copied()),
        "max_element" => b.run(|a, _, _| a.iter().max().copied(), |a, _, _| a.par_iter().max().copied()),
        "min_element_closure" => b.run(
            |a, _, _| a.iter().min().copied(),
            |a, _, _| a.par_iter().min_by(|x, y| x.cmp(y)).copied(),
        ),
        "count" => b.run(
            |a, _, _| a.iter().filter(|x| **x == 7).count(),
            |a, _, _| a.par_iter().filter(|x| **x == 7).count(),
        ),
        "count_if" => b.run(
            |a, _, _| a.iter().filter(|x| is_odd(x)).count(),
            |a, _, _| a.par_iter().filter(|x| is_odd(x)).count(),
        ),
        "equal" => b.run(|a, b, _| a == b, |a, b, _| a.par_iter().eq(b)),
        "equal_closure" => b.run(|a, b, _| a == b, |a, b, _| a.par_iter().zip(b).all(|(x, y)| x == y)),
        "mismatch" => b.run(
            |a, b, _| a.iter().zip(b).position(|(x, y)| x != y),
            |a, b, _| a.par_iter().zip(b).position_first(|(x, y)| x != y),
        ),
        "is_sorted" | "is_sorted_closure" => b.run(
            |a, _, _| a.windows(2).all(|w| w[0] <= w[1]),
            |a, _, _| a.par_windows(2).all(|w| w[0] <= w[1]),
        ),
        "fill" => b.run(|_, _, out| out.fill(7), |_, _, out| out.par_iter_mut().for_each(|x| *x = 7)),
        "generate" => b.run(
            |_, _, out| out.iter_mut().for_each(|x| *x = seven()),
            |_, _, out| out.par_iter_mut().for_each(|x| *x = seven()),
        ),
        "copy" => b.run(
            |a, _, out| out.copy_from_slice(a),
            |a, _, out| out.par_iter_mut().zip(a).for_each(|(o, x)| *o = *x),
        ),
        "copy_if" => b.run(
            |a, _, out| *out = a.iter().copied().filter(is_odd).collect(),
            |a, _, out| *out = a.par_iter().copied().filter(is_odd).collect(),
        ),
        // Into two new arrays, in their order.
        "partition" | "stable_partition" => b.run(
            |_, _, out| out.iter().partition::<Vec<i64>, _>(|x| is_odd(x)),
            |_, _, out| out.par_iter().partition::<Vec<i64>, Vec<i64>, _>(|x| is_odd(x)),
        ),
        "reverse" => b.run(
            |_, _, out| out.reverse(),
            |_, _, out| {
                let half = out.len() / 2;
                let (front, back) = out.split_at_mut(half);
                front.par_iter_mut().zip(back.par_iter_mut().rev()).for_each(|(x, y)| std::mem::swap(x, y))
            },
        ),
        "histogram" => b.run(
            |a, _, _| a.iter().fold(vec![0; BINS], count_in),
            |a, _, _| a.par_iter().fold(|| vec![0; BINS], count_in).reduce(|| vec![0; BINS], add_counts),
        ),
        _ => return false,
    }
    true
}

fn main() {
    let name = &*std::env::args().nth(2).unwrap_or_default();
    let count = std::env::args().nth(3).and_then(|a| a.parse().ok()).unwrap_or(0);
    if count < 100 {
        eprintln!("usage: PROGRAM THREADS ALGORITHM SIZE (100 at least)");
        std::process::exit(2);
    }
    let given = match name {
        "find_if_1pct" | "is_sorted" | "is_sorted_closure" => Given::Rising,
        _ => Given::Random,
    };
    let target = match name {
        "for_each" | "partition" | "stable_partition" | "reverse" => Target::InPlace,
        "transform" | "transform2" | "fill" | "generate" | "copy" | "copy_if" => Target::Output,
        _ => Target::Nothing,
    };
    let pool = &pool();
    if !on_numbers(&Bench { pool, name, count, given, target, zero: 0.0 })
        && !on_whole(&Bench { pool, name, count, given, target, zero: 0 })
    {
        println!("{{}}");
    }
}
