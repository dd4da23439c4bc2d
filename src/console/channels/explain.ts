import { Elysia, t } from "elysia";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer, rowId } from "../http/integers.ts";

/** Asks the scheduler which channel it would select for a request, and why it rejects the others. Changes nothing. */
export type Explain<Explanation> = (question: {
  model: string;
  group: string;
  promptTokens: number;
  tokenId?: number;
  request?: Record<string, unknown>;
}) => Explanation;

const question = t.Object({
  model: t.String({ minLength: 1, maxLength: 255 }),
  group: t.Optional(t.String({ maxLength: 64 })),
  /** Number of prompt tokens, for channels with a limit. */
  prompt_tokens: t.Optional(integer({ minimum: 0 })),
  /** Id of the API key, whose limits and policies count. */
  token_id: t.Optional(rowId),
  /** The request body: with a key it decides whether the conversation sticks to a channel. */
  request: t.Optional(t.Record(t.String(), t.Unknown())),
});

/** POST /api/channel/explain: explains to which channel a request for a model would be routed. */
export function channelExplainRoutes<Explanation>(explain: Explain<Explanation>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/channel", name: "console/channel-explain" })
    .use(guarded)
    .guard({ role: "admin" })
    .post(
      "/explain",
      ({ body: { model, group = "default", prompt_tokens: promptTokens = 0, token_id: tokenId, request } }) =>
        ok(
          explain({
            model,
            group,
            promptTokens,
            ...(tokenId !== undefined && { tokenId, ...(request && { request }) }),
          }),
        ),
      { body: question },
    );
}
