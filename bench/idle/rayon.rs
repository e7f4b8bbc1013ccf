include!("../harness.rs");
include!("../now_and_then.rs");

fn main() {
    let pool = pool();
    for _ in 0..100 {
        burst(&pool);
    }
    let before = usage();
    std::thread::sleep(Duration::from_secs(5));
    let after = usage();
    print(after.0 - before.0, 0, after.0 - before.0, after.1 - before.1);
}
