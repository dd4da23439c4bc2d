import { OperationError } from "../lib/operation-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import type { SettingsReader } from "../settings/settings.ts";

const TIMEOUT_MS = 5000;
const LARGEST_ANSWER = 64 * 1024;

export type TurnstileDeps = Readonly<{
  settings: SettingsReader;
  fetch: SafeFetch;
  /** Where tokens are checked. */
  verifyUrl: string;
}>;

/**
 * Asks Cloudflare whether a person solved the check, where the site wants it: each token works once, so nothing is
 * remembered. Throws OperationError.
 */
export async function checkTurnstile(
  { settings, fetch, verifyUrl }: TurnstileDeps,
  given: Readonly<{ token: string | undefined; ip: string }>,
): Promise<void> {
  if (!settings.get("TurnstileCheckEnabled")) return;
  if (!given.token) throw new OperationError("turnstile_required");
  const form = new URLSearchParams({
    secret: settings.get("TurnstileSecretKey"),
    response: given.token,
    ...(given.ip && { remoteip: given.ip }),
  });
  let isHuman = false;
  try {
    const answer = await fetch(verifyUrl, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_ANSWER,
      maxRedirects: 0,
    });
    isHuman = (JSON.parse(answer.text()) as { success?: unknown }).success === true;
  } catch {
    // An answer that cannot be read is no proof.
  }
  if (!isHuman) throw new OperationError("turnstile_failed");
}
