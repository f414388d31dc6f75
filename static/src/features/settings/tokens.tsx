import { useEffect, useRef, useState } from "react";
import { asProblem } from "../../api/problem";
import {
  createToken,
  type Permission,
  refreshTokens,
  revokeToken,
  useTokens,
} from "../../api/tokens";
import type { NewToken, Token } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { CopyButton } from "../../ui/copy";
import { dateFormat, when } from "../../ui/format";
import { useKeptFocus } from "../../ui/kept-focus";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "./fields";

/** The longest name, in characters. */
const nameLength = 100;
const lifetimes = [30, 90, 365];
/** What a new token can be made for; the first one is usual. */
const scopes: readonly (readonly [readonly Permission[], string])[] = [
  [["read", "ask"], msg("Read and ask")],
  [["read"], msg("Read only")],
];
const day = dateFormat({ dateStyle: "medium" });

/** A token that was just created, for the only time that it is shown. */
function Fresh({ token, onClose }: { token: NewToken; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  // It stands above the form, and the button that asked for it would keep the focus.
  useEffect(() => box.current?.focus(), []);
  return (
    <Notice urgent>
      <div ref={box} tabIndex={-1} className="secret-box">
        <p>
          <strong>{t("“{{name}}” was created.", { name: token.name })}</strong>{" "}
          {t("Copy it now: it is not shown again.")}
        </p>
        <div className="secret">
          <code>{token.token}</code>
          <CopyButton label={t("Copy")} text={() => token.token} />
          <button type="button" className="quiet-button" onClick={onClose}>
            {t("Done")}
          </button>
        </div>
      </div>
    </Notice>
  );
}

/** One that was made by the API may ask and not read. */
function mayOf({ permissions }: Token): string {
  if (!permissions.includes("ask")) return t("may only read");
  return t(permissions.includes("read") ? "may read and ask" : "may only ask");
}

function stateOf(token: Token): string {
  const parts = [mayOf(token), t("created {{day}}", { day: day(when(token.created_at)) })];
  if (token.expires_at) {
    const end = when(token.expires_at);
    parts.push(t(end < new Date() ? "expired {{day}}" : "expires {{day}}", { day: day(end) }));
  }
  parts.push(
    token.last_used_at
      ? t("last used {{day}}", { day: day(when(token.last_used_at)) })
      : t("never used"),
  );
  return parts.join(" · ");
}

function Row({ token }: { token: Token }) {
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();
  const { name } = token;
  const revoke = () =>
    attempt(async () => {
      await revokeToken(token.id);
      await refreshTokens();
      toast(t("“{{name}}” was revoked.", { name }));
    }, msg("Not revoked: {{message}}"));
  return (
    <li>
      <div className="answer-who">
        <span className="member-name">{name}</span>
        <span className="model-id">{stateOf(token)}</span>
      </div>
      <button
        type="button"
        className="button"
        aria-label={t("Revoke {{name}}", { name })}
        aria-disabled={busy}
        onClick={() => setAsked(true)}
      >
        {t("Revoke")}
      </button>
      {asked && (
        <Confirm
          title={t("Revoke “{{name}}”?", { name })}
          actions={[
            {
              label: t("Revoke"),
              tone: "danger",
              run: () => {
                setAsked(false);
                revoke();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>{t("Whatever uses this token is refused from then on. This cannot be undone.")}</p>
        </Confirm>
      )}
    </li>
  );
}

function TokenList({ tokens }: { tokens: ReturnType<typeof useTokens> }) {
  if (tokens.isPending) return <p className="quiet">{t("Loading tokens…")}</p>;
  if (tokens.isError) {
    return (
      <Notice tone="bad">
        {t("Tokens could not be loaded: {{reason}}", { reason: asProblem(tokens.error).message })}
      </Notice>
    );
  }
  const valid = tokens.data.filter((token) => !token.revoked_at);
  if (valid.length === 0) return <p className="quiet">{t("There are no tokens yet.")}</p>;
  return (
    <ul className="tokens">
      {valid.map((token) => (
        <Row key={token.id} token={token} />
      ))}
    </ul>
  );
}

export function Tokens() {
  // Here, so that the focus is looked after when a row goes.
  const tokens = useTokens();
  const [name, setName] = useState("");
  const [days, setDays] = useState(90);
  const [scope, setScope] = useState(0);
  const [fresh, setFresh] = useState<NewToken | null>(null);
  const { busy, problem, attempt, form } = useAttempt();
  const kept = useKeptFocus<HTMLElement>();
  const create = () =>
    attempt(async () => {
      const read = readForm();
      const called = read.name("name", name, nameLength);
      read.insist();
      setFresh(await createToken(called, days, scopes[scope]?.[0] ?? ["read"]));
      setName("");
      await refreshTokens();
    });
  return (
    <section {...kept} className="panel" id="tokens" aria-labelledby="tokens-title">
      <h2 id="tokens-title">{t("API tokens")}</h2>
      <p className="panel-lead">
        {t(
          "For the command line and for scripts. Whoever has a token can read in your name, and ask if the token allows it.",
        )}
      </p>
      <TokenList tokens={tokens} />
      {fresh && <Fresh key={fresh.id} token={fresh} onClose={() => setFresh(null)} />}
      <form
        ref={form}
        className="token-form new-token"
        aria-label={t("New token")}
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <TextField
          label={t("New token for")}
          value={name}
          placeholder={t("laptop")}
          errors={messagesAt(problem?.fields ?? [], "name")}
          onChange={setName}
        />
        <div className="field">
          <label htmlFor="token-days">{t("Valid for")}</label>
          <select
            id="token-days"
            className="input"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {lifetimes.map((value) => (
              <option key={value} value={value}>
                {t("{{count, number}} days", { count: value })}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="token-scope">{t("What it may do")}</label>
          <select
            id="token-scope"
            className="input"
            value={scope}
            onChange={(event) => setScope(Number(event.target.value))}
          >
            {scopes.map(([, text], at) => (
              <option key={text} value={at}>
                {t(text)}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="button" aria-disabled={busy}>
          {busy ? t("Creating…") : t("Create token")}
        </button>
      </form>
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not created: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
    </section>
  );
}
