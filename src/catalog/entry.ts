/** What is known about a model, and how a document about models is checked. Amounts of tokens are whole numbers. */

import {
  FieldError,
  type FieldReader,
  type Fields,
  fieldsOf,
  flag,
  integerFrom,
  listOf,
  mapOf,
  objectAt,
  oneOf,
  text,
} from "../lib/field-readers.ts";

export const REASONING_STYLES = [
  "none",
  "fixed",
  "switch",
  "effort",
  "budget",
  "adaptive",
  "adaptive_or_budget",
] as const;
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const MODALITIES = ["text", "image", "audio", "video", "file", "embeddings"] as const;
export const BILLING_UNITS = ["token", "character", "minute", "image", "second", "video"] as const;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const CURRENCIES = ["USD", "CNY"] as const;

export type ReasoningEffort = (typeof EFFORTS)[number];

const MOST_TOKENS = 1_000_000_000;
const MOST_USD = 1_000_000;
const LONGEST_MODEL_NAME = 200;

/** Whether a value can be a number of tokens. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS;

/** Whether a value can be an amount of a price. */
export const isPrice = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= MOST_USD;

/** Whether a value is a day, or the month where the source names no day. */
export const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/.test(value);

/** Whether a model, or a pattern of models, can have the name. */
export const isModelName = (name: string): boolean =>
  name.trim() === name && name !== "" && name.length <= LONGEST_MODEL_NAME && name !== "*";

const tokens = integerFrom(0, MOST_TOKENS);

const channelType = integerFrom(1, 100_000);

const amount: FieldReader<number> = (value, field) => {
  if (isPrice(value)) return value;
  throw new FieldError(field, `a number from 0 to ${MOST_USD}`);
};

const day: FieldReader<string> = (value, field) => {
  if (isDay(value)) return value;
  throw new FieldError(field, "a day such as 2026-08-02, or a month such as 2026-08");
};

/** Null says that the fact is not known, whatever a more general entry says. */
const orNull =
  <T>(read: FieldReader<T>): FieldReader<T | null> =>
  (value, field) =>
    value === null ? null : read(value, field);

const REASONING_READERS = {
  style: oneOf(REASONING_STYLES),
  efforts: listOf(oneOf(EFFORTS)),
  min_budget: tokens,
  max_budget: tokens,
  can_disable: flag,
};

const timeOfDay: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(value)) return value;
  throw new FieldError(field, "a time such as 09:30");
};

/** What a price is under some circumstances; an amount that is absent is that of the price itself. */
const SPECIAL_AMOUNTS = { input: amount, output: amount, cache_read: amount };

const PRICE_READERS = {
  input: amount,
  output: amount,
  cache_read: amount,
  cache_write: amount,
  audio_input: amount,
  audio_output: amount,
  image_input: amount,
  image_output: amount,
  tiers: listOf(fieldsOf({ over: tokens, input: amount, output: amount })),
  /** What service tiers cost, by name: `priority`, `flex`, `batch`, `fast`, `geo:us`. */
  service_tiers: mapOf(fieldsOf(SPECIAL_AMOUNTS)),
  service_tiers_source: text,
  /** Hours, on all or some days, at which the model costs more or less. */
  hours: listOf(
    fieldsOf({
      ...SPECIAL_AMOUNTS,
      days: listOf(oneOf(DAYS)),
      from: timeOfDay,
      until: timeOfDay,
      zone: text,
    }),
  ),
  hours_source: text,
  per_call: amount,
  /** Each megapixel of an image after the first, which `per_call` pays, and each of an image in the request. */
  per_megapixel: amount,
  per_second: amount,
  variants: mapOf(amount),
  currency: oneOf(CURRENCIES),
  estimated: flag,
  source: text,
};

const readPlatformRetirement = fieldsOf({ date: day, source: text, channel_types: listOf(channelType) });

