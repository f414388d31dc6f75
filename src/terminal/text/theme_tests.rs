use super::*;

fn env<'a>(set: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn the_environment_says_how_many_colours() {
    for (set, is_terminal, depth) in [
        (&[("TERM", "xterm-256color")][..], true, Depth::Ansi256),
        (&[("TERM", "xterm-256color")], false, Depth::None),
        (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], true, Depth::True),
        (&[("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("FORCE_COLOR", "3")], true, Depth::None),
        (&[("TERM", "xterm"), ("NO_COLOR", "")], true, Depth::Ansi16),
        (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], true, Depth::None),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], false, Depth::Ansi16),
        (&[("TERM", "xterm-256color"), ("FORCE_COLOR", "1")], false, Depth::Ansi256),
        (&[("FORCE_COLOR", "3")], false, Depth::True),
        (&[("FORCE_COLOR", "0"), ("TERM", "xterm")], true, Depth::None),
        (&[("CLICOLOR", "0"), ("TERM", "xterm")], true, Depth::None),
        (&[], true, Depth::None),
        (&[("TERM", "xterm-kitty")], true, Depth::True),
    ] {
        assert_eq!(Depth::detect(env(set), is_terminal), depth, "{set:?}");
    }
}

#[test]
fn the_environment_says_whether_a_terminal_can_only_print() {
    for set in [&[("TERM", "")][..], &[("TERM", "dumb")], &[("TERM", "dumb"), ("FORCE_COLOR", "3")], &[]] {
        assert!(is_dumb(env(set)), "{set:?}");
    }
    assert!(!is_dumb(env(&[("TERM", "vt100")])));
}

#[test]
fn the_environment_says_background_and_frames() {
    assert_eq!(Background::detect(env(&[("COLORFGBG", "15;0")])), Background::Dark);
    assert_eq!(Background::detect(env(&[("COLORFGBG", "0;default;15")])), Background::Light);
    assert_eq!(Background::detect(env(&[("COLORFGBG", "x")])), Background::Auto);
    assert_eq!(Frames::detect(env(&[("LANG", "de_DE.UTF-8")]), false), Frames::Unicode);
    assert_eq!(Frames::detect(env(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]), false), Frames::Ascii);
    assert_eq!(Frames::detect(env(&[("LC_CTYPE", "C.utf8")]), false), Frames::Unicode);
    assert_eq!(Frames::detect(env(&[]), false), Frames::Ascii);
    assert_eq!(Frames::detect(env(&[("LANG", "de_DE.UTF-8")]), true), Frames::Plain);
}

fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else { panic!("{color:?}") };
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[test]
fn every_colour_is_readable_on_its_background() {
    let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
    for (background, behind) in
        [(Background::Dark, &[0.0, 0.012][..]), (Background::Light, &[1.0]), (Background::Auto, &[0.0, 1.0])]
    {
        let theme = Theme::new(Depth::True, background, Frames::Unicode);
        let mut styles = theme.members.to_vec();
        styles.extend([theme.heading, theme.code, theme.dim, theme.ok, theme.warning, theme.error]);
        styles.extend([theme.thought, theme.action, theme.accent, theme.border]);
        for style in styles {
            let color = luminance(style.fg.unwrap());
            assert!(behind.iter().all(|behind| contrast(color, *behind) >= 4.5), "{background:?} {style:?}");
        }
    }
}

#[test]
fn no_two_members_look_the_same() {
    for depth in [Depth::Ansi16, Depth::Ansi256, Depth::True] {
        for background in [Background::Dark, Background::Light, Background::Auto] {
            let members = Theme::new(depth, background, Frames::Unicode).members;
            for (at, style) in members.iter().enumerate() {
                assert!(!members[at + 1..].contains(style), "{depth:?} {background:?} {at}");
            }
        }
    }
    let plain = Theme::new(Depth::None, Background::Dark, Frames::Unicode);
    assert!(plain.members.iter().all(|style| style.fg.is_none()));
}

#[test]
fn colours_are_lowered_to_the_nearest() {
    assert_eq!(Depth::Ansi256.nearest(Color::Rgb(255, 0, 0)), Some(Color::Indexed(196)));
    assert_eq!(Depth::Ansi256.nearest(Color::Rgb(118, 118, 118)), Some(Color::Indexed(243)));
    assert_eq!(Depth::Ansi16.nearest(Color::Indexed(196)), Some(Color::LightRed));
    assert_eq!(Depth::True.nearest(Color::Red), Some(Color::Red));
    assert_eq!(Depth::None.nearest(Color::Red), None);
}
