import type { SafeFetch, SafeResponse } from "../../../lib/outbound/safe-fetch.ts";
import type { DestinationConfig, DestinationField } from "./destination-config.ts";

/** A call as destinations receive it. Contents of prompts and outputs are never part of it. */
export type ExportedCall = Readonly<{
  /** Unique; a call that is delivered twice has the same one. */
  id: string;
  /** Position in the log. */
  log_id: number;
  /** Arrival in epoch seconds. */
  created_at: number;
  request_id: string;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  model: string;
  requested_model: string;
  channel_id: number;
  is_stream: boolean;
  failed: boolean;
  /** HTTP status sent to the client; 0: unknown. */
  status: number;
  elapsed_ms: number;
  /** Null: no byte was received. */
  first_token_ms: number | null;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  /** The service tiers that served it: `priority`, `fast, geo:us`; empty: the standard one. */
  service_tier: string;
  /** Quota units charged, and the part of the charge that no balance covered. */
  quota: number;
  uncovered: number;
  /** What the client called it by. */
  tags: readonly string[];
  /** Whom the client made it for; empty: it did not say. */
  end_user: string;
}>;

/** Calls that are sent together. The same calls have the same id. */
export type Batch = Readonly<{ id: string; calls: readonly ExportedCall[] }>;

/** What destinations are reached with. */
export type SinkDeps = Readonly<{
  fetch: SafeFetch;
  /** Addresses of a host that may be connected to; rejects for others. */
  resolve: (hostname: string) => Promise<readonly string[]>;
}>;

/** How one kind of destination takes usage records. */
export type SinkType = Readonly<{
  fields: readonly DestinationField[];
  /** Largest batch. */
  maxCalls: number;
  /** Least seconds between batches while there is no backlog. */
  pauseSeconds?: number;
  /** Where it leads, without secrets. */
  target: (config: DestinationConfig) => string;
  /** Resolves when the destination has stored the batch. Rejects otherwise, with a reason that holds no secret. */
  send: (config: DestinationConfig, batch: Batch, deps: SinkDeps) => Promise<void>;
}>;

/** An `http:` or `https:` address without credentials. */
export const HTTP_ADDRESS = /^https?:\/\/[^\s/@]+(?:\/\S*)?$/;

const TIMEOUT_MS = 20_000;
const LONGEST_REJECTION = 200;

/** Posts or puts a body. Rejects when the response's status is not 2xx, with the start of its text. */
export async function upload(
  { fetch }: SinkDeps,
  url: string,
  request: Readonly<{ method?: "POST" | "PUT"; headers: Readonly<Record<string, string>>; body: string }>,
): Promise<SafeResponse> {
  const response = await fetch(url, { method: "POST", ...request, timeoutMs: TIMEOUT_MS, maxRedirects: 0 });
  if (response.status >= 200 && response.status <= 299) return response;
  const detail = response.text().replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_REJECTION);
  throw new Error(`HTTP ${response.status}${detail && `: ${detail}`}`);
}

/** One JSON object a line. */
export const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** The host of an address, for `target`. */
export const hostOf = (address = ""): string => URL.parse(address)?.host ?? "";
