import type { SinkTypeName } from "../../../../src/domain/logs/sinks/types/index.ts";
import { namesOf } from "../../../lib/json.ts";
import type { Sink } from "./sink-calls.ts";

type FieldTraits = Readonly<{
  isSecret?: true;
  isOptional?: true;
  /** An example, or the values to choose from. */
  example?: string;
}>;

/** The fields of each type, in the order of the form. */
export const SINK_FIELDS = {
  webhook: { url: { example: "https://example.com/usage" }, secret: { isSecret: true } },
  kafka: {
    brokers: { example: "broker-1:9092, broker-2:9092" },
    topic: { example: "usage" },
    security: { isOptional: true, example: "plaintext | tls" },
    mechanism: { isOptional: true, example: "plain | scram-sha-256 | scram-sha-512" },
    user: { isOptional: true },
    password: { isSecret: true, isOptional: true },
  },
  s3: {
    url: { example: "https://s3.us-east-1.amazonaws.com" },
    region: { example: "us-east-1" },
    bucket: {},
    prefix: { isOptional: true, example: "sluice/usage" },
    access_key_id: {},
    secret_access_key: { isSecret: true },
  },
  clickhouse: {
    url: { example: "https://clickhouse.example.com:8443" },
    database: { isOptional: true, example: "default" },
    table: { example: "usage" },
    user: { isOptional: true },
    password: { isSecret: true, isOptional: true },
  },
  bigquery: {
    service_account: { isSecret: true, example: '{"type": "service_account", …}' },
    dataset: {},
    table: {},
    url: { isOptional: true, example: "https://bigquery.googleapis.com" },
  },
  splunk: {
    url: { example: "https://splunk.example.com:8088" },
    token: { isSecret: true },
    index: { isOptional: true, example: "main" },
  },
} as const satisfies Readonly<Record<SinkTypeName, Readonly<Record<string, FieldTraits>>>>;

export type SinkFieldName = { [Type in SinkTypeName]: keyof (typeof SINK_FIELDS)[Type] }[SinkTypeName];

/** The types, in the order of the form. */
export const SINK_TYPES: readonly SinkTypeName[] = ["webhook", "kafka", "s3", "clickhouse", "bigquery", "splunk"];

/** The fields of a type with what they are like. */
export function fieldsOf(type: SinkTypeName): readonly (readonly [SinkFieldName, FieldTraits])[] {
  const fields: Partial<Record<SinkFieldName, FieldTraits>> = SINK_FIELDS[type];
  return namesOf(fields).flatMap((name) => (fields[name] ? [[name, fields[name]] as const] : []));
}

/** The drawer's fields; a secret that is stored is empty. */
export type SinkForm = Partial<Record<SinkFieldName, string>> & {
  type: SinkTypeName;
  name: string;
  enabled: boolean;
  fromStart: boolean;
};

/** Initial values; null: a new destination. */
export const formOfSink = (sink: Sink | null): SinkForm => ({
  ...sink?.config,
  type: sink?.type ?? "webhook",
  name: sink?.name ?? "",
  enabled: sink?.enabled ?? true,
  fromStart: false,
});

/** The body of POST and PUT: only the fields of the type. */
export const bodyOfSink = ({ name, enabled, type, ...config }: SinkForm) => ({
  name: name.trim(),
  enabled,
  config: Object.fromEntries(fieldsOf(type).map(([field]) => [field, (config[field] ?? "").trim()])),
});

/** The fields that are missing. `stored` names the stored secrets. */
export function checkSinkForm(
  form: SinkForm,
  stored: readonly string[],
): Partial<Record<SinkFieldName | "name", "required">> {
  const missing = fieldsOf(form.type).filter(
    ([name, { isOptional }]) => !isOptional && !stored.includes(name) && !form[name]?.trim(),
  );
  return {
    ...(form.name.trim() === "" && { name: "required" as const }),
    ...Object.fromEntries(missing.map(([name]) => [name, "required"])),
  };
}
