//! Files to upload, made here: honest ones, and those that want to do harm.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::app::{Answer, User, read};

const BOUNDARY: &str = "the-boundary-of-the-test";

/// A form with these parts: the name of the field, the file's name if it is one, and what is in it.
pub fn form(parts: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (field, filename, bytes) in parts {
        let filename = filename.map_or_else(String::new, |name| format!("; filename=\"{name}\""));
        body.extend_from_slice(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"{filename}\r\n\r\n")
                .as_bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

/// The header that says so.
pub fn content_type() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

/// Uploads a form as it stands.
pub async fn send(user: &User<'_>, body: Vec<u8>) -> Answer {
    read(user.request("POST", "/api/attachments").header("content-type", content_type()).body(body)).await
}

/// Puts one file into a project.
pub async fn put_into(user: &User<'_>, project: &str, name: &str, bytes: &[u8]) -> Answer {
    let request = user.request("POST", &format!("/api/projects/{project}/files"));
    let body = form(&[("file", Some(name), bytes)]);
    read(request.header("content-type", content_type()).body(body)).await
}

/// Uploads one file.
pub async fn upload(user: &User<'_>, name: &str, bytes: &[u8]) -> Answer {
    send(user, form(&[("file", Some(name), bytes)])).await
}

/// The same of a file that is taken; gives its id.
pub async fn taken(user: &User<'_>, name: &str, bytes: &[u8]) -> String {
    let answer = upload(user, name, bytes).await.ok();
    assert_eq!(answer["state"], "ready", "{answer}");
    answer["id"].as_str().unwrap().to_owned()
}

/// A PDF of these pages.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    pdf_with(pages, "")
}

/// The same with more in its trailer.
pub fn pdf_with(pages: &[&str], trailer: &str) -> Vec<u8> {
    let mut objects: Vec<String> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    objects.push("<< /Type /Catalog /Pages 2 0 R >>".to_owned());
    objects.push(format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")));
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned());
    for (page, text) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * page
        ));
        let drawn = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
        objects.push(format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()));
    }
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", at + 1).as_bytes());
    }
    let start = bytes.len();
    let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        end.push_str(&format!("{place:010} 00000 n \n"));
    }
    end.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    bytes.extend_from_slice(end.as_bytes());
    bytes
}

/// A PDF that only a password opens.
pub fn encrypted_pdf() -> Vec<u8> {
    let (o, u) = ("11".repeat(32), "22".repeat(32));
    let id = "33".repeat(16);
    pdf_with(
        &["secret"],
        &format!(
            "/ID [<{id}> <{id}>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{o}> /U <{u}> >>"
        ),
    )
}

/// A ZIP file with this in it.
pub fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A document of a word processor with this XML between its tags.
pub fn docx(body: &str) -> Vec<u8> {
    docx_with("", body)
}

/// The same with something before its first tag.
pub fn docx_with(prolog: &str, body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>{prolog}<w:document xmlns:w=\"http://w\"><w:body>{body}</w:body></w:document>"
    );
    zip_of(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", document.as_bytes())])
}

/// A document that is small and unpacks to very much.
pub fn bomb() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"<w:document xmlns:w=\"http://w\"><w:body><w:p><w:r>").unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..200 {
        zip.write_all(&blanks).unwrap();
    }
    zip.write_all(b"</w:r></w:p></w:body></w:document>").unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 2 << 20, "{}", bytes.len());
    bytes
}

/// The problem's sentence.
#[track_caller]
pub fn sentence(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let detail = &answer.json()["detail"];
    detail.as_str().map_or_else(|| detail.to_string(), str::to_owned)
}
