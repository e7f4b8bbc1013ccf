include!("../harness.rs");

use rayon::prelude::*;

fn main() {
    let pool = pool();
    let bodies: i32 = std::env::args().nth(2).and_then(|a| a.parse().ok()).unwrap_or(0);
    if bodies < 1 {
        eprintln!("usage: PROGRAM THREADS BODIES");
        std::process::exit(2);
    }
    measure(100_000, || {
        for _ in 0..100_000 {
            pool.install(|| {
                (0..bodies).into_par_iter().for_each(|i| unsafe { std::arch::asm!("/* {0:e} */", in(reg) i) })
            });
        }
        100_000
    });
}
