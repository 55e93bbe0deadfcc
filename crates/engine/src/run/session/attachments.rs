//! Files that the model attaches to a message: looked up. Of one that cannot be sent the model is told the reason, and
//! the words and the other files go out without it.

use clifford_action::{Action, Reply, Unreadable};
use clifford_content::files::may_see;
use clifford_core::{
    id::FileId,
    run::{attachments::AttachedFile, decide, decision::Decision},
    runs::RunKind,
    search::Scope,
};
use clifford_store::files::{self, File};

use super::{Gone, Session};

/// The most files of one message.
const MOST: usize = 10;

/// The files of a reply.
#[derive(Debug, Default)]
struct Attachments {
    /// Those that go out with it.
    files: Vec<AttachedFile>,
    /// Why others do not.
    faults: Vec<String>,
}

impl Session<'_> {
    /// The files that came with what is asked. Each has a line in the text, so what has none is not looked up.
    pub(super) async fn files(&self) -> Result<Vec<File>, Gone> {
        let run = &self.work.run;
        let may_have = run.kind == RunKind::Coordinator && run.input_text.lines().any(|line| line.ends_with(']'));
        if !may_have {
            return Ok(Vec::new());
        }
        Ok(files::of_run(&mut self.cx.db.read().await?, run.id).await?)
    }

    /// The decision on a reply, and the files that go with it.
    pub async fn decide(&mut self, reply: &Result<Reply, Unreadable>) -> Result<(Decision, Vec<AttachedFile>), Gone> {
        let Attachments { files, faults } = self.attachments(reply).await?;
        self.know_names(reply).await?;
        let decision = decide::decide(&self.state, &self.rules, reply, self.cx.clock.now());
        let decision = match faults.is_empty() {
            true => decision,
            false => decide::without_files(&self.state, decision, &faults.join(" ")),
        };
        Ok((decision, files))
    }

    /// The files that a reply sends: such as the run made, or may see where it answers.
    async fn attachments(&self, reply: &Result<Reply, Unreadable>) -> Result<Attachments, Gone> {
        let mut attachments = Attachments::default();
        let Ok(reply) = reply else { return Ok(attachments) };
        let (Action::SendMessage { file_ids, .. } | Action::Finish { file_ids, .. }) = &reply.action else {
            return Ok(attachments);
        };
        if file_ids.len() > MOST {
            attachments.faults.push(format!("at most {MOST} files in one message."));
        }
        for text in file_ids.iter().take(MOST) {
            let file = match text.parse::<FileId>() {
                Ok(id) => files::get(&mut self.cx.db.read().await?, id).await?,
                Err(_) => None,
            };
            let Some(file) = file.filter(|file| self.may_send(file)) else {
                attachments.faults.push(format!(
                    "there is no file {text} to send; files.list names those there are."
                ));
                continue;
            };
            if let Some(fault) = self.too_large(&file) {
                attachments.faults.push(fault);
                continue;
            }
            if attachments.files.iter().all(|known| known.id != file.id) {
                attachments.files.push(AttachedFile {
                    id: file.id,
                    name: file.name,
                    media_type: file.media_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
                    size: file.size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0),
                });
            }
        }
        Ok(attachments)
    }

    fn may_send(&self, file: &File) -> bool {
        let run = &self.work.run;
        let scope = Scope::of(run.user_id, self.work.channel.as_ref());
        file.root_run_id == Some(run.root_run_id) || may_see(scope, file)
    }

    /// Why the platform would not take it.
    fn too_large(&self, file: &File) -> Option<String> {
        let platform = self.work.reply_to()?.platform;
        let most = self.cx.delivery.outbound().limits(platform)?.file_bytes;
        let size = u64::try_from(file.size?).ok()?;
        (size > most).then(|| {
            format!(
                "{} has {size} bytes, and {platform} takes at most {most}. Send less, or say so.",
                file.name
            )
        })
    }
}
