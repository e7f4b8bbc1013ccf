include!("../harness.rs");

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static RAN: AtomicU64 = AtomicU64::new(0);

fn main() {
    let pool = pool();
    measure(200_000, || {
        RAN.store(0, Relaxed);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..50_000 {
                        pool.spawn(|| {
                            RAN.fetch_add(1, Relaxed);
                        });
                    }
                });
            }
        });
        while RAN.load(Relaxed) != 200_000 {
            std::thread::yield_now();
        }
        RAN.load(Relaxed)
    });
}
