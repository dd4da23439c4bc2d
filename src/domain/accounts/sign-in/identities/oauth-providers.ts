import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { LDAP_LABEL } from "./ldap.ts";
import { oidc } from "./oidc.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  failedAt,
  formRequest,
  type OutsideName,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "./provider.ts";

const LABEL = "GitHub";

/** GitHub; the identity is the account's number, as login names are given away again. */
const github: OutsideProvider = {
  name: "github",
  label: LABEL,
  isEnabled: (settings) => settings.get("GitHubOAuthEnabled"),
  authorizeAddress: async ({ settings, addresses }, { state, verifier }) =>
    withParameters(`${addresses.github}/login/oauth/authorize`, {
      client_id: settings.get("GitHubClientId"),
      scope: "user:email",
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    }),
  async identify({ settings, fetch, addresses }, { verifier }, code) {
    const answer = await askService(fetch, LABEL, `${addresses.github}/login/oauth/access_token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: settings.get("GitHubClientId"),
        client_secret: settings.get("GitHubClientSecret"),
        code,
        ...(verifier && { code_verifier: verifier }),
      }),
      maxRedirects: 0,
    });
    const token = accessTokenOf(answer, LABEL);
    const user = await askService(fetch, LABEL, `${addresses.githubApi}/user`, bearer(token));
    const email = await verifiedEmail(fetch, addresses.githubApi, token);
    return { subject: subjectOf(user.id, LABEL), ...texts({ displayName: user.name, email }) };
  },
};

/** The primary address, if GitHub has verified it and shows it. */
async function verifiedEmail(fetch: SafeFetch, api: string, token: string): Promise<unknown> {
  const list: unknown = await askService(fetch, LABEL, `${api}/user/emails`, bearer(token)).catch(() => []);
  if (!Array.isArray(list)) return undefined;
  const entries = list as readonly { email?: unknown; primary?: unknown; verified?: unknown }[];
  return entries.find(({ primary, verified }) => primary === true && verified === true)?.email;
}

const DISCORD_LABEL = "Discord";

/** Discord. */
const discord: OutsideProvider = {
  name: "discord",
  label: DISCORD_LABEL,
  isEnabled: (settings) => settings.get("DiscordOAuthEnabled"),
  authorizeAddress: async ({ settings, addresses }, { state, verifier, redirectUri }) =>
    withParameters(`${addresses.discord}/oauth2/authorize`, {
      response_type: "code",
      client_id: settings.get("DiscordClientId"),
      redirect_uri: redirectUri,
      scope: "identify email",
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    }),
  async identify({ settings, fetch, addresses }, { verifier, redirectUri }, code) {
    const answer = await askService(
      fetch,
      DISCORD_LABEL,
      `${addresses.discord}/api/oauth2/token`,
      formRequest({
        grant_type: "authorization_code",
        client_id: settings.get("DiscordClientId"),
        client_secret: settings.get("DiscordClientSecret"),
        code,
        redirect_uri: redirectUri,
        ...(verifier && { code_verifier: verifier }),
      }),
    );
    const token = accessTokenOf(answer, DISCORD_LABEL);
    const user = await askService(fetch, DISCORD_LABEL, `${addresses.discord}/api/users/@me`, bearer(token));
    return {
      subject: subjectOf(user.id, DISCORD_LABEL),
      ...texts({
        displayName: user.global_name ?? user.username,
        email: user.verified === true ? user.email : undefined,
      }),
    };
  },
};

const LINUXDO_LABEL = "Linux DO";

/** The forum Linux DO. */
const linuxdo: OutsideProvider = {
  name: "linuxdo",
  label: LINUXDO_LABEL,
  isEnabled: (settings) => settings.get("LinuxDOOAuthEnabled"),
  authorizeAddress: async ({ settings, addresses }, { state, redirectUri }) =>
    withParameters(`${addresses.linuxdo}/oauth2/authorize`, {
      response_type: "code",
      client_id: settings.get("LinuxDOClientId"),
      redirect_uri: redirectUri,
      state,
    }),
  async identify({ settings, fetch, addresses }, { redirectUri }, code) {
    const credentials = `${settings.get("LinuxDOClientId")}:${settings.get("LinuxDOClientSecret")}`;
    const answer = await askService(
      fetch,
      LINUXDO_LABEL,
      `${addresses.linuxdo}/oauth2/token`,
      formRequest(
        { grant_type: "authorization_code", code, redirect_uri: redirectUri },
        { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
      ),
    );
    const token = accessTokenOf(answer, LINUXDO_LABEL);
    const user = await askService(fetch, LINUXDO_LABEL, `${addresses.linuxdoApi}/api/user`, bearer(token));
    if (user.active === false) throw failedAt(LINUXDO_LABEL, "the account is not active there");
    return { subject: subjectOf(user.id, LINUXDO_LABEL), ...texts({ displayName: user.name ?? user.username }) };
  },
};

const PROVIDERS: readonly OutsideProvider[] = [github, oidc, linuxdo, discord];

/** The service of this name that people sign in with by OAuth 2; undefined: there is none. */
export const findProvider = (name: string): OutsideProvider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/** Everything that can be bound, as people know it. */
export const OUTSIDE_LABELS: Readonly<Record<OutsideName, string>> = {
  github: "GitHub",
  oidc: "OIDC",
  linuxdo: "Linux DO",
  discord: "Discord",
  wechat: "WeChat",
  telegram: "Telegram",
  ldap: LDAP_LABEL,
};
