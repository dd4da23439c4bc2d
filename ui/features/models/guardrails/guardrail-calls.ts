import { queryOptions } from "@tanstack/react-query";
import type { GuardrailView } from "../../../../src/domain/models/guardrails/save-guardrail.ts";
import type { GuardrailDefinition } from "../../../../src/settings/option/guardrails.ts";
import { readData } from "../../../api/client.ts";
import { guardrailApi } from "../../../api/groups.ts";

export type { GuardrailDefinition, GuardrailView };

export const guardrails = queryOptions({
  queryKey: ["guardrails"],
  queryFn: ({ signal }): Promise<readonly GuardrailView[]> => readData(guardrailApi.get({ fetch: { signal } })),
});

/** `key`: of its service; empty: none, or the stored one. */
export const createGuardrail = (name: string, guardrail: GuardrailDefinition, key: string) =>
  readData(guardrailApi.post({ name, guardrail, ...(key && { key }) }));

/** Replaces the guardrail `name`, which is called `newName` from then on. */
export const updateGuardrail = (name: string, newName: string, guardrail: GuardrailDefinition, key = "") =>
  readData(guardrailApi.put({ name, new_name: newName, guardrail, ...(key && { key }) }));

/** What a guardrail finds in a text. */
export const tryGuardrail = (name: string, guardrail: GuardrailDefinition, text: string) =>
  readData(guardrailApi.try.post({ name, guardrail, text }));

export const deleteGuardrail = (name: string) => readData(guardrailApi.delete({}, { query: { name } }));

/** The definition without what the server adds. */
export const definitionOf = ({ name: _, has_key: __, ...definition }: GuardrailView): GuardrailDefinition => definition;
