import { isChatModel } from "../../models/default-model.ts";

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
