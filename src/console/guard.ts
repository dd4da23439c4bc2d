import { Elysia } from "elysia";
import type { UserDirectory, UserEntry } from "../accounts/directory.ts";
import { ROLE, type RoleName, USER_STATUS } from "../accounts/roles.ts";
import type { Session, Sessions } from "../accounts/sessions.ts";
import type { Vault } from "../lib/crypto.ts";
import { OperationError } from "../lib/operation-error.ts";
import { sessionCookieOf } from "./session-cookie.ts";

/** Who makes a call, and by which credential. */
type Caller = Readonly<{ actor: UserEntry; session: Session | null }>;

type GuardServices = Readonly<{ users: UserDirectory; sessions: Sessions; vault: Vault }>;

/** Names under which tools of the ecosystem send the user id; ours first. */
const USER_ID_HEADERS = [
  "sluice-user",
  "veloera-user",
  "new-api-user",
  "user-id",
  "x-api-user",
  "x-user-id",
  "voapi-user",
  "rix-api-user",
  "neo-api-user",
];

const UNAUTHENTICATED = { status: 401 } as const;

/**
 * Guards routes. `{ role: "user" | "admin" | "root" }` beside a route lets in callers of at least that role, before the
 * input is even looked at, and gives the handler `actor` and `session` (null with an access token). `{ visitor: true }`
 * lets everybody in and gives `visitor`, null when nobody is logged in. The order of checks and the statuses are those of
 * the family (reference behaviour, section 1.2), by which tools recognise it.
 */
export function guard(services: GuardServices) {
  const callers = new WeakMap<Request, Caller>();
  const callerOf = (request: Request): Caller => {
    const caller = callers.get(request);
    if (!caller) throw new OperationError("not_logged_in", {}, UNAUTHENTICATED);
    return caller;
  };
  return new Elysia({ name: "console/guard" }).macro({
    role: (minimum: RoleName) => ({
      async transform({ request }) {
        const caller = await authenticate(services, request);
        permit(caller.actor, ROLE[minimum]);
        callers.set(request, caller);
      },
      resolve: ({ request }) => callerOf(request),
    }),
    visitor: (_: true) => ({
      resolve: async ({ request }) => ({ visitor: await recognise(services, request) }),
    }),
  });
}

async function authenticate(services: GuardServices, request: Request): Promise<Caller> {
  const session = await findSession(services, request);
  const authorization = request.headers.get("authorization");
  if (!session && !authorization) throw new OperationError("not_logged_in", {}, UNAUTHENTICATED);
  const actor = session ? services.users.get(session.userId) : findByAccessToken(services, authorization ?? "");
  if (!actor) throw new OperationError("access_token_invalid", {}, UNAUTHENTICATED);
  checkUserHeader(request, actor, session !== null);
  return { actor, session };
}

/** Cookies travel by themselves, the header does not: with a session it is required, so other sites cannot make calls. */
function checkUserHeader(request: Request, actor: UserEntry, isRequired: boolean): void {
  const given = USER_ID_HEADERS.flatMap((name) => request.headers.get(name) ?? []);
  if (given.length === 0) {
    if (isRequired) throw new OperationError("user_header_missing", {}, UNAUTHENTICATED);
    return;
  }
  if (given.some((id) => !/^\s*\d{1,10}\s*$/.test(id))) {
    throw new OperationError("user_header_malformed", {}, UNAUTHENTICATED);
  }
  if (given.some((id) => Number(id) !== actor.id)) {
    throw new OperationError("user_header_mismatch", {}, UNAUTHENTICATED);
  }
}

function permit(actor: UserEntry, minimumRole: number): void {
  if (actor.status === USER_STATUS.banned) throw new OperationError("user_banned");
  if (actor.role < minimumRole) throw new OperationError("permission_denied");
}

/** For pages that say more to somebody who is logged in; never refuses. */
async function recognise(services: GuardServices, request: Request): Promise<UserEntry | null> {
  const session = await findSession(services, request);
  const authorization = request.headers.get("authorization");
  const user = session
    ? services.users.get(session.userId)
    : authorization
      ? findByAccessToken(services, authorization)
      : undefined;
  return user && user.status !== USER_STATUS.banned ? user : null;
}

async function findSession({ sessions }: GuardServices, request: Request): Promise<Session | null> {
  const value = sessionCookieOf(request);
  return value === null ? null : await sessions.find(value);
}

function findByAccessToken({ users, vault }: GuardServices, authorization: string): UserEntry | undefined {
  const token = authorization.replace(/^Bearer\s+/i, "").trim();
  const user = token === "" ? undefined : users.findByAccessTokenHash(vault.keyedHash(token));
  return user?.deleted ? undefined : user;
}
