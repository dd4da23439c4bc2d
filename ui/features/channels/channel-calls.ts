import type { TestProgress } from "../../../src/domain/channels/test-all.ts";
import { request } from "../../api/client.ts";
import type { Channel } from "./channel.ts";
import { bodyOf, type ChannelForm } from "./channel-form.ts";
import type { ChannelQuery } from "./channel-queries.ts";

/** Fields of a change; the server leaves what is absent as it is. */
export type ChannelChange = Readonly<Record<string, string | number | null>>;

export const createChannel = async (body: ChannelChange): Promise<number> =>
  (await request<{ id: number }>("/api/channel/", { method: "POST", body })).data.id;

export const updateChannel = async (id: number, change: ChannelChange, signal?: AbortSignal): Promise<Channel> =>
  (await request<Channel>("/api/channel/", { method: "PUT", body: { ...change, id }, signal })).data;

/** A channel with its keys in clear; the server writes down who looked. */
export const getChannelWithKeys = async (id: number): Promise<Channel> =>
  (await request<Channel>(`/api/channel/${id}`, { query: { show_key: "true" } })).data;

export const deleteChannel = (id: number) => request<null>(`/api/channel/${id}/`, { method: "DELETE" });

/** Returns how many were deleted. */
export const deleteChannels = async (ids: readonly number[]): Promise<number> =>
  (await request<number>("/api/channel/batch", { method: "POST", body: { ids } })).data;

/** Returns how many were deleted. */
export const deleteDisabledChannels = async (): Promise<number> =>
  (await request<number>("/api/channel/disabled", { method: "DELETE" })).data;

/** Builds the routing table anew; returns for how many channels. */
export const fixChannels = async (): Promise<number> =>
  (await request<number>("/api/channel/fix", { method: "POST" })).data;

/** Returns how many changed. */
export const setChannelsStatus = async (ids: readonly number[], status: number): Promise<number> =>
  (await request<number>("/api/channel/batch/status", { method: "POST", body: { ids, status } })).data;

/** Ids of all channels that a list narrows down to, whatever its page; by tag: of all channels of its tags. */
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
  return (await request<number[]>("/api/channel/ids", { query })).data;
}

/** Returns how many channels have the tag now. */
export const setChannelsTag = async (ids: readonly number[], tag: string): Promise<number> =>
  (await request<number>("/api/channel/batch/tag", { method: "POST", body: { ids, tag } })).data;

export type TestOutcome = Readonly<{ success: boolean; message: string /** Seconds. */; time: number }>;

/** Sends a short request through the channel; a refusal by the upstream is an outcome, not an error. */
export async function testChannel(id: number, model: string, signal?: AbortSignal): Promise<TestOutcome> {
  const { success, message, time } = await request<unknown, { time: number }>(`/api/channel/test/${id}`, {
    query: { model: model || undefined },
    signal,
    acceptFailure: true,
  });
  return { success, message, time: time ?? 0 };
}

export const testAllChannels = async (): Promise<TestProgress> =>
  (await request<TestProgress>("/api/channel/test")).data;

export const readTestProgress = async (): Promise<TestProgress> =>
  (await request<TestProgress>("/api/channel/test/progress")).data;

export const cancelTests = () => request<null>("/api/channel/test/cancel", { method: "POST" });

/** Model names that the upstream of a stored channel offers. */
export const fetchStoredModels = async (id: number): Promise<string[]> =>
  (await request<string[]>(`/api/channel/fetch_models/${id}`)).data;

/** Model names that an upstream offers, asked as the form has the channel, with a key that is not stored yet. */
export const fetchModels = async (form: ChannelForm, key: string): Promise<string[]> => {
  const { type, base_url, other, openai_organization, setting } = bodyOf(form);
  const body = { type, key, base_url, other, openai_organization, setting };
  return (await request<string[]>("/api/channel/fetch_models", { method: "POST", body })).data;
};

/** Returns the balance in the provider's currency. */
export async function updateBalance(id: number): Promise<Pick<Channel, "balance" | "balance_currency">> {
  type Reading = { balance: number; currency: string };
  const { balance, currency } = await request<null, Reading>(`/api/channel/update_balance/${id}`);
  return { balance, balance_currency: currency };
}

export const updateBalances = async (): Promise<{ updated: number; total: number }> =>
  (await request<{ updated: number; total: number }>("/api/channel/update_balance")).data;
