// The same as now_and_then.hpp, for Rayon.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

#[allow(dead_code)]
struct Bell(AtomicU32);

#[allow(dead_code)]
impl Bell {
    fn ring(&self) {
        self.0.store(1, SeqCst);
        unsafe { libc::syscall(libc::SYS_futex, &self.0, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
    }
    fn wait(&self) {
        while self.0.load(SeqCst) == 0 {
            let forever: *const libc::timespec = std::ptr::null();
            unsafe { libc::syscall(libc::SYS_futex, &self.0, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 0, forever) };
        }
        self.0.store(0, SeqCst);
    }
}

fn work_for(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {}
}

#[allow(dead_code)]
fn median(mut of: Vec<u64>) -> u64 {
    of.sort();
    of[of.len() / 2]
}

// Returns CPU a round and context switches.
#[allow(dead_code)]
fn every(period: Duration, rounds: usize, mut round: impl FnMut(usize)) -> (u64, u64) {
    let mut some = |count| {
        for i in 0..count {
            std::thread::sleep(period);
            round(i);
        }
    };
    some(rounds / 10);
    let before = usage();
    some(rounds);
    let after = usage();
    ((after.0 - before.0) / rounds as u64, after.1 - before.1)
}

// One job of that length every so often, from outside. Returns the medians of submit to start and to done, CPU a round, and
// context switches.
#[allow(dead_code)]
fn jobs_from_outside(pool: &rayon::ThreadPool, period: Duration, rounds: usize, length: Duration) -> (u64, u64, u64, u64) {
    let done: &'static Bell = Box::leak(Box::new(Bell(AtomicU32::new(0))));
    let started: &'static std::sync::Mutex<Instant> = Box::leak(Box::new(std::sync::Mutex::new(Instant::now())));
    let (mut to_start, mut to_done) = (vec![0u64; rounds], vec![0u64; rounds]);
    let (cpu, switches) = every(period, rounds, |i| {
        let begin = Instant::now();
        pool.spawn(move || {
            *started.lock().unwrap() = Instant::now();
            if length > Duration::ZERO {
                work_for(length);
            }
            done.ring();
        });
        done.wait();
        to_done[i] = begin.elapsed().as_nanos() as u64;
        to_start[i] = (*started.lock().unwrap() - begin).as_nanos() as u64;
    });
    (median(to_start), median(to_done), cpu, switches)
}

#[allow(dead_code)]
fn burst(pool: &rayon::ThreadPool) {
    use rayon::prelude::*;
    pool.install(|| (0..16).into_par_iter().for_each(|_| work_for(Duration::from_micros(20))));
}