const FACT_READERS = {
  name: orNull(text),
  provider: orNull(text),
  /** A sentence or two for the model's public page. */
  description: orNull(text),
  aliases: listOf(text),
  context_window: orNull(tokens),
  output_limit: orNull(tokens),
  input_modalities: orNull(listOf(oneOf(MODALITIES))),
  output_modalities: orNull(listOf(oneOf(MODALITIES))),
  tools: orNull(flag),
  structured_output: orNull(flag),
  reasoning: orNull((value, field) => readReasoning(value, field)),
  assistant_prefill: orNull(flag),
  /** Takes system messages in the middle of a conversation, on Claude's own API and the clouds that host it. */
  mid_conversation_system: orNull(flag),
  /** The shortest prefix that the provider caches. */
  min_cached_tokens: orNull(tokens),
  combines_tools: orNull(flag),
  strict_tools: orNull(flag),
  call_signatures: orNull(flag),
  refuses: orNull(listOf(text)),
  refuses_while_reasoning: orNull(listOf(text)),
  developer_messages: orNull(flag),
  encrypted_reasoning: orNull(flag),
  responses_only: orNull(flag),
  built_in_search: orNull(flag),
  search_billing: orNull(oneOf(["answer", "query"])),
  streams_only: orNull(flag),
  billed_by: orNull(oneOf(BILLING_UNITS)),
  bedrock_version: orNull(text),
  bedrock_profiles: orNull(listOf(text)),
  deprecation_date: orNull(day),
  deprecation_source: orNull(text),
  /** The channel types of the services that turn it off on that day; absent: all. */
  deprecation_channel_types: orNull(listOf(channelType)),
  /** Days on which other services turn it off than the maker: clouds have dates of their own. */
  platform_retirements: orNull(listOf(readPlatformRetirement)),
  /** The model that its provider recommends in its place. */
  successor: orNull(text),
  source: orNull(text),
  read_on: orNull(day),
};

/** How a model is asked to reason. Budgets are tokens. */
export type ReasoningFacts = Fields<typeof REASONING_READERS> & Readonly<{ style: (typeof REASONING_STYLES)[number] }>;

/** Amounts of a million tokens, of a call, of a megapixel, of a second, in the currency (dollars unless the price says otherwise). */
export type CatalogPrice = Fields<typeof PRICE_READERS>;

/** What one entry says. Absent: a more general entry decides. */
export type ModelFacts = Fields<typeof FACT_READERS>;

export type CatalogEntry = ModelFacts & Readonly<{ price?: CatalogPrice }>;

/** Where facts and prices were read. */
export type CatalogSource = Readonly<{
  provider?: string;
  pages?: readonly string[];
  read_on?: string;
  currency?: (typeof CURRENCIES)[number];
  note?: string;
  /** The channel types that its dates of retirement hold for. */
  channel_types?: readonly number[];
  /** The price of one use of a tool that the provider runs. */
  tool_prices?: Readonly<Record<string, number>>;
}>;

/** Entries by model name, or by a pattern of names with `*`. */
export type CatalogEntries = ReadonlyMap<string, CatalogEntry>;

export type CatalogDocument = Readonly<{
  format: 1;
  sources: Readonly<Record<string, CatalogSource>>;
  models: CatalogEntries;
}>;

function readReasoning(value: unknown, field: string): ReasoningFacts {
  const { style, ...others } = fieldsOf(REASONING_READERS)(value, field);
  if (style === undefined) throw new FieldError(`${field}.style`, `one of ${REASONING_STYLES.join(", ")}`);
  const { min_budget: least = 0, max_budget: most = MOST_TOKENS } = others;
  if (least > most) throw new FieldError(`${field}.min_budget`, "at most max_budget");
  return { style, ...others };
}

const readPriceFields = fieldsOf(PRICE_READERS);

