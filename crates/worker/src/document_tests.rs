//! Documents as programs write them, and as those write them who mean no good.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;

fn packed_of(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read_text(content: &[u8]) -> Result<String, String> {
    text(content).map(|read| read.text).map_err(|error| error.to_string())
}

/// A PDF of one page with these drawing operators, whose offsets are right.
fn pdf_of(drawn: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut pdf = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(pdf.len());
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let xref = pdf.len();
    pdf.push_str("xref\n0 6\n0000000000 65535 f \n");
    offsets
        .iter()
        .for_each(|offset| pdf.push_str(&format!("{offset:010} 00000 n \n")));
    pdf.push_str(&format!(
        "trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n"
    ));
    pdf.into_bytes()
}

#[test]
fn a_pdf_is_read_page_by_page_and_one_of_pictures_has_no_text() {
    let hello = pdf_of("BT /F1 24 Tf 100 100 Td (Hello there) Tj ET");
    assert_eq!(read_text(&hello).unwrap(), "--- page 1 ---\nHello there");
    assert_eq!(
        read_text(&pdf_of("0 0 m 10 10 l S")).unwrap_err(),
        "has no text: its pages are pictures"
    );
    assert!(
        read_text(b"%PDF-1.4\nnothing")
            .unwrap_err()
            .starts_with("is damaged or protected")
    );
}

#[test]
fn a_long_page_is_read_whole_and_in_order() {
    let paragraphs: String = (0..9_000).map(|number| format!("<p>Line {number}</p>")).collect();
    let page = format!("<!DOCTYPE html><html><body>{paragraphs}</body></html>");
    let text = read_text(page.as_bytes()).unwrap();
    assert!(text.chars().count() > 60_000, "{}", text.len());
    let lines = text.lines().filter(|line| !line.is_empty());
    assert!(
        lines.eq((0..9_000).map(|number| format!("Line {number}"))),
        "{text:.200}"
    );
}

#[test]
fn a_word_document_has_its_paragraphs_tables_and_notes() {
    let body = r#"<?xml version="1.0"?><w:document xmlns:w="x"><w:body>
        <w:p><w:r><w:t>Dear Ada &amp; Bob,</w:t><w:tab/><w:t xml:space="preserve"> hi&#33;</w:t></w:r></w:p>
        <w:p><w:r><w:delText>gone</w:delText><w:instrText>PAGE</w:instrText></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        </w:body></w:document>"#;
    let notes =
        r#"<w:footnotes xmlns:w="x"><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
    let docx = packed_of(&[("word/document.xml", body), ("word/footnotes.xml", notes)]);
    assert_eq!(
        read_text(&docx).unwrap(),
        "Dear Ada & Bob,\t hi!\n\na\tb\t\n\n\n--- footnotes ---\na note"
    );
}

#[test]
fn a_document_without_words_has_no_text_and_no_pictures_of_pages() {
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><w:document xmlns:w="x"><w:body>
        <w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"#;
    let stolen = r#"<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document xmlns:w="x"><w:body>
        <w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>"#;
    for body in [bomb, stolen, "<w:document xmlns:w=\"x\"/>"] {
        let docx = packed_of(&[("word/document.xml", body)]);
        assert_eq!(read_text(&docx).unwrap_err(), "has no text", "{body}");
    }
}

#[test]
fn slides_come_in_the_order_of_their_numbers() {
    let slide = |text: &str| format!("<p:sld xmlns:p='x' xmlns:a='y'><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let pptx = packed_of(&[
        ("ppt/presentation.xml", "<x/>"),
        ("ppt/slides/slide10.xml", &slide("ten")),
        ("ppt/slides/slide2.xml", &slide("two")),
    ]);
    assert_eq!(
        read_text(&pptx).unwrap(),
        "--- slide 2 ---\ntwo\n\n\n--- slide 10 ---\nten"
    );
}

/// The relationships of a part.
fn relations_of(relations: &[(&str, &str, &str)]) -> String {
    let each = relations.iter().map(|(id, kind, target)| {
        let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        format!("<Relationship Id='{id}' Type='{base}/{kind}' Target='{target}'/>")
    });
    format!("<Relationships>{}</Relationships>", each.collect::<String>())
}

