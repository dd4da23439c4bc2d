import { shippedCatalog } from "../../../../src/catalog/catalog.ts";
import type { ChatDialect } from "../../../../src/formats/conversation/conversation.ts";
import { channelTypes, providerOf } from "../../../../src/providers/registry.ts";

/** A provider's service in one of its formats, with a model that it serves in it. */
export type Service = Readonly<{ name: string; type: number; format: ChatDialect; model: string; key: string }>;

/** Keys of each kind: some services are asked in another format by the kind of key. */
const KEYS = ["sk-1", "1|2|3"];

/** Models that differ from the first of their provider in what they take. */
const FURTHER: Readonly<Record<number, readonly string[]>> = {
  1: ["gpt-4o", "o4-mini"],
  8: ["m"],
  14: ["claude-sonnet-4-5", "claude-opus-4-8"],
  20: ["anthropic/claude-sonnet-5", "google/gemini-3.6-flash"],
  24: ["gemini-2.5-flash"],
  25: ["kimi-k2.5"],
  26: ["glm-4.7"],
  33: ["claude-sonnet-4-5"],
  47: ["m"],
  1006: ["m"],
  1007: ["us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
};

/** Every provider's chats, in each of its formats. */
export const services: readonly Service[] = channelTypes.flatMap(({ id, name, capabilities }) => {
  const chat = capabilities.includes("chat") ? providerOf(id)?.chat : undefined;
  if (!chat) return [];
  return chat.formats.flatMap((format) => {
    const places = (model: string) =>
      KEYS.filter((key) => (chat.formatOf(model, key, model, shippedCatalog) ?? format) === format)
        .slice(0, 1)
        .map((key) => ({ name: `${name} ${format} ${model}`, type: id, format, model, key }));
    const models = [...(providerOf(id)?.models ?? [])];
    const [first] = models.flatMap(places);
    return [...(first ? [first] : []), ...(FURTHER[id] ?? []).flatMap(places)];
  });
});
