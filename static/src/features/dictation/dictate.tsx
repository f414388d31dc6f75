import "../../styles/dictation.css";
import { type RefObject, useEffect, useRef, useState } from "react";
import { locale, msg, t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { drafts } from "../composer/draft";
import { after, type Place, saidIn, withSaid } from "./insert";
import { type Recognition, recognition } from "./wanted";

/** What a browser says went wrong; that it was stopped is nothing wrong. */
const wrongs: Record<string, string> = {
  "not-allowed": msg(
    "The browser does not let this page use the microphone. Allow it beside the address.",
  ),
  "service-not-allowed": msg("The browser does not let this page turn speech into text."),
  "audio-capture": msg("No microphone was found."),
  network: msg("The browser’s service for speech cannot be reached."),
  "no-speech": msg("Nothing was heard."),
  "language-not-supported": msg("The browser does not understand this page’s language."),
};

interface Props {
  /** Where what is typed is kept. */
  place: string | null;
  box: RefObject<HTMLTextAreaElement | null>;
}

/** Writes what is said into the box, as it is heard. It never sends. */
export default function Dictate({ place, box }: Props) {
  const listening = useRef<Recognition | null>(null);
  const [on, setOn] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => () => listening.current?.abort(), []);

  const begin = (Browsers: new () => Recognition) => {
    const { content } = drafts.read(place);
    const { selectionStart, selectionEnd } = box.current ?? {};
    let at: Place = {
      before: content.slice(0, selectionStart ?? content.length),
      after: content.slice(selectionEnd ?? content.length),
      from: 0,
    };
    let written = content;
    const heard = new Browsers();
    heard.lang = locale();
    heard.continuous = true;
    heard.interimResults = true;
    heard.onresult = (event) => {
      const now = drafts.read(place).content;
      // It was asked, or thrown away: what is still on its way belongs to no other question.
      if (now === "" && written !== "") return heard.abort();
      if (now !== written) at = after(now, event);
      written = withSaid(at, saidIn(event, at.from));
      drafts.write(place, { content: written });
    };
    heard.onerror = ({ error }) => {
      if (error === "aborted") return;
      setWrong(wrongs[error] ?? msg("The browser could not turn speech into text."));
    };
    heard.onend = () => {
      if (listening.current !== heard) return;
      listening.current = null;
      setOn(false);
    };
    listening.current = heard;
    setWrong(null);
    setOn(true);
    heard.start();
  };

  const press = () => {
    if (listening.current) return listening.current.stop();
    const Browsers = recognition();
    if (!Browsers) return;
    begin(Browsers);
  };

  return (
    <>
      <button
        type="button"
        className={on ? "chip chip-chosen dictating" : "chip"}
        aria-pressed={on}
        onClick={press}
      >
        <Icon name="mic" />
        {t("Dictate")}
      </button>
      <span className={on ? "dictation-state" : "visually-hidden"} role="status">
        {on && t("Listening. Press it again to stop.")}
      </span>
      {wrong && (
        <span className="dictation-wrong" role="alert">
          {t(wrong)}
        </span>
      )}
    </>
  );
}
