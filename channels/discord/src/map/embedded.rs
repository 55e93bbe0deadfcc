//! The parts of a message besides its text: embeds, components, and the descriptions of its files.

use clifford_channel::lenient::{self, int, list, name, object};
use serde_json::Value;

/// The types of components that say something:
/// <https://docs.discord.com/developers/components/reference#component-object-component-types>
mod kind {
    pub(super) const BUTTON: i64 = 2;
    pub(super) const TEXT_DISPLAY: i64 = 10;
    pub(super) const THUMBNAIL: i64 = 11;
    pub(super) const MEDIA_GALLERY: i64 = 12;
}

/// The texts of the embeds of a message, and of its components, a line each.
pub(super) fn embedded(message: &Value) -> String {
    let mut lines: Vec<_> = list(message, "embeds").iter().flat_map(of_embed).collect();
    let mut left: Vec<_> = list(message, "components").iter().rev().collect();
    while let Some(component) = left.pop() {
        lines.extend(of_component(component));
        // The accessory of a section is read behind it.
        left.extend(object(component, "accessory"));
        left.extend(list(component, "components").iter().rev());
    }
    lines.join("\n")
}

/// In the order in which people read it.
fn of_embed(embed: &Value) -> Vec<String> {
    let author = object(embed, "author").and_then(|author| linked(author, "name"));
    let fields = list(embed, "fields").iter();
    let fields = fields.flat_map(|field| [name(field, "name"), name(field, "value")]);
    let footer = object(embed, "footer").and_then(|footer| name(footer, "text"));
    [author, linked(embed, "title"), name(embed, "description")]
        .into_iter()
        .chain(fields)
        .chain([footer])
        .flatten()
        .collect()
}

fn of_component(component: &Value) -> Option<String> {
    match int(component, "type")? {
        kind::TEXT_DISPLAY => name(component, "content"),
        // Other buttons do something, and say nothing to those who cannot press them.
        kind::BUTTON => address(component).and_then(|_| linked(component, "label")),
        kind::THUMBNAIL => name(component, "description"),
        kind::MEDIA_GALLERY => {
            let items = list(component, "items").iter();
            let told: Vec<_> = items.filter_map(|item| name(item, "description")).collect();
            Some(told.join("\n")).filter(|told| !told.is_empty())
        }
        _ => None,
    }
}

/// Words with the address behind them, if there is one.
fn linked(of: &Value, field: &str) -> Option<String> {
    let words = name(of, field)?;
    Some(match address(of) {
        Some(address) => format!("[{words}]({address})"),
        None => words,
    })
}

fn address(of: &Value) -> Option<String> {
    name(of, "url").filter(|address| !address.contains(char::is_whitespace))
}

/// The descriptions that people gave to the files of a message, a line each.
pub(super) fn described(message: &Value) -> String {
    let told = list(message, "attachments").iter().filter_map(|file| {
        let description = lenient::line(&name(file, "description")?, 1_000);
        let file = name(file, "filename").map_or_else(|| "file".to_owned(), |file| lenient::line(&file, 100));
        Some(format!("({file}: {description})"))
    });
    told.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_embed_says_is_read_as_it_is_shown_with_its_addresses() {
        let embed = json!({
            "author": {"name": "ada", "url": "https://x.y/ada"}, "title": "Release 2", "url": "https://x.y/2",
            "description": "It flies.", "fields": [{"name": "Size", "value": "9 MB"}, {"name": "", "value": " "}],
            "footer": {"text": "yesterday"}, "image": {"url": "https://x.y/a.png"}, "color": 5,
        });
        assert_eq!(
            embedded(&json!({"embeds": [embed, {"title": "Plain", "url": "no address"}, 7, {}]})),
            "[ada](https://x.y/ada)\n[Release 2](https://x.y/2)\nIt flies.\nSize\n9 MB\nyesterday\nPlain"
        );
    }

    #[test]
    fn what_components_say_is_read_in_the_order_in_which_they_stand() {
        let text = |content: &str| json!({"type": 10, "content": content});
        let section = json!({"type": 9, "components": [text("one"), text("two")],
            "accessory": {"type": 11, "media": {"url": "https://x.y/a.png"}, "description": "A cat"}});
        let row = json!({"type": 1, "components": [
            {"type": 2, "style": 5, "label": "Open it", "url": "https://x.y/2"},
            {"type": 2, "style": 1, "label": "Buy", "custom_id": "buy"}]});
        let gallery = json!({"type": 12, "items": [
            {"media": {"url": "https://x.y/b.png"}, "description": "A dog"}, {"media": {"url": "https://x.y/c.png"}}]});
        let container = json!({"type": 17, "components": [text("zero"), section, {"type": 14}, gallery, row]});
        for (components, expected) in [
            (
                json!([container, text("three")]),
                "zero\none\ntwo\nA cat\nA dog\n[Open it](https://x.y/2)\nthree",
            ),
            (
                json!([{"type": 99, "components": [text("inside")]}, {"type": "?"}, 7]),
                "inside",
            ),
            (json!("none"), ""),
        ] {
            assert_eq!(embedded(&json!({ "components": components })), expected, "{components}");
        }
    }

    #[test]
    fn files_are_told_of_in_the_words_of_whoever_described_them() {
        let message = json!({"attachments": [
            {"filename": "cat.png", "description": "A cat\non a mat"}, {"filename": "a.txt"}, {"description": "A dog"}]});
        assert_eq!(described(&message), "(cat.png: A cat on a mat)\n(file: A dog)");
    }
}
