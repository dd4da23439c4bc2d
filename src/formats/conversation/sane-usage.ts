import type { Usage } from "./reply.ts";

/** Most tokens of one kind that one call is believed to have: what a client may ask for at most. */
const MOST_TOKENS = 1_073_741_823;

/** A token count as an upstream or client states it → a whole number from 0 to 2^30 − 1; nonsense counts as 0. */
export const saneTokens = (count: number): number => (count > 0 ? Math.min(Math.floor(count), MOST_TOKENS) : 0);

/** Usage as an upstream states it → counts that money can be computed from: whole, in range, parts within the whole. */
export function saneUsage(usage: Usage): Usage {
  const promptTokens = saneTokens(usage.promptTokens);
  const completionTokens = saneTokens(usage.completionTokens);
  const cachedTokens = Math.min(saneTokens(usage.cachedTokens), promptTokens);
  const cacheCreationTokens = Math.min(saneTokens(usage.cacheCreationTokens), promptTokens - cachedTokens);
  const audioInputTokens = Math.min(
    saneTokens(usage.audioInputTokens),
    promptTokens - cachedTokens - cacheCreationTokens,
  );
  const audioOutputTokens = Math.min(saneTokens(usage.audioOutputTokens), completionTokens);
  const textInput = promptTokens - cachedTokens - cacheCreationTokens - audioInputTokens;
  const sane: Usage = {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheCreationTokens,
    reasoningTokens: Math.min(saneTokens(usage.reasoningTokens), completionTokens),
    audioInputTokens,
    audioOutputTokens,
  };
  const { imageInputTokens, imageOutputTokens, longCacheCreationTokens, toolCalls, images, seconds } = usage;
  if (imageInputTokens) sane.imageInputTokens = Math.min(saneTokens(imageInputTokens), textInput);
  if (imageOutputTokens) {
    sane.imageOutputTokens = Math.min(saneTokens(imageOutputTokens), completionTokens - audioOutputTokens);
  }
  if (longCacheCreationTokens) {
    sane.longCacheCreationTokens = Math.min(saneTokens(longCacheCreationTokens), cacheCreationTokens);
  }
  if (toolCalls) sane.toolCalls = toolCalls;
  if (images !== undefined) sane.images = saneTokens(images);
  if (seconds !== undefined) sane.seconds = saneTokens(seconds);
  if (usage.media) sane.media = usage.media;
  if (usage.megapixels) {
    const { output, input } = usage.megapixels;
    sane.megapixels = { output: saneTokens(output), input: saneTokens(input) };
  }
  return sane;
}
