//! Documents: found by their words, listed for their owners, and gone with all of their pieces.

use clifford_content::retrieval;
use clifford_core::{
    id::{ChannelId, DocumentId, UserId},
    search::{Query, Scope},
};
use clifford_store::documents::{self, Document, NewChunk};

use super::world::{NOW, World};

fn chunk(content: &str, embedding: Option<Vec<f32>>) -> NewChunk {
    NewChunk {
        content: content.to_owned(),
        embedding: embedding.map(|embedding| ("model-1".to_owned(), embedding)),
    }
}

async fn store_document(world: &World, title: &str, shared: bool, chunks: Vec<NewChunk>) -> (Document, bool) {
    let document = Document {
        id: DocumentId::new(),
        user_id: (!shared).then_some(world.user.id),
        made_by: Some(world.user.id),
        channel_id: Some(world.channel.id),
        file_id: None,
        title: title.to_owned(),
        created_at: NOW,
    };
    let (stored, key) = (document.clone(), title.to_owned());
    let write = world
        .db
        .write(move |tx| Box::pin(async move { documents::insert(tx, &stored, &key, &chunks).await }));
    (document, write.await.unwrap())
}

async fn found(world: &World, scope: Scope, question: &str) -> Vec<String> {
    let mut conn = world.db.read().await.unwrap();
    let Some(query) = Query::parse(question) else {
        return Vec::new();
    };
    let chunks = retrieval::by_words(&mut conn, scope, &query).await.unwrap();
    chunks
        .into_iter()
        .map(|(chunk, _)| format!("{} {}", chunk.title, chunk.seq))
        .collect()
}

pub async fn a_document_is_found_by_any_of_its_words_by_whom_it_belongs_to(world: World) {
    let pieces = vec![
        chunk("The bin is collected on Monday.", None),
        chunk(
            "The key of the garage hangs in the kitchen, and the garage is green.",
            None,
        ),
    ];
    assert!(store_document(&world, "House", false, pieces.clone()).await.1);
    assert!(
        !store_document(&world, "House", false, pieces).await.1,
        "its key is taken"
    );
    store_document(&world, "Street", true, vec![chunk("Our garage is 京都 style.", None)]).await;
    let (own, here) = (Scope::Person(world.user.id), Scope::Channel(world.channel.id));
    assert_eq!(
        found(&world, own, "where are the keys of the garage?").await,
        ["House 1"]
    );
    assert_eq!(
        found(&world, own, "When is the bin collected at the house with the garage?").await,
        ["House 0", "House 1"]
    );
    assert_eq!(found(&world, own, "MONDAY").await, ["House 0"]);
    assert_eq!(found(&world, here, "京都").await, ["Street 0"]);
    assert_eq!(found(&world, own, "' \" * & | ! <-> ( :*").await, Vec::<String>::new());
    for scope in [
        Scope::Person(UserId::new()),
        Scope::Channel(ChannelId::new()),
        Scope::Both(UserId::new(), world.channel.id),
        Scope::Nothing,
    ] {
        assert_eq!(found(&world, scope, "garage").await, Vec::<String>::new(), "{scope:?}");
    }
}

pub async fn a_deleted_document_is_found_no_more_in_any_way(world: World) {
    let near = vec![chunk("near", Some(vec![1.0, 0.5])), chunk("plain", None)];
    let (document, _) = store_document(&world, "One", false, near).await;
    store_document(&world, "Two", false, vec![chunk("near, too", Some(vec![0.25, 0.0]))]).await;
    let own = Scope::Person(world.user.id);
    let embeddings = async |model: &str| {
        let mut conn = world.db.read().await.unwrap();
        let mut all = Vec::new();
        for id in documents::embedded(&mut conn, own, model, 10).await.unwrap() {
            let piece = documents::embeddings(&mut conn, model, &[id]).await.unwrap();
            all.extend(piece.iter().map(|piece| piece.decoded().unwrap().1));
        }
        all
    };
    let embedded = async |scope, limit| {
        let mut conn = world.db.read().await.unwrap();
        documents::embedded(&mut conn, scope, "model-1", limit)
            .await
            .unwrap()
            .len()
    };
    assert_eq!((embedded(own, 10).await, embedded(own, 1).await), (2, 1));
    assert_eq!(embedded(Scope::Person(UserId::new()), 10).await, 0);
    let count = async |scope| {
        let mut conn = world.db.read().await.unwrap();
        documents::count_pieces(&mut conn, scope).await.unwrap()
    };
    assert_eq!((count(own).await, count(Scope::Person(UserId::new())).await), (3, 0));
    assert_eq!(count(Scope::Nothing).await, 0);
    assert_eq!(embeddings("model-1").await, [vec![0.25, 0.0], vec![1.0, 0.5]]);
    assert_eq!(embeddings("model-2").await, Vec::<Vec<f32>>::new());
    let id = document.id;
    let delete = world
        .db
        .write(move |tx| Box::pin(async move { documents::delete(tx, id).await }));
    delete.await.unwrap();
    assert_eq!(embeddings("model-1").await, [vec![0.25, 0.0]]);
    assert_eq!(count(own).await, 1);
    assert_eq!(found(&world, own, "near plain").await, ["Two 0"]);
    let mut conn = world.db.read().await.unwrap();
    let left = documents::list(&mut conn, own, None, 10).await.unwrap();
    let titles = |found: &[Document]| found.iter().map(|document| document.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&left), ["Two"]);
    drop(conn);
    store_document(&world, "Three", false, vec![chunk("far", None)]).await;
    let mut conn = world.db.read().await.unwrap();
    let newest = documents::list(&mut conn, own, None, 1).await.unwrap();
    let older = documents::list(&mut conn, own, Some(newest[0].id), 10).await.unwrap();
    assert_eq!(
        (titles(&newest), titles(&older)),
        (vec!["Three".to_owned()], titles(&left))
    );
}
