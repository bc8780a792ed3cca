//! Fields as HTML.

use maud::{Markup, html};

use super::Values;
use super::fault::Faults;
use super::field::{Field, Kind, name_choice};
use super::read::{VERSION, join};
use super::reference::{Choice, Offers};
use crate::pairs::Pairs;
use crate::site::Site;
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
    let segments = place.split('/').skip(1).map(|segment| match segment.parse::<usize>() {
        Ok(index) => (index + 1).to_string(),
        Err(_) => words::to_label(segment),
    });
    let text = segments.fold(String::new(), |text, segment| match segment.parse::<usize>() {
        Ok(_) => format!("{text} {segment}"),
        Err(_) if text.is_empty() => segment,
        Err(_) => format!("{text}, {}", segment.to_lowercase()),
    });
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
        let control = self.control(field, format!("v{pointer}"));
        let name = control.name.as_str();
        match &field.kind {
            Kind::Fixed(_) => html! {},
            Kind::Object(members) if pointer.is_empty() => self.members(members, pointer),
            Kind::Object(members) => html! {
                fieldset id=(name) aria-describedby=[&control.described] {
                    legend { (mark(field)) }
                    (self.help(field, name))
                    (self.members(members, pointer))
                }
            },
            Kind::Rows { item, least, most } => self.rows(field, item, pointer, *least, *most),
            Kind::Branches { property, branches } => self.branches(pointer, property, branches),
            Kind::Boolean(Some(default)) => {
                let is_on = !self.values.text(name).is_empty() || (*default && pointer.contains(NEW_ROW));
                html! {
                    div.field {
                        label.choice for=(name) {
                            input id=(name) type="checkbox" name=(name) value="on" checked[is_on]
                                aria-describedby=[&control.described] aria-invalid=[control.invalid];
                            " " (field.label)
                        }
                        (self.help(field, name))
                    }
                }
            }
            Kind::Choices(values) => {
                let options = name_choices(values);
                self.group(field, &control, self.options(name, &options, true, true))
            }
            Kind::Reference(collection) | Kind::References(collection) => {
                let many = matches!(field.kind, Kind::References(_));
                match self.filled.offers.choice(self.site, collection, pointer) {
                    Choice::Select(records) if many => {
                        self.group(field, &control, self.options(name, records, true, true))
                    }
                    Choice::Select(records) => {
                        let only = records.len() == 1 && field.required;
                        self.with_label(field, &control, self.select(&control, records, only))
                    }
                    Choice::Search(records) => {
                        let list = self.site.operations.get(collection.list).map_or("", |list| list.id.as_str());
                        let bound = collection.bound.first().map(|(_, value)| value.as_str());
                        self.group(field, &control, self.search(field, pointer, records, (list, bound), many))
                    }
                    Choice::Id if many => self.with_label(field, &control, self.area(&control, 3, None)),
                    Choice::Id => self.with_label(field, &control, self.input(&control, "text", None)),
                }
            }
            Kind::Boolean(None) => {
                let options =
                    [("true", "Yes"), ("false", "No")].map(|(value, label)| (value.to_owned(), label.to_owned()));
                self.with_label(field, &control, self.select(&control, &options, false))
            }
            Kind::Choice(values) => {
                let options = name_choices(values);
                self.with_label(field, &control, self.select(&control, &options, false))
            }
            Kind::Text { long: true } => self.with_label(field, &control, self.area(&control, 4, None)),
            Kind::Lines => self.with_label(field, &control, self.area(&control, 3, None)),
            Kind::Json => self.with_label(field, &control, self.area(&control, 4, Some("json"))),
            Kind::Text { long: false } => self.with_label(field, &control, self.input(&control, "text", None)),
            Kind::Decimal => self.with_label(field, &control, self.input(&control, "text", Some("decimal"))),
            Kind::Integer => self.with_label(field, &control, self.input(&control, "text", Some("numeric"))),
            Kind::Date => self.with_label(field, &control, self.input(&control, "date", None)),
            Kind::Instant => {
                // A browser shows no other text in a field of this type.
                let is_local = !self.values.text(name).ends_with(['Z', 'z']);
                let kind = if is_local { "datetime-local" } else { "text" };
                self.with_label(field, &control, self.input(&control, kind, None))
            }
        }
    }

    /// A choice that is no member of the body, or a text if nothing is known to choose from.
    fn choice(&self, name: String, label: &str, options: &[(String, String)], only: bool, after: Markup) -> Markup {
        let described = has_fault(self.faults, &name).then(|| format!("{name}-fault"));
        let control = Control { name, described, invalid: None, required: Some("true") };
        html! {
            div.field {
                label for=(control.name) { (words::to_label(label)) span.needed { " (required)" } }
                @if options.is_empty() { (self.input(&control, "text", None)) }
                @else { (self.select(&control, options, only)) }
                (after)
                (notes(self.faults, &control.name))
            }
        }
    }

    fn control(&self, field: &Field<'_>, name: String) -> Control {
        let fault = has_fault(self.faults, &name).then(|| format!("{name}-fault"));
        let help = self.has_help(field, &name).then(|| format!("{name}-help"));
        let invalid = fault.is_some().then_some("true");
        let described: Vec<String> = help.into_iter().chain(fault).collect();
        let described = Some(described.join(" ")).filter(|text| !text.is_empty());
        Control { name, described, invalid, required: field.required.then_some("true") }
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

    fn with_label(&self, field: &Field<'_>, control: &Control, input: Markup) -> Markup {
        html! {
            div.field {
                label for=(control.name) { (mark(field)) }
                (input)
                (self.help(field, &control.name))
            }
        }
    }

    /// Controls that share one name.
    fn group(&self, field: &Field<'_>, control: &Control, controls: Markup) -> Markup {
        html! {
            fieldset.choices id=(control.name) aria-describedby=[&control.described] {
                legend { (mark(field)) }
                (controls)
                (self.help(field, &control.name))
            }
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
                legend { (mark(field)) }
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
        (list, bound): (&str, Option<&str>),
        many: bool,
    ) -> Markup {
        let (name, search) = (format!("v{pointer}"), format!("s{pointer}"));
        let text = self.values.text(&search);
        html! {
            div.results data-results=(name) {
                @if !many && !field.required { (option(&name, "", "None", false, self.values.text(&name).is_empty())) }
                (self.options(&name, records, many, !text.is_empty()))
            }
            input id=(search) type="search" name=(search) value=(text) autocomplete="off"
                aria-label=(format!("Search for {}", field.label.to_lowercase()))
                data-find=(list) data-bound=[bound] data-name=(name) data-many=[many.then_some("1")];
            button.plain name="do" value=(format!("find:{pointer}")) aria-label=(format!("Find {}", field.label.to_lowercase())) { "Find" }
        }
    }
}

/// Values of an enumeration with their labels.
fn name_choices(values: &[&str]) -> Vec<(String, String)> {
    values.iter().map(|value| ((*value).to_owned(), name_choice(values.iter().copied(), value))).collect()
}

/// The label of a field, with a mark if it is required.
fn mark(field: &Field<'_>) -> Markup {
    html! {
        (field.label)
        @if field.required { span.needed { " (required)" } }
    }
}
