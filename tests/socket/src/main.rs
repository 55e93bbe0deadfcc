//! Clifford with one more platform: the whole of what a binary of one's own is.

use std::process::ExitCode;

use clifford_channel::{Platforms, Row};
use clifford_discord::Discord;
use clifford_socket::Socket;
use clifford_telegram::Telegram;

const PLATFORMS: Platforms = Platforms::new(&[Row::of::<Telegram>(), Row::of::<Discord>(), Row::of::<Socket>()]);

fn main() -> ExitCode {
    clifford::cli::main(PLATFORMS)
}
