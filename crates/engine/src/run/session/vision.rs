//! The images of a question: shown to a model that sees them, else described by one that does.

use clifford_core::{models::Role, policy::sources, runs::RunKind};
use clifford_store::files::File;
use clifford_tools::shown;

use super::Session;
use crate::run::prompt::{RequestImages, assemble::Unseen};

/// The most images that are shown at once; the others are files like any.
const MOST: usize = 4;

impl Session<'_> {
    /// The files that the run's model can see. An image is data from outside, so the run is tainted by it. The model
    /// learns which images it is not shown, and why.
    pub(super) async fn see(&mut self, files: &[File]) -> RequestImages {
        if self.work.run.kind != RunKind::Coordinator {
            return RequestImages::default();
        }
        let sees = self.sees();
        let mut all = RequestImages::default();
        let images = files.iter().enumerate().filter(|(_, file)| is_image(file));
        for (number, (place, file)) in images.enumerate() {
            let unseen = |why: String| Unseen {
                place,
                name: file.name.clone(),
                why,
            };
            if !sees {
                all.unseen.push(unseen(self.unseen_because().to_owned()));
                continue;
            }
            if number >= MOST {
                all.unseen
                    .push(unseen(format!("comes behind the {MOST} that are shown at once")));
                continue;
            }
            let (db, now) = (&self.cx.db, self.cx.clock.now());
            let content = self.cx.tools.services.files.content(db, file, now).await;
            let image = content.map_err(|error| {
                tracing::info!(file_id = %file.id, %error, "failed to read an image");
                "could not be read".to_owned()
            });
            let image = match image {
                Ok(content) => shown(&self.cx.tools.services.workers, &self.on_behalf_of(), &content.bytes).await,
                Err(why) => Err(why),
            };
            match image {
                Ok(image) => {
                    all.images.push(image);
                    all.shown.push((place, file.name.clone()));
                    self.taint([sources::file(&file.name)].into());
                }
                Err(error) => {
                    tracing::info!(file_id = %file.id, error, "left an image out of the prompt");
                    all.unseen.push(unseen(error));
                }
            }
        }
        all
    }

    /// Whether the run's model is shown images.
    pub(super) fn sees(&self) -> bool {
        !self.is_blind && self.models().shows_images(Role::of_run(&self.work.run))
    }

    /// Why no image is shown: the end of a sentence that begins with its name.
    fn unseen_because(&self) -> &'static str {
        if self.models().has(Role::Vision) {
            "is not seen by you; image.describe tells what it shows"
        } else {
            "is not seen by you: my owner can set a model that sees images ([llm.roles.vision])"
        }
    }

    /// For whom worker processes work.
    fn on_behalf_of(&self) -> String {
        let run = &self.work.run;
        run.user_id
            .map_or_else(|| run.root_run_id.to_string(), |user| user.to_string())
    }
}

/// Whether a file is an image.
pub(super) fn is_image(file: &File) -> bool {
    (file.media_type.as_deref()).is_some_and(|kind| kind.starts_with("image/"))
}
