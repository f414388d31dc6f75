import { type KeyboardEvent, useState } from "react";
import { t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { TextField } from "../settings/fields";
import { filled, variablesOf } from "./variables";

interface Props {
  text: string;
  /** Given the text with its variables filled in; one that nobody fills is left as it stands. */
  onFilled: (text: string) => void;
}

/** Enter goes on to what is still to be filled in; where nothing is, it puts the text into the box. */
function goOn(event: KeyboardEvent<HTMLFormElement>) {
  const { key, target, ctrlKey, metaKey, nativeEvent, currentTarget } = event;
  if (key !== "Enter" || ctrlKey || metaKey || !(target instanceof HTMLInputElement)) return;
  if (isForInputMethod(nativeEvent)) return;
  const boxes = [...currentTarget.querySelectorAll("input")];
  const next = boxes.slice(boxes.indexOf(target) + 1).find(({ value }) => value === "");
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Asks for what a prompt leaves open. */
export function VariablesForm({ text, onFilled }: Props) {
  const names = variablesOf(text);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  return (
    <form
      className="library-form"
      aria-label={t("What the prompt asks for")}
      onKeyDown={goOn}
      onSubmit={(event) => {
        event.preventDefault();
        // To React this form is inside the composer's, which would send the question.
        event.stopPropagation();
        onFilled(filled(text, given));
      }}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={<bdi>{name}</bdi>}
          value={values[name] ?? ""}
          errors={[]}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <button type="submit" className="button button-main">
        {t("Put it into the box")}
      </button>
    </form>
  );
}
