import {
  accessTokenOf,
  askService,
  bearer,
  challengeOf,
  formRequest,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "./provider.ts";

const LABEL = "Discord";

/** Discord. */
export const discord: OutsideProvider = {
  name: "discord",
  label: LABEL,
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
      LABEL,
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
    const token = accessTokenOf(answer, LABEL);
    const user = await askService(fetch, LABEL, `${addresses.discord}/api/users/@me`, bearer(token));
    return {
      subject: subjectOf(user.id, LABEL),
      ...texts({
        displayName: user.global_name ?? user.username,
        email: user.verified === true ? user.email : undefined,
      }),
    };
  },
};
