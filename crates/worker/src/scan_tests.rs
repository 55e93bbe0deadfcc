//! Scanned pages as scanners write them, and as those write them who mean no good.

use std::io::Cursor;

use fax::{VecWriter, encoder::Encoder};
use image::{ImageFormat, Luma, Rgb};
use lopdf::dictionary;
use proptest::prelude::*;

use super::*;

/// A PDF with a page a picture.
fn pdf_of(pictures: Vec<Stream>, rotate: i64) -> Vec<u8> {
    let mut pdf = Document::with_version("1.5");
    let pages = pdf.new_object_id();
    let kids: Vec<Object> = pictures
        .into_iter()
        .map(|picture| {
            let picture = pdf.add_object(picture);
            let drawn = pdf.add_object(Stream::new(dictionary! {}, b"q 300 0 0 300 0 0 cm /Im0 Do Q".to_vec()));
            let page = dictionary! {
                "Type" => "Page", "Contents" => drawn, "Parent" => pages, "Rotate" => rotate,
                "MediaBox" => vec![0.into(), 0.into(), 300.into(), 300.into()],
                "Resources" => dictionary! { "XObject" => dictionary! { "Im0" => picture } },
            };
            pdf.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    pdf.objects.insert(
        pages,
        dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into(),
    );
    let catalog = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    pdf.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}

fn picture(filter: &str, space: &str, bits: i64, (width, height): (i64, i64), content: Vec<u8>) -> Stream {
    let dict = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => width, "Height" => height,
        "ColorSpace" => space, "BitsPerComponent" => bits, "Filter" => filter,
    };
    Stream::new(dict, content).with_compression(false)
}

/// A picture whose left half is black.
fn jpeg(width: u32, height: u32) -> Stream {
    let image = RgbImage::from_fn(width, height, |x, _| Rgb([if x < width / 2 { 0 } else { 255 }; 3]));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    let size = (i64::from(width), i64::from(height));
    picture("DCTDecode", "DeviceRGB", 8, size, bytes.into_inner())
}

/// How light the points at the left, the right, the top and the bottom are.
fn sides(shown: &Reduced) -> [bool; 4] {
    let image = image::load_from_memory(&shown.content).unwrap().to_luma8();
    let (width, height) = image.dimensions();
    let light = |x, y| {
        let Luma([light]) = *image.get_pixel(x, y);
        light > 127
    };
    [
        light(width / 8, height / 2),
        light(width - 1 - width / 8, height / 2),
        light(width / 2, height / 8),
        light(width / 2, height - 1 - height / 8),
    ]
}

#[test]
fn each_page_is_shown_by_its_picture_in_a_size_that_models_look_at() {
    let pdf = pdf_of(vec![jpeg(3_000, 200), jpeg(60, 40)], 0);
    let first = page(&pdf, 1).unwrap();
    assert_eq!(
        (first.width, first.height, first.media_type.as_str()),
        (1_568, 105, "image/jpeg")
    );
    assert_eq!(sides(&first)[..2], [false, true]);
    let second = page(&pdf, 2).unwrap();
    assert_eq!((second.width, second.height), (60, 40));
    assert_eq!(page(&pdf, 3).unwrap_err().to_string(), "has 2 pages");
    assert_eq!(page(&pdf, 0).unwrap_err().to_string(), "has 2 pages");
}

#[test]
fn a_scanned_document_is_told_from_a_damaged_one() {
    let pdf = pdf_of(vec![jpeg(600, 400), jpeg(60, 40)], 0);
    let told = crate::document::text(&pdf).unwrap_err().to_string();
    assert_eq!(told, crate::PICTURES);
}

#[test]
fn a_page_that_lies_on_its_side_is_turned() {
    let turned = page(&pdf_of(vec![jpeg(60, 40)], 90), 1).unwrap();
    assert_eq!((turned.width, turned.height), (40, 60));
    assert_eq!(sides(&turned)[2..], [false, true]);
}

#[test]
fn pictures_of_fax_machines_and_plain_ones_are_read() {
    let mut encoder = Encoder::new(VecWriter::new());
    for _ in 0..16 {
        let line = (0..32).map(|x| if x < 16 { Color::Black } else { Color::White });
        encoder.encode_line(line, 32).unwrap();
    }
    let faxed = encoder.finish().unwrap().finish();
    let mut group4 = picture("CCITTFaxDecode", "DeviceGray", 1, (32, 16), faxed);
    group4
        .dict
        .set("DecodeParms", dictionary! { "K" => -1, "Columns" => 32 });

    let mut bits = picture("FlateDecode", "DeviceGray", 1, (32, 16), [0, 0, 255, 255].repeat(16));
    let mut gray = picture(
        "FlateDecode",
        "DeviceGray",
        8,
        (32, 16),
        [[0; 16], [255; 16]].concat().repeat(16),
    );
    let ink = [[0, 0, 0, 255].repeat(16), [0; 64].to_vec()].concat().repeat(16);
    let mut ink = picture("FlateDecode", "DeviceCMYK", 8, (32, 16), ink);
    for plain in [&mut bits, &mut gray, &mut ink] {
        plain.dict.remove(b"Filter");
        plain.allows_compression = true;
        plain.compress().unwrap();
    }
    let pdf = pdf_of(vec![group4, bits, gray, ink], 0);
    for number in 1..=4 {
        let shown = page(&pdf, number).unwrap_or_else(|error| panic!("page {number}: {error}"));
        assert_eq!((shown.width, shown.height), (32, 16), "page {number}");
        assert_eq!(sides(&shown)[..2], [false, true], "page {number}");
    }
}

#[test]
fn what_cannot_be_read_says_why_and_pixels_are_counted_first() {
    let of = |picture| page(&pdf_of(vec![picture], 0), 1).unwrap_err().to_string();
    let wrong = picture("JBIG2Decode", "DeviceGray", 1, (8, 8), vec![1]);
    assert_eq!(
        of(wrong),
        "has a picture on page 1 that cannot be read: its format is JBIG2Decode"
    );
    let bomb = picture("FlateDecode", "DeviceGray", 8, (100_000, 100_000), vec![1]);
    assert!(of(bomb).ends_with("it has 100000 x 100000 pixels"));
    let cut = picture("CCITTFaxDecode", "DeviceGray", 1, (8, 8), vec![1]);
    assert!(of(cut).ends_with("its format is CCITT Group 3"));
    assert_eq!(
        page(&pdf_of(vec![Stream::new(dictionary! {}, Vec::new())], 0), 1)
            .unwrap_err()
            .to_string(),
        "has no picture on page 1"
    );
    assert!(
        page(b"%PDF-1.4\nnothing", 1)
            .unwrap_err()
            .to_string()
            .starts_with("is no PDF, damaged")
    );
}

proptest! {
    #[test]
    fn any_content_of_a_picture_is_read_or_refused(bytes: Vec<u8>, format in 0..3_usize, width in 1..40_i64) {
        let filter = ["DCTDecode", "CCITTFaxDecode", "FlateDecode"][format];
        let mut broken = picture(filter, "DeviceGray", 8, (width, 8), bytes);
        broken.dict.set("DecodeParms", dictionary! { "K" => -1, "Columns" => width });
        crate::fuzzing::check_scan(&pdf_of(vec![broken], 0));
    }
}
