include!("../harness.rs");
include!("../now_and_then.rs");

fn main() {
    let pool = pool();
    let mut took = vec![0u64; 500];
    let (cpu, switches) = every(Duration::from_millis(2), 500, |i| {
        let begin = Instant::now();
        burst(&pool);
        took[i] = begin.elapsed().as_nanos() as u64;
    });
    print(cpu, median(took), cpu, switches);
}
