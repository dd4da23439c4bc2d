import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "./provider.ts";

const LABEL = "GitHub";

/** GitHub; the identity is the account's number, as login names are given away again. */
export const github: OutsideProvider = {
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
