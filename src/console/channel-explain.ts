import { Elysia, t } from "elysia";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

/** Asks the scheduler where a call would go, and why not elsewhere; changes nothing. */
export type Explain = (question: { model: string; group: string; promptTokens: number }) => object;

const question = t.Object({
  model: t.String({ minLength: 1, maxLength: 255 }),
  group: t.Optional(t.String({ maxLength: 64 })),
  /** Tokens of the prompt, for channels with a limit. */
  prompt_tokens: t.Optional(t.Integer({ minimum: 0 })),
});

/** POST /api/channel/explain: where a request for a model would go. */
export function channelExplainRoutes(explain: Explain, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/channel", name: "console/channel-explain" })
    .use(guarded)
    .guard({ role: "admin" })
    .post(
      "/explain",
      ({ body: { model, group = "default", prompt_tokens: promptTokens = 0 } }) =>
        ok(explain({ model, group, promptTokens })),
      { body: question },
    );
}
