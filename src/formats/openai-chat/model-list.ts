import { recordOf, recordsOf, textOf } from "../json.ts";

/** The ids in a model list of OpenAI's format; null if the response is none. Together responds with the bare array. */
export function readOpenAiModelList(response: unknown): string[] | null {
  const list = Array.isArray(response) ? response : recordOf(response)?.data;
  return Array.isArray(list) ? recordsOf(list).flatMap(({ id }) => textOf(id) ?? []) : null;
}

/** Reads the names of a model list in a member of the response. */
export const readNamesIn =
  (member: string) =>
  (response: unknown): string[] =>
    recordsOf(recordOf(response)?.[member]).flatMap(({ name }) => textOf(name) ?? []);
