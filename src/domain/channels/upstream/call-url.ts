import { formatFor } from "../../../providers/contract/chat.ts";
import { type CallParams, isTask } from "../../../providers/contract/provider.ts";
import { providerOf } from "../../../providers/registry.ts";
import { baseUrlError, plainAddress } from "../routing/channel-rules.ts";

type ChannelFields = Readonly<{
  type: number;
  /** As typed. */
  baseUrl: string;
  other: string;
  /** Any of the channel's keys: a region or a project in it can be part of the URL. */
  key: string;
  /** The upstream's name of a model; empty: one that the provider is known for. */
  model: string;
}>;

/**
 * The URL that a chat, or the first kind of call that the provider has, would go to; null: the type is unknown, or its address
 * is missing or invalid. Sends nothing.
 */
export function callUrlOf({ type, baseUrl, other, key, model: named }: ChannelFields): string | null {
  const provider = providerOf(type);
  if (!provider || baseUrlError(baseUrl)) return null;
  if (baseUrl.trim() === "" && provider.defaultBaseUrl === null && !provider.baseUrlOptional) return null;
  const { capabilities } = provider;
  const capability = capabilities.includes("chat") ? "chat" : (capabilities.find((each) => !isTask(each)) ?? "video");
  const model = named || (provider.models[0] ?? "model");
  const dialect = formatFor(provider, model, key, model, undefined, baseUrl);
  const ask: CallParams = { capability, dialect, model, stream: false, key };
  const url = provider.url({ baseUrl: plainAddress(baseUrl), other: other.trim(), openaiOrganization: "" }, ask);
  return URL.canParse(url) ? url : null;
}
