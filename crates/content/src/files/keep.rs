//! Files made, had and deleted: a content with its row, within the limits.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use bytes::Bytes;
use clifford_channel::Channel;
use clifford_chat::{error::FetchError, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, FileId, RunId, SpaceId, UserId},
    settings::Files as Section,
};
use clifford_store::{
    Db,
    files::{self, File},
};
use sha2::{Digest, Sha256};

use super::{FileError, Location, Storage, clean, media::media_type};

/// A file to be made.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// Its name as it was given.
    pub name: String,
    /// Its content.
    pub content: Bytes,
    /// The owner.
    pub user: Option<UserId>,
    /// Where it belongs.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// The run at the root of the tree that makes it.
    pub root_run: Option<RunId>,
    /// The same for every attempt at making it.
    pub key: Option<String>,
}

/// A content on its way out.
#[derive(Clone, Debug)]
pub struct Content {
    /// The content.
    pub bytes: Bytes,
    /// Where it is on this machine, if it is.
    pub path: Option<PathBuf>,
}

/// Keeps files.
#[derive(Default)]
pub struct Files {
    storage: Storage,
    section: Section,
    channels: BTreeMap<Platform, Arc<dyn Channel>>,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files")
            .field("storage", &self.storage)
            .field("section", &self.section)
            .finish_non_exhaustive()
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self::new(PathBuf::new(), None)
    }
}

impl Files {
    /// Keeps files there; what platforms have is had from their channels.
    pub fn new(storage: Storage, section: Section, channels: BTreeMap<Platform, Arc<dyn Channel>>) -> Self {
        Self {
            storage,
            section,
            channels,
        }
    }

    /// Where contents are.
    pub const fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The most bytes of a file.
    pub const fn most(&self) -> u64 {
        self.section.max_file_bytes
    }

    /// Makes a file. One that was made under the same key is that one.
    ///
    /// # Errors
    /// It is too large, there is no room, or what it needs does not answer.
    pub async fn create(&self, db: &Db, new: NewFile, now: Timestamp) -> Result<File, FileError> {
        if let Some(key) = &new.key
            && let Some(made) = files::by_key(&mut db.read().await?, key).await?
        {
            return Ok(made);
        }
        let name = clean(&new.name);
        self.check(db, &name, &new.content, new.user).await?;
        let file = File {
            id: FileId::new(),
            user_id: new.user,
            channel_id: new.place.map(|(channel, _)| channel),
            space_id: new.place.and_then(|(_, space)| space),
            message_id: None,
            root_run_id: new.root_run,
            media_type: None,
            size: None,
            sha256: None,
            location: String::new(),
            created_at: now,
            came_as: None,
            seconds: None,
            of_others: false,
            name,
        };
        let file = self.put(db, file, new.content, now).await?;
        let (row, key) = (file.clone(), new.key.clone());
        let inserted = db
            .write(move |tx| {
                Box::pin(async move {
                    let inserted = files::insert(tx, &row, key.as_deref()).await?;
                    if inserted {
                        files::not_loose(tx, &row.location).await?;
                    }
                    Ok(inserted)
                })
            })
            .await?;
        match new.key {
            // Another attempt made it meanwhile; what this one stored goes.
            Some(key) if !inserted => Ok(files::by_key(&mut db.read().await?, &key).await?.unwrap_or(file)),
            _ => Ok(file),
        }
    }

    /// The content of a file. Content that the platform holds is kept here from then on.
    ///
    /// # Errors
    /// It is too large, gone, or what it needs does not answer.
    pub async fn content(&self, db: &Db, file: &File, now: Timestamp) -> Result<Content, FileError> {
        let Ok(location) = file.location.parse::<Location>();
        let Location::Platform(platform, id) = &location else {
            let bytes = self.storage.get(&location).await;
            let bytes = bytes.map_err(|error| FileError::of(&file.name, error))?;
            let path = self.storage.path(&location);
            return Ok(Content { bytes, path });
        };
        let bytes = self.fetch(*platform, id, file).await?;
        // Somebody whose room is full can have it read all the same; it is had from its platform each time.
        match self.check(db, &file.name, &bytes, file.user_id).await {
            Ok(()) => {}
            Err(FileError::NoRoom { .. }) => return Ok(Content { bytes, path: None }),
            Err(error) => return Err(error),
        }
        let kept = self.put(db, file.clone(), bytes.clone(), now).await?;
        let path = kept
            .location
            .parse()
            .ok()
            .and_then(|location| self.storage.path(&location));
        db.write(move |tx| {
            Box::pin(async move {
                if files::record_content(tx, &kept).await? {
                    files::not_loose(tx, &kept.location).await?;
                }
                Ok(())
            })
        })
        .await?;
        Ok(Content { bytes, path })
    }

    async fn fetch(&self, platform: Platform, id: &str, file: &File) -> Result<Bytes, FileError> {
        let most = self.section.max_file_bytes;
        let too_large = || FileError::TooLarge {
            name: file.name.clone(),
            most,
        };
        if file
            .size
            .and_then(|size| u64::try_from(size).ok())
            .is_some_and(|size| size > most)
        {
            return Err(too_large());
        }
        let gone = |why: String| FileError::Gone {
            name: file.name.clone(),
            why,
        };
        let channel = self.channels.get(&platform);
        let channel = channel.ok_or_else(|| gone(format!("{platform} is not connected")))?;
        channel.fetch(id, most).await.map_err(|error| match error {
            FetchError::TooLarge => too_large(),
            FetchError::Gone(why) => gone(why),
            FetchError::Unavailable(why) => {
                FileError::Unavailable(format!("{platform} did not give {}: {why}", file.name))
            }
        })
    }

    async fn check(&self, db: &Db, name: &str, content: &Bytes, user: Option<UserId>) -> Result<(), FileError> {
        let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if size > self.section.max_file_bytes {
            return Err(FileError::TooLarge {
                name: name.to_owned(),
                most: self.section.max_file_bytes,
            });
        }
        let Some(user) = user else { return Ok(()) };
        let kept = files::kept_of(&mut db.read().await?, user).await?;
        if u64::try_from(kept).unwrap_or(0).saturating_add(size) > self.section.max_user_bytes {
            return Err(FileError::NoRoom {
                name: name.to_owned(),
                most: self.section.max_user_bytes,
            });
        }
        Ok(())
    }

    /// Stores a content, under a row that says that it belongs to nobody yet.
    async fn put(&self, db: &Db, file: File, content: Bytes, now: Timestamp) -> Result<File, FileError> {
        // A content that is fetched twice at once is stored twice, and one of them is loose.
        let location = self.storage.place(FileId::new());
        let file = File {
            media_type: Some(media_type(&file.name, &content).to_owned()),
            size: i64::try_from(content.len()).ok(),
            sha256: Some(clifford_vault::hex(&Sha256::digest(&content))),
            location: location.to_string(),
            ..file
        };
        let loose = file.location.clone();
        db.write(move |tx| Box::pin(async move { files::loose(tx, &loose, now).await }))
            .await?;
        let stored = self.storage.put(&location, content).await;
        stored.map_err(|error| FileError::of(&file.name, error))?;
        Ok(file)
    }
}
