use secrecy::ExposeSecret as _;

use super::tests::{errors, load};

const WHOLE: &str = r#"[attachments.s3]
endpoint = "https://s3.example/"
bucket = "council-files"
access_key_id = "AK"
secret_access_key = "hidden""#;

#[test]
fn without_a_word_of_one_there_is_none() {
    let s3 = load("[attachments]\nmax_bytes = 1000", &[]).unwrap().attachments.s3;
    assert!(s3.endpoint.is_none() && s3.bucket.is_none() && s3.secret_access_key.is_none());
}

#[test]
fn a_whole_one_has_the_usual_for_the_rest() {
    let config = load(WHOLE, &[]).unwrap();
    let s3 = &config.attachments.s3;
    assert_eq!(s3.endpoint.as_ref().unwrap().as_str(), "https://s3.example/");
    assert_eq!(
        (s3.region.as_str(), s3.prefix.as_str(), s3.path_style, s3.from_bytes),
        ("us-east-1", "", true, 65_536)
    );
    assert_eq!(s3.secret_access_key.as_ref().unwrap().expose_secret(), "hidden");
    assert!(!format!("{config:?}").contains("hidden"));
    assert_eq!(config.attachments.max_bytes, 10_485_760, "the section around it is whole");
}

#[test]
fn the_secret_comes_by_environment_or_file_too() {
    let toml = WHOLE.replace("secret_access_key", "region").replace("hidden", "eu-central-1");
    let env = ("LLM_COUNCIL__ATTACHMENTS__S3__SECRET_ACCESS_KEY", "of the environment");
    let s3 = load(&toml, &[env]).unwrap().attachments.s3;
    assert_eq!(s3.secret_access_key.unwrap().expose_secret(), "of the environment");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "of a file\n").unwrap();
    let env = ("LLM_COUNCIL__ATTACHMENTS__S3__SECRET_ACCESS_KEY_FILE", file.path().to_str().unwrap());
    let s3 = load(&toml, &[env]).unwrap().attachments.s3;
    assert_eq!(s3.secret_access_key.unwrap().expose_secret(), "of a file");
}

#[test]
fn any_key_of_it_asks_for_what_it_needs_all_at_once() {
    let needed = ["endpoint", "bucket", "access_key_id", "secret_access_key"];
    for (key, value) in
        [("region", "\"eu-1\""), ("from_bytes", "1"), ("path_style", "true"), ("prefix", "\"a/\"")]
    {
        let text = errors(&format!("[attachments.s3]\n{key} = {value}"), &[]);
        for needed in needed {
            assert!(text.contains(&format!("attachments.s3.{needed}: is required")), "{key}: {text}");
        }
    }
    let text = errors("[attachments.s3]\nendpoint = \"nothing\"\nsecret_access_key = \"hidden\"", &[]);
    assert!(text.contains("attachments.s3.endpoint (from config.toml): is not a URL"), "{text}");
    assert!(
        text.contains("s3.bucket: is required") && text.contains("s3.access_key_id: is required"),
        "{text}"
    );
    assert!(!text.contains("hidden") && !text.contains("s3.endpoint: is required"), "{text}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (key, bad) in [
        ("endpoint", "ftp://s3.example"),
        ("endpoint", "https://me:hidden@s3.example"),
        ("endpoint", "https://s3.example/?a=b"),
        ("bucket", "No Bucket"),
        ("bucket", "ab"),
        ("bucket", "a..b"),
        ("bucket", "-ab"),
        ("region", "eu/1"),
        ("prefix", "/a/"),
        ("prefix", "a/../b/"),
        ("prefix", "a b/"),
        ("prefix", "a//b"),
        ("access_key_id", "hidden/with a slash"),
    ] {
        let line = WHOLE.lines().find(|line| line.starts_with(&format!("{key} = ")));
        let bad_line = format!("{key} = \"{bad}\"");
        let toml = line.map_or_else(|| format!("{WHOLE}\n{bad_line}"), |line| WHOLE.replace(line, &bad_line));
        let text = errors(&toml, &[]);
        assert!(text.starts_with(&format!("attachments.s3.{key} (from config.toml)")), "{bad}: {text}");
        assert!(!text.contains("hidden"), "{text}");
    }
    let by_address = WHOLE.replace("https://s3.example/", "http://10.0.0.1:9000");
    let text = errors(&format!("{by_address}\npath_style = false"), &[]);
    assert!(text.contains("a bucket cannot be put before an IP address"), "{text}");
}

#[test]
fn a_store_without_tls_beyond_ones_own_networks_is_said() {
    let notices = |endpoint: &str| {
        let config = load(&WHOLE.replace("https://s3.example/", endpoint), &[]).unwrap();
        config.notices.iter().filter(|notice| notice.contains("attachments.s3.endpoint")).count()
    };
    for near in [
        "https://s3.example",
        "http://minio:9000",
        "http://localhost:9000",
        "http://127.0.0.1:9000",
        "http://192.168.1.2:9000",
        "http://[::1]:9000",
        "http://minio.storage.svc",
        "http://minio.storage.svc.cluster.local",
    ] {
        assert_eq!(notices(near), 0, "{near}");
    }
    for far in ["http://s3.example", "http://1.2.3.4:9000", "http://[2606:4700::1111]"] {
        assert_eq!(notices(far), 1, "{far}");
    }
}
