//! A user agent's family and major version: enough for an audit entry, too little to follow a person by.

/// `curl/8`, `Chrome/126`; `None` where no family can be reported.
pub fn family(header: &str) -> Option<String> {
    // Most browsers claim to be others too: the first of these that is named is the true one.
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chromium/", "Chromium"),
        ("Chrome/", "Chrome"),
        ("Version/", "Safari"),
    ];
    for (token, name) in BROWSERS {
        if let Some((_, rest)) = header.split_once(token) {
            return Some(format!("{name}/{}", major(rest)?));
        }
    }
    let product = header.split_ascii_whitespace().next()?;
    let (name, version) = product.split_once('/')?;
    let plain = (1..=32).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if plain { Some(format!("{name}/{}", major(version)?)) } else { None }
}

fn major(version: &str) -> Option<&str> {
    let end = version.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(version.len());
    let digits = version.get(..end)?;
    (1..=6).contains(&digits.len()).then_some(digits)
}

#[cfg(test)]
mod tests {
    #[test]
    fn families() {
        let chrome =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
        for (header, family) in [
            ("curl/8.5.0", Some("curl/8")),
            (chrome, Some("Chrome/126")),
            ("Mozilla/5.0 (Macintosh) AppleWebKit/605 Version/17.4 Safari/605", Some("Safari/17")),
            ("my secret agent", None),
            ("x/abc", None),
            ("", None),
        ] {
            assert_eq!(super::family(header).as_deref(), family, "{header}");
        }
    }
}
