import { Elysia, type TSchema, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { type ManagementAction, writeManagementLog } from "../../domain/logs/write-log.ts";
import { refusing } from "../../domain/models/catalog/save-entry.ts";
import {
  createGuardrail,
  deleteGuardrail,
  listGuardrails,
  updateGuardrail,
} from "../../domain/models/guardrails/save-guardrail.ts";
import { tryGuardrail } from "../../domain/models/guardrails/try-guardrail.ts";
import {
  GUARDRAIL_ACTIONS,
  GUARDRAIL_KINDS,
  GUARDRAIL_SERVICES,
  PERSONAL_KINDS,
  readGuardrail,
} from "../../settings/option/guardrails.ts";
import { describeOptionChanges, optionTexts } from "../../settings/record-option-changes.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";

type Services = Readonly<{ db: Db; settings: Settings }>;

const text = (description: string) => t.Optional(t.String({ description }));
const texts = (description: string) => t.Optional(t.Array(t.String(), { description }));
const ids = (description: string) => t.Optional(t.Array(integer(), { description }));
const count = (description: string) => t.Optional(integer({ description }));
const oneOf = (choices: readonly string[]) => `One of: ${choices.join(", ")}.`;

/** For the API description; src/settings/option/guardrails.ts validates the fields and names the invalid one. */
export const guardrailDefinition: TSchema & { static: object } = t.Object(
  {
    description: t.Optional(t.String()),
    enabled: t.Optional(t.Boolean()),
    shadow: t.Optional(t.Boolean({ description: "Decides nothing: the log says what would have happened." })),
    kind: t.String({ description: oneOf(GUARDRAIL_KINDS) }),
    action: text(`${oneOf(GUARDRAIL_ACTIONS)} block unless set.`),
    phases: texts("request, answer; both unless set."),
    groups: texts("Only calls of these groups."),
    accounts: ids("Only calls of these people or organizations."),
    projects: ids("Only calls of these projects."),
    keys: ids("Only calls of these API keys."),
    models: texts("Only calls of models that match one of these names or patterns."),
    mcp_servers: texts("Only calls of MCP servers that match one of these names or patterns: arguments and results."),
    words: texts("Of the kind words."),
    patterns: texts("Of the kind patterns: regular expressions of RE2, whatever the case."),
    personal: texts(`Of the kind personal_data: ${oneOf(PERSONAL_KINDS)} All unless set.`),
    restore: t.Optional(t.Boolean({ description: "Puts masked values back into the answer." })),
    languages: texts("Of the kind language: those that are allowed, as two letters."),
    max_characters: count("Of the kind size."),
    tools: texts("Of the kind tools: names or patterns of those that are allowed."),
    schema: t.Optional(
      t.Record(t.String(), t.Unknown(), { description: "Of the kind json: a JSON Schema that answers have to fit." }),
    ),
    refusal: text("error, unless set, or answer: callers get what it blocks as a refusal of the model."),
    route_to: text("Of the action route: a model or route."),
    service: text(`Of the kind service: ${oneOf(GUARDRAIL_SERVICES)}`),
    url: text("The service's address."),
    timeout_ms: count("How long the service may take; 2,000 unless set."),
    on_failure: text("open: calls go on without the service; closed, unless set: they are refused."),
    threshold_percent: count("From which score on a finding counts; 50 unless set."),
    service_id: text("Bedrock: the guardrail. Lakera: the project. OpenAI: the model."),
    service_version: text("Bedrock: the guardrail's version."),
    language: text("Presidio: the language of texts."),
  },
  { additionalProperties: t.Unknown() },
);

const name = t.String({ minLength: 1, maxLength: 60 });
const key = t.Optional(
  t.String({
    maxLength: 10_000,
    description:
      "The key for its service, the file of a service account for Model Armor, or the secret that signs its webhook; never sent back.",
  }),
);

const MOST_CHARACTERS = 50_000;

/** Guardrails, for administrators: what may go to models and come from them. */
export function guardrailRoutes({ db, settings }: Services, guarded: ReturnType<typeof guard>) {
  const audited = async (actor: Readonly<{ id: number }>, action: ManagementAction, change: () => Promise<unknown>) => {
    const before = optionTexts(settings);
    await change();
    const reported = describeOptionChanges(["Guardrails"], before, optionTexts(settings));
    const note = { code: "option_changed", params: { key: "Guardrails" } } as const;
    await writeManagementLog(db, actor, "Changed the option Guardrails", { note, action, ...reported });
    return ok(null);
  };
  return new Elysia({ prefix: "/api/guardrail", name: "console/guardrails" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", () => ok(listGuardrails(settings)))
    .post("/", ({ actor, body }) => audited(actor, "create", () => createGuardrail({ settings }, body)), {
      body: t.Object({ name, guardrail: guardrailDefinition, key }),
    })
    .post(
      "/try",
      ({ body }) =>
        ok(
          tryGuardrail(
            refusing(() => readGuardrail(body.name, body.guardrail, "")),
            body.text,
          ),
        ),
      { body: t.Object({ name, guardrail: guardrailDefinition, text: t.String({ maxLength: MOST_CHARACTERS }) }) },
    )
    .put(
      "/",
      ({ actor, body: { name: current, new_name: newName = current, ...input } }) =>
        audited(actor, "update", () => updateGuardrail({ settings }, current, { ...input, name: newName })),
      { body: t.Object({ name, new_name: t.Optional(name), guardrail: guardrailDefinition, key }) },
    )
    .delete("/", ({ actor, query }) => audited(actor, "delete", () => deleteGuardrail({ settings }, query.name)), {
      query: t.Object({ name }),
    });
}
