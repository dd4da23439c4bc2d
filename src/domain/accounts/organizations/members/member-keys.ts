import { and, eq, isNotNull, isNull, ne } from "drizzle-orm";
import { TOKEN_STATUS, tokens } from "../../../../../db/schema/api-keys.ts";
import type { Tx } from "../../../../../db/types.ts";

/**
 * Disables the keys that a person created in one organization, or in all: they may have copies. Returns the ids that the
 * caller publishes to "tokens" after the commit.
 */
export async function disableMemberKeys(tx: Tx, userId: number, organizationId?: number): Promise<number[]> {
  const disabled = await tx
    .update(tokens)
    .set({ status: TOKEN_STATUS.disabled })
    .where(
      and(
        isNotNull(tokens.createdBy),
        eq(tokens.createdBy, userId),
        organizationId === undefined ? undefined : eq(tokens.userId, organizationId),
        ne(tokens.status, TOKEN_STATUS.disabled),
        isNull(tokens.deletedAt),
      ),
    )
    .returning({ id: tokens.id });
  return disabled.map(({ id }) => id);
}
