import { Elysia } from "elysia";
import { sessionCookieOf } from "../../domain/accounts/sessions/sessions.ts";
import type { ClientAddress, PeerSource } from "../../lib/http/client-ip.ts";
import { declaredLength } from "../../lib/http/limited-body.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { isConsolePath } from "./envelope.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects writes under /api that a browser sends on behalf of another site: a second defense besides the user-id header
 * and SameSite, and the only one for login and setup. Programs send no Origin; requests with only an access token carry
 * no cookie to abuse.
 */
export function sameOrigin(services: Readonly<{ clientAddress: ClientAddress; settings: SettingsReader }>) {
  return new Elysia({ name: "console/same-origin" }).onRequest(({ request, server }) => {
    if (SAFE_METHODS.has(request.method) || !isConsolePath(new URL(request.url).pathname)) return;
    if (request.headers.has("authorization") && sessionCookieOf(request) === null) return;
    if (!isOwnOrigin(services, request, server)) {
      throw new OperationError("cross_site_refused", {}, { status: 403 });
    }
  });
}

function isOwnOrigin(
  { clientAddress, settings }: Readonly<{ clientAddress: ClientAddress; settings: SettingsReader }>,
  request: Request,
  server: PeerSource,
): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = request.headers.get("origin");
  if (origin === null) return true;
  // A browser extension that the user installed, not a page.
  if (/^[a-z-]+-extension:\/\//.test(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const own = settings.get("ServerAddress");
  const host = new URL(origin).host;
  return host === clientAddress.host(request, server) || (own !== "" && host === new URL(own).host);
}

const MEGABYTE = 1_048_576;

/** Rejects requests under /api whose Content-Length exceeds `maxBytes` with 413, before reading the body. */
export function bodyLimit(maxBytes: number) {
  return new Elysia({ name: "console/body-limit" }).onRequest(({ request }) => {
    if ((declaredLength(request) ?? 0) <= maxBytes || !isConsolePath(new URL(request.url).pathname)) return;
    throw new OperationError("request_too_large", { megabytes: Math.floor(maxBytes / MEGABYTE) }, { status: 413 });
  });
}

/** A letter, digit or one of `-._~` that is written as its code, though RFC 3986 (2.3) says that nobody should. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

/**
 * Rejects paths under /api that spell plain characters as codes (`/api/user/%31`) with 400: each route and each id has one
 * spelling.
 */
export function plainPath() {
  return new Elysia({ name: "console/plain-path" }).onRequest(({ request }) => {
    const { pathname } = new URL(request.url);
    if (!isConsolePath(pathname) || !ENCODED_UNRESERVED.test(pathname)) return;
    throw new OperationError("malformed_path", {}, { status: 400 });
  });
}
