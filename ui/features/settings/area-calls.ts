import { queryOptions } from "@tanstack/react-query";
import type { Receipt } from "../../../src/billing/types.ts";
import { postForLines, readData, readEnvelope } from "../../api/client.ts";
import { discoveryApi, logApi, modelApi, optionApi, ratioApi, systemApi } from "../../api/groups.ts";

export type OidcEndpoints = { authorization_endpoint: string; token_endpoint: string; user_info_endpoint: string };

export const discoverOidc = (wellKnown: string): Promise<OidcEndpoints> =>
  readData(discoveryApi.oidc_discovery.post({ well_known: wellKnown }));

export type SystemInfo = {
  version: string;
  /** Epoch seconds. */
  start_time: number;
  database: "embedded" | "server";
  runtime: string;
  platform: string;
  can_check_update: boolean;
};

export const systemInfo = queryOptions({
  queryKey: ["system-info"],
  queryFn: ({ signal }): Promise<SystemInfo> => readData(systemApi.info.get({ fetch: { signal } })),
});

/** Where and when the prices were read that come with this release. */
export const listPriceSources = queryOptions({
  queryKey: ["list-price-sources"],
  queryFn: ({ signal }) => readData(modelApi.channel.list_prices.get({ fetch: { signal } })),
  staleTime: Number.POSITIVE_INFINITY,
});

export type Release = { version: string; url: string; notes: string; is_newer: boolean };

export const checkUpdate = (): Promise<Release> => readData(systemApi.update.get());

/** Deletes log rows older than `before` (epoch seconds), telling how many went so far. */
export const clearLogs = (before: number, onDeleted: (count: number) => void, signal: AbortSignal) =>
  postForLines(logApi.clear, { target_timestamp: before }, ({ deleted }) => onDeleted(deleted), signal);

/** Counts of tokens, as the call's usage would tell them. */
export type ImaginedUsage = Readonly<{
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cache_creation_tokens: number;
  /** Part of `cache_creation_tokens`. */
  cache_creation_1h_tokens: number;
  audio_input_tokens: number;
  audio_output_tokens: number;
  image_input_tokens: number;
  image_output_tokens: number;
}>;

export type ChargePreview = {
  kind: "per_token" | "per_call";
  is_unset: boolean;
  /** Quota units. */
  quota: number;
  /** Quota units. */
  held: number;
  receipt: Receipt;
};

export const previewCharge = (model: string, group: string, usage: ImaginedUsage): Promise<ChargePreview> =>
  readData(ratioApi.preview.post({ model, group, ...usage }));

/** Every model that an enabled channel serves, and what the upstreams call it. */
export const servedModels = queryOptions({
  queryKey: ["served-models"],
  queryFn: ({ signal }) => readData(modelApi.channel.models_served.get({ fetch: { signal } })),
});

export const resetModelRatio = () => readEnvelope(optionApi.rest_model_ratio.post());
