import { t } from "elysia";
import type { DbOrTx } from "../../../db/types.ts";
import type { Acting } from "../../domain/accounts/organizations/members/acting.ts";
import { writeOrganizationLog } from "../../domain/accounts/organizations/operation.ts";
import { ROLE } from "../../domain/accounts/roles.ts";
import type { AlertOwner } from "../../domain/alerts/destinations.ts";
import type { LogNote } from "../../domain/logs/log-note.ts";
import { type ManagementAction, writeManagementLog } from "../../domain/logs/write-log.ts";
import { OperationError } from "../../lib/operation-error.ts";

/** Whose alerts a request is about: those of the account it acts for, or for administrators the site's. */
export const alertScope = { scope: t.Union([t.Literal("own"), t.Literal("site")]) };

/** The owner that a scope means for this caller. Throws OperationError when they may not use it. */
export function ownerOf({ actor, role }: Pick<Acting, "actor" | "role">, scope: "own" | "site"): AlertOwner {
  if (scope === "own") return actor.id;
  if (role !== null || actor.role < ROLE.admin) throw new OperationError("permission_denied");
  return "site";
}

type AlertChange = Readonly<{
  /** What was changed, by the name that people know. */
  name: string;
  content: string;
  note: LogNote;
  action: ManagementAction;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
}>;

/** Writes a change of the site's alerts to the audit log, and one of an organization's to its log; people change their own unlogged. */
export async function logAlertChange(
  db: DbOrTx,
  { actor, person, role }: Pick<Acting, "actor" | "person" | "role">,
  owner: AlertOwner,
  { name, content, ...change }: AlertChange,
): Promise<void> {
  if (owner === "site") return writeManagementLog(db, person, content, change);
  if (role === null) return;
  await writeOrganizationLog(db, actor.id, person, {
    ...change,
    content: `${person.username}: ${content}`,
    note: { code: "organization_alert_changed", params: { by: person.username, name } },
  });
}
