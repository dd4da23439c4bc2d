import type { ClientCodec } from "../../../../formats/conversation/codec.ts";
import { NO_USAGE } from "../../../../formats/conversation/reply.ts";
import {
  compact,
  type JsonObject,
  numberOf,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
} from "../../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { readOpenAi } from "../../../../formats/openai-chat/request/summary.ts";
import { anyNumber, integer, requestMembers } from "../../../../formats/request-rules.ts";
import { textOfBytes } from "../../../../lib/values/bytes.ts";
import type { Endpoint } from "../../../call/endpoint.ts";
import { invalidRequest } from "../../client-body.ts";

/** The longest song of any provider: what is held where neither request nor plan states a length. */
const MAX_SECONDS = 600;

/**
 * POST /v1/audio/music: a song in one call, as audio. OpenAI has no such endpoint: the members follow its speech endpoint. Songs
 * that are ordered as tasks are Suno's (`src/gateway/endpoints/tasks/music.ts`).
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

/** Errors as ElevenLabs has them: https://elevenlabs.io/docs/eleven-api/resources/errors */
const elevenLabsCodec: ClientCodec = {
  ...openaiChatClientCodec,
  encodeError: ({ code, type, message }, requestId) => ({
    detail: { type, code: code ?? type, status: code ?? type, message, request_id: requestId },
  }),
};

/**
 * POST /v1/music and /v1/music/stream, as ElevenLabs's clients send them:
 * https://elevenlabs.io/docs/api-reference/music/compose. `outputFormat` is the query's, null if it has none.
 */
export const elevenLabsSongs = (outputFormat: string | null, stream: boolean): Endpoint => ({
  ...songs,
  codec: elevenLabsCodec,
  rules: {
    members: requestMembers(
      `model_id prompt lyrics_text force_instrumental music_length_ms composition_plan music_prompt seed ${NEUTRAL_MEMBERS}`,
    ),
    numbers: [integer("music_length_ms", 1000, 600_000), anyNumber("duration", 1, 600)],
    switches: ["force_instrumental", "instrumental"],
  },
  normalize({ model_id, lyrics_text, force_instrumental, music_length_ms, composition_plan, music_prompt, ...others }) {
    const length = numberOf(music_length_ms);
    return compact({
      ...others,
      model: textOf(model_id) ?? textOf(others.model) ?? "music_v1",
      lyrics: lyrics_text ?? others.lyrics,
      instrumental: force_instrumental ?? others.instrumental,
      duration: length === null ? others.duration : length / 1000,
      composition_plan: composition_plan ?? music_prompt,
      output_format: outputFormat,
      stream: stream || null,
    });
  },
});

/** Members of /v1/audio/music that may be in requests of other forms, too. */
const NEUTRAL_MEMBERS = "model lyrics instrumental duration response_format output_format stream negative_prompt";

/** MiniMax's error codes by HTTP status: https://platform.minimax.io/docs/api-reference/errorcode */
const MINIMAX_CODES: Readonly<Record<number, number>> = { 400: 2013, 401: 1004, 402: 1008, 403: 1008, 429: 1002 };
const MINIMAX_UNKNOWN = 1000;

const minimaxCodec: ClientCodec = {
  ...openaiChatClientCodec,
  encodeError: ({ status, message }, requestId) => ({
    trace_id: requestId,
    base_resp: { status_code: MINIMAX_CODES[status] ?? MINIMAX_UNKNOWN, status_msg: message },
  }),
};

const SUCCESS = { status_code: 0, status_msg: "success" };
const COMPLETE = 2;
const DEFAULT_MODEL = "music-2.6";

/**
 * POST /v1/music_generation, as MiniMax's clients send it: https://platform.minimax.io/docs/api-reference/music-generation. The
 * audio is in the JSON, as hexadecimal digits; a stream has one event.
 */
export const minimaxSongs: Endpoint = {
  ...songs,
  codec: minimaxCodec,
  rules: {
    ...songs.rules,
    members: requestMembers(`prompt is_instrumental lyrics_optimizer audio_setting seed ${NEUTRAL_MEMBERS}`),
    switches: ["is_instrumental", "lyrics_optimizer", ...songs.rules.switches],
  },
  normalize: ({ is_instrumental, output_format, ...others }) =>
    compact({
      ...others,
      model: textOf(others.model) ?? DEFAULT_MODEL,
      instrumental: is_instrumental ?? others.instrumental,
      response_format: recordOf(others.audio_setting)?.format ?? others.response_format,
      output_format: output_format === "url" ? "url" : null,
    }),
  wrapAudio({ body }, request) {
    const bytes = Buffer.from(body);
    const answer = { ...minimaxAnswer(bytes.toString("hex")), extra_info: { music_size: bytes.length } };
    return request.stream === true
      ? { body: `data: ${JSON.stringify(answer)}\n\n`, contentType: "text/event-stream; charset=utf-8" }
      : { body: JSON.stringify(answer), contentType: "application/json" };
  },
  amend(_request, answer) {
    const [made] = recordsOf(recordOf(parseJson(textOfBytes(answer)))?.data);
    const url = textOf(made?.url);
    return url ? minimaxAnswer(url) : null;
  },
};

const minimaxAnswer = (audio: string): JsonObject => ({ data: { audio, status: COMPLETE }, base_resp: SUCCESS });
