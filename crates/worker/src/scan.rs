//! Pages of a PDF that are pictures, as scanners and phones make them: the largest picture of a page, in the size that
//! models look at. Pixels are counted before any of them is read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fax::{
    Color,
    decoder::{decode_g4, pels},
};
use image::{DynamicImage, GrayImage, RgbImage};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::{
    picture::{self, MOST_PIXELS},
    task::Reduced,
};

/// Why a page cannot be shown: the end of a sentence that begins with the document's name.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    /// It is damaged, or protected by a password.
    #[error("is no PDF, damaged or protected: {0}")]
    Damaged(String),
    /// It has fewer pages.
    #[error("has {0} pages")]
    NoSuchPage(usize),
    /// There is none.
    #[error("has no picture on page {0}")]
    NoPicture(u32),
    /// Of a kind that is not read, or broken.
    #[error("has a picture on page {0} that cannot be read: {1}")]
    Unknown(u32, String),
}

/// The picture of a page, counted from 1.
pub(super) fn page(content: &[u8], number: u32) -> Result<Reduced, Unreadable> {
    // A reader of a library that panics has met a document that it does not understand.
    let read = catch_unwind(AssertUnwindSafe(|| read(content, number)));
    read.unwrap_or_else(|_| Err(Unreadable::Damaged("it cannot be understood".to_owned())))
}

fn read(content: &[u8], number: u32) -> Result<Reduced, Unreadable> {
    let pdf = Document::load_mem(content).map_err(|error| Unreadable::Damaged(error.to_string()))?;
    let pages = pdf.get_pages();
    let page = *pages.get(&number).ok_or(Unreadable::NoSuchPage(pages.len()))?;
    let picture = largest(&pdf, page).ok_or(Unreadable::NoPicture(number))?;
    let unknown = |why: String| Unreadable::Unknown(number, why);
    let image = decoded(&pdf, picture).map_err(unknown)?;
    let image = upright(image, &pdf, page);
    picture::fitted(image).map_err(|error| unknown(error.to_string()))
}

/// The PDF with nothing in its pictures: the reader of texts takes what is drawn for drawing operators, and gives up on
/// the pixels of pictures. `None`: it stays as it is.
pub(super) fn without_pictures(content: &[u8]) -> Option<Vec<u8>> {
    let mut pdf = Document::load_mem(content).ok().filter(|pdf| !pdf.is_encrypted())?;
    let mut has_some = false;
    for object in pdf.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Image".as_slice()) {
            for key in [b"Filter".as_slice(), b"DecodeParms"] {
                stream.dict.remove(key);
            }
            stream.set_content(Vec::new());
            has_some = true;
        }
    }
    let mut bare = Vec::new();
    (has_some && pdf.save_to(&mut bare).is_ok()).then_some(bare)
}

/// The picture of a page with the most pixels: the scan, where a logo or a stamp stands next to it.
fn largest(pdf: &Document, page: ObjectId) -> Option<&Stream> {
    let (own, inherited) = pdf.get_page_resources(page).ok()?;
    let inherited = inherited.into_iter().filter_map(|id| pdf.get_dictionary(id).ok());
    let resources = own.into_iter().chain(inherited);
    let objects = resources.filter_map(|resources| entry(pdf, resources, b"XObject")?.as_dict().ok());
    let streams = objects.flat_map(|objects| {
        let objects = objects.iter().map(|(_, object)| object);
        objects.filter_map(move |object| pdf.dereference(object).ok()?.1.as_stream().ok())
    });
    let is_picture = |stream: &&Stream| {
        let kind = entry(pdf, &stream.dict, b"Subtype").and_then(|kind| kind.as_name().ok());
        kind == Some(b"Image".as_slice())
    };
    streams
        .filter(is_picture)
        .max_by_key(|stream| size(pdf, &stream.dict).map_or(0, |(width, height)| u64::from(width) * u64::from(height)))
}

/// An entry of a dictionary, wherever it stands.
fn entry<'a>(pdf: &'a Document, of: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    Some(pdf.dereference(of.get(key).ok()?).ok()?.1)
}

fn number(pdf: &Document, of: &Dictionary, key: &[u8]) -> Option<i64> {
    entry(pdf, of, key)?.as_i64().ok()
}

fn size(pdf: &Document, of: &Dictionary) -> Option<(u32, u32)> {
    let side = |key: &[u8]| number(pdf, of, key).and_then(|side| u32::try_from(side).ok());
    Some((side(b"Width")?, side(b"Height")?))
}

fn decoded(pdf: &Document, picture: &Stream) -> Result<DynamicImage, String> {
    let (width, height) = size(pdf, &picture.dict).ok_or("it has no size")?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MOST_PIXELS {
        return Err(format!("it has {width} x {height} pixels"));
    }
    let filters: Vec<Vec<u8>> = match picture.filters() {
        Ok(filters) => filters.into_iter().map(<[u8]>::to_vec).collect(),
        Err(_) => Vec::new(),
    };
    match filters.split_last() {
        Some((last, before)) if last == b"DCTDecode" => {
            picture::read(&packed(picture, before)?).map_err(|error| error.to_string())
        }
        Some((last, before)) if last == b"CCITTFaxDecode" => {
            let content = packed(picture, before)?;
            group4(pdf, &picture.dict, &content, (width, height))
        }
        Some((last, _)) if [b"JPXDecode".as_slice(), b"JBIG2Decode"].contains(&last.as_slice()) => {
            Err(format!("its format is {}", String::from_utf8_lossy(last)))
        }
        _ => {
            let content = packed(picture, &filters)?;
            plain(pdf, &picture.dict, content, (width, height))
        }
    }
}

