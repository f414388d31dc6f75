import { useState } from "react";
import { t } from "../../i18n";
import { TextField } from "../settings/fields";
import { filled, variablesOf } from "./variables";

interface Props {
  text: string;
  /** Given the text with its variables filled in; one that nobody fills is left as it stands. */
  onFilled: (text: string) => void;
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
