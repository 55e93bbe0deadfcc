//! Telegram's HTML parse mode, with its errors: <https://core.telegram.org/bots/api#html-style>

use serde_json::{Value, json};

use super::entities::units;

/// A text without its tags.
#[derive(Debug, PartialEq)]
pub(super) struct Parsed {
    pub(super) text: String,
    pub(super) entities: Vec<Value>,
}

/// An open tag.
struct Open {
    tag: String,
    /// `None` for tags that make no entity of their own (`code` within `pre`).
    entity: Option<Value>,
    start: usize,
}

/// Reads a text in HTML mode.
///
/// # Errors
/// Telegram's reason behind `can't parse entities: `.
pub(super) fn parse(html: &str) -> Result<Parsed, String> {
    let mut text = String::with_capacity(html.len());
    let mut entities = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(c) = html[at..].chars().next() {
        match c {
            '<' if html[at..].starts_with("</") => {
                let (inside, next) = tag(html, at, 2)?;
                close(inside.trim(), at, &text, &mut open, &mut entities)?;
                at = next;
            }
            '<' => {
                let (inside, next) = tag(html, at, 1)?;
                let started = start(inside, at, units(&text), open.last_mut())?;
                open.push(started);
                at = next;
            }
            '&' => {
                let (decoded, length) = reference(&html[at..]);
                text.push(decoded);
                at += length;
            }
            _ => {
                text.push(c);
                at += c.len_utf8();
            }
        }
    }
    match open.last() {
        Some(last) => Err(format!(
            "Can't find end tag corresponding to start tag \"{}\"",
            last.tag
        )),
        None => Ok(Parsed { text, entities }),
    }
}

/// The text between `<` (or `</`) and `>`, and where the text goes on.
fn tag(html: &str, at: usize, skip: usize) -> Result<(&str, usize), String> {
    let inside = &html[at + skip..];
    let end = inside
        .find('>')
        .ok_or_else(|| format!("Unclosed start tag at byte offset {at}"))?;
    Ok((&inside[..end], at + skip + end + 1))
}

fn start(inside: &str, at: usize, offset: usize, parent: Option<&mut Open>) -> Result<Open, String> {
    let (name, rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let name = name.to_ascii_lowercase();
    let simple = |kind: &str| Some(json!({"type": kind}));
    let entity = match name.as_str() {
        "b" | "strong" => simple("bold"),
        "i" | "em" => simple("italic"),
        "u" | "ins" => simple("underline"),
        "s" | "strike" | "del" => simple("strikethrough"),
        "tg-spoiler" => simple("spoiler"),
        "span" if attribute(rest, "class").as_deref() == Some("tg-spoiler") => simple("spoiler"),
        "span" => {
            return Err(format!(
                "Tag \"span\" must have class \"tg-spoiler\" at byte offset {at}"
            ));
        }
        "a" => attribute(rest, "href").map(|url| json!({"type": "text_link", "url": url})),
        "tg-emoji" => attribute(rest, "emoji-id").map(|id| json!({"type": "custom_emoji", "custom_emoji_id": id})),
        "pre" => simple("pre"),
        "code" => code(rest, parent),
        "blockquote" if rest.contains("expandable") => simple("expandable_blockquote"),
        "blockquote" => simple("blockquote"),
        _ => return Err(format!("Unsupported start tag \"{name}\" at byte offset {at}")),
    };
    Ok(Open {
        tag: name,
        entity,
        start: offset,
    })
}

/// `<pre><code class="language-x">` is one entity, with the language; `<code>` alone is its own.
fn code(attributes: &str, parent: Option<&mut Open>) -> Option<Value> {
    let Some(Open {
        tag, entity: Some(pre), ..
    }) = parent
    else {
        return Some(json!({"type": "code"}));
    };
    if tag != "pre" {
        return Some(json!({"type": "code"}));
    }
    let class = attribute(attributes, "class");
    if let Some(language) = class.as_deref().and_then(|class| class.strip_prefix("language-")) {
        pre["language"] = json!(language);
    }
    None
}

fn close(name: &str, at: usize, text: &str, open: &mut Vec<Open>, entities: &mut Vec<Value>) -> Result<(), String> {
    let name = name.to_ascii_lowercase();
    let Some(last) = open.pop() else {
        return Err(format!("Unexpected end tag at byte offset {at}"));
    };
    if name != last.tag {
        return Err(format!(
            "Unmatched end tag at byte offset {at}, expected \"</{}>\", found \"</{name}>\"",
            last.tag
        ));
    }
    let length = units(text) - last.start;
    if let Some(mut entity) = last.entity
        && length > 0
    {
        entity["offset"] = json!(last.start);
        entity["length"] = json!(length);
        entities.push(entity);
    }
    Ok(())
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let value = attributes.split_once(&format!("{name}="))?.1;
    let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let value = value[1..].split(quote).next()?;
    let mut decoded = String::new();
    let mut at = 0;
    while let Some(c) = value[at..].chars().next() {
        let (c, length) = if c == '&' {
            reference(&value[at..])
        } else {
            (c, c.len_utf8())
        };
        decoded.push(c);
        at += length;
    }
    Some(decoded)
}

/// A character reference and its length; an unknown one is an ampersand.
fn reference(text: &str) -> (char, usize) {
    for (name, c) in [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')] {
        if text.starts_with(name) {
            return (c, name.len());
        }
    }
    numeric(text).unwrap_or(('&', 1))
}

fn numeric(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix("&#")?;
    let end = inside.find(';').filter(|end| *end <= 8)?;
    let number = match inside[..end].strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => inside[..end].parse().ok()?,
    };
    Some((char::from_u32(number)?, end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_entities_in_utf16_units() {
        assert_eq!(
            parse("😀 <b>bold <i>both</i></b> 1 &lt; 2 &amp;&#33;&nbsp;"),
            Ok(Parsed {
                text: "😀 bold both 1 < 2 &!&nbsp;".to_owned(),
                entities: vec![
                    json!({"type": "italic", "offset": 8, "length": 4}),
                    json!({"type": "bold", "offset": 3, "length": 9}),
                ],
            })
        );
        assert_eq!(
            parse("<pre><code class=\"language-rust\">fn</code></pre><a href=\"https://a.b/?x=1&amp;y\">x</a>"),
            Ok(Parsed {
                text: "fnx".to_owned(),
                entities: vec![
                    json!({"type": "pre", "language": "rust", "offset": 0, "length": 2}),
                    json!({"type": "text_link", "url": "https://a.b/?x=1&y", "offset": 2, "length": 1}),
                ],
            })
        );
    }

    #[test]
    fn broken_markup_is_refused_in_telegrams_words() {
        let cases = [
            ("<b>x", "Can't find end tag corresponding to start tag \"b\""),
            ("x</b>", "Unexpected end tag at byte offset 1"),
            (
                "<b><i>x</b></i>",
                "Unmatched end tag at byte offset 7, expected \"</i>\", found \"</b>\"",
            ),
            ("<table>", "Unsupported start tag \"table\" at byte offset 0"),
            ("1 < 2", "Unclosed start tag at byte offset 2"),
        ];
        for (html, expected) in cases {
            assert_eq!(parse(html), Err(expected.to_owned()), "{html}");
        }
    }
}
