//! Properties that hold for any bytes on the pipes of a worker process.

use super::{
    Reply, Task, document,
    frame::{self, REPLY, TASK},
    picture, scan,
};

/// Any bytes are frames of tasks or replies, or end in an error; a frame that was read is written and read the same.
///
/// # Panics
/// It does not hold.
pub fn check_frames(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok((task, body)) = frame::read::<Task>(&mut rest, TASK) {
        let Ok(mut again) = frame::head(&task, body.len(), TASK) else {
            panic!("{task:?} was read, and cannot be written");
        };
        again.extend_from_slice(&body);
        match frame::read::<Task>(&mut again.as_slice(), TASK) {
            Ok(same) => assert_eq!(same, (task, body)),
            Err(error) => panic!("{task:?} was written, and cannot be read: {error}"),
        }
    }
    let mut rest = bytes;
    while let Ok((reply, body)) = frame::read::<Reply>(&mut rest, REPLY) {
        assert!(body.is_empty(), "a reply has no body");
        match frame::head(&reply, 0, REPLY) {
            Ok(again) => {
                assert!(frame::read::<Reply>(&mut again.as_slice(), REPLY).is_ok_and(|(same, _)| same == reply))
            }
            // JSON may write what was read shorter than its escapes.
            Err(error) => assert!(matches!(error, frame::FrameError::TooLong { .. }), "{error}"),
        }
    }
}

/// Any bytes are a document whose text fits a reply, or are refused.
///
/// # Panics
/// It does not hold.
pub fn check_document(bytes: &[u8]) {
    if let Ok(read) = document::text(bytes) {
        assert!(
            frame::head(&Reply::Document(read), 0, REPLY).is_ok(),
            "the text is too long for a reply"
        );
    }
}

/// Any bytes are an image that fits a reply, or are refused.
///
/// # Panics
/// It does not hold.
pub fn check_image(bytes: &[u8]) {
    if let Ok(reduced) = picture::reduced(bytes) {
        assert!(
            frame::head(&Reply::Image { reduced }, 0, REPLY).is_ok(),
            "the image is too large for a reply"
        );
    }
}

/// Any bytes are a PDF whose first page is a picture that fits a reply, or are refused.
///
/// # Panics
/// It does not hold.
pub fn check_scan(bytes: &[u8]) {
    if let Ok(shown) = scan::page(bytes, 1) {
        assert!(
            frame::head(&Reply::Image { reduced: Some(shown) }, 0, REPLY).is_ok(),
            "the picture is too large for a reply"
        );
    }
}
