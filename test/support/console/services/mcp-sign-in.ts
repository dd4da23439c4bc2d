/** An MCP server where people sign in, and its authorization server, which is as strict as the specifications allow. */
import { createHash, randomUUID } from "node:crypto";

type Client = { id: string; secret: string; method: string; redirectUris: readonly string[] };
type Code = {
  client: string;
  challenge: string;
  redirectUri: string;
  resource: string;
  subject: string;
  scope: string;
};
/** Tokens of one sign-in: the use of a refresh token that was used before ends all of them. */
type Family = { client: string; subject: string; resource: string; scope: string; isRevoked: boolean; refresh: string };
type Access = { family: Family; expiresAtMs: number };

/** What a test makes the servers do otherwise. */
export type Behavior = {
  /** Seconds. */
  lifetime: number;
  /** Whether refresh tokens are issued. */
  refreshes: boolean;
  /** Whether the authorization server names itself when it answers. */
  namesIssuer: boolean;
  /** Changes of the metadata of the authorization server. */
  metadata: Record<string, unknown>;
  /** Changes of the metadata of the MCP server. */
  resource: Record<string, unknown>;
  /** Scopes that a token needs to call a tool. */
  needs: string;
  /** Answers in place of an endpoint, by its path. */
  answers: Record<string, (request: Request) => Response | Promise<Response>>;
  /** How long a request for tokens takes. */
  delayMs: number;
  /** Who signs in at the authorization server. */
  subject: string;
};

const DEFAULTS: Behavior = {
  ...{ lifetime: 3600, refreshes: true, namesIssuer: true, metadata: {}, resource: {}, needs: "", answers: {} },
  ...{ delayMs: 0, subject: "alice" },
};

const TOOLS = [{ name: "whoami", description: "Who has signed in.", inputSchema: { type: "object", properties: {} } }];

