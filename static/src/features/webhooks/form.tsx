import { useId, useState } from "react";
import type { Webhook, WebhookChange } from "../../api/webhooks";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { inWords, readForm } from "../../ui/wrong";
import { CheckField, Errors, messagesAt, TextField } from "../settings/fields";
import { Leaving } from "../settings/leaving";
import { choices } from "./events";

const example = "https://hooks.example.com/council";

/** What is wrong with an address, as far as it can be seen; null where only the server knows. */
function addressProblem(text: string): string | null {
  if (!URL.canParse(text)) return t("This is no address. Write it like {{example}}.", { example });
  const { protocol, username, password, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return t("It has to begin with https://.");
  if (username || password) {
    return t("Without a user name and a password: what is sent is signed.");
  }
  return hash ? t("Without what comes after #.") : null;
}

/** Where the server refuses an address in which nothing was wrong. */
const refusalOf = (address: string) =>
  address.startsWith("https:")
    ? t("This server does not send to this address. Ask its administrator.")
    : t("It has to begin with https://.");

interface Props {
  /** The one that is changed; none where one is made. */
  webhook?: Webhook;
  instance: boolean;
  label: string;
  action: string;
  onSave: (wanted: WebhookChange) => Promise<void>;
  onCancel: () => void;
}

/** Where deliveries go, what of, and how much they say. */
export function WebhookForm({ webhook, instance, label, action, onSave, onCancel }: Props) {
  const id = useId();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly string[]>(
    webhook?.events ?? choices.map(([event]) => event),
  );
  const [content, setContent] = useState(webhook?.include_content ?? false);
  const written = JSON.stringify([url, events, content]);
  const [begun] = useState(written);
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const ofEvents = errors.filter(({ field }) => field === "events" || field.startsWith("events."));
  const save = () =>
    attempt(async () => {
      const read = readForm();
      const address = url.trim();
      read.say("url", addressProblem(address));
      read.say("events", events.length > 0 ? null : t("Choose at least one."));
      read.insist();
      const wanted = {
        url: address,
        events,
        ...(instance ? {} : { include_content: content }),
        ...(instance && !webhook ? { instance: true } : {}),
      };
      await inWords(onSave(wanted), { url: refusalOf(address) });
    });
  return (
    <form
      ref={form}
      className="webhook-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField
        label={t("Address")}
        hint={t("Where deliveries are sent, by POST.")}
        value={url}
        placeholder={example}
        errors={messagesAt(errors, "url")}
        onChange={setUrl}
      />
      <fieldset
        className="webhook-events"
        tabIndex={-1}
        data-invalid={ofEvents.length > 0 || undefined}
        aria-describedby={ofEvents.length > 0 ? `${id}-events` : undefined}
      >
        <legend>{t("It is told when")}</legend>
        {choices.map(([event, title]) => (
          <CheckField
            key={event}
            label={t(title)}
            hint={event}
            checked={events.includes(event)}
            onChange={(on) =>
              setEvents(on ? [...events, event] : events.filter((one) => one !== event))
            }
          />
        ))}
        <Errors id={`${id}-events`} messages={ofEvents.map(({ message }) => message)} />
      </fieldset>
      {instance ? (
        <p className="field-hint">
          {t(
            "It is told whose run it was, how it ended and what it cost. Questions and answers are never sent: they belong to the people who asked.",
          )}
        </p>
      ) : (
        <CheckField
          label={t("Send title, question and answer too")}
          hint={t(
            "Whoever runs this address can then read them. Without them a delivery says which run ended, how, what it cost, and where you read it.",
          )}
          checked={content}
          onChange={setContent}
        />
      )}
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <div className="webhook-actions">
        <button type="submit" className="button button-main" aria-disabled={busy}>
          {busy ? t("Saving…") : action}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </div>
      <Leaving
        active={written !== begun && !busy}
        // The secret of a new one is shown once, here.
        save={webhook && save}
        discard={onCancel}
        text={t("What you wrote here is not saved yet.")}
      />
    </form>
  );
}
