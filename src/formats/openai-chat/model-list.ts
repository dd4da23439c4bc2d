import { recordOf, recordsOf, textOf } from "../json.ts";

/** Ids in a list of models in OpenAI's format; null: it is none. Together responds with the bare array. */
export function readOpenAiModelList(response: unknown): string[] | null {
  const list = Array.isArray(response) ? response : recordOf(response)?.data;
  return Array.isArray(list) ? recordsOf(list).flatMap(({ id }) => textOf(id) ?? []) : null;
}

/** Reads the names of a list of models that stands in a member of the response. */
export const readNamesIn =
  (member: string) =>
  (response: unknown): string[] =>
    recordsOf(recordOf(response)?.[member]).flatMap(({ name }) => textOf(name) ?? []);
