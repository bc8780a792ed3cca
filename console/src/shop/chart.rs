//! Bars as SVG, with the same figures as a table.

use maud::{Markup, html};

use crate::shop::figures::{amount, to_millionths};

const WIDTH: usize = 280;
const HEIGHT: i128 = 80;

/// `bars`: a label and a decimal each.
pub fn draw(label: &str, head: &str, bars: &[(String, String)]) -> Markup {
    let sizes: Vec<i128> = bars.iter().map(|(_, value)| to_millionths(value).unwrap_or_default()).collect();
    let (top, bottom) =
        (sizes.iter().max().copied().unwrap_or(0).max(0), sizes.iter().min().copied().unwrap_or(0).min(0));
    let span = (top - bottom).max(1);
    let step = WIDTH / bars.len().max(1);
    // From the top of the picture: where a value ends. Zero is where all bars begin.
    let level = |size: i128| HEIGHT * (top - size) / span;
    let zero = level(0);
    html! {
        svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
            @for (nth, ((day, value), size)) in bars.iter().zip(&sizes).enumerate() {
                rect.bar x=(nth * step + 2) y=(level(*size).min(zero)) width=(step.saturating_sub(4))
                    height=((level(*size) - zero).abs()) { title { (day) ": " (amount(value)) } }
            }
        }
        details {
            summary { "The same as a table" }
            table {
                thead { tr { th scope="col" { "Day" } th.amount scope="col" { (head) } } }
                tbody {
                    @for (day, value) in bars {
                        tr { td data-label="Day" { (day) } td.amount data-label=(head) { (amount(value)) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[&str]) -> String {
        let bars: Vec<(String, String)> = values.iter().map(|value| ("day".to_owned(), (*value).to_owned())).collect();
        draw("Net sales", "Net", &bars).into_string()
    }

    #[test]
    fn the_largest_value_has_the_whole_height_and_losses_are_below_zero() {
        let drawn = bars(&["50.000000", "100.000000", "-100.000000"]);
        for (y, height) in [(20, 20), (0, 40), (40, 40)] {
            assert!(drawn.contains(&format!("y=\"{y}\" width=\"89\" height=\"{height}\"")), "{drawn}");
        }
        assert!(bars(&[]).contains("<svg") && bars(&["0.000000"]).contains("height=\"0\""));
    }
}
