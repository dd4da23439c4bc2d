import { Elysia } from "elysia";
import { type AuthenticationServices, authenticate, type Caller } from "../../domain/accounts/authenticate.ts";
import { ROLE, type RoleName } from "../../domain/accounts/roles.ts";
import { OperationError } from "../../lib/operation-error.ts";

/**
 * Guards routes: `{ role: "user" | "admin" | "root" }` beside a route lets in callers of at least that role, before the
 * input is even looked at, and gives the handler `actor` and `session` (null with an access token). A role too low is a
 * refusal with status 200, as the family has it.
 */
export function guard(services: AuthenticationServices) {
  const callers = new WeakMap<Request, Caller>();
  return new Elysia({ name: "console/guard" }).macro({
    role: (minimum: RoleName) => ({
      // For the API's description, and for the test that no route is left without a guard.
      detail: { security: [{ [minimum]: [] as string[] }] },
      async transform({ request }) {
        const caller = await authenticate(services, request);
        if (caller.actor.role < ROLE[minimum]) throw new OperationError("permission_denied");
        callers.set(request, caller);
      },
      resolve({ request }) {
        const caller = callers.get(request);
        if (!caller) throw new OperationError("not_logged_in", {}, { status: 401 });
        return caller;
      },
    }),
  });
}