/// The content behind the filters that pack any bytes.
fn packed(picture: &Stream, filters: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    if filters.is_empty() {
        return Ok(picture.content.clone());
    }
    let mut stream = picture.clone();
    let names = filters.iter().cloned().map(Object::Name);
    stream.dict.set("Filter", Object::Array(names.collect()));
    stream.decompressed_content().map_err(|error| error.to_string())
}

/// A picture in black and white, as fax machines send it.
fn group4(
    pdf: &Document,
    dict: &Dictionary,
    content: &[u8],
    (width, height): (u32, u32),
) -> Result<DynamicImage, String> {
    let settings = entry(pdf, dict, b"DecodeParms").and_then(|settings| match settings {
        Object::Array(all) => pdf.dereference(all.last()?).ok()?.1.as_dict().ok(),
        settings => settings.as_dict().ok(),
    });
    let set = |key: &[u8]| settings.and_then(|settings| number(pdf, settings, key));
    if set(b"K").unwrap_or(0) >= 0 {
        return Err("its format is CCITT Group 3".to_owned());
    }
    if set(b"Columns").unwrap_or(1_728) != i64::from(width) {
        return Err("its lines have another length".to_owned());
    }
    let mut pixels: Vec<u8> = Vec::new();
    let line = |edges: &[u32]| {
        let colors = pels(edges, width);
        pixels.extend(colors.map(|color| if color == Color::Black { 0 } else { 255 }));
    };
    decode_g4(content.iter().copied(), width, Some(height), line).ok_or("its lines cannot be read")?;
    gray(pixels, (width, height))
}

/// A picture whose samples stand one after the other.
fn plain(
    pdf: &Document,
    dict: &Dictionary,
    content: Vec<u8>,
    (width, height): (u32, u32),
) -> Result<DynamicImage, String> {
    let is_mask = matches!(entry(pdf, dict, b"ImageMask"), Some(Object::Boolean(true)));
    let bits = number(pdf, dict, b"BitsPerComponent").unwrap_or(if is_mask { 1 } else { 8 });
    let components = match entry(pdf, dict, b"ColorSpace") {
        _ if is_mask => 1,
        Some(space) => components(pdf, space).ok_or("its colours are not known")?,
        None => 1,
    };
    let image = match (bits, components) {
        (1, 1) => gray(bitmap(&content, width), (width, height)),
        (8, 1) => gray(content, (width, height)),
        (8, 3) => RgbImage::from_raw(width, height, content)
            .map(DynamicImage::from)
            .ok_or_else(|| "it is cut off".to_owned()),
        (8, 4) => RgbImage::from_raw(width, height, of_ink(&content))
            .map(DynamicImage::from)
            .ok_or_else(|| "it is cut off".to_owned()),
        _ => Err(format!("it has {components} colours of {bits} bits")),
    };
    let mut image = image?;
    if is_inverted(pdf, dict) {
        image.invert();
    }
    Ok(image)
}

fn gray(mut pixels: Vec<u8>, (width, height): (u32, u32)) -> Result<DynamicImage, String> {
    let count = usize::try_from(u64::from(width) * u64::from(height)).unwrap_or(usize::MAX);
    pixels.truncate(count);
    let image = GrayImage::from_raw(width, height, pixels).ok_or("it is cut off")?;
    Ok(image.into())
}

/// A byte a pixel, of lines that begin with a byte each.
fn bitmap(content: &[u8], width: u32) -> Vec<u8> {
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    let line = |bytes: &[u8]| {
        let bits = bytes
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |place| (byte >> place) & 1));
        bits.take(width).map(|bit| bit * 255).collect::<Vec<_>>()
    };
    content.chunks(width.div_ceil(8).max(1)).flat_map(line).collect()
}

/// Red, green and blue of cyan, magenta, yellow and black.
fn of_ink(content: &[u8]) -> Vec<u8> {
    let pixel = |ink: &[u8]| {
        let [cyan, magenta, yellow, black] = <[u8; 4]>::try_from(ink).unwrap_or([0; 4]);
        [cyan, magenta, yellow].map(|ink| {
            let light = u32::from(255 - ink) * u32::from(255 - black) / 255;
            u8::try_from(light).unwrap_or(u8::MAX)
        })
    };
    content.chunks_exact(4).flat_map(pixel).collect()
}

/// How many numbers a pixel has. Colours of a palette are not read.
fn components(pdf: &Document, space: &Object) -> Option<i64> {
    let (name, behind) = match space {
        Object::Name(name) => (name.as_slice(), None),
        Object::Array(space) => (space.first()?.as_name().ok()?, space.get(1)),
        _ => return None,
    };
    match name {
        b"DeviceGray" | b"CalGray" | b"G" => Some(1),
        b"DeviceRGB" | b"CalRGB" | b"RGB" => Some(3),
        b"DeviceCMYK" | b"CMYK" => Some(4),
        b"ICCBased" => number(pdf, &pdf.dereference(behind?).ok()?.1.as_stream().ok()?.dict, b"N"),
        _ => None,
    }
}

/// Whether the least number is the lightest.
fn is_inverted(pdf: &Document, dict: &Dictionary) -> bool {
    let decode = entry(pdf, dict, b"Decode").and_then(|decode| decode.as_array().ok());
    decode
        .and_then(|decode| decode.first()?.as_float().ok())
        .is_some_and(|first| first > 0.5)
}

/// Turned as the page is.
fn upright(image: DynamicImage, pdf: &Document, page: ObjectId) -> DynamicImage {
    let turned = pdf
        .get_dictionary(page)
        .ok()
        .and_then(|page| number(pdf, page, b"Rotate"));
    match turned.unwrap_or(0).rem_euclid(360) {
        90 => image.rotate90(),
        180 => image.rotate180(),
        270 => image.rotate270(),
        _ => image,
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
