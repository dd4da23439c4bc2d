import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

const TIMEOUT_MS = 5000;
const LARGEST_ANSWER = 64 * 1024;

export type TurnstileDeps = Readonly<{
  settings: SettingsReader;
  fetch: SafeFetch;
  /** Where tokens are checked. */
  verifyUrl: string;
}>;

/** What the check was shown for: passed to the widget, and returned in the answer. */
export type CheckedAction = "login" | "register" | "reset";

type Input = Readonly<{
  token: string | undefined;
  ip: string;
  /** The host that the caller asked for, with or without a port. */
  host: string;
  action: CheckedAction;
}>;

/** Cloudflare's secret for trying out accepts everybody, from a host of its own. */
const TRIAL_SECRET = /^1x0+AA$/;

/**
 * Asks Cloudflare whether a person solved the check, where the site wants it: each token works once, so nothing is
 * remembered. Where the answer says so, the check was shown by this site and for this action. Throws OperationError.
 */
export async function checkTurnstile({ settings, fetch, verifyUrl }: TurnstileDeps, input: Input): Promise<void> {
  if (!settings.get("TurnstileCheckEnabled")) return;
  if (!input.token) throw new OperationError("turnstile_required");
  const form = new URLSearchParams({
    secret: settings.get("TurnstileSecretKey"),
    response: input.token,
    ...(input.ip && { remoteip: input.ip }),
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
    const reported = JSON.parse(answer.text()) as Reported;
    isHuman = reported.success === true && isOurs(settings, input, reported);
  } catch {
    // An answer that cannot be read is no proof.
  }
  if (!isHuman) throw new OperationError("turnstile_failed");
}

type Reported = { success?: unknown; hostname?: unknown; action?: unknown };

/** A site may have several addresses: the configured one and the one that the caller is at are both its own. */
function isOurs(settings: SettingsReader, { host, action }: Input, reported: Reported): boolean {
  if (reported.action && reported.action !== action) return false;
  const site = hostnameOf(settings.get("ServerAddress"));
  if (!reported.hostname || site === null || TRIAL_SECRET.test(settings.get("TurnstileSecretKey"))) return true;
  return reported.hostname === site || reported.hostname === hostnameOf(`http://${host}`);
}

const hostnameOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).hostname : null);
