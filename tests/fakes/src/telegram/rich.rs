//! Rich messages: <https://core.telegram.org/bots/api#rich-message-formatting-options>, "Rich HTML style" and "Rich Message
//! Limits". Telegram's words of refusal are not documented: these are the fake's own.

use serde_json::{Value, json};

use super::{
    Method, alone,
    answer::Refusal,
    keyboard,
    params::Params,
    send::{Rendered, deliver, limit, new_sent, open_chat, reply_target},
    state::Shared,
};

const CHARACTERS: usize = 32_768;
const BLOCKS: usize = 500;
const LEVELS: usize = 16;
const COLUMNS: usize = 20;
/// Tags without content.
const VOID: [&str; 3] = ["br", "hr", "input"];
const INLINE: [&str; 16] = [
    "a",
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "code",
    "mark",
    "sub",
    "sup",
    "tg-spoiler",
    "cite",
];
const BLOCK: [&str; 19] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "footer",
    "hr",
    "ul",
    "ol",
    "li",
    "blockquote",
    "aside",
    "table",
    "tr",
    "details",
    "summary",
];
const CELLS: [&str; 3] = ["td", "th", "caption"];
/// "The API currently supports only the following named HTML entities", beside numerical ones.
const ENTITIES: [(&str, &str); 6] = [
    ("lt", "<"),
    ("gt", ">"),
    ("amp", "&"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
];

/// `sendRichMessage`.
pub(super) fn message(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let rendered = of(params)?.ok_or_else(|| Refusal::violation("rich message must be non-empty"))?;
    let buttons = keyboard::read(params)?;
    let reply_to = reply_target(&state, to, params)?;
    let only_for = alone::receiver(&state, to, params)?;
    limit(&mut state, to)?;
    let mut sent = new_sent(&mut state, Method::SendRichMessage, to, params, rendered, reply_to);
    sent.raw = html(params).unwrap_or_default();
    sent.only_for = only_for;
    sent.buttons = buttons;
    sent.styles = keyboard::styles(params);
    Ok(deliver(shared, &mut state, sent))
}

/// The HTML of a request's rich message.
pub(super) fn html(params: &Params) -> Option<String> {
    let html = params.values.get("rich_message")?.get("html")?;
    html.as_str().map(str::to_owned)
}

/// The rich message of a request; `None`: it has none.
pub(super) fn of(params: &Params) -> Result<Option<Rendered>, Refusal> {
    params.values.get("rich_message").map(render).transpose()
}

/// A rich message as people read it.
pub(super) fn render(rich: &Value) -> Result<Rendered, Refusal> {
    let known = ["html", "markdown", "blocks", "media", "is_rtl", "skip_entity_detection"];
    let fields = rich.as_object().into_iter().flat_map(|fields| fields.keys());
    if let Some(unknown) = fields.into_iter().find(|field| !known.contains(&field.as_str())) {
        return Err(Refusal::violation(format!("unknown field `{unknown}` of rich_message")));
    }
    let Some(html) = rich["html"].as_str() else {
        return Err(Refusal::violation(
            "exactly one of html, markdown or blocks must be used, and the fake reads html",
        ));
    };
    let text = parse(html).map_err(|why| Refusal::violation(format!("can't parse rich message: {why}")))?;
    if text.trim().is_empty() {
        return Err(Refusal::violation("rich message must be non-empty"));
    }
    Ok(Rendered::text(text))
}

/// Reads the HTML of a rich message.
fn parse(html: &str) -> Result<String, String> {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '<' => {
                let end = rest.find('>').ok_or("an unclosed tag")?;
                page.tag(&rest[1..end])?;
                &rest[end + 1..]
            }
            '&' => {
                let end = rest.find(';').ok_or("a lone ampersand")?;
                page.text.push_str(&entity(&rest[1..end])?);
                &rest[end + 1..]
            }
            _ => {
                page.text.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    match page.open.last() {
        Some(open) => return Err(format!("<{open}> is not closed")),
        None if page.blocks > BLOCKS => return Err(format!("{} blocks", page.blocks)),
        None => {}
    }
    match page.text.chars().count() {
        count if count > CHARACTERS => Err(format!("{count} characters")),
        _ => Ok(page.text.trim().to_owned()),
    }
}

fn entity(name: &str) -> Result<String, String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        };
        let c = code.and_then(char::from_u32).ok_or_else(|| format!("&{name};"))?;
        return Ok(c.to_string());
    }
    let known = ENTITIES.iter().find(|(known, _)| *known == name);
    known
        .map(|(_, text)| (*text).to_owned())
        .ok_or_else(|| format!("&{name};"))
}

