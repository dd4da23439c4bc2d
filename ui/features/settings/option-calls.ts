import { queryOptions } from "@tanstack/react-query";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { readData, readEnvelope } from "../../api/client.ts";
import { optionApi } from "../../api/groups.ts";
import type { OptionChange } from "./save-options.ts";

export type OptionTexts = Readonly<Partial<Record<OptionKey, string>>>;

/** Every option as text. Secrets have none: only whether they are set. */
export type Options = Readonly<{
  values: OptionTexts;
  defaults: OptionTexts;
  /** Model → price that comes with this release and that no price list says: USD a call, of videos a second. */
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
