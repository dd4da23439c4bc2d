import type { Changes } from "../../../../db/changes.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { LOG_TYPE, type LogNote, type ManagementAction, writeLog } from "../../logs/write-log.ts";
import type { UserEntry } from "../directory.ts";

/** What operations on organizations need. */
export type OrganizationDeps = Readonly<{ db: Db; changes: Changes; settings: SettingsReader }>;

/** The signed-in person; `isSite`: whoever applies files of the site's configuration, a member or not. */
export type Person = Pick<UserEntry, "id" | "username"> & Readonly<{ isSite?: true }>;

type Change = Readonly<{
  content: string;
  note: LogNote;
  action: ManagementAction;
  /** The project that it is about, if any. */
  projectId?: number | null;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
}>;

/** Writes what a person did to an organization into the organization's log, where its members see it. */
export const writeOrganizationLog = (
  tx: DbOrTx,
  organizationId: number,
  person: Person,
  { content, note, projectId, ...change }: Change,
): Promise<void> =>
  writeLog(tx, {
    type: LOG_TYPE.management,
    userId: organizationId,
    content,
    note,
    other: {
      target: "organization",
      organization_id: organizationId,
      by: person.id,
      ...(projectId && { project_id: projectId }),
      ...change,
    },
  });
