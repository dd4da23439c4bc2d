import { queryOptions } from "@tanstack/react-query";
import type { Receipt } from "../../../src/billing/types.ts";
import type { ListPriceSource } from "../../../src/console/models.ts";
import type { ServedModel } from "../../../src/domain/channels/served-models.ts";
import { request, requestLines } from "../../api/client.ts";

export type OidcEndpoints = { authorization_endpoint: string; token_endpoint: string; user_info_endpoint: string };

export const discoverOidc = async (wellKnown: string): Promise<OidcEndpoints> =>
  (await request<OidcEndpoints>("/api/option/oidc_discovery", { method: "POST", body: { well_known: wellKnown } }))
    .data;

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
  queryFn: async ({ signal }) => (await request<SystemInfo>("/api/system/info", { signal })).data,
});

/** Where and when the prices were read that come with this release. */
export const listPriceSources = queryOptions({
  queryKey: ["list-price-sources"],
  queryFn: async ({ signal }) => (await request<ListPriceSource[]>("/api/channel/list_prices", { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export type Release = { version: string; url: string; notes: string; is_newer: boolean };

export const checkUpdate = async (): Promise<Release> => (await request<Release>("/api/system/update")).data;

/** Deletes log rows older than `before` (epoch seconds), telling how many went so far. */
export const clearLogs = (before: number, onDeleted: (count: number) => void, signal: AbortSignal) =>
  requestLines<{ deleted: number }>(
    "/api/log/clear",
    { target_timestamp: before },
    ({ deleted }) => onDeleted(deleted),
    signal,
  );

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

export const previewCharge = async (model: string, group: string, usage: ImaginedUsage): Promise<ChargePreview> =>
  (await request<ChargePreview>("/api/ratio/preview", { method: "POST", body: { model, group, ...usage } })).data;

/** Every model that an enabled channel serves, and what the upstreams call it. */
export const servedModels = queryOptions({
  queryKey: ["served-models"],
  queryFn: async ({ signal }) => (await request<ServedModel[]>("/api/channel/models_served", { signal })).data,
});

export const resetModelRatio = () => request<null>("/api/option/rest_model_ratio", { method: "POST" });
