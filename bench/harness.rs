// The same as harness.hpp, for Rayon.

fn threads() -> usize {
    match std::env::args().nth(1).and_then(|a| a.parse::<usize>().ok()) {
        Some(n) if n > 0 => n,
        _ => {
            eprintln!("usage: PROGRAM THREADS");
            std::process::exit(2)
        }
    }
}

#[allow(dead_code)]
fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads()).build().expect("a pool")
}

// CPU in nanoseconds, context switches.
fn usage() -> (u64, u64) {
    unsafe {
        let mut r: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut r);
        let mut cpu: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut cpu);
        (cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64, (r.ru_nvcsw + r.ru_nivcsw) as u64)
    }
}

// Not getrusage's, which begins with what the parent had.
fn peak() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|s| s.lines().find(|l| l.starts_with("VmHWM")).map(|l| l.to_string()))
        .and_then(|l| l.split_whitespace().nth(1).and_then(|n| n.parse().ok()))
        .unwrap_or(0)
}

fn print(ns: u64, second_ns: u64, cpu_ns: u64, switches: u64) {
    println!(
        "{{\"ns\": {}, \"second_ns\": {}, \"cpu_ns\": {}, \"switches\": {}, \"peak_kib\": {}}}",
        ns,
        second_ns,
        cpu_ns,
        switches,
        peak()
    );
}

#[allow(dead_code)]
fn measure(expected: u64, work: impl Fn() -> u64) {
    for round in 0..2 {
        let before = usage();
        let start = std::time::Instant::now();
        let result = work();
        let took = start.elapsed().as_nanos() as u64;
        let after = usage();
        if result != expected {
            eprintln!("wrong: {} in place of {}", result, expected);
            std::process::exit(1);
        }
        if round == 1 {
            print(took, 0, after.0 - before.0, after.1 - before.1);
        }
    }
}
