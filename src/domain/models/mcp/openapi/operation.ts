import { recordOf, recordsOf, textOf } from "../../../../formats/json.ts";

const PLACES = ["path", "query", "header"] as const;

/** How a parameter goes into a request (OpenAPI 3.1, section 4.8.12). */
export type Parameter = Readonly<{
  name: string;
  place: (typeof PLACES)[number];
  /** The member of the tool's input that has its value. */
  member: string;
  style: string;
  explode: boolean;
  /** Its value is written as JSON. */
  isJson: boolean;
  isRequired: boolean;
}>;

/** What a tool of an OpenAPI document calls: part of what is pinned. */
export type Operation = Readonly<{
  method: string;
  /** Below the server's address, with the names of parameters in braces. */
  path: string;
  parameters: readonly Parameter[];
  /** `member` of the input is the body, of the media type. */
  body: Readonly<{ member: string; type: string; isRequired: boolean }> | null;
}>;

/** Reads an operation as it is stored with its tool; null: it is none. */
export function readOperation(value: unknown): Operation | null {
  const { method, path, parameters, body } = recordOf(value) ?? {};
  const [verb, template] = [textOf(method), textOf(path)];
  if (!verb || template === null) return null;
  const content = recordOf(body);
  return {
    ...{ method: verb, path: template },
    parameters: recordsOf(parameters).flatMap((each): Parameter[] => {
      const place = PLACES.find((known) => known === each.place);
      const [name, member] = [textOf(each.name), textOf(each.member)];
      if (!place || name === null || member === null) return [];
      const flags = { explode: each.explode === true, isJson: each.isJson === true };
      return [{ name, place, member, style: textOf(each.style) ?? "", ...flags, isRequired: each.isRequired === true }];
    }),
    body: content && {
      ...{ member: textOf(content.member) ?? "body", type: textOf(content.type) ?? "application/json" },
      isRequired: content.isRequired === true,
    },
  };
}
