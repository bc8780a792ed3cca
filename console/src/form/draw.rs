//! Fields as HTML.

use maud::{Markup, html};

use super::Values;
use super::fault::{Fault, Faults};
use super::field::{Field, Kind};
use super::read::VERSION;
use super::reference::{Entries, Offers};
use crate::page::Visit;
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::words;

/// The number of a row that the script adds, until it replaces it.
const NEW_ROW: &str = "{row}";

/// Draws the fields of one form.
pub struct Drawer<'a> {
    pub visit: &'a Visit,
    pub values: &'a Values<'a>,
    pub offers: &'a Offers,
    pub faults: &'a Faults,
    /// Members of the body that the record does not show.
    pub missing: &'a [String],
    /// Name of the company's time zone.
    pub zone: &'a str,
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
                                @if let Some(place) = &fault.place { a href={ "#" (place) } { (find_label(place)) } ": " }
                                (draw_fault(fault))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn draw_fault(fault: &Fault) -> Markup {
    html! { (fault.text) @if let Some(link) = &fault.link { " " a href=(link) { "The record in the way" } } }
}

/// Check boxes or radio buttons. `is_asked`: without options nothing was found.
pub fn draw_options(name: &str, options: &Entries, many: bool, chosen: &[&str], is_asked: bool) -> Markup {
    html! {
        @for (value, label) in options {
            label.choice {
                input type=(if many { "checkbox" } else { "radio" }) name=(name) value=(value) checked[chosen.contains(&value.as_str())];
                " " (label)
            }
        }
        @if options.is_empty() && is_asked { p.hint { "Nothing was found." } }
    }
}

/// `v/items/0/unitPrice` is `Items 1, unit price`.
fn find_label(place: &str) -> String {
    let segments = place.split('/').skip(1).map(|segment| match segment.parse::<usize>() {
        Ok(index) => format!(" {}", index + 1),
        Err(_) => format!(", {}", words::to_label(segment).to_lowercase()),
    });
    words::capitalize(segments.collect::<String>().trim_start_matches(", "))
}

