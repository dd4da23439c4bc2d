import { and, asc, eq, isNull, lt, or } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Changes } from "../../../../db/changes.ts";
import { serviceAccounts } from "../../../../db/schema/accounts/access/service-accounts.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { randomText, type Vault } from "../../../lib/security/crypto.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { isRight, orderRights, type Right } from "../access/access-rules.ts";
import { checkRights } from "../access/check-rights.ts";
import type { UserDirectory, UserEntry } from "../directory.ts";
import { createAccount } from "../identity/create-user.ts";

type Deps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/** What an administrator may set. */
type ServiceAccountInput = Readonly<{
  rights: readonly string[];
  /** Epoch seconds; 0: never. */
  expires_time: number;
}>;

/** A service account on the wire; never its token. */
export type ServiceAccountView = Readonly<{
  id: number;
  name: string;
  rights: Right[];
  /** The token's last characters. */
  token_end: string;
  /** Empty: whoever created it is gone. */
  created_by: string;
  created_time: number;
  /** Epoch seconds; 0: never. */
  expires_time: number;
  last_used_time: number;
}>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const MOST_ACCOUNTS = 200;

/** All service accounts, oldest first. */
export const listServiceAccounts = (db: Db): Promise<ServiceAccountView[]> => readViews(db);

/** Creates a service account and returns it with its token, which is shown this once. Throws OperationError. */
export async function createServiceAccount(
  { db, changes, vault }: Deps,
  actor: UserEntry,
  { name, ...input }: ServiceAccountInput & Readonly<{ name: string }>,
): Promise<ServiceAccountView & { token: string }> {
  const username = name.trim();
  if (!NAME.test(username)) throw new OperationError("service_account_name");
  const columns = columnsOf(input);
  const { token, ...stored } = createServiceToken(vault);
  const view = await db.transaction(async (tx) => {
    if ((await readViews(tx)).length >= MOST_ACCOUNTS) {
      throw new OperationError("service_accounts_full", { max: MOST_ACCOUNTS });
    }
    const userId = await createAccount(tx, { kind: "service", username, displayName: "" }, null);
    await tx
      .insert(serviceAccounts)
      .values({ userId, ...columns, ...stored, createdBy: actor.id, createdAt: nowSeconds() });
    const created = await getView(tx, userId);
    await writeManagementLog(tx, actor, `Created service account ${username} (#${userId})`, {
      note: { code: "service_account_created", params: { name: username, id: userId } },
      action: "create",
      after: created,
    });
    return created;
  });
  await changes.publish("users", [view.id]);
  return { ...view, token };
}

/** Changes the rights and the expiry; its token stays. Throws OperationError. */
export async function updateServiceAccount(
  { db }: Deps,
  actor: UserEntry,
  id: number,
  input: ServiceAccountInput,
): Promise<ServiceAccountView> {
  const columns = columnsOf(input);
  return db.transaction(async (tx) => {
    const before = await getView(tx, id);
    await tx.update(serviceAccounts).set(columns).where(eq(serviceAccounts.userId, id));
    const after = await getView(tx, id);
    await writeManagementLog(tx, actor, `Changed service account ${after.name} (#${id})`, {
      note: { code: "service_account_changed", params: { name: after.name, id } },
      action: "update",
      before,
      after,
    });
    return after;
  });
}

/** Replaces the token; the old one ends at once. The new one is shown this once. Throws OperationError. */
export async function rotateServiceToken(
  { db, vault }: Deps,
  actor: UserEntry,
  id: number,
): Promise<ServiceAccountView & { token: string }> {
  const { token, ...stored } = createServiceToken(vault);
  const view = await db.transaction(async (tx) => {
    await tx
      .update(serviceAccounts)
      .set({ ...stored, lastUsedAt: null })
      .where(eq(serviceAccounts.userId, id));
    const after = await getView(tx, id);
    await writeManagementLog(tx, actor, `Replaced the token of service account ${after.name} (#${id})`, {
      note: { code: "service_token_rotated", params: { name: after.name, id } },
      action: "update",
    });
    return after;
  });
  return { ...view, token };
}

