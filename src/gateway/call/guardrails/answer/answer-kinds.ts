import type { Capability } from "../../../../providers/contract/provider.ts";
import type { Call } from "../../call.ts";

/**
 * How answers pass guardrails: as a *conversation* or a text *completion*, event by event; as *values*, every text in the complete
 * answer; in a *session*; as what a *server* returned; or not at all, because they have *no text*.
 */
type AnswerKind = "conversation" | "completion" | "values" | "session" | "server" | "no text";

/** Every kind of call has its line here, so that none is forgotten. */
export const ANSWER_KINDS: Readonly<Record<Capability, AnswerKind>> = {
  chat: "conversation",
  completions: "completion",
  embeddings: "no text",
  moderations: "values",
  rerank: "values",
  images: "values",
  "image-edits": "values",
  "image-variations": "values",
  speech: "no text",
  songs: "values",
  transcriptions: "values",
  translations: "values",
  realtime: "session",
  live: "session",
  mcp: "server",
};

const kinds: Readonly<Record<string, AnswerKind | undefined>> = ANSWER_KINDS;

/** Whether every text of a call's complete answer passes guardrails. */
export const answersValues = ({ endpoint: { capability } }: Pick<Call, "endpoint">): boolean =>
  kinds[capability] === "values";

/** Whether a call makes a transcript. */
export const isTranscription = ({ endpoint: { capability } }: Pick<Call, "endpoint">): boolean =>
  capability === "transcriptions" || capability === "translations";
