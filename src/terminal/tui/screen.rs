//! Sets the terminal up for the screen, and restores it afterwards.

use std::io::{self, Stdout, Write as _};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use super::draw::draw;
use super::state::State;

/// How long it may take until the program is stopped after it was asked to be.
const STOPPING: Duration = Duration::from_millis(200);

/// The terminal while the screen uses it. However the program ends, the terminal is restored.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    has_mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn enter(has_mouse: bool) -> io::Result<Self> {
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        // From here on it is restored, whatever fails.
        let mut screen = Self { terminal, has_mouse };
        screen.take()?;
        Ok(screen)
    }

    fn take(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        if self.has_mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        self.clear()
    }

    fn give_back() -> io::Result<()> {
        // Switching something off that was not on is harmless.
        execute!(
            io::stdout(),
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        )?;
        disable_raw_mode()
    }

    /// Shows the state; unchanged cells are not written again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, state: &mut State) -> io::Result<()> {
        execute!(io::stdout(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(frame, state))?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }

    /// Everything is written again at the next redraw.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal for its cursor position, while another task reads the events.
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Puts a text on the clipboard of the terminal's own machine, also over SSH (OSC 52).
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Suspends to the shell as Ctrl-Z does, until the shell brings it to the foreground again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub async fn suspend(&mut self) -> io::Result<()> {
        let mut back = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        Self::give_back()?;
        io::stdout().flush()?;
        kill_process(getpid(), Signal::TSTP)?;
        // Without a shell that could resume it, it does not stop: it goes on at once.
        tokio::select! {
            _ = back.recv() => {}
            () = tokio::time::sleep(STOPPING) => {}
        }
        self.take()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Err(error) = Self::give_back() {
            tracing::debug!(%error, "the terminal is gone");
        }
    }
}