impl Drawer<'_> {
    /// The form of an operation. `parts`: parameters of the path that are asked, with the entries that the record has.
    pub fn form(&self, operation: &Operation, field: Option<&Field<'_>>, parts: &[(String, Entries)]) -> Markup {
        let Visit { base, path, csrf, .. } = self.visit;
        let action = format!("{base}{path}?_form={}", operation.id);
        let hidden = ["key", "etag", "version", "zone"].map(|name| (name, self.values.text(name)));
        html! {
            (summary(self.faults, &action))
            form id=(operation.id) class="fields" method="post" action=(action) data-base=(base) data-at=(path) data-form=(operation.id) {
                // Enter sends the form: the first button is the one that it presses.
                button.visually-hidden name="do" value="send" tabindex="-1" aria-hidden="true" { "Send" }
                input type="hidden" name="csrf" value=(csrf);
                @for (name, value) in hidden.iter().filter(|(_, value)| !value.is_empty()) {
                    input type="hidden" name=(name) value=(value);
                }
                @for (name, entries) in parts { (self.choice(&format!("p/{name}"), name, entries, html! {})) }
                @if let Some(field) = field { (self.field(field, "")) }
                div.actions { button name="do" value="send" { (operation.summary) } }
            }
        }
    }

    /// A field of the body at a pointer.
    pub fn field(&self, field: &Field<'_>, pointer: &str) -> Markup {
        let name = &format!("v{pointer}");
        let (is_group, inner) = match &field.kind {
            Kind::Fixed(_) => return html! {},
            Kind::Rows(item, least, most) => return self.rows(field, item, pointer, *least, *most),
            Kind::Branches(property, branches) => {
                let options = name_choices(&branches.iter().map(|(value, _)| *value).collect::<Vec<_>>());
                let show = html! { button.plain name="do" value={ "branch:" (pointer) } { "Show its fields" } };
                let choice = self.choice(&format!("{name}/{property}"), property, &options, show);
                return html! { (choice) (self.members(field, pointer)) };
            }
            Kind::Object(_) if pointer.is_empty() => return self.members(field, pointer),
            Kind::Object(_) => (true, self.members(field, pointer)),
            Kind::Choices(values) => (true, self.options(name, name_choices(values), true, true)),
            Kind::Reference(collection) | Kind::References(collection) => self.reference(field, pointer, collection),
            _ => (false, self.control(field, name)),
        };
        html! {
            @if is_group {
                fieldset.choices id=(name) aria-describedby={ (name) "-notes" } {
                    legend { (mark(&field.label, field.required)) }
                    (inner)
                    (self.notes(name, Some(field)))
                }
            } @else {
                div.field {
                    @if let Kind::Boolean(Some(_)) = field.kind { label.choice for=(name) { (inner) " " (field.label) } }
                    @else { label for=(name) { (mark(&field.label, field.required)) } (inner) }
                    (self.notes(name, Some(field)))
                }
            }
        }
    }

    /// The control of a field that has one.
    fn control(&self, field: &Field<'_>, name: &str) -> Markup {
        let is_local = |text: &str| !text.ends_with(['Z', 'z']);
        let (kind, mode) = match &field.kind {
            Kind::Boolean(Some(default)) => {
                let is_on = !self.values.all(name).is_empty() || (*default && name.contains(NEW_ROW));
                return html! {
                    input id=(name) type="checkbox" name=(name) value="on" checked[is_on] aria-describedby={ (name) "-notes" }
                        aria-invalid=[self.is_invalid(name)];
                };
            }
            Kind::Boolean(None) => {
                let options =
                    [("true", "Yes"), ("false", "No")].map(|(value, label)| (value.to_owned(), label.to_owned()));
                return self.select(name, &options, field.required);
            }
            Kind::Choice(values) => return self.select(name, &name_choices(values), field.required),
            Kind::Text(true) => return self.area(name, 4, None, field.required),
            Kind::Json => return self.area(name, 4, Some("json"), field.required),
            Kind::Lines | Kind::References(_) => return self.area(name, 3, None, field.required),
            Kind::Decimal => ("text", Some("decimal")),
            Kind::Integer => ("text", Some("numeric")),
            Kind::Date => ("date", None),
            // A browser shows no other text in a field of this type.
            Kind::Instant if is_local(self.values.text(name)) => ("datetime-local", None),
            _ => ("text", None),
        };
        self.input(name, kind, mode, field.required)
    }

    /// A choice that is not a member of the body, or a text if nothing is known to choose from.
    fn choice(&self, name: &str, label: &str, options: &Entries, after: Markup) -> Markup {
        html! {
            div.field {
                label for=(name) { (mark(&words::to_label(label), true)) }
                @if options.is_empty() { (self.input(name, "text", None, true)) }
                @else { (self.select(name, options, true)) }
                (after)
                (self.notes(name, None))
            }
        }
    }

    fn is_invalid(&self, name: &str) -> Option<&'static str> {
        self.faults.at(name).next().map(|_| "true")
    }

    /// The help of a control and its faults, to which it leads by `aria-describedby`. `field`: `None` for a control without help.
    fn notes(&self, name: &str, field: Option<&Field<'_>>) -> Markup {
        let mut help = field.map_or("", |field| field.help).to_owned();
        help += &match field.map(|field| &field.kind) {
            Some(Kind::Instant) => format!(" Time zone: {}.", self.zone),
            Some(Kind::Lines) => " One on each line.".to_owned(),
            _ => String::new(),
        };
        if self.missing.iter().any(|missing| name.strip_prefix("v/") == Some(missing)) {
            help += " Not shown by the record.";
        }
        html! {
            div id={ (name) "-notes" } {
                @if !help.is_empty() { p.help { (help) } }
                @if self.is_invalid(name).is_some() {
                    p.fault id={ (name) "-fault" } { @for fault in self.faults.at(name) { (draw_fault(fault)) " " } }
                }
            }
        }
    }

    /// The members of an object, or those of a branch that is chosen.
    fn members(&self, field: &Field<'_>, pointer: &str) -> Markup {
        let is_hidden =
            |pointer: &str| pointer.strip_prefix('/') == Some(VERSION) && !self.values.text("version").is_empty();
        html! {
            @for (pointer, member) in field.members_at(pointer, self.values) {
                @if !is_hidden(&pointer) { (self.field(member, &pointer)) }
            }
        }
    }

    fn rows(&self, field: &Field<'_>, item: &Field<'_>, pointer: &str, least: usize, most: usize) -> Markup {
        let (name, count) = (format!("v{pointer}"), self.values.count(pointer).max(least));
        html! {
            fieldset.rows id=(name) data-rows=(pointer) {
                legend { (mark(&field.label, field.required)) }
                (self.notes(&name, Some(field)))
                input type="hidden" name={ "n" (pointer) } value=(count);
                @for index in 0..count { (self.row(field, item, &format!("{pointer}/{index}"), &(index + 1).to_string())) }
                template data-row=(pointer) { (self.row(field, item, &format!("{pointer}/{NEW_ROW}"), NEW_ROW)) }
                @if count < most {
                    button.plain name="do" value={ "add:" (pointer) } { "Add to " (field.label.to_lowercase()) }
                }
            }
        }
    }

    /// `number`: as it is shown, or the text that the script replaces by one.
    fn row(&self, field: &Field<'_>, item: &Field<'_>, pointer: &str, number: &str) -> Markup {
        let (name, shown) = (format!("v{pointer}"), format!("{} {number}", field.label));
        html! {
            fieldset.row id=(name) {
                legend { (shown) }
                @if let Kind::Object(_) = item.kind { (self.members(item, pointer)) } @else { (self.field(item, pointer)) }
                (self.notes(&name, None))
                button.plain name="do" value={ "remove:" (pointer) } aria-label={ "Remove " (shown) } { "Remove" }
            }
        }
    }

    fn input(&self, name: &str, kind: &str, mode: Option<&str>, is_required: bool) -> Markup {
        let step = (kind == "datetime-local").then_some("1");
        html! {
            input id=(name) type=(kind) name=(name) value=(self.values.text(name)) autocomplete="off" inputmode=[mode] step=[step]
                aria-describedby={ (name) "-notes" } aria-invalid=[self.is_invalid(name)] aria-required=[is_required.then_some("true")];
        }
    }

    fn area(&self, name: &str, rows: u32, class: Option<&str>, is_required: bool) -> Markup {
        // A browser leaves out the first line feed.
        let text = format!("\n{}", self.values.all(name).join("\n"));
        html! {
            textarea id=(name) name=(name) rows=(rows) class=[class] spellcheck="false" aria-describedby={ (name) "-notes" }
                aria-invalid=[self.is_invalid(name)] aria-required=[is_required.then_some("true")] { (text) }
        }
    }

    /// The only option of a field that is required is chosen.
    fn select(&self, name: &str, options: &[(String, String)], is_required: bool) -> Markup {
        let chosen = self.values.text(name);
        let is_only = is_required && options.len() == 1 && chosen.is_empty();
        let is_known = chosen.is_empty() || options.iter().any(|(value, _)| value == chosen);
        html! {
            select id=(name) name=(name) aria-describedby={ (name) "-notes" } aria-invalid=[self.is_invalid(name)]
                aria-required=[is_required.then_some("true")] {
                option value="" { "Not stated" }
                @for (value, label) in options { option value=(value) selected[value == chosen || is_only] { (label) } }
                @if !is_known { option value=(chosen) selected { (self.offers.names.text(chosen)) } }
            }
        }
    }

    /// Check boxes or radio buttons; those of values that no option has are kept.
    fn options(&self, name: &str, mut options: Entries, many: bool, is_asked: bool) -> Markup {
        let chosen = self.values.all(name);
        let others = chosen.iter().filter(|id| !id.is_empty() && !options.iter().any(|(value, _)| value == *id));
        let others: Entries = others.map(|id| ((*id).to_owned(), self.offers.names.text(id).to_owned())).collect();
        options.extend(others);
        draw_options(name, &options, many, chosen, is_asked)
    }

    /// The control of a reference. True: it has several inputs.
    fn reference(&self, field: &Field<'_>, pointer: &str, collection: &Collection) -> (bool, Markup) {
        let (name, many) = (format!("v{pointer}"), matches!(field.kind, Kind::References(_)));
        match self.offers.find_all(collection) {
            Some(records) if many => return (true, self.options(&name, records.clone(), true, true)),
            Some(records) => return (false, self.select(&name, records, field.required)),
            None => {}
        }
        let Some(records) = self.offers.find_searched(collection, pointer) else {
            return (false, self.control(field, &name));
        };
        let (search, label) = (format!("s{pointer}"), field.label.to_lowercase());
        let text = self.values.text(&search);
        let list = self.visit.site.operations.get(collection.list).map_or("", |list| list.id.as_str());
        let bound = collection.bound.first().map(|(_, value)| value.as_str());
        let none = vec![(String::new(), "None".to_owned())];
        let is_none: &[&str] = if self.values.text(&name).is_empty() { &[""] } else { &[] };
        let markup = html! {
            div.results data-results=(name) {
                @if !many && !field.required { (draw_options(&name, &none, false, is_none, false)) }
                (self.options(&name, records, many, !text.is_empty()))
            }
            input id=(search) type="search" name=(search) value=(text) autocomplete="off" aria-label={ "Search for " (label) }
                data-find=(list) data-bound=[bound] data-name=(name) data-many=[many.then_some("1")];
            button.plain name="do" value={ "find:" (pointer) } aria-label={ "Find " (label) } { "Find" }
        };
        (true, markup)
    }
}

fn mark(label: &str, is_required: bool) -> Markup {
    html! { (label) @if is_required { span.needed { " (required)" } } }
}

/// Values of an enumeration with their labels.
fn name_choices(values: &[&str]) -> Entries {
    values.iter().map(|value| ((*value).to_owned(), words::to_words(value))).collect()
}
