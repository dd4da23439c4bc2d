import { LRUCache } from "lru-cache";
import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { accessTokenForm, type ServiceAccount, serviceAccountOf } from "../../../../lib/security/service-account.ts";
import { bearer, NOTHING, nameOf, type ServiceType } from "./service-type.ts";

/** Access tokens live for an hour. */
const TOKEN_MS = 50 * 60 * 1000;
const tokens = new LRUCache<string, string>({ max: 50, ttl: TOKEN_MS });

/**
 * Google's Model Armor: the address is that of a template, the key a service account's file, or an access token.
 * https://cloud.google.com/security-command-center/docs/reference/model-armor/rest
 */
export const modelArmor: ServiceType = {
  isSingle: true,
  signIn(key, fetch, timeoutMs) {
    const account = serviceAccountOf(key);
    return account ? tokenOf(account, fetch, timeoutMs) : Promise.resolve(key);
  },
  request: ({ url }, { texts, phase }, key) => {
    const data = { text: texts[0] ?? "" };
    const isRequest = phase === "request";
    return {
      url: `${url.replace(/\/$/, "")}:${isRequest ? "sanitizeUserPrompt" : "sanitizeModelResponse"}`,
      headers: bearer(key),
      body: isRequest ? { userPromptData: data } : { modelResponseData: data },
    };
  },
  read(answer) {
    const result = recordOf(answer?.sanitizationResult);
    // A filter that was not run has not passed the text.
    if (result?.invocationResult !== "SUCCESS") return null;
    if (result.filterMatchState === "NO_MATCH_FOUND") return NOTHING;
    if (result.filterMatchState !== "MATCH_FOUND") return null;
    const filters = Object.entries(recordOf(result.filterResults) ?? {}).filter(([, filter]) => matches(filter));
    const names = filters.map(([name]) => nameOf(name));
    const found = Object.fromEntries((names.length > 0 ? names : ["FOUND"]).map((name) => [name, 1]));
    const text = names.length === 1 ? deidentified(recordOf(filters[0]?.[1])) : null;
    return { found, ...(text !== null && { texts: [text] }) };
  },
};

/** Whether a filter, or one of its parts, has matched. */
const matches = (filter: unknown): boolean => JSON.stringify(filter).includes('"MATCH_FOUND"');

/** The text that Sensitive Data Protection has made of it, if it is what matched. */
function deidentified(filter: JsonObject | null): string | null {
  const result = recordOf(recordOf(filter?.sdpFilterResult)?.deidentifyResult);
  return result?.matchState === "MATCH_FOUND" ? textOf(recordOf(result.data)?.text) : null;
}

/** A short-lived access token of a service account (RFC 7523). Rejects if Google gives none. */
async function tokenOf(account: ServiceAccount, fetch: SafeFetch, timeoutMs: number): Promise<string> {
  const known = tokens.get(account.privateKey);
  if (known !== undefined) return known;
  const response = await fetch(account.tokenUri, {
    ...{ method: "POST", maxBytes: 64 * 1024, timeoutMs, maxRedirects: 0 },
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: await accessTokenForm(account, nowSeconds()),
  });
  const token = textOf(recordOf(parseJson(response.text()))?.access_token);
  if (token === null) throw new Error("Google returned no access token");
  tokens.set(account.privateKey, token);
  return token;
}
