import { getSchemaValidator, type TSchema, t } from "elysia";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../../../../db/schema/accounts/organizations/budgets.ts";
import { ORGANIZATION_ROLES } from "../../../../db/schema/accounts/organizations/organizations.ts";
import type { Problem } from "../../../domain/system/configuration/apply.ts";
import type { ConfigurationDocument, KindName } from "../../../domain/system/configuration/document.ts";
import { recordOf } from "../../../formats/json.ts";
import { optionKeys } from "../../../settings/registry/index.ts";
import { expectation, type Schema } from "../../http/envelope.ts";
import { guardrailDefinition } from "../../models/guardrails.ts";
import { routeDefinition } from "../../models/routes.ts";

const closed = { additionalProperties: false } as const;
const name = t.String({ minLength: 1, maxLength: 200 });
const names = t.Array(t.String());
const json = t.Optional(t.Union([t.Record(t.String(), t.Any()), t.Null()]));
const value = t.Union([t.String(), t.Number(), t.Boolean(), t.Array(t.Any()), t.Record(t.String(), t.Any())]);
const reference = (text: string): string => `\${${text}}`;
const SECRET = `A secret: a reference such as ${reference("env:NAME")} or ${reference("file:/run/secrets/name")}.`;

const group = t.Object(
  {
    ratio: t.Optional(t.Number({ description: "Factor on the prices of models." })),
    description: t.Optional(
      t.Union([t.String(), t.Null()], { description: "Shown to those who may choose it; null: nobody may." }),
    ),
    topup_ratio: t.Optional(t.Union([t.Number(), t.Null()], { description: "Factor on the price of top-ups." })),
  },
  closed,
);

const user = t.Object({ name, display_name: t.Optional(t.String()), group: t.Optional(t.String()) }, closed);

const organization = t.Object(
  {
    name,
    display_name: t.Optional(t.String()),
    members: t.Optional(
      t.Record(t.String(), t.UnionEnum([...ORGANIZATION_ROLES]), { description: "Exactly its members, by name." }),
    ),
    projects: t.Optional(t.Array(t.String(), { description: "Exactly its projects." })),
  },
  closed,
);

const budget = t.Object(
  {
    organization: name,
    scope: t.UnionEnum([...BUDGET_SCOPES]),
    target: t.Optional(t.String({ description: "Name of the project, member or key." })),
    period: t.UnionEnum([...BUDGET_PERIODS]),
    limit: t.Optional(t.Number({ description: "Quota units: 500,000 are one dollar." })),
    is_hard: t.Optional(t.Boolean()),
  },
  closed,
);

const config = t.Optional(t.Record(t.String(), t.String(), { description: `Its fields. ${SECRET}` }));
const alertDestination = t.Object(
  {
    ...{ name, type: t.String(), language: t.Optional(t.UnionEnum(["en", "zh"])), enabled: t.Optional(t.Boolean()) },
    ...{ quiet_from: t.Optional(t.String()), quiet_until: t.Optional(t.String()), time_zone: t.Optional(t.String()) },
    ...{ digest_minutes: t.Optional(t.Number()), config },
  },
  closed,
);

const alertRule = t.Object(
  {
    ...{ event: t.String(), threshold: t.Optional(t.Number()), window_minutes: t.Optional(t.Number()) },
    ...{ period: t.Optional(t.String()), per: t.Optional(t.String()), subject: t.Optional(t.String()) },
    destinations: t.Optional(t.Array(t.String(), { description: "Names of alert destinations; none: all." })),
    enabled: t.Optional(t.Boolean()),
  },
  closed,
);

const sink = t.Object(
  { name, type: t.String(), enabled: t.Optional(t.Boolean()), from_start: t.Optional(t.Boolean()), config },
  closed,
);

/** What files say of a channel in their own way. */
const CHANNEL = {
  name,
  key: t.Optional(t.Union([t.String(), names], { description: SECRET })),
  models: t.Optional(names),
  groups: t.Optional(names),
  ...{ model_mapping: json, status_code_mapping: json, setting: json, param_override: json, header_override: json },
};

/** And of a key. */
const KEY = {
  name,
  owner: t.String({ minLength: 1, description: "The person or organization that it belongs to." }),
  project: t.Optional(t.String()),
  quota: t.Optional(t.Number({ description: "What it is given, in quota units." })),
  model_limits: t.Optional(names),
  status: t.Optional(t.Number({ description: "1: enabled, 2: disabled." })),
};

/** The fields of requests that create these resources, by the routes that take them. */
export type RequestFields = Readonly<Record<"channel" | "key" | "plan", Readonly<Record<string, TSchema>>>>;

