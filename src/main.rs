//! Clifford's binary: arguments in, an exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    clifford::cli::main(clifford::app::PLATFORMS)
}
