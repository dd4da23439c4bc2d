import { createHash, createHmac } from "node:crypto";
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";

type Person = Readonly<Record<string, unknown>>;

/** The script of a human check that a person passes by a click; its proofs begin with the site's key. */
const WIDGET = `window.turnstile = {
  render(place, { sitekey, callback }) {
    const box = document.createElement("button");
    box.type = "button";
    box.textContent = "I am human";
    box.onclick = () => callback(sitekey + "-" + crypto.randomUUID());
    place.append(box);
    return "1";
  },
  reset() {},
  remove() {},
};`;

/** Token calls of services that take PKCE: refused where the start made here had no challenge of S256. */
const PKCE_PATHS = new Set(["/login/oauth/access_token", "/api/oauth2/token", "/oidc/token"]);

/** The proof that Telegram gives of who somebody is, signed under the bot's token. */
export function signTelegramProof(fields: Readonly<Record<string, string>>, botToken: string): Record<string, string> {
  const text = Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");
  const key = createHash("sha256").update(botToken).digest();
  return { ...fields, hash: createHmac("sha256", key).update(text).digest("hex") };
}

/** Keys that anybody can publish somewhere. */
const OTHER_KEYS_PATH = "/other/keys";

/** What somebody who cannot sign tries: no algorithm, the public key as a shared secret, a key that the token brings itself. */
export type TokenAttack = "none" | "public key as secret" | "own key" | "own address of keys";

async function attackToken(
  attack: TokenAttack,
  claims: JWTPayload,
  publicKey: JWK,
  own: Readonly<{ keys: GenerateKeyPairResult; jwk: JWK; at: string }>,
): Promise<string> {
  if (attack === "none") return new UnsecuredJWT(claims).encode();
  const token = new SignJWT(claims);
  if (attack === "public key as secret") {
    const secret = new TextEncoder().encode(JSON.stringify(publicKey));
    return token.setProtectedHeader({ alg: "HS256", kid: "k" }).sign(secret);
  }
  const header = attack === "own key" ? { jwk: own.jwk } : { jku: own.at, kid: own.jwk.kid ?? "" };
  return token.setProtectedHeader({ alg: "RS256", ...header }).sign(own.keys.privateKey);
}

/**
 * The services that people sign in with, on one loopback address: a code is the JSON of whoever it stands for. Each checks
 * what a real one checks of a token call (client, secret, redirect address, PKCE) as far as the start was made here.
 */
