//! Documents of each kind that people send: read as text, by a worker process of the binary.

use super::{reader, sends};
use crate::harness::{Setup, Site};

/// The checksum that archives have.
fn crc32(content: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            let carry = if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            (crc >> 1) ^ carry
        })
    };
    !content.iter().fold(u32::MAX, step)
}

/// A ZIP archive of these files, stored as they are:
/// <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    for (name, content) in files {
        let at = archive.len();
        // Version, flags, method, time and date.
        let mut facts = [&[20, 0][..], &[0; 8]].concat();
        facts.extend(crc32(content.as_bytes()).to_le_bytes());
        facts.extend(long(content.len()).repeat(2));
        facts.extend(short(name.len()));
        facts.extend(short(0));
        archive.extend(b"PK\x03\x04");
        archive.extend(&facts);
        archive.extend(name.as_bytes());
        archive.extend(content.as_bytes());
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&facts);
        // Comment, disk, attributes.
        directory.extend([0; 10]);
        directory.extend(long(at));
        directory.extend(name.as_bytes());
    }
    let begins = archive.len();
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(short(files.len()).repeat(2));
    archive.extend(long(directory.len()));
    archive.extend(long(begins));
    archive.extend(short(0));
    archive
}

fn table() -> Vec<u8> {
    zip(&[
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
               Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
               Target="xl/workbook.xml"/></Relationships>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
               xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>
               <sheet name="March" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
               Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
               Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
        (
            "xl/worksheets/sheet1.xml",
            r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">
               <c r="A1" t="inlineStr"><is><t>Ada</t></is></c><c r="B1"><v>12.5</v></c></row></sheetData></worksheet>"#,
        ),
    ])
}

/// A file of each kind: its name, its content and what is read in it.
fn each() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let letter = "<w:document xmlns:w='x'><w:body><w:p><w:r><w:t>Dear Ada</w:t></w:r></w:p></w:body></w:document>";
    let slide = "<p:sld xmlns:p='x' xmlns:a='y'><a:p><a:r><a:t>Noon</a:t></a:r></a:p></p:sld>";
    let open = "<office:document-content xmlns:office='o' xmlns:text='t'><office:body><office:text>\
                <text:p>Fuel</text:p></office:text></office:body></office:document-content>";
    let book = [
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path='a.opf'/></rootfiles></container>",
        ),
        (
            "a.opf",
            "<package><manifest><item id='x' href='x.xhtml'/></manifest><spine><itemref idref='x'/></spine></package>",
        ),
        ("x.xhtml", "<html><body><p>Once upon a time</p></body></html>"),
    ];
    let page = "<html><head><script>evil()</script></head><body><p>Hello</p></body></html>";
    vec![
        ("letter.docx", zip(&[("word/document.xml", letter)]), "Dear Ada"),
        ("table.xlsx", table(), "12.5"),
        (
            "talk.pptx",
            zip(&[("ppt/presentation.xml", "<x/>"), ("ppt/slides/slide1.xml", slide)]),
            "Noon",
        ),
        (
            "note.odt",
            zip(&[
                ("mimetype", "application/vnd.oasis.opendocument.text"),
                ("content.xml", open),
            ]),
            "Fuel",
        ),
        ("book.epub", zip(&book), "Once upon a time"),
        ("page.html", page.as_bytes().to_vec(), "Hello"),
        ("rows.csv", b"name,sum\nAda,3\n".to_vec(), "Ada,3"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_each_kind_are_read_as_text() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        bot.model.respond_with(reader);
        let room = bot.room(site, 7, "Ada");
        for (number, (name, content, expected)) in each().into_iter().enumerate() {
            sends(&bot, room, "read it", name, &content);
            let said = bot.answers(room, number + 1).await.pop().unwrap();
            assert!(
                said.starts_with("It says: ") && said.contains(expected),
                "{site:?} {name}: {said}"
            );
            assert!(!said.contains("evil"), "{said}");
        }
        bot.finish().await;
    }
}
