//! Fields as HTML.

use maud::{Markup, html};

use super::Values;
use super::fault::Faults;
use super::field::{Field, Kind};
use super::read::{VERSION, join};
use super::reference::{Choice, Offers};
use crate::pairs::Pairs;
use crate::site::Site;
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::words;

/// The number of a row that the script adds, until it replaces it.
const NEW_ROW: &str = "{row}";

/// A form with what was typed into it.
pub struct Filled<'a> {
    pub pairs: &'a Pairs,
    pub offers: &'a Offers,
    /// Parameters of the path that are asked: name, label, and the entries that the record has.
    pub parts: &'a [Asked],
    /// Members of the body that the record does not show.
    pub missing: &'a [String],
    pub csrf: &'a str,
    /// Address of the page without its query, and the one that the form is sent to.
    pub base: &'a str,
    pub path: &'a str,
    /// Name of the company's time zone.
    pub zone: &'a str,
}

pub struct Asked {
    pub name: String,
    pub entries: Vec<(String, String)>,
}

/// The form of an operation.
pub fn draw(
    site: &Site,
    operation: &Operation,
    field: Option<&Field<'_>>,
    filled: &Filled<'_>,
    faults: &Faults,
) -> Markup {
    let values = Values::new(filled.pairs);
    let action = format!("{}{}?_form={}", filled.base, filled.path, operation.id);
    let drawer = Drawer { site, filled, faults, values: &values };
    html! {
        (summary(faults, &action))
        form id=(operation.id) class="fields" method="post" action=(action) data-base=(filled.base) data-at=(filled.path) data-form=(operation.id) {
            // Enter sends the form: the first button is the one that it presses.
            button.visually-hidden name="do" value="send" tabindex="-1" aria-hidden="true" { "Send" }
            input type="hidden" name="csrf" value=(filled.csrf);
            @for name in ["key", "etag", "version", "zone"] {
                @if !values.text(name).is_empty() { input type="hidden" name=(name) value=(values.text(name)); }
            }
            @for part in filled.parts {
                (drawer.choice(format!("p/{}", part.name), &part.name, &part.entries, part.entries.len() == 1, html! {}))
            }
            @if let Some(field) = field { (drawer.field(field, "")) }
            div.actions {
                button name="do" value="send" { (operation.summary) }
            }
        }
    }
}

