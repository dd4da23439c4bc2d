import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { CheckedFetch, SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { McpServer } from "./directory.ts";
import type { StdioSupervisor } from "./stdio/supervisor.ts";

type Token = Readonly<{ header: string; expiresAtMs: number }>;
type Credentialed = Pick<McpServer, "definition" | "secret" | "url">;

const TOKEN_TIMEOUT_MS = 15_000;
const MAX_TOKEN_BYTES = 65_536;
/** A token is renewed before it expires, since a call takes its time. */
const EXPIRES_EARLY_MS = 30_000;
const DEFAULT_LIFETIME_S = 300;

/** Tokens by the server that they are for: a changed server is another object, which gets a token of its own. */
const tokens = new WeakMap<Credentialed, Promise<Token>>();

/** What reaches MCP servers and their token endpoints; `stdio` absent: no processes are started. */
export type McpFetches = Readonly<{ send: CheckedFetch; fetch: SafeFetch; stdio?: StdioSupervisor }>;

/**
 * Adds the server's credentials to requests to its own origin, and to no other. A token that the server refuses is renewed once.
 * Rejects OperationError if there is no token.
 */
export function credentialedFetch({ send, fetch }: McpFetches, server: Credentialed): CheckedFetch {
  const { auth = "none", header = "authorization", query } = server.definition;
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
