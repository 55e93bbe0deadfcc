//! Spoken answers as voice messages: Discord wants its length, and the shape of its sound.
//! <https://docs.discord.com/developers/resources/message#voice-messages>
//!
//! Both are read from the Ogg pages of the Opus stream (RFC 3533, RFC 7845). The shape is the size of its packets: an
//! encoder spends more on what is loud than on silence, and nothing has to be decoded.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clifford_channel::Part;

/// The name of what the bot speaks.
const NAME: &str = "voice.ogg";
/// Opus counts in this rate, whatever is heard.
const RATE: u64 = 48_000;
/// The most points of a shape.
const POINTS: usize = 256;
/// The bytes of a page before its table of segments.
const HEAD: usize = 27;
/// Packets before the sound: its head and its tags.
const BEFORE_SOUND: usize = 2;
/// Where the head says how many samples are passed over at the beginning.
const PRE_SKIP: std::ops::Range<usize> = 10..12;

/// A voice message's length and shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Voice {
    /// In seconds.
    pub(crate) seconds: f64,
    /// One byte a point, in base64.
    pub(crate) waveform: String,
}

impl Voice {
    /// Reads what goes as one message, if it is spoken.
    pub(crate) fn of(parts: &[Part]) -> Option<Self> {
        match parts {
            [
                Part::Stored {
                    name,
                    media_type,
                    payload,
                    ..
                },
            ] if name == NAME && ["audio/ogg", "audio/opus"].contains(&media_type.as_str()) => {
                Self::read(&payload.content)
            }
            _ => None,
        }
    }

    /// Reads an Ogg file with one Opus stream; `None`, if it is none.
    fn read(file: &[u8]) -> Option<Self> {
        let (packets, last) = packets(file)?;
        let head = packets
            .first()?
            .get(..19)
            .filter(|head| head.starts_with(b"OpusHead"))?;
        let skipped = u16::from_le_bytes(head.get(PRE_SKIP)?.try_into().ok()?);
        let samples = last.checked_sub(u64::from(skipped)).filter(|samples| *samples > 0)?;
        let sizes: Vec<usize> = packets.get(BEFORE_SOUND..)?.iter().map(Vec::len).collect();
        #[expect(clippy::cast_precision_loss, reason = "days of sound are far below 2^52 samples")]
        let seconds = samples as f64 / RATE as f64;
        Some(Self {
            seconds,
            waveform: STANDARD.encode(shape(&sizes)?),
        })
    }
}

/// The packets of the first pages' stream, and the count of samples at its end.
fn packets(file: &[u8]) -> Option<(Vec<Vec<u8>>, u64)> {
    let (mut packets, mut begun, mut last) = (Vec::new(), Vec::new(), 0);
    let mut rest = file;
    while !rest.is_empty() {
        let head = rest.get(..HEAD).filter(|head| head.starts_with(b"OggS"))?;
        let at = u64::from_le_bytes(head.get(6..14)?.try_into().ok()?);
        let segments = usize::from(*head.last()?);
        let table = rest.get(HEAD..HEAD + segments)?;
        let mut body = rest.get(HEAD + segments..)?;
        for size in table {
            let (segment, after) = body.split_at_checked(usize::from(*size))?;
            begun.extend_from_slice(segment);
            body = after;
            // A packet ends with a segment that is not full.
            if *size < u8::MAX {
                packets.push(std::mem::take(&mut begun));
            }
        }
        // On a page where no packet ends there is no count.
        if at != u64::MAX {
            last = at;
        }
        rest = body;
    }
    Some((packets, last))
}

/// The largest packet of each piece, as a share of the largest of all.
fn shape(sizes: &[usize]) -> Option<Vec<u8>> {
    let most = sizes.iter().copied().max().filter(|most| *most > 0)?;
    let piece = sizes.len().div_ceil(POINTS);
    let loudest = sizes
        .chunks(piece)
        .map(|piece| piece.iter().copied().max().unwrap_or_default());
    Some(
        loudest
            .map(|size| u8::try_from(size * 255 / most).unwrap_or(u8::MAX))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use clifford_channel::Payload;
    use proptest::prelude::*;

    use super::*;

    fn page(at: u64, packets: &[&[u8]]) -> Vec<u8> {
        let mut page = b"OggS\0\0".to_vec();
        page.extend(at.to_le_bytes());
        page.extend([0; 12]);
        let mut table = Vec::new();
        for packet in packets {
            table.extend(vec![255; packet.len() / 255]);
            table.push(u8::try_from(packet.len() % 255).unwrap());
        }
        page.push(u8::try_from(table.len()).unwrap());
        page.extend(table);
        page.extend(packets.concat());
        page
    }

    fn head() -> Vec<u8> {
        let mut head = b"OpusHead\x01\x01".to_vec();
        head.extend(312_u16.to_le_bytes());
        head.extend([0; 7]);
        head
    }

    fn file(sound: &[&[u8]]) -> Vec<u8> {
        let pages = [page(0, &[&head()]), page(0, &[b"OpusTags"]), page(312 + 72_000, sound)];
        pages.concat()
    }

    #[test]
    fn length_and_shape_are_read_from_the_pages() {
        let (loud, quiet) = (vec![7; 510], vec![7; 102]);
        let read = Voice::read(&file(&[&quiet, &loud, &[]])).unwrap();
        assert!((read.seconds - 1.5).abs() < 1e-9);
        assert_eq!(STANDARD.decode(read.waveform).unwrap(), [51, 255, 0]);
        let long = vec![loud.as_slice(); 80];
        let many: Vec<u8> = std::iter::once(page(0, &[&head()]))
            .chain([page(0, &[b"OpusTags"])])
            .chain((1..=10).map(|second| page(second * 48_000, &long)))
            .flatten()
            .collect();
        let read = Voice::read(&many).unwrap();
        assert_eq!(STANDARD.decode(read.waveform).unwrap().len(), 200);
    }

    #[test]
    fn what_is_no_voice_is_sent_as_a_file() {
        let stored = |name: &str, media_type: &str, content: Vec<u8>| Part::Stored {
            id: "1".to_owned(),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            payload: Payload {
                content: content.into(),
                path: None,
            },
        };
        let good = file(&[b"sound"]);
        assert!(Voice::of(&[stored(NAME, "audio/ogg", good.clone())]).is_some());
        let others = [
            vec![stored("song.ogg", "audio/ogg", good.clone())],
            vec![stored(NAME, "audio/mpeg", good.clone())],
            vec![stored(NAME, "audio/ogg", b"OggS\0\x02\nno pages".to_vec())],
            vec![stored(NAME, "audio/ogg", Vec::new())],
            vec![stored(NAME, "audio/ogg", good.clone()), stored(NAME, "audio/ogg", good)],
        ];
        for parts in others {
            assert_eq!(Voice::of(&parts), None, "{parts:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_in_a_file_it_is_read_or_not(bytes in prop::collection::vec(any::<u8>(), 0..400), cut in 0_usize..300) {
            let _ = Voice::read(&bytes);
            let whole = file(&[&bytes]);
            let _ = Voice::read(whole.get(..cut).unwrap_or(&whole));
            let read = Voice::read(&whole);
            prop_assert_eq!(read.is_some(), !bytes.is_empty());
        }
    }
}
