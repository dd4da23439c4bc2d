import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { oauthGrants, oauthTokens } from "../../../../db/schema/accounts/applications.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { TOKEN_STATUS, tokens } from "../../../../db/schema/api-keys.ts";
import type { Tx } from "../../../../db/types.ts";
import { USER_STATUS } from "../../accounts/access/roles.ts";
import { findRole } from "../../accounts/organizations/membership.ts";
import { hasRight } from "../../accounts/organizations/rights.ts";
import type { ApiKeyDeps } from "../operation.ts";
import { endGrants } from "./grants.ts";
import { OAuthError } from "./oauth-error.ts";
import { ACCESS_ENDS_AFTER_SECONDS, ACCESS_SECONDS, newSecret, REFRESH_SECONDS, successorOf } from "./secrets.ts";

/** Tokens as an application gets them. */
export type TokenPair = Readonly<{ accessToken: string; refreshToken: string; expiresIn: number }>;

type Deps = Pick<ApiKeyDeps, "db" | "changes" | "vault">;
type Stored = Readonly<{ token: typeof oauthTokens.$inferSelect; grant: typeof oauthGrants.$inferSelect }>;

/** For so long a replaced refresh token gets the tokens that replaced it: a response may be lost, or two requests may cross. */
const RETRY_SECONDS = 30;
/** Replaced refresh tokens of an application whose second use is noticed. */
const MOST_REPLACED = 1_000;

/** Whose request it is, and what it says of what it redeems. `server`: of the resource it names; undefined: it names none. */
type Redeemer = Readonly<{ clientId: string; server: string | undefined; now: number }>;

/**
 * Redeems a code once. A second time, whoever has it may have stolen it: the application's access ends (RFC 6749, 4.1.2). Rejects
 * OAuthError.
 */
export const redeemCode = (
  deps: Deps,
  code: string,
  { verifier, redirectUri, ...redeemer }: Redeemer & Readonly<{ verifier: string; redirectUri: string | undefined }>,
): Promise<TokenPair> =>
  redeem(deps, "code", code, redeemer, async (tx, { token, grant }) => {
    if (redirectUri !== undefined && redirectUri !== grant.redirectUri)
      throw invalidGrant("The redirect_uri is not the one of the authorization request.");
    if (challengeOf(verifier) !== token.challenge) throw invalidGrant("The code_verifier does not fit the code.");
    if (token.usedAt > 0) return "stolen";
    return issue(tx, deps, grant, {
      ...{ replaced: token.hash, accessToken: newSecret("access"), refreshToken: newSecret("refresh") },
      now: redeemer.now,
    });
  });

/**
 * Replaces a refresh token. One that was replaced longer than RETRY_SECONDS ago, or whose successor was used, may be stolen: the
 * application's access ends (RFC 9700, 4.14.2). Rejects OAuthError.
 */
export const refreshTokens = (deps: Deps, refreshToken: string, redeemer: Redeemer): Promise<TokenPair> =>
  redeem(deps, "refresh", refreshToken, redeemer, async (tx, { token, grant }) => {
    const { now } = redeemer;
    const pair = {
      accessToken: successorOf(deps.vault, "access", refreshToken),
      refreshToken: successorOf(deps.vault, "refresh", refreshToken),
    };
    if (token.usedAt === 0) return issue(tx, deps, grant, { ...pair, replaced: token.hash, now });
    if (now - token.usedAt > RETRY_SECONDS) return "stolen";
    const hashes = [pair.accessToken, pair.refreshToken].map(deps.vault.keyedHash);
    const successors = await tx.select().from(oauthTokens).where(inArray(oauthTokens.hash, hashes));
    const access = successors.find(({ kind }) => kind === "access");
    if (!access || !successors.some(({ kind, usedAt }) => kind === "refresh" && usedAt === 0)) return "stolen";
    return { ...pair, expiresIn: Math.max(0, access.expiresAt - now) };
  });

/** Ends the access of an application that gives a token back (RFC 7009); tokens of others, and unknown ones, change nothing. */
export async function revokeToken({ db, changes, vault }: Deps, token: string, clientId: string): Promise<void> {
  const [found] = await db
    .select({ id: oauthGrants.id })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
    .where(and(eq(oauthTokens.hash, vault.keyedHash(token)), eq(oauthGrants.clientId, clientId)));
  if (!found) return;
  await changes.enforce("tokens", await db.transaction((tx) => endGrants(tx, [found.id])));
}

