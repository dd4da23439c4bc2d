import { OperationError } from "../lib/operation-error.ts";
import { OutboundError } from "../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import type { Reason } from "../lib/reason.ts";

/** Where an identity provider does what; empty where its document does not say. */
export type OidcEndpoints = Readonly<{
  authorization_endpoint: string;
  token_endpoint: string;
  user_info_endpoint: string;
}>;

const TIMEOUT_MS = 8000;
const LARGEST_DOCUMENT = 256 * 1024;

const failed = (detail: Reason) => new OperationError("oidc_discovery_failed", { detail });

/** Reads the document at an OpenID provider's well-known address. Throws OperationError when there is none to use. */
export async function discoverOidc(fetch: SafeFetch, address: string): Promise<OidcEndpoints> {
  const url = address.trim();
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new OperationError("oidc_well_known_address");
  const document = await readDocument(fetch, url);
  const endpoint = (name: string): string => {
    const value = document[name];
    return typeof value === "string" && /^https?:\/\//i.test(value) ? value : "";
  };
  const found = {
    authorization_endpoint: endpoint("authorization_endpoint"),
    token_endpoint: endpoint("token_endpoint"),
    user_info_endpoint: endpoint("userinfo_endpoint"),
  };
  if (!found.authorization_endpoint || !found.token_endpoint) {
    throw failed({ code: "why_no_endpoints" });
  }
  return found;
}

async function readDocument(fetch: SafeFetch, url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const request = { headers: { accept: "application/json" }, timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_DOCUMENT };
    const response = await fetch(url, request);
    if (response.status !== 200) throw failed(`HTTP ${response.status}`);
    const document: unknown = JSON.parse(response.text());
    if (document && typeof document === "object") return document as Record<string, unknown>;
    throw new SyntaxError("no object");
  } catch (error) {
    if (error instanceof OutboundError) throw failed(error.reason);
    if (error instanceof SyntaxError) throw failed({ code: "why_no_document" });
    throw error;
  }
}
