import { eq } from "drizzle-orm";
import { channels } from "../../db/schema/channels.ts";
import type { Db } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import { OutboundError } from "../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import type { ChannelEntry } from "./entry.ts";

type BalanceDeps = Readonly<{ db: Db; fetch: SafeFetch }>;

/** OpenAI and custom channels: the billing paths that gateways of the family answer too. */
const BILLING_TYPES: ReadonlySet<number> = new Set([1, 8]);
const DAY_MS = 86_400_000;

/** Asks the upstream for the channel's balance in USD and keeps it. Throws OperationError with what went wrong. */
export async function updateBalance({ db, fetch }: BalanceDeps, channel: ChannelEntry): Promise<number> {
  if (!BILLING_TYPES.has(channel.type)) throw new OperationError("channel_balance_not_offered");
  const balance = await readBillingBalance(fetch, channel);
  await db
    .update(channels)
    .set({ balance: String(balance), balanceUpdatedTime: nowSeconds() })
    .where(eq(channels.id, channel.id));
  return balance;
}

async function readBillingBalance(fetch: SafeFetch, channel: ChannelEntry): Promise<number> {
  const [key = ""] = channel.keys;
  const base = channel.type === 8 ? new URL(channel.baseUrl).origin : channel.baseUrl || "https://api.openai.com";
  const proxy = typeof channel.setting.proxy === "string" ? channel.setting.proxy : "";
  const failed = (reason: string) => new OperationError("channel_balance_unavailable", { reason });
  const ask = async (path: string) => {
    const answer = await fetch(`${base}/v1/dashboard/billing/${path}`, {
      headers: { authorization: `Bearer ${key}` },
      proxy,
    });
    if (answer.status !== 200) throw failed(`HTTP ${answer.status}`);
    return JSON.parse(answer.text()) as Record<string, unknown>;
  };
  try {
    const subscription = await ask("subscription");
    const now = new Date();
    const start = subscription.has_payment_method
      ? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
      : new Date(now.getTime() - 100 * DAY_MS);
    const usage = await ask(`usage?start_date=${day(start)}&end_date=${day(new Date(now.getTime() + DAY_MS))}`);
    const balance = Number(subscription.hard_limit_usd) - Number(usage.total_usage) / 100;
    if (!Number.isFinite(balance)) throw failed("the answer has no amounts");
    return Math.round(balance * 1e6) / 1e6;
  } catch (error) {
    if (error instanceof OutboundError) throw failed(error.message);
    if (error instanceof SyntaxError) throw failed("the answer is not JSON");
    throw error;
  }
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
