//! Removes addresses that a reader may follow from a message: found in the parsed Markdown, removed from its source.
//!
//! Entities, escapes, reference definitions and HTML hide an address from whoever searches the source. So targets and
//! text are judged as the parser decoded them, and each finding is mapped back to the bytes that it was made of.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// How often a message is cleaned at most, since taking something out can make Markdown of what is left.
const ROUNDS: usize = 8;

/// The fate of a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is taken out.
    Removed,
    /// It stays readable, as code, of which no platform makes a link.
    Code,
}

/// Knows which addresses may stay.
pub trait Judge {
    /// Whether a link or image may lead there. The target is decoded.
    fn may_lead_to(&self, target: &str) -> bool;
    /// The stretches of a text that a platform may make links of and that may not stay, in order and without overlaps.
    fn unwanted(&self, text: &str) -> Vec<(Range<usize>, Fate)>;
    /// Whether something of a piece of code may not stay, too.
    fn is_unwanted_in_code(&self, text: &str) -> bool;
}

/// A message without what its judge does not want; `removed` stands in its place.
pub fn cleaned<'a>(markdown: &'a str, removed: &str, judge: &dyn Judge) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(markdown);
    for _ in 0..ROUNDS {
        let edits = edits(&text, removed, judge);
        if edits.is_empty() {
            return text;
        }
        let mut next = apply(&text, edits, removed);
        // Text at the end may be gone, but not the lines before it.
        next.truncate(next.trim_end_matches('\n').len());
        if next.trim().is_empty() {
            removed.clone_into(&mut next);
        }
        text = Cow::Owned(next);
    }
    if edits(&text, removed, judge).is_empty() {
        text
    } else {
        Cow::Owned(removed.to_owned())
    }
}

/// One change of the source.
#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    with: String,
}

fn edits(source: &str, removed: &str, judge: &dyn Judge) -> Vec<Edit> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(source, options);
    let mut reader = Reader {
        source,
        removed,
        judge,
        edits: Vec::new(),
        links: Vec::new(),
        text: String::new(),
        pieces: Vec::new(),
        in_code: false,
        block: Vec::new(),
    };
    for (_, definition) in parser.reference_definitions().iter() {
        let title = definition.title.as_deref().unwrap_or_default();
        if !reader.may_stay(&definition.dest, title) {
            reader.edit(definition.span.clone(), "");
        }
    }
    for (event, range) in parser.into_offset_iter() {
        reader.read(event, range);
    }
    reader.end_block();
    reader.edits
}

/// A link that is being read.
struct Open {
    unwanted: bool,
    is_auto: bool,
    is_collapsed: bool,
    /// The part of the source that its text is made of.
    inside: Option<Range<usize>>,
}

/// A stretch of decoded text, and where it stands in the source.
struct Piece {
    text: Range<usize>,
    source: Range<usize>,
    is_code: bool,
}

