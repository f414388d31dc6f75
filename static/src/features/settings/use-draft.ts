import { useState } from "react";
import type { Config } from "../../api/types";
import { draftOf, isChanged, type SettingsDraft } from "./form";
import { rebase } from "./rebase";

interface State {
  draft: SettingsDraft;
  /** What the draft was made from: the newest settings that were seen. */
  base: SettingsDraft;
  seen: Config;
  /** Whether settings came from elsewhere while there were edits. */
  mixed: boolean;
}

function begun(config: Config): State {
  const base = draftOf(config);
  return { draft: base, base, seen: config, mixed: false };
}

/** The newest settings, under the edits. What one has just saved oneself is no news. */
function followed(old: State, config: Config): State {
  const { draft, base } = rebase(old.draft, old.base, config);
  const isNews = isChanged(base, old.base) && isChanged(old.draft, old.base);
  return { draft, base, seen: config, mixed: isChanged(draft, base) && (old.mixed || isNews) };
}

/** The settings as they are being edited, above those that hold, whoever changes them. */
export function useDraft(config: Config) {
  const [state, setState] = useState(() => begun(config));
  if (state.seen !== config) setState(followed(state, config));
  const { draft, base, mixed } = state;
  return {
    draft,
    changed: isChanged(draft, base),
    mixed,
    change: (patch: Partial<SettingsDraft>) =>
      setState((old) => {
        const next = { ...old.draft, ...patch };
        return { ...old, draft: next, mixed: old.mixed && isChanged(next, old.base) };
      }),
    discard: () => setState((old) => ({ ...old, draft: old.base, mixed: false })),
    /** `sent` was saved as `saved`: only what was typed since then is an edit still. */
    settle: (sent: SettingsDraft, saved: Config) =>
      setState((old) => ({ ...old, ...rebase(old.draft, sent, saved), mixed: false })),
  };
}
