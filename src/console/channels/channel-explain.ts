import { Elysia, t } from "elysia";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

/** Asks the scheduler where a call would go, and why not elsewhere; changes nothing. */
export type Explain<Explanation> = (question: {
  model: string;
  group: string;
  promptTokens: number;
  conversation?: { tokenId: number; request: Record<string, unknown> };
}) => Explanation;

const question = t.Object({
  model: t.String({ minLength: 1, maxLength: 255 }),
  group: t.Optional(t.String({ maxLength: 64 })),
  /** Tokens of the prompt, for channels with a limit. */
  prompt_tokens: t.Optional(t.Integer({ minimum: 0 })),
  /** Id of the API key that the call comes with, and its body: tells whether the conversation sticks somewhere. */
  token_id: t.Optional(t.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  request: t.Optional(t.Record(t.String(), t.Unknown())),
});

/** POST /api/channel/explain: where a request for a model would go, as whoever routes it explains. */
export function channelExplainRoutes<Explanation>(explain: Explain<Explanation>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/channel", name: "console/channel-explain" })
    .use(guarded)
    .guard({ role: "admin" })
    .post(
      "/explain",
      ({ body: { model, group = "default", prompt_tokens: promptTokens = 0, token_id: tokenId, request } }) => {
        const conversation = tokenId !== undefined && request ? { tokenId, request } : null;
        return ok(explain({ model, group, promptTokens, ...(conversation && { conversation }) }));
      },
      { body: question },
    );
}
