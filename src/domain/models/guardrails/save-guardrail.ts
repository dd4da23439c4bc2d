import { OperationError } from "../../../lib/operation-error.ts";
import { type GuardrailDefinition, guardrailKeyFor, readGuardrail } from "../../../settings/option/guardrails.ts";
import type { Settings } from "../../../settings/settings.ts";
import { refusing } from "../catalog/save-entry.ts";

type Deps = Readonly<{ settings: Pick<Settings, "change" | "get"> }>;

/** A guardrail as the management API lists it. `has_key`: a key for its service is stored; it is never sent. */
export type GuardrailView = Readonly<{ name: string; has_key: boolean }> & GuardrailDefinition;

/** A guardrail as it is saved; `key` absent or empty: the stored key stays; null: it has none. */
export type GuardrailInput = Readonly<{ name: string; guardrail: unknown; key?: string | null | undefined }>;

/** All guardrails, in the order in which they are checked. */
export const listGuardrails = (settings: Pick<Settings, "get">): readonly GuardrailView[] =>
  settings.get("Guardrails").map(({ name, definition }) => ({
    name,
    ...definition,
    has_key: guardrailKeyFor(settings.get("GuardrailKeys"), name, definition.url ?? "") !== "",
  }));

/** Adds a guardrail. Throws OperationError: it exists, or its definition is invalid. */
export function createGuardrail({ settings }: Deps, { name, guardrail, key }: GuardrailInput): Promise<unknown> {
  const { definition } = refusing(() => readGuardrail(name, guardrail, ""));
  return changeGuardrails(settings, (rules, keys) => {
    if (rules.has(name)) throw new OperationError("guardrail_exists", { name });
    rules.set(name, definition);
    if (key) keys.set(name, { origin: originOf(definition), key });
  });
}

/**
 * Replaces a guardrail and renames it. A stored key goes with it only to the address that it was stored for. Throws OperationError: it
 * does not exist, or the new name or definition is invalid.
 */
export function updateGuardrail(
  { settings }: Deps,
  name: string,
  { name: newName, guardrail, key }: GuardrailInput,
): Promise<unknown> {
  const { definition } = refusing(() => readGuardrail(newName, guardrail, ""));
  return changeGuardrails(settings, (rules, keys) => {
    requireGuardrail(rules, name);
    if (newName !== name && rules.has(newName)) throw new OperationError("guardrail_exists", { name: newName });
    const stored = keys.get(name);
    const isSameOrigin = originOf(rules.get(name)) === originOf(definition);
    keys.delete(name);
    if (key) keys.set(newName, { origin: originOf(definition), key });
    else if (key !== null && stored && isSameOrigin) keys.set(newName, stored);
    const entries = [...rules].map(([each, rule]) =>
      each === name ? ([newName, definition] as const) : ([each, rule] as const),
    );
    rules.clear();
    for (const [each, rule] of entries) rules.set(each, rule);
  });
}

/** Deletes a guardrail and its key. Throws OperationError if it does not exist. */
export const deleteGuardrail = ({ settings }: Deps, name: string): Promise<unknown> =>
  changeGuardrails(settings, (rules, keys) => {
    requireGuardrail(rules, name);
    rules.delete(name);
    keys.delete(name);
  });

function requireGuardrail(rules: ReadonlyMap<string, unknown>, name: string): void {
  if (!rules.has(name)) throw new OperationError("guardrail_missing", { name: name.slice(0, 100) });
}

/** The server that gets the key. */
function originOf(rule: unknown): string {
  const url = typeof rule === "object" && rule !== null && "url" in rule ? rule.url : "";
  return typeof url === "string" ? (URL.parse(url)?.origin ?? "") : "";
}

const OPTIONS = ["Guardrails", "GuardrailKeys"] as const;

const changeGuardrails = (
  settings: Pick<Settings, "change">,
  change: (rules: Map<string, unknown>, keys: Map<string, unknown>) => void,
) =>
  settings.change(OPTIONS, (textOf) => {
    const [rules, keys] = OPTIONS.map(
      (name) => new Map<string, unknown>(Object.entries(JSON.parse(textOf(name) || "{}"))),
    );
    if (rules && keys) change(rules, keys);
    const textOfMap = (map: Map<string, unknown> | undefined) => JSON.stringify(Object.fromEntries(map ?? []), null, 2);
    return new Map([
      ["Guardrails", textOfMap(rules)],
      ["GuardrailKeys", textOfMap(keys)],
    ]);
  });
