include!("../harness.rs");

use rayon::prelude::*;

fn skynet(number: i64, leaves: i64) -> i64 {
    if leaves == 1 {
        return number;
    }
    (0..10i64).into_par_iter().map(|i| skynet(number + i * (leaves / 10), leaves / 10)).sum()
}

fn main() {
    let pool = pool();
    let leaves = 10_000_000i64;
    measure((leaves * (leaves - 1) / 2) as u64, || pool.install(|| skynet(0, leaves)) as u64);
}
