include!("../harness.rs");
include!("../now_and_then.rs");

fn main() {
    let (start, done, cpu, switches) = jobs_from_outside(&pool(), Duration::from_millis(10), 100, Duration::ZERO);
    print(start, done, cpu, switches);
}
