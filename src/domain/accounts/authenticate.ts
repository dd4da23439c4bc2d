import type { Db } from "../../../db/types.ts";
import { readId } from "../../lib/http/integers.ts";
import type { MessageCode } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Right } from "./access/access-rules.ts";
import { USER_STATUS } from "./access/roles.ts";
import type { UserDirectory, UserEntry } from "./directory.ts";
import { findByAccessToken } from "./identity/access-tokens.ts";
import { hasDownloadTicket, takeDownload } from "./profile/download-ticket.ts";
import type { Session, Sessions } from "./sign-in/sessions.ts";
import { sessionCookieOf } from "./sign-in/sessions.ts";
import { findServiceAccount, isServiceToken } from "./users/service-accounts.ts";

/** Who makes a call; `session` is null when a token says so. */
export type Caller = Readonly<{
  actor: UserEntry;
  session: Session | null;
  /** The organization that the call names; whether the caller belongs to it is not checked yet. Null: none. */
  organizationId: number | null;
  /** What the caller may do; null: what their role allows. */
  rights: ReadonlySet<Right> | null;
}>;

/** Names the organization that a call is made for. */
const ORGANIZATION_HEADER = "sluice-organization";

export type AuthenticationServices = Readonly<{ db: Db; users: UserDirectory; sessions: Sessions; vault: Vault }>;

/** Names under which tools of the ecosystem send the user id; ours first. */
export const USER_ID_HEADERS = [
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
 * The caller by session cookie, else by the token of a service account or a system access token; a session wins. Checks and messages come in the
 * order of one-api and new-api, because tools rely on them. Throws OperationError: 401, or 200 for a banned user.
 */
export async function authenticate(services: AuthenticationServices, request: Request): Promise<Caller> {
  const session = await findSession(services, request);
  const authorization = request.headers.get("authorization");
  if (!session && !authorization) throw new OperationError("not_logged_in", {}, UNAUTHENTICATED);
  const token = session ? "" : bearerOf(authorization);
  if (isServiceToken(token)) {
    const service = await findServiceAccount(services, token);
    if (!service) throw new OperationError("service_token_invalid", {}, UNAUTHENTICATED);
    return { ...service, session: null, organizationId: readOrganization(request) };
  }
  const actor = session ? services.users.get(session.userId) : await findByAccessToken(services, token);
  if (!actor) throw new OperationError("access_token_invalid", {}, UNAUTHENTICATED);
  const ticket = hasDownloadTicket(request) ? await takeDownload(services, actor.id, request) : undefined;
  const problem =
    ticket === undefined
      ? userHeaderProblem(request, actor.id, session !== null)
      : ticket === null && "download_ticket_invalid";
  if (problem) throw new OperationError(problem, {}, UNAUTHENTICATED);
  if (actor.status === USER_STATUS.banned) throw new OperationError("user_banned");
  const organizationId = ticket ? ticket.organizationId : readOrganization(request);
  return { actor, session, organizationId, rights: null };
}

/** The organization that a request names; null: none. Throws OperationError when it is no id. */
function readOrganization(request: Request): number | null {
  const input = request.headers.get(ORGANIZATION_HEADER)?.trim();
  if (input === undefined) return null;
  const id = readId(input);
  if (id === null) throw new OperationError("organization_header_malformed", {}, { status: 400 });
  return id;
}

/** The session that comes with its user-id header, and its user; null without the two, or when the user is banned. */
export async function sessionCaller(
  services: Pick<AuthenticationServices, "users" | "sessions">,
  request: Request,
): Promise<Caller | null> {
  const session = await findSession(services, request);
  const actor = session && services.users.get(session.userId);
  if (!actor || actor.status === USER_STATUS.banned) return null;
  if (userHeaderProblem(request, actor.id, true)) return null;
  return { actor, session, organizationId: readOrganization(request), rights: null };
}

/** The user of `sessionCaller`. */
export const sessionUser = async (...call: Parameters<typeof sessionCaller>): Promise<UserEntry | null> =>
  (await sessionCaller(...call))?.actor ?? null;

/** The id of the user whom a session or an access token signs in; null without one, or when the user is banned. */
export async function identifyUser(services: AuthenticationServices, request: Request): Promise<number | null> {
  const caller = await sessionUser(services, request);
  const token = bearerOf(request.headers.get("authorization"));
  if (!caller && isServiceToken(token)) return (await findServiceAccount(services, token))?.actor.id ?? null;
  const user = caller ?? (await findByAccessToken(services, token));
  if (!user || user.status === USER_STATUS.banned) return null;
  return userHeaderProblem(request, user.id, false) ? null : user.id;
}

/**
 * What is wrong with the user-id header. Cookies travel by themselves, the header does not: with a session it is required,
 * so other sites cannot make calls.
 */
export function userHeaderProblem(request: Request, userId: number, isRequired: boolean): MessageCode | null {
  const input = USER_ID_HEADERS.flatMap((name) => request.headers.get(name) ?? []);
  if (input.length === 0) return isRequired ? "user_header_missing" : null;
  const ids = input.map((text) => readId(text.trim()));
  if (ids.includes(null)) return "user_header_malformed";
  return ids.some((id) => id !== userId) ? "user_header_mismatch" : null;
}

async function findSession({ sessions }: Pick<AuthenticationServices, "sessions">, request: Request) {
  const value = sessionCookieOf(request);
  return value === null ? null : await sessions.find(value);
}

/** The token of an `Authorization` header; empty without one. */
const bearerOf = (authorization: string | null): string => (authorization ?? "").replace(/^Bearer\s+/i, "").trim();
