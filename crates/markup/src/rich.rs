//! Markdown as the HTML of a rich message of Telegram: headings, lists and tables as blocks, which the HTML of its other
//! messages has no tags for.
//!
//! <https://core.telegram.org/bots/api#rich-message-formatting-options>

use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::{
    links::Links,
    parse::language,
    runs::StyledText,
    style::Style,
    telegram::{escape, inline},
};

/// The most characters of the text.
const CHARACTERS: usize = 32_768;
/// The most blocks, with list items and rows of tables.
const BLOCKS: usize = 500;
/// The most blocks within one another: Telegram takes 16 levels, and the styles of a text are up to five of them.
const DEEPEST: usize = 10;
/// The most columns of a table.
const COLUMNS: usize = 20;
/// A longer address of a link is shown as text.
const LONGEST_URL: usize = 2_048;

/// A message as one rich message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rich {
    /// In Telegram's HTML of rich messages.
    pub html: String,
    /// There is a table in it, which other messages show as lines of code.
    pub has_table: bool,
}

/// Renders Markdown as one rich message; `None`: nothing of it can be seen, or it is more than one takes.
pub fn rich(markdown: &str) -> Option<Rich> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::new(markdown);
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        writer.read(event, range.start);
        if writer.is_too_much {
            return None;
        }
    }
    writer.flush();
    (!writer.is_too_much && writer.shows_something).then_some(Rich {
        html: writer.html,
        has_table: writer.has_table,
    })
}

struct Writer<'a> {
    source: &'a str,
    html: String,
    /// The closing tags of the open blocks.
    open: Vec<&'static str>,
    blocks: usize,
    characters: usize,
    is_too_much: bool,
    shows_something: bool,
    has_table: bool,
    /// The text that is being read, and how it is styled here.
    text: StyledText,
    style: Style,
    /// How often each emphasis is open.
    depths: [usize; 3],
    links: Links,
    in_code: bool,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

const BOLD: usize = 0;
const ITALIC: usize = 1;
const STRIKE: usize = 2;

