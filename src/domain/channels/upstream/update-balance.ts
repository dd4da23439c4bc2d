import { and, eq, ne } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { channels } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { recordOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { keepReason, type Reason } from "../../../lib/reason.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/keys.ts";
import { upstreamFailure } from "../status/refusal.ts";
import { type OnDisabled, setChannelStatus } from "../status/set-status.ts";
import { proxyOf, userAgentOf } from "./request-options.ts";

/** What is left on a channel, in a currency by its ISO code. */
export type BalanceReading = Readonly<{ amount: number; currency: string }>;

type BalanceDeps = Readonly<{
  db: Db;
  fetch: SafeFetch;
  settings: SettingsReader;
  /** Called once for each balance that falls below its limit. */
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
}>;

/** OpenAI and custom channels: the billing paths that gateways of the family answer too. */
const CUSTOM = 8;
const BILLING_TYPES: ReadonlySet<number> = new Set([1, CUSTOM]);
const AT_A_TIME = 8;
const DAY_MS = 86_400_000;

/** Whether channels of this type can be asked for their balance. */
export const reportsBalance = (type: number): boolean =>
  BILLING_TYPES.has(type) || providerOf(type)?.balance !== undefined;

/**
 * Asks the upstream for the channel's balance, in the currency it has there, and keeps it, or why it could not be asked.
 * Throws OperationError with what went wrong.
 */
export async function updateBalance(deps: BalanceDeps, channel: ChannelEntry): Promise<BalanceReading> {
  if (!reportsBalance(channel.type)) throw new OperationError("channel_balance_not_offered");
  const reading = await (BILLING_TYPES.has(channel.type)
    ? readBillingBalance(deps.fetch, channel)
    : readOwnBalance(deps.fetch, channel)
  ).catch(async (error) => {
    const reason = error instanceof BalanceUnavailable ? keepReason(error.reason) : "";
    await deps.db.update(channels).set({ balanceError: reason }).where(eq(channels.id, channel.id));
    throw error;
  });
  const { amount, currency } = reading;
  const retained = {
    balance: String(amount),
    balanceCurrency: currency,
    balanceError: "",
    balanceUpdatedTime: nowSeconds(),
  };
  const [row] = await deps.db
    .update(channels)
    .set(retained)
    .where(eq(channels.id, channel.id))
    .returning({ limit: channels.balanceWarnBelow });
  const limit = row?.limit == null ? deps.settings.get("ChannelBalanceWarning") : Number(row.limit);
  if (await crossed(deps.db, channel.id, amount < limit)) deps.onLowBalance(channel, reading, limit);
  return reading;
}

/** Whether the balance has just fallen below its limit: once, however often and by however many processes it is asked. */
async function crossed(db: Db, id: number, isLow: boolean): Promise<boolean> {
  const rows = await db
    .update(channels)
    .set({ balanceWarnedTime: isLow ? nowSeconds() : 0 })
    .where(and(eq(channels.id, id), isLow ? eq(channels.balanceWarnedTime, 0) : ne(channels.balanceWarnedTime, 0)))
    .returning({ id: channels.id });
  return isLow && rows.length > 0;
}

/**
 * Asks the upstreams of all enabled channels; those with nothing left go off, whatever their `auto_ban` says.
 * `onDisabled` receives them. Types without a balance and upstreams that do not report it are skipped.
 */
export async function updateAllBalances(
  deps: BalanceDeps & Readonly<{ changes: Changes; onDisabled: OnDisabled }>,
  channels: Iterable<ChannelEntry>,
): Promise<{ updated: number; total: number }> {
  const pending = [...channels].filter(
    (channel) => channel.status === CHANNEL_STATUS.enabled && reportsBalance(channel.type),
  );
  const total = pending.length;
  let updated = 0;
  const ask = async (channel: ChannelEntry) => {
    const { amount } = await updateBalance(deps, channel);
    updated += 1;
    if (amount > 0) return;
    const reason: Reason = { code: "why_balance_used_up" };
    const isOff = await setChannelStatus(deps, channel.id, CHANNEL_STATUS.autoDisabled, reason, CHANNEL_STATUS.enabled);
    if (isOff) deps.onDisabled(channel, false, reason);
  };
  const worker = async () => {
    for (let channel = pending.shift(); channel; channel = pending.shift()) {
      await ask(channel).catch((error) => {
        if (!(error instanceof OperationError)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { updated, total };
}

/** By the address and the words of the provider's own; where that does not return it, by the other address that it has. */
async function readOwnBalance(fetch: SafeFetch, channel: ChannelEntry): Promise<BalanceReading> {
  const balance = providerOf(channel.type)?.balance;
  const reported = readBalanceAt(fetch, channel, balance?.url(channel) ?? "");
  const other = balance?.fallbackUrl?.(channel);
  // Where both fail, the first says why.
  return other
    ? reported.catch((error) => readBalanceAt(fetch, channel, other).catch(() => Promise.reject(error)))
    : reported;
}

async function readBalanceAt(fetch: SafeFetch, channel: ChannelEntry, url: string): Promise<BalanceReading> {
  const provider = providerOf(channel.type);
  if (!provider?.balance) throw new BalanceUnavailable({ code: "why_no_balance_reported" });
  const key = firstKey(channel);
  const proxy = proxyOf(channel);
  try {
    const headers = provider.balance.headers?.(key) ?? provider.authHeaders(channel, key);
    const answer = await fetch(url, { headers: { "user-agent": userAgentOf(channel), ...headers }, proxy });
    if (answer.status !== 200) throw new BalanceUnavailable(`HTTP ${answer.status}`);
    const reported: unknown = JSON.parse(answer.text());
    const balance = provider.balance.read(reported);
    if (balance === null) throw new BalanceUnavailable({ code: "why_no_amounts" });
    return { amount: rounded(balance), currency: provider.balance.currency?.(channel, reported) ?? "USD" };
  } catch (error) {
    const reason = upstreamFailure(error);
    throw reason === null ? error : new BalanceUnavailable(reason);
  }
}

async function readBillingBalance(fetch: SafeFetch, channel: ChannelEntry): Promise<BalanceReading> {
  const key = firstKey(channel);
  const proxy = proxyOf(channel);
  const base = baseOf(channel);
  if (!base) throw new BalanceUnavailable({ code: "why_no_valid_address" });
  const ask = async (path: string) => {
    const answer = await fetch(`${base}/v1/dashboard/billing/${path}`, {
      headers: { "user-agent": userAgentOf(channel), authorization: `Bearer ${key}` },
      proxy,
    });
    if (answer.status !== 200) throw new BalanceUnavailable(`HTTP ${answer.status}`);
    return recordOf(JSON.parse(answer.text())) ?? {};
  };
  try {
    const subscription = await ask("subscription");
    const now = new Date();
    const start = subscription.has_payment_method
      ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
      : new Date(now.getTime() - 100 * DAY_MS);
    const usage = await ask(`usage?start_date=${day(start)}&end_date=${day(new Date(now.getTime() + DAY_MS))}`);
    const balance = Number(subscription.hard_limit_usd) - Number(usage.total_usage) / 100;
    if (!Number.isFinite(balance)) throw new BalanceUnavailable({ code: "why_no_amounts" });
    return { amount: rounded(balance), currency: "USD" };
  } catch (error) {
    const reason = upstreamFailure(error);
    throw reason === null ? error : new BalanceUnavailable(reason);
  }
}

/** The balance could not be asked, and why. */
class BalanceUnavailable extends OperationError {
  constructor(readonly reason: Reason) {
    super("channel_balance_unavailable", { reason });
  }
}

const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** The address without its `/v1`; a custom channel's is that of a call, of which the host counts. */
const baseOf = ({ type, baseUrl }: ChannelEntry): string | undefined =>
  type === CUSTOM ? URL.parse(baseUrl)?.origin : (baseUrl || "https://api.openai.com").replace(/\/+(v1\/*)?$/, "");

const day = (date: Date): string => date.toISOString().slice(0, 10);
