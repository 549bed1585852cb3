//! Curves of a run as SVG for a page: fitness, diversity, and each weight over time. Pure.

use plotters::prelude::*;

/// A curve: its name, and points from left to right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    /// The text in the legend.
    pub name: String,
    /// The points, with `x` ascending.
    pub points: Vec<(f64, f64)>,
}

/// The size of a plot, in pixels.
const SIZE: (u32, u32) = (900, 340);
/// Colours that colour-blind readers can tell apart (Okabe and Ito, *Color universal design*,
/// 2008).
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(120, 94, 20),
];

/// The curves in one picture; `None` if they have no points. `across` and `up` name the axes.
pub(crate) fn plot(curves: &[Curve], across: &str, up: &str) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let margin = ((high - low) * 0.04).max(1e-6);
        (low.is_finite() && high.is_finite()).then_some(low - margin..high + margin)
    };
    let (wide, tall) = (range(&mut points().map(|it| it.0))?, range(&mut points().map(|it| it.1))?);
    let mut svg = String::new();
    // Drawing into a string fails only outside its area, and nothing is drawn there.
    draw(&mut svg, curves, (wide, tall), (across, up)).ok()?;
    Some(svg)
}

type Ranges = (std::ops::Range<f64>, std::ops::Range<f64>);

fn draw(
    svg: &mut String,
    curves: &[Curve],
    (wide, tall): Ranges,
    (across, up): (&str, &str),
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(wide, tall)?;
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc(across).y_desc(up).x_labels(8).y_labels(6).light_line_style(WHITE).draw()?;
    for (curve, index) in curves.iter().zip(0..) {
        let color = COLORS[index % COLORS.len()];
        // When the colours are used up, they repeat with thinner lines.
        let style = color.stroke_width(if index < COLORS.len() { 2 } else { 1 });
        let drawn = chart.draw_series(LineSeries::new(curve.points.iter().copied(), style))?;
        drawn
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    let labels = &mut chart.configure_series_labels();
    labels.position(SeriesLabelPosition::UpperLeft);
    labels.background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3)).draw()?;
    area.present()?;
    Ok(())
}
