//! How a bot is brought into a chat: its link, also as a code for the camera of a phone.

use clifford_channel::Bot;
use qrcode::{EcLevel, QrCode, render::unicode::Dense1x2};

use crate::cli::output;

/// Shows the link, if the platform has one.
///
/// # Errors
/// The terminal cannot be written to.
pub(super) fn show(title: &str, bot: &Bot) -> anyhow::Result<()> {
    let Some(link) = &bot.invite else { return Ok(()) };
    output::print(&format!(
        "\nOpen this to bring {} into {title}:\n\n  {link}\n",
        bot.name
    ))?;
    match code(link) {
        Some(code) => output::print(&code),
        None => Ok(()),
    }
}

/// The link as a QR code of half blocks, light on a dark terminal and with the margin that readers want.
fn code(link: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).ok()?;
    let image = code
        .render::<Dense1x2>()
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .quiet_zone(true)
        .build();
    Some(image.lines().map(|line| format!("  {line}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_square_of_half_blocks() {
        let shown = code("https://t.me/clifford_bot").unwrap();
        let widths: Vec<_> = shown.lines().map(|line| line.chars().count()).collect();
        // A code of 25 modules with 4 around it, two a line.
        assert_eq!(widths, vec![33 + 2; 17], "{shown}");
        assert!(shown.chars().all(|c| " \n▀▄█".contains(c)), "{shown}");
    }
}
