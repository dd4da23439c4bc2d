import { nowSeconds } from "../../lib/clock.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { SigningTools } from "./provider.ts";

/** What signing a request needs: the safe fetch, and the time. */
export const signingTools = (fetch: SafeFetch): SigningTools => ({
  nowSeconds,
  async post(url, headers, body) {
    const answer = await fetch(url, { method: "POST", headers, body });
    return { status: answer.status, text: answer.text() };
  },
});
