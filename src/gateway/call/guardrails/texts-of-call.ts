import { textsOf } from "../../../domain/models/guardrails/map-texts.ts";
import { promptTexts } from "../../../formats/openai-chat/request/summary.ts";
import type { Call } from "../call.ts";

/** Every text of a request, and those of earlier turns that it goes on from; each once. */
export const textsOfCall = ({ prompt, body }: Pick<Call, "body" | "prompt">): string[] => [
  ...new Set([...promptTexts(prompt), ...textsOf(body.json)]),
];
