import { createHash, randomBytes } from "node:crypto";

/** A verifier of PKCE and its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;

/** Tokens as the token endpoint gives them. */
export type Tokens = Readonly<{ access_token: string; refresh_token: string; expires_in: number; scope: string }>;

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** An application that signs people in at a site, over `send`, and a person (`headers`) who decides by the management API. */
export function oauthClient(send: Send, site: string, redirectUri = "http://127.0.0.1/callback") {
  const readJson = async (response: Response) => ({
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  });
  const post = async (path: string, fields: Readonly<Record<string, string | undefined>>, headers = {}) => {
    const form = new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    return readJson(await send("POST", path, String(form), { ...FORM, ...headers }));
  };
  const register = async (metadata: object = {}) =>
    readJson(
      await send("POST", "/oauth/register", {
        ...{ client_name: "Agent", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
        ...metadata,
      }),
    );
  const queryOf = (clientId: string, challenge: string, fields: Readonly<Record<string, string>> = {}) => ({
    ...{ client_id: clientId, redirect_uri: redirectUri, response_type: "code", state: "the state" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", resource: `${site}/mcp` },
    ...fields,
  });
  const decide = async (decision: "approve" | "deny" | "request", body: object, headers: Record<string, string>) =>
    readJson(await send("POST", `/api/applications/${decision}`, body, headers));
  /** The person says yes; returns where they are sent. */
  const approve = async (query: object, headers: Record<string, string>, choice: object = {}) => {
    const { body } = await decide("approve", { query, name: "agent", ...choice }, headers);
    const { return_to: address = "" } = (body.data ?? {}) as { return_to?: string };
    if (address === "") throw new Error(`not approved: ${JSON.stringify(body)}`);
    return new URL(address);
  };
  const redeem = (fields: Readonly<Record<string, string | undefined>>, headers = {}) =>
    post("/oauth/token", { grant_type: "authorization_code", ...fields }, headers);
  const refresh = (clientId: string, token: string, fields: Readonly<Record<string, string>> = {}) =>
    post("/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: token, ...fields });
  return {
    ...{ post, register, queryOf, decide, approve, redeem, refresh },
    revoke: (clientId: string, token: string) => post("/oauth/revoke", { client_id: clientId, token }),
    /** Registers, has a person approve, and redeems the code. */
    async signIn(headers: Record<string, string>, { resource = `${site}/mcp`, choice = {} } = {}) {
      const clientId = String((await register()).body.client_id);
      const { verifier, challenge } = pkce();
      const back = await approve(queryOf(clientId, challenge, { resource }), headers, choice);
      const code = back.searchParams.get("code") ?? "";
      const got = await redeem({
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        resource,
      });
      if (got.status !== 200) throw new Error(`no tokens: ${JSON.stringify(got.body)}`);
      return { clientId, code, verifier, tokens: got.body as unknown as Tokens };
    },
  };
}
