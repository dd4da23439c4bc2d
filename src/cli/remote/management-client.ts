import { parseJson, recordOf, textOf } from "../../formats/json.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Site } from "./remote-arguments.ts";

/** A call of a gateway's management API: what it answers with. Rejects SiteError. */
export type CallSite = (method: "GET" | "POST", path: string, body?: object) => Promise<Record<string, unknown>>;

/** A gateway can't be reached, or refuses; the message says why, in the gateway's own words where it has any. */
export class SiteError extends Error {
  override name = "SiteError";

  constructor(
    message: string,
    /** The gateway's code of the refusal; empty: it gave none. */
    readonly code = "",
  ) {
    super(message);
  }
}

/** A large site is applied in one transaction. */
const TIMEOUT_MS = 600_000;
const MOST_BYTES = 256 * 1024 * 1024;

/** The address of the gateway: what the command says, else SLUICE_URL, else this machine's. */
export const addressOf = ({ url }: Pick<Site, "url">, env: NodeJS.ProcessEnv): string =>
  (url ?? (env.SLUICE_URL || `http://127.0.0.1:${env.PORT || "3000"}`)).replace(/\/+$/, "");

/** Calls the management API as whoever the token belongs to. Throws SiteError without one. */
export function siteClient(site: Site, env: NodeJS.ProcessEnv): CallSite {
  const token = site.token ?? env.SLUICE_TOKEN ?? "";
  if (token === "") {
    throw new SiteError(
      "no token: set SLUICE_TOKEN, or --token, to that of a service account (Settings → Access) or an access token of your own",
    );
  }
  return callSite(addressOf(site, env), { authorization: `Bearer ${token}` });
}

/** Calls the management API with these headers. */
function callSite(address: string, headers: Readonly<Record<string, string>>): CallSite {
  const request = createSafeFetch(createAddressPolicy(true));
  return async (method, path, body) => {
    const response = await request(`${address}${path}`, {
      ...{ method, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES },
      headers: { ...headers, accept: "application/json", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SiteError(`${address} can't be reached: ${reason}`);
    });
    const envelope = recordOf(parseJson(response.text()));
    if (envelope?.success === true) return recordOf(envelope.data) ?? { data: envelope.data };
    const message = textOf(envelope?.message);
    if (!message) throw new SiteError(`${address}${path} is no gateway's: status ${response.status}`);
    throw new SiteError(message, textOf(envelope?.code) ?? "");
  };
}