impl<'a> Writer<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            html: String::new(),
            open: Vec::new(),
            blocks: 0,
            characters: 0,
            is_too_much: false,
            shows_something: false,
            has_table: false,
            text: StyledText::default(),
            style: Style::default(),
            depths: [0; 3],
            links: Links::new(LONGEST_URL),
            in_code: false,
            alignments: Vec::new(),
            column: 0,
            in_head: false,
        }
    }

    fn read(&mut self, event: Event<'_>, start: usize) {
        match event {
            Event::Start(tag) => self.start(tag, start),
            Event::End(tag) => self.end(tag, start),
            Event::Text(text) if self.in_code => self.text.push(&text, Style::default()),
            Event::Text(text) => {
                let escaped = start > 0 && self.source.as_bytes().get(start - 1) == Some(&b'\\');
                self.text.push_markdown(&text, self.style, escaped);
            }
            Event::Code(text) => self.text.push(
                &text,
                Style {
                    code: true,
                    ..self.style
                },
            ),
            Event::SoftBreak | Event::HardBreak => self.text.push("\n", self.style),
            Event::Rule => {
                self.flush();
                self.block("<hr/>");
            }
            Event::TaskListMarker(done) => {
                self.html.push_str(match done {
                    true => "<input type=\"checkbox\" checked>",
                    false => "<input type=\"checkbox\">",
                });
            }
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text.push(&text, self.style),
        }
    }

    fn start(&mut self, tag: Tag<'_>, start: usize) {
        match tag {
            Tag::Emphasis => self.depths[ITALIC] += 1,
            Tag::Strong => self.depths[BOLD] += 1,
            Tag::Strikethrough if self.is_double(start) => self.depths[STRIKE] += 1,
            Tag::Strikethrough => self.text.push("~", self.style),
            Tag::Link {
                link_type: LinkType::Email,
                ..
            } => self.links.open_none(),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.style.link = self.links.open(&dest_url, self.text.text.len());
            }
            Tag::Superscript | Tag::Subscript => {}
            block => self.start_block(block),
        }
        self.emphasise();
    }

    fn start_block(&mut self, tag: Tag<'_>) {
        self.flush();
        let (opening, closing) = match tag {
            Tag::Heading { level, .. } => match level as usize {
                1 => ("<h1>", "</h1>"),
                2 => ("<h2>", "</h2>"),
                3 => ("<h3>", "</h3>"),
                4 => ("<h4>", "</h4>"),
                5 => ("<h5>", "</h5>"),
                _ => ("<h6>", "</h6>"),
            },
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(kind) => return self.start_code(&kind),
            Tag::List(Some(first)) => {
                self.block(&format!("<ol start=\"{first}\">"));
                return self.open.push("</ol>");
            }
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::Item => ("<li>", "</li>"),
            Tag::Table(alignments) => {
                // A table is a block of the message itself.
                self.is_too_much |= !self.open.is_empty() || alignments.len() > COLUMNS;
                self.has_table = true;
                self.alignments = alignments;
                ("<table bordered>", "</table>")
            }
            Tag::TableHead | Tag::TableRow => {
                (self.in_head, self.column) = (matches!(tag, Tag::TableHead), 0);
                ("<tr>", "</tr>")
            }
            Tag::TableCell => return self.start_cell(),
            _ => ("<p>", "</p>"),
        };
        self.block(opening);
        self.open.push(closing);
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.in_code = true;
        let language = language(kind);
        if language.is_empty() {
            self.block("<pre>");
            self.open.push("</pre>");
        } else {
            // A language that is one holds nothing to escape.
            self.block(&format!("<pre><code class=\"language-{language}\">"));
            self.open.push("</code></pre>");
        }
    }

    fn start_cell(&mut self) {
        let align = match self.alignments.get(self.column) {
            Some(Alignment::Center) => " align=\"center\"",
            Some(Alignment::Right) => " align=\"right\"",
            _ => "",
        };
        self.column += 1;
        let (name, closing) = if self.in_head { ("th", "</th>") } else { ("td", "</td>") };
        self.html.push_str(&format!("<{name}{align}>"));
        self.open.push(closing);
    }

    fn end(&mut self, tag: TagEnd, start: usize) {
        match tag {
            TagEnd::Emphasis => self.depths[ITALIC] -= 1,
            TagEnd::Strong => self.depths[BOLD] -= 1,
            TagEnd::Strikethrough if self.is_double(start) => self.depths[STRIKE] -= 1,
            TagEnd::Strikethrough => self.text.push("~", self.style),
            TagEnd::Link | TagEnd::Image => self.style.link = self.links.close(&mut self.text, self.style),
            TagEnd::Superscript | TagEnd::Subscript => {}
            _ => {
                self.flush();
                self.in_code = false;
                self.html.push_str(self.open.pop().unwrap_or_default());
            }
        }
        self.emphasise();
    }

    /// Writes the opening of a block.
    fn block(&mut self, opening: &str) {
        self.blocks += 1;
        self.is_too_much |= self.blocks > BLOCKS || self.open.len() >= DEEPEST;
        self.html.push_str(opening);
    }

    /// Writes the text that was read.
    fn flush(&mut self) {
        let (text, runs) = std::mem::take(&mut self.text).finish();
        if text.is_empty() {
            return;
        }
        self.characters += text.chars().count();
        self.is_too_much |= self.characters > CHARACTERS;
        self.shows_something |= !crate::tree::is_blank(&text);
        if self.in_code {
            escape(&mut self.html, &text);
        } else {
            // A line feed is a space there.
            let html = inline(text, runs, self.links.targets());
            self.html.push_str(&html.replace('\n', "<br>"));
        }
    }

    fn emphasise(&mut self) {
        self.style.bold = self.depths[BOLD] > 0;
        self.style.italic = self.depths[ITALIC] > 0;
        self.style.strike = self.depths[STRIKE] > 0;
    }

    /// `~~x~~`, not `~x~`: a single tilde means "about" far more often.
    fn is_double(&self, start: usize) -> bool {
        self.source.get(start..).is_some_and(|source| source.starts_with("~~"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn html(markdown: &str) -> String {
        rich(markdown).unwrap().html
    }

    #[test]
    fn markdown_becomes_blocks() {
        for (markdown, expected) in [
            ("hello\nthere", "<p>hello<br>there</p>"),
            ("# A\n\nb", "<h1>A</h1><p>b</p>"),
            (
                "**a** _b_ ~~c~~ ~d~ `e` ||f||",
                "<p><b>a</b> <i>b</i> <s>c</s> ~d~ <code>e</code> <tg-spoiler>f</tg-spoiler></p>",
            ),
            ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
            ("3. a", "<ol start=\"3\"><li>a</li></ol>"),
            (
                "- [x] a\n- [ ] b",
                "<ul><li><input type=\"checkbox\" checked>a</li><li><input type=\"checkbox\">b</li></ul>",
            ),
            ("> a", "<blockquote><p>a</p></blockquote>"),
            ("a\n\n---\n\nb", "<p>a</p><hr/><p>b</p>"),
            (
                "```html\n<b>\n\nx\n```",
                "<pre><code class=\"language-html\">&lt;b&gt;\n\nx</code></pre>",
            ),
            (
                "[a](https://b.example/?c&d)",
                "<p><a href=\"https://b.example/?c&amp;d\">a</a></p>",
            ),
        ] {
            assert_eq!(html(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn a_table_is_one() {
        let table = "|Planet|Moons|\n|:-|-:|\n|**Earth**|1|\n|Mars `x`|2|";
        let expected = "<table bordered><tr><th>Planet</th><th align=\"right\">Moons</th></tr>\
                        <tr><td><b>Earth</b></td><td align=\"right\">1</td></tr>\
                        <tr><td>Mars <code>x</code></td><td align=\"right\">2</td></tr></table>";
        let drawn = rich(table).unwrap();
        assert_eq!((drawn.html.as_str(), drawn.has_table), (expected, true));
        assert!(!rich("no table").unwrap().has_table);
    }

    #[test]
    fn nothing_that_somebody_wrote_becomes_a_tag_or_a_mention() {
        assert_eq!(
            html("a <img src=\"x\"> @ada [b](tg://user?id=7)"),
            "<p>a &lt;img src=\"x\"&gt; @\u{2060}ada b</p>"
        );
        assert_eq!(html("<details>x</details>"), "<p>&lt;details&gt;x&lt;/details&gt;</p>");
    }

    #[test]
    fn what_is_more_than_one_message_takes_is_none() {
        let deep = "> ".repeat(DEEPEST + 1) + "a";
        let wide = format!("|{}\n|{}", "a|".repeat(COLUMNS + 1), "-|".repeat(COLUMNS + 1));
        let many = "a\n\n".repeat(BLOCKS + 1);
        let long = "a".repeat(CHARACTERS + 1);
        for markdown in ["", " \n", &deep, &wide, &many, &long, "> |a|b|\n> |-|-|\n> |1|2|"] {
            assert_eq!(rich(markdown), None, "{}", &markdown[..markdown.len().min(40)]);
        }
        assert!(rich(&"a".repeat(CHARACTERS)).is_some());
    }

    /// The names of the tags, and whether each is closed in order.
    fn tags(html: &str) -> (Vec<String>, bool) {
        let (mut names, mut open, mut balanced) = (Vec::new(), Vec::new(), true);
        for piece in html.split('<').skip(1) {
            let tag = piece.split('>').next().unwrap_or_default();
            let name = tag.trim_start_matches('/').split([' ', '/']).next();
            let name = name.unwrap_or_default().to_owned();
            if tag.starts_with('/') {
                balanced &= open.pop().as_ref() == Some(&name);
            } else if !matches!(name.as_str(), "br" | "hr" | "input") {
                open.push(name.clone());
            }
            names.push(name);
        }
        (names, balanced && open.is_empty())
    }

    proptest! {
        #[test]
        fn any_text_gives_tags_that_telegram_knows_all_closed(text in "([<>&\"'`*_#|~\\[\\]()!:/@\n a-z0-9-]|> |- |\\|a\\|b\\|\n\\|-\\|-\\|\n){0,60}") {
            const KNOWN: [&str; 24] = [
                "a", "b", "blockquote", "br", "code", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "input", "li", "ol",
                "p", "pre", "s", "table", "td", "th", "tr", "ul",
            ];
            if let Some(rich) = rich(&text) {
                let (names, balanced) = tags(&rich.html);
                prop_assert!(balanced, "{}", rich.html);
                let known = |name: &String| KNOWN.contains(&name.as_str()) || name == "tg-spoiler";
                prop_assert!(names.iter().all(known), "{:?}", names);
            }
        }
    }
}