/** Starts both on free loopback ports. */
export function startSignInServers(entered?: Readonly<{ id: string; secret: string; redirectUri: string }>) {
  const behavior: Behavior = { ...DEFAULTS };
  const clients = new Map<string, Client>();
  const codes = new Map<string, Code>();
  const access = new Map<string, Access>();
  const refresh = new Map<string, Family>();
  /** What was requested: paths of the authorization server, and the token of each request to the MCP server. */
  const requested: string[] = [];
  const grants: URLSearchParams[] = [];
  const presented: (string | null)[] = [];
  const revoked: string[] = [];
  if (entered) {
    const { id, secret, redirectUri } = entered;
    clients.set(id, { id, secret, method: "client_secret_basic", redirectUris: [redirectUri] });
  }
  const refuse = (error: string, status = 400) => Response.json({ error }, { status });

  const issue = (family: Family): Response => {
    const token = `access-${randomUUID()}`;
    access.set(token, { family, expiresAtMs: Date.now() + behavior.lifetime * 1000 });
    family.refresh = `refresh-${randomUUID()}`;
    if (behavior.refreshes) refresh.set(family.refresh, family);
    return Response.json({
      ...{ access_token: token, token_type: "Bearer", expires_in: behavior.lifetime, scope: family.scope },
      ...(behavior.refreshes && { refresh_token: family.refresh }),
    });
  };
  /** The client that a request authenticates as; null: none. */
  const clientOf = (request: Request, form: URLSearchParams): Client | null => {
    const [, login = ""] = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    const [id = "", secret = ""] = login ? Buffer.from(login, "base64").toString().split(":") : [];
    const client = clients.get(id || (form.get("client_id") ?? ""));
    if (!client) return null;
    if (client.method === "client_secret_basic") return id !== "" && secret === client.secret ? client : null;
    return client.method === "none" || form.get("client_secret") === client.secret ? client : null;
  };
  const token = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    grants.push(form);
    if (behavior.delayMs > 0) await Bun.sleep(behavior.delayMs);
    const client = clientOf(request, form);
    if (!client) return refuse("invalid_client", 401);
    if (form.get("grant_type") === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const isRight =
        code?.client === client.id &&
        code.challenge === challenge &&
        code.redirectUri === form.get("redirect_uri") &&
        code.resource === form.get("resource");
      if (!code || !isRight) return refuse("invalid_grant");
      const { subject, resource, scope } = code;
      return issue({ client: client.id, subject, resource, scope, isRevoked: false, refresh: "" });
    }
    const family = refresh.get(form.get("refresh_token") ?? "");
    if (family && family.refresh !== form.get("refresh_token")) family.isRevoked = true;
    if (!family || family.isRevoked || family.client !== client.id) return refuse("invalid_grant");
    if (form.get("resource") !== family.resource) return refuse("invalid_target");
    return issue(family);
  };
  const authorize = (url: URL): Response => {
    const input = (name: string) => url.searchParams.get(name) ?? "";
    const client = clients.get(input("client_id"));
    if (!client?.redirectUris.includes(input("redirect_uri"))) return new Response("unknown client", { status: 400 });
    const isRight =
      input("response_type") === "code" &&
      input("code_challenge_method") === "S256" &&
      input("code_challenge") !== "" &&
      input("resource") === resourceUrl;
    if (!isRight) return new Response("bad request", { status: 400 });
    const code = `code-${randomUUID()}`;
    codes.set(code, {
      ...{ client: client.id, challenge: input("code_challenge"), redirectUri: input("redirect_uri") },
      ...{ resource: input("resource"), subject: behavior.subject, scope: input("scope") },
    });
    const back = new URL(input("redirect_uri"));
    back.searchParams.set("code", code);
    back.searchParams.set("state", input("state"));
    if (behavior.namesIssuer) back.searchParams.set("iss", issuer);
    return Response.redirect(back.href, 302);
  };
  const authorization: Bun.Server<undefined> = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      requested.push(url.pathname);
      const answer = behavior.answers[url.pathname];
      if (answer) return await answer(request);
      switch (url.pathname) {
        case "/.well-known/oauth-authorization-server":
          return Response.json({
            ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
            ...{ registration_endpoint: `${issuer}/register`, revocation_endpoint: `${issuer}/revoke` },
            ...{ response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] },
            token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
            authorization_response_iss_parameter_supported: behavior.namesIssuer,
            ...behavior.metadata,
          });
        case "/register": {
          const metadata = (await request.json()) as { redirect_uris: string[]; token_endpoint_auth_method: string };
          const client = {
            ...{ id: randomUUID(), secret: randomUUID() },
            ...{ method: metadata.token_endpoint_auth_method, redirectUris: metadata.redirect_uris },
          };
          clients.set(client.id, client);
          const registered = { client_id: client.id, client_secret: client.secret, client_secret_expires_at: 0 };
          return Response.json({ ...metadata, ...registered }, { status: 201 });
        }
        case "/authorize":
          return authorize(url);
        case "/token":
          return await token(request);
        case "/revoke": {
          const form = new URLSearchParams(await request.text());
          if (!clientOf(request, form)) return refuse("invalid_client", 401);
          const family = refresh.get(form.get("token") ?? "") ?? access.get(form.get("token") ?? "")?.family;
          if (family) family.isRevoked = true;
          revoked.push(form.get("token") ?? "");
          return new Response(null, { status: 200 });
        }
      }
      return new Response(null, { status: 404 });
    },
  });
  const issuer = `http://127.0.0.1:${authorization.port}`;

  const resource: Bun.Server<undefined> = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
        const answer = behavior.answers["/resource"];
        if (answer) return await answer(request);
        return Response.json({ resource: resourceUrl, authorization_servers: [issuer], ...behavior.resource });
      }
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
      presented.push(bearer);
      const known = bearer === null ? undefined : access.get(bearer);
      const isValid = known && !known.family.isRevoked && known.expiresAtMs > Date.now();
      const origin = `http://127.0.0.1:${resource.port}`;
      const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      const challenge = (more: string) => ({ "www-authenticate": `Bearer ${metadata}${more}` });
      if (!isValid || known.family.resource !== resourceUrl)
        return new Response("sign in", { status: 401, headers: challenge(', scope="tools:read"') });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const reply = (result: object) => Response.json({ jsonrpc: "2.0", id, result });
      if (method === "initialize") {
        const serverInfo = { name: "sign-in", version: "1" };
        return reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
      }
      if (method === "tools/list") return reply({ tools: TOOLS });
      if (behavior.needs && !known.family.scope.split(" ").includes(behavior.needs)) {
        const missing = `, error="insufficient_scope", scope="${behavior.needs}"`;
        return new Response("more", { status: 403, headers: challenge(missing) });
      }
      return reply({ content: [{ type: "text", text: known.family.subject }] });
    },
  });
  const resourceUrl = `http://127.0.0.1:${resource.port}/mcp`;
  return {
    ...{ issuer, url: resourceUrl, behavior, clients, requested, grants, presented, revoked },
    /** Lets all access tokens expire. */
    expire() {
      for (const each of access.values()) each.expiresAtMs = 0;
    },
    /** Makes the servers behave as they should, and forgets what was requested. */
    reset() {
      for (const name of Object.keys(behavior.answers)) delete behavior.answers[name];
      Object.assign(behavior, { ...DEFAULTS, metadata: {}, resource: {}, answers: {} });
      for (const list of [requested, grants, presented, revoked]) list.splice(0);
    },
    /** Goes to an address as a browser does, and returns the parameters with which it is sent back. */
    async visit(address: string): Promise<Record<string, string>> {
      const response = await fetch(address, { redirect: "manual" });
      const location = response.headers.get("location");
      if (!location) throw new Error(`the authorization server answered ${response.status}: ${await response.text()}`);
      return Object.fromEntries(new URL(location).searchParams);
    },
    stop: () => Promise.all([authorization.stop(true), resource.stop(true)]),
  };
}