#[test]
fn slides_come_in_the_order_in_which_they_are_shown() {
    let slide = |text: &str| format!("<p:sld xmlns:p='x' xmlns:a='y'><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let shown = "<p:presentation xmlns:p='x' xmlns:r='r'><p:sldIdLst><p:sldId id='256' r:id='rId9'/>\
                 <p:sldId id='257' r:id='rId3'/></p:sldIdLst></p:presentation>";
    let pptx = packed_of(&[
        (
            "_rels/.rels",
            &relations_of(&[("rId1", "officeDocument", "ppt/presentation.xml")]),
        ),
        ("ppt/presentation.xml", shown),
        (
            "ppt/_rels/presentation.xml.rels",
            &relations_of(&[
                ("rId3", "slide", "slides/slide2.xml"),
                ("rId9", "slide", "/ppt/slides/slide10.xml"),
            ]),
        ),
        ("ppt/slides/slide2.xml", &slide("last")),
        ("ppt/slides/slide10.xml", &slide("first")),
    ]);
    assert_eq!(
        read_text(&pptx).unwrap(),
        "--- slide 1 ---\nfirst\n\n\n--- slide 2 ---\nlast"
    );
}

#[test]
fn the_parts_of_a_word_document_are_those_that_it_refers_to() {
    let text = |text: &str| format!("<w:document xmlns:w='x'><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:document>");
    for (main, notes) in [
        ("word/document2.xml", "footnotes3.xml"),
        ("word\\document2.xml", "Footnotes3.XML"),
        ("odd/letter.xml", "../word/footnotes3.xml"),
    ] {
        let (folder, name) = main.rsplit_once(['/', '\\']).unwrap();
        let target = main.replace('\\', "/");
        let docx = packed_of(&[
            (
                "_rels/.rels",
                &relations_of(&[("rId1", "officeDocument", &format!("/{target}"))]),
            ),
            (main, &text("hello")),
            (
                &format!("{folder}/_rels/{name}.rels"),
                &relations_of(&[("rId1", "footnotes", notes)]),
            ),
            ("word/footnotes3.xml", &text("a note")),
            ("word/document.xml", &text("a template")),
        ]);
        assert_eq!(
            read_text(&docx).unwrap(),
            "hello\n\n\n--- footnotes ---\na note",
            "{main}"
        );
    }
}

/// A container of old with these names in its directory, and the class of its root.
fn compound_of(class: &[u8], names: &[&str]) -> Vec<u8> {
    let mut content = vec![0; 512];
    content[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    content[30] = 9;
    for name in std::iter::once(&"Root Entry").chain(names) {
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut entry = vec![0; 128];
        entry[..units.len()].copy_from_slice(&units);
        entry[64] = u8::try_from(units.len() + 2).unwrap();
        if content.len() == 512 {
            entry[80..80 + class.len()].copy_from_slice(class);
        }
        content.extend(entry);
    }
    content
}

/// A PDF that asks for a password; an empty one opens it by itself.
fn locked_pdf(password: &str) -> Vec<u8> {
    let mut pdf = lopdf::Document::load_mem(&pdf_of("BT /F1 24 Tf 100 100 Td (Hello there) Tj ET")).unwrap();
    let id = lopdf::Object::string_literal("0123456789abcdef");
    pdf.trailer.set("ID", lopdf::Object::Array(vec![id.clone(), id]));
    let version = lopdf::EncryptionVersion::V2 {
        document: &pdf,
        owner_password: "owner",
        user_password: password,
        key_length: 128,
        permissions: lopdf::Permissions::all(),
    };
    let state = lopdf::EncryptionState::try_from(version).unwrap();
    pdf.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_locked_or_of_old_is_said_to_be_that() {
    let locked = "is locked with a password: save it without one, and send that";
    let word = "is an older Word document (.doc), which is not read: save it as .docx or PDF, and send that";
    let slides =
        "is an older PowerPoint presentation (.ppt), which is not read: save it as .pptx or PDF, and send that";
    let odt = packed_of(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "META-INF/manifest.xml",
            "<manifest:manifest><manifest:file-entry manifest:full-path='content.xml'><manifest:encryption-data/>\
             </manifest:file-entry></manifest:manifest>",
        ),
        ("content.xml", "\u{1}\u{2}garbage"),
    ]);
    let cases = [
        (locked_pdf("secret"), locked),
        (compound_of(&[], &["EncryptionInfo", "EncryptedPackage"]), locked),
        (odt, locked),
        (compound_of(&[], &["WordDocument", "Workbook"]), word),
        (compound_of(&[0x06, 0x09, 0x02, 0x00], &["x"]), word),
        (compound_of(&[], &["PowerPoint Document"]), slides),
        (compound_of(&[0x10, 0x8d, 0x81, 0x64], &["Workbook"]), slides),
        (
            compound_of(&[], &["__nameid_version1.0"]),
            "is no document that can be read",
        ),
        (b"\xd0\xcf\x11\xe0".to_vec(), "is no document that can be read"),
    ];
    for (content, expected) in cases {
        assert_eq!(read_text(&content).unwrap_err(), expected);
    }
    assert_eq!(read_text(&locked_pdf("")).unwrap(), "--- page 1 ---\nHello there");
}

#[test]
fn an_open_document_text_has_its_lines_without_comments() {
    let content = r#"<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>
<text:h>Title</text:h><text:p>one<text:s text:c="3"/>two<office:annotation><text:p>no</text:p></office:annotation></text:p>
</office:text></office:body></office:document-content>"#;
    let odt = packed_of(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", content),
    ]);
    assert_eq!(read_text(&odt).unwrap(), "Title\none   two");
}

