import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import { type CheckedFetch, readBounded } from "../../../../lib/outbound/safe-fetch.ts";

const TIMEOUT_MS = 10_000;
/** Of metadata, a registration or tokens. */
const MAX_BYTES = 262_144;

/**
 * The fetch for what the protocol's SDK requests of authorization servers: each address is checked, also of a redirect, and answers are
 * bounded in time and size. A redirect is followed only within its origin, and none where credentials are sent. `isSecure`: addresses
 * must be encrypted. Rejects OutboundError.
 */
export function createOAuthFetch(send: CheckedFetch, isSecure: boolean, signal?: AbortSignal): FetchLike {
  return async (address, init) => {
    const url = new URL(address);
    const params = { host: url.host };
    if (isSecure && url.protocol !== "https:")
      throw new OutboundError("bad_address", { code: "mcp_oauth_insecure", params });
    const method = init?.method ?? "GET";
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const { body } = init ?? {};
    try {
      const response = await send(url, {
        method,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: body instanceof URLSearchParams ? body.toString() : typeof body === "string" ? body : undefined,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      const { status, headers } = response;
      if (method !== "GET" && status >= 300 && status < 400) {
        await response.body?.cancel();
        throw new OutboundError("too_many_redirects", { code: "why_redirects", params });
      }
      const bytes = await readBounded(response, MAX_BYTES);
      const text = bytes.length > 0 ? bytes.toString() : null;
      return new Response(text, {
        status,
        headers: { ...pick(headers, "location"), ...pick(headers, "content-type") },
      });
    } catch (error) {
      if (error instanceof OutboundError) throw error;
      const isLate = deadline.aborted || signal?.aborted === true;
      throw new OutboundError(isLate ? "timeout" : "unreachable", {
        code: isLate ? "why_timeout" : "why_unreachable",
        params,
      });
    }
  };
}

const pick = (headers: Headers, name: string): Record<string, string> => {
  const value = headers.get(name);
  return value === null ? {} : { [name]: value };
};
