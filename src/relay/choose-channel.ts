import type { ChannelEntry } from "../channels/entry.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import { countPrompt } from "./count-tokens.ts";
import { type Choice, choose, type Tried } from "./scheduler/choose.ts";

/**
 * The channel and key of the next attempt; null when nothing is left to try. Channels whose `max_input_tokens` the prompt
 * exceeds are left out: the bound of the prompt's size decides where it can, only a prompt beyond it is counted.
 */
export async function chooseChannel({ keys }: RelayContext, call: Call, tried: Tried | null): Promise<Choice | null> {
  const { candidates, promptBound, body, summary } = call.admitted;
  let undecided = false;
  const suits = ({ maxInputTokens }: ChannelEntry): boolean => {
    if (maxInputTokens === 0 || promptBound <= maxInputTokens) return true;
    if (call.promptTokens !== null) return call.promptTokens <= maxInputTokens;
    undecided = true;
    return false;
  };
  const choice = choose(candidates.tiers, tried, keys, suits);
  if (!undecided) return choice;
  call.promptTokens = await countPrompt(summary.model, body.json);
  return choose(candidates.tiers, tried, keys, suits);
}
