import { custom } from "./custom.ts";
import { openai } from "./openai/openai.ts";
import type { Capability, Provider } from "./provider.ts";

const providers: readonly Provider[] = [openai, custom];

const byType: ReadonlyMap<number, Provider> = new Map(providers.map((provider) => [provider.type, provider]));

/** The provider of a channel-type number. */
export const providerOf = (type: number): Provider | undefined => byType.get(type);

/** What the console needs to know of a channel type. */
export type ChannelType = Readonly<{
  id: number;
  name: string;
  defaultBaseUrl: string | null;
  capabilities: readonly Capability[];
  keyHint: string;
  /** The upstream can be asked for its models. */
  listsModels: boolean;
  models: readonly string[];
}>;

/** Every channel type there is, by number. */
export const channelTypes: readonly ChannelType[] = providers
  .map((provider) => ({
    id: provider.type,
    name: provider.name,
    defaultBaseUrl: provider.defaultBaseUrl,
    capabilities: provider.capabilities,
    keyHint: provider.keyHint,
    listsModels: provider.modelListUrl({ baseUrl: "https://x.invalid", other: "", openaiOrganization: "" }) !== null,
    models: provider.models,
  }))
  .toSorted((a, b) => a.id - b.id);
