//! Files: a row each, found by people who may see them; their contents outlive no row.

use std::time::Duration;

use clifford_content::files::{Files, NewFile, Storage, sweep};
use clifford_core::{
    id::{ChannelId, RunId},
    search::Scope,
    settings::Files as Section,
};
use clifford_store::files::{self, File};

use super::world::{NOW, World};

fn new(world: &World, name: &str, key: Option<&str>) -> NewFile {
    NewFile {
        name: name.to_owned(),
        content: "hello".into(),
        user: Some(world.user.id),
        place: Some((world.channel.id, None)),
        root_run: Some(RunId::new()),
        key: key.map(str::to_owned),
    }
}

async fn seen(world: &World, scope: Scope, name: Option<&str>) -> Vec<String> {
    let mut conn = world.db.read().await.unwrap();
    let found = files::visible(&mut conn, scope, name, None, 10).await.unwrap();
    found.into_iter().map(|file| file.name).collect()
}

pub async fn a_file_is_made_once_for_a_key_and_found_by_who_may_see_it(world: World) {
    let dir = tempfile::tempdir().unwrap();
    let kept = Files::new(Storage::new(dir.path(), None), Section::default(), Default::default());
    let made = kept
        .create(&world.db, new(&world, "Rome.md", Some("1")), NOW)
        .await
        .unwrap();
    let again = kept
        .create(&world.db, new(&world, "Rome.md", Some("1")), NOW)
        .await
        .unwrap();
    assert_eq!(made, again);
    kept.create(&world.db, new(&world, "Oslo.txt", None), NOW)
        .await
        .unwrap();
    let (own, here) = (Scope::Person(world.user.id), Scope::Channel(world.channel.id));
    assert_eq!(seen(&world, own, None).await, ["Oslo.txt", "Rome.md"]);
    assert_eq!(seen(&world, here, Some("ROME")).await, ["Rome.md"]);
    assert_eq!(
        seen(&world, Scope::Channel(ChannelId::new()), None).await,
        Vec::<String>::new()
    );
    assert_eq!(
        files::kept_of(&mut world.db.read().await.unwrap(), world.user.id)
            .await
            .unwrap(),
        10
    );
    let content = kept.content(&world.db, &made, NOW).await.unwrap();
    assert_eq!(&*content.bytes, b"hello");
}

pub async fn a_file_is_found_by_its_name_in_capitals_of_any_language(world: World) {
    let dir = tempfile::tempdir().unwrap();
    let kept = Files::new(Storage::new(dir.path(), None), Section::default(), Default::default());
    for name in [
        "Übung 1.pdf",
        "Отчёт Июнь.pdf",
        "ÉTÉ.txt",
        "Ещё один.pdf",
        "straße.md",
        "Oslo.txt",
    ] {
        kept.create(&world.db, new(&world, name, None), NOW).await.unwrap();
    }
    let own = Scope::Person(world.user.id);
    let cases = [
        ("übung", "Übung 1.pdf"),
        ("ÜBUNG", "Übung 1.pdf"),
        ("Übung 1.PDF", "Übung 1.pdf"),
        ("отчёт", "Отчёт Июнь.pdf"),
        ("отчёт июнь", "Отчёт Июнь.pdf"),
        ("ещё один", "Ещё один.pdf"),
        ("ОТЧЁТ", "Отчёт Июнь.pdf"),
        ("été", "ÉTÉ.txt"),
        ("STRAßE", "straße.md"),
        ("oSLO", "Oslo.txt"),
    ];
    for (asked, expected) in cases {
        assert_eq!(seen(&world, own, Some(asked)).await, [expected], "{asked}");
    }
    assert_eq!(seen(&world, own, Some("übungen")).await, Vec::<String>::new());
}

pub async fn a_deleted_file_and_one_that_was_never_finished_leave_nothing(world: World) {
    let dir = tempfile::tempdir().unwrap();
    let kept = Files::new(Storage::new(dir.path(), None), Section::default(), Default::default());
    let made: File = kept.create(&world.db, new(&world, "a.md", None), NOW).await.unwrap();
    let stays = kept.create(&world.db, new(&world, "b.md", None), NOW).await.unwrap();
    let on_disk = || {
        let shards = std::fs::read_dir(dir.path().join("files")).unwrap();
        shards
            .map(|shard| std::fs::read_dir(shard.unwrap().path()).unwrap().count())
            .sum::<usize>()
    };
    assert_eq!(on_disk(), 2);
    // A process died after it had said where it would write.
    let unfinished = "files/aa/unfinished";
    std::fs::create_dir_all(dir.path().join("files/aa")).unwrap();
    std::fs::write(dir.path().join(unfinished), "half").unwrap();
    world
        .db
        .write(move |tx| {
            Box::pin(async move {
                files::loose(tx, unfinished, NOW).await?;
                files::delete(tx, made.id).await.map(drop)
            })
        })
        .await
        .unwrap();
    assert_eq!(
        sweep(&world.db, kept.storage(), NOW).await.unwrap(),
        1,
        "the deleted one"
    );
    let later = NOW.after(Duration::from_secs(3600));
    assert_eq!(
        sweep(&world.db, kept.storage(), later).await.unwrap(),
        1,
        "the unfinished one"
    );
    assert_eq!(sweep(&world.db, kept.storage(), later).await.unwrap(), 0);
    assert_eq!(on_disk(), 1);
    assert_eq!(&*kept.content(&world.db, &stays, NOW).await.unwrap().bytes, b"hello");
}
