include!("../harness.rs");

use rayon::prelude::*;

const QUEENS: usize = 13;
type Board = [i8; QUEENS];

#[inline(never)]
fn fits(b: &Board, row: usize, column: usize) -> bool {
    for above in 0..row {
        let distance = (row - above) as i32;
        let other = b[above] as i32;
        let column = column as i32;
        if other == column || other == column - distance || other == column + distance {
            return false;
        }
    }
    true
}

fn solve(b: &Board, row: usize) -> i64 {
    if row == QUEENS {
        return 1;
    }
    let mut columns = [0usize; QUEENS + 1];
    let mut count = 0;
    for column in 0..QUEENS {
        columns[count] = column;
        count += fits(b, row, column) as usize;
    }
    columns[..count]
        .par_iter()
        .map(|&column| {
            let mut next = *b;
            next[row] = column as i8;
            solve(&next, row + 1)
        })
        .sum()
}

fn main() {
    let pool = pool();
    measure(73_712, || pool.install(|| solve(&[0; QUEENS], 0)) as u64);
}
