import { queryOptions } from "@tanstack/react-query";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { ApiError, readData, readEnvelope } from "../../api/client.ts";
import { optionApi } from "../../api/groups.ts";

export type OptionTexts = Readonly<Partial<Record<OptionKey, string>>>;

/** Every option as text. Secrets have no text, only whether they are set. */
export type Options = Readonly<{
  values: OptionTexts;
  defaults: OptionTexts;
  /** Model → price that this release estimates because no price list has it: USD per call, for videos per second. */
  estimates: Readonly<Record<string, number>>;
  secretsSet: ReadonlySet<OptionKey>;
}>;

export const options = queryOptions({
  queryKey: ["options"],
  queryFn: async ({ signal }): Promise<Options> => {
    const answer = await readEnvelope(optionApi.get({ fetch: { signal } }));
    return {
      values: Object.fromEntries(answer.data.map(({ key, value }) => [key, value])),
      defaults: answer.defaults,
      estimates: answer.estimates,
      secretsSet: new Set(answer.secrets_set),
    };
  },
});

export const putOption = ({ key, value }: OptionChange) => readData(optionApi.put({ key, value }));

export type OptionChange = Readonly<{ key: OptionKey; value: string }>;
type SaveResult = Readonly<{ saved: readonly OptionKey[]; firstError: Error | null }>;

const isSwitch = ({ key }: OptionChange): boolean => /enabled$/i.test(key);

/**
 * Saves changes with `put`: switches one after the other, then the rest in parallel. Retries a switch that requires
 * another option once the rest is saved. Continues after failures.
 */
export async function saveOptions(
  changes: readonly OptionChange[],
  put: (change: OptionChange) => Promise<unknown>,
): Promise<SaveResult> {
  const saved: OptionKey[] = [];
  const waiting: OptionChange[] = [];
  const errors: Error[] = [];
  const save = async (change: OptionChange, mayWait: boolean) => {
    try {
      await put(change);
      saved.push(change.key);
    } catch (error) {
      if (mayWait && error instanceof ApiError && error.code === "option_needs") waiting.push(change);
      else errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const others = changes.filter((change) => !isSwitch(change));
  for (const change of changes.filter(isSwitch)) await save(change, others.length > 0);
  await Promise.all(others.map((change) => save(change, false)));
  for (const change of waiting) await save(change, false);
  return { saved, firstError: errors[0] ?? null };
}
