import type { Catalog } from "../../../catalog/catalog.ts";
import { type Retirement, retirementOf, utcDay } from "../../../catalog/retirement.ts";
import type { Reason } from "../../../lib/reason.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { ChannelEntry } from "../entry.ts";
import { type Candidates, upstreamModelOf } from "../routing/routing-index.ts";

type Addressed = Pick<ChannelEntry, "type" | "baseUrl">;

/**
 * When the service of a channel turned a model off, by the upstream's name; null: it has not, or the channel's base URL is of
 * another host than the service's, which may serve it for longer.
 */
export function retirementAt(
  catalog: Catalog,
  { type, baseUrl }: Addressed,
  model: string,
  today?: string,
): Retirement | null {
  const info = catalog.find(model);
  // A date without services, which an operator has set, holds for every channel.
  const isOfServices = info.deprecation_channel_types !== null || info.platform_retirements !== null;
  if (isOfServices && !isOwnHost(baseUrl, providerOf(type)?.defaultBaseUrl)) return null;
  return retirementOf(info, type, today);
}

const isOwnHost = (baseUrl: string, own: string | null | undefined): boolean =>
  baseUrl === "" || (!!own && URL.parse(baseUrl)?.host === URL.parse(own)?.host);

/** Says that a model was retired, and what follows it. */
export const retiredReason = (model: string, { date, successor }: Retirement): Reason =>
  successor === null
    ? { code: "gateway_model_retired", params: { model, date } }
    : { code: "gateway_model_retired_for", params: { model, date, successor } };

/** A model that a channel still offers. */
export type RetiredModel = Retirement & Readonly<{ model: string }>;

/** The models that a channel offers although its service has turned them off. */
export function retiredModelsOf(catalog: Catalog, channel: ChannelEntry, today = utcDay()): RetiredModel[] {
  return channel.models.flatMap((model) => {
    const upstreamModel = upstreamModelOf(channel, channel.modelPrefix + model, model);
    const retirement = retirementAt(catalog, channel, upstreamModel, today);
    return retirement ? [{ model: upstreamModel, ...retirement }] : [];
  });
}

/** Whether every channel that serves a model does so although its service has turned it off. */
export function isRetired(catalog: Catalog, { model, tiers }: Candidates, requested: string): boolean {
  const channels = tiers.flatMap((tier) => tier.channels);
  return channels.every((channel) => retirementAt(catalog, channel, upstreamModelOf(channel, requested, model)));
}

/** The names without those of models that the service of a channel type has turned off. */
export function withoutRetired(catalog: Catalog, type: number, models: readonly string[]): string[] {
  const today = utcDay();
  return models.filter((model) => retirementOf(catalog.find(model), type, today) === null);
}
