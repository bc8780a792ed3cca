//! A browser without script, for the pages of the console: it keeps cookies, follows redirects, and fills in and sends forms.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Stoa;
use crate::host::RUNTIME;

/// A browser; clones share its cookies.
#[derive(Clone)]
pub struct Browser {
    host: Stoa,
    /// `http://127.0.0.1:PORT`.
    origin: String,
    cookies: Arc<Mutex<Cookies>>,
}

/// Value and path by origin and name.
type Cookies = BTreeMap<(String, String), (String, String)>;

/// A response, with the address from which it came.
#[derive(Clone)]
pub struct Page {
    browser: Browser,
    pub status: u16,
    origin: String,
    /// Path and query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub bytes: Vec<u8>,
    pub html: String,
}

/// A form of a page, as it would be sent now.
pub struct Form {
    page: Page,
    method: String,
    action: String,
    is_multipart: bool,
    names: Vec<String>,
    pairs: Vec<(String, String)>,
    files: Vec<(String, Vec<u8>)>,
    /// Name, value and text.
    buttons: Vec<(String, String, String)>,
    /// Name, value and text.
    options: Vec<(String, String, String)>,
}

/// Redirects that are followed.
const LONGEST_WAY: usize = 10;

impl Stoa {
    /// A user's browser.
    pub fn browser(&self) -> Browser {
        Browser { host: self.clone(), origin: self.url(), cookies: Arc::default() }
    }

    /// An operator's browser, at the private listener.
    pub fn operator_browser(&self) -> Browser {
        let origin = format!("http://{}", self.private_address());
        Browser { host: self.clone(), origin, cookies: Arc::default() }
    }
}

impl Browser {
    /// Reads an address and follows where it leads.
    #[track_caller]
    pub fn open(&self, address: &str) -> Page {
        self.send("GET", address, &[], Vec::new()).arrive()
    }

    /// Signs in as a user of `--dev`, from the start page.
    #[track_caller]
    pub fn sign_in(&self, email: &str) -> Page {
        self.open("/console").is(200).form("sign-in").fill("email", email).submit("Sign in")
    }

