import { createPriceTable } from "../../../../billing/pricing/price-table.ts";
import { resolvePrice } from "../../../../billing/pricing/resolve-price.ts";
import { createModelCatalog } from "../../../../catalog/catalog.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../../../channels/entry.ts";
import { upstreamModelOf } from "../../../channels/routing/routing-index.ts";
import { type RetiredModel, retiredModelsOf } from "../../../channels/upstream/retired-models.ts";
import { type DiagnosticsContext, type Finding, fine, skipped, trouble } from "../diagnostics-context.ts";

const MOST_NAMED = 8;

/** Whether each enabled channel can be chosen by a call: it has models, groups that exist and a key that is on. */
export async function checkChannels({
  channels,
  settings,
}: Pick<DiagnosticsContext, "channels" | "settings">): Promise<Finding[]> {
  const enabled = enabledOf(channels);
  if (enabled.length === 0) return [trouble("warn", ["doctor_channels_none"], ["doctor_fix_channels_none"])];
  const known = settings.get("GroupRatio");
  const findings: Finding[] = [];
  const without = enabled.filter(({ models, groups }) => models.length === 0 || groups.length === 0);
  if (without.length > 0) {
    findings.push(trouble("fail", ["doctor_channels_idle", named(without)], ["doctor_fix_channels_idle"]));
  }
  const strange = enabled.filter(({ groups }) => groups.length > 0 && !groups.some((group) => known.has(group)));
  if (strange.length > 0) {
    findings.push(trouble("warn", ["doctor_channels_groups", named(strange)], ["doctor_fix_channels_groups"]));
  }
  const unread = enabled.filter(({ unresolved }) => unresolved.length > 0);
  const [problem] = unread.flatMap(({ unresolved }) => unresolved);
  if (problem) {
    const params = { ...named(unread), ...problem };
    findings.push(trouble("fail", ["doctor_channels_references", params], ["doctor_fix_channels_references"]));
  }
  const keyless = enabled.filter(
    ({ keys, disabledKeys, unresolved }) => unresolved.length === 0 && keys.every((key) => disabledKeys.has(key)),
  );
  if (keyless.length > 0) {
    findings.push(trouble("fail", ["doctor_channels_keys", named(keyless)], ["doctor_fix_channels_keys"]));
  }
  const catalog = createModelCatalog(settings)();
  const retired = enabled.flatMap((channel) => {
    const models = retiredModelsOf(catalog, channel);
    return models.length > 0 ? [`${channel.name} (#${channel.id}): ${shortList(models.map(retirementText))}`] : [];
  });
  if (retired.length > 0) {
    const names = retired.slice(0, MOST_NAMED).join("; ") + (retired.length > MOST_NAMED ? "; …" : "");
    findings.push(
      trouble("warn", ["doctor_channels_retired", { count: retired.length, names }], ["doctor_fix_channels_retired"]),
    );
  }
  return findings.length > 0 ? findings : [fine("doctor_channels_fine", { count: enabled.length })];
}

/** Whether every model that calls can reach has a price. */
export async function checkPrices({
  channels,
  settings,
}: Pick<DiagnosticsContext, "channels" | "settings">): Promise<Finding[]> {
  const table = createPriceTable(settings)();
  const models = new Set<string>();
  const unpriced = new Set<string>();
  for (const channel of enabledOf(channels)) {
    for (const model of channel.models) {
      const requestedModel = channel.modelPrefix + model;
      models.add(requestedModel);
      const upstreamModel = upstreamModelOf(channel, requestedModel, model);
      const query = { requestedModel, upstreamModel, group: channel.groups[0] ?? "default", acceptUnset: false };
      if (!resolvePrice(table, query)) unpriced.add(requestedModel);
    }
  }
  if (models.size === 0) return [skipped("doctor_prices_no_models")];
  if (unpriced.size === 0) return [fine("doctor_prices_fine", { count: models.size })];
  const params = { count: unpriced.size, names: shortList([...unpriced].sort()) };
  const isFree = settings.get("SelfUseModeEnabled");
  return [trouble(isFree ? "warn" : "fail", ["doctor_prices_missing", params], ["doctor_fix_prices"])];
}

/** Such as "gpt-4 → gpt-5.6-sol (2026-10-23)". */
const retirementText = ({ model, date, successor }: RetiredModel): string =>
  `${model}${successor === null ? "" : ` → ${successor}`} (${date})`;

const enabledOf = (channels: DiagnosticsContext["channels"]): ChannelEntry[] =>
  [...channels.all()].filter(({ status }) => status === CHANNEL_STATUS.enabled);

const named = (channels: readonly ChannelEntry[]) => ({
  count: channels.length,
  names: shortList(channels.map(({ id, name }) => `${name} (#${id})`)),
});

const shortList = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", …" : "");
