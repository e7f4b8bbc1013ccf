// The same as sort.hpp, for Rayon.
include!("../harness.rs");

use rayon::prelude::*;

#[derive(Clone)]
struct Pair {
    key: u64,
    #[allow(dead_code)]
    value: u64,
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^ (z >> 31)
    }
}

fn measure_sort_of<T: Clone + Send>(
    given: Vec<Vec<T>>,
    sort: impl Fn(&mut [T]) + Sync,
    sorted: impl Fn(&T, &T) -> bool,
) {
    let pool = pool();
    for round in 0..2 {
        let mut arrays = given.clone();
        let before = usage();
        let start = std::time::Instant::now();
        pool.install(|| arrays.iter_mut().for_each(|array| sort(array)));
        let took = start.elapsed().as_nanos() as u64;
        let after = usage();
        if !arrays.iter().all(|array| array.windows(2).all(|w| sorted(&w[0], &w[1]))) {
            eprintln!("wrong: not sorted");
            std::process::exit(1);
        }
        if round == 1 {
            print(took, 0, after.0 - before.0, after.1 - before.1);
        }
    }
}

fn measure_sort(
    plain: impl Fn(&mut [u64]) + Sync,
    pairs: impl Fn(&mut [Pair]) + Sync,
    strings: impl Fn(&mut [String]) + Sync,
) {
    let what = std::env::args().nth(2).unwrap_or("random".to_string());
    let count: usize = 10_000_000;
    let mut random = Numbers(1);
    match what.as_str() {
        "pairs" => {
            let made = (0..count).map(|i| Pair { key: random.next(), value: i as u64 }).collect();
            measure_sort_of(vec![made], pairs, |a, b| a.key <= b.key);
        }
        "strings" => {
            let made = (0..count / 10)
                .map(|_| {
                    let length = 4 + random.next() % 12;
                    (0..length).map(|_| (b'a' + (random.next() % 26) as u8) as char).collect::<String>()
                })
                .collect();
            measure_sort_of(vec![made], strings, |a, b| a <= b);
        }
        "few" => {
            let made = (0..count).map(|_| (random.next() % 16).wrapping_mul(0x0123456789ABCDEF)).collect();
            measure_sort_of(vec![made], plain, |a, b| a <= b);
        }
        "nearly" => {
            let mut made: Vec<u64> = (0..count as u64).map(|i| i << 20).collect();
            for _ in 0..count / 200 {
                let a = random.next() as usize % count;
                let b = random.next() as usize % count;
                made.swap(a, b);
            }
            measure_sort_of(vec![made], plain, |a, b| a <= b);
        }
        other => {
            let given = if other == "random" { count } else { other.parse().expect("a number") };
            let arrays = std::cmp::max(count / 5 / given, 1);
            let made = (0..arrays).map(|_| (0..given).map(|_| random.next()).collect()).collect();
            measure_sort_of(made, plain, |a, b| a <= b);
        }
    }
}
