import { NO_USAGE } from "../../../../formats/conversation/reply.ts";
import { numberOf, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { anyNumber, requestMembers } from "../../../../formats/request-rules.ts";
import { invalidRequest } from "../../client-body.ts";
import type { Endpoint } from "../endpoint.ts";
import { readOpenAi } from "../text.ts";

/** The longest song of any provider: what is held where neither request nor plan states a length. */
const MAX_SECONDS = 600;

/**
 * POST /v1/audio/music: a song in one call, as audio. OpenAI has no such endpoint: the members follow its speech endpoint. Songs
 * that are ordered as tasks are Suno's (`src/gateway/tasks/music.ts`).
 */
export const songs: Endpoint = {
  capability: "songs",
  codec: openaiChatClientCodec,
  rules: {
    members: requestMembers(
      "model prompt lyrics instrumental duration response_format output_format stream seed negative_prompt composition_plan",
    ),
    numbers: [anyNumber("duration", 1, MAX_SECONDS)],
    switches: ["instrumental", "stream"],
  },
  streams: false,
  emptyIsFree: false,
  outlivesClient: true,
  read(body, path) {
    const plan = recordOf(body.composition_plan);
    if (!textOf(body.prompt) && !textOf(body.lyrics) && !plan)
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
    // A plan has its own length: another one in the request must not lower the price.
    const seconds = plan ? planSeconds(plan) : numberOf(body.duration);
    const input = [textOf(body.lyrics) ?? "", textOf(body.negative_prompt) ?? "", ...planTexts(plan)].filter(Boolean);
    return { ...readOpenAi(body, path), prompt: { prompt: textOf(body.prompt) ?? "", input, seconds } };
  },
  priceOf(price, { prompt }, upstreamModel, catalog) {
    const names = [price.pricedAs, upstreamModel];
    if (price.kind !== "per_call" || !names.some((name) => catalog.find(name).billed_by === "second")) return price;
    return { ...price, seconds: Math.ceil(numberOf(prompt.seconds) ?? MAX_SECONDS) };
  },
  measures: ({ prompt }, price) =>
    price?.kind === "per_call" && price.seconds !== undefined && numberOf(prompt.seconds) === null,
  meter(_request, answer, price) {
    if (price?.kind === "per_token") return null;
    const seconds = numberOf(answer?.duration);
    return { ...NO_USAGE, promptTokens: 1, ...(seconds !== null && { seconds: Math.max(1, Math.ceil(seconds)) }) };
  },
};

type Plan = Readonly<Record<string, unknown>>;

/** The parts of a plan: version 2 calls them chunks. */
const partsOf = ({ sections, chunks }: Plan) => [...recordsOf(sections), ...recordsOf(chunks)];

/** The length of a plan in seconds; null if not each part states its own. */
function planSeconds(plan: Plan): number | null {
  const lengths = partsOf(plan).map(({ duration_ms }) => numberOf(duration_ms));
  if (lengths.length === 0 || lengths.some((length) => length === null || length < 0)) return null;
  return Math.min(MAX_SECONDS, lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0) / 1000);
}

/** Every text of a plan: styles and lyrics. */
const planTexts = (plan: Plan | null): string[] =>
  plan ? [plan, ...partsOf(plan)].flatMap((part) => Object.values(part).flatMap(wordsOf)) : [];

const wordsOf = (value: unknown): string[] => (typeof value === "string" ? [value] : textsOf(value));
