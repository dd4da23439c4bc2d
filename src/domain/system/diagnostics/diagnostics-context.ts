import type { Reads } from "../../../../db/server/replica.ts";
import type { Database } from "../../../../db/types.ts";
import type { Billing } from "../../../billing/billing.ts";
import type { SharedLimits } from "../../../lib/limits/shared-limits.ts";
import type { MessageCode, MessageParams } from "../../../lib/messages.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { Config } from "../../../server/config.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ChannelEntry } from "../../channels/entry.ts";
import type { Mailer } from "../../notifications/mail.ts";

/** The gateway's own time in recent calls, up to the first byte of the answer: milliseconds; null: no call yet. */
export type Overhead = Readonly<{ calls: number; p50Ms: number; p99Ms: number }> | null;

/** What the relay adds to a call on this machine: milliseconds, and calls a second when some come at once. */
export type RelayBenchmark = Readonly<{ calls: number; p50Ms: number; p99Ms: number; perSecond: number }>;

/** What is examined: a running gateway, or its data while none runs. */
export type DiagnosticsContext = Readonly<{
  config: Pick<Config, "dataDir" | "encryptionKey" | "trustedProxies">;
  database: Pick<Database, "db" | "sql" | "kind">;
  reads: Pick<Reads, "replica">;
  settings: SettingsReader;
  vault: Vault;
  channels: { all(): Iterable<ChannelEntry> };
  /** To upstreams, under the policy for them. */
  fetch: SafeFetch;
  /** To the site's own address, wherever it is. */
  ownFetch: SafeFetch;
  mailer: Mailer;
  sharedLimits: SharedLimits | null;
  /** Measures the relay with calls to itself; nobody is charged. */
  benchmark(): Promise<RelayBenchmark>;
  /** Only in a running gateway. */
  running: Readonly<{
    billing: Pick<Billing, "status" | "flush">;
    readOverhead(): Overhead;
  }> | null;
}>;

/** How something stands; `skip`: it could not be looked at, or there is nothing of the kind. */
export type State = "ok" | "warn" | "fail" | "skip";

type MessageRef = readonly [code: MessageCode, params?: MessageParams];

/** One thing that a check found, and what to do about it. */
export type Finding = Readonly<{ state: State; found: MessageRef; fix?: MessageRef }>;

/** A check that found nothing wrong. */
export const fine = (code: MessageCode, params?: MessageParams): Finding => ({ state: "ok", found: [code, params] });

/** A check that does not apply here, and why. */
export const skipped = (code: MessageCode, params?: MessageParams): Finding => ({
  state: "skip",
  found: [code, params],
});

/** Something that is wrong, with the fix: both named by message. */
export const trouble = (state: "warn" | "fail", found: MessageRef, fix: MessageRef): Finding => ({ state, found, fix });