export async function startFakeSignInServices() {
  const keys = await generateKeyPair("RS256");
  const otherKeys = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k", alg: "RS256", use: "sig" };
  const otherJwk = { ...jwk, ...(await exportJWK(otherKeys.publicKey)), kid: "other" };
  const calls: { path: string; form: Record<string, string>; headers: Headers }[] = [];
  const people = new Map<string, Person>();
  const challenges = new Map<string, string>();
  const nonces = new Map<string, string>();
  const usedChecks = new Set<string>();
  let visitor: Readonly<{ person: Person; site: string; botToken: string }> | null = null;
  let idToken: Readonly<{ nonce: string; change?: Person; isForged?: boolean; attack?: TokenAttack }> = { nonce: "" };

  const challengeOf = (verifier: string) => new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
  const trade = (form: Record<string, string>, path: string): Response => {
    const code = form.code ?? "";
    const challenge = challenges.get(code);
    const isVerified = challenge === "" ? !PKCE_PATHS.has(path) : challengeOf(form.code_verifier ?? "") === challenge;
    const isProven = challenge === undefined || isVerified;
    if (!people.has(code) || !isProven) return Response.json({ error: "bad_verification_code" });
    return Response.json({ access_token: code, token_type: "bearer" });
  };
  const personOf = (request: Request): Person | undefined =>
    people.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");

  const signIdToken = async (origin: string, person: Person, nonce: string | undefined) => {
    const claims = { sub: String(person.sub), nonce: idToken.nonce || nonce, ...idToken.change };
    if (idToken.attack) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: origin, aud: "oidc client", iat: now, exp: now + 300, ...claims };
      return attackToken(idToken.attack, all, jwk, { keys: otherKeys, jwk: otherJwk, at: origin + OTHER_KEYS_PATH });
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .setIssuer(String(idToken.change?.iss ?? origin))
      .setAudience(String(idToken.change?.aud ?? "oidc client"))
      .setIssuedAt()
      .setExpirationTime(Number(idToken.change?.exp ?? Math.floor(Date.now() / 1000) + 300))
      .sign((idToken.isForged ? otherKeys : keys).privateKey);
  };

  /** A code that stands for `person`; with `authorizeAddress` its PKCE challenge has to be met, and its nonce is returned. */
  const codeFor = (person: Person, authorizeAddress?: string): string => {
    const code = crypto.randomUUID();
    people.set(code, person);
    const query = authorizeAddress ? new URL(authorizeAddress).searchParams : null;
    const isHashed = query?.get("code_challenge_method") === "S256";
    if (query) challenges.set(code, (isHashed && query.get("code_challenge")) || "");
    nonces.set(code, query?.get("nonce") ?? "");
    return code;
  };

  /** The page where somebody says yes: back to an address of the site that the service knows, and to no other. */
  const authorize = (address: string): Response => {
    const query = new URL(address).searchParams;
    const returnTo = query.get("redirect_uri") ?? `${visitor?.site}/oauth/github`;
    if (!visitor || !returnTo.startsWith(`${visitor.site}/oauth/`)) return new Response("no", { status: 403 });
    const code = codeFor(visitor.person, address);
    return Response.redirect(`${returnTo}?${new URLSearchParams({ code, state: query.get("state") ?? "" })}`, 302);
  };
  let lastProofAt = 0;
  const authorizeTelegram = (query: URLSearchParams): Response => {
    const returnTo = query.get("return_to") ?? "";
    const isKnown = visitor !== null && query.get("bot_id") === visitor.botToken.split(":")[0];
    if (!visitor || !isKnown || !returnTo.startsWith(`${visitor.site}/oauth/telegram?`)) {
      return new Response("no", { status: 403 });
    }
    // A proof works once, and two of the same second would be the same.
    lastProofAt = Math.max(Math.floor(Date.now() / 1000), lastProofAt + 1);
    const fields = { id: String(visitor.person.id), auth_date: String(lastProofAt) };
    const proof = JSON.stringify(signTelegramProof(fields, visitor.botToken));
    return Response.redirect(`${returnTo}#tgAuthResult=${Buffer.from(proof).toString("base64url")}`, 302);
  };
  /** A proof works once, and with the site's secret. */
  const verifyCheck = ({ secret, response = "" }: Record<string, string>): Response => {
    const success = secret === "human secret" && response.startsWith("human key-") && !usedChecks.has(response);
    usedChecks.add(response);
    return Response.json({ success });
  };

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, origin, searchParams } = new URL(request.url);
      const body = await request.text();
      const isJson = request.headers.get("content-type")?.includes("json");
      const form = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
      calls.push({ path: pathname, form, headers: request.headers });
      switch (pathname) {
        case "/login/oauth/authorize":
        case "/oauth2/authorize":
        case "/oidc/authorize":
          return authorize(request.url);
        case "/auth":
          return authorizeTelegram(searchParams);
        case "/turnstile/v0/api.js":
          return new Response(WIDGET, { headers: { "content-type": "text/javascript" } });
        case "/turnstile/v0/siteverify":
          return verifyCheck(form);
        case "/login/oauth/access_token":
        case "/oauth2/token":
        case "/api/oauth2/token":
          return trade(form, pathname);
        case "/user/emails": {
          const person = personOf(request);
          return Response.json(person?.emails ?? []);
        }
        case "/user":
        case "/api/user":
        case "/api/users/@me":
        case "/oidc/userinfo": {
          const person = personOf(request);
          return person ? Response.json(person) : new Response("no", { status: 401 });
        }
        case "/.well-known/openid-configuration":
          return Response.json({
            issuer: origin,
            authorization_endpoint: `${origin}/oidc/authorize`,
            token_endpoint: `${origin}/oidc/token`,
            userinfo_endpoint: `${origin}/oidc/userinfo`,
            jwks_uri: `${origin}/oidc/keys`,
            end_session_endpoint: `${origin}/oidc/logout`,
          });
        case OTHER_KEYS_PATH:
          return Response.json({ keys: [otherJwk] });
        case "/oidc/keys":
          return Response.json({ keys: [jwk] });
        case "/oidc/token": {
          const traded = await trade(form, pathname).json();
          if (!traded.access_token) return Response.json(traded, { status: 400 });
          const person = people.get(form.code) ?? {};
          return Response.json({ ...traded, id_token: await signIdToken(origin, person, nonces.get(form.code)) });
        }
        case "/api/wechat/user": {
          if (request.headers.get("authorization") !== "wechat token") return new Response("no", { status: 401 });
          const person = people.get(searchParams.get("code") ?? "");
          return Response.json({ success: true, message: "", data: person?.wechat ?? "" });
        }
        default:
          return new Response("nothing here", { status: 404 });
      }
    },
  });
  return {
    url: server.url.origin,
    calls,
    codeFor,
    /** Whoever comes to a service's page from now on is this person, says yes, and is sent back to this site. */
    seat(person: Person, site: string, botToken = "") {
      visitor = { person, site, botToken };
    },
    /** What the next id tokens say. */
    sayInIdToken(next: typeof idToken) {
      idToken = next;
    },
    stop: () => server.stop(true),
  };
}
