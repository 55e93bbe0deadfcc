//! `clifford completions`: completion scripts for shells.

use std::process::ExitCode;

use clap_complete::Shell;

use super::{examples, output};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford completions bash > ~/.local/share/bash-completion/completions/clifford",
    "clifford completions zsh > ~/.zfunc/_clifford",
    "clifford completions fish > ~/.config/fish/completions/clifford.fish",
))]
pub(super) struct Args {
    /// The shell.
    shell: Shell,
}

pub(super) fn run(args: Args, mut command: clap::Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "clifford", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