/** Checks a price. Throws FieldError. */
function readPrice(value: unknown, field: string): CatalogPrice {
  const price = readPriceFields(value, field);
  const { input, per_call, per_megapixel, per_second, variants, tiers = [], hours = [] } = price;
  if (input === undefined && per_call === undefined && per_second === undefined)
    throw new FieldError(field, "a price with input, per_call or per_second");
  for (const name of ["output", "cache_read", "cache_write", "audio_input", "image_input", "image_output"] as const)
    if (price[name] !== undefined && input === undefined)
      throw new FieldError(`${field}.input`, `required with ${name}`);
  if (variants && per_second === undefined && per_call === undefined)
    throw new FieldError(field, "a price with per_second or per_call, as it has variants");
  if (per_megapixel !== undefined && per_call === undefined)
    throw new FieldError(`${field}.per_call`, "required with per_megapixel");
  tiers.forEach((tier, index) => {
    const before = tiers[index - 1]?.over ?? 0;
    if (tier.over === undefined || tier.input === undefined || tier.output === undefined || tier.over <= before)
      throw new FieldError(`${field}.tiers.${index}`, "over, input and output, ascending by over");
  });
  hours.forEach(({ from, until, zone }, index) => {
    if (from === undefined || until === undefined || zone === undefined || from === until)
      throw new FieldError(`${field}.hours.${index}`, "from and until, which differ, and the time zone");
  });
  return price;
}

const readEntryFields = fieldsOf({ ...FACT_READERS, price: readPrice });

/** Checks an entry. Throws FieldError naming the field. */
export const readEntry: FieldReader<CatalogEntry> = (value, field = "") => readEntryFields(value, field);

/** The same where a price may be null. */
export const readOwnEntry = fieldsOf({ ...FACT_READERS, price: orNull(readPrice) });

/** The names of all fields that an entry may have. */
export const ENTRY_FIELDS: readonly string[] = [...Object.keys(FACT_READERS), "price"];

const readSource: FieldReader<CatalogSource> = fieldsOf({
  provider: text,
  pages: listOf(text),
  read_on: day,
  currency: oneOf(CURRENCIES),
  note: text,
  channel_types: listOf(channelType),
  tool_prices: mapOf(amount),
});

const readDocumentFields = fieldsOf({
  format: (value, field): 1 => {
    if (value === 1) return 1;
    throw new FieldError(field, "1");
  },
  sources: mapOf(readSource),
  models: (value, field) => readEntries(value, field),
});

/** Checks entries. Throws FieldError. */
export function readEntries(value: unknown, field: string): CatalogEntries {
  const entries = Object.entries(objectAt(value, field));
  for (const [name] of entries) checkModelName(name, field);
  return new Map(entries.map(([name, entry]) => [name, readEntry(entry, `${field}.${name}`)]));
}

/** Throws FieldError for a name that no model can have. */
export function checkModelName(name: string, field: string): void {
  if (!isModelName(name))
    throw new FieldError(
      `${field}.${name.slice(0, 50)}`,
      `named by 1 to ${LONGEST_MODEL_NAME} characters without blanks around them, and not by * alone`,
    );
}

/** Checks a whole document. Throws FieldError naming the first field that is wrong. */
export function readDocument(value: unknown): CatalogDocument {
  const { format, sources = {}, models } = readDocumentFields(value, "");
  if (format === undefined) throw new FieldError("format", "1");
  if (models === undefined) throw new FieldError("models", "an object of entries by model name");
  return { format, sources, models: new Map([...models].map(([name, entry]) => [name, dated(entry, sources)])) };
}

/** The entry with the services that its dates of retirement hold for, as their sources name them. */
function dated(entry: CatalogEntry, sources: CatalogDocument["sources"]): CatalogEntry {
  const typesOf = (source: string | null | undefined) => (source ? sources[source]?.channel_types : undefined);
  const { deprecation_source: source, deprecation_channel_types: own, platform_retirements: platforms } = entry;
  const types = typesOf(source);
  return {
    ...entry,
    ...(types && own === undefined && { deprecation_channel_types: types }),
    ...(platforms && {
      platform_retirements: platforms.map((platform) => ({
        channel_types: typesOf(platform.source) ?? [],
        ...platform,
      })),
    }),
  };
}
