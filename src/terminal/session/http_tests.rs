use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::terminal::session::Step;

#[tokio::test]
async fn a_file_may_take_as_long_as_a_server_waits_for_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = Http::server(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    let slow_server = async {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"--\r\n") {
            assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0, "a whole request");
        }
        tokio::time::pause();
        tokio::time::sleep(Duration::from_secs(160)).await;
        tokio::time::resume();
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        connection.write_all(answer.as_bytes()).await.unwrap();
        connection
    };
    let (uploaded, _connection) = tokio::join!(http.upload("a.txt", b"text".to_vec()), slow_server);
    assert_eq!(uploaded, Ok(json!({})));
}

async fn request_of(listener: &TcpListener) -> TcpStream {
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0, "a whole request");
    }
    connection
}

#[tokio::test]
async fn a_question_that_may_have_arrived_is_given_up_after_minutes_and_said_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = Http::server(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    let server_that_is_lost = async {
        drop(request_of(&listener).await);
        drop(listener);
        tokio::time::pause();
    };
    let question = Question::first(serde_json::Map::new());
    let (following, ()) = tokio::join!(http.ask(question), server_that_is_lost);
    let mut following = following.unwrap();
    assert!(matches!(following.next().await, Some(Step::Lost(_))));
    let Some(Step::Gone(Trouble::NotReachable(why))) = following.next().await else {
        panic!("it is not given up");
    };
    assert!(why.contains(PERHAPS_ASKED), "{why}");
    assert_eq!(following.next().await, None);
}

#[tokio::test]
async fn a_server_that_shuts_down_says_so_once_however_often_it_is_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = Http::server(&format!("http://{}", listener.local_addr().unwrap()), None).unwrap();
    let leaves = "data: {\"type\":\"server_shutdown\"}\n\n";
    let started = format!("id: 1\ndata: {{\"type\":\"run_started\"}}\n\n{leaves}");
    let complete = "id: 2\ndata: {\"type\":\"complete\"}\n\n";
    let server = async {
        for events in [started.as_str(), leaves, complete] {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let answer = format!("{head}{events}");
            request_of(&listener).await.write_all(answer.as_bytes()).await.unwrap();
        }
    };
    let steps = async {
        let mut following = http.follow("a-run", 0).await.unwrap();
        let mut steps = Vec::new();
        while let Some(step) = following.next().await {
            steps.push(step);
        }
        steps
    };
    let (steps, ()) = tokio::join!(steps, server);
    let event = |seq, kind: &str| Step::Event { seq, event: json!({ "type": kind }) };
    let expected =
        [event(Some(1), "run_started"), event(None, "server_shutdown"), event(Some(2), "complete")];
    assert_eq!(steps, expected);
}

#[test]
fn no_gateway_makes_a_question_wait_for_hours() {
    let wait = |asked: &str| {
        let value = HeaderValue::from_str(asked).unwrap();
        wait_of(&HeaderMap::from_iter([(RETRY_AFTER, value)])).as_secs()
    };
    for (asked, seconds) in [
        ("5", 5),
        ("30", 30),
        ("3600", 30),
        ("18446744073709551615", 30),
        ("Fri, 31 Dec 2027 23:59:59 GMT", 1),
    ] {
        assert_eq!(wait(asked), seconds, "{asked}");
    }
    assert_eq!(wait_of(&HeaderMap::new()), PAUSE_AFTER_REFUSAL);
}

#[test]
fn an_address_is_the_same_however_it_is_written() {
    let kept = address("https://council.example.com").unwrap();
    for written in ["council.example.com", "https://council.example.com/", "HTTPS://Council.Example.com:443"]
    {
        assert_eq!(address(written), Some(kept.clone()), "{written}");
    }
    for other in ["http://council.example.com", "council.example.com:8443", "council.example.com/other"] {
        assert_ne!(address(other), Some(kept.clone()), "{other}");
    }
    for wrong in ["", "ftp://council.example.com", "https://"] {
        assert_eq!(address(wrong), None, "{wrong}");
    }
}
