import { and, asc, eq, isNull } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { createAccount } from "../../../accounts/identity/create-user.ts";
import { checkUsername } from "../../../accounts/identity/usernames.ts";
import { deleteUser } from "../../../accounts/users/delete-user.ts";
import { updateUser } from "../../../accounts/users/update-user.ts";
import { writeManagementLog } from "../../../logs/write-log.ts";
import type { UserEntryInput } from "../document.ts";
import { type Kind, listed } from "../kind.ts";

/** People. A new one has no password: they sign in by another service, or an administrator gives them one. */
export const usersKind: Kind<UserEntryInput> = {
  section: "users",
  right: "users:write",
  defaults: { group: "default" },
  entriesOf: (document) => listed(document.users, ({ name }) => name),
  secretsOf: () => [],
  async open(scope) {
    const { db, changes, actor } = scope;
    const change = (id: number, { display_name: displayName, group }: Partial<UserEntryInput>) =>
      updateUser(scope, actor, {
        id,
        ...(displayName !== undefined && { display_name: displayName }),
        ...(group !== undefined && { group }),
      });
    return {
      stored: await listAccounts(db, "person"),
      async create({ name, ...entry }) {
        const id = await createAccount(
          db,
          {
            username: checkUsername(name, scope.settings.get("UsernameMaxLength")),
            displayName: entry.display_name ?? "",
          },
          null,
        );
        await writeManagementLog(db, actor, `Created user ${name} (#${id})`, {
          note: { code: "user_created", params: { name, id } },
          ...{ target: "user", user_id: id, action: "create", after: { username: name } },
        });
        if (entry.group !== undefined) await change(id, { group: entry.group });
        await changes.publish("users", [id]);
      },
      update: ({ id }, changed) => change(id, changed),
      async remove({ id }) {
        if (id === actor.id) throw new OperationError("user_out_of_reach");
        await deleteUser(scope, id);
      },
    };
  },
};

/** Accounts of a kind with what files say of them. */
export async function listAccounts(db: Db, kind: "person" | "organization") {
  const rows = await db
    .select({ id: users.id, name: users.username, displayName: users.displayName, group: users.group })
    .from(users)
    .where(and(eq(users.kind, kind), isNull(users.deletedAt)))
    .orderBy(asc(users.id));
  return rows.map(({ id, name, displayName, group }) => ({
    ...{ id, name },
    entry: { name, display_name: displayName, group },
  }));
}

/** The id of the account of this name. Throws OperationError. */
export async function requireAccount(
  db: Db,
  name: string,
  kinds: readonly ("person" | "organization")[],
): Promise<Readonly<{ id: number; group: string; kind: string }>> {
  const [row] = await db
    .select({ id: users.id, group: users.group, kind: users.kind })
    .from(users)
    .where(and(eq(users.username, name), isNull(users.deletedAt)));
  if (!row || !kinds.some((kind) => kind === row.kind)) throw new OperationError("account_unknown", { name });
  return row;
}
