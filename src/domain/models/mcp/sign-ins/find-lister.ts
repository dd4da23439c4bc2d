import { and, eq, gte, isNotNull, isNull, ne, or } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { mcpServers, mcpSignIns } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import { ROLE, USER_STATUS } from "../../../accounts/access/roles.ts";

/**
 * The administrator with whose sign-in the tools of a server are listed: `actorId`, who asks, else who listed it last. Null: neither is
 * signed in there, or is an administrator any more; then it is listed without.
 */
export async function findLister(db: Db, serverId: number, actorId?: number): Promise<number | null> {
  const rows = await db
    .select({ id: users.id })
    .from(mcpSignIns)
    .innerJoin(users, eq(users.id, mcpSignIns.userId))
    .innerJoin(mcpServers, eq(mcpServers.id, mcpSignIns.serverId))
    .where(
      and(
        eq(mcpServers.id, serverId),
        ne(mcpSignIns.grantCipher, ""),
        or(eq(users.id, mcpServers.listedBy), eq(users.id, actorId ?? 0)),
        or(gte(users.role, ROLE.admin), isNotNull(users.adminRoleId)),
        and(eq(users.status, USER_STATUS.active), isNull(users.deletedAt)),
      ),
    );
  return (rows.find(({ id }) => id === actorId) ?? rows[0])?.id ?? null;
}
