//! E-books: the chapters of an EPUB, in the order in which they are read.

use std::collections::BTreeMap;

use quick_xml::{Reader, XmlVersion, events::Event};

use super::{Pages, Unreadable, archive::Archive, of_html};

/// The most chapters that are read.
const MOST_CHAPTERS: usize = 1_000;

pub(super) fn read(archive: &mut Archive<'_>) -> Result<Pages, Unreadable> {
    let container = archive.text("META-INF/container.xml")?.ok_or(Unreadable::Unknown)?;
    let mut package = None;
    each(&container, |name, attributes| {
        if name == "rootfile" && package.is_none() {
            package = attributes.get("full-path").cloned();
        }
    })?;
    let package = package.ok_or(Unreadable::Unknown)?;
    let opf = archive.text(&package)?.ok_or(Unreadable::Unknown)?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (mut items, mut spine) = (BTreeMap::new(), Vec::new());
    each(&opf, |name, attributes| match name {
        "item" => {
            if let (Some(id), Some(href)) = (attributes.get("id"), attributes.get("href")) {
                items.insert(id.clone(), href.clone());
            }
        }
        "itemref" => spine.extend(attributes.get("idref").cloned()),
        _ => {}
    })?;
    let mut pages = Pages::default();
    for (number, id) in spine.iter().take(MOST_CHAPTERS).enumerate() {
        let Some(href) = items.get(id) else { continue };
        let path = match folder {
            "" => href.clone(),
            folder => format!("{folder}/{href}"),
        };
        let Some(chapter) = archive.text(&path)? else { continue };
        pages.begin(&format!("chapter {}", number + 1));
        pages.add(&of_html(&chapter)?);
        if pages.is_full() {
            break;
        }
    }
    Ok(pages)
}

/// Every element, by its name and attributes.
fn each(xml: &str, mut element: impl FnMut(&str, &BTreeMap<String, String>)) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    loop {
        match reader
            .read_event()
            .map_err(|error| Unreadable::Damaged(error.to_string()))?
        {
            Event::Start(start) | Event::Empty(start) => {
                let mut attributes = start.attributes();
                let attributes = attributes.with_checks(false).filter_map(|attribute| {
                    let attribute = attribute.ok()?;
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
                    Some((attribute.key.local_name().as_ref().to_owned(), value.into_owned()))
                });
                element(start.local_name().as_ref(), &attributes.collect());
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}
