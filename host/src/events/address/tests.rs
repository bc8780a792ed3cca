//! Hostile URLs, names and addresses. The random ones are judged a second time by a table of its own: every network of the IANA registries
//! as text, read by another crate.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use proptest::prelude::*;

use super::{Reached, Target, is_public};

/// The special-purpose registries of IANA as text, those that are not globally reachable, and what of IPv6 is not given out.
const REGISTRY: &str = "
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
    192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
    ::/128 ::1/128 ::ffff:0:0/96 ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:2::/48 2001:10::/28
    2001:20::/28 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
    0000::/8 0100::/8 0200::/7 0400::/6 0800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5
    f800::/6 fe00::/9";

fn registry() -> Vec<IpNet> {
    REGISTRY.split_whitespace().map(|text| text.parse().expect("a network")).collect()
}

/// By the registry: an address behind a translator is as public as the one within.
fn is_public_by_registry(networks: &[IpNet], address: IpAddr) -> bool {
    if let IpAddr::V6(v6) = address
        && "64:ff9b::/96".parse::<IpNet>().is_ok_and(|nat64| nat64.contains(&address))
    {
        let [.., high, low] = v6.segments();
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        return is_public_by_registry(networks, IpAddr::from([a, b, c, d]));
    }
    !networks.iter().any(|network| network.contains(&address))
}

#[test]
fn the_edges_of_every_network() {
    let networks = registry();
    let mut tried = 0;
    for network in &networks {
        let (first, last) = (network.network(), network.broadcast());
        let around = match (first, last) {
            (IpAddr::V4(first), IpAddr::V4(last)) => {
                [first.to_bits().wrapping_sub(1), first.to_bits(), last.to_bits(), last.to_bits().wrapping_add(1)]
                    .map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)))
            }
            (IpAddr::V6(first), IpAddr::V6(last)) => {
                [first.to_bits().wrapping_sub(1), first.to_bits(), last.to_bits(), last.to_bits().wrapping_add(1)]
                    .map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)))
            }
            _ => panic!("a network of two kinds"),
        };
        for address in around {
            assert_eq!(is_public(address), is_public_by_registry(&networks, address), "{address} next to {network}");
            tried += 1;
        }
    }
    assert!(tried > 150, "only {tried}");
}

