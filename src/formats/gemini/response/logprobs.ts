import { type JsonObject, recordsOf, textOf } from "../../json.ts";

/** A candidate's log probabilities in OpenAI's shape; empty if it has none. */
export function readLogprobs(result: JsonObject | null): JsonObject[] {
  const alternatives = recordsOf(result?.topCandidates);
  return recordsOf(result?.chosenCandidates).map((chosen, at) => ({
    ...tokenOf(chosen),
    top_logprobs: recordsOf(alternatives[at]?.candidates).map(tokenOf),
  }));
}

function tokenOf({ token, logProbability }: JsonObject): JsonObject {
  const text = textOf(token) ?? "";
  return { token: text, logprob: logProbability, bytes: [...Buffer.from(text)] };
}

/** Log probabilities in Gemini's shape; null if there are none. */
export function writeLogprobs(tokens: readonly JsonObject[] | null | undefined): JsonObject | null {
  if (!tokens || tokens.length === 0) return null;
  return {
    chosenCandidates: tokens.map(candidateOf),
    topCandidates: tokens.map(({ top_logprobs }) => ({ candidates: recordsOf(top_logprobs).map(candidateOf) })),
  };
}

const candidateOf = ({ token, logprob }: JsonObject): JsonObject => ({ token, logProbability: logprob });