struct Reader<'a> {
    source: &'a str,
    removed: &'a str,
    judge: &'a dyn Judge,
    edits: Vec<Edit>,
    links: Vec<Open>,
    /// The block's text as it is shown: emphasis does not keep a platform from making a link of it.
    text: String,
    pieces: Vec<Piece>,
    /// The reader is in a block of code.
    in_code: bool,
    /// The lines of the block of HTML that is read: its tags go over several.
    block: Vec<(String, Range<usize>)>,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            }) => self.open(link_type, &dest_url, &title),
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                ..
            }) => self.open(link_type, &dest_url, &title),
            Event::End(TagEnd::Link | TagEnd::Image) => self.close(range),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => self.inside(&range),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::Start(Tag::CodeBlock(kind)) => {
                self.end_block();
                self.in_code = true;
                self.info(&kind, &range);
            }
            Event::Html(text) => self.block.push((text.into_string(), range)),
            Event::End(TagEnd::HtmlBlock) => self.html_block(),
            Event::Start(_) | Event::End(_) | Event::Rule => {
                self.end_block();
                self.in_code = false;
            }
            Event::Text(text) => self.push(&text, range, self.in_code),
            Event::Code(text) => self.code(&text, range),
            Event::SoftBreak | Event::HardBreak => self.push("\n", range, false),
            Event::InlineHtml(text) => self.html(&text, range),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.push(&text, range, false);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn may_stay(&self, target: &str, title: &str) -> bool {
        self.judge.may_lead_to(target) && self.judge.unwanted(title).is_empty()
    }

    fn open(&mut self, link_type: LinkType, target: &CowStr<'_>, title: &CowStr<'_>) {
        let is_mail = link_type == LinkType::Email;
        self.links.push(Open {
            unwanted: !is_mail && !self.may_stay(target, title),
            is_auto: link_type == LinkType::Autolink,
            is_collapsed: link_type == LinkType::Collapsed,
            inside: None,
        });
    }

    fn close(&mut self, mut range: Range<usize>) {
        let Some(open) = self.links.pop() else { return };
        // `[text][]`
        if open.is_collapsed && self.source.get(range.end..).is_some_and(|rest| rest.starts_with("[]")) {
            range.end += 2;
        }
        let inside = open.inside.filter(|inside| !open.is_auto && !inside.is_empty());
        if open.unwanted {
            match inside {
                Some(inside) => {
                    let removed = format!(" {}", self.removed);
                    self.edit(range.start..inside.start, "");
                    self.edit(inside.end..range.end, &removed);
                }
                None => {
                    let removed = self.removed.to_owned();
                    self.edit(range.clone(), &removed);
                }
            }
        }
        self.inside(&range);
    }

    /// A part of a link's text. Text around that link is told when it is closed.
    fn inside(&mut self, range: &Range<usize>) {
        if let Some(open) = self.links.last_mut() {
            open.inside = Some(match &open.inside {
                Some(inside) => inside.start.min(range.start)..inside.end.max(range.end),
                None => range.clone(),
            });
        }
    }

    fn push(&mut self, text: &str, source: Range<usize>, is_code: bool) {
        self.inside(&source);
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            text: start..self.text.len(),
            source,
            is_code,
        });
    }

    /// A code span: its text stands within backticks.
    fn code(&mut self, text: &str, source: Range<usize>) {
        let written = self.source.get(source.clone()).unwrap_or_default();
        self.inside(&source);
        let at = written.find(text).filter(|_| !text.is_empty());
        let within = at.map_or(source.clone(), |at| source.start + at..source.start + at + text.len());
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            text: start..self.text.len(),
            source: within,
            is_code: true,
        });
    }

    /// A block's info string is shown by nobody but clients that show the source.
    fn info(&mut self, kind: &CodeBlockKind<'_>, block: &Range<usize>) {
        let CodeBlockKind::Fenced(info) = kind else { return };
        if self.judge.unwanted(info).is_empty() {
            return;
        }
        let written = self.source.get(block.clone()).unwrap_or_default();
        let line = written.lines().next().unwrap_or_default();
        let fence = line.len() - line.trim_start_matches(['`', '~']).len();
        self.edit(block.start + fence..block.start + line.len(), "");
    }

    /// Of a block of HTML no line stays that leads somewhere, and nothing at all if only its lines together do.
    fn html_block(&mut self) {
        let lines = std::mem::take(&mut self.block);
        let whole: String = lines.iter().map(|(text, _)| text.as_str()).collect();
        let leads = lines.iter().any(|(text, _)| self.html_leads(text));
        match (lines.first(), lines.last()) {
            (Some((_, first)), Some((_, last))) if !leads && self.html_leads(&whole) => {
                self.without_html(first.start..last.end);
            }
            _ => lines.into_iter().for_each(|(text, range)| self.html(&text, range)),
        }
        self.end_block();
    }

    fn html(&mut self, text: &str, range: Range<usize>) {
        if self.html_leads(text) {
            self.without_html(range);
        } else {
            self.push(text, range, false);
        }
    }

    /// Takes HTML out, but for the end of its line.
    fn without_html(&mut self, range: Range<usize>) {
        let written = self.source.get(range.clone()).unwrap_or_default();
        let removed = self.removed.to_owned();
        self.edit(range.start..range.start + written.trim_end().len(), &removed);
    }

    /// Whether HTML leads where it may not: it is shown as it is written, but who takes it for HTML reads its attributes
    /// decoded.
    fn html_leads(&self, text: &str) -> bool {
        let carries = text.contains('=') && text.contains(['/', ':', '&', '.', '\\']);
        let values: Vec<_> = text
            .split(|c: char| c.is_whitespace() || "\"'=<>".contains(c))
            .collect();
        let leads = |value: &&str| {
            value.contains([':', '&', '\\']) || value.contains("//") || (value.contains('.') && value.contains('/'))
        };
        let fits = |value: &str| !value.contains('&') && self.judge.may_lead_to(value);
        carries && values.iter().filter(|value| leads(value)).any(|value| !fits(value))
    }

    /// Judges the text of the block that ends here.
    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let pieces = std::mem::take(&mut self.pieces);
        let mut from = 0;
        // Both are in order.
        for (found, fate) in self.judge.unwanted(&text) {
            let before = |piece: &&Piece| piece.text.end <= found.start;
            from += pieces[from..].iter().take_while(before).count();
            let within = |piece: &&Piece| piece.text.start < found.end;
            let touched: Vec<_> = pieces[from..].iter().take_while(within).collect();
            let in_code = touched.iter().all(|piece| piece.is_code);
            if in_code && !self.judge.is_unwanted_in_code(&text[found.clone()]) {
                continue;
            }
            let (Some(first), Some(last)) = (touched.first(), touched.last()) else {
                continue;
            };
            let start = self.placed(first, &text, found.start, first.source.start);
            let end = self.placed(last, &text, found.end, last.source.end);
            let with = match fate {
                Fate::Code if !in_code && touched.len() == 1 => format!("`{}`", &text[found.clone()]),
                _ => self.removed.to_owned(),
            };
            self.edit(start..end, &with);
        }
    }

    /// Where a place of the decoded text stands in the source: exactly, if the piece is written as it is read.
    fn placed(&self, piece: &Piece, text: &str, at: usize, or: usize) -> usize {
        let is_literal = self.source.get(piece.source.clone()) == text.get(piece.text.clone());
        if is_literal {
            piece.source.start + (at.clamp(piece.text.start, piece.text.end) - piece.text.start)
        } else {
            or
        }
    }

    fn edit(&mut self, range: Range<usize>, with: &str) {
        self.edits.push(Edit {
            range,
            with: with.to_owned(),
        });
    }
}