#[derive(Default)]
struct Page {
    text: String,
    open: Vec<String>,
    blocks: usize,
    columns: usize,
}

impl Page {
    fn tag(&mut self, inside: &str) -> Result<(), String> {
        if let Some(name) = inside.strip_prefix('/') {
            if self.open.pop().as_deref() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            match name {
                "td" | "th" => self.text.push('\t'),
                name if BLOCK.contains(&name) => self.text.push('\n'),
                _ => {}
            }
            return Ok(());
        }
        let inside = inside.trim_end_matches('/');
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        self.may_open(name)?;
        may_have(name, attributes)?;
        if name == "br" {
            self.text.push('\n');
        }
        if BLOCK.contains(&name) {
            self.blocks += 1;
        }
        if !VOID.contains(&name) {
            self.open.push(name.to_owned());
        }
        match self.open.len() {
            0..=LEVELS => Ok(()),
            levels => Err(format!("{levels} levels")),
        }
    }

    /// Whether a tag is one, and may stand here.
    fn may_open(&mut self, name: &str) -> Result<(), String> {
        let parent = self.open.last().map(String::as_str);
        let known = [&VOID[..], &INLINE[..], &BLOCK[..], &CELLS[..]].concat();
        if !known.contains(&name) {
            return Err(format!("unsupported tag <{name}>"));
        }
        let fits = match name {
            "tr" => parent == Some("table"),
            "td" | "th" => {
                self.columns += 1;
                parent == Some("tr")
            }
            "li" => matches!(parent, Some("ul" | "ol")),
            "input" => parent == Some("li"),
            // "Table cells can contain only inline formatting."
            name if BLOCK.contains(&name) => !self.open.iter().any(|open| {
                CELLS.contains(&open.as_str()) || INLINE.contains(&open.as_str()) || open == "p" || open == "pre"
            }),
            _ => !matches!(parent, Some("table" | "tr" | "ul" | "ol")),
        };
        if name == "tr" {
            self.columns = 0;
        }
        match (fits, self.columns > COLUMNS) {
            (true, false) => Ok(()),
            (_, true) => Err("too many columns".to_owned()),
            (false, false) => Err(format!("<{name}> within {parent:?}")),
        }
    }
}

/// Whether a tag takes these attributes.
fn may_have(name: &str, attributes: &str) -> Result<(), String> {
    let known: &[&str] = match name {
        "a" => &["href", "name"],
        "code" => &["class"],
        "input" => &["type", "checked"],
        "ol" => &["start", "type", "reversed"],
        "li" => &["value", "type"],
        "table" => &["bordered", "striped"],
        "td" | "th" => &["colspan", "rowspan", "align", "valign"],
        "details" => &["open"],
        _ => &[],
    };
    let mut names = attributes
        .split('"')
        .step_by(2)
        .flat_map(|piece| piece.split([' ', '=']));
    match names.find(|attribute| !attribute.is_empty() && !known.contains(attribute)) {
        Some(unknown) => Err(format!("attribute `{unknown}` of <{name}>")),
        None => Ok(()),
    }
}

/// A rich message as part of what the bot is told of its message.
pub(super) fn received() -> Value {
    json!({"blocks": []})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_read_and_what_telegram_does_not_know_is_refused() {
        let table = "<p>a <b>b</b></p><table bordered><tr><th>x</th><th align=\"right\">y</th></tr></table>";
        assert_eq!(parse(table).unwrap(), "a b\nx\ty");
        assert_eq!(
            parse("<ul><li><input type=\"checkbox\" checked>a &lt;&#39;</li></ul>").unwrap(),
            "a <'"
        );
        let deep = format!("{}x{}", "<blockquote>".repeat(17), "</blockquote>".repeat(17));
        let wide = format!("<table><tr>{}</tr></table>", "<td>x</td>".repeat(21));
        for (html, why) in [
            ("<div>x</div>", "unsupported tag <div>"),
            ("<p>x", "<p> is not closed"),
            ("<b><i>x</b></i>", "</b> closes nothing"),
            ("<td>x</td>", "<td> within None"),
            ("<table><tr><td><p>x</p></td></tr></table>", "<p> within Some(\"td\")"),
            ("<p rel=\"x\">x</p>", "attribute `rel` of <p>"),
            ("&eacute;", "&eacute;"),
            (&deep, "17 levels"),
            (&wide, "too many columns"),
            (&"<p>x</p>".repeat(501), "501 blocks"),
            (&"x".repeat(CHARACTERS + 1), "32769 characters"),
        ] {
            assert_eq!(parse(html), Err(why.to_owned()), "{}", &html[..html.len().min(60)]);
        }
    }
}
