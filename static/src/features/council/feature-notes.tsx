import type { RunState } from "../../run/state";
import { features } from "..";
import type { NotePlace } from "../feature";

/** What the features have to say at a place of a run. */
export const FeatureNotes = ({ place, run }: { place: NotePlace; run: RunState }) =>
  features.map(({ name, notes }) => {
    const Note = notes?.[place];
    return Note && <Note key={name} run={run} />;
  });
