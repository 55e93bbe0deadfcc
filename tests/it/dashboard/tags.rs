//! Reads the tags of a page: each must be one of ours, with attributes of ours, and lead nowhere else.

/// The elements that pages are made of.
const ELEMENTS: &str = "a article aside bdi body br button caption code data dd del details div dl dt em fieldset figcaption figure footer \
     form h1 h2 h3 h4 h5 h6 head header hr html input ins kbd label legend li line link main mark menu meta nav ol optgroup option output p \
     path circle g pre rect s script section select small span strong sub summary sup svg table tbody td text textarea tfoot th thead \
     time title tr tspan ul blockquote dialog progress meter polyline polygon audio video source search template u";
/// Attributes that run or change something if a stranger writes them.
const NEVER: [&str; 9] = [
    "style",
    "srcdoc",
    "background",
    "ping",
    "xlink:href",
    "http-equiv",
    "target",
    "data",
    "manifest",
];
/// Attributes with an address.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "formaction", "poster", "cite"];

/// Words as a page shows them.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Panics if a tag of the page is none of ours.
pub fn check(path: &str, page: &str) {
    let page = page.strip_prefix("<!DOCTYPE html>").unwrap_or(page);
    for piece in page.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap_or_default();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        // A picture that came along with a message.
        let is_picture = tag.starts_with("img class=\"attached\" src=\"/api/files/");
        assert!(
            is_picture || ELEMENTS.split_whitespace().any(|known| known == name),
            "{path} holds <{tag}>"
        );
        for (attribute, value) in attributes(path, tag) {
            assert!(
                !attribute.starts_with("on") && !NEVER.contains(&attribute),
                "{path} holds {attribute} in <{tag}>"
            );
            let leads_out = ADDRESSES.contains(&attribute) && !is_ours(value) && !is_link(name, tag, value);
            assert!(!leads_out, "{path} leads to {value} in <{tag}>");
        }
        let is_script = name == "script" && !tag.starts_with('/');
        assert!(
            !is_script || tag.starts_with("script src=\"/assets/"),
            "{path} holds <{tag}>"
        );
    }
    assert!(!page.contains('\u{202e}'), "{path} turns words around");
}

/// An address on this server.
fn is_ours(value: &str) -> bool {
    value.starts_with('#') || (value.starts_with('/') && !value.starts_with("//") && !value.contains('\\'))
}

/// A link of somebody's Markdown, which the reader has to follow.
fn is_link(name: &str, tag: &str, value: &str) -> bool {
    let is_web = ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| value.starts_with(scheme));
    name == "a" && is_web && tag.starts_with("a rel=\"noopener noreferrer nofollow\" ")
}

/// The attributes of a tag. Every value stands in double quotes.
fn attributes<'a>(path: &str, tag: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = tag.split_once([' ', '\n']).map_or("", |(_, rest)| rest).trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(quoted) = after.strip_prefix('=') else {
            found.push((name, ""));
            rest = after.trim_start();
            continue;
        };
        let value = quoted.strip_prefix('"').and_then(|value| value.split_once('"'));
        let (value, after) = value.unwrap_or_else(|| panic!("{path} holds a value without quotes in <{tag}>"));
        found.push((name, value));
        rest = after.trim_start_matches('/').trim_start();
    }
    found
}

#[test]
fn tags_of_strangers_are_found() {
    check(
        "a page",
        "<!DOCTYPE html><p class=\"a\" hidden>x &lt;b&gt; <a href=\"/runs\">y</a></p><br>",
    );
    for page in [
        "<script>alert(1)</script>",
        "<img src=\"x\">",
        "<p onclick=\"x\">",
        "<p style=\"x\">",
        "<p class=x>",
        "<a href=\"javascript:alert(1)\">",
        "<a href=\"//evil.example\">",
        "<a href=\"https://evil.example\">",
        "<form action=\"https://evil.example\">",
        "<button formaction=\"https://evil.example\">",
        "<script src=\"https://evil.example/x.js\">",
        "<style>",
        "x\u{202e}y",
    ] {
        let refused = std::panic::catch_unwind(|| check("a page", page));
        assert!(refused.is_err(), "{page}");
    }
}
