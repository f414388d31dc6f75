import { create } from "zustand";
import { msg, t } from "../i18n";
import { Icon, type IconName } from "./icon";
import { kept } from "./kept";

export type Theme = "auto" | "light" | "dark";
const key = "theme";
export const themes: readonly Theme[] = ["auto", "light", "dark"];
const icons: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };
const names: Record<Theme, string> = {
  auto: msg("Colours: as the system"),
  light: msg("Colours: light"),
  dark: msg("Colours: dark"),
};
/** What is, and what a click makes of it. */
const changes: Record<Theme, string> = {
  auto: msg("Colours: as the system. Change to light"),
  light: msg("Colours: light. Change to dark"),
  dark: msg("Colours: dark. Change to as the system"),
};

const readTheme = (): Theme => themes.find((theme) => theme === kept.read(key)) ?? "auto";

/** Called before the first render, so that a chosen theme never flashes in late. */
export function applyTheme(theme: Theme = readTheme()) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The button of the sidebar and the settings show the same choice. */
export const useTheme = create<{ theme: Theme }>(() => ({ theme: readTheme() }));

export function chooseTheme(theme: Theme) {
  kept.write(key, theme === "auto" ? null : theme);
  applyTheme(theme);
  useTheme.setState({ theme });
}

export function ThemeButton() {
  const theme = useTheme((state) => state.theme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={t(changes[theme])}
      title={t(names[theme])}
      onClick={() => chooseTheme(next)}
    >
      <Icon name={icons[theme]} />
    </button>
  );
}
