//! Colours and line characters: what this terminal can show, and which style each element has.

use ratatui::style::{Color, Modifier, Style};

/// Whether a terminal can only print one line after the other, as those in some editors.
#[must_use]
pub fn is_dumb(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("TERM").is_none_or(|term| matches!(&*term, "" | "dumb"))
}

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Plain text: colours are not wanted, or the output is not a terminal.
    None,
    Ansi16,
    Ansi256,
    True,
}

impl Depth {
    /// From the variables of the environment, which `variable` reads. `NO_COLOR` wins over everything; variables that
    /// force colours (`FORCE_COLOR`, `CLICOLOR_FORCE`) also do so where the output is not a terminal.
    #[must_use]
    pub fn detect(variable: impl Fn(&str) -> Option<String>, is_terminal: bool) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        if set("NO_COLOR").is_some() {
            return Self::None;
        }
        let forced = match set("FORCE_COLOR").as_deref() {
            Some("0" | "false") => return Self::None,
            Some("2") => return Self::Ansi256,
            Some("3") => return Self::True,
            Some(_) => true,
            None => set("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
        };
        let term = set("TERM").unwrap_or_default();
        if !forced && (!is_terminal || set("CLICOLOR").as_deref() == Some("0") || is_dumb(&variable)) {
            return Self::None;
        }
        let color_term = set("COLORTERM").unwrap_or_default();
        let is_true = matches!(&*color_term, "truecolor" | "24bit")
            || ["-direct", "-truecolor"].iter().any(|end| term.ends_with(end))
            || ["xterm-kitty", "alacritty", "wezterm", "xterm-ghostty", "foot"].contains(&&*term);
        if is_true {
            Self::True
        } else if term.contains("256") {
            Self::Ansi256
        } else {
            Self::Ansi16
        }
    }

    /// The nearest to `color` that this depth has.
    #[must_use]
    pub fn nearest(self, color: Color) -> Option<Color> {
        match (self, color) {
            (Self::None, _) => None,
            (Self::Ansi256, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_256([r, g, b]))),
            (Self::Ansi16, Color::Rgb(r, g, b)) => Some(nearest_16([r, g, b])),
            (Self::Ansi16, Color::Indexed(index)) => Some(nearest_16(rgb_of(index))),
            _ => Some(color),
        }
    }
}

const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
const NAMED: [(Color, [u8; 3]); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [205, 0, 0]),
    (Color::Green, [0, 205, 0]),
    (Color::Yellow, [205, 205, 0]),
    (Color::Blue, [0, 0, 238]),
    (Color::Magenta, [205, 0, 205]),
    (Color::Cyan, [0, 205, 205]),
    (Color::Gray, [229, 229, 229]),
    (Color::DarkGray, [127, 127, 127]),
    (Color::LightRed, [255, 0, 0]),
    (Color::LightGreen, [0, 255, 0]),
    (Color::LightYellow, [255, 255, 0]),
    (Color::LightBlue, [92, 92, 255]),
    (Color::LightMagenta, [255, 0, 255]),
    (Color::LightCyan, [0, 255, 255]),
    (Color::White, [255, 255, 255]),
];

fn rgb_of(index: u8) -> [u8; 3] {
    if let Some((_, rgb)) = NAMED.get(usize::from(index)) {
        return *rgb;
    }
    if index >= 232 {
        return [8 + (index - 232) * 10; 3];
    }
    let at = index - 16;
    [at / 36, at / 6 % 6, at % 6].map(|step| STEPS.get(usize::from(step)).copied().unwrap_or(255))
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let [r, g, b] = [0, 1, 2].map(|at| u32::from(a[at].abs_diff(b[at])).pow(2));
    2 * r + 4 * g + 3 * b
}

fn nearest_256(rgb: [u8; 3]) -> u8 {
    (16..=255).min_by_key(|index| distance(rgb_of(*index), rgb)).unwrap_or(16)
}

fn nearest_16(rgb: [u8; 3]) -> Color {
    NAMED.iter().min_by_key(|(_, other)| distance(*other, rgb)).map_or(Color::Reset, |(color, _)| *color)
}

/// The background of a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Background {
    Light,
    Dark,
    /// Unknown: colours that are readable on both.
    #[default]
    Auto,
}

impl Background {
    /// From `COLORFGBG`, which some terminals set: `15;0` is white on black.
    #[must_use]
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = variable("COLORFGBG").unwrap_or_default();
        match value.rsplit(';').next().and_then(|index| index.parse::<u8>().ok()) {
            Some(0..=6 | 8) => Self::Dark,
            Some(7 | 9..=15) => Self::Light,
            _ => Self::Auto,
        }
    }
}

/// The characters that lines and boxes are drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Frames {
    #[default]
    Unicode,
    /// `+-|`, for terminals that do not show Unicode.
    Ascii,
    /// No frames but headings, for screen readers.
    Plain,
}

