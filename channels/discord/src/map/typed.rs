//! Arguments that are being typed.

use clifford_channel::{Completion, Place};

use super::interaction::InteractionPayload;

/// The completion that is asked for; `None` if nothing is being typed.
pub(crate) fn typed(payload: &InteractionPayload, place: Place) -> Option<Completion> {
    Some(Completion {
        place,
        speaker: payload.speaker.clone(),
        command: payload.command(),
        typed: payload.typed()?,
    })
}

#[cfg(test)]
mod tests {
    use clifford_channel::PlaceKind;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_argument_that_is_being_typed_is_what_is_asked() {
        let place = Place {
            platform: crate::PLATFORM,
            external_id: "5".to_owned(),
            parent: None,
            kind: PlaceKind::Private,
            name: None,
            space: None,
        };
        let read = |options: Value| {
            let payload = json!({
                "type": 4, "id": "846462639134605312", "application_id": "1", "token": "t", "channel_id": "5",
                "user": {"id": "7", "username": "ada", "discriminator": "0"}, "locale": "en-GB", "version": 1,
                "data": {"id": "9", "name": "switch", "type": 1, "options": options},
            });
            let typed_in = InteractionPayload::read(&payload.to_string()).unwrap();
            typed(&typed_in, place.clone()).map(|asked| (asked.speaker.id, asked.command, asked.typed))
        };
        let expected = |typed: &str| Some(("7".to_owned(), "switch".to_owned(), typed.to_owned()));
        let focused = json!([{"type": 3, "name": "name", "value": "Ro", "focused": true}]);
        assert_eq!(read(focused), expected("Ro"));
        assert_eq!(
            read(json!([{"type": 4, "name": "n", "value": 5, "focused": true}])),
            expected("")
        );
        assert_eq!(read(json!([{"type": 3, "name": "name", "value": "Ro"}])), None);
        assert_eq!(read(json!([])), None);
    }
}
