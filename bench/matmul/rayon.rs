include!("../harness.rs");

const SIZE: usize = 1024;
const BLOCK: usize = 64;

#[derive(Clone, Copy)]
struct Block {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

struct Target(*mut f32);
unsafe impl Send for Target {}
unsafe impl Sync for Target {}

fn multiply(a: &[f32], b: &[f32], c: &Target, at: Block) {
    for i in at.row..at.row + at.rows {
        // Blocks do not overlap.
        let to = unsafe { std::slice::from_raw_parts_mut(c.0.add(i * SIZE + at.column), at.columns) };
        for k in 0..SIZE {
            let x = a[i * SIZE + k];
            let from = &b[k * SIZE + at.column..k * SIZE + at.column + at.columns];
            for (t, f) in to.iter_mut().zip(from) {
                *t += x * f;
            }
        }
    }
}

fn run(a: &[f32], b: &[f32], c: &Target, at: Block) {
    if at.rows <= BLOCK && at.columns <= BLOCK {
        multiply(a, b, c, at);
        return;
    }
    let (first, second) = if at.rows >= at.columns {
        let half = at.rows / 2;
        (Block { rows: half, ..at }, Block { row: at.row + half, rows: at.rows - half, ..at })
    } else {
        let half = at.columns / 2;
        (Block { columns: half, ..at }, Block { column: at.column + half, columns: at.columns - half, ..at })
    };
    rayon::join(|| run(a, b, c, first), || run(a, b, c, second));
}

fn main() {
    let pool = pool();
    let a = vec![1f32; SIZE * SIZE];
    let b = vec![1f32; SIZE * SIZE];
    let c = std::cell::RefCell::new(vec![0f32; SIZE * SIZE]);
    measure(SIZE as u64, || {
        let mut c = c.borrow_mut();
        let to = Target(c.as_mut_ptr());
        pool.install(|| run(&a, &b, &to, Block { row: 0, column: 0, rows: SIZE, columns: SIZE }));
        let right = c.iter().all(|x| *x == SIZE as f32);
        c.iter_mut().for_each(|x| *x = 0.0);
        if right { SIZE as u64 } else { 0 }
    });
}
