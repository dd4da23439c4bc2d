import { Elysia } from "elysia";
import { sessionCookieOf } from "../../domain/accounts/sign-in/sessions.ts";
import { type ClientAddress, forwardedHost, type PeerSource } from "../../lib/http/client-ip.ts";
import { declaredLength } from "../../lib/http/limited-body.ts";
import type { MessageCode, MessageParams } from "../../lib/messages.ts";
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
    const refusal = findForeignOrigin(services, request, server);
    if (refusal) throw new OperationError(...refusal, { status: 403 });
  });
}

/** Whether the request's page belongs to this site: why it does not, with the values that differ; null: it does. */
function findForeignOrigin(
  { clientAddress, settings }: Readonly<{ clientAddress: ClientAddress; settings: SettingsReader }>,
  request: Request,
  server: PeerSource,
): [MessageCode, MessageParams] | null {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return null;
  const origin = request.headers.get("origin");
  // A browser extension that the user installed, not a page.
  if (site === null && (origin === null || /^[a-z-]+-extension:\/\//.test(origin))) return null;
  const [host = "", ...others] = clientAddress.hosts(request, server);
  const params = { origin: (origin ?? "").slice(0, LONGEST_SHOWN), host: host.slice(0, LONGEST_SHOWN) };
  if (site !== null || origin === null || !URL.canParse(origin)) return ["cross_site_refused", params];
  const page = new URL(origin);
  const own = settings.get("ServerAddress");
  if ([host, ...others, own && new URL(own).host].includes(page.host)) return null;
  const forwarded = forwardedHost(request);
  if (forwarded === page.host && !clientAddress.isTrusted(request, server)) {
    return ["cross_site_proxy_untrusted", { ...params, peer: server?.requestIP(request)?.address ?? "" }];
  }
  return [host === page.hostname ? "cross_site_port_dropped" : "cross_site_host_dropped", params];
}

const LONGEST_SHOWN = 200;

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
