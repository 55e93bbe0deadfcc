//! Markdown in, leaves out.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::{
    frames::Frames,
    links::Links,
    plain,
    runs::StyledText,
    style::{Run, Style},
    table::Table,
    tree::{Document, Gap, Kind, Leaf, is_blank},
};

/// The text of a thematic break, for platforms have none.
const RULE: &str = "———";
/// Longer language names are none.
const LONGEST_LANGUAGE: usize = 24;

/// Reads Markdown: CommonMark with tables, strikethrough, task lists and spoilers (`||x||`).
///
/// A link whose address is longer than `longest_url` bytes becomes text, which can be split.
pub(crate) fn parse(markdown: &str, longest_url: usize) -> Document {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader::new(markdown, longest_url);
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        reader.read(event, range);
    }
    reader.flush();
    Document {
        leaves: reader.leaves,
        links: reader.links.into_targets(),
    }
}

struct Reader<'a> {
    source: &'a str,
    /// Where in the source the last leaf ended.
    read_to: usize,
    leaves: Vec<Leaf>,
    frames: Frames,
    links: Links,
    /// The leaf or table cell that is being read.
    open: StyledText,
    /// How it is set apart from the leaf before; `None` while it has nothing.
    opened: Option<Gap>,
    kind: Kind,
    style: Style,
    /// How often each emphasis is open: they may be nested in themselves.
    depths: Depths,
    table: Option<Table>,
}

