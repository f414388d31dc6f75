import { useState } from "react";
import { api } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { keys, queryClient, useTokens } from "../../api/queries";
import type { NewToken, Token } from "../../api/types";
import { CopyButton } from "../../ui/copy";
import { when } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { TextField } from "./fields";
import { messagesAt } from "./form";

const lifetimes = [30, 90, 365];
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const refresh = () => queryClient.invalidateQueries({ queryKey: keys.tokens });

function Fresh({ token, onClose }: { token: NewToken; onClose: () => void }) {
  return (
    <Notice urgent>
      <strong>“{token.name}” was made.</strong> Copy it now: it is not shown again.
      <div className="secret">
        <code>{token.token}</code>
        <CopyButton label="Copy" text={() => token.token} />
        <button type="button" className="quiet-button" onClick={onClose}>
          Done
        </button>
      </div>
    </Notice>
  );
}

function stateOf(token: Token): string {
  const parts = [`made ${day.format(when(token.created_at))}`];
  if (token.expires_at) {
    const end = when(token.expires_at);
    parts.push(`${end < new Date() ? "expired" : "expires"} ${day.format(end)}`);
  }
  parts.push(
    token.last_used_at ? `last used ${day.format(when(token.last_used_at))}` : "never used",
  );
  return parts.join(" · ");
}

function TokenList() {
  const tokens = useTokens();
  const [asked, setAsked] = useState<string | null>(null);
  const revoke = async (token: Token) => {
    try {
      await api.revokeToken(token.id);
      await refresh();
      toast(`“${token.name}” was revoked.`);
    } catch (error) {
      toast(`Not revoked: ${asProblem(error).message}`, { tone: "bad" });
    }
    setAsked(null);
  };
  if (tokens.isPending) return <p className="quiet">Loading tokens…</p>;
  if (tokens.isError) {
    return <Notice tone="bad">Tokens could not be read: {asProblem(tokens.error).message}</Notice>;
  }
  const valid = tokens.data.filter((token) => !token.revoked_at);
  if (valid.length === 0) return <p className="quiet">There are no tokens yet.</p>;
  return (
    <ul className="tokens">
      {valid.map((token) => (
        <li key={token.id}>
          <div className="answer-who">
            <span className="member-name">{token.name}</span>
            <span className="model-id">{stateOf(token)}</span>
          </div>
          <button
            type="button"
            className={asked === token.id ? "button button-danger" : "button"}
            aria-label={`${asked === token.id ? "Really revoke" : "Revoke"} ${token.name}`}
            onClick={() => (asked === token.id ? revoke(token) : setAsked(token.id))}
            onBlur={() => setAsked(null)}
          >
            {asked === token.id ? "Really revoke?" : "Revoke"}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Tokens() {
  const [name, setName] = useState("");
  const [days, setDays] = useState(90);
  const [fresh, setFresh] = useState<NewToken | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setFresh(await api.createToken(name.trim(), days));
      setName("");
      await refresh();
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="panel" aria-labelledby="tokens-title">
      <h2 id="tokens-title">API tokens</h2>
      <p className="panel-lead">
        For the command line and for scripts. Whoever has one can ask and read in your name.
      </p>
      <TokenList />
      {fresh && <Fresh token={fresh} onClose={() => setFresh(null)} />}
      <form
        className="token-form"
        aria-label="New token"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <TextField
          label="New token for"
          value={name}
          placeholder="laptop"
          errors={messagesAt(problem?.fields ?? [], "name")}
          onChange={setName}
        />
        <div className="field">
          <label htmlFor="token-days">Valid for</label>
          <select
            id="token-days"
            className="input"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {lifetimes.map((value) => (
              <option key={value} value={value}>
                {value} days
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="button" disabled={busy || name.trim() === ""}>
          {busy ? "Making…" : "Make token"}
        </button>
      </form>
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          Not made: {problem.message}
        </Notice>
      )}
    </section>
  );
}
