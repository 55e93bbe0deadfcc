//! Tells the program for what machine it is built, and lets tests of PostgreSQL alone say that they are ignored where
//! it is switched off, instead of passing.

fn main() {
    println!("cargo:rerun-if-env-changed=CLIFFORD_SKIP_POSTGRES");
    println!(
        "cargo:rustc-env=CLIFFORD_TARGET={}",
        std::env::var("TARGET").unwrap_or_default()
    );
    println!("cargo:rustc-check-cfg=cfg(skip_postgres)");
    if std::env::var_os("CLIFFORD_SKIP_POSTGRES").is_some_and(|value| value == "1") {
        println!("cargo:rustc-cfg=skip_postgres");
    }
}
