import type { PricedNames } from "../../../../src/domain/channels/prices/priced-names.ts";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { isChatModel } from "../../../api/models/default-model.ts";
import { createChannel, fetchModels, type TestOutcome, testChannel } from "../channel-calls.ts";
import { bodyOf, NEW_CHANNEL } from "../drawer/form/channel-form.ts";
import { unpricedModels } from "../drawer/unpriced-models.ts";

type QuickChannel = Readonly<{
  /** Types that the key may belong to; with several, the first that accepts it. */
  types: readonly ChannelType[];
  key: string;
  /** Empty: the type's own. */
  baseUrl: string;
  priced: PricedNames;
}>;

/** What is being done, in order. */
export type Phase = "models" | "saving" | "test";

/** A channel that was added, with the result of its first test. */
export type AddedChannel = Readonly<{
  id: number;
  name: string;
  models: readonly string[];
  /** Models that the provider has but that have no price. */
  leftOut: readonly string[];
  tested: string;
  outcome: TestOutcome;
}>;

const MOST_TESTED = 3;

/** The server's calls; tests bring their own. */
type Calls = Readonly<{
  fetchModels: typeof fetchModels;
  createChannel: typeof createChannel;
  testChannel: typeof testChannel;
}>;

/**
 * Adds a channel from a key: finds its type, fetches the models, stores the channel and tests it. Rejects, without
 * storing anything, if no type accepts the key.
 */
export async function addChannel(
  quick: QuickChannel,
  onPhase: (phase: Phase) => void,
  calls: Calls = { fetchModels, createChannel, testChannel },
): Promise<AddedChannel> {
  onPhase("models");
  const { type, models } = await findType(quick, calls);
  const isUnpriced = (names: readonly string[]) =>
    unpricedModels({ models: names, modelPrefix: "", modelMapping: "" }, quick.priced);
  const { offered, leftOut } = offeredModels(models, isUnpriced);
  const tested = testModelOf(offered) ?? "";
  onPhase("saving");
  const name = quick.baseUrl === "" ? type.name : hostOf(quick.baseUrl);
  const form = { ...formOf(quick, type.id), name, models: [...offered], testModel: tested };
  const id = await calls.createChannel(bodyOf(form));
  onPhase("test");
  return { id, name, models: offered, leftOut, tested, outcome: await calls.testChannel(id, tested) };
}

/** The first type that accepts the key, with its models. */
async function findType(quick: QuickChannel, calls: Calls): Promise<{ type: ChannelType; models: readonly string[] }> {
  let failure: unknown;
  for (const type of quick.types.slice(0, MOST_TESTED)) {
    if (!type.listsModels) return { type, models: type.models };
    try {
      return { type, models: await calls.fetchModels(formOf(quick, type.id), quick.key.trim()) };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

const formOf = ({ key, baseUrl }: QuickChannel, type: number) => ({ ...NEW_CHANNEL, type, key, baseUrl });

/** The host of a base URL; the text itself if it is not one. */
const hostOf = (baseUrl: string): string => URL.parse(baseUrl.trim())?.host ?? baseUrl.trim();

/** Small models, the cheapest to test with first. */
const SMALL = [/^gpt-4o-mini$/, /nano/, /flash-lite/, /haiku/, /mini/, /flash/, /lite/, /small/, /turbo/, /chat/];

/** The model to test a channel with: a small one for chats, else the first. Undefined without models. */
export function testModelOf(models: readonly string[]): string | undefined {
  const chats = models.filter(isChatModel);
  for (const form of SMALL) {
    const small = chats.find((name) => form.test(name));
    if (small !== undefined) return small;
  }
  return chats[0] ?? models[0];
}

/**
 * The models that a new channel offers: those with a price where others are rejected, unless none has one. Models left
 * out can be added in the channel's form.
 */
export function offeredModels(
  models: readonly string[],
  isUnpriced: (models: readonly string[]) => readonly string[],
): Readonly<{ offered: readonly string[]; leftOut: readonly string[] }> {
  const leftOut = isUnpriced(models);
  if (leftOut.length === models.length) return { offered: models, leftOut: [] };
  const left = new Set(leftOut);
  return { offered: models.filter((name) => !left.has(name)), leftOut };
}
