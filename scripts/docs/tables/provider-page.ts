import { reportsBalance } from "../../../src/domain/channels/upstream/update-balance.ts";
import type { Provider } from "../../../src/providers/contract/provider.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";
import english from "../../../ui/locales/en/channels/channels.json";
import chinese from "../../../ui/locales/zh/channels/channels.json";
import { between, type PageLanguage, slugOf } from "./page-parts.ts";

/** Formats of clients, by the names that the documentation has for them. */
const FORMATS: Readonly<Record<string, string>> = {
  "openai-chat": "Chat",
  "openai-responses": "Responses",
  anthropic: "Messages",
  gemini: "Gemini",
};

type Words = Readonly<
  Record<
    | "key"
    | "address"
    | "own"
    | "optional"
    | "international"
    | "serves"
    | "formats"
    | "fetches"
    | "models"
    | "balance"
    | "regions"
    | "example"
    | "documentation"
    | "ended"
    | "colon"
    | "stop"
    | "comma",
    string
  >
>;

const WORDS: Readonly<Record<PageLanguage, Words>> = {
  en: {
    key: "Key",
    address: "Base URL",
    own: "your own",
    optional: "follows from the key or the region",
    international: "international",
    serves: "Serves",
    formats: "own formats",
    fetches: "The console fetches",
    models: "models",
    balance: "the balance",
    regions: "Regions",
    example: "Example:",
    documentation: "Documentation",
    ended: "It has ended, on",
    colon: ": ",
    stop: ".",
    comma: ", ",
  },
  zh: {
    key: "密钥",
    address: "接口地址",
    own: "自己的地址",
    optional: "由密钥或区域得出",
    international: "国际",
    serves: "提供",
    formats: "原生格式",
    fetches: "控制台可获取",
    models: "模型列表",
    balance: "余额",
    regions: "区域",
    example: "例如",
    documentation: "官方文档",
    ended: "已停止服务，日期为",
    colon: "：",
    stop: "。",
    comma: "、",
  },
};

type Texts = Readonly<Record<string, string>>;

const FORMS: Readonly<Record<PageLanguage, Readonly<{ keyHints: Texts; hints: Texts; other: Texts }>>> = {
  en: english.form,
  zh: chinese.form,
};

/** Every provider with its key, address and regions, a section each, from the texts of the channel form and the facts. */
export const withProviders = (text: string, language: PageLanguage): string =>
  between(text, "providers", channelTypes.map(({ id }) => sectionOf(id, language)).join("\n\n"));

function sectionOf(type: number, language: PageLanguage): string {
  const provider = providerOf(type);
  if (!provider) throw new Error(`there is no provider of type ${type}`);
  const words = WORDS[language];
  const { keyHints, hints, other } = FORMS[language];
  const { facts = {}, name, capabilities, chat } = provider;
  const item = (label: string, value: string) => `- **${label}**${words.colon}${value}`;
  const formats = chat?.formats.flatMap((format) => FORMATS[format] ?? []);
  const fetched = [
    ...(channelTypes.find(({ id }) => id === type)?.listsModels ? [words.models] : []),
    ...(reportsBalance(type) ? [words.balance] : []),
  ];
  return [
    `## ${name} (${type}) {#${slugOf(name)}}`,
    "",
    ...(facts.ended ? [`${words.ended} [${facts.ended.day}](${facts.ended.source})${words.stop}`, ""] : []),
    item(words.key, keyHints[type] ?? provider.keyHint),
    item(words.address, addressOf(provider, words)),
    ...(other[type] === undefined ? [] : [item(other[type], otherOf(other, type, words))]),
    ...(facts.regions
      ? [item(words.regions, facts.regions.names.map((region) => `\`${region}\``).join(words.comma))]
      : []),
    item(
      words.serves,
      capabilities.join(words.comma) +
        (formats?.length ? ` (${words.formats}${words.colon}${formats.join(words.comma)})` : ""),
    ),
    ...(fetched.length > 0 ? [item(words.fetches, fetched.join(words.comma))] : []),
    ...(facts.documented ? [item(words.documentation, `<${facts.documented.source}>`)] : []),
    ...(hints[type] === undefined ? [] : ["", hints[type]]),
  ].join("\n");
}

function addressOf({ defaultBaseUrl, baseUrlOptional, facts }: Provider, words: Words): string {
  const hosts = facts?.hosts ?? [];
  const others = hosts
    .filter(({ url }) => url !== defaultBaseUrl)
    .map(
      ({ url, region, plan }) =>
        `\`${url}\` (${[region ?? words.international, plan].filter(Boolean).join(words.comma)})`,
    );
  const usual = defaultBaseUrl ? `\`${defaultBaseUrl}\`` : baseUrlOptional ? words.optional : words.own;
  return [usual, ...others].join(words.comma);
}

function otherOf(other: Texts, type: number, words: Words): string {
  const [hint = "", example] = [other[`${type}hint`], other[`${type}example`]];
  return example ? `${hint} ${words.example} \`${example}\`` : hint;
}
