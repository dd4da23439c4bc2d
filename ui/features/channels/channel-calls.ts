import type { TestProgress } from "../../../src/domain/channels/upstream/test-all.ts";
import { readData, readEnvelope } from "../../api/client.ts";
import { channelApi, channelUpstreamApi } from "../../api/groups.ts";
import type { Channel } from "./channel.ts";
import type { ChannelQuery } from "./channel-queries.ts";
import { bodyOf, type ChannelForm } from "./drawer/form/channel-form.ts";

/** How long a change may take before the list shows the channel as it was. */
export const ACTION_TIMEOUT_MS = 15_000;

/** Fields to change; the server keeps absent ones. */
type ChannelChange = Readonly<Omit<Parameters<typeof channelApi.put>[0], "id">>;

export const createChannel = async (body: ChannelChange): Promise<number> => (await readData(channelApi.post(body))).id;

export const updateChannel = (id: number, change: ChannelChange, signal?: AbortSignal): Promise<Channel> =>
  readData(channelApi.put({ ...change, id }, { fetch: { signal } }));

/** A channel with its plain-text keys; the server records the access in the audit log. */
export const getChannelWithKeys = (id: number): Promise<Channel> =>
  readData(channelApi({ id }).get({ query: { show_key: "true" } }));

/** Creates a disabled copy with the original's keys, which the browser never sees. */
export const copyChannel = (id: number, name: string) => readData(channelApi({ id }).copy.post({ name }));

export const deleteChannel = (id: number) => readData(channelApi({ id }).delete());

/** Returns how many were deleted. */
export const deleteChannels = (ids: readonly number[]): Promise<number> =>
  readData(channelApi.batch.post({ ids: [...ids] }));

/** Returns how many were deleted. */
export const deleteDisabledChannels = (): Promise<number> => readData(channelApi.disabled.delete());

/** Rebuilds the routing table; returns the number of channels. */
export const fixChannels = (): Promise<number> => readData(channelApi.fix.post());

/** Returns how many changed. */
export const setChannelsStatus = (ids: readonly number[], status: 1 | 2): Promise<number> =>
  readData(channelApi.batch.status.post({ ids: [...ids], status }));

/** Ids of all channels that match a list's filters, on all pages; in tag mode, of all channels of the matching tags. */
export async function findChannelIds({
  page,
  pageSize,
  idSort,
  byTag,
  sort,
  order,
  ...filters
}: ChannelQuery): Promise<number[]> {
  const query = { ...filters, tag_mode: byTag ? "true" : undefined };
  return readData(channelApi.ids.get({ query }));
}

/** Returns how many channels have the tag now. */
export const setChannelsTag = (ids: readonly number[], tag: string): Promise<number> =>
  readData(channelApi.batch.tag.post({ ids: [...ids], tag }));

export type TestOutcome = Readonly<{
  success: boolean;
  message: string;
  /** Seconds. */
  time: number;
  /** Nothing is known of the service, so it was called as OpenAI's API. */
  isAssumed?: boolean;
}>;

/** Sends a short request through the channel; a rejection by the upstream is a result, not an error. */
export async function testChannel(id: number, model: string, signal?: AbortSignal): Promise<TestOutcome> {
  const { success, message, time, assumed } = await readEnvelope(
    channelUpstreamApi.test({ id }).get({ query: { model: model || undefined }, fetch: { signal } }),
    { acceptFailure: true },
  );
  return { success, message, time: time ?? 0, isAssumed: assumed === true };
}

export const testAllChannels = (): Promise<TestProgress> => readData(channelUpstreamApi.test.get());

export const readTestProgress = (): Promise<TestProgress> => readData(channelUpstreamApi.test.progress.get());

export const cancelTests = () => readData(channelUpstreamApi.test.cancel.post());

/** Model names that the upstream of a stored channel offers. */
export const fetchStoredModels = (id: number): Promise<string[]> =>
  readData(channelUpstreamApi.fetch_models({ id }).get());

/** Model names that an upstream offers, fetched with the form's values and a key that is not stored yet. */
export const fetchModels = (form: ChannelForm, key: string): Promise<string[]> => {
  const { type, base_url, other, openai_organization, setting } = bodyOf(form);
  const body = { type, key, base_url, other, openai_organization, setting };
  return readData(channelUpstreamApi.fetch_models.post(body));
};

/** Returns the balance in the provider's currency. */
export async function updateBalance(id: number): Promise<Pick<Channel, "balance" | "balance_currency">> {
  const { balance, currency } = await readEnvelope(channelUpstreamApi.update_balance({ id }).get());
  return { balance, balance_currency: currency };
}

export const updateBalances = () => readData(channelUpstreamApi.update_balance.get());

/** Channel ids and tag names with a running action: one at a time each. */
type Running<Id> = Readonly<{
  /** Runs the action unless one is running for that id; returns false if it was not started. */
  run(id: Id, action: () => Promise<void>): boolean;
}>;

export function createRunning<Id extends string | number = number>(): Running<Id> {
  const ids = new Set<Id>();
  return {
    run(id, action) {
      if (ids.has(id)) return false;
      ids.add(id);
      void action().finally(() => ids.delete(id));
      return true;
    },
  };
}
