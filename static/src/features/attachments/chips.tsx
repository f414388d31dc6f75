import { useRef } from "react";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { focusComposer } from "../composer/focus";
import { type ChosenFile, useChosenFiles } from "./chosen";
import { bytes } from "./size";
import { remove } from "./upload";
import "../../styles/attachments.css";

function about({ state, problem, fromBefore, size }: ChosenFile): string {
  if (state === "uploading") return t("Uploading…");
  if (problem !== null) return problem;
  if (fromBefore) return t("From the question before");
  return size === null ? t("Ready") : bytes(size);
}

/** The files that go with the question that is being typed. */
export default function Chips({ place }: { place: string | null }) {
  const list = useChosenFiles(place);
  const box = useRef<HTMLUListElement>(null);
  if (list.length === 0) return null;
  const takeOut = (at: number) => {
    const file = list[at];
    if (!file) return;
    const buttons = box.current?.querySelectorAll("button");
    const other = buttons?.[at + 1] ?? buttons?.[at - 1];
    if (other) other.focus();
    else focusComposer();
    remove(place, file);
  };
  return (
    <ul ref={box} className="files" aria-label={t("Files of this question")}>
      {list.map((file, at) => (
        <li key={file.key} className={`file file-${file.state}`}>
          {file.thumbnail && file.state !== "failed" ? (
            <img className="file-thumbnail" src={file.thumbnail} alt="" />
          ) : (
            <Icon name={file.state === "failed" ? "alert" : "file"} />
          )}
          <span className="file-about">
            <span className="file-name" dir="auto" title={file.name}>
              {file.name}
            </span>
            <span className="file-more">{about(file)}</span>
          </span>
          <button
            type="button"
            className="icon-button"
            aria-label={t("Remove {{name}}", { name: file.name })}
            title={t("Remove {{name}}", { name: file.name })}
            onClick={() => takeOut(at)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
