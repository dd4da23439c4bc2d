import { OperationError } from "../../../lib/operation-error.ts";
import {
  accessTokenOf,
  askService,
  bearer,
  formRequest,
  type OutsideProvider,
  subjectOf,
  texts,
  withParameters,
} from "./provider.ts";

const LABEL = "Linux DO";

/** The forum Linux DO. */
export const linuxdo: OutsideProvider = {
  name: "linuxdo",
  label: LABEL,
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
      LABEL,
      `${addresses.linuxdo}/oauth2/token`,
      formRequest(
        { grant_type: "authorization_code", code, redirect_uri: redirectUri },
        { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
      ),
    );
    const token = accessTokenOf(answer, LABEL);
    const user = await askService(fetch, LABEL, `${addresses.linuxdoApi}/api/user`, bearer(token));
    if (user.active === false) throw new OperationError("oauth_failed", { service: LABEL });
    return { subject: subjectOf(user.id, LABEL), ...texts({ displayName: user.name ?? user.username }) };
  },
};