/// Makes all changes. Of those that overlap only the removal is left.
fn apply(source: &str, mut edits: Vec<Edit>, removed: &str) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut merged: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match merged.last_mut() {
            Some(last) if edit.range.start < last.range.end => {
                last.range.end = last.range.end.max(edit.range.end);
                removed.clone_into(&mut last.with);
            }
            _ => merged.push(edit),
        }
    }
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    for edit in merged {
        text.push_str(source.get(from..edit.range.start).unwrap_or_default());
        text.push_str(&edit.with);
        from = edit.range.end;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    let twice = format!("{removed} {removed}");
    while text.contains(&twice) {
        text = text.replace(&twice, removed);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants nothing that has "evil" in it.
    struct NoEvil;

    impl Judge for NoEvil {
        fn may_lead_to(&self, target: &str) -> bool {
            !target.contains("evil")
        }

        fn unwanted(&self, text: &str) -> Vec<(Range<usize>, Fate)> {
            let words = text.split(char::is_whitespace);
            let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
            words
                .filter(|word| word.contains("evil") || *word == "readme.md")
                .map(|word| {
                    let fate = if word.contains("evil") {
                        Fate::Removed
                    } else {
                        Fate::Code
                    };
                    (start(word)..start(word) + word.len(), fate)
                })
                .collect()
        }

        fn is_unwanted_in_code(&self, text: &str) -> bool {
            text.contains("evil/")
        }
    }

    #[test]
    fn links_are_taken_out_however_they_are_written_and_the_rest_reads_well() {
        let cases = [
            ("[x](https&#58;//evil/s)", "x (gone)"),
            ("[x](https&colon;&sol;&sol;evil/s)", "x (gone)"),
            (r"[x](https:\/\/evil/s)", "x (gone)"),
            ("![a **cat**](//evil/s)", "a **cat** (gone)"),
            ("[![alt](//evil/1)](//evil/2)", "alt (gone)"),
            ("![](//evil/s)!", "(gone)!"),
            ("<https://evil/s> !", "(gone) !"),
            ("```evil x\nok\n```", "```\nok\n```"),
            (
                "[x][y] and [y] and [y][]\n\n[y]: https&#58;//evil/s",
                "x (gone) and y (gone) and y (gone)",
            ),
            ("[y]: https&#58;//evil/s", "(gone)"),
            ("[x](//good \"see evil\")", "x (gone)"),
            (r"see ev\il https:\/\/ev&#105;l.com/s now", "see ev\\il (gone) now"),
            ("https://ev**il**.com/x y", "(gone) y"),
            (
                "`evil` and `evil/s` and\n\n    evil/s",
                "`evil` and `(gone)` and\n\n    (gone)",
            ),
            ("read readme.md, or readme.md now", "read readme.md, or `readme.md` now"),
            ("<a href=\"https&#58;//ev&#105;l\">x</a>", "(gone)x</a>"),
            (
                "<iframe\nsrc\n=\nhttps&colon;&sol;&sol;ev&#105;l\n>\n\nend",
                "(gone)\n\nend",
            ),
            ("> <iframe\n> src=\n> //evil/s\n> >\n\nend", "> (gone)\n\nend"),
            (
                "<div>\n<a href=\"https&#58;//ev&#105;l\">\n</div>\n\nend",
                "<div>\n(gone)\n</div>\n\nend",
            ),
            ("<div\nclass=a\n>\nok\n</div>", "<div\nclass=a\n>\nok\n</div>"),
            ("<b>x</b> [x](//good) a = b / c", "<b>x</b> [x](//good) a = b / c"),
            (
                "| a | b |\n|---|---|\n| [x](//evil) | evil |",
                "| a | b |\n|---|---|\n| x (gone) | (gone) |",
            ),
            ("[https://evil](https://evil)", "(gone)"),
        ];
        for (markdown, expected) in cases {
            let text = cleaned(markdown, "(gone)", &NoEvil);
            assert_eq!(text, expected, "{markdown}");
        }
    }
}
