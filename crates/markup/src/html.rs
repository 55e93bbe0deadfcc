//! Markdown as HTML for a page of our own: a safe subset, whatever the text says.
//!
//! Raw HTML is shown as the text that it is, images as links, and a link leads only where [`SCHEMES`] say. No other
//! attribute than `href`, `rel`, `start` and the alignment's class comes out.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Where a link may lead.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];
/// Deeper nesting than that is shown as its text.
const DEEPEST: usize = 24;

/// Renders Markdown as HTML: headings, emphasis, lists, quotes, code, tables and links.
pub fn html(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, options) {
        writer.write(event);
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The end tags of the open elements; nothing: the element was left out.
    open: Vec<&'static str>,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

impl Writer {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                escape(&mut self.out, &text);
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.push_str("<code>");
                escape(&mut self.out, &text);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.open.len() >= DEEPEST {
            self.open.push("");
            return;
        }
        let closing = match tag {
            Tag::Paragraph => self.element("<p>", "</p>"),
            // A page has headings of its own above these.
            Tag::Heading { level, .. } => match level as usize {
                1 => self.element("<h3>", "</h3>"),
                2 => self.element("<h4>", "</h4>"),
                3 => self.element("<h5>", "</h5>"),
                _ => self.element("<h6>", "</h6>"),
            },
            Tag::BlockQuote(_) => self.element("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.element("<pre tabindex=\"0\"><code>", "</code></pre>")
            }
            Tag::List(Some(first)) => {
                self.out.push_str(&format!("<ol start=\"{first}\">"));
                "</ol>"
            }
            Tag::List(None) => self.element("<ul>", "</ul>"),
            Tag::Item => self.element("<li>", "</li>"),
            Tag::Emphasis => self.element("<em>", "</em>"),
            Tag::Strong => self.element("<strong>", "</strong>"),
            Tag::Strikethrough => self.element("<s>", "</s>"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.link(&dest_url),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.element("<table>", "</table>")
            }
            Tag::TableHead => {
                (self.in_head, self.column) = (true, 0);
                self.element("<tr>", "</tr>")
            }
            Tag::TableRow => {
                self.column = 0;
                self.element("<tr>", "</tr>")
            }
            Tag::TableCell => self.cell(),
            _ => "",
        };
        self.open.push(closing);
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::TableHead {
            self.in_head = false;
        }
        self.out.push_str(self.open.pop().unwrap_or_default());
    }

    fn element(&mut self, opening: &str, closing: &'static str) -> &'static str {
        self.out.push_str(opening);
        closing
    }

    fn cell(&mut self) -> &'static str {
        let is_number = self.alignments.get(self.column) == Some(&Alignment::Right);
        self.column += 1;
        let class = if is_number { " class=\"number\"" } else { "" };
        let (name, closing) = if self.in_head { ("th", "</th>") } else { ("td", "</td>") };
        self.out.push_str(&format!("<{name}{class}>"));
        closing
    }

    /// A link, if it leads where it may; else its text stands alone.
    fn link(&mut self, url: &str) -> &'static str {
        let lower = url.to_ascii_lowercase();
        let leads = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
        if !leads || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return "";
        }
        self.out.push_str("<a rel=\"noopener noreferrer nofollow\" href=\"");
        escape(&mut self.out, url);
        self.out.push_str("\">");
        "</a>"
    }
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markdown_becomes_elements() {
        for (markdown, expected) in [
            ("hello", "<p>hello</p>"),
            ("# A\n\nb", "<h3>A</h3><p>b</p>"),
            (
                "**a** _b_ ~~c~~ `d`",
                "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>",
            ),
            ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
            ("3. a", "<ol start=\"3\"><li>a</li></ol>"),
            ("- [x] a", "<ul><li>☑ a</li></ul>"),
            ("> a", "<blockquote><p>a</p></blockquote>"),
            (
                "```html\n<b>\n```",
                "<pre tabindex=\"0\"><code>&lt;b&gt;\n</code></pre>",
            ),
            (
                "|a|b|\n|-|-:|\n|1|2|",
                "<table><tr><th>a</th><th class=\"number\">b</th></tr><tr><td>1</td><td class=\"number\">2</td></tr></table>",
            ),
            (
                "[a](https://b.example/?c&d)",
                "<p><a rel=\"noopener noreferrer nofollow\" href=\"https://b.example/?c&amp;d\">a</a></p>",
            ),
        ] {
            assert_eq!(html(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn nothing_of_the_text_runs_or_is_loaded() {
        for (markdown, expected) in [
            (
                "a <img src=x onerror=alert(1)>",
                "<p>a &lt;img src=x onerror=alert(1)&gt;</p>",
            ),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("[a](javascript:alert(1))", "<p>a</p>"),
            ("[a](JaVaScRiPt:alert(1))", "<p>a</p>"),
            ("[a](data:text/html,x)", "<p>a</p>"),
            ("[a](//b.example)", "<p>a</p>"),
            ("[a](/logout)", "<p>a</p>"),
            (
                "![a](https://b.example/pixel.png)",
                "<p><a rel=\"noopener noreferrer nofollow\" href=\"https://b.example/pixel.png\">a</a></p>",
            ),
            (
                "[a](https://b.example/\"onclick=\"x)",
                "<p><a rel=\"noopener noreferrer nofollow\" href=\"https://b.example/&quot;onclick=&quot;x\">a</a></p>",
            ),
        ] {
            assert_eq!(html(markdown), expected, "{markdown}");
        }
    }

    /// The names of the elements, and whether each is closed in order.
    fn elements(html: &str) -> (Vec<String>, bool) {
        let (mut names, mut open, mut balanced) = (Vec::new(), Vec::new(), true);
        for piece in html.split('<').skip(1) {
            let tag = piece.split('>').next().unwrap_or_default();
            let name = tag
                .trim_start_matches('/')
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_owned();
            if tag.starts_with('/') {
                balanced &= open.pop().as_ref() == Some(&name);
            } else if !matches!(name.as_str(), "br" | "hr") {
                open.push(name.clone());
            }
            names.push(name);
        }
        (names, balanced && open.is_empty())
    }

    proptest! {
        #[test]
        fn any_text_gives_known_elements_that_are_all_closed(text in "([<>&\"'`*_#|~\\[\\]()!:/\n a-z0-9-]|script|> |- ){0,60}") {
            const KNOWN: [&str; 21] = [
                "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
                "table", "td", "th", "tr", "ul",
            ];
            let (names, balanced) = elements(&html(&text));
            prop_assert!(balanced);
            prop_assert!(names.iter().all(|name| KNOWN.contains(&name.as_str())), "{:?}", names);
        }
    }
}
