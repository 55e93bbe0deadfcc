//! The platforms that the shipped `clifford` can be on: one line each.

use clifford_channel::{Platforms, Row};
use clifford_discord::Discord;
use clifford_telegram::Telegram;

/// The platforms, in the order in which they are shown.
pub const PLATFORMS: Platforms = Platforms::new(&[Row::of::<Telegram>(), Row::of::<Discord>()]);

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::PLATFORMS;

    #[test]
    fn each_platform_finds_its_token_in_a_package() {
        for file in ["packaging/environment", "packaging/compose.yaml"] {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            let tokens = PLATFORMS.rows().map(|row| row.about.token_variable);
            let missing: Vec<_> = tokens.filter(|token| !text.contains(token)).collect();
            assert_eq!(missing, Vec::<&str>::new(), "not in {file}");
        }
    }
}
