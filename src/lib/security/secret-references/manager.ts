import { OutboundError } from "../../outbound/outbound-error.ts";
import type { SafeFetch, SafeRequest } from "../../outbound/safe-fetch.ts";
import { objectIn, type SecretReference, SecretReferenceError } from "./reference.ts";

/**
 * Reads what a secret manager has under the reference's path: a text, or the JSON of an object. Rejects SecretReferenceError.
 */
export type ReadSecret = (reference: SecretReference) => Promise<string>;

type Response = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>;

const LIMITS = { timeoutMs: 5000, maxBytes: 1_048_576, maxRedirects: 0 };

/**
 * Sends a request to a secret manager and resolves to its JSON. Redirects are not followed: they would take the credentials
 * along. Rejects SecretReferenceError where there is no answer.
 */
export async function requestManager(
  fetch: SafeFetch,
  { text }: SecretReference,
  address: string,
  request: SafeRequest = {},
): Promise<Response> {
  try {
    const response = await fetch(address, { ...request, ...LIMITS });
    return { status: response.status, body: objectIn(response.text()) ?? {} };
  } catch (error) {
    if (error instanceof OutboundError) throw new SecretReferenceError(text, error.message);
    throw error;
  }
}

const LONGEST_REASON = 300;

/** The error of a manager that refuses; `reason`: its own words, which hold no secret. */
export function refusedBy(manager: string, { text }: SecretReference, status: number, reason: unknown): Error {
  const words = typeof reason === "string" && reason !== "" ? `: ${reason.slice(0, LONGEST_REASON)}` : "";
  return new SecretReferenceError(text, `${manager} responded with HTTP ${status}${words}`);
}

/** A setting that the manager needs. Throws SecretReferenceError naming its variable. */
export function required({ text }: SecretReference, variable: string, value: string | null): string {
  if (value !== null) return value;
  throw new SecretReferenceError(text, `${variable} is not set`);
}
