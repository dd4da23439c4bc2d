import { Elysia } from "elysia";
import type { Right } from "../../domain/accounts/access/access-rules.ts";
import { rightsOfRole } from "../../domain/accounts/access/admin-roles.ts";
import { ROLE, type RoleName } from "../../domain/accounts/access/roles.ts";
import { requiredRight } from "../../domain/accounts/access/route-rights.ts";
import { type AuthenticationServices, authenticate, type Caller } from "../../domain/accounts/authenticate.ts";
import { type Acting, type ActingServices, actFor } from "../../domain/accounts/organizations/members/acting.ts";
import type { OrganizationRight } from "../../domain/accounts/organizations/rights.ts";
import { OperationError } from "../../lib/operation-error.ts";

/**
 * Guards routes before the input is validated. `{ role: "user" | "admin" | "root" }` on a route admits callers with at
 * least that role and gives the handler `actor` and `session` (null with an access token). A role that is too low gets an
 * error with status 200, as in one-api and new-api. These routes are about the person: they reject requests made for an
 * organization.
 *
 * A service account's token admits only to routes for which the account has the right, with the lowest role that the route
 * accepts. The same applies to a person with a custom role, who may also use the routes for all users.
 *
 * `{ account: RIGHT }` admits any signed-in person, for themselves or for an organization in which they have the right, or all
 * of a list; `actor` is then the account the request acts for, and `person` is who sent it.
 */
export function guard(services: AuthenticationServices & ActingServices) {
  const callers = new WeakMap<Request, Caller>();
  const acting = new WeakMap<Request, Acting>();
  return new Elysia({ name: "console/guard" }).macro({
    role: (minimum: RoleName) => ({
      // Read by the API description, and by the test that every route has a guard.
      detail: { security: [{ [minimum]: [] as string[] }] },
      // An arrow function: Elysia passes `route` to what it finds in the source to use it, which it misses in a minified method.
      transform: async ({ request, route }) => {
        const caller = await authenticate(services, request);
        if (caller.organizationId !== null) throw new OperationError("organization_not_here", {}, { status: 400 });
        callers.set(request, await admit(services, caller, minimum, requiredRight(request.method, route)));
      },
      resolve({ request }) {
        const caller = callers.get(request);
        if (!caller) throw new OperationError("not_logged_in", {}, { status: 401 });
        return caller;
      },
    }),
    account: (right: OrganizationRight | readonly OrganizationRight[]) => ({
      detail: { security: [{ user: [] as string[] }] },
      async transform({ request }) {
        acting.set(request, await actFor(services, await authenticate(services, request), right));
      },
      resolve({ request }) {
        const account = acting.get(request);
        if (!account) throw new OperationError("not_logged_in", {}, { status: 401 });
        return account;
      },
    }),
  });
}

/** The caller with the role that the route requires. Rejects OperationError if the role or the rights do not suffice. */
async function admit(
  { db }: Pick<AuthenticationServices, "db">,
  caller: Caller,
  minimum: RoleName,
  routeRight: Right | null,
): Promise<Caller> {
  const { actor } = caller;
  const isPerson = caller.rights === null;
  if (isPerson && actor.role >= ROLE[minimum]) return caller;
  const right = minimum === "user" ? null : routeRight;
  if (isPerson && (right === null || actor.adminRoleId === null)) throw new OperationError("permission_denied");
  if (right === null) throw new OperationError("service_account_not_here", {}, { status: 403 });
  const rights = caller.rights ?? (await rightsOfRole(db, actor.adminRoleId ?? 0));
  if (!rights.has(right)) throw new OperationError("right_missing", { right }, { status: 403 });
  return { ...caller, actor: { ...actor, role: ROLE[minimum] } };
}
