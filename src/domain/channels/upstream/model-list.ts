import { eq } from "drizzle-orm";
import { channelModelLists } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { keepReason, type Reason, sayStored } from "../../../lib/reason.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { providerOf } from "../../../providers/registry.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";
import { firstKey } from "../keys/keys.ts";
import { upstreamModelOf } from "../routing/routing-index.ts";
import { upstreamFailure } from "../status/refusal.ts";
import { proxyOf, userAgentOf } from "./request-options.ts";

/** How a channel's models differ from what its upstream offers. */
export type ModelDifference = Readonly<{
  /** Offered, and neither the channel's nor among the ignored. */
  added: string[];
  /** The channel's, and offered no more. */
  removed: string[];
}>;

type ModelList = typeof channelModelLists.$inferSelect;
type Deps = Readonly<{ db: Db; fetch: SafeFetch }>;

const AT_A_TIME = 4;
/** What the gateway itself reads out of a model's name; upstreams do not list such names. */
const OWN_ENDING = /-(thinking|nothinking|minimal|low|medium|high|search)(-\d+)?$/;

/** Compares a channel's models, by their names at the upstream, with what that offers. */
export function compareModels(
  channel: ChannelEntry,
  { models, ignored }: Pick<ModelList, "models" | "ignored">,
): ModelDifference {
  const offered = new Set(models);
  const names = new Map(
    channel.models.map((model) => [model, upstreamModelOf(channel, channel.modelPrefix + model, model)]),
  );
  const known = new Set([...names.keys(), ...names.values(), ...ignored]);
  return {
    added: models.filter((name) => !known.has(name) && !channel.modelPatterns?.some((pattern) => pattern.test(name))),
    removed: [...names].flatMap(([model, name]) =>
      offered.has(name) || offered.has(name.replace(OWN_ENDING, "")) ? [] : [model],
    ),
  };
}

/**
 * Asks a channel's upstream for its models and keeps the list, or why there is none; the list before stays then.
 * Throws OperationError with what went wrong.
 */
export async function refreshModelList({ db, fetch }: Deps, channel: ChannelEntry): Promise<void> {
  const { type, baseUrl, other, openaiOrganization } = channel;
  const upstream = { type, baseUrl, other, openaiOrganization, key: firstKey(channel), proxy: proxyOf(channel) };
  const keep = (values: Partial<ModelList>) => {
    const row = { ...values, checkedTime: nowSeconds() };
    return db
      .insert(channelModelLists)
      .values({ channelId: channel.id, ...row })
      .onConflictDoUpdate({ target: channelModelLists.channelId, set: row });
  };
  try {
    await keep({ models: await fetchModels(fetch, upstream), error: "" });
  } catch (error) {
    if (error instanceof OperationError) await keep({ error: keepReason(whyOf(error)) });
    throw error;
  }
}

/** The reason alone, where the refusal has one. */
function whyOf({ code, params }: OperationError): Reason {
  const { reason = { code, params } } = params;
  return typeof reason === "number" ? String(reason) : reason;
}

/** Asks the upstreams of all enabled channels that offer a list; those that do not answer are passed over. */
export async function refreshAllModelLists(deps: Deps, channels: Iterable<ChannelEntry>): Promise<void> {
  const queue = [...channels].filter((channel) => channel.status === CHANNEL_STATUS.enabled && offersList(channel));
  const worker = async () => {
    for (let channel = queue.shift(); channel; channel = queue.shift()) {
      await refreshModelList(deps, channel).catch((error) => {
        if (!(error instanceof OperationError)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

const offersList = ({ type, baseUrl, other, openaiOrganization }: ChannelEntry): boolean => {
  const provider = providerOf(type);
  return provider?.modelList != null && provider.modelList.url({ baseUrl, other, openaiOrganization }) !== null;
};

/** The kept lists of these channels; channels that were never asked are absent. */
export async function readModelLists(db: Db, channelIds: readonly number[]): Promise<Map<number, ModelList>> {
  const rows = await db.select().from(channelModelLists).where(isOneOf(channelModelLists.channelId, channelIds));
  return new Map(rows.map((row) => [row.channelId, row]));
}

/** What a channel's upstream offers compared with the channel, on the wire. */
export type ModelListView = ModelDifference &
  Readonly<{ ignored: string[] /** Epoch seconds; 0: never asked. */; checked_time: number; error: string }>;

/** The stored comparison of one channel; the reason that there is none is in `language`. */
export async function viewModelList(db: Db, channel: ChannelEntry, language: Language): Promise<ModelListView> {
  const [list] = await db.select().from(channelModelLists).where(eq(channelModelLists.channelId, channel.id));
  const error = sayStored(list?.error ?? "", language);
  if (!list || list.models.length === 0) {
    return { added: [], removed: [], ignored: [], checked_time: list?.checkedTime ?? 0, error };
  }
  const { ignored, checkedTime } = list;
  return { ...compareModels(channel, list), ignored, checked_time: checkedTime, error };
}

type Upstream = Readonly<{
  type: number;
  baseUrl: string;
  key: string;
  other?: string;
  openaiOrganization?: string;
  proxy?: string;
}>;

/** Asks an upstream for its models. Returns their ids, sorted. Throws OperationError with what went wrong. */
export async function fetchModels(fetch: SafeFetch, upstream: Upstream): Promise<string[]> {
  const { type, baseUrl, key, other = "", openaiOrganization = "", proxy = "" } = upstream;
  const provider = providerOf(type);
  if (!provider) throw new OperationError("channel_type_unknown", { type });
  if (key.trim() === "") throw new OperationError("channel_key_required");
  const channel = { baseUrl: baseUrl.replace(/\/+$/, ""), other, openaiOrganization };
  const address = provider.modelList?.url(channel);
  const failed = (reason: Reason) => new OperationError("channel_models_unavailable", { reason });
  if (!address) throw failed({ code: "why_no_list_offered" });
  try {
    const answer = await fetch(address, {
      headers: { "user-agent": userAgentOf(), ...provider.authHeaders(channel, key) },
      proxy,
      timeoutMs: 15_000,
    });
    if (answer.status !== 200) throw failed(`HTTP ${answer.status}`);
    const read: unknown = JSON.parse(answer.text());
    const ids = provider.modelList?.read(read);
    if (!ids) throw failed({ code: "why_no_list" });
    return [...new Set(ids)].sort();
  } catch (error) {
    const reason = upstreamFailure(error);
    throw reason === null ? error : failed(reason);
  }
}
