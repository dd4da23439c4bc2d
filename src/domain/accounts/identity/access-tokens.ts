import { randomBytes } from "node:crypto";
import { and, asc, eq, gt, isNull, lt, ne, or } from "drizzle-orm";
import { accessTokens } from "../../../../db/schema/accounts/security/access-tokens.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import type { UserDirectory, UserEntry } from "../directory.ts";

type Deps = Readonly<{ db: Db; vault: Vault }>;

/** A system access token on the wire; never the token itself. */
export type AccessTokenView = Readonly<{
  id: number;
  /** Empty: the one that `GET /api/user/token` replaces. */
  name: string;
  /** The token's last characters; empty: not known. */
  token_end: string;
  created_time: number;
  /** Epoch seconds; 0: never. */
  expires_time: number;
  last_used_time: number;
}>;

/** 24 bytes are 32 characters of standard Base64, as tools of the ecosystem expect. */
const TOKEN_BYTES = 24;
const SHOWN_CHARACTERS = 4;
const LONGEST_NAME = 40;
const MOST_TOKENS = 50;
/** How old the time of the last use may be. */
const TOUCH_SECONDS = 60;

/** What every end of all sessions ends too: a new password, a ban, another role, other rights, deletion. */
const isInForce = and(
  eq(accessTokens.sessionVersion, users.sessionVersion),
  isNull(users.deletedAt),
  eq(users.kind, "person"),
);

/** The user's access tokens, oldest first; expired ones are among them. */
export async function listAccessTokens(db: DbOrTx, userId: number): Promise<AccessTokenView[]> {
  const rows = await db
    .select({ token: accessTokens })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(eq(accessTokens.userId, userId), isInForce))
    .orderBy(asc(accessTokens.id));
  return rows.map(({ token }) => ({
    id: token.id,
    name: token.name,
    token_end: token.tokenEnd,
    created_time: token.createdAt,
    expires_time: token.expiresAt ?? 0,
    last_used_time: token.lastUsedAt ?? 0,
  }));
}

/** Which of these users have an access token that has not expired. */
export async function usersWithAccessToken(db: DbOrTx, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectDistinct({ userId: accessTokens.userId })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(isOneOf(accessTokens.userId, userIds), isInForce, isUnexpired()));
  return new Set(rows.map(({ userId }) => userId));
}

/** Creates an access token with a name. Returns it with the token, which is shown this once. Throws OperationError. */
export async function createAccessToken(
  deps: Deps,
  userId: number,
  { name: input, expires_time: expiresAt }: Readonly<{ name: string; expires_time: number }>,
): Promise<AccessTokenView & { token: string }> {
  const name = input.trim();
  if (name === "" || [...name].length > LONGEST_NAME) {
    throw new OperationError("access_token_name", { max: LONGEST_NAME });
  }
  if (expiresAt !== 0 && expiresAt <= nowSeconds()) throw new OperationError("access_token_expiry_past");
  return addToken(deps, userId, {
    name,
    expiresAt: expiresAt === 0 ? null : expiresAt,
  });
}

/** Replaces the user's access token without a name; the old one ends at once. The new one is returned this once. */
export const resetAccessToken = async (deps: Deps, userId: number): Promise<string> =>
  (await addToken(deps, userId, { name: "", expiresAt: null })).token;

async function addToken(
  { db, vault }: Deps,
  userId: number,
  values: Readonly<{ name: string; expiresAt: number | null }>,
): Promise<AccessTokenView & { token: string }> {
  const token = randomBytes(TOKEN_BYTES).toString("base64");
  return db.transaction(async (tx) => {
    const [user] = await tx
      .select({ version: users.sessionVersion })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      .for("update");
    if (!user) throw new OperationError("user_not_found");
    const isOver = ne(accessTokens.sessionVersion, user.version);
    await tx
      .delete(accessTokens)
      .where(and(eq(accessTokens.userId, userId), values.name === "" ? or(isOver, eq(accessTokens.name, "")) : isOver));
    const present = await listAccessTokens(tx, userId);
    if (values.name !== "" && present.length >= MOST_TOKENS) {
      throw new OperationError("access_tokens_full", { max: MOST_TOKENS });
    }
    if (present.some(({ name }) => name === values.name)) {
      throw new OperationError("access_token_name_taken", {
        name: values.name,
      });
    }
    await tx.insert(accessTokens).values({
      ...values,
      userId,
      tokenHash: vault.keyedHash(token),
      tokenEnd: token.slice(-SHOWN_CHARACTERS),
      sessionVersion: user.version,
      createdAt: nowSeconds(),
    });
    const view = (await listAccessTokens(tx, userId)).at(-1);
    if (!view) throw new Error("the access token was not created");
    return { ...view, token };
  });
}

/** Revokes one access token of the user. Throws OperationError when there is no such token. */
export async function revokeAccessToken(db: Db, userId: number, id: number): Promise<void> {
  const revoked = await db
    .delete(accessTokens)
    .where(and(eq(accessTokens.userId, userId), eq(accessTokens.id, id)))
    .returning({ id: accessTokens.id });
  if (revoked.length === 0) throw new OperationError("access_token_unknown");
}

/**
 * The user of an access token; null when there is none, or it has ended. Reads the database each time, so that a revoked token
 * is refused at once everywhere.
 */
export async function findByAccessToken(
  { db, users: directory, vault }: Deps & Readonly<{ users: Pick<UserDirectory, "get" | "reread"> }>,
  token: string,
): Promise<UserEntry | null> {
  if (token === "") return null;
  const [row] = await db
    .select({ token: accessTokens })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(eq(accessTokens.tokenHash, vault.keyedHash(token)), isInForce, isUnexpired()));
  if (!row) return null;
  const { id, userId, sessionVersion, lastUsedAt } = row.token;
  // Another process may have changed what the user may do since.
  const known = directory.get(userId);
  const user = known?.sessionVersion === sessionVersion ? known : await directory.reread(userId);
  if (user?.kind !== "person" || user.deleted || user.sessionVersion !== sessionVersion) return null;
  const now = nowSeconds();
  if (now - (lastUsedAt ?? 0) >= TOUCH_SECONDS) await touch(db, id, now);
  return user;
}

const isUnexpired = () => or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, nowSeconds()));

/** Notes the time of the last use, once a minute whatever the number of processes. */
async function touch(db: Db, id: number, now: number): Promise<void> {
  const isOlder = or(isNull(accessTokens.lastUsedAt), lt(accessTokens.lastUsedAt, now - TOUCH_SECONDS + 1));
  await db
    .update(accessTokens)
    .set({ lastUsedAt: now })
    .where(and(eq(accessTokens.id, id), isOlder));
}
