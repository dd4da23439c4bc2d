import { and, eq, gt, isNull } from "drizzle-orm";
import { oauthGrants, oauthTokens } from "../../../../db/schema/accounts/applications.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createRateLimiter } from "../../../lib/limits/rate-limiter.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/** What an access token of an application stands for. */
export type AccessToken = Readonly<{
  /** The API key whose limits and account count. */
  keyId: number;
  /** Who gave access. */
  personId: number;
  /** The server for whose address it is valid; empty: the address of all. */
  server: string;
  /** Epoch seconds. */
  expiresAt: number;
}>;

/** Looks access tokens up. */
export type AccessTokens = Readonly<{
  /**
   * Null: there is no such token, or its access has ended. `limited`: the address tried too many that do not exist. Rejects when the
   * database does not answer.
   */
  find(token: string, address: string): Promise<AccessToken | "limited" | null>;
  /** One that was found before. */
  known(token: string): AccessToken | undefined;
}>;

const MAX_REMEMBERED = 20_000;
const MISSING_MS = 60_000;
/** Tokens that do not exist: whoever tries out random ones must not reach the database with each. */
const PER_ADDRESS = { count: 100, windowMs: 10_000 };
const ALL = { count: 500, windowMs: 10_000 };

type Parts = Readonly<{
  db: Db;
  vault: Pick<Vault, "keyedHash">;
  /** Whether calls can use the key now; after a deletion no process can. */
  hasKey: (keyId: number) => boolean;
  /** Reads a key and the people of it into memory, where they are not there yet. */
  loadKey: (keyId: number, personId: number) => Promise<void>;
}>;

/**
 * A token that was found is believed until it expires or its key is gone: revocation deletes the key, of which every process learns
 * at once.
 */
export function createAccessTokens({ db, vault, hasKey, loadKey }: Parts): AccessTokens {
  const found = recentEntries<string, AccessToken>(MAX_REMEMBERED);
  // No client has a token before it is stored, so what is not there will never be.
  const missing = recentEntries<string, true>(MAX_REMEMBERED, MISSING_MS);
  const perAddress = createRateLimiter(PER_ADDRESS);
  const all = createRateLimiter(ALL);
  const knownBy = (hash: string): AccessToken | undefined => {
    const access = found.get(hash);
    if (access && access.expiresAt > nowSeconds() && hasKey(access.keyId)) return access;
    found.delete(hash);
    return undefined;
  };
  const read = async (hash: string): Promise<AccessToken | null> => {
    const [access] = await db
      .select({
        ...{ keyId: oauthGrants.tokenId, personId: oauthGrants.userId, server: oauthGrants.server },
        expiresAt: oauthTokens.expiresAt,
      })
      .from(oauthTokens)
      .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
      .innerJoin(tokens, eq(tokens.id, oauthGrants.tokenId))
      .where(
        and(
          ...[eq(oauthTokens.hash, hash), eq(oauthTokens.kind, "access"), gt(oauthTokens.expiresAt, nowSeconds())],
          isNull(tokens.deletedAt),
        ),
      );
    if (!access) return null;
    await loadKey(access.keyId, access.personId);
    found.set(hash, access);
    return knownBy(hash) ?? null;
  };
  return {
    known: (token) => knownBy(vault.keyedHash(token)),
    async find(token, address) {
      const hash = vault.keyedHash(token);
      const remembered = knownBy(hash);
      if (remembered) return remembered;
      if (missing.has(hash)) return null;
      if (perAddress.check(address) > 0 || all.check("") > 0) return "limited";
      const access = await withDeadline(DEADLINES_MS.call, () => read(hash));
      if (access) return access;
      missing.set(hash, true);
      perAddress.take(address);
      all.take("");
      return null;
    },
  };
}