/** Finds a code or refresh token, locked, and checks what both have in common. */
async function redeem(
  { db, changes, vault }: Deps,
  kind: "code" | "refresh",
  secret: string,
  { clientId, server, now }: Redeemer,
  work: (tx: Tx, stored: Stored) => Promise<TokenPair | "stolen">,
): Promise<TokenPair> {
  const outcome = await db.transaction(async (tx) => {
    const own = and(eq(oauthTokens.hash, vault.keyedHash(secret)), eq(oauthTokens.kind, kind));
    const grantId = tx.select({ id: oauthTokens.grantId }).from(oauthTokens).where(own);
    // The lock first, so that the token is read as the request before this one left it.
    const [grant] = await tx.select().from(oauthGrants).where(inArray(oauthGrants.id, grantId)).for("update");
    const [token] = await tx.select().from(oauthTokens).where(own);
    if (!grant || !token || grant.clientId !== clientId || token.expiresAt <= now)
      throw invalidGrant(`The ${kind === "code" ? "code" : "refresh token"} is unknown, expired, or another client's.`);
    if (server !== undefined && server !== grant.server)
      throw new OAuthError("invalid_target", "Access was given to another resource.");
    const pair = await work(tx, { token, grant });
    if (pair === "stolen") return { ended: await endGrants(tx, [grant.id]) };
    await requireStanding(tx, grant, now);
    return { pair };
  });
  if (outcome.pair) return outcome.pair;
  await changes.enforce("tokens", outcome.ended);
  throw invalidGrant("It was used before, so the application's access has ended. Sign in again.");
}

/** Throws OAuthError unless the key still works, and the person who gave access still may. */
async function requireStanding(tx: Tx, { tokenId, userId }: Stored["grant"], now: number): Promise<void> {
  const [key] = await tx.select().from(tokens).where(eq(tokens.id, tokenId));
  const isOver = key && key.expiredTime !== -1 && key.expiredTime <= now;
  const works = key?.status === TOKEN_STATUS.enabled || key?.status === TOKEN_STATUS.exhausted;
  if (!key || key.deletedAt !== null || isOver || !works) throw invalidGrant("The access has ended or is disabled.");
  const accounts = await tx
    .select({ status: users.status, deletedAt: users.deletedAt })
    .from(users)
    .where(inArray(users.id, [userId, key.userId]));
  const isActive = accounts.every(({ status, deletedAt }) => status === USER_STATUS.active && deletedAt === null);
  const role = key.userId === userId ? null : await findRole(tx, key.userId, userId);
  if (!isActive || (key.userId !== userId && (role === null || !hasRight(role, "keys.write"))))
    throw invalidGrant("Whoever gave access may no longer do so.");
}

async function issue(
  tx: Tx,
  { vault }: Pick<Deps, "vault">,
  { id: grantId, createdAt }: Stored["grant"],
  pair: Readonly<{ replaced: string; accessToken: string; refreshToken: string; now: number }>,
): Promise<TokenPair> {
  const { replaced, accessToken, refreshToken, now } = pair;
  const end = createdAt + ACCESS_ENDS_AFTER_SECONDS;
  const [accessUntil, refreshUntil] = [Math.min(now + ACCESS_SECONDS, end), Math.min(now + REFRESH_SECONDS, end)];
  await tx.update(oauthTokens).set({ usedAt: now }).where(eq(oauthTokens.hash, replaced));
  await tx.insert(oauthTokens).values([
    { hash: vault.keyedHash(accessToken), grantId, kind: "access", expiresAt: accessUntil },
    { hash: vault.keyedHash(refreshToken), grantId, kind: "refresh", expiresAt: refreshUntil },
  ]);
  await tx.update(oauthGrants).set({ refreshedAt: now, expiresAt: refreshUntil }).where(eq(oauthGrants.id, grantId));
  const own = eq(oauthTokens.grantId, grantId);
  await tx.delete(oauthTokens).where(and(own, eq(oauthTokens.kind, "access"), lt(oauthTokens.expiresAt, now)));
  const longReplaced = tx
    .select({ hash: oauthTokens.hash })
    .from(oauthTokens)
    .where(and(own, eq(oauthTokens.kind, "refresh"), sql`${oauthTokens.usedAt} > 0`))
    .orderBy(sql`${oauthTokens.usedAt} desc`)
    .offset(MOST_REPLACED);
  await tx.delete(oauthTokens).where(inArray(oauthTokens.hash, longReplaced));
  return { accessToken, refreshToken, expiresIn: accessUntil - now };
}

const challengeOf = (verifier: string): string =>
  new Bun.CryptoHasher("sha256").update(verifier).digest("base64url").replaceAll("=", "");

const invalidGrant = (description: string) => new OAuthError("invalid_grant", description);