/// The faults of a form, above it. `again`: the address that draws it again.
pub fn summary(faults: &Faults, again: &str) -> Markup {
    html! {
        @if let Some(title) = &faults.title {
            div.faults role="alert" tabindex="-1" autofocus {
                p { strong { (title) } }
                @if faults.is_stale { p { "The record has changed. " a href=(again) { "Read it again" } "." } }
                @if !faults.items.is_empty() {
                    ul {
                        @for fault in &faults.items {
                            li {
                                @match &fault.place {
                                    Some(place) => { a href=(format!("#{place}")) { (find_label(place)) } ": " (fault.text) }
                                    None => { (fault.text) }
                                }
                                @if let Some(link) = &fault.link { " " a href=(link) { "The record in the way" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The faults of one field, which names them by `aria-describedby`.
pub fn notes(faults: &Faults, name: &str) -> Markup {
    html! {
        @if has_fault(faults, name) {
            p.fault id=(format!("{name}-fault")) {
                @for fault in faults.at(name) {
                    (fault.text) " "
                    @if let Some(link) = &fault.link { a href=(link) { "The record in the way" } }
                }
            }
        }
    }
}

/// Records that a search found, as controls of the field.
pub fn draw_results(records: &[(String, String)], name: &str, many: bool) -> Markup {
    html! {
        @for (id, title) in records { (option(name, id, title, many, false)) }
        @if records.is_empty() { p.hint { "Nothing was found." } }
    }
}

fn option(name: &str, value: &str, title: &str, many: bool, is_chosen: bool) -> Markup {
    html! {
        label.choice {
            input type=(if many { "checkbox" } else { "radio" }) name=(name) value=(value) checked[is_chosen];
            " " (title)
        }
    }
}

fn has_fault(faults: &Faults, name: &str) -> bool {
    faults.at(name).next().is_some()
}

/// `v/items/0/unitPrice` is `Items 1, unit price`.
fn find_label(place: &str) -> String {
    let mut text = String::new();
    for segment in place.split('/').skip(1) {
        match segment.parse::<usize>() {
            Ok(index) => text += &format!(" {}", index + 1),
            Err(_) if text.is_empty() => text = words::to_label(segment),
            Err(_) => text += &format!(", {}", words::to_label(segment).to_lowercase()),
        }
    }
    if text.is_empty() { words::to_label(place) } else { text }
}

/// Draws the fields of one form.
pub struct Drawer<'a> {
    pub site: &'a Site,
    pub filled: &'a Filled<'a>,
    pub faults: &'a Faults,
    pub values: &'a Values<'a>,
}

/// A control: its name, and the attributes that lead to its help and its faults.
struct Control {
    name: String,
    described: Option<String>,
    invalid: Option<&'static str>,
    required: Option<&'static str>,
}

impl Drawer<'_> {
    /// A field of the body at a pointer.
    pub fn field(&self, field: &Field<'_>, pointer: &str) -> Markup {
        let control = self.control(format!("v{pointer}"), field.required, self.has_help(field, &format!("v{pointer}")));
        let name = control.name.as_str();
        let mut is_group = false;
        let inner = match &field.kind {
            Kind::Fixed(_) => return html! {},
            Kind::Object(members) if pointer.is_empty() => return self.members(members, pointer),
            Kind::Rows { item, least, most } => return self.rows(field, item, pointer, *least, *most),
            Kind::Branches { property, branches } => return self.branches(pointer, property, branches),
            Kind::Object(members) => {
                is_group = true;
                self.members(members, pointer)
            }
            Kind::Choices(values) => {
                is_group = true;
                self.options(name, &name_choices(values), true, true)
            }
            Kind::Reference(collection) | Kind::References(collection) => {
                let many = matches!(field.kind, Kind::References(_));
                let choice = self.filled.offers.choice(self.site, collection, pointer);
                is_group = matches!((&choice, many), (Choice::Search(_), _) | (Choice::Select(_), true));
                match choice {
                    Choice::Select(records) if many => self.options(name, records, true, true),
                    Choice::Select(records) => self.select(&control, records, records.len() == 1 && field.required),
                    Choice::Search(records) => self.search(field, pointer, records, collection, many),
                    Choice::Id if many => self.area(&control, 3, None),
                    Choice::Id => self.input(&control, "text", None),
                }
            }
            Kind::Boolean(Some(default)) => {
                let is_on = !self.values.text(name).is_empty() || (*default && pointer.contains(NEW_ROW));
                return html! {
                    div.field {
                        label.choice for=(name) {
                            input id=(name) type="checkbox" name=(name) value="on" checked[is_on]
                                aria-describedby=[&control.described] aria-invalid=[control.invalid];
                            " " (field.label)
                        }
                        (self.help(field, name))
                    }
                };
            }
            Kind::Boolean(None) => {
                let options = [("true", "Yes"), ("false", "No")];
                self.select(&control, &options.map(|(value, label)| (value.to_owned(), label.to_owned())), false)
            }
            Kind::Choice(values) => self.select(&control, &name_choices(values), false),
            Kind::Text { long: true } => self.area(&control, 4, None),
            Kind::Lines => self.area(&control, 3, None),
            Kind::Json => self.area(&control, 4, Some("json")),
            Kind::Text { long: false } => self.input(&control, "text", None),
            Kind::Decimal => self.input(&control, "text", Some("decimal")),
            Kind::Integer => self.input(&control, "text", Some("numeric")),
            Kind::Date => self.input(&control, "date", None),
            // A browser shows no other text in a field of this type.
            Kind::Instant if self.values.text(name).ends_with(['Z', 'z']) => self.input(&control, "text", None),
            Kind::Instant => self.input(&control, "datetime-local", None),
        };
        html! {
            @if is_group {
                fieldset.choices id=(name) aria-describedby=[&control.described] {
                    legend { (mark(&field.label, field.required)) }
                    (inner)
                    (self.help(field, name))
                }
            } @else {
                div.field {
                    label for=(name) { (mark(&field.label, field.required)) }
                    (inner)
                    (self.help(field, name))
                }
            }
        }
    }

    /// A choice that is no member of the body, or a text if nothing is known to choose from.
    fn choice(&self, name: String, label: &str, options: &[(String, String)], only: bool, after: Markup) -> Markup {
        let control = self.control(name, true, false);
        html! {
            div.field {
                label for=(control.name) { (mark(&words::to_label(label), true)) }
                @if options.is_empty() { (self.input(&control, "text", None)) }
                @else { (self.select(&control, options, only)) }
                (after)
                (notes(self.faults, &control.name))
            }
        }
    }

    fn control(&self, name: String, is_required: bool, has_help: bool) -> Control {
        let has_fault = has_fault(self.faults, &name);
        let parts = [("help", has_help), ("fault", has_fault)].into_iter().filter(|(_, is_there)| *is_there);
        let described = parts.map(|(part, _)| format!("{name}-{part}")).collect::<Vec<_>>().join(" ");
        let described = Some(described).filter(|text| !text.is_empty());
        Control { name, described, invalid: has_fault.then_some("true"), required: is_required.then_some("true") }
    }

    fn is_missing(&self, name: &str) -> bool {
        self.filled.missing.iter().any(|missing| name.strip_prefix("v/") == Some(missing.as_str()))
    }

    fn has_help(&self, field: &Field<'_>, name: &str) -> bool {
        !field.help.is_empty() || self.is_missing(name) || matches!(field.kind, Kind::Instant | Kind::Lines)
    }

    fn help(&self, field: &Field<'_>, name: &str) -> Markup {
        html! {
            @if self.has_help(field, name) {
                p.help id=(format!("{name}-help")) {
                    (field.help)
                    @match &field.kind {
                        Kind::Instant => { " Time zone: " (self.filled.zone) "." }
                        Kind::Lines => { " One on each line." }
                        _ => {}
                    }
                    @if self.is_missing(name) { " Not shown by the record." }
                }
            }
            (notes(self.faults, name))
        }
    }

    fn members(&self, members: &[Field<'_>], pointer: &str) -> Markup {
        let is_hidden = |name: &str| pointer.is_empty() && name == VERSION && !self.values.text("version").is_empty();
        html! {
            @for member in members.iter().filter(|member| !is_hidden(member.name)) {
                (self.field(member, &join(pointer, member.name)))
            }
        }
    }

    fn rows(&self, field: &Field<'_>, item: &Field<'_>, pointer: &str, least: usize, most: usize) -> Markup {
        let (name, count) = (format!("v{pointer}"), self.values.count(pointer).max(least));
        html! {
            fieldset.rows id=(name) data-rows=(pointer) {
                legend { (mark(&field.label, field.required)) }
                (self.help(field, &name))
                input type="hidden" name=(format!("n{pointer}")) value=(count);
                @for index in 0..count { (self.row(field, item, pointer, &index.to_string())) }
                template data-row=(pointer) { (self.row(field, item, pointer, NEW_ROW)) }
                @if count < most {
                    button.plain name="do" value=(format!("add:{pointer}")) { "Add to " (field.label.to_lowercase()) }
                }
            }
        }
    }

    /// `index`: a number, or the text that the script replaces by one.
    fn row(&self, field: &Field<'_>, item: &Field<'_>, pointer: &str, index: &str) -> Markup {
        let row = format!("{pointer}/{index}");
        let number = index.parse::<usize>().map_or_else(|_| index.to_owned(), |index| (index + 1).to_string());
        let shown = format!("{} {number}", field.label);
        html! {
            fieldset.row id=(format!("v{row}")) {
                legend { (shown) }
                @match &item.kind {
                    Kind::Object(members) => { (self.members(members, &row)) }
                    _ => { (self.field(item, &row)) }
                }
                (notes(self.faults, &format!("v{row}")))
                button.plain name="do" value=(format!("remove:{row}")) aria-label=(format!("Remove {shown}")) { "Remove" }
            }
        }
    }

    fn branches(&self, pointer: &str, property: &str, branches: &[(&str, Vec<Field<'_>>)]) -> Markup {
        let name = format!("v{}", join(pointer, property));
        let chosen = self.values.text(&name);
        let options = name_choices(&branches.iter().map(|(value, _)| *value).collect::<Vec<_>>());
        let show = html! { button.plain name="do" value=(format!("branch:{pointer}")) { "Show its fields" } };
        html! {
            (self.choice(name, property, &options, false, show))
            @for (_, members) in branches.iter().filter(|(value, _)| *value == chosen) { (self.members(members, pointer)) }
        }
    }

    fn input(&self, control: &Control, kind: &str, mode: Option<&str>) -> Markup {
        let step = (kind == "datetime-local").then_some("1");
        html! {
            input id=(control.name) type=(kind) name=(control.name) value=(self.values.text(&control.name)) autocomplete="off"
                inputmode=[mode] step=[step] aria-describedby=[&control.described] aria-invalid=[control.invalid]
                aria-required=[control.required];
        }
    }

    fn area(&self, control: &Control, rows: u32, class: Option<&str>) -> Markup {
        // A browser leaves out the first line feed.
        let text = format!("\n{}", self.values.all(&control.name).join("\n"));
        html! {
            textarea id=(control.name) name=(control.name) rows=(rows) class=[class] spellcheck="false"
                aria-describedby=[&control.described] aria-invalid=[control.invalid] aria-required=[control.required] { (text) }
        }
    }

    /// `only`: the first option is chosen if nothing else is.
    fn select(&self, control: &Control, options: &[(String, String)], only: bool) -> Markup {
        let chosen = self.values.text(&control.name);
        let is_known = chosen.is_empty() || options.iter().any(|(value, _)| value == chosen);
        html! {
            select id=(control.name) name=(control.name) aria-describedby=[&control.described] aria-invalid=[control.invalid]
                aria-required=[control.required] {
                option value="" { "Not stated" }
                @for (value, label) in options {
                    option value=(value) selected[value == chosen || (only && chosen.is_empty())] { (label) }
                }
                @if !is_known { option value=(chosen) selected { (self.filled.offers.names().text(chosen)) } }
            }
        }
    }

    /// Check boxes or radio buttons; those of values that no option has are kept.
    /// `is_asked`: without options nothing was found.
    fn options(&self, name: &str, options: &[(String, String)], many: bool, is_asked: bool) -> Markup {
        let chosen = self.values.all(name);
        let others = chosen.iter().filter(|id| !id.is_empty() && !options.iter().any(|(value, _)| value == *id));
        html! {
            @if options.is_empty() && is_asked { p.hint { "Nothing was found." } }
            @for (value, label) in options { (option(name, value, label, many, chosen.contains(&value.as_str()))) }
            @for id in others { (option(name, id, self.filled.offers.names().text(id), many, true)) }
        }
    }

    fn search(
        &self,
        field: &Field<'_>,
        pointer: &str,
        records: &[(String, String)],
        collection: &Collection,
        many: bool,
    ) -> Markup {
        let (name, search) = (format!("v{pointer}"), format!("s{pointer}"));
        let (text, label) = (self.values.text(&search), field.label.to_lowercase());
        let list = self.site.operations.get(collection.list).map_or("", |list| list.id.as_str());
        let bound = collection.bound.first().map(|(_, value)| value.as_str());
        html! {
            div.results data-results=(name) {
                @if !many && !field.required { (option(&name, "", "None", false, self.values.text(&name).is_empty())) }
                (self.options(&name, records, many, !text.is_empty()))
            }
            input id=(search) type="search" name=(search) value=(text) autocomplete="off" aria-label={ "Search for " (label) }
                data-find=(list) data-bound=[bound] data-name=(name) data-many=[many.then_some("1")];
            button.plain name="do" value={ "find:" (pointer) } aria-label={ "Find " (label) } { "Find" }
        }
    }
}

/// Values of an enumeration with their labels.
fn name_choices(values: &[&str]) -> Vec<(String, String)> {
    values.iter().map(|value| ((*value).to_owned(), words::to_words(value))).collect()
}

/// A label, with a mark if its field is required.
fn mark(label: &str, is_required: bool) -> Markup {
    html! {
        (label)
        @if is_required { span.needed { " (required)" } }
    }
}
