//! The content of an export, to the line.

use clifford_engine::jobs::export::Export;
use clifford_store::Db;
use serde_json::{Value, json};

use super::{
    erasure::{ada, script},
    world::{Home, NOW},
};

const WORLD: &str = include_str!("two_people.sql");

async fn export(db: &Db) -> Vec<Value> {
    let whole = Export::of(vec![ada()], NOW)
        .whole(&mut db.read().await.expect("reads"), usize::MAX)
        .await;
    let text = whole.expect("reads").expect("small enough");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A record by what tells it from others.
fn told(record: &Value) -> String {
    let field = |name: &str| record[name].as_str().unwrap_or("-").to_owned();
    let which = match record["type"].as_str().unwrap_or_default() {
        "export" => record["version"].to_string(),
        "message" => field("content"),
        "run" => format!("{} {} {}", field("inputText"), field("outputText"), field("status")),
        "memory_item" => format!("{} {}", field("value"), record["archived"]),
        "context" => format!("{} {}", field("name"), field("summary")),
        "identity" => format!("{} {}", field("platformUserId"), field("handle")),
        "setting" => field("value"),
        "reminder" => field("cron"),
        "usage" => field("model"),
        "job" => record["result"].to_string(),
        "document_piece" => field("content"),
        "session" => field("userAgent"),
        "own_key" => field("provider"),
        "feedback" => field("verdict"),
        "policy_rule" => record["rule"].to_string(),
        _ => field("name"),
    };
    format!("{}: {which}", field("type"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_holds_everything_of_one_person_and_nothing_of_others() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        script(&home.db, WORLD).await;
        let records = export(&home.db).await;
        let lines: Vec<_> = records.iter().map(told).collect();
        assert_eq!(
            lines,
            [
                "export: 1",
                "user: Qadanym",
                "identity: 987654321 qadahandle",
                "setting: qsetting",
                "setting: qsetting",
                "setting_change: persona",
                "memory_item: likes qitemwort false",
                "memory_item: liked qarchivewort true",
                "channel: Qadanym",
                "context: qprivname qsummary",
                "message: my qprivwort",
                "message: qanswer",
                "message: [Qadanym] my qguildwort is what we go by so far, is it not",
                "message: [Qadanym] so be it",
                "run: my qprivwort qoutput completed",
                "run: qtask qresult completed",
                "run: - - completed",
                "usage: fake-1",
                "reminder: 0 8 * * *",
                "reminder: 0 9 * * *",
                "file: qfilewort.jpg",
                "document_piece: qchunkwort",
                "api_token: qtoken",
                "session: qbrowser",
                "passkey: qphone",
                "own_key: qprovider",
                "feedback: liked",
                "feedback: disliked",
                "policy_rule: {\"action\":\"deny\",\"reason\":\"qrulewort\"}",
                "job: {\"applied\":[\"qjobwort\"]}",
            ]
        );
        assert_eq!(
            records[10],
            json!({
                "type": "message",
                "id": "00000000-0000-7000-8000-000000000101",
                "direction": "inbound",
                "channelId": "00000000-0000-7000-8000-0000000000c1",
                "contextId": "00000000-0000-7000-8000-0000000000d1",
                "runId": "00000000-0000-7000-8000-0000000000e1",
                "content": "my qprivwort",
                "quote": null,
                "attachments": [{"kind": "photo", "name": "qfilewort.jpg"}],
                "platformMessageId": null,
                "status": "received",
                "sentAt": "1970-01-01T00:00:02Z",
                "editedAt": null,
                "deletedAt": null,
            })
        );
        let text = serde_json::to_string(&records).expect("JSON").to_lowercase();
        assert!(
            ["bob", "hash", "qsealed", "qcredential", "qhandle", "qpublickey"]
                .iter()
                .all(|word| !text.contains(word)),
            "{text}"
        );
        home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_holds_what_a_person_answered_but_of_shared_places_no_words_of_others() {
    const MORE: &str = r#"
        UPDATE messages SET quote = '{"by":{"other":"Bobnym"},"text":"qanswered","media":[],"of":"7"}', deleted_at = 3000
            WHERE id = '00000000-0000-7000-8000-000000000101';
        UPDATE messages SET quote = '{"by":{"other":"Bobnym"},"text":"bsecret","media":["photo"],"of":"8"}'
            WHERE id = '00000000-0000-7000-8000-000000000104';
        UPDATE messages SET quote = '{"by":"speaker","text":"qown","media":[],"of":"9"}'
            WHERE id = '00000000-0000-7000-8000-000000000106';
        UPDATE runs SET input_json = '{"of":"qgiven"}' WHERE id = '00000000-0000-7000-8000-0000000000e1';
        UPDATE runs SET input_json = '{"of":"bgiven"}' WHERE id = '00000000-0000-7000-8000-0000000000e3';
    "#;
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        script(&home.db, WORLD).await;
        script(&home.db, MORE).await;
        let records = export(&home.db).await;
        let of = |kind: &str, field: &str| -> Vec<Value> {
            let records = records.iter().filter(|record| record["type"] == kind);
            records.map(|record| record[field].clone()).collect()
        };
        let answered = json!({"by": {"other": "Bobnym"}, "text": "qanswered", "media": [], "of": "7"});
        let own = json!({"by": "speaker", "text": "qown", "media": [], "of": "9"});
        assert_eq!(of("message", "quote"), [answered, Value::Null, Value::Null, own]);
        assert_eq!(of("message", "deletedAt")[0], "1970-01-01T00:00:03Z");
        assert_eq!(
            of("run", "inputJson"),
            [json!({"of": "qgiven"}), Value::Null, Value::Null]
        );
        home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_many_pages_has_each_row_once_and_one_that_is_too_long_is_none() {
    let home = Home::sqlite().await;
    super::erasure::two_people(&home.db).await;
    let records = export(&home.db).await;
    let mut ids: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "message")
        .map(|record| record["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 4 + 601);
    ids.dedup();
    assert_eq!(ids.len(), 4 + 601);
    let mut conn = home.db.read().await.expect("reads");
    let cut = Export::of(vec![ada()], NOW).whole(&mut conn, 10_000).await;
    assert_eq!(cut.expect("reads"), None);
}
