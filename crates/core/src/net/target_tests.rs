//! The addresses that may be fetched, as tables.

use super::*;
use crate::net::address::is_public;

fn judged(text: &str, allowed: &[&str]) -> Result<Reach, Refused> {
    let allowed: Vec<_> = allowed.iter().map(|host| host.parse().expect(host)).collect();
    judge(&parse(text)?, &allowed, is_public)
}

#[test]
fn the_public_web_may_be_fetched() {
    for text in [
        "http://example.com",
        "https://example.com/a?b#c",
        " https://example.com/ ",
        "HTTPS://EXAMPLE.COM:443/",
        "https://example.com:80/",
        "https://example.com./",
        "https://müller.example/",
        "http://1.1.1.1/",
        "https://[2606:4700::1111]/",
        "https://localhost.example.com/",
        "https://mylocal.example/",
    ] {
        assert_eq!(judged(text, &[]), Ok(Reach::Public), "{text}");
    }
}

#[test]
fn this_machine_and_its_network_may_not_however_they_are_written() {
    for text in [
        "http://127.0.0.1/",
        "http://127.0.0.1:80/",
        "http://127.1/",
        "http://0/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.01/",
        "http://127.0.0.1./",
        "http://127%2e0.0.1/",
        "http://%31%32%37.0.0.1/",
        "http://127。0。0。1/",
        "http://１２７.０.０.１/",
        "http://①②⑦.⓪.⓪.①/",
        "http:127.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "http:///127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0xa9fea9fe/",
        "http://2852039166/",
        "http://100.100.100.200/",
        "http://192.0.0.192/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://172.16.0.1/",
        "http://255.255.255.255/",
        "http://[::]/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::127.0.0.1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:7f00:1::]/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://lo%63alhost/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://a.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://router.lan/",
        "http://nas.home.arpa/",
        "http://metadata/",
    ] {
        assert_eq!(judged(text, &[]), Err(Refused::Address), "{text}");
    }
}

#[test]
fn whatever_else_may_not_be_fetched_says_why() {
    for (text, why) in [
        ("", Refused::NoAddress),
        ("example.com", Refused::NoAddress),
        ("//example.com/", Refused::NoAddress),
        ("http://", Refused::NoAddress),
        ("http://[::1", Refused::NoAddress),
        ("http://[fe80::1%25eth0]/", Refused::NoAddress),
        ("http://256.1.1.1/", Refused::NoAddress),
        ("http://1.2.3.4.5/", Refused::NoAddress),
        ("http://exa mple.com/", Refused::NoAddress),
        ("http://example.com:99999/", Refused::NoAddress),
        (&format!("https://example.com/{}", "x".repeat(4096)), Refused::Length),
        ("http://127.0.0.1\t/", Refused::Characters),
        ("http://12\n7.0.0.1/", Refused::Characters),
        ("h\tt\tt\tps://exam\tple.com/", Refused::Characters),
        ("https://example.com/a\u{7f}", Refused::Characters),
        ("file:///etc/passwd", Refused::Scheme),
        ("gopher://example.com/_x", Refused::Scheme),
        ("data:text/html,hello", Refused::Scheme),
        ("ftp://example.com/", Refused::Scheme),
        ("javascript:alert(1)", Refused::Scheme),
        ("unix:/run/docker.sock", Refused::Scheme),
        ("dict://127.0.0.1:11211/stat", Refused::Scheme),
        ("https://ada:secret@example.com/", Refused::Credentials),
        ("https://ada@example.com/", Refused::Credentials),
        ("https://:secret@example.com/", Refused::Credentials),
        ("https://example.com@127.0.0.1/", Refused::Credentials),
        ("https://example.com:22/", Refused::Port),
        ("http://example.com:8080/", Refused::Port),
        ("http://1.1.1.1:6379/", Refused::Port),
    ] {
        assert_eq!(judged(text, &[]), Err(why), "{text}");
    }
}

#[test]
fn the_owner_can_allow_hosts_with_their_ports() {
    let allowed = ["intranet.example", "127.0.0.1:8080", "[::1]:81", "localhost:443", "nas"];
    for (text, expected) in [
        ("http://intranet.example/", Ok(Reach::Allowed)),
        ("https://INTRANET.example./x", Ok(Reach::Allowed)),
        ("http://intranet.example:8080/", Err(Refused::Port)),
        ("http://sub.intranet.example/", Ok(Reach::Public)),
        ("http://127.0.0.1:8080/", Ok(Reach::Allowed)),
        ("http://0x7f.1:8080/", Ok(Reach::Allowed)),
        ("http://127.0.0.1/", Err(Refused::Address)),
        ("http://127.0.0.1:8081/", Err(Refused::Address)),
        ("http://[::1]:81/", Ok(Reach::Allowed)),
        ("http://[::1]/", Err(Refused::Address)),
        ("https://localhost/", Ok(Reach::Allowed)),
        ("http://localhost/", Err(Refused::Address)),
        ("http://nas/", Ok(Reach::Allowed)),
        ("http://ada@nas/", Err(Refused::Credentials)),
        ("ftp://nas/", Err(Refused::Scheme)),
    ] {
        assert_eq!(judged(text, &allowed), expected, "{text}");
    }
}

#[test]
fn what_is_no_host_cannot_be_allowed() {
    for text in [
        "",
        "http://example.com",
        "example.com/x",
        "ada@example.com",
        "a b",
        ":80",
        "*",
    ] {
        assert!(text.parse::<AllowedHost>().is_err(), "{text}");
    }
    for text in ["example.com", "example.com:8080", "[::1]:443", "10.0.0.1"] {
        assert_eq!(text.parse::<AllowedHost>().expect(text).to_string(), text);
    }
}
