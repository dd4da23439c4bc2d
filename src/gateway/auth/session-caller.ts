import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { Caller } from "../call/caller.ts";
import type { Uses } from "../call/services.ts";
import { ownersOf } from "./limits/limited-accounts.ts";
import { refuseAddress } from "./policies.ts";

/** What `sessionCaller` works with. */
export type SessionCallerContext = Uses<"budgets" | "policies" | "users">;

/**
 * The caller of a call that somebody signed in to the console makes without an API key: `user` is the account that pays, `person` who
 * makes it from the address `ip`. Throws GatewayError if a policy refuses the address.
 */
export function sessionCaller(
  { services }: SessionCallerContext,
  { user, person, group, ip }: Readonly<{ user: UserEntry; person: Pick<UserEntry, "id">; group: string; ip: string }>,
): Caller {
  const payer = { id: 0, userId: user.id, projectId: 0, createdBy: person.id };
  const policies = services.policies?.of(payer);
  if (policies) refuseAddress(policies, ip);
  return {
    ...{ user, token: null, tokenName: `playground-${group}`, group, pinnedChannelId: null },
    ...(services.budgets && { budgets: services.budgets.of(payer) }),
    policies,
    owners: ownersOf(services, user),
  };
}
