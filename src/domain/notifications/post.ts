import type { MessageCode } from "../../lib/messages.ts";
import { OutboundError, type OutboundFailure } from "../../lib/outbound/outbound-error.ts";
import type { SafeFetch, SafeRequest } from "../../lib/outbound/safe-fetch.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { SettingsReader } from "../../settings/settings.ts";

/** What sending over HTTP needs. */
export type PostDeps = Readonly<{
  settings: SettingsReader;
  /** For addresses that users set: never reaches private networks unless the operator allows it. */
  fetch: SafeFetch;
}>;

/**
 * A message could not be handed over; `isFinal`: trying again is useless; `code`: what to say of it to whom it was for. The
 * reason is for the log, or what the service responded, and carries no secret.
 */
export class NotifyError extends Error {
  override name = "NotifyError";
  readonly reason: Reason;
  readonly isFinal: boolean;
  readonly code: MessageCode;
  /** What the service responded with; null: it did not respond. */
  readonly httpStatus: number | null;
  constructor(
    reason: Reason,
    isFinal: boolean,
    { code = "notify_failed", httpStatus = null }: Readonly<{ code?: MessageCode; httpStatus?: number | null }> = {},
  ) {
    super(sayReason(reason, "en"));
    this.reason = reason;
    this.isFinal = isFinal;
    this.code = code;
    this.httpStatus = httpStatus;
  }
}

const FAILURES: Readonly<Record<OutboundFailure, MessageCode>> = {
  bad_address: "notify_address_refused",
  refused_address: "notify_address_refused",
  unresolved: "notify_unreachable",
  unreachable: "notify_unreachable",
  timeout: "notify_timeout",
  too_many_redirects: "notify_redirected",
  too_large: "notify_answer_too_large",
};

const TIMEOUT_MS = 5000;
const LARGEST_ANSWER = 64 * 1024;

/** What is posted. */
export type Post = Readonly<{ headers: Readonly<Record<string, string>>; body: string }>;

type PostOptions = Readonly<{
  /** Goes by the site's fetch worker, where there is one. */
  throughWorker?: boolean;
  /** Why a service refuses, from its response; undefined: it doesn't say. */
  readRejection?: (text: string) => string | undefined;
}>;

/**
 * Posts without following redirects. Resolves with the response's status and text; rejects NotifyError when nothing
 * responds or the status is not 2xx.
 */
export async function post(
  { fetch, settings }: PostDeps,
  address: string,
  { headers, body }: Post,
  { throughWorker = false, readRejection }: PostOptions = {},
): Promise<Readonly<{ status: number; text: string }>> {
  const worker = throughWorker ? settings.get("WorkerUrl") : "";
  const key = settings.get("WorkerValidKey");
  const request: SafeRequest = worker
    ? {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: address, key, method: "POST", headers, body }),
      }
    : { headers, body };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_ANSWER, maxRedirects: 0 };
  const response = await fetch(worker ? `${worker}/` : address, { method: "POST", ...request, ...limits }).catch(
    (error: unknown) => {
      const failure = error instanceof OutboundError ? error.failure : "unreachable";
      const isFinal = failure !== "timeout" && failure !== "unreachable" && failure !== "unresolved";
      throw new NotifyError(failure.replaceAll("_", " "), isFinal, { code: FAILURES[failure] });
    },
  );
  const { status } = response;
  if (status < 200 || status > 299) {
    const rejection = readRejection?.(response.text());
    const isFinal = status !== 429 && status < 500;
    throw new NotifyError(`HTTP ${status}${rejection ? `: ${rejection}` : ""}`, isFinal, { httpStatus: status });
  }
  return { status, text: response.text() };
}

/** The fields of a JSON object; of anything else none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed && typeof parsed === "object" ? { ...parsed } : {};
  } catch {
    return {};
  }
}
