include!("../harness.rs");

fn main() {
    let pool = pool();
    measure(100_000, || {
        for _ in 0..100_000 {
            pool.install(|| unsafe { std::arch::asm!("/* {0:e} */", in(reg) 0) });
        }
        100_000
    });
}
