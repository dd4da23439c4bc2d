import { inArray } from "drizzle-orm";
import { oauthGrants } from "../../../../db/schema/accounts/applications.ts";
import type { DbOrTx } from "../../../../db/types.ts";

/** The applications that have these keys, by the key's id. */
export async function applicationsOf(db: DbOrTx, keys: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (keys.length === 0) return new Map();
  const found = await db
    .select({ key: oauthGrants.tokenId, client: oauthGrants.clientName })
    .from(oauthGrants)
    .where(inArray(oauthGrants.tokenId, [...keys]));
  return new Map(found.map(({ key, client }) => [key, client]));
}
