//! Access logs of web servers and of S3.

use super::*;

const WEB: &str = r#"192.0.2.1 - - [28/Nov/2026:04:00:00 +0000] "GET /a/1.webp?w=2 HTTP/1.1" 200 5120 "-" "curl/8.5 (\"x\")"
2001:db8::7 - ada [28/Nov/2026:04:00:00 +0000] "GET /a/2.webp HTTP/2.0" 404 153 "https://example.org/" "Mozilla/5.0"
192.0.2.1 - - [28/Nov/2026:05:00:01 +0100] "PUT /a/2.webp HTTP/1.1" 201 0 "-" "curl/8.5"
192.0.2.1 - - [28/Nov/2026:04:00:02 +0000] "HEAD /a/1.webp HTTP/1.1" 200 0 "-" "curl/8.5"
192.0.2.1 - - [28/Nov/2026:04:00:02 +0000] "GET /a/1.webp HTTP/1.1" 304 0 "-" "curl/8.5"
192.0.2.1 - - [28/Nov/2026:04:00:02 +0000] "DELETE /a/2.webp HTTP/1.1" 204 -
192.0.2.1 - - [28/Nov/2026:04:00:03 +0000] "\x16\x03\x01" 400 157 "-" "-"
192.0.2.1 - - [28/Nov/2026:04:00:03 +0000] "GET /old HTTP/1.1" 301 162 "-" "-"
"#;

#[test]
fn requests_of_a_web_server_are_operations() {
    use Operation::{Delete, Get, Upsert};
    let log = read(WEB).unwrap();
    let expected = [
        row(Get, "/a/1.webp?w=2", 5120),
        row(Get, "/a/2.webp", 0),
        row(Upsert, "/a/2.webp", None),
        row(Get, "/a/1.webp", None),
        row(Get, "/a/1.webp", None),
        row(Delete, "/a/2.webp", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (2, 0), "a bad request and a redirect");
    let times: Vec<_> = log.times.iter().map(|time_s| time_s.unwrap() - log.times[0].unwrap()).collect();
    assert_eq!(times, [0.0, 0.0, 1.0, 2.0, 2.0, 2.0]);
    let form = r#"192.0.2.1 - - [28/Nov/2026:04:00:04 +0000] "POST /form HTTP/1.1" 200 12 "-" "-""#;
    let why = read(WEB.to_owned() + form).unwrap_err();
    assert!(why.contains("1 lines next to 6 operations") && why.contains("--ignore post"), "{why}");
    assert_eq!(read_with(WEB.to_owned() + form, &ignoring(&["POST"])).unwrap().rows.len(), 6);
    for method in ["PUT", "POST"] {
        let refused = WEB.to_owned() + &form.replace("POST", method).replace(" 200 ", " 404 ");
        let log = read(&refused).unwrap();
        assert_eq!((log.rows.len(), log.omitted.without_record), (6, 3), "{method} of a path that is not there");
    }
}

/// The command that the message names sorts the log.
#[test]
fn a_log_that_is_not_in_order_can_be_sorted() {
    let line = |day: &str, time: &str| {
        format!("192.0.2.1 - - [{day}:{time} +0000] \"GET /{time} HTTP/1.1\" 200 7 \"-\" \"-\"\n")
    };
    let log = [("01/Dec/2026", "00:00:01"), ("30/Nov/2026", "23:59:59"), ("01/Dec/2026", "00:00:00")];
    let log: String = log.iter().map(|(day, time)| line(day, time)).collect();
    let why = read(&log).unwrap_err();
    let begin = why.find("LC_ALL=C sort").expect("the command");
    let command = &why[begin..begin + why[begin..].find(" FILE").unwrap()];
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("log"), &log).unwrap();
    let command = format!("{command} log");
    let sorted = std::process::Command::new("sh").args(["-c", &command]).current_dir(&directory).output().unwrap();
    let keys: Vec<_> = read(sorted.stdout).unwrap().rows.into_iter().map(|row| row.1).collect();
    assert_eq!(keys, [&b"/23:59:59"[..], b"/00:00:00", b"/00:00:01"]);
}

/// As the guide of S3 has them, shortened.
const S3: &str = r#"79a59df9 shop [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a59df9 3E57427F3EXAMPLE REST.GET.VERSIONING - "GET /shop?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" - s9lz= SigV4 ECDHE-RSA AuthHeader shop.s3.us-west-1.amazonaws.com TLSV1.2 - -
79a59df9 shop [06/Feb/2019:00:01:57 +0000] 192.0.2.3 79a59df9 DD6CC733AEXAMPLE REST.PUT.OBJECT s3-dg.pdf "PUT /shop/s3-dg.pdf HTTP/1.1" 200 - - 4406583 41754 28 "-" "S3Console/0.4" - 10S6= SigV4 ECDHE-RSA AuthHeader shop.s3.us-west-1.amazonaws.com TLSV1.2 - -
79a59df9 shop [06/Feb/2019:00:01:58 +0000] 192.0.2.3 79a59df9 DD6CC734AEXAMPLE REST.GET.OBJECT s3-dg.pdf "GET /shop/s3-dg.pdf HTTP/1.1" 206 - 1024 4406583 41754 28 "-" "S3Console/0.4" - 10S6= SigV4 ECDHE-RSA AuthHeader shop.s3.us-west-1.amazonaws.com TLSV1.2 - -
79a59df9 shop [06/Feb/2019:00:01:59 +0000] 192.0.2.3 - DD6CC735AEXAMPLE REST.HEAD.OBJECT a%2520b%2Fc "HEAD /shop/a%20b/c HTTP/1.1" 404 NoSuchKey 300 - 7 - "-" "-" - 10S6= - ECDHE-RSA - shop.s3.us-west-1.amazonaws.com TLSV1.2 - -
79a59df9 logs [06/Feb/2019:00:02:00 +0000] 192.0.2.3 79a59df9 DD6CC736AEXAMPLE BATCH.DELETE.OBJECT s3-dg.pdf - 204 - - 12 - - - - - 10S6= SigV4 ECDHE-RSA AuthHeader logs.s3.us-west-1.amazonaws.com TLSV1.2 - -
79a59df9 shop [06/Feb/2019:00:02:01 +0000] 192.0.2.3 79a59df9 DD6CC737AEXAMPLE REST.GET.OBJECT s3-dg.pdf "GET /shop/s3-dg.pdf HTTP/1.1" 403 AccessDenied 243 - 7 - "-" "-" - 10S6= SigV4 ECDHE-RSA AuthHeader shop.s3.us-west-1.amazonaws.com TLSV1.2 - -
"#;

#[test]
fn requests_of_s3_are_operations() {
    use Operation::{Delete, Get, Upsert};
    let log = read(S3).unwrap();
    let expected = [
        row(Upsert, "s3-dg.pdf", 4_406_583),
        row(Get, "s3-dg.pdf", 4_406_583),
        row(Get, "a%20b/c", 0),
        row(Delete, "logs:s3-dg.pdf", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (2, 0));
    assert_eq!(log.times[3].unwrap() - log.times[0].unwrap(), 3.0);
    let list = S3.lines().next().unwrap().replace("REST.GET.VERSIONING", "REST.GET.BUCKET");
    assert!(read(S3.to_owned() + &list).unwrap_err().contains("--ignore rest.get.bucket"));
}
