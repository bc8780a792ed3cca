//! The binary `stoa`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if let Err(error) = stoa::cli::run() {
        eprintln!("stoa: {error:#}");
        std::process::exit(if error.is::<stoa::cli::Unfinished>() { 2 } else { 1 });
    }
}
