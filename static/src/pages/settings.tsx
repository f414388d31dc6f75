import { useState } from "react";
import { asProblem } from "../api/problem";
import { useConfig } from "../api/queries";
import { Presets } from "../features/presets/presets";
import { CouncilForm } from "../features/settings/council-form";
import { Tokens } from "../features/settings/tokens";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";

export default function SettingsPage() {
  useTitle("Settings");
  const config = useConfig();
  const [unsaved, setUnsaved] = useState(false);
  // A preset that was applied is another council: the form begins anew with it.
  const [applied, setApplied] = useState(0);
  return (
    <div className="settings">
      <h1>Settings</h1>
      {config.isPending && <p className="quiet">Loading the council…</p>}
      {config.isError && !config.data && (
        <Notice tone="bad" urgent>
          The council could not be read: {asProblem(config.error).message}{" "}
          <button type="button" className="quiet-button" onClick={() => config.refetch()}>
            Try again
          </button>
        </Notice>
      )}
      {config.data && (
        <>
          <Presets
            config={config.data}
            unsaved={unsaved}
            onApplied={() => setApplied(applied + 1)}
          />
          <CouncilForm key={applied} config={config.data} onEdits={setUnsaved} />
        </>
      )}
      <Tokens />
    </div>
  );
}
