include!("../harness.rs");

fn fib(n: i32) -> i64 {
    if n < 2 {
        return n as i64;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn main() {
    let pool = pool();
    measure(9_227_465, || pool.install(|| fib(35)) as u64);
}