#[test]
fn a_table_has_a_line_for_each_row() {
    let sheet = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
        <row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="inlineStr"><is><t>sum</t></is></c></row>
        <row r="2"><c r="A2" t="inlineStr"><is><t>Ada</t></is></c><c r="B2"><v>12.5</v></c></row></sheetData></worksheet>"#;
    let book = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>
        <sheet name="March" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let relations = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
        Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
        Target="worksheets/sheet1.xml"/></Relationships>"#;
    let package = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
        Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
        Target="xl/workbook.xml"/></Relationships>"#;
    let xlsx = packed_of(&[
        ("_rels/.rels", package),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/worksheets/sheet1.xml", sheet),
    ]);
    assert_eq!(read_text(&xlsx).unwrap(), "--- sheet March ---\nname\tsum\nAda\t12.5");
}

#[test]
fn a_book_is_read_in_the_order_of_its_spine() {
    let epub = packed_of(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            r#"<container><rootfiles><rootfile full-path="OPS/a.opf"/></rootfiles></container>"#,
        ),
        (
            "OPS/a.opf",
            r#"<package><manifest><item id="x" href="x.xhtml"/><item id="y" href="y.xhtml"/></manifest>
               <spine><itemref idref="y"/><itemref idref="x"/></spine></package>"#,
        ),
        ("OPS/x.xhtml", "<html><body><p>second</p></body></html>"),
        ("OPS/y.xhtml", "<html><body><p>first</p></body></html>"),
    ]);
    assert_eq!(
        read_text(&epub).unwrap(),
        "--- chapter 1 ---\nfirst\n\n--- chapter 2 ---\nsecond"
    );
}