    /// One request. The address is a path of the browser's host, or whole.
    #[track_caller]
    pub fn send(&self, method: &str, address: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Page {
        let host = address.find("://").filter(|_| address.starts_with("http")).map(|scheme| scheme + 3);
        let (origin, path) = match host.and_then(|host| address[host..].find('/').map(|end| host + end)) {
            Some(end) => (address[..end].to_owned(), address[end..].to_owned()),
            None => (self.origin.clone(), address.to_owned()),
        };
        assert!(path.starts_with('/'), "no address: {address}");
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.host.client().request(method, format!("{origin}{path}")).body(body);
        let cookies = self.cookies_for(&origin, &path);
        if !cookies.is_empty() {
            request = request.header("cookie", cookies);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (status, headers, bytes) = RUNTIME.block_on(async {
            let response = request.send().await.unwrap_or_else(|error| panic!("{address}: {error:?}"));
            let text = |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
            let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
            (response.status().as_u16(), headers, response.bytes().await.expect("a body").to_vec())
        });
        let html = String::from_utf8_lossy(&bytes).into_owned();
        let page = Page { browser: self.clone(), status, origin, path, headers, bytes, html };
        page.headers
            .iter()
            .filter(|(name, _)| name == "set-cookie")
            .for_each(|(_, cookie)| self.keep(&page.origin, cookie));
        page
    }

    fn cookies_for(&self, origin: &str, path: &str) -> String {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = cookies.iter().filter(|((host, _), (_, below))| host == origin && path.starts_with(below.as_str()));
        sent.map(|((_, name), (value, _))| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn keep(&self, origin: &str, cookie: &str) {
        let mut parts = cookie.split(';').map(str::trim);
        let (name, value) = parts.next().and_then(|pair| pair.split_once('=')).expect("a cookie");
        let attributes: Vec<(&str, &str)> = parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        let attribute =
            |name: &str| attributes.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
        let key = (origin.to_owned(), name.to_owned());
        let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        match attribute("max-age") {
            Some("0") => drop(cookies.remove(&key)),
            _ => drop(cookies.insert(key, (value.to_owned(), attribute("path").unwrap_or("/").to_owned()))),
        }
    }

    /// The cookies of the browser's host.
    pub fn cookies(&self) -> BTreeMap<String, String> {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = cookies.iter().filter(|((origin, _), _)| *origin == self.origin);
        kept.map(|((_, name), (value, _))| (name.clone(), value.clone())).collect()
    }

    /// Sets a cookie of the browser's host, for the path that it had or for all.
    pub fn set_cookie(&self, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let kept =
            cookies.entry((self.origin.clone(), name.to_owned())).or_insert_with(|| (String::new(), "/".to_owned()));
        kept.0 = value.to_owned();
    }
}

impl Page {
    /// Follows redirects and pages that lead on at once.
    #[track_caller]
    fn arrive(self) -> Page {
        let mut page = self;
        for _ in 0..LONGEST_WAY {
            let next = match page.header("location") {
                Some(location) if matches!(page.status, 302 | 303) => location.to_owned(),
                _ => match page.refresh() {
                    Some(address) => address,
                    None => return page,
                },
            };
            page = page.browser.send("GET", &page.address_of(&next), &[], Vec::new());
        }
        panic!("{} leads on and on", page.path)
    }

    fn refresh(&self) -> Option<String> {
        let tokens = read_tokens(&self.html);
        let content =
            tokens.iter().find_map(|token| token.attribute_of("meta", "http-equiv", "refresh")?.get("content"));
        content?.strip_prefix("0;url=").map(str::to_owned)
    }

    /// A link of this page as a whole address.
    pub fn address_of(&self, link: &str) -> String {
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        match link {
            _ if link.starts_with("http") => link.to_owned(),
            "" => format!("{}{}", self.origin, self.path),
            _ if link.starts_with('/') => format!("{}{link}", self.origin),
            _ => format!("{}{path}{link}", self.origin),
        }
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Page {
        assert_eq!(self.status, status, "{}\n{}", self.path, self.text());
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The texts below `body`, with single blanks.
    pub fn text(&self) -> String {
        let body = self.html.find("<body").map_or(self.html.as_str(), |start| &self.html[start..]);
        join_texts(&read_tokens(body))
    }

    pub fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The address of the first link with this text.
    #[track_caller]
    pub fn link(&self, text: &str) -> String {
        self.links().into_iter().find(|(shown, _)| shown == text).map(|(_, address)| address).unwrap_or_else(|| {
            panic!("{} has no link {text:?}, but {:?}", self.path, self.links());
        })
    }

    /// Text and address of every link.
    pub fn links(&self) -> Vec<(String, String)> {
        let tokens = read_tokens(&self.html);
        let links = read_elements(&tokens, "a")
            .into_iter()
            .filter_map(|(start, inner)| Some((join_texts(inner), start.get("href")?.to_owned())));
        links.collect()
    }

    #[track_caller]
    pub fn follow(&self, text: &str) -> Page {
        self.browser.open(&self.address_of(&self.link(text)))
    }

    /// The cells of every row of every table.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let tokens = read_tokens(&self.html);
        let cells = |row: &[Token]| {
            let mut cells = read_elements(row, "th");
            cells.extend(read_elements(row, "td"));
            cells.sort_by_key(|(start, _)| start.at);
            cells.iter().map(|(_, inner)| join_texts(inner)).collect()
        };
        read_elements(&tokens, "tr").into_iter().map(|(_, row)| cells(row)).collect()
    }

    /// The form with this `id`, else the first one whose `action` ends so.
    #[track_caller]
    pub fn form(&self, id: &str) -> Form {
        let tokens = read_tokens(&self.html);
        let forms = read_elements(&tokens, "form");
        let by_action =
            |(start, _): &&(&Token, &[Token])| start.get("action").is_some_and(|action| action.ends_with(id));
        let found =
            forms.iter().find(|(start, _)| start.get("id") == Some(id)).or_else(|| forms.iter().find(by_action));
        let names: Vec<_> = forms.iter().map(|(start, _)| (start.get("id"), start.get("action"))).collect();
        let (start, inner) =
            found.unwrap_or_else(|| panic!("{} has no form {id}, but {names:?}\n{}", self.path, self.text()));
        // Fields outside of the form belong to it by the attribute `form`.
        let is_own = |token: &Token| start.get("id").is_some_and(|id| token.get("form") == Some(id));
        let outside = tokens.iter().enumerate().filter(|(_, token)| is_own(token)).map(|(number, _)| &tokens[number..]);
        Form::read(self.clone(), start, (0..inner.len()).map(|number| &inner[number..]).chain(outside).collect())
    }
}

impl Form {
    /// `fields`: from each token of the form on.
    fn read(page: Page, start: &Token, fields: Vec<&[Token]>) -> Form {
        let text = |name: &str| start.get(name).unwrap_or_default().to_owned();
        let mut form = Form {
            page,
            method: text("method").to_ascii_uppercase(),
            action: text("action"),
            is_multipart: start.get("enctype") == Some("multipart/form-data"),
            names: Vec::new(),
            pairs: Vec::new(),
            files: Vec::new(),
            buttons: Vec::new(),
            options: Vec::new(),
        };
        for field in fields {
            let Some((token, after)) = field.split_first() else { continue };
            if token.is_end || token.get("disabled").is_some() {
                continue;
            }
            let name = token.get("name").unwrap_or_default().to_owned();
            let value = token.get("value").map(str::to_owned);
            let within = || until_end(after, &token.tag);
            match (token.tag.as_str(), token.get("type").unwrap_or_default()) {
                ("button", kind) if kind != "button" => {
                    form.buttons.push((name, value.unwrap_or_default(), join_texts(within())));
                    continue;
                }
                ("input", "file") if !name.is_empty() => {}
                ("input", "checkbox" | "radio") => {
                    let value = value.unwrap_or_else(|| "on".to_owned());
                    form.options.push((name.clone(), value.clone(), String::new()));
                    if token.get("checked").is_some() {
                        form.pairs.push((name.clone(), value));
                    }
                }
                ("input", _) => form.pairs.push((name.clone(), value.unwrap_or_default())),
                ("textarea", _) => {
                    let text: String = within().iter().map(|token| token.text.as_str()).collect();
                    form.pairs.push((name.clone(), text.strip_prefix('\n').unwrap_or(&text).to_owned()));
                }
                ("select", _) => {
                    let options = read_elements(within(), "option").into_iter().map(|(option, inner)| {
                        let text = join_texts(inner);
                        (
                            option.get("selected").is_some(),
                            option.get("value").map_or(text.clone(), str::to_owned),
                            text,
                        )
                    });
                    let options: Vec<(bool, String, String)> = options.collect();
                    let mut chosen: Vec<_> = options.iter().filter(|(is_chosen, ..)| *is_chosen).collect();
                    if chosen.is_empty() && token.get("multiple").is_none() {
                        chosen.extend(options.first());
                    }
                    form.pairs.extend(chosen.into_iter().map(|(_, value, _)| (name.clone(), value.clone())));
                    form.options.extend(options.into_iter().map(|(_, value, text)| (name.clone(), value, text)));
                }
                _ => continue,
            }
            form.names.push(name);
        }
        form
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The value of a field; empty for a box that is not checked.
    #[track_caller]
    pub fn value(&self, name: &str) -> &str {
        self.check(name);
        self.pairs.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value.as_str())
    }

    /// Value and text of the choices of a field.
    pub fn options(&self, name: &str) -> Vec<(&str, &str)> {
        let options = self.options.iter().filter(|(field, ..)| field == name);
        options.map(|(_, value, text)| (value.as_str(), text.as_str())).collect()
    }

    /// The texts of the buttons.
    pub fn buttons(&self) -> Vec<&str> {
        self.buttons.iter().map(|(.., text)| text.as_str()).collect()
    }

    #[track_caller]
    fn check(&self, name: &str) {
        assert!(
            self.names.iter().any(|other| other == name),
            "no field {name} on {}, but {:?}",
            self.page.path,
            self.names
        );
    }

    /// Types into a field, or chooses by value or by text.
    #[track_caller]
    pub fn fill(self, name: &str, value: &str) -> Form {
        self.choose(name, &[value])
    }

    /// Chooses all of these and no other.
    #[track_caller]
    pub fn choose(mut self, name: &str, values: &[&str]) -> Form {
        self.check(name);
        let position = self.pairs.iter().position(|(other, _)| other == name).unwrap_or(self.pairs.len());
        self.pairs.retain(|(other, _)| other != name);
        for (number, value) in values.iter().enumerate() {
            let by_text =
                self.options.iter().find(|(field, _, text)| field == name && text == value && !text.is_empty());
            let value = by_text.map_or(*value, |(_, value, _)| value.as_str()).to_owned();
            self.pairs.insert(position + number, (name.to_owned(), value));
        }
        self
    }

    #[track_caller]
    pub fn attach(mut self, name: &str, bytes: &[u8]) -> Form {
        self.check(name);
        self.files.push((name.to_owned(), bytes.to_vec()));
        self
    }

    /// Presses the button with this text or value; without one the first. Follows where the response leads.
    #[track_caller]
    pub fn submit(self, button: &str) -> Page {
        self.send(button).arrive()
    }

    /// The same without following.
    #[track_caller]
    pub fn send(mut self, button: &str) -> Page {
        let is_it =
            |(_, value, text): &&(String, String, String)| button.is_empty() || text == button || value == button;
        let pressed = self.buttons.iter().find(is_it).cloned();
        let (name, value, _) = pressed.unwrap_or_else(|| panic!("no button {button:?}, but {:?}", self.buttons));
        if !name.is_empty() {
            self.pairs.push((name, value));
        }
        let address = self.page.address_of(&self.action);
        if self.method != "POST" {
            let path = address.split('?').next().unwrap_or_default();
            return self.page.browser.send("GET", &format!("{path}?{}", encode(&self.pairs)), &[], Vec::new());
        }
        let (kind, body) = match self.is_multipart {
            false => ("application/x-www-form-urlencoded".to_owned(), encode(&self.pairs).into_bytes()),
            true => write_parts(&self.pairs, &self.files),
        };
        let headers = [("origin", self.page.origin.as_str()), ("content-type", kind.as_str())];
        self.page.browser.send("POST", &address, &headers, body)
    }
}

/// Pairs as a browser writes them into a query or a body.
pub fn encode(pairs: &[(String, String)]) -> String {
    let encoded = |text: &str| {
        let bytes = text.bytes().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => char::from(byte).to_string(),
            b' ' => "+".to_owned(),
            _ => format!("%{byte:02X}"),
        });
        bytes.collect::<String>()
    };
    pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect::<Vec<_>>().join("&")
}

fn write_parts(pairs: &[(String, String)], files: &[(String, Vec<u8>)]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "----stoa-suite-7c4f1a";
    let mut body = Vec::new();
    for (name, value) in pairs {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    for (name, bytes) in files {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"file\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        body.extend(head.into_bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

/// A tag with its attributes, or a text: then `tag` is empty.
#[derive(Debug)]
struct Token {
    at: usize,
    tag: String,
    is_end: bool,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Token {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    fn attribute_of(&self, tag: &str, name: &str, value: &str) -> Option<&Token> {
        (self.tag == tag && self.get(name) == Some(value)).then_some(self)
    }
}

/// The pages are written by one library: attributes are quoted or have no value.
fn read_tokens(html: &str) -> Vec<Token> {
    let (mut tokens, mut in_template) = (Vec::new(), false);
    let mut rest = html;
    while !rest.is_empty() {
        let at = html.len() - rest.len();
        let (tag, is_end, attributes, text);
        match rest.strip_prefix('<') {
            None => {
                let end = rest.find('<').unwrap_or(rest.len());
                (tag, is_end, attributes, text) = (String::new(), false, Vec::new(), unescape(&rest[..end]));
                rest = &rest[end..];
            }
            Some(inner) => {
                is_end = inner.starts_with('/');
                let inner = inner.trim_start_matches('/');
                let end = inner.find([' ', '>']).unwrap_or(inner.len());
                (tag, text) = (inner[..end].to_ascii_lowercase(), String::new());
                (attributes, rest) = read_attributes(&inner[end..]);
            }
        }
        // The contents of a template are not part of the page.
        in_template = (in_template || tag == "template") && !(tag == "template" && is_end);
        if !in_template {
            tokens.push(Token { at, tag, is_end, attributes, text });
        }
    }
    tokens
}

fn read_attributes(text: &str) -> (Vec<(String, String)>, &str) {
    let mut attributes = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with('>') {
        let end = rest.find([' ', '>', '=']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(quoted) = rest.strip_prefix("=\"") {
            let end = quoted.find('"').unwrap_or(quoted.len());
            value = unescape(&quoted[..end]);
            rest = quoted[end..].trim_start_matches('"');
        }
        attributes.push((name, value));
        rest = rest.trim_start();
    }
    (attributes, rest.strip_prefix('>').unwrap_or(rest))
}

/// The elements of a tag, which does not contain itself, each with its contents.
fn read_elements<'a>(tokens: &'a [Token], tag: &str) -> Vec<(&'a Token, &'a [Token])> {
    let starts = tokens.iter().enumerate().filter(|(_, token)| token.tag == tag && !token.is_end);
    starts.map(|(number, token)| (token, until_end(&tokens[number + 1..], tag))).collect()
}

fn until_end<'a>(tokens: &'a [Token], tag: &str) -> &'a [Token] {
    let end = tokens.iter().position(|token| token.tag == tag && token.is_end).unwrap_or(tokens.len());
    &tokens[..end]
}

fn join_texts(tokens: &[Token]) -> String {
    let texts = tokens.iter().flat_map(|token| token.text.split_whitespace());
    texts.collect::<Vec<_>>().join(" ")
}

fn unescape(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}
