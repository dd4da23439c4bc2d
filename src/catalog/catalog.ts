import { type CatalogEntries, type CatalogEntry, type ModelFacts, readDocument } from "./entry.ts";
import file from "./models.json" with { type: "json" };

/** Everything known about a model; null: not known. */
export type ModelInfo = Readonly<{ [K in keyof ModelFacts]-?: Exclude<ModelFacts[K], undefined> }>;

export type Catalog = Readonly<{
  /** What is known about a model by any name that a client, a channel or a host has for it. */
  find(model: string): ModelInfo;
}>;

export const UNKNOWN_MODEL: ModelInfo = {
  name: null,
  provider: null,
  description: null,
  aliases: [],
  context_window: null,
  output_limit: null,
  input_modalities: null,
  output_modalities: null,
  tools: null,
  structured_output: null,
  reasoning: null,
  assistant_prefill: null,
  mid_conversation_system: null,
  min_cached_tokens: null,
  combines_tools: null,
  strict_tools: null,
  call_signatures: null,
  refuses: null,
  refuses_while_reasoning: null,
  developer_messages: null,
  encrypted_reasoning: null,
  responses_only: null,
  built_in_search: null,
  search_billing: null,
  streams_only: null,
  billed_by: null,
  bedrock_version: null,
  bedrock_profiles: null,
  deprecation_date: null,
  deprecation_source: null,
  deprecation_channel_types: null,
  platform_retirements: null,
  successor: null,
  source: null,
  read_on: null,
};

/** Whether the provider charges a web search with each answer of the model. */
export const searchesEachAnswer = ({ built_in_search, search_billing }: ModelInfo): boolean =>
  built_in_search === true && search_billing === "answer";

/** Clients choose the names that are looked up, so what is remembered of them has a bound: then it starts again. */
const MOST_REMEMBERED = 4096;

type Pattern = Readonly<{ parts: readonly string[]; literals: number; facts: ModelFacts }>;
type Layer = Readonly<{ byName: ReadonlyMap<string, ModelFacts>; patterns: readonly Pattern[] }>;

/**
 * Looks models up in several sets of entries, later ones over earlier ones. Within a set the entry of a name wins over
 * patterns, and of patterns the one with more literal characters; what the winner does not say the others do.
 */
export function createCatalog(sets: readonly CatalogEntries[]): Catalog {
  const layers = sets.map(indexEntries);
  const known = new Map<string, ModelInfo>();
  return {
    find(model) {
      const found = known.get(model);
      if (found) return found;
      const info = mergeFacts(layers, model);
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(model, info);
      return info;
    },
  };
}

function indexEntries(entries: CatalogEntries): Layer {
  const byName = new Map<string, ModelFacts>();
  const patterns: Pattern[] = [];
  for (const [name, entry] of entries) {
    const facts = factsOf(entry);
    if (Object.keys(facts).length === 0) continue;
    if (name.includes("*")) {
      const parts = name.toLowerCase().split("*");
      patterns.push({ parts, literals: parts.join("").length, facts });
    } else byName.set(name, facts);
  }
  for (const facts of [...byName.values()])
    for (const alias of facts.aliases ?? []) if (!byName.has(alias)) byName.set(alias, facts);
  return { byName, patterns: patterns.toSorted((a, b) => a.literals - b.literals) };
}

/** The entry without its price, which the price options keep. */
function factsOf({ price: _, ...facts }: CatalogEntry): ModelFacts {
  return facts;
}

function mergeFacts(layers: readonly Layer[], model: string): ModelInfo {
  const forms = nameForms(model).toReversed();
  let info = UNKNOWN_MODEL;
  for (const { byName, patterns } of layers) {
    for (const { parts, facts } of patterns)
      if (forms.some((form) => matchesGlob(parts, form))) info = { ...info, ...facts };
    for (const form of forms) {
      const facts = byName.get(form);
      if (facts) info = { ...info, ...facts };
    }
  }
  return info;
}

/** Matches names by `*`, which stands for any characters, also none; in linear time, whatever the pattern. */
export function matchesGlob(parts: readonly string[], name: string): boolean {
  const [head = "", ...rest] = parts;
  if (!name.startsWith(head)) return false;
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}

/**
 * Forms of a model's name under which a catalogue may know it, the name itself first, then with less and less of what hosts
 * add: letters in capitals, a path ("openai/gpt-4o"), a region and a maker ("us.anthropic.claude-…"), "ft:" and what follows
 * a fine-tuned model, a version ("-v1:0", ":free", "@20250514"), a day. OpenRouter writes Claude's versions with a dot.
 */
export function nameForms(model: string): readonly string[] {
  const forms = [model];
  const add = (form: string) => {
    if (form !== "" && !forms.includes(form)) forms.push(form);
    return form;
  };
  let form = add(model.toLowerCase());
  form = add(form.slice(form.lastIndexOf("/") + 1));
  if (form.startsWith("ft:")) form = add(form.slice(3).replace(/:.*$/, ""));
  form = add(form.replace(/^(?:[a-z-]+\.)+(?=[a-z])/, ""));
  // Google Cloud writes a version's day so.
  form = add(form.replace(/@(\d{8})$/, "-$1"));
  form = add(form.replace(/[:@].*$/, ""));
  form = add(form.replace(/-v\d+$/, ""));
  form = add(form.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, ""));
  // Suffixes that the gateway reads itself.
  if (/^(claude|gemini)-/.test(form)) {
    form = add(form.replace(/-(?:no)?thinking$/, ""));
    form = add(form.replace(/-\d{8}$/, ""));
  }
  if (form.startsWith("claude-")) add(form.replace(/(\d)\.(\d)/g, "$1-$2"));
  return forms;
}

/** The catalogue that comes with this release. */
export const shippedDocument = readDocument(file);

/** Lookups in nothing but what comes with this release. */
export const shippedCatalog: Catalog = createCatalog([shippedDocument.models]);

/** The options that the catalogue is made of. */
export type CatalogSettings = Readonly<{
  readonly values: Readonly<{ ModelCatalog: CatalogEntries; ModelCatalogUpdate: Readonly<{ models: CatalogEntries }> }>;
}>;

/** Returns a function that gives the catalogue as it is now: the same one until one of its options changes. */
export function createModelCatalog(settings: CatalogSettings): () => Catalog {
  let own: CatalogEntries | null = null;
  let update: CatalogEntries | null = null;
  let catalog: Catalog;
  return () => {
    const { ModelCatalog, ModelCatalogUpdate } = settings.values;
    if (ModelCatalog !== own || ModelCatalogUpdate.models !== update) {
      own = ModelCatalog;
      update = ModelCatalogUpdate.models;
      catalog = createCatalog([shippedDocument.models, update, own]);
    }
    return catalog;
  };
}
