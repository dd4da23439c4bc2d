import { and, count, eq, gte, lt, ne, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { limitKeyOf } from "../../../lib/http/client-ip.ts";
import { requestOrigin } from "../../../lib/http/request.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

const DAY_S = 86_400;

/**
 * Counts a registration that is being made, for the address of its request, where the site limits them (RegistrationsPerAddress).
 * Addresses are forgotten after a day. Throws OperationError: then the account must not come about.
 */
export async function countRegistration(tx: Tx, settings: SettingsReader, userId: number): Promise<void> {
  const most = settings.get("RegistrationsPerAddress");
  const ip = requestOrigin()?.ip;
  if (most === 0 || !ip) return;
  const from = limitKeyOf(ip);
  // Of several at a time each sees those before it.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`registered from ${from}`}))`);
  const dayAgo = nowSeconds() - DAY_S;
  await tx
    .update(users)
    .set({ registeredFrom: null })
    .where(and(eq(users.registeredFrom, from), lt(users.createdAt, dayAgo)));
  const found = requireRow(
    await tx
      .select({ count: count() })
      .from(users)
      .where(and(eq(users.registeredFrom, from), gte(users.createdAt, dayAgo), ne(users.id, userId))),
  );
  if (found.count >= most) throw new OperationError("registrations_from_address", { max: most }, { status: 429 });
  await tx.update(users).set({ registeredFrom: from }).where(eq(users.id, userId));
}
