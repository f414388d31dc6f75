import { useState } from "react";
import { Icon, type IconName } from "./icon";
import { kept } from "./kept";

type Theme = "auto" | "light" | "dark";
const key = "theme";
const order: readonly Theme[] = ["auto", "light", "dark"];
const icons: Record<Theme, IconName> = { auto: "auto", light: "sun", dark: "moon" };
const names: Record<Theme, string> = { auto: "as the system", light: "light", dark: "dark" };

const readTheme = (): Theme => order.find((theme) => theme === kept.read(key)) ?? "auto";

/** Called before the first render, so that a chosen theme never flashes in late. */
export function applyTheme(theme: Theme = readTheme()) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const next = order[(order.indexOf(theme) + 1) % order.length] ?? "auto";
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Colours: ${names[theme]}. Change to ${names[next]}`}
      title={`Colours: ${names[theme]}`}
      onClick={() => {
        kept.write(key, next === "auto" ? null : next);
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon name={icons[theme]} />
    </button>
  );
}