impl Frames {
    /// From the locale, which says whether the terminal shows Unicode. Without a locale it is taken not to.
    #[must_use]
    pub fn detect(variable: impl Fn(&str) -> Option<String>, plain: bool) -> Self {
        if plain {
            return Self::Plain;
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()))
            .unwrap_or_default()
            .to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Self::Unicode } else { Self::Ascii }
    }

    /// `unicode` or, if that cannot be shown or is not wanted, `ascii`.
    pub fn pick<T>(self, unicode: T, ascii: T) -> T {
        match self {
            Self::Unicode => unicode,
            Self::Ascii | Self::Plain => ascii,
        }
    }
}

/// The style of everything that is shown, within what a terminal can show. No colour carries information that is not
/// also shown in words or signs.
#[derive(Debug, Clone)]
pub struct Theme {
    pub depth: Depth,
    pub frames: Frames,
    pub heading: Style,
    pub code: Style,
    pub dim: Style,
    /// The colours of members 1 to 8, as distinguishable for colour-blind people as eight can be.
    pub members: [Style; 8],
    pub ok: Style,
    pub warning: Style,
    pub error: Style,
    /// The final answer.
    pub last: Style,
    pub thought: Style,
    pub action: Style,
    pub observation: Style,
    pub accent: Style,
    pub border: Style,
}

/// A colour for dark, light and unknown backgrounds, and for terminals with 16 colours.
struct Paint(u32, u32, u32, Color);

const ORANGE: Paint = Paint(0xe5_9f00, 0x99_6a00, 0x9d_6c00, Color::Yellow);
const SKY: Paint = Paint(0x56_b4e9, 0x17_79b0, 0x18_7db5, Color::Cyan);
const GREEN: Paint = Paint(0x00_a97b, 0x00_825f, 0x00_8662, Color::Green);
const YELLOW: Paint = Paint(0xf0_e442, 0x7c_750a, 0x81_780a, Color::Yellow);
const BLUE: Paint = Paint(0x00_9bf3, 0x00_72b1, 0x00_7bc1, Color::Blue);
const VERMILION: Paint = Paint(0xf5_6c00, 0xbd_5300, 0xc2_5600, Color::Red);
const PURPLE: Paint = Paint(0xcd_7ba9, 0xba_4988, 0xbc_4e8b, Color::Magenta);
const VIOLET: Paint = Paint(0xa1_86de, 0x81_5cd3, 0x84_60d4, Color::Blue);
const CYAN: Paint = Paint(0x00_a4b5, 0x00_7f8b, 0x00_8290, Color::Cyan);
const RED: Paint = Paint(0xdd_7777, 0xcf_3d3d, 0xd1_4444, Color::Red);
const GREY: Paint = Paint(0x94_9494, 0x73_7373, 0x75_7575, Color::DarkGray);

impl Theme {
    #[must_use]
    pub fn new(depth: Depth, background: Background, frames: Frames) -> Self {
        let paint = |Paint(dark, light, both, named): Paint| {
            let rgb = match background {
                Background::Dark => dark,
                Background::Light => light,
                Background::Auto => both,
            };
            let color = if depth == Depth::Ansi16 { named } else { Color::from_u32(rgb) };
            depth.nearest(color).map_or_else(Style::new, |color| Style::new().fg(color))
        };
        // The grey of sixteen colours is invisible on some backgrounds: faint text is used there.
        let dim = match depth {
            Depth::None | Depth::Ansi16 => Style::new().add_modifier(Modifier::DIM),
            Depth::Ansi256 | Depth::True => paint(GREY),
        };
        let bold = |style: Style| style.add_modifier(Modifier::BOLD);
        // With few colours, no eight are readable on every background.
        let second = |style: Style| if depth == Depth::True { style } else { bold(style) };
        Self {
            depth,
            frames,
            heading: bold(paint(BLUE)),
            code: paint(ORANGE),
            dim,
            members: [
                paint(SKY),
                paint(ORANGE),
                paint(PURPLE),
                paint(GREEN),
                second(paint(VIOLET)),
                second(paint(VERMILION)),
                second(paint(YELLOW)),
                second(paint(GREY)),
            ],
            ok: paint(GREEN),
            warning: paint(YELLOW),
            error: bold(paint(RED)),
            last: bold(paint(GREEN)),
            thought: paint(CYAN),
            action: paint(YELLOW),
            observation: dim,
            accent: paint(SKY),
            border: dim,
        }
    }

    /// From the variables of the environment, which `variable` reads.
    #[must_use]
    pub fn detect(variable: impl Fn(&str) -> Option<String>, is_terminal: bool, plain: bool) -> Self {
        let depth = Depth::detect(&variable, is_terminal);
        Self::new(depth, Background::detect(&variable), Frames::detect(&variable, plain))
    }

    /// For this process's output; without colours or frames where they are not wanted.
    #[must_use]
    pub fn of_output(no_color: bool, is_terminal: bool, plain: bool) -> Self {
        let variable = |name: &str| match name {
            "NO_COLOR" if no_color || plain => Some("1".to_owned()),
            name => std::env::var(name).ok(),
        };
        Self::detect(variable, is_terminal, plain)
    }

    /// The style of the member at `index`, from 0; the ninth has that of the first.
    #[must_use]
    pub fn member(&self, index: usize) -> Style {
        self.members[index % self.members.len()]
    }

    /// Whether bold and the like are shown at all; if not, signs stand in for them.
    pub(super) fn is_styled(&self) -> bool {
        self.depth != Depth::None
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
