import { integerFrom, listOf, text } from "../../lib/field-readers.ts";

const ids = listOf(integerFrom(1, 2 ** 31 - 1));

/** The members of a definition that name the callers for whom it holds. */
export const scopeFields = { groups: listOf(text), accounts: ids, projects: ids, keys: ids };

type ScopeFields = Readonly<{ [K in keyof typeof scopeFields]?: ReturnType<(typeof scopeFields)[K]> }>;

/** For which callers something holds; an absent condition holds for all. */
export type CallerScope = Readonly<{
  groups: ReadonlySet<string> | null;
  /** Ids of accounts: people or organizations. */
  accounts: ReadonlySet<number> | null;
  projects: ReadonlySet<number> | null;
  keys: ReadonlySet<number> | null;
}>;

/** Who calls, as far as scopes depend on it; 0: no project, no key. */
export type ScopedCaller = Readonly<{ group: string; accountId: number; projectId: number; keyId: number }>;

/** The scope that these members name; null: all callers. */
export function readCallerScope({ groups, accounts, projects, keys }: ScopeFields): CallerScope | null {
  const setOf = <T>(list: readonly T[] | undefined) => (list && list.length > 0 ? new Set(list) : null);
  const scope = { groups: setOf(groups), accounts: setOf(accounts), projects: setOf(projects), keys: setOf(keys) };
  return Object.values(scope).every((condition) => condition === null) ? null : scope;
}

/** Whether a scope has a caller: all its conditions do. */
export const isInScope = (
  { groups, accounts, projects, keys }: CallerScope,
  { group, accountId, projectId, keyId }: ScopedCaller,
): boolean =>
  (groups?.has(group) ?? true) &&
  (accounts?.has(accountId) ?? true) &&
  (projects?.has(projectId) ?? true) &&
  (keys?.has(keyId) ?? true);
