import { asProblem } from "../api/problem";
import { useConfig } from "../api/queries";
import { CouncilForm } from "../features/settings/council-form";
import { Tokens } from "../features/settings/tokens";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";

export default function SettingsPage() {
  useTitle("Settings");
  const config = useConfig();
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
      {config.data && <CouncilForm config={config.data} />}
      <Tokens />
    </div>
  );
}
