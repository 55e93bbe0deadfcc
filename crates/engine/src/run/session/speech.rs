//! Answers that are spoken as well: where their person or their place wants that, by the role `speech`.
//!
//! The recording is a file under a key of its run and iteration. A run that is taken up after a crash finds it under that
//! key, and pays for none again.

use std::sync::Arc;

use clifford_content::files::NewFile;
use clifford_core::{
    models::Role,
    places::VoiceReplies,
    run::{
        attachments::AttachedFile,
        decision::{Decision, Then},
    },
    runs::RunKind,
};
use clifford_store::{
    files::{self, File},
    places::settings,
};
use clifford_tools::{Pays, Price, Purchase, Speech, WithKey, speak};

use super::{Gone, Session};

/// The name of the file, by which platforms know that it is a voice message.
const NAME: &str = "voice.ogg";
/// The setting of a person and of a place.
const SETTING: &str = "voice_replies";
/// The most characters that are spoken: as many as OpenAI takes.
const MOST: usize = 4_096;

impl Session<'_> {
    /// The files that go with a decision's answer, with the answer as a recording among them where that is wanted. Where
    /// it cannot be made, the answer goes without.
    ///
    /// # Errors
    /// The database does not answer; the run was cancelled.
    pub async fn add_speech(
        &mut self,
        decision: &Decision,
        mut files: Vec<AttachedFile>,
    ) -> Result<Vec<AttachedFile>, Gone> {
        let Some(by) = self.cx.tools.services.speech.clone() else {
            return Ok(files);
        };
        let text = answer(decision).map(|text| self.cx.masker.mask(text).into_owned());
        let text = text.map(|text| heard_as(&text));
        let Some(text) = text.filter(|text| (1..=MOST).contains(&text.chars().count())) else {
            return Ok(files);
        };
        if self.work.run.kind != RunKind::Coordinator || self.work.reply_to().is_none() || !self.wants_voice().await? {
            return Ok(files);
        }
        if let Some(file) = self.recording(by, text).await? {
            files.push(AttachedFile {
                id: file.id,
                name: file.name,
                media_type: file.media_type.unwrap_or_else(|| "audio/ogg".to_owned()),
                size: file.size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0),
            });
        }
        Ok(files)
    }

    /// Whether the answer is spoken: as its person set it in private, else as its place is set.
    async fn wants_voice(&self) -> Result<bool, Gone> {
        let Some(channel) = &self.work.channel else {
            return Ok(false);
        };
        let mut conn = self.cx.db.read_local().await?;
        let person = match self.work.run.user_id.filter(|_| channel.is_private()) {
            Some(user) => settings::get(&mut conn, &user.to_string(), SETTING).await?,
            None => None,
        };
        let defaults = self.cx.settings.defaults();
        let wanted = match person.and_then(|value| value.parse().ok()) {
            Some(wanted) => wanted,
            None => {
                defaults
                    .of(&mut conn, channel.space_id, channel.id)
                    .await?
                    .voice_replies
            }
        };
        drop(conn);
        Ok(match wanted {
            VoiceReplies::Never => false,
            VoiceReplies::Always => true,
            VoiceReplies::WhenSpokenTo => self.files().await?.iter().any(File::is_own_voice),
        })
    }

    /// The recording of a text: the one that was made before a crash, else a new one; `None`: it cannot be made.
    async fn recording(&self, by: WithKey<Speech>, text: String) -> Result<Option<File>, Gone> {
        let run = &self.work.run;
        let key = format!("{}:{}:spoken", run.id, self.state.iterations);
        if let Some(made) = files::by_key(&mut self.cx.db.read().await?, &key).await? {
            return Ok(Some(made));
        }
        let purchase = Purchase {
            provider: Speech::PROVIDER.to_owned(),
            model: by.model.clone(),
            role: Role::Speech,
            price: Price::Characters {
                million: by.million_price,
                characters: text.chars().count(),
            },
        };
        let payer = self.payer();
        let bought = tokio::select! {
            bought = payer.buy(purchase, Box::pin(speak(&by, &text))) => Some(bought),
            () = self.cancelled.cancelled() => None,
        };
        payer.charge_broken_off().await;
        let content = match bought
            .ok_or(Gone::Cancelled)?
            .map(|answer| clifford_tools::recorded(&answer))
        {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(None),
            Err(error) => {
                tracing::warn!(?error, "failed to speak an answer, sending it without");
                return Ok(None);
            }
        };
        let channel = self.work.channel.as_ref();
        let new = NewFile {
            name: NAME.to_owned(),
            content,
            user: run.user_id,
            place: channel.map(|channel| (channel.id, channel.space_id)),
            root_run: Some(run.root_run_id),
            key: Some(key),
        };
        let files = Arc::clone(&self.cx.tools.services.files);
        match files.create(&self.cx.db, new, self.cx.clock.now()).await {
            Ok(file) => Ok(Some(file)),
            Err(error) => {
                tracing::warn!(run_id = %run.id, %error, "failed to keep a spoken answer, sending it without");
                Ok(None)
            }
        }
    }
}

/// The answer in a decision, if it has one.
fn answer(decision: &Decision) -> Option<&str> {
    match decision {
        Decision::Say {
            text,
            then: Then::Complete,
            ..
        } => Some(text),
        Decision::Complete { ending, .. } => ending.message.as_deref(),
        _ => None,
    }
}

/// A text as it is spoken: code and marks are not read aloud.
fn heard_as(markdown: &str) -> String {
    let mut is_code = false;
    let lines = markdown.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code
    });
    let text: Vec<_> = lines
        .map(|line| line.trim_start_matches(['#', '>', ' ']).replace(['*', '`', '_'], ""))
        .collect();
    text.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_code_are_not_read_aloud() {
        let cases = [
            ("**Yes**, it is `4`.", "Yes, it is 4."),
            ("# Result\n\n> quoted", "Result\n\nquoted"),
            ("Look:\n```rust\nfn main() {}\n```\nThat is all.", "Look:\nThat is all."),
            ("```\nonly code\n```", ""),
        ];
        for (markdown, expected) in cases {
            assert_eq!(heard_as(markdown), expected, "{markdown}");
        }
    }
}
