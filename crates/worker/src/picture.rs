//! Images in the size that models look at: larger ones are made smaller, and stand upright. Strangers send images, so
//! their pixels are counted before any of them is read.

use std::io::Cursor;

use image::{
    DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageError, ImageReader, Limits, Rgb, RgbImage,
    codecs::jpeg::JpegEncoder, metadata::Orientation,
};

use super::task::Reduced;

/// The most pixels of a side: beyond them every provider makes an image smaller by itself, and counts it as that large.
pub const LONGEST_SIDE: u32 = 1_568;
/// The most bytes of an image that is sent as it is, and of one that was made smaller.
const MOST_BYTES: usize = 1_000_000;
/// The most pixels of an image that is read: a photo of today's cameras has fewer.
pub(super) const MOST_PIXELS: u64 = 50_000_000;
/// The most bytes that reading one may allocate.
const MOST_MEMORY: u64 = 256 << 20;
/// The qualities of JPEG that are tried, until the bytes are few enough.
const QUALITIES: [u8; 3] = [85, 70, 50];

/// Why an image is not made smaller.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    /// It is no image that can be read, or a broken one.
    #[error("the image cannot be read: {0}")]
    Broken(#[from] ImageError),
    /// It would take too much memory.
    #[error("the image has {0} x {1} pixels: too many to be read")]
    TooManyPixels(u32, u32),
    /// It stays large whatever is done.
    #[error("the image cannot be made small enough")]
    TooLarge,
}

/// The image in a size that models look at; `None`: as it is.
pub(super) fn reduced(bytes: &[u8]) -> Result<Option<Reduced>, Unreadable> {
    let mut decoder = decoder(bytes)?;
    let (width, height) = decoder.dimensions();
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let is_small = width.max(height) <= LONGEST_SIDE && bytes.len() <= MOST_BYTES;
    if is_small && orientation == Orientation::NoTransforms {
        return Ok(None);
    }
    let mut image = smaller(DynamicImage::from_decoder(decoder)?);
    image.apply_orientation(orientation);
    fitted(image).map(Some)
}

/// An image as it is.
pub(super) fn read(bytes: &[u8]) -> Result<DynamicImage, Unreadable> {
    Ok(DynamicImage::from_decoder(decoder(bytes)?)?)
}

/// A reader of an image that has no more pixels than are read.
fn decoder(bytes: &[u8]) -> Result<impl ImageDecoder, Unreadable> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(ImageError::IoError)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Unreadable::TooManyPixels(width, height));
    }
    Ok(decoder)
}

fn smaller(image: DynamicImage) -> DynamicImage {
    match image.width().max(image.height()) > LONGEST_SIDE {
        true => image.thumbnail(LONGEST_SIDE, LONGEST_SIDE),
        false => image,
    }
}

/// A JPEG of an image, in a size that models look at.
pub(super) fn fitted(image: DynamicImage) -> Result<Reduced, Unreadable> {
    let flat = on_white(&smaller(image));
    for quality in QUALITIES {
        let mut content = Vec::new();
        JpegEncoder::new_with_quality(&mut content, quality).write_image(
            flat.as_raw(),
            flat.width(),
            flat.height(),
            ExtendedColorType::Rgb8,
        )?;
        if content.len() <= MOST_BYTES {
            return Ok(Reduced {
                width: flat.width(),
                height: flat.height(),
                media_type: "image/jpeg".to_owned(),
                content,
            });
        }
    }
    Err(Unreadable::TooLarge)
}

/// Without its transparency: JPEG has none, and most that is transparent is made for a white page.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let clear = image.to_rgba8();
    RgbImage::from_fn(clear.width(), clear.height(), |x, y| {
        let [red, green, blue, alpha] = clear.get_pixel(x, y).0;
        Rgb([red, green, blue].map(|part| over_white(part, alpha)))
    })
}

fn over_white(part: u8, alpha: u8) -> u8 {
    let (part, alpha) = (u32::from(part), u32::from(alpha));
    u8::try_from((part * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgba, RgbaImage};

    use super::*;

    fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_small_image_stays_as_it_is() {
        let small = png(RgbImage::from_pixel(40, 30, Rgb([1, 2, 3])));
        assert_eq!(reduced(&small).unwrap(), None);
    }

    #[test]
    fn a_large_image_is_made_smaller_and_what_was_clear_is_white() {
        let large = png(RgbaImage::from_fn(3_136, 1_000, |x, _| {
            Rgba([200, 0, 0, if x < 1_568 { 255 } else { 0 }])
        }));
        let reduced = reduced(&large).unwrap().unwrap();
        assert_eq!((reduced.width, reduced.height), (1_568, 500));
        assert_eq!(reduced.media_type, "image/jpeg");
        let again = image::load_from_memory(&reduced.content).unwrap().to_rgb8();
        let [red, green, _] = again.get_pixel(100, 100).0;
        assert!(red > 180 && green < 30, "{red} {green}");
        assert!(again.get_pixel(1_500, 100).0.iter().all(|part| *part > 245));
    }

    #[test]
    fn an_image_that_lies_on_its_side_is_turned() {
        let mut jpeg = Vec::new();
        let flat = RgbImage::from_pixel(40, 20, Rgb([9, 9, 9]));
        JpegEncoder::new(&mut jpeg)
            .write_image(flat.as_raw(), 40, 20, ExtendedColorType::Rgb8)
            .unwrap();
        // Exif with one field: orientation 6, a quarter turn.
        let tiff = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let length = u16::try_from(tiff.len() + 2).unwrap().to_be_bytes();
        let segment = [&[0xff, 0xe1], length.as_slice(), tiff].concat();
        jpeg.splice(2..2, segment);
        let turned = reduced(&jpeg).unwrap().unwrap();
        assert_eq!((turned.width, turned.height), (20, 40));
    }

    #[test]
    fn what_promises_more_pixels_than_are_read_is_refused_before_they_are() {
        let mut bomb = png(RgbImage::from_pixel(1, 1, Rgb([0, 0, 0])));
        // The size stands in the first chunk, whose checksum follows.
        bomb.splice(16..24, [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        let checksum = crc(&bomb[12..29]).to_be_bytes();
        bomb.splice(29..33, checksum);
        assert!(matches!(reduced(&bomb), Err(Unreadable::TooManyPixels(30_000, 30_000))));
        assert!(matches!(reduced(b"no image"), Err(Unreadable::Broken(_))));
        assert!(matches!(
            reduced(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            Err(Unreadable::Broken(_))
        ));
    }

    /// The checksum of a chunk of a PNG.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
            })
        })
    }
}
