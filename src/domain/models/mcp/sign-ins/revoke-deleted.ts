import { asc, eq, lte, sql } from "drizzle-orm";
import { mcpRevocations } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import { openGrant } from "./grant.ts";

/** Of one step; each takes its request's time at most. */
const AT_ONCE = 16;
/** Then the tokens stay as valid as the authorization server has issued them. */
const MAX_ATTEMPTS = 5;
const [FIRST_PAUSE_S, PAUSE_FACTOR] = [60, 4];

/**
 * Revokes at their authorization servers (RFC 7009) what sign-ins had that are deleted: with their user, membership or server, or by signing
 * out while the server did not answer. `now`: epoch seconds; ends early when `signal` is aborted.
 */
export async function revokeDeleted(
  { db, vault, send }: Readonly<{ db: Db; vault: Vault; send: CheckedFetch }>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const due = await db
      .select()
      .from(mcpRevocations)
      .where(lte(mcpRevocations.nextAt, now))
      .orderBy(asc(mcpRevocations.id))
      .limit(AT_ONCE);
    if (due.length === 0 || signal.aborted) return;
    const { revokeGrant } = await import("./request-tokens.ts");
    await Promise.all(
      due.map(async ({ id, grantCipher, secretCipher, attempts }) => {
        const isRow = eq(mcpRevocations.id, id);
        const grant = openGrant(vault, grantCipher);
        const isPossible = grant !== null && grant.from.revocationEndpoint !== "";
        const isOver =
          !isPossible ||
          (await revokeGrant(send, grant, openSecret(vault, secretCipher))) ||
          attempts + 1 >= MAX_ATTEMPTS;
        if (isOver) return void (await db.delete(mcpRevocations).where(isRow));
        const nextAt = now + FIRST_PAUSE_S * PAUSE_FACTOR ** attempts;
        await db
          .update(mcpRevocations)
          .set({ attempts: sql`${mcpRevocations.attempts} + 1`, nextAt })
          .where(isRow);
      }),
    );
  }
}

/** Empty: there is none, or it belongs to another key. */
function openSecret(vault: Vault, cipher: string): string {
  try {
    return cipher === "" ? "" : vault.decrypt(cipher);
  } catch {
    return "";
  }
}
