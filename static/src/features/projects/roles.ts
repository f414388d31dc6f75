import type { Role } from "../../api/projects";
import { msg } from "../../i18n";

export const roles: readonly Role[] = ["viewer", "writer", "owner"];

/** In a list of members. */
export const roleNames: Record<Role, string> = {
  viewer: msg("Can read"),
  writer: msg("Can write"),
  owner: msg("Owner"),
};

/** Said to the reader about themselves. */
export const yourRole: Record<Role, string> = {
  viewer: msg("You can read what is in this project."),
  writer: msg("You can read and ask in this project."),
  owner: msg("You own this project."),
};
