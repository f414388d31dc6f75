import { useKnownUsers } from "../../api/admin";

export const usersListId = "known-users";

/** The names to choose from wherever a user is named. */
export function KnownUsers() {
  const users = useKnownUsers();
  return (
    <datalist id={usersListId}>
      {(users.data ?? []).map((user) => (
        <option key={user.id} value={user.id} />
      ))}
    </datalist>
  );
}
