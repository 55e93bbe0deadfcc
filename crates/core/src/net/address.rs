//! The addresses of the public internet: a pure rule, by the registries of special-purpose addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public: (network, bits).
const RESERVED: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT, and a cloud's metadata
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host, under a public address
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, and most clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments, and a cloud's metadata
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 31, 196, 0), 24),  // AS112
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, and broadcast
];

/// IPv6 networks within 2000::/3 that are not public: (network, bits). Outside of it nothing is.
const RESERVED_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, benchmarks, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether an address is one of the public internet. An IPv6 address that carries IPv4 addresses is judged by those.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !RESERVED
        .iter()
        .any(|(network, length)| (bits ^ network.to_bits()).leading_zeros() >= *length)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let carried = carried(address);
    if !carried.is_empty() {
        return carried.into_iter().all(is_public_v4);
    }
    let within = |network: Ipv6Addr, length: u32| (address.to_bits() ^ network.to_bits()).leading_zeros() >= length;
    within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !RESERVED_V6.iter().any(|(network, length)| within(*network, *length))
}

/// The IPv4 addresses that an IPv6 address leads to, by the mechanism that it belongs to.
fn carried(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    let parts = address.segments();
    let last = v4(parts[6], parts[7]);
    match parts {
        // Compatible (and with it `::` and `::1`), mapped, translated (SIIT), and NAT64.
        [0, 0, 0, 0, 0, 0, _, _]
        | [0, 0, 0, 0, 0, 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => vec![last],
        // 6to4.
        [0x2002, high, low, ..] => vec![v4(high, low)],
        // Teredo: its server, and the client with every bit turned.
        [0x2001, 0, high, low, ..] => vec![v4(high, low), Ipv4Addr::from_bits(!last.to_bits())],
        // ISATAP, behind any prefix of 2000::/3.
        [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, _, _] => vec![last],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn judged(text: &str) -> bool {
        is_public(text.parse().expect(text))
    }

    #[test]
    fn addresses_of_the_public_internet_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
            "2a00:1450:4001::200e",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(judged(text), "{text}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:0:808:808::f5ff:fffe",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:c0a8:1::1",
            "2a00::5efe:10.0.0.1",
            "2a00::200:5efe:127.0.0.1",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!judged(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_ipv4_address_in_any_ipv6_form_is_judged_as_that_address(bits: u32, prefix in 0x2400_u16..0x3000) {
            let v4 = Ipv4Addr::from_bits(bits);
            let (low, wide) = (u128::from(bits), u128::from(bits) << 80);
            let google = u128::from(Ipv4Addr::new(8, 8, 8, 8).to_bits());
            let forms = [
                low,
                0xffff << 32 | low,
                0xffff << 48 | low,
                0x64_ff9b << 96 | low,
                0x2002 << 112 | wide,
                0x2002 << 112 | wide | 1,
                0x2001_0000 << 96 | google << 64 | u128::from(!bits),
                0x2001_0000 << 96 | low << 64 | u128::from(!Ipv4Addr::new(8, 8, 8, 8).to_bits()),
                u128::from(prefix) << 112 | 0x5efe << 32 | low,
                u128::from(prefix) << 112 | 0x0200_5efe << 32 | low,
            ];
            for form in forms.map(Ipv6Addr::from_bits) {
                prop_assert_eq!(is_public(form.into()), is_public(v4.into()), "{} in {}", v4, form);
            }
        }

        #[test]
        fn what_the_standard_library_calls_private_is_never_public(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
                || v4.is_documentation() || v4.is_broadcast() || v4.is_unspecified();
            prop_assert!(!(special && is_public(v4.into())), "{}", v4);
        }
    }
}