/** Revokes the token and removes the account; what it did stays in the log under its name. Throws OperationError. */
export async function deleteServiceAccount({ db, changes }: Deps, actor: UserEntry, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getView(tx, id);
    await tx.delete(serviceAccounts).where(eq(serviceAccounts.userId, id));
    await tx.update(users).set({ deletedAt: nowSeconds() }).where(eq(users.id, id));
    await writeManagementLog(tx, actor, `Deleted service account ${before.name} (#${id})`, {
      note: { code: "service_account_deleted", params: { name: before.name, id } },
      action: "delete",
      before,
    });
  });
  await changes.enforce("users", [id]);
}

function columnsOf({ rights, expires_time: expiresAt }: ServiceAccountInput) {
  const checked = checkRights(rights);
  if (expiresAt !== 0 && expiresAt <= nowSeconds()) throw new OperationError("service_account_expiry_past");
  return { rights: checked, expiresAt: expiresAt === 0 ? null : expiresAt };
}

async function getView(db: DbOrTx, id: number): Promise<ServiceAccountView> {
  const [view] = await readViews(db, id);
  if (!view) throw new OperationError("service_account_not_found");
  return view;
}

async function readViews(db: DbOrTx, id?: number): Promise<ServiceAccountView[]> {
  const creators = alias(users, "creators");
  const rows = await db
    .select({ account: serviceAccounts, name: users.username, creator: creators.username })
    .from(serviceAccounts)
    .innerJoin(users, eq(users.id, serviceAccounts.userId))
    .leftJoin(creators, eq(creators.id, serviceAccounts.createdBy))
    .where(id === undefined ? isNull(users.deletedAt) : eq(users.id, id))
    .orderBy(asc(serviceAccounts.userId));
  return rows.map(({ account, name, creator }) => ({
    id: account.userId,
    name,
    rights: orderRights(account.rights),
    token_end: account.tokenEnd,
    created_by: creator ?? "",
    created_time: account.createdAt,
    expires_time: account.expiresAt ?? 0,
    last_used_time: account.lastUsedAt ?? 0,
  }));
}

/** By which tokens are recognized, also by scanners of leaked secrets. */
const PREFIX = "sluice_sa_";
const TOKEN_BYTES = 32;
const SHOWN_CHARACTERS = 4;
/** How old the time of the last use may be. */
const TOUCH_SECONDS = 60;

/** Whether a text is the token of a service account by its form. */
export const isServiceToken = (text: string): boolean => text.startsWith(PREFIX);

/** A new token, which is shown once, and what is stored of it. */
function createServiceToken(vault: Vault): { token: string; tokenHash: string; tokenEnd: string } {
  const token = `${PREFIX}${randomText(TOKEN_BYTES)}`;
  return { token, tokenHash: vault.keyedHash(token), tokenEnd: token.slice(-SHOWN_CHARACTERS) };
}

/**
 * The service account of a token, with its rights; null when there is none or it has expired. Reads the database each time,
 * so that a revoked token is refused at once everywhere.
 */
export async function findServiceAccount(
  { db, users, vault }: Readonly<{ db: Db; users: UserDirectory; vault: Vault }>,
  token: string,
): Promise<{ actor: UserEntry; rights: ReadonlySet<Right> } | null> {
  const now = nowSeconds();
  const [row] = await db
    .select()
    .from(serviceAccounts)
    .where(eq(serviceAccounts.tokenHash, vault.keyedHash(token)));
  if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null;
  const actor = users.get(row.userId) ?? (await users.reread(row.userId));
  if (actor?.kind !== "service" || actor.deleted) return null;
  if (now - (row.lastUsedAt ?? 0) >= TOUCH_SECONDS) await touch(db, row.userId, now);
  return { actor, rights: new Set(row.rights.filter(isRight)) };
}

/** Notes the time of the last use, once a minute whatever the number of processes. */
async function touch(db: Db, userId: number, now: number): Promise<void> {
  const isOlder = or(isNull(serviceAccounts.lastUsedAt), lt(serviceAccounts.lastUsedAt, now - TOUCH_SECONDS + 1));
  await db
    .update(serviceAccounts)
    .set({ lastUsedAt: now })
    .where(and(eq(serviceAccounts.userId, userId), isOlder));
}
