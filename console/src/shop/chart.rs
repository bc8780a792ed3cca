//! Bars as SVG, with the same figures as a table.

use maud::{Markup, html};

use crate::shop::figures::to_millionths;
use crate::shop::parts::{cell, table};
use crate::show::value::amount;

const WIDTH: usize = 280;
const HEIGHT: i128 = 80;

/// `bars`: a label and a decimal each.
pub fn draw(label: &str, heads: [&str; 2], bars: &[(String, String)]) -> Markup {
    let sizes: Vec<i128> = bars.iter().map(|(_, value)| to_millionths(value).unwrap_or_default()).collect();
    let top = sizes.iter().fold(0, |top, size| top.max(*size));
    let bottom = sizes.iter().fold(0, |bottom, size| bottom.min(*size));
    let step = WIDTH / bars.len().max(1);
    // From the top of the picture. All bars begin at the level of zero.
    let level = |size: i128| HEIGHT * (top - size) / (top - bottom).max(1);
    html! {
        svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
            @for (nth, ((day, value), size)) in bars.iter().zip(&sizes).enumerate() {
                rect.bar x=(nth * step + 2) y=(level(*size).min(level(0))) width=(step.saturating_sub(4))
                    height=((level(*size) - level(0)).abs()) { title { (day) ": " (amount(value)) } }
            }
        }
        details {
            summary { "The same as a table" }
            (table(heads, bars.iter().map(|(day, value)| [cell(day), cell(amount(value))])))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw_bars(values: &[&str]) -> String {
        let bars: Vec<(String, String)> = values.iter().map(|value| ("day".to_owned(), (*value).to_owned())).collect();
        draw("Net sales", ["Day", ">Net"], &bars).into_string()
    }

    #[test]
    fn the_largest_value_has_the_whole_height_and_losses_are_below_zero() {
        let page = draw_bars(&["50.000000", "100.000000", "-100.000000"]);
        for (y, height) in [(20, 20), (0, 40), (40, 40)] {
            assert!(page.contains(&format!("y=\"{y}\" width=\"89\" height=\"{height}\"")), "{page}");
        }
        assert!(draw_bars(&[]).contains("<svg") && draw_bars(&["0.000000"]).contains("height=\"0\""));
    }
}