#[test]
fn a_book_is_found_wherever_its_parts_lie() {
    let container =
        |path: &str| format!("<container><rootfiles><rootfile full-path='{path}'/></rootfiles></container>");
    let page = |text: &str| format!("<html><body><p>{text}</p></body></html>");
    let opf = r#"<package><metadata/><manifest>
        <item id="c" href="../Text/cover%20page.xhtml#top" media-type="application/xhtml+xml"/>
        <item id="p" href="../Images/p.jpg" media-type="image/jpeg"/>
        <item id="e" href="../Text/empty.xhtml"/>
        <item id="t" href="/OPS/Text/Two.xhtml"/></manifest>
        <spine toc="ncx"><itemref idref="c"/><itemref idref="p"/><itemref idref="e"/><itemref idref="missing"/>
        <itemref idref="t" linear="no"/></spine>
        <guide><reference type="text" title="Start" href="../Text/Two.xhtml"/></guide></package>"#;
    let parts = |container: &str, encryption: &str| {
        packed_of(&[
            ("mimetype", "application/epub+zip\n"),
            ("META-INF/container.xml", container),
            ("META-INF/encryption.xml", encryption),
            ("OPS/Package/book.opf", opf),
            ("OPS/Images/p.jpg", "\u{1}"),
            ("OPS/Text/empty.xhtml", "<html><body><img src='x'/></body></html>"),
            ("OPS/Text/cover page.xhtml", &page("first")),
            ("OPS/Text/two.xhtml", &page("second")),
        ])
    };
    let whole = "--- chapter 1 ---\nfirst\n\n--- chapter 5 ---\nsecond";
    let locked = |algorithm: &str| {
        let one = |path: &str| {
            format!(
                "<EncryptedData><EncryptionMethod Algorithm='{algorithm}'/><CipherData><CipherReference URI='{path}'/>\
                 </CipherData></EncryptedData>"
            )
        };
        format!(
            "<encryption>{}{}</encryption>",
            one("OPS/Text/cover%20page.xhtml"),
            one("OPS/Text/two.xhtml")
        )
    };
    for (container, encryption) in [
        (container("OPS/Package/book.opf"), String::new()),
        (container("elsewhere.opf"), String::new()),
        (String::new(), locked("http://www.idpf.org/2008/embedding")),
    ] {
        assert_eq!(
            read_text(&parts(&container, &encryption)).unwrap(),
            whole,
            "{container}"
        );
    }
    assert_eq!(
        read_text(&parts("", &locked("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))).unwrap_err(),
        "has the copy protection of a shop, whose own readers alone open it"
    );
    let without_spine = packed_of(&[
        ("mimetype", "application/epub+zip"),
        (
            "a.opf",
            "<package><manifest><item id='x' href='x.html' media-type='text/html'/></manifest><spine/></package>",
        ),
        ("x.html", &page("all of it")),
    ]);
    assert_eq!(read_text(&without_spine).unwrap(), "--- chapter 1 ---\nall of it");
}

#[test]
fn a_page_is_read_without_its_scripts() {
    let html = b"<html><head><title>t</title><script>evil()</script></head><body><p>Hello</p></body></html>";
    assert_eq!(read_text(html).unwrap(), "Hello");
}

#[test]
fn what_unpacks_to_more_than_is_read_is_refused() {
    let bomb = packed_of(&[("word/document.xml", &" ".repeat((16 << 20) + 1))]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    assert_eq!(read_text(&bomb).unwrap_err(), "is too large when it is unpacked");
}

#[test]
fn a_deep_document_takes_no_stack_and_no_entity_of_its_own_is_known() {
    let deep = format!("<w:p>{}<w:t>x</w:t>", "<w:a>".repeat(200_000));
    assert_eq!(read_text(&packed_of(&[("word/document.xml", &deep)])).unwrap(), "x");
    let laughs = r#"<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><w:p><w:t>&b;x</w:t></w:p>"#;
    assert_eq!(read_text(&packed_of(&[("word/document.xml", laughs)])).unwrap(), "x");
}

#[test]
fn a_long_document_is_cut_and_says_so() {
    let long = format!("<w:p><w:t>{}</w:t></w:p>", "word ".repeat(200_000));
    let read = text(&packed_of(&[("word/document.xml", &long)])).unwrap();
    assert!(read.is_cut && read.text.len() <= MOST_TEXT);
}

proptest! {
    #[test]
    fn any_bytes_are_a_document_or_are_refused(bytes: Vec<u8>) {
        crate::fuzzing::check_document(&bytes);
    }

    #[test]
    fn any_xml_is_read_or_refused(xml in "(<[a-z:/!]{0,6}[> ]|[a-z&;\"'=]{0,8}){0,40}") {
        let docx = packed_of(&[("word/document.xml", &xml)]);
        crate::fuzzing::check_document(&docx);
    }
}