#[test]
fn addresses_by_name() {
    for public in
        ["1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "192.0.1.1", "2606:4700::1111", "64:ff9b::808:808"]
    {
        assert!(is_public(public.parse().expect("an address")), "{public}");
    }
    for forbidden in [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "198.19.255.255",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "::ffff:8.8.8.8",
        "::10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3fff::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
    ] {
        assert!(!is_public(forbidden.parse().expect("an address")), "{forbidden}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_whole_of_ipv4(bits: u32) {
        let address = IpAddr::V4(Ipv4Addr::from_bits(bits));
        prop_assert_eq!(is_public(address), is_public_by_registry(&registry(), address), "{}", address);
    }

    #[test]
    fn the_whole_of_ipv6(bits: u128) {
        let address = IpAddr::V6(Ipv6Addr::from_bits(bits));
        prop_assert_eq!(is_public(address), is_public_by_registry(&registry(), address), "{}", address);
    }

    /// Where the special networks are: most of the whole is not assigned.
    #[test]
    fn ipv6_where_it_is_given_out(
        first in prop_oneof![Just(0x2000_u128), Just(0x2001), Just(0x2002), Just(0x3fff), Just(0x64), Just(0), 0x2000_u128..0x4000],
        second in prop_oneof![Just(0_u128), Just(0xdb8), Just(0xff9b), 0_u128..0x10000],
        rest in any::<u128>(),
        zeros in 0_u32..96,
    ) {
        let rest = (rest << 32) >> 32 >> zeros;
        let address = IpAddr::V6(Ipv6Addr::from_bits(first << 112 | second << 96 | rest));
        prop_assert_eq!(is_public(address), is_public_by_registry(&registry(), address), "{}", address);
    }

    #[test]
    fn mapped_addresses_are_never_public_and_translated_ones_as_those_within(bits: u32) {
        let within = Ipv4Addr::from_bits(bits);
        prop_assert!(!is_public(IpAddr::V6(within.to_ipv6_mapped())));
        let translated = Ipv6Addr::from_bits(0x64_ff9b << 96 | u128::from(bits));
        prop_assert_eq!(is_public(IpAddr::V6(translated)), is_public(IpAddr::V4(within)));
    }
}

/// `Some`: the host and the path that are called.
fn read(url: &str) -> Option<(String, String)> {
    let target = Target::parse_new(url, &[])?;
    assert_eq!(target.reached, Reached::ByName, "{url}");
    Some((target.host, target.path))
}

#[test]
fn urls_that_are_taken() {
    for (url, host, path) in [
        ("https://hooks.example.com", "hooks.example.com", "/"),
        ("https://hooks.example.com/", "hooks.example.com", "/"),
        ("https://hooks.example.com:443/a/b", "hooks.example.com", "/a/b"),
        ("HTTPS://Hooks.Example.COM/A", "hooks.example.com", "/A"),
        ("https://xn--bcher-kva.example/x", "xn--bcher-kva.example", "/x"),
        ("https://a-b.c-d.example.co.uk/%20x", "a-b.c-d.example.co.uk", "/%20x"),
        ("https://10.example.com/", "10.example.com", "/"),
        ("https://localhost.example.com/", "localhost.example.com", "/"),
    ] {
        assert_eq!(read(url), Some((host.to_owned(), path.to_owned())), "{url}");
    }
}

/// [P12] Forms of URLs that lead elsewhere than to the TLS port of a public name.
const REFUSED: &[&str] = &[
    // No https, or none at all.
    "http://hooks.example.com/",
    "http://hooks.example.com:443/",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "gopher://hooks.example.com/",
    "wss://hooks.example.com/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "hooks.example.com",
    "//hooks.example.com/",
    "https:",
    "https://",
    "https:///",
    "https://:443/",
    "",
    " ",
    // Ports.
    "https://hooks.example.com:8443/",
    "https://hooks.example.com:80/",
    "https://hooks.example.com:0/",
    "https://hooks.example.com:65536/",
    "https://hooks.example.com:443443/",
    "https://hooks.example.com:22/",
    "https://hooks.example.com:-1/",
    // Users, queries, fragments.
    "https://user@hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://@hooks.example.com/",
    "https://:@hooks.example.com/",
    "https://hooks.example.com@127.0.0.1/",
    "https://127.0.0.1@hooks.example.com/",
    "https://hooks.example.com/?a=b",
    "https://hooks.example.com/?",
    "https://hooks.example.com?",
    "https://hooks.example.com/#a",
    "https://hooks.example.com/#",
    "https://hooks.example.com#@127.0.0.1/",
    "https://127.0.0.1#.example.com/",
    "https://127.0.0.1?.example.com/",
    // IPv4 in every spelling.
    "https://127.0.0.1/",
    "https://8.8.8.8/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0177.0.0.01/",
    "https://127.0.0.1./",
    "https://127.0.0.1:443/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://192.168.0.1/",
    "https://172.16.0.1/",
    "https://255.255.255.255/",
    "https://256.256.256.256/",
    "https://1.2.3.4.5/",
    "https://999999999999/",
    "https://%31%32%37.0.0.1/",
    "https://127%2e0%2e0%2e1/",
    "https://127。0。0。1/",
    "https://①②⑦.⓪.⓪.①/",
    "https://１２７.0.0.1/",
    // IPv6.
    "https://[::1]/",
    "https://[::1]:443/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:ffff:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2001:4860:4860::8888]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fc00::1]/",
    "https://[ff02::1]/",
    "https://[::1",
    "https://::1/",
    // Names of nowhere.
    "https://localhost/",
    "https://localhost:443/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://sub.localhost/",
    "https://loopback.local/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://db.internal/",
    "https://shop.corp/",
    "https://router.lan/",
    "https://nas.home/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://home.arpa/",
    "https://name.invalid/",
    "https://facebookcorewwwi.onion/",
    "https://gnu.alt/",
    "https://wiki.intranet/",
    "https://hooks/",
    "https://postgres/",
    "https://kubernetes/",
    // Names that are none.
    "https://-a.example.com/",
    "https://a-.example.com/",
    "https://a..example.com/",
    "https://.example.com/",
    "https://example.com./",
    "https://example.com../",
    "https://a_b.example.com/",
    "https://*.example.com/",
    "https://a b.example.com/",
    "https://a%00.example.com/",
    "https://a%2fb.example.com/",
    "https://exam%0aple.com/",
    "https://ex!ample.com/",
    "https://example.123/",
    "https://example.0x7f/",
    // URLs that a parser would correct.
    "https:hooks.example.com/hook",
    "https:/hooks.example.com/hook",
    "https:///hooks.example.com/hook",
    "https:////hooks.example.com/hook",
    "https://hooks.exa%6dple.com/hook",
    "https://hooks%2eexample.com/hook",
    "https://hooks.example.com:/hook",
    "https://hooks.example.com:0443/hook",
    "https://hooks.example.com:00443/hook",
    "https://hooks.example.com:443:443/hook",
    "https://hooks.example.com/a/../hook",
    "https://hooks.example.com/./hook",
    "https://hooks.example.com/..",
    "https://hooks.example.com/a/%2e%2e/hook",
    "https://hooks.example.com/{id}",
    "https://hooks.example.com/\"hook\"",
    "https:\\\\hooks.example.com\\",
    "https://hooks.example.com\\@127.0.0.1/",
    "https:/\\hooks.example.com/",
    "https://hooks.exa\tmple.com/",
    "https://hooks.example.com/\n",
    "\thttps://hooks.example.com/",
    " https://hooks.example.com/",
    "https://hooks.example.com/ ",
    "https://hooks.example.com/\r\nHost: x",
    "https://hooks.example.com/\0",
    "https://hooks.example.com/ä",
    "https://bücher.example/",
    "https://hooks\u{00ad}.example.com/",
    "https://hooks.example\u{3002}com/",
    "https://example\u{ff0e}com/",
];

#[test]
fn p12_urls_that_are_refused() {
    assert!(REFUSED.len() >= 120, "only {}", REFUSED.len());
    for url in REFUSED {
        assert_eq!(read(url), None, "{url:?}");
    }
    let long = |length: usize| format!("https://hooks.example.com/{}", "a".repeat(length - 26));
    assert!(read(&long(2048)).is_some() && read(&long(2049)).is_none());
    assert_eq!(read(&format!("https://{}.example.com/", "a".repeat(64))), None);
    assert_eq!(read(&format!("https://{}com/", "abcdefg.".repeat(32))), None);
}

/// An endpoint of before such URLs were rejected is called where the parser leads, as it was.
#[test]
fn a_url_that_was_taken_once_is_called_still() {
    for (url, path) in [("https:hooks.example.com/hook", "/hook"), ("https://hooks.example.com:0443/a/../b", "/b")] {
        let target = Target::parse(url, &[]).expect("a target");
        assert_eq!((target.host.as_str(), target.path.as_str()), ("hooks.example.com", path));
    }
    assert_eq!(Target::parse("https:127.0.0.1/hook", &[]), None, "the address is judged all the same");
}

#[test]
fn a_development_host_takes_what_its_settings_name() {
    let local: [SocketAddr; 2] =
        ["127.0.0.1:9000".parse().expect("an address"), "[::1]:9001".parse().expect("an address")];
    let reached = |url: &str| Target::parse(url, &local).map(|target| target.reached);
    assert_eq!(reached("http://127.0.0.1:9000/x"), Some(Reached::Locally(local[0])));
    assert_eq!(reached("http://localhost:9000/x"), Some(Reached::Locally(local[0])));
    assert_eq!(reached("http://[::1]:9001/"), Some(Reached::Locally(local[1])));
    for other in [
        "http://127.0.0.1:9001/",
        "http://127.0.0.2:9000/",
        "https://127.0.0.1:9000/",
        "http://127.0.0.1:9000/?a",
        "http://u@127.0.0.1:9000/",
        "http://hooks.example.com:9000/",
        "http://127.0.0.1/",
    ] {
        assert_eq!(reached(other), None, "{other}");
    }
}
