include!("../harness.rs");

use rayon::prelude::*;

fn body(i: i32) {
    let mut x = 1u64;
    for _ in 0..i {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1);
        unsafe { std::arch::asm!("/* {0} */", inout(reg) x, options(nomem, nostack)) };
    }
}

fn main() {
    let pool = pool();
    measure(1, || {
        pool.install(|| (0..20_000).into_par_iter().for_each(body));
        1
    });
}
