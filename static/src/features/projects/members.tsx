import { type FormEvent, useId, useRef, useState } from "react";
import { type Member, type Project, putMember, type Role, removeMember } from "../../api/projects";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { inWords, readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";
import { roleNames, roles } from "./roles";

/** The longest name, in characters. */
const nameLength = 200;

const kinds: Record<Member["kind"], string> = { user: msg("Person"), group: msg("Group") };

function RoleSelect({
  label,
  value,
  disabled,
  onChange,
}: {
  label: string;
  value: Role;
  disabled?: boolean;
  onChange: (role: Role) => void;
}) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {t(roleNames[role])}
        </option>
      ))}
    </select>
  );
}

function Row({ project, member }: { project: Project; member: Member }) {
  const { kind, role } = member;
  const name = member.display_name ?? member.name;
  const { busy, attempt } = useAttempt();
  const place = useRef<HTMLLIElement>(null);
  /** The role that one is about to have oneself. */
  const [asked, setAsked] = useState<Role | null>(null);
  const change = (next: Role) =>
    attempt(async () => {
      // Whoever gives up owning it has no roles to choose any more: keys go on from the list.
      const list = member.is_me && role === "owner" ? place.current?.parentElement : null;
      await putMember(project.id, member, next);
      list?.focus();
      toast(t("The role of {{name}} was changed.", { name }));
    }, msg("Not changed: {{message}}"));
  const remove = () =>
    attempt(async () => {
      // The focus goes to no other "Remove" button: a second press would remove another member,
      // too.
      const list = place.current?.parentElement;
      await removeMember(project.id, member);
      list?.focus();
      const undo = () =>
        putMember(project.id, member, role).then(
          () => toast(t("{{name}} is in the project now.", { name })),
          complain(msg("Not restored: {{message}}")),
        );
      toast(t("{{name}} is no longer in the project.", { name }), {
        action: { label: t("Undo"), run: undo },
      });
    }, msg("Not removed: {{message}}"));
  const isMine = project.role === "owner";
  return (
    <li ref={place} className="project-member">
      <span className="project-member-name">
        <bdi>{name}</bdi>
        {name !== member.name && <bdi className="quiet">{member.name}</bdi>}
        {kind === "group" && <span className="badge">{t("group")}</span>}
        {member.is_me && <span className="badge">{t("you")}</span>}
      </span>
      {isMine ? (
        <RoleSelect
          label={t("Role of {{name}}", { name })}
          value={role}
          onChange={(next) => (member.is_me && role === "owner" ? setAsked(next) : change(next))}
        />
      ) : (
        <span className="quiet">{t(roleNames[role])}</span>
      )}
      {isMine && !member.is_me && (
        <button
          type="button"
          className="quiet-button project-member-end"
          aria-label={t("Remove {{name}}", { name })}
          aria-disabled={busy}
          onClick={remove}
        >
          {t("Remove")}
        </button>
      )}
      {asked && (
        <Confirm
          title={t("Give up owning this project?")}
          actions={[
            {
              label: t("Give it up"),
              tone: "danger",
              run: () => {
                setAsked(null);
                change(asked);
              },
            },
          ]}
          cancel={t("Stay an owner")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {t(
              "You will no longer be able to change the project or who is in it. Only another owner can give you this role again.",
            )}
          </p>
        </Confirm>
      )}
    </li>
  );
}

function Add({ project }: { project: Project }) {
  const id = useId();
  const [kind, setKind] = useState<Member["kind"]>("user");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const { busy, problem, attempt, form } = useAttempt();
  const errors = messagesAt(problem?.fields ?? [], "name");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    await attempt(async () => {
      const read = readForm();
      const called = read.line("name", name, nameLength);
      const isKnown = (member: Member) =>
        member.kind === kind && member.name === (kind === "user" ? called.toLowerCase() : called);
      // It would be another role for them, such as that of a reader for an owner.
      if (project.members.some(isKnown)) {
        read.say("name", t("This is a member already. Change the role in the list."));
      }
      read.insist();
      await inWords(putMember(project.id, { kind, name: called }, role), {
        name:
          kind === "user"
            ? t("This cannot be a user’s name.")
            : t("This cannot be a group’s name."),
      });
      toast(t("{{name}} is in the project now.", { name: called }));
      setName("");
    });
  };
  return (
    <form ref={form} className="project-member-add" aria-label={t("Add a member")} onSubmit={add}>
      <div className="field">
        <label htmlFor={id}>{t("Who")}</label>
        <select
          id={id}
          className="input"
          value={kind}
          onChange={(event) => setKind(event.target.value as Member["kind"])}
        >
          <option value="user">{t(kinds.user)}</option>
          <option value="group">{t(kinds.group)}</option>
        </select>
      </div>
      <TextField
        label={kind === "user" ? t("User name") : t("Name of the group")}
        hint={
          kind === "user"
            ? t("Exactly as they sign in here. Whether somebody has this name is not checked.")
            : t("Exactly as the sign-in of this server names it.")
        }
        value={name}
        errors={errors}
        onChange={setName}
      />
      <div className="field">
        <span aria-hidden="true" className="project-label">
          {t("Role")}
        </span>
        <RoleSelect label={t("Role")} value={role} onChange={setRole} />
      </div>
      <button type="submit" className="button" aria-disabled={busy}>
        {busy ? t("Adding…") : t("Add")}
      </button>
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not added: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
    </form>
  );
}

/** Who is in the project; its owners change that. */
export function Members({ project }: { project: Project }) {
  const title = useId();
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{t("Members")}</h2>
      <ul
        tabIndex={-1}
        aria-labelledby={title}
        className={
          project.role === "owner" ? "project-members project-members-change" : "project-members"
        }
      >
        {project.members.map((member) => (
          <Row key={`${member.kind}/${member.name}`} project={project} member={member} />
        ))}
      </ul>
      {project.role === "owner" && <Add project={project} />}
    </section>
  );
}
