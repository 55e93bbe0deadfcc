//! Discord's checks of the objects within a message: mentions that it allows, embeds, and the list of its files.

use serde_json::Value;

use super::error::{Refusal, only};

/// The most accounts or roles that a message allows to mention.
const MENTIONED: usize = 100;
/// The most characters of all embeds of a message together.
const EMBEDDED: usize = 6_000;
/// The most characters of each text of an embed.
const EMBED_TEXTS: [(&str, usize); 4] = [
    ("/title", 256),
    ("/description", 4_096),
    ("/footer/text", 2_048),
    ("/author/name", 256),
];

/// How many entries a list of a body has.
pub(super) fn count(body: &Value, name: &str) -> usize {
    body[name].as_array().map_or(0, Vec::len)
}

/// `allowed_mentions`: <https://docs.discord.com/developers/resources/message#allowed-mentions-object>
pub(super) fn mentions(body: &Value) -> Result<(), Refusal> {
    let Some(mentions) = body.get("allowed_mentions") else {
        return Ok(());
    };
    let wrong = |code: &str, text: String| Err(Refusal::field("allowed_mentions", code, text));
    let known = ["parse", "roles", "users", "replied_user"];
    only("allowed_mentions", mentions, &known)?;
    let parse = mentions["parse"].as_array().cloned().unwrap_or_default();
    for kind in &parse {
        if !["roles", "users", "everyone"].iter().any(|known| kind == known) {
            return wrong("BASE_TYPE_CHOICES", format!("{kind} is no choice"));
        }
    }
    let both = |kind: &str| parse.iter().any(|given| given == kind) && mentions.get(kind).is_some();
    if both("users") || both("roles") {
        let text = "parse and a list of the same kind are mutually exclusive";
        return wrong("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", text.to_owned());
    }
    for kind in ["users", "roles"] {
        let listed = mentions[kind].as_array().map_or(&[][..], Vec::as_slice);
        if listed.len() > MENTIONED {
            return wrong(
                "BASE_TYPE_MAX_LENGTH",
                format!("Must be {MENTIONED} or fewer in length."),
            );
        }
        let is_id = |id: &Value| id.as_str().is_some_and(|id| id.parse::<u64>().is_ok());
        if let Some(id) = listed.iter().find(|id| !is_id(id)) {
            return wrong("NUMBER_TYPE_COERCE", format!("{id} is not a snowflake."));
        }
    }
    if mentions.get("replied_user").is_some_and(|value| !value.is_boolean()) {
        return wrong("BOOLEAN_TYPE_CONVERT", "Must be either true or false.".to_owned());
    }
    Ok(())
}

/// `embeds`: at most 10, within <https://docs.discord.com/developers/resources/message#embed-object-embed-limits>
pub(super) fn embeds(body: &Value) -> Result<(), Refusal> {
    let embeds = body["embeds"].as_array().map_or(&[][..], Vec::as_slice);
    let wrong = |code: &str, text: String| Err(Refusal::field("embeds", code, text));
    let long = |most: usize| wrong("BASE_TYPE_MAX_LENGTH", format!("Must be {most} or fewer in length."));
    if embeds.len() > 10 {
        return long(10);
    }
    let mut all = 0;
    let mut size = |text: Option<&Value>| {
        let units = text.and_then(Value::as_str).map_or(0, |text| text.chars().count());
        all += units;
        units
    };
    for embed in embeds {
        for (path, most) in EMBED_TEXTS {
            if size(embed.pointer(path)) > most {
                return long(most);
            }
        }
        let fields = embed["fields"].as_array().map_or(&[][..], Vec::as_slice);
        if fields.len() > 25 {
            return long(25);
        }
        for field in fields {
            for (name, most) in [("name", 256), ("value", 1_024)] {
                match size(field.get(name)) {
                    0 => return wrong("BASE_TYPE_REQUIRED", "This field is required".to_owned()),
                    units if units > most => return long(most),
                    _ => {}
                }
            }
        }
    }
    match all > EMBEDDED {
        true => wrong(
            "MAX_EMBED_SIZE_EXCEEDED",
            format!("Embed size exceeds maximum size of {EMBEDDED}"),
        ),
        false => Ok(()),
    }
}

/// `attachments`, each of which belongs to one of so many files:
/// <https://docs.discord.com/developers/reference#uploading-files>
pub(super) fn attachments(body: &Value, files: usize) -> Result<(), Refusal> {
    for attachment in body["attachments"].as_array().into_iter().flatten() {
        let known = ["id", "filename", "description", "duration_secs", "waveform"];
        only("attachments", attachment, &known)?;
        let id = &attachment["id"];
        let id = id.as_str().and_then(|id| id.parse().ok()).or(id.as_u64());
        let is_there = id.and_then(|id| usize::try_from(id).ok()).is_some_and(|id| id < files);
        if !is_there {
            let text = "Attachment data for id not found";
            return Err(Refusal::field("attachments", "ATTACHMENT_NOT_FOUND", text));
        }
    }
    Ok(())
}
