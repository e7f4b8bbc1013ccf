include!("../harness.rs");

use rayon::prelude::*;

// About 0.1 ms of computing.
fn dear() {
    let mut x = 1u64;
    for _ in 0..80_000 {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1);
        unsafe { std::arch::asm!("/* {0} */", inout(reg) x, options(nomem, nostack)) };
    }
}

fn map(pool: &rayon::ThreadPool, count: usize, times: usize) {
    let from = vec![1i64; count];
    let to = std::cell::RefCell::new(vec![0i64; count]);
    measure(1, || {
        let to = &mut *to.borrow_mut();
        pool.install(|| {
            for _ in 0..times {
                to.par_iter_mut().zip(from.par_iter()).for_each(|(out, x)| *out = x + 1);
            }
        });
        1
    });
    if to.borrow().iter().any(|x| *x != 2) {
        eprintln!("wrong");
        std::process::exit(1);
    }
}

fn each(pool: &rayon::ThreadPool, count: usize, body: impl Fn(usize) + Sync) {
    measure(1, || {
        pool.install(|| (0..count).into_par_iter().for_each(&body));
        1
    });
}

// So many loops of 200 cheap iterations, and one with 73 dear ones.
fn uneven(pool: &rayon::ThreadPool, cheap: usize) {
    measure(1, || {
        pool.install(|| {
            for i in 0..=cheap {
                (0..200usize).into_par_iter().for_each(|k| if i == cheap && (100..173).contains(&k) { dear() });
            }
        });
        1
    });
}

fn main() {
    let pool = pool();
    let sleep = || std::thread::sleep(std::time::Duration::from_millis(5));
    match std::env::args().nth(2).as_deref() {
        Some("map-10000") => map(&pool, 10_000, 20_000),
        Some("map-16384") => map(&pool, 16_384, 10_000),
        Some("map-100000") => map(&pool, 100_000, 2000),
        Some("map-10000000") => map(&pool, 10_000_000, 10),
        Some("upper-half") => each(&pool, 64, |k| (0..if k >= 32 { 50 } else { 0 }).for_each(|_| dear())),
        Some("last-thousand") => each(&pool, 1_000_000, |k| if k >= 999_000 { dear() }),
        Some("last-sleep") => each(&pool, 1_000_000, |k| if k >= 999_936 { sleep() }),
        Some("at-first") => uneven(&pool, 0),
        Some("after-cheap") => uneven(&pool, 40),
        Some("two-long") => measure(1, || {
            pool.install(|| {
                for i in 0..=100 {
                    (0..2usize).into_par_iter().for_each(|_| (0..if i == 100 { 500 } else { 0 }).for_each(|_| dear()));
                }
            });
            1
        }),
        // A panic is no exception: it prints a message.
        Some("each-throws" | "first-throws") => println!("{{}}"),
        _ => {
            eprintln!("usage: PROGRAM THREADS map-10000|map-16384|map-100000|map-10000000|upper-half|last-thousand|last-sleep|at-first|after-cheap|two-long|each-throws|first-throws");
            std::process::exit(2);
        }
    }
}
