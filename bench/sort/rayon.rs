include!("../sort/sort.rs");

fn main() {
    measure_sort(
        |array| array.par_sort_unstable(),
        |array| array.par_sort_unstable_by_key(|p| p.key),
        |array| array.par_sort_unstable(),
    );
}
