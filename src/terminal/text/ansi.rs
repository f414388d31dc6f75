//! Styled lines as text with escape sequences. Written here and not with `crossterm`, which would look into the
//! environment again for whether colours are wanted; that was decided with the [`Depth`].

use std::fmt::Write;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::Depth;

/// `lines` with a line break after each. A style never goes on beyond the end of a line. With [`Depth::None`] it is
/// plain text.
#[must_use]
pub fn to_string(lines: &[Line<'_>], depth: Depth) -> String {
    let mut out = String::new();
    for line in lines {
        push_line(&mut out, line, depth);
        out.push('\n');
    }
    out
}

/// One line without a break at its end.
#[must_use]
pub fn line(line: &Line<'_>, depth: Depth) -> String {
    let mut out = String::new();
    push_line(&mut out, line, depth);
    out
}

fn push_line(out: &mut String, line: &Line<'_>, depth: Depth) {
    let mut current = String::new();
    for span in &line.spans {
        if span.content.is_empty() {
            continue;
        }
        let wanted = codes(line.style.patch(span.style), depth);
        if wanted != current {
            if !current.is_empty() {
                out.push_str("\x1b[0m");
            }
            if !wanted.is_empty() {
                out.push_str("\x1b[");
                out.push_str(&wanted);
                out.push('m');
            }
            current = wanted;
        }
        out.push_str(&span.content);
    }
    if !current.is_empty() {
        out.push_str("\x1b[0m");
    }
}

/// The numbers that switch `style` on, separated by `;`.
fn codes(style: Style, depth: Depth) -> String {
    let mut codes = String::new();
    if depth == Depth::None {
        return codes;
    }
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if style.add_modifier.contains(modifier) {
            push_code(&mut codes, format_args!("{code}"));
        }
    }
    for (color, base) in [(style.fg, 30), (style.bg, 40)] {
        if let Some(color) = color.and_then(|color| depth.nearest(color)) {
            push_color(&mut codes, color, base);
        }
    }
    codes
}

fn push_color(codes: &mut String, color: Color, base: u8) {
    let named = match color {
        Color::Reset => return,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Indexed(index) => return push_code(codes, format_args!("{};5;{index}", base + 8)),
        Color::Rgb(r, g, b) => return push_code(codes, format_args!("{};2;{r};{g};{b}", base + 8)),
    };
    push_code(codes, format_args!("{}", base + named));
}

fn push_code(codes: &mut String, code: std::fmt::Arguments<'_>) {
    if !codes.is_empty() {
        codes.push(';');
    }
    codes.write_fmt(code).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use ratatui::style::Stylize;

    use super::*;

    #[test]
    fn every_line_ends_without_a_style() {
        let lines =
            [Line::from(vec!["a".red().bold(), "b".red().bold(), " c".into()]), Line::from("d".blue())];
        assert_eq!(to_string(&lines, Depth::Ansi16), "\x1b[1;31mab\x1b[0m c\n\x1b[34md\x1b[0m\n");
        assert_eq!(to_string(&lines, Depth::None), "ab c\nd\n");
    }

    #[test]
    fn colours_are_those_that_the_terminal_has() {
        let line = Line::from("x".fg(Color::Rgb(255, 0, 0)).bg(Color::White));
        assert_eq!(super::line(&line, Depth::True), "\x1b[38;2;255;0;0;107mx\x1b[0m");
        assert_eq!(super::line(&line, Depth::Ansi256), "\x1b[38;5;196;107mx\x1b[0m");
        assert_eq!(super::line(&line, Depth::Ansi16), "\x1b[91;107mx\x1b[0m");
    }
}
