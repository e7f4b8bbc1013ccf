include!("../harness.rs");
include!("../now_and_then.rs");

fn main() {
    let (start, _, cpu, switches) = jobs_from_outside(&pool(), Duration::from_millis(1), 1000, Duration::from_micros(5));
    print(cpu, start, cpu, switches);
}