#[derive(Default)]
struct Depths {
    bold: usize,
    italic: usize,
    strike: usize,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, longest_url: usize) -> Self {
        Self {
            source,
            read_to: 0,
            leaves: Vec::new(),
            frames: Frames::default(),
            links: Links::new(longest_url),
            open: StyledText::default(),
            opened: None,
            kind: Kind::Text,
            style: Style::default(),
            depths: Depths::default(),
            table: None,
        }
    }

    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) if self.is_code() => self.raw(&text, &range),
            Event::Text(text) => self.text(&text, &range),
            Event::Code(text) => self.inline(
                &text,
                Style {
                    code: true,
                    ..self.style
                },
                &range,
            ),
            Event::SoftBreak | Event::HardBreak => self.raw("\n", &range),
            Event::Rule => {
                self.flush();
                self.raw(RULE, &range);
                self.flush();
            }
            Event::TaskListMarker(done) => self.frames.task(done),
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.raw(&text, &range),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis => self.depths.italic += 1,
            Tag::Strong => self.depths.bold += 1,
            Tag::Strikethrough if self.is_double(&range) => self.depths.strike += 1,
            Tag::Strikethrough => self.raw("~", &range),
            Tag::Link {
                link_type: LinkType::Email,
                ..
            } => self.links.open_none(),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.begin(range.start);
                self.style.link = self.links.open(&dest_url, self.open.text.len());
            }
            Tag::Superscript | Tag::Subscript => {}
            block => self.start_block(block, range),
        }
        self.emphasise();
    }

    fn start_block(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if !matches!(tag, Tag::TableHead | Tag::TableRow | Tag::TableCell) {
            self.flush();
        }
        match tag {
            Tag::Heading { level, .. } => self.kind = Kind::Heading(level as u8),
            Tag::BlockQuote(_) => self.frames.open_quote(),
            Tag::CodeBlock(kind) => {
                self.show_marker(range.start);
                self.kind = Kind::Code(language(&kind));
                self.begin(range.start);
            }
            Tag::List(number) => {
                self.show_marker(range.start);
                self.frames.open_list(number);
            }
            Tag::Item => self.frames.open_item(),
            Tag::Table(alignments) => {
                self.show_marker(range.start);
                self.table = Some(Table::new(range.start, alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis => self.depths.italic -= 1,
            TagEnd::Strong => self.depths.bold -= 1,
            TagEnd::Strikethrough if self.is_double(&range) => self.depths.strike -= 1,
            TagEnd::Strikethrough => self.raw("~", &range),
            TagEnd::Link | TagEnd::Image => self.style.link = self.links.close(&mut self.open, self.style),
            TagEnd::Superscript | TagEnd::Subscript => {}
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::Table => self.end_table(&range),
            TagEnd::Item => {
                self.flush();
                self.show_marker(range.start);
            }
            block => {
                self.flush();
                self.end_block(block, &range);
            }
        }
        self.emphasise();
    }

    fn end_block(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::BlockQuote(_) => self.frames.close_quote(),
            TagEnd::List(_) => self.frames.close_list(),
            TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock => self.passed(range),
            _ => {}
        }
    }

    /// Everything up to the end of the range has been read, but for white space.
    fn passed(&mut self, range: &Range<usize>) {
        let from = self.read_to.max(range.start);
        let rest = self.source.get(from..range.end).unwrap_or_default();
        self.read_to = from + rest.trim_end().len();
    }

    fn emphasise(&mut self) {
        self.style.bold = self.depths.bold > 0;
        self.style.italic = self.depths.italic > 0;
        self.style.strike = self.depths.strike > 0;
    }

    const fn is_code(&self) -> bool {
        matches!(self.kind, Kind::Code(_))
    }

    /// `~~x~~`, not `~x~`: a single tilde means "about" far more often.
    fn is_double(&self, range: &Range<usize>) -> bool {
        self.source
            .get(range.clone())
            .is_some_and(|source| source.starts_with("~~"))
    }

    fn inline(&mut self, text: &str, style: Style, range: &Range<usize>) {
        self.begin(range.start);
        self.open.push(text, style);
        self.passed(range);
    }

    fn raw(&mut self, text: &str, range: &Range<usize>) {
        self.inline(text, self.style, range);
    }

    fn text(&mut self, text: &str, range: &Range<usize>) {
        self.begin(range.start);
        let escaped = range.start > 0 && self.source.as_bytes().get(range.start - 1) == Some(&b'\\');
        self.open.push_markdown(text, self.style, escaped);
        self.passed(range);
    }

    fn end_cell(&mut self) {
        self.opened = None;
        let (text, runs) = std::mem::take(&mut self.open).finish();
        let text = plain::line(&text, &runs, self.links.targets());
        if let Some(table) = &mut self.table {
            table.push_cell(text);
        }
    }

    fn end_table(&mut self, range: &Range<usize>) {
        let Some(table) = self.table.take() else { return };
        let text = table.layout();
        self.kind = Kind::Code(String::new());
        self.raw(&text, &(table.start..table.start));
        self.flush();
        self.passed(range);
    }

    /// Ends the leaf that is being read, if there is one.
    fn flush(&mut self) {
        let kind = std::mem::replace(&mut self.kind, Kind::Text);
        let open = std::mem::take(&mut self.open);
        let Some(gap) = self.opened.take() else { return };
        let (mut text, runs) = open.finish();
        if is_blank(&text) && !self.frames.is_marker_pending() {
            return;
        }
        if matches!(kind, Kind::Heading(_)) {
            text = text.replace('\n', " ");
        }
        self.push(kind, gap, text, runs);
    }

    /// Shows the marker of an item that has no text of its own on that line.
    fn show_marker(&mut self, start: usize) {
        if self.frames.is_marker_pending() {
            let gap = self.gap(start);
            self.push(Kind::Text, gap, String::new(), Vec::new());
            self.read_to = self.read_to.max(start);
        }
    }

    fn push(&mut self, kind: Kind, gap: Gap, text: String, runs: Vec<Run>) {
        let frame = self.frames.take();
        self.leaves.push(Leaf {
            kind,
            frame,
            gap,
            text,
            runs,
        });
    }

    /// Begins a leaf, if none is being read.
    fn begin(&mut self, start: usize) {
        if self.opened.is_none() {
            self.opened = Some(self.gap(start));
        }
    }

    /// The space that the author left between the last leaf and the one that begins here.
    fn gap(&self, start: usize) -> Gap {
        let between = self.source.get(self.read_to..start).unwrap_or_default();
        let lines = between.bytes().filter(|byte| *byte == b'\n').count();
        if lines > 1 { Gap::Paragraph } else { Gap::Line }
    }
}

/// The language of a code block, if it is such as platforms take.
pub(crate) fn language(kind: &CodeBlockKind<'_>) -> String {
    let CodeBlockKind::Fenced(info) = kind else {
        return String::new();
    };
    let word = info.split([' ', ',', '\t']).next().unwrap_or_default();
    let fits = word.len() <= LONGEST_LANGUAGE
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_' | '.'));
    if fits { word.to_owned() } else { String::new() }
}
