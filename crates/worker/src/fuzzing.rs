//! Properties that hold for any bytes on the pipes of a worker process.

use super::{
    Reply, Task,
    frame::{self, REPLY, TASK},
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
