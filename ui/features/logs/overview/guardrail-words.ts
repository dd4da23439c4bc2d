import i18next from "i18next";
import { readData } from "../../../api/client.ts";
import { guardrailApi } from "../../../api/groups.ts";
import type { FilterOption } from "../../../components/inputs/FilterButton.tsx";
import { loadTexts } from "../../../state/i18n.ts";

/** A text of the guardrails' page, whose part is loaded here: no page of the log needs it before. */
const keyOf = (name: string): string => ["guardrails", name].join(".");

/** The texts under a key, by their own keys. */
const textsUnder = (name: string): readonly FilterOption[] => {
  const texts: unknown = i18next.t(keyOf(name), { returnObjects: true });
  return Object.entries(texts ?? {}).map(([value, label]) => ({ value, label: String(label) }));
};

/** What a filter of verdicts may be: guardrails, what they look for, and what they did or would have done. */
export async function guardrailWords(
  filter: "guardrail" | "verdict" | "guardrail_kind",
): Promise<readonly FilterOption[]> {
  if (filter === "guardrail")
    return (await readData(guardrailApi.get())).map(({ name }) => ({ value: name, label: name }));
  await loadTexts("admin");
  if (filter === "guardrail_kind") return textsUnder("kinds");
  const actions = textsUnder("actions");
  const shadow = i18next.t(keyOf("status.shadow"));
  return [
    ...actions,
    { value: "shadow", label: shadow },
    ...actions.map(({ value, label }) => ({ value: `shadow-${value}`, label: `${shadow}: ${label}` })),
  ];
}
