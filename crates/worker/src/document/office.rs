//! The XML of office programs, read as a stream: what nests takes no stack, and no entity of a document's own is known.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::{Pages, Unreadable, archive::Archive, parts, xml::each};

/// The most blanks that one element stands for.
const MOST_BLANKS: usize = 100;

/// The elements of a format.
struct Format {
    /// Text counts only within these; empty: everywhere within the document.
    texts: &'static [&'static str],
    /// A line ends behind them.
    lines: &'static [&'static str],
    /// A cell ends behind them.
    cells: &'static [&'static str],
    /// Nothing in them is read.
    skipped: &'static [&'static str],
}

/// WordprocessingML and DrawingML, whose names mean the same.
const OOXML: Format = Format {
    texts: &["t"],
    lines: &["p", "tr"],
    cells: &["tc"],
    skipped: &["instrText", "delText", "Fallback"],
};
/// OpenDocument.
const ODF: Format = Format {
    texts: &[],
    lines: &["p", "h", "table-row"],
    cells: &["table-cell"],
    skipped: &[
        "annotation",
        "tracked-changes",
        "desc",
        "automatic-styles",
        "font-face-decls",
    ],
};

pub(super) fn word(archive: &mut Archive<'_>, main: &str) -> Result<Pages, Unreadable> {
    let relations = parts::of(archive, main)?;
    let notes = |kind: &str| parts::find(&relations, kind).unwrap_or_else(|| format!("word/{kind}.xml"));
    let mut pages = Pages::default();
    for (name, title) in [
        (main.to_owned(), None),
        (notes("footnotes"), Some("footnotes")),
        (notes("endnotes"), Some("endnotes")),
    ] {
        let Some(xml) = archive.text(&name)? else { continue };
        let mut notes = Pages::default();
        read(&xml, &OOXML, &mut notes)?;
        if let Some(title) = title.filter(|_| !notes.text.trim().is_empty()) {
            pages.begin(title);
        }
        pages.add(&notes.text);
        pages.is_cut |= notes.is_cut;
    }
    Ok(pages)
}

pub(super) fn slides(archive: &mut Archive<'_>, main: &str) -> Result<Pages, Unreadable> {
    let mut slides = listed(archive, main)?;
    if slides.is_empty() {
        slides = numbered(&archive.names());
    }
    let mut pages = Pages::default();
    for (number, name) in slides {
        let Some(xml) = archive.text(&name)? else { continue };
        pages.begin(&format!("slide {number}"));
        read(&xml, &OOXML, &mut pages)?;
        if pages.is_full() {
            break;
        }
    }
    Ok(pages)
}

/// The slides in the order in which the presentation shows them: the names of their entries keep the order in which they
/// were made.
fn listed(archive: &mut Archive<'_>, main: &str) -> Result<Vec<(u32, String)>, Unreadable> {
    let relations = parts::of(archive, main)?;
    let xml = archive.text(main)?.unwrap_or_default();
    let mut slides = Vec::new();
    each(&xml, |name, attributes| {
        let is_slide = |relation: &&parts::Relation| {
            relation.kind == "slide" && attributes.values().any(|value| value == relation.id)
        };
        if name == "sldId" {
            slides.extend(relations.iter().find(is_slide).map(|relation| relation.path.clone()));
        }
    })?;
    Ok((1..).zip(slides).collect())
}

/// The slides by the numbers in their names.
fn numbered(names: &[String]) -> Vec<(u32, String)> {
    let number = |name: &str| {
        let number = name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?;
        number.parse::<u32>().ok()
    };
    let slides = names.iter().filter_map(|name| Some((number(name)?, name.clone())));
    let mut slides: Vec<_> = slides.collect();
    slides.sort_unstable();
    slides
}

/// The name of a part's outermost element.
pub(super) fn root(archive: &mut Archive<'_>, part: &str) -> Result<String, Unreadable> {
    let xml = archive.text(part)?.unwrap_or_default();
    let mut root = String::new();
    each(&xml, |name, _| {
        if root.is_empty() {
            name.clone_into(&mut root);
        }
    })?;
    Ok(root)
}

/// Whether an OpenDocument's parts are encrypted.
pub(super) fn is_locked(archive: &mut Archive<'_>) -> Result<bool, Unreadable> {
    let manifest = archive.text("META-INF/manifest.xml")?.unwrap_or_default();
    let mut is_locked = false;
    each(&manifest, |name, _| is_locked |= name == "encryption-data")?;
    Ok(is_locked)
}

pub(super) fn open_document(archive: &mut Archive<'_>) -> Result<Pages, Unreadable> {
    let xml = archive.text("content.xml")?.ok_or(Unreadable::Unknown)?;
    let mut pages = Pages::default();
    read(&xml, &ODF, &mut pages)?;
    Ok(pages)
}

/// Adds the text of a document.
fn read(xml: &str, format: &Format, pages: &mut Pages) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let (mut within_text, mut skipped) = (0_usize, 0_usize);
    loop {
        let event = reader
            .read_event()
            .map_err(|error| Unreadable::Damaged(error.to_string()))?;
        let is_read = skipped == 0 && (format.texts.is_empty() || within_text > 0);
        match event {
            Event::Start(start) => {
                let name = start.local_name();
                within_text += usize::from(format.texts.contains(&name.as_ref()));
                skipped += usize::from(skipped > 0 || format.skipped.contains(&name.as_ref()));
            }
            Event::End(end) => {
                let name = end.local_name();
                if skipped > 0 {
                    skipped -= 1;
                } else if format.lines.contains(&name.as_ref()) {
                    pages.add("\n");
                } else if format.cells.contains(&name.as_ref()) {
                    ends_cell(pages);
                } else if format.texts.contains(&name.as_ref()) {
                    within_text = within_text.saturating_sub(1);
                }
            }
            Event::Empty(empty) if skipped == 0 => stands_for(&empty, pages),
            Event::Text(text) if is_read => pages.add(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) if is_read => pages.add(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::GeneralRef(entity) if is_read => match entity.resolve_char_ref() {
                Ok(Some(c)) => pages.add(c.encode_utf8(&mut [0; 4])),
                Ok(None) => pages.add(resolve_predefined_entity(&entity).unwrap_or_default()),
                Err(_) => {}
            },
            Event::Eof => return Ok(()),
            _ => {}
        }
        if pages.is_full() {
            return Ok(());
        }
    }
}

/// A cell's last line ends with the cell.
fn ends_cell(pages: &mut Pages) {
    if pages.text.ends_with('\n') {
        pages.text.pop();
    }
    pages.add("\t");
}

/// Elements without content that stand for blanks and breaks.
fn stands_for(empty: &BytesStart<'_>, pages: &mut Pages) {
    match empty.local_name().as_ref() {
        "tab" => pages.add("\t"),
        "br" | "cr" | "line-break" => pages.add("\n"),
        "s" => {
            let count = empty.try_get_attribute("text:c").ok().flatten();
            let count = count.and_then(|count| count.value.parse::<usize>().ok()).unwrap_or(1);
            pages.add(&" ".repeat(count.min(MOST_BLANKS)));
        }
        "table-cell" | "tc" => pages.add("\t"),
        "p" => pages.add("\n"),
        _ => {}
    }
}
