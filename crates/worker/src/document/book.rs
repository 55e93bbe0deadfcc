//! E-books: the chapters of an EPUB, in the order in which they are read.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Pages, Unreadable,
    archive::{Archive, folder},
    of_html,
    xml::each,
};

/// The most chapters that are read.
const MOST_CHAPTERS: usize = 1_000;
/// How fonts are disguised, which locks no text.
const DISGUISES: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

pub(super) fn read(archive: &mut Archive<'_>) -> Result<Pages, Unreadable> {
    let package = package(archive)?.ok_or(Unreadable::Unknown)?;
    let chapters = chapters(archive, &package)?;
    let locked = locked(archive)?;
    let (mut pages, mut has_locked) = (Pages::default(), false);
    for (number, path) in chapters.iter().take(MOST_CHAPTERS).enumerate() {
        let Some(path) = path else { continue };
        if locked.contains(path) {
            has_locked = true;
            continue;
        }
        let chapter = archive.text(path)?.unwrap_or_default();
        let text = of_html(&chapter)?;
        if text.trim().is_empty() {
            continue;
        }
        pages.begin(&format!("chapter {}", number + 1));
        pages.add(&text);
        if pages.is_full() {
            break;
        }
    }
    if has_locked && pages.text.is_empty() {
        return Err(Unreadable::Protected);
    }
    pages.is_cut |= has_locked;
    Ok(pages)
}

/// The entry that describes the book: the one that its container names, or else the only one that may.
fn package(archive: &mut Archive<'_>) -> Result<Option<String>, Unreadable> {
    let container = archive.text("META-INF/container.xml")?.unwrap_or_default();
    let mut paths = Vec::new();
    each(&container, |name, attributes| {
        if name == "rootfile" {
            paths.extend(attributes.get("full-path").map(str::to_owned));
        }
    })?;
    let named = paths.iter().find_map(|path| archive.referred("", path));
    let opf = |name: &String| name.to_lowercase().ends_with(".opf");
    Ok(named.or_else(|| archive.names().into_iter().find(opf)))
}

/// The entries of chapters in the order of the spine; `None`: it is not there, or is no text. In a book whose spine leads
/// nowhere, all pages in the order in which they are listed.
fn chapters(archive: &mut Archive<'_>, package: &str) -> Result<Vec<Option<String>>, Unreadable> {
    let opf = archive.text(package)?.ok_or(Unreadable::Unknown)?;
    let (mut items, mut places, mut spine) = (Vec::new(), BTreeMap::new(), Vec::new());
    each(&opf, |name, attributes| match name {
        "item" => {
            let media_type = attributes.get("media-type").unwrap_or_default().to_owned();
            if let (Some(id), Some(href)) = (attributes.get("id"), attributes.get("href")) {
                places.insert(id.to_owned(), items.len());
                items.push((href.to_owned(), media_type));
            }
        }
        "itemref" => spine.extend(attributes.get("idref").map(str::to_owned)),
        _ => {}
    })?;
    let path = |(href, _): &(String, String)| archive.referred(folder(package), href);
    let chapters: Vec<_> = (spine.iter())
        .map(|id| {
            items
                .get(*places.get(id)?)
                .filter(|item| may_be_text(&item.1))
                .and_then(path)
        })
        .collect();
    if chapters.iter().any(Option::is_some) {
        return Ok(chapters);
    }
    let pages = items.iter().filter(|(_, media_type)| media_type.contains("html"));
    Ok(pages.map(path).collect())
}

fn may_be_text(media_type: &str) -> bool {
    !["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|kind| media_type.starts_with(kind))
}

/// The entries that only a shop's readers can read.
fn locked(archive: &mut Archive<'_>) -> Result<BTreeSet<String>, Unreadable> {
    let list = archive.text("META-INF/encryption.xml")?.unwrap_or_default();
    let (mut is_disguise, mut references) = (false, Vec::new());
    each(&list, |name, attributes| match name {
        "EncryptionMethod" => {
            is_disguise = attributes.get("Algorithm").is_some_and(|own| DISGUISES.contains(&own));
        }
        "CipherReference" if !is_disguise => references.extend(attributes.get("URI").map(str::to_owned)),
        _ => {}
    })?;
    let found = references
        .iter()
        .filter_map(|reference| archive.referred("", reference));
    Ok(found.collect())
}
