import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";

/** What callers of an API rely on, a line each. Lines with `!` say what a call needs, all others what it takes. */
export type ApiFacts = readonly string[];

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;

/**
 * Reads an OpenAPI document: each operation, its parameters, and the members of its body with their types. Of what responses hold
 * the document says nothing. Operations that are marked as unstable are left out.
 */
export function factsOf({ paths }: Readonly<{ paths: Paths }>): ApiFacts {
  const facts = new Set<string>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters, requestBody, "x-stability": stability } = { ...operation } as JsonObject;
      if (stability === "unstable") continue;
      const name = `${method.toUpperCase()} ${path}`;
      facts.add(name);
      for (const parameter of recordsOf(parameters)) {
        const place = `${name} ${textOf(parameter.in)}:${textOf(parameter.name)}`;
        if (parameter.required === true && parameter.in !== "path") facts.add(`${place} !`);
        addSchema(facts, place, parameter.schema);
      }
      const contents = recordOf(recordOf(requestBody)?.content);
      addSchema(facts, `${name} body`, recordOf(contents?.["application/json"])?.schema);
    }
  }
  return [...facts].sort();
}

const DEEPEST = 12;

function addSchema(facts: Set<string>, place: string, value: unknown, depth = 0): void {
  const schema = recordOf(value);
  if (!schema || depth > DEEPEST) return;
  const { type, enum: choices, const: constant, anyOf, oneOf, properties, required, items } = schema;
  for (const one of [...recordsOf(anyOf), ...recordsOf(oneOf)]) addSchema(facts, place, one, depth + 1);
  const values = Array.isArray(choices) ? choices : constant === undefined ? null : [constant];
  if (values) for (const choice of values) facts.add(`${place} = ${JSON.stringify(choice)}`);
  else
    for (const name of Array.isArray(type) ? type : [type])
      if (typeof name === "string") facts.add(`${place}: ${name}`);
  for (const name of Array.isArray(required) ? required : []) facts.add(`${place}.${String(name)} !`);
  for (const [name, member] of Object.entries(recordOf(properties) ?? {}))
    addSchema(facts, `${place}.${name}`, member, depth + 1);
  addSchema(facts, `${place}[]`, items, depth + 1);
}

/** What breaks callers that were written for `before`: what is no longer taken, and what is newly needed. */
export function breakingChanges(before: ApiFacts, after: ApiFacts): string[] {
  const [old, present] = [new Set(before), new Set(after)];
  const isNeed = (fact: string) => fact.endsWith(" !");
  const operationOf = (fact: string) => fact.split(" ").slice(0, 2).join(" ");
  const removedOperations = new Set(before.filter((fact) => fact === operationOf(fact) && !present.has(fact)));
  const removed = before
    .filter((fact) => !isNeed(fact) && !present.has(fact))
    .filter((fact) => fact === operationOf(fact) || !removedOperations.has(operationOf(fact)))
    .filter((fact) => !isWidened(fact, present));
  const needed = after.filter((fact) => isNeed(fact) && !old.has(fact) && old.has(operationOf(fact)));
  return [
    ...removed.map((fact) => `no longer: ${fact}`),
    ...needed.map((fact) => `newly needed: ${fact.slice(0, -2)}`),
  ];
}

/** A choice among values became any text; a whole number any number. */
function isWidened(fact: string, present: ReadonlySet<string>): boolean {
  const [place = ""] = fact.split(" = ");
  if (place !== fact) return present.has(`${place}: string`);
  return fact.endsWith(": integer") && present.has(fact.replace(/: integer$/, ": number"));
}
