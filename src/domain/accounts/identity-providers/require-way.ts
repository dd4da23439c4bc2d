import { and, arrayContains, eq, or, sql } from "drizzle-orm";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { ROLE } from "../access/roles.ts";
import { domainOf } from "../identity/sso-rules.ts";

/**
 * Throws OperationError when somebody signs in by another way than their provider's, although it is enforced for the domain
 * of their address, or for an account that they have there. `way` is the provider's name; null: a password, a passkey and
 * the like. Super administrators are exempt, so that a broken provider locks nobody out for good.
 */
export async function requireWay(db: Db, userId: number, way: string | null): Promise<void> {
  const [user] = await db.select({ email: users.email, role: users.role }).from(users).where(eq(users.id, userId));
  if (!user || user.role >= ROLE.root) return;
  const name = sql<string>`'sso-' || ${identityProviders.id}`;
  const enforced = await db
    .select({ id: identityProviders.id, label: identityProviders.name })
    .from(identityProviders)
    .where(
      and(
        eq(identityProviders.enabled, true),
        eq(identityProviders.enforced, true),
        or(
          user.email === null ? undefined : arrayContains(identityProviders.domains, [domainOf(user.email)]),
          sql`exists (select 1 from ${identities} where ${identities.userId} = ${userId} and ${identities.provider} = ${name})`,
        ),
      ),
    );
  const [first] = enforced;
  if (!first || enforced.some(({ id }) => `sso-${id}` === way)) return;
  throw new OperationError("sso_required", { service: first.label });
}
