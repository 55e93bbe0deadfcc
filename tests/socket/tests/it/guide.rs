//! `docs/ADDING-A-CHANNEL.md` shows this crate as it is.

const GUIDE: &str = include_str!("../../../../docs/ADDING-A-CHANNEL.md");

#[test]
fn the_guide_shows_the_line_and_the_row_as_they_are() {
    let platform = include_str!("../../src/platform.rs");
    let (_, row) = platform.split_once("\nimpl Adapter for ").unwrap();
    for shown in [
        include_str!("../../src/main.rs").to_owned(),
        format!("impl Adapter for {row}"),
    ] {
        assert!(
            GUIDE.contains(&format!("```rust\n{shown}```\n")),
            "not in the guide: {shown}"
        );
    }
}
