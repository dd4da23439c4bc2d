import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { hasReference, referenceJson } from "../../support/formats/reference.ts";
import { dataOf } from "./client-formats.ts";

/** OpenAI's own specification, stored next to the checkout; nothing is validated where it is not. */
const SPECIFICATION = "openai/openapi.json";

type ClientName = "chat" | "responses";
/** What is wrong with an answer in an OpenAI format, by OpenAI's own schemas; empty: nothing. */
type Complaints = (
  client: ClientName,
  answer: Readonly<{ status: number; streamed: boolean; text: string }>,
) => string[];

/** The judge of OpenAI bodies, stream events and errors; null without the specification. */
export function openaiSchemas(): Complaints | null {
  if (!hasReference(SPECIFICATION)) return null;
  const document = referenceJson(SPECIFICATION);
  const schemas = recordOf(corrected(recordOf(document.components)?.schemas)) ?? {};
  withoutUsage(schemas);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "openai", components: { schemas } });
  const compiled = new Map<string, ValidateFunction>();
  const complain = (name: string, value: unknown): string[] => {
    const validate = compiled.get(name) ?? ajv.compile({ $ref: `openai#/components/schemas/${name}` });
    compiled.set(name, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
  };
  const eventNames = eventSchemas(schemas);

  return (client, { status, streamed, text }) => {
    if (status !== 200) return complain("ErrorResponse", parseJson(text));
    if (!streamed) return complain(client === "chat" ? "CreateChatCompletionResponse" : "Response", parseJson(text));
    return dataOf(text).flatMap((event) => {
      if (client === "chat")
        return complain(event.error ? "ErrorResponse" : "CreateChatCompletionStreamResponse", event);
      const name = eventNames.get(textOf(event.type) ?? "");
      return name ? complain(name, event) : [`no event is called ${event.type}`];
    });
  };
}

/** Type of an event → name of its schema. */
function eventSchemas(schemas: JsonObject): Map<string, string> {
  const names = recordsOf(recordOf(schemas.ResponseStreamEvent)?.anyOf).map(
    ({ $ref }) => textOf($ref)?.split("/").at(-1) ?? "",
  );
  return new Map(
    names.flatMap((name) => {
      const type = recordOf(recordOf(recordOf(schemas[name])?.properties)?.type);
      const types = Array.isArray(type?.enum) ? type.enum : [type?.const];
      return types.map((value): [string, string] => [String(value), name]);
    }),
  );
}

/** The schemas without what is wrong in them: places where OpenAI's own answers do not fit. */
function corrected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(corrected);
  const schema = recordOf(value);
  if (!schema) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [name, corrected(inner)]),
  );
  // `nullable` is a word of version 3.0: here, in 3.1, it says nothing, or is undone by the list of values next to it. Hence
  // a choice's finish_reason in a chunk could not be null until it ends, nor usage in all chunks but the last, nor logprobs.
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest;
}

/** A response that has not ended, or failed, has a usage of null. */
function withoutUsage(schemas: JsonObject): void {
  for (const part of recordsOf(recordOf(schemas.Response)?.allOf)) {
    const properties = recordOf(part.properties);
    if (properties?.usage) properties.usage = { anyOf: [properties.usage, { type: "null" }] };
  }
}
