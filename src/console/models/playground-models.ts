import { Elysia, t } from "elysia";
import { createModelCatalog } from "../../catalog/catalog.ts";
import { usableGroups } from "../../domain/accounts/users/usable-groups.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { describeModel } from "../../domain/playground/describe-model.ts";
import { translateRequest } from "../../domain/playground/translate-request.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type Services = Readonly<{ settings: SettingsReader; channels: Pick<ChannelDirectory, "candidates"> }>;

const codeFormat = t.Union([
  t.Literal("openai-chat"),
  t.Literal("openai-responses"),
  t.Literal("anthropic"),
  t.Literal("gemini"),
]);

/** What the playground shows of models: what they take, and calls of them as code. */
export function playgroundRoutes({ settings, channels }: Services, guarded: ReturnType<typeof guard>) {
  const catalog = createModelCatalog(settings);
  return new Elysia({ prefix: "/api/playground", name: "console/playground" })
    .use(guarded)
    .get(
      "/model",
      ({ actor, query: { name, group = actor.group } }) => {
        const usable = usableGroups(settings, actor.group).has(group) ? group : actor.group;
        return ok(describeModel({ channels, catalog: catalog() }, usable, name));
      },
      {
        role: "user",
        query: t.Object({
          name: t.String({ minLength: 1, maxLength: 200 }),
          group: t.Optional(t.String({ maxLength: 100 })),
        }),
      },
    )
    .post(
      "/code",
      ({ body: { from = "openai-chat", format, request, model = "" } }) => {
        try {
          return ok(translateRequest(catalog(), { from, body: request, model }, format));
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
          const { reason } = error;
          if (typeof reason === "string")
            throw new OperationError("invalid_request", { detail: reason }, { status: 400 });
          throw new OperationError(reason.code, reason.params, { status: 400 });
        }
      },
      {
        role: "user",
        body: t.Object({
          from: t.Optional(codeFormat),
          format: codeFormat,
          request: t.Record(t.String(), t.Unknown(), {
            description: "A request in the format `from`; absent: Chat Completions.",
          }),
          model: t.Optional(t.String({ maxLength: 200, description: "Where the request itself does not name it." })),
        }),
      },
    );
}
