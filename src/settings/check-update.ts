import { OperationError } from "../lib/operation-error.ts";
import { OutboundError } from "../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";

export type Release = Readonly<{
  version: string;
  /** Its page; empty when the document names none. */
  url: string;
  /** Markdown. */
  notes: string;
  isNewer: boolean;
}>;

/** Where the newest release is described; null: nowhere. */
export type UpdateSource = Readonly<{ updateCheckUrl: string | null; isOffline: boolean }>;

const TIMEOUT_MS = 8000;
const LARGEST_DOCUMENT = 512 * 1024;

/**
 * Asks the address of release information (`{tag_name, html_url, body}`) for the newest release and compares it with
 * `current`. Throws OperationError when it cannot be determined.
 */
export async function checkUpdate(
  fetch: SafeFetch,
  { updateCheckUrl: address, isOffline }: UpdateSource,
  current: string,
): Promise<Release> {
  if (isOffline) throw new OperationError("site_offline");
  if (address === null) throw new OperationError("update_check_unset");
  try {
    const headers = { accept: "application/json", "user-agent": "sluice" };
    const response = await fetch(address, { headers, timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_DOCUMENT });
    const document: unknown = response.status === 200 ? JSON.parse(response.text()) : null;
    if (document && typeof document === "object" && "tag_name" in document && typeof document.tag_name === "string") {
      const text = (name: string) => {
        const value = (document as Record<string, unknown>)[name];
        return typeof value === "string" ? value : "";
      };
      const url = text("html_url");
      const version = document.tag_name.replace(/^v/, "");
      return {
        version,
        url: /^https?:\/\//.test(url) ? url : "",
        notes: text("body"),
        isNewer: isNewer(version, current),
      };
    }
  } catch (error) {
    if (!(error instanceof OutboundError || error instanceof SyntaxError)) throw error;
  }
  throw new OperationError("update_check_failed");
}

/** Whether `a` is a later release than `b`, number by number; a version without numbers (a build from source) is never compared. */
export function isNewer(a: string, b: string): boolean {
  const numbers = (version: string) => version.match(/\d+/g)?.map(Number) ?? [];
  const [left, right] = [numbers(a), numbers(b)];
  if (left.length === 0 || right.length === 0) return false;
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
