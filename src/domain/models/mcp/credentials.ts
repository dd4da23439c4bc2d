import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { CheckedFetch, SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { McpServer } from "./directory.ts";
import type { SignInTokens } from "./sign-ins/tokens.ts";
import type { StdioSupervisor } from "./stdio/supervisor.ts";

type Token = Readonly<{ header: string; expiresAtMs: number }>;
type Credentialed = Pick<McpServer, "definition" | "id" | "name" | "secret" | "url">;

const TOKEN_TIMEOUT_MS = 15_000;
const MAX_TOKEN_BYTES = 65_536;
/** A token is renewed before it expires, since a call takes its time. */
const EXPIRES_EARLY_MS = 30_000;
const DEFAULT_LIFETIME_S = 300;

/** Tokens by the server that they are for: a changed server is another object, which gets a token of its own. */
const tokens = new WeakMap<Credentialed, Promise<Token>>();

/** What reaches MCP servers and their token endpoints; `stdio` absent: no processes are started; `signIns`: nobody signs in at servers. */
export type McpFetches = Readonly<{
  send: CheckedFetch;
  fetch: SafeFetch;
  stdio?: StdioSupervisor;
  signIns?: Pick<SignInTokens, "missScope" | "of" | "refused" | "renew">;
}>;

/**
 * Adds the server's credentials to requests to its own origin, and to no other. A token that the server refuses is renewed once. Where
 * people sign in, it is the token of the account; 0: none. Rejects OperationError if there is no token.
 */
export function credentialedFetch(fetches: McpFetches, server: Credentialed, accountId = 0): CheckedFetch {
  const { send, fetch } = fetches;
  const { auth = "none", header = "authorization", query } = server.definition;
  if (auth === "oauth") return signedInFetch(fetches, server, accountId);
  if (auth === "none" || (auth === "key" && server.secret === "")) return send;
  const withCredential = (request: Parameters<CheckedFetch>[1], name: string, value: string) => ({
    ...request,
    headers: { ...request.headers, [name.toLowerCase()]: value },
  });
  return async (url, request) => {
    if (url.origin !== server.url.origin) throw new OperationError("mcp_other_origin", { origin: url.origin });
    if (auth === "key" && query !== undefined) return await send(withQuery(url, query, server.secret), request);
    if (auth === "key") {
      const isBearer = header.toLowerCase() === "authorization" && !server.secret.includes(" ");
      return await send(url, withCredential(request, header, isBearer ? `Bearer ${server.secret}` : server.secret));
    }
    const attempt = async () =>
      await send(url, withCredential(request, "authorization", (await tokenOf(fetch, server)).header));
    const response = await attempt();
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.delete(server);
    return await attempt();
  };
}

/** Sends with an account's token: to the server's own address, and no other of its origin's, where other servers may be. */
function signedInFetch({ send, signIns }: McpFetches, server: Credentialed, accountId: number): CheckedFetch {
  return async (url, request) => {
    if (withoutSlash(url) !== withoutSlash(server.url))
      throw new OperationError("mcp_other_origin", { origin: url.origin });
    if (accountId === 0 || !signIns) return await send(url, request);
    const attempt = async (token: string) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const response = await send(url, { ...request, headers });
      if (response.status === 403) await requireScope(response);
      return response;
    };
    const requireScope = async ({ headers, body }: Response) => {
      const missing = missingScopeOf(headers.get("www-authenticate") ?? "");
      if (missing === null) return;
      await body?.cancel();
      await signIns.missScope(server, accountId, missing);
    };
    const token = await signIns.of(server, accountId);
    const response = await attempt(token);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    const again = await attempt(await signIns.renew(server, accountId, token));
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw signIns.refused(server);
  };
}

const withoutSlash = ({ origin, pathname, search }: URL): string => origin + pathname.replace(/\/$/, "") + search;

/** What a server says that a token misses (RFC 6750, section 3.1); null: it refuses for another reason. */
function missingScopeOf(challenge: string): string | null {
  if (!/\berror="?insufficient_scope\b/.test(challenge)) return null;
  return /\bscope="([\x20-\x7e]{1,1000}?)"/.exec(challenge)?.[1] ?? null;
}

/** The address with a member of its query set, and no other of its name; the others stay as they are written. */
function withQuery(url: URL, name: string, value: string): URL {
  const others = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !new URLSearchParams(pair).has(name));
  const keyed = new URL(url);
  keyed.search = [...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join("&");
  return keyed;
}

/** Requests at the same time wait for one token. */
async function tokenOf(fetch: SafeFetch, server: Credentialed): Promise<Token> {
  const known = tokens.get(server);
  if (known) {
    const token = await known;
    if (token.expiresAtMs > Date.now()) return token;
    if (tokens.get(server) === known) tokens.delete(server);
  }
  const requested = tokens.get(server) ?? requestToken(fetch, server);
  tokens.set(server, requested);
  requested.catch(() => tokens.delete(server));
  return await requested;
}

/** The client credentials grant (RFC 6749, section 4.4), for this server alone (RFC 8707). */
async function requestToken(fetch: SafeFetch, { definition, secret, url }: Credentialed): Promise<Token> {
  const { token_url: address = "", client_id: id = "", oauth_scope: scope } = definition;
  const form = new URLSearchParams({ grant_type: "client_credentials", resource: url.href, ...(scope && { scope }) });
  const login = [id, secret].map(encodeURIComponent).join(":");
  const { status, text } = await fetch(address, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(login).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: form.toString(),
    ...{ timeoutMs: TOKEN_TIMEOUT_MS, maxBytes: MAX_TOKEN_BYTES, maxRedirects: 0 },
  }).then((response) => ({ status: response.status, text: response.text() }));
  const { access_token: token, expires_in: lifetime, error } = recordOf(parseJson(text)) ?? {};
  const bearer = textOf(token);
  if (status !== 200 || !bearer) {
    throw new OperationError("mcp_token_refused", { why: textOf(error)?.slice(0, 100) ?? `HTTP ${status}` });
  }
  const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : DEFAULT_LIFETIME_S;
  return { header: `Bearer ${bearer}`, expiresAtMs: Date.now() + seconds * 1000 - EXPIRES_EARLY_MS };
}