/** How a document is checked, and what editors get. */
export type ConfigurationSchema = ReturnType<typeof createConfigurationSchema>;

const sectionsOf = ({ channel, key, plan }: RequestFields): Readonly<Record<KindName, TSchema>> => ({
  options: t.Object(Object.fromEntries(optionKeys.map((option) => [option, t.Optional(value)])), closed),
  groups: t.Record(t.String(), group),
  prices: t.Record(t.String(), t.Union([t.Record(t.String(), t.Any()), t.Null()]), {
    description: "Dollars per million tokens (input, output, cache_read, …) or per_call; null: no price.",
  }),
  routes: t.Record(t.String(), routeDefinition),
  guardrails: t.Record(
    t.String(),
    t.Intersect([guardrailDefinition, t.Object({ key: t.Optional(t.String({ description: SECRET })) })]),
  ),
  users: t.Array(user),
  plans: t.Array(t.Object({ ...t.Partial(t.Object(without(plan, "id"))).properties, name }, closed)),
  channels: t.Array(t.Object({ ...without(channel, "group", "groups"), ...CHANNEL }, closed)),
  organizations: t.Array(organization),
  keys: t.Array(t.Object({ ...without(key, "project_id", "remain_quota"), ...KEY }, closed)),
  budgets: t.Array(budget),
  alert_destinations: t.Array(alertDestination),
  alert_rules: t.Array(alertRule),
  sinks: t.Array(sink),
});

const without = (fields: Readonly<Record<string, TSchema>>, ...names: string[]): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)));

/** The schema of documents, with resources as the management API takes them. */
export function createConfigurationSchema(fields: RequestFields) {
  const sections = sectionsOf(fields);
  const isKindName = (text: string): text is KindName => Object.hasOwn(sections, text);
  const optional = Object.fromEntries(Object.entries(sections).map(([name, schema]) => [name, t.Optional(schema)]));
  // Made with the first document: it is the largest of all schemas, and few processes are ever given one.
  let validator: ReturnType<typeof getSchemaValidator> | null = null;
  const problemAt = (input: unknown, { path, message, value: found, schema }: ValidationError): Problem => {
    const [section = "", at, ...field] = path.split("/").slice(1).map(unescapePointer);
    const [code, params] =
      message === "Unexpected property"
        ? (["configuration_field_unknown"] as const)
        : expectation(found, schema as Schema);
    const problem = {
      code,
      params: { ...params, field: [section, at, ...field].filter((part) => part !== undefined).join(".") },
    };
    if (!isKindName(section)) return { ...problem, section: "options", at: null, field: section };
    const isList = Array.isArray(recordOf(input)?.[section]);
    const entry = at === undefined ? null : isList ? Number(at) : at;
    return { ...problem, section, at: entry, field: field.length > 0 ? field.join(".") : null };
  };
  return {
    /** The sections that a list names; unknown ones are left out. */
    sectionsIn: (list: readonly string[]): KindName[] => list.filter(isKindName),
    /** Checks a document: what is wrong, one problem a place. */
    check(input: unknown): { document: ConfigurationDocument; problems: Problem[] } {
      const problems = new Map<string, Problem>();
      validator ??= getSchemaValidator(t.Object(optional, closed), {});
      for (const error of validator.Errors(input)) {
        if (!problems.has(error.path)) problems.set(error.path, problemAt(input, error));
      }
      // Without a problem it is what the schema says.
      return { document: input as ConfigurationDocument, problems: [...problems.values()] };
    },
    /** The JSON schema of a file, for editors: with what is about the file itself. */
    json: () => ({
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "Sluice configuration",
      type: "object",
      additionalProperties: false,
      properties: {
        $schema: { type: "string" },
        label: { type: "string", description: "Marks what the files make, for --prune.", pattern: LABEL },
        ...plain(sections),
      },
    }),
  };
}

/** What a label of files looks like. */
export const LABEL = "^[A-Za-z0-9._-]{1,60}$";

type ValidationError = Readonly<{ path: string; message: string; value: unknown; schema: TSchema }>;

const unescapePointer = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** Without the texts that forms may send for numbers. */
function plain(schema: unknown): Record<string, unknown> {
  const copy: unknown = JSON.parse(JSON.stringify(schema), (_, item: unknown) => {
    const choices = recordOf(item)?.anyOf;
    if (!Array.isArray(choices)) return item;
    const strict = choices.filter(
      (choice) => !["integer", "numeric", "boolean"].includes(String(recordOf(choice)?.format)),
    );
    return strict.length === 1 ? strict[0] : { ...recordOf(item), anyOf: strict };
  });
  return recordOf(copy) ?? {};
}
