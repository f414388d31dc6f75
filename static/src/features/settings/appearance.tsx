import { useEffect } from "react";
import {
  chooseLanguage,
  chosenLanguage,
  type Language,
  languageChoice,
  languages,
  msg,
  t,
} from "../../i18n";
import { Steps } from "../../ui/steps";
import { chooseTheme, type Theme, themes, useTheme } from "../../ui/theme";
import { DictationSwitch } from "../dictation/switch";
import { ShortcutSwitch } from "../shortcuts/switch";

const themeNames: Record<Theme, string> = {
  auto: msg("As the system"),
  light: msg("Light"),
  dark: msg("Dark"),
};
const choices: readonly (Language | "auto")[] = ["auto", "en", "de"];

/** What this browser shows, and nobody else's: it needs no saving. */
export function Appearance() {
  const theme = useTheme((state) => state.theme);
  useEffect(() => {
    if (location.hash !== `#${languageChoice}`) return;
    document.querySelector<HTMLElement>(`#${languageChoice} input:checked`)?.focus();
  }, []);
  return (
    <section className="panel" id="appearance" aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t("Appearance")}</h2>
      <p className="panel-lead">{t("For this browser; takes effect immediately.")}</p>
      <Steps
        legend={t("Colours")}
        values={themes}
        value={theme}
        text={(one) => t(themeNames[one])}
        onChange={chooseTheme}
      />
      <Steps
        id={languageChoice}
        legend={t("Language")}
        values={choices}
        value={chosenLanguage() ?? "auto"}
        text={(one) => (one === "auto" ? t("As the browser") : languages[one])}
        onChange={(one) => chooseLanguage(one === "auto" ? null : one)}
      />
      <p className="quiet">
        {t("The language of this page. Members answer in the language of the question.")}
      </p>
      <ShortcutSwitch />
      <DictationSwitch />
    </section>
  );
}
